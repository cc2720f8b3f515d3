/// \file Plain and instrumented runs alternate, so that a machine that becomes
/// slower or faster meanwhile does so for both. Nothing compiles meanwhile.
#include "tools/pgopt-runner/trial_run.h"

#include "base/memory.h"
#include "pgopt/runtime.h"
#include "tools/pgopt-runner/bench.h"
#include "tools/pgopt-runner/run.h"
#include "tools/pgopt-runner/terminal.h"

#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
  MAX_RUNS = 10000,
  MAX_SAMPLES = 1 << 23, ///< of all kernels together, 64 MiB
  PEAK_BUDGET_MS = 50,
  LATENCY_BUDGET_MS = 15,
  MARKS_A_BATCH = 1000,
  BATCHES = 15,
};

typedef struct trial {
  loaded_program plain, instrumented;
  input_set inputs;
  int64_t *plain_ns, *instrumented_ns;
  size_t runs;
} trial;

static json_t *summary_object(const int64_t *samples, size_t count) {
  pgopt_summary summary = pgopt_summarize(samples, count);
  return json_pack(
      "{s:I, s:I, s:I, s:I}", "median_ns", (json_int_t)summary.median_ns,
      "min_ns", (json_int_t)summary.min_ns, "mad_ns",
      (json_int_t)summary.mad_ns, "runs", (json_int_t)summary.runs);
}

/// One run of both warms up; a second follows unless the budget is too short.
/// Then at least one measured run of both.
static void measure(trial *t, int64_t budget_ns) {
  size_t kernels = t->instrumented.call_count;
  size_t most = kernels ? MAX_SAMPLES / kernels : MAX_RUNS;
  most = most > MAX_RUNS ? MAX_RUNS : most ? most : 1;
  t->plain_ns = pgopt_allocate(most, sizeof *t->plain_ns);
  t->instrumented_ns = pgopt_allocate(most, sizeof *t->instrumented_ns);
  int64_t start = pgopt_rt_now_ns();
  time_run(&t->plain);
  time_run(&t->instrumented);
  if (pgopt_rt_now_ns() - start < budget_ns / 4) {
    time_run(&t->plain);
    time_run(&t->instrumented);
  }
  pgopt_rt_timers_reset((int64_t)kernels);
  do {
    t->plain_ns[t->runs] = time_run(&t->plain);
    t->instrumented_ns[t->runs] = time_run(&t->instrumented);
    ++t->runs;
    progress("trial run: %zu runs", t->runs);
  } while (t->runs < most && pgopt_rt_now_ns() - start < budget_ns);
  progress(NULL);
}

static json_t *kernel_list(const trial *t) {
  json_t *list = json_array();
  int64_t runs = pgopt_rt_timers_runs();
  int64_t *samples = pgopt_allocate((size_t)runs, sizeof *samples);
  for (size_t k = 0; k < t->instrumented.call_count; ++k) {
    size_t count = 0;
    for (int64_t run = 0; run < runs; ++run) {
      int64_t sample = pgopt_rt_timers_sample(run, (int64_t)k);
      if (sample >= 0)
        samples[count++] = sample;
    }
    json_array_append_new(list, summary_object(samples, count));
  }
  free(samples);
  return list;
}

/// Median over batches of what one mark costs. Forgets the recorded runs.
static double measure_timer(void) {
  int64_t batches[BATCHES];
  for (int i = 0; i < BATCHES; ++i) {
    pgopt_rt_timers_reset(MARKS_A_BATCH);
    pgopt_rt_mark(-1);
    int64_t start = pgopt_rt_now_ns();
    for (int64_t kernel = 0; kernel < MARKS_A_BATCH; ++kernel)
      pgopt_rt_mark(kernel);
    batches[i] = pgopt_rt_now_ns() - start;
  }
  pgopt_rt_timers_reset(0);
  return (double)pgopt_summarize(batches, BATCHES).median_ns / MARKS_A_BATCH;
}

/// Value of the first "key : value" line of /proc/cpuinfo, or "unknown".
static void read_cpu_name(char *name, size_t size) {
  snprintf(name, size, "unknown");
  FILE *file = fopen("/proc/cpuinfo", "r");
  if (!file)
    return;
  char line[512];
  while (fgets(line, sizeof line, file)) {
    char *colon = strchr(line, ':');
    if (strncmp(line, "model name", 10) || !colon)
      continue;
    colon += 1 + strspn(colon + 1, " \t");
    colon[strcspn(colon, "\n")] = 0;
    snprintf(name, size, "%s", colon);
    break;
  }
  fclose(file);
}

static json_t *report(const trial *t) {
  json_t *kernels = kernel_list(t);
  double timer_ns = measure_timer(), least_ns = 0, most_ns = 0;
  double peak = pgopt_rt_measure_peak_gflops(PEAK_BUDGET_MS);
  pgopt_rt_measure_latency(LATENCY_BUDGET_MS, &least_ns, &most_ns);
  char cpu[256];
  read_cpu_name(cpu, sizeof cpu);
  return json_pack(
      "{s:i, s:o, s:o, s:o, s:f, s:f, s:[f, f], s:s, s:I, s:s}", "format", 1,
      "kernels", kernels, "end_to_end", summary_object(t->plain_ns, t->runs),
      "instrumented", summary_object(t->instrumented_ns, t->runs), "timer_ns",
      timer_ns, "peak_gflops", peak, "latency_ns", least_ns, most_ns, "cpu",
      cpu, "cores", (json_int_t)pgopt_rt_cpu_count(1), "blas",
      pgopt_rt_blas_name());
}

int run_trial(const runner_options *options) {
  load_request plain = {.only_calls = true};
  load_request instrumented = {.only_calls = true, .is_instrumented = true};
  trial t = {0};
  int code = EXIT_DIFFERENT;
  if (options->blas_threads)
    pgopt_rt_set_blas_threads(options->blas_threads);
  if (load_program(options, options->file, &plain, &t.plain) &&
      load_program(options, options->file, &instrumented, &t.instrumented) &&
      make_inputs(options, &t.plain, &t.inputs)) {
    bind_inputs(&t.plain, &t.inputs);
    bind_inputs(&t.instrumented, &t.inputs);
    measure(&t, options->budget_ms * 1000000);
    json_t *object = report(&t);
    code = json_dumpf(object, stdout, JSON_REAL_PRECISION(9)) ||
                   putchar('\n') == EOF || fflush(stdout)
               ? EXIT_DIFFERENT
               : 0;
    json_decref(object);
    if (code)
      complain("cannot write to the standard output");
  }
  free(t.plain_ns);
  free(t.instrumented_ns);
  free_inputs(&t.inputs);
  unload_program(&t.plain);
  unload_program(&t.instrumented);
  return code;
}
