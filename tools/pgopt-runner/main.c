/// \file pgopt-runner: runs a network at any stage, compares two, measures.
#include "dialect_c/attributes.h"
#include "passes/passes.h"
#include "tools/pgopt-runner/diff_reports.h"
#include "tools/pgopt-runner/load.h"
#include "tools/pgopt-runner/onnx_input.h"
#include "tools/pgopt-runner/onnx_suite.h"
#include "tools/pgopt-runner/options.h"
#include "tools/pgopt-runner/run.h"
#include "tools/pgopt-runner/search_table.h"
#include "tools/pgopt-runner/show_store.h"
#include "tools/pgopt-runner/show_variants.h"
#include "tools/pgopt-runner/simulate_schedule.h"
#include "tools/pgopt-runner/terminal.h"
#include "tools/pgopt-runner/trial_pair.h"
#include "tools/pgopt-runner/trial_run.h"

#include <stdio.h>
#include <stdlib.h>

static int print_document(char *text) {
  bool ok = !text || fputs(text, stdout) >= 0;
  free(text);
  return ok && !fflush(stdout) ? 0 : EXIT_ERROR;
}

static int run(const runner_options *options) {
  switch (options->mode) {
  case MODE_RUN:
    return run_network(options);
  case MODE_TRIAL:
    return options->compare ? run_pair_trial(options) : run_trial(options);
  case MODE_MATERIALIZE:
    return run_materialize(options);
  case MODE_SHOW_STORE:
    return show_store(options);
  case MODE_VARIANTS:
    return show_variants(options);
  case MODE_SEARCH:
    return search_table(options);
  case MODE_SIMULATE:
    return simulate_schedule(options);
  case MODE_DIFF:
    return diff_reports(options);
  case MODE_MEASURE_MACHINE:
    return measure_machine(options);
  case MODE_ONNX_TEST:
    return run_onnx_suite(options);
  case MODE_DOCUMENT_ATTRIBUTES:
    return print_document(pgopt_attribute_document());
  case MODE_DOCUMENT_PASSES:
    return print_document(pgopt_passes_document());
  case MODE_HELP:
    print_help();
    return 0;
  case MODE_VERSION:
    puts("pgopt-runner " PGOPT_VERSION ", MLIR " PGOPT_MLIR_VERSION);
    return 0;
  }
  return EXIT_ERROR;
}

int main(int argc, char **argv) {
  runner_options options;
  int code = EXIT_ERROR;
  if (parse_options(argc, argv, &options)) {
    install_interrupts();
    onnx_input input;
    if (open_onnx_input(&options, &input))
      code = run(&options);
    close_onnx_input(&input);
    if ((fflush(stdout) || ferror(stdout)) && !code) {
      complain("cannot write to the standard output");
      code = EXIT_ERROR;
    }
  }
  free_options(&options);
  return code;
}
