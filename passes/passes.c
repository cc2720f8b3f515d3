/// \file Registration, creation and the generated document of the passes.
#include "passes/passes.h"

#include "base/text.h"
#include "mlir-c/RegisterEverything.h"
#include "pgopt/passes.h"

#include <ctype.h>
#include <stdatomic.h>
#include <string.h>

const pgopt_pass_definition *const pgopt_all_passes[] = {
#define PGOPT_PASS(name) &name,
#include "passes/passes.def"
#undef PGOPT_PASS
    NULL};

void pgopt_register_passes(void) {
  static atomic_flag registered = ATOMIC_FLAG_INIT;
  if (atomic_flag_test_and_set(&registered))
    return;
  mlirRegisterAllPasses(); // ours name upstream's in the pipelines they run
  for (size_t i = 0; pgopt_all_passes[i]; ++i)
    pgopt_register_pass(pgopt_all_passes[i]);
}

MlirPass pgopt_create_pass_by_name(const char *argument, const char *options) {
  /* Passes name one another in the pipelines that they run. */
  pgopt_register_passes();
  for (size_t i = 0; pgopt_all_passes[i]; ++i)
    if (!strcmp(pgopt_all_passes[i]->argument, argument))
      return pgopt_create_pass(pgopt_all_passes[i], options);
  return (MlirPass){NULL};
}

static const char *kind_name(pgopt_option_kind kind) {
  switch (kind) {
  case PGOPT_OPTION_BOOL:
    return "bool";
  case PGOPT_OPTION_I64:
    return "integer";
  case PGOPT_OPTION_TEXT:
    return "text";
  }
  return "";
}

/// A cell of a table: `|` would end it.
static void append_cell(pgopt_text *text, const char *value) {
  pgopt_text_append(text, " ");
  for (const char *c = value; *c; ++c)
    pgopt_text_append(text, *c == '|' ? "\\|" : "%c", *c);
  pgopt_text_append(text, " |");
}

static void append_options(pgopt_text *text,
                           const pgopt_pass_definition *pass) {
  if (!pass->option_count)
    return;
  pgopt_text_append(text, "\n| option | kind | default | meaning |\n"
                          "|---|---|---|---|\n");
  for (size_t i = 0; i < pass->option_count; ++i) {
    const pgopt_option *option = &pass->options[i];
    pgopt_text_append(text, "| `%s` | %s |", option->name,
                      kind_name(option->kind));
    if (*option->default_value)
      pgopt_text_append(text, " `%s` |", option->default_value);
    else
      pgopt_text_append(text, " |");
    append_cell(text, option->help);
    pgopt_text_append(text, "\n");
  }
}

static void append_statistics(pgopt_text *text,
                              const pgopt_pass_definition *pass) {
  if (!pass->statistic_count)
    return;
  pgopt_text_append(text, "\n| statistic | counts |\n|---|---|\n");
  for (size_t i = 0; i < pass->statistic_count; ++i) {
    pgopt_text_append(text, "| `%s` |", pass->statistics[i].name);
    append_cell(text, pass->statistics[i].help);
    pgopt_text_append(text, "\n");
  }
}

char *pgopt_passes_document(void) {
  pgopt_text text = {0};
  pgopt_text_append(
      &text,
      "# Passes\n\n"
      "In the order of the pipeline. Generated from the definitions in "
      "`passes/` by `pgopt-runner --document-passes`. Options are "
      "`--pass=\"key=value key=value\"` on a command line and "
      "`pass{key=value key=value}` in a pipeline; statistics are printed "
      "with `--mlir-pass-statistics`.\n");
  for (size_t i = 0; pgopt_all_passes[i]; ++i) {
    const pgopt_pass_definition *pass = pgopt_all_passes[i];
    pgopt_text_append(&text, "\n## `--%s`\n\n%c%s. Runs on `%s`.\n",
                      pass->argument, toupper((unsigned char)*pass->summary),
                      *pass->summary ? pass->summary + 1 : "", pass->anchor);
    append_options(&text, pass);
    append_statistics(&text, pass);
  }
  return text.data;
}
