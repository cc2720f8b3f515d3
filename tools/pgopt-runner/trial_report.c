#include "tools/pgopt-runner/trial_report.h"

#include "base/memory.h"
#include "base/statistics.h"

#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { PEAK_BUDGET_MS = 50, LATENCY_BUDGET_MS = 15, PRINTED_SAMPLES = 101 };

static json_t *summary_object(const int64_t *samples, size_t count) {
  size_t dropped;
  pgopt_summary summary = pgopt_summarize_undisturbed(samples, count, &dropped);
  return json_pack("{s:I, s:I, s:I, s:I, s:I}", "median_ns",
                   (json_int_t)summary.median_ns, "min_ns",
                   (json_int_t)summary.min_ns, "mad_ns",
                   (json_int_t)summary.mad_ns, "runs", (json_int_t)summary.runs,
                   "dropped", (json_int_t)dropped);
}

/// At most PRINTED_SAMPLES of those that nothing disturbed (of all, when all
/// were), in order and spread over the whole trial.
static json_t *sample_list(const int64_t *samples, size_t count) {
  json_t *list = json_array();
  int64_t *calm = pgopt_allocate(count, sizeof *calm);
  size_t kept = 0;
  for (size_t i = 0; i < count; ++i)
    if (samples[i] > 0)
      calm[kept++] = samples[i];
  for (size_t i = 0; i < count && !kept; ++i)
    calm[i] = llabs(samples[i]);
  if (!kept)
    kept = count;
  size_t printed = kept < PRINTED_SAMPLES ? kept : PRINTED_SAMPLES;
  for (size_t i = 0; i < printed; ++i)
    json_array_append_new(list, json_integer(calm[i * kept / printed]));
  free(calm);
  return list;
}

/// One sample of each whole run.
static json_t *paired_list(const trial *t, size_t kernel) {
  json_t *list = json_array();
  for (size_t run = 0; run < (size_t)t->record->runs; ++run)
    json_array_append_new(list, json_integer(trial_row(t, run)[kernel]));
  return list;
}

/// The samples of a kernel: of all whole runs and the one that was cut off,
/// else of the warm-up.
static size_t collect(const trial *t, size_t kernel, int64_t *samples) {
  size_t count = 0, rows = (size_t)t->record->runs + 1;
  for (size_t run = 0; run < rows && run < t->most; ++run)
    if (trial_row(t, run)[kernel])
      samples[count++] = trial_row(t, run)[kernel];
  if (!count && trial_row(t, t->most)[kernel])
    samples[count++] = trial_row(t, t->most)[kernel];
  return count;
}

static int64_t cold_median(const trial *t, size_t kernel) {
  int64_t samples[TRIAL_COLD_RUNS];
  size_t count = 0, dropped;
  for (int64_t run = 0; run < t->record->cold_runs; ++run) {
    int64_t sample = trial_row(t, t->most + 1 + (size_t)run)[kernel];
    if (sample)
      samples[count++] = sample;
  }
  return count ? pgopt_summarize_undisturbed(samples, count, &dropped).median_ns
               : -1;
}

static json_t *failure_object(const char *reason) {
  return json_pack("{s:s}", "failure", reason);
}

static json_t *kernel_list(const trial *t, char *const *failures) {
  json_t *list = json_array();
  int64_t *samples =
      pgopt_allocate((size_t)t->record->runs + 2, sizeof *samples);
  for (size_t k = 0; k < t->kernels; ++k) {
    size_t count = failures[k] ? 0 : collect(t, k, samples);
    json_t *one;
    if (count) {
      one = summary_object(samples, count);
      json_object_set_new(one, "samples_ns", sample_list(samples, count));
      if (t->options->is_paired)
        json_object_set_new(one, "paired_ns", paired_list(t, k));
      if (cold_median(t, k) >= 0)
        json_object_set_new(one, "cold_ns", json_integer(cold_median(t, k)));
    } else {
      one = failure_object(failures[k] ? failures[k]
                                       : "interrupted before it was measured");
    }
    json_array_append_new(list, one);
  }
  free(samples);
  return list;
}

static double median(double *values, size_t count) {
  for (size_t i = 1; i < count; ++i)
    for (size_t k = i; k && values[k - 1] > values[k]; --k) {
      double swap = values[k];
      values[k] = values[k - 1];
      values[k - 1] = swap;
    }
  return (values[(count - 1) / 2] + values[count / 2]) / 2;
}

/// How the runs with timers compare with the plain ones before them: pairs that
/// nothing disturbed, or all when there are none; null without runs.
static json_t *overhead(const trial *t, size_t runs) {
  enum { MOST = 1001 };
  double ratios[MOST];
  size_t count = 0;
  for (int calm = 1; calm >= 0 && !count && !t->plain_failure; --calm)
    for (size_t i = 0; i < runs && count < MOST; ++i)
      if (!calm || (t->plain_ns[i] > 0 && t->instrumented_ns[i] > 0))
        ratios[count++] =
            fabs((double)t->instrumented_ns[i]) / fabs((double)t->plain_ns[i]);
  return count ? json_real(median(ratios, count)) : json_null();
}

/// What a run with timers takes outside of its kernels.
static int64_t entry_ns(const trial *t, size_t runs) {
  int64_t *rest = pgopt_allocate(runs, sizeof *rest);
  size_t dropped;
  for (size_t run = 0; run < runs; ++run) {
    rest[run] = llabs(t->instrumented_ns[run]);
    for (size_t k = 0; k < t->kernels; ++k)
      rest[run] -= llabs(trial_row(t, run)[k]);
    if (rest[run] < 0)
      rest[run] = 0;
  }
  pgopt_summary summary = pgopt_summarize_undisturbed(rest, runs, &dropped);
  free(rest);
  return summary.median_ns;
}

/// Of the plain runs that nothing disturbed; 0 when there are none. The waits
/// of the others are not in their times any more.
static int64_t calm_median(const trial *t, const int64_t *values, size_t runs) {
  int64_t *calm = pgopt_allocate(runs, sizeof *calm);
  size_t count = 0;
  for (size_t i = 0; i < runs; ++i)
    if (t->plain_ns[i] > 0)
      calm[count++] = values[i];
  int64_t result = pgopt_summarize(calm, count).median_ns;
  free(calm);
  return result;
}

static void add_whole_runs(const trial *t, json_t *object) {
  size_t runs = (size_t)t->record->runs;
  const char *failure = t->plain_failure ? t->plain_failure
                        : runs           ? NULL
                                         : "interrupted before it was measured";
  json_object_set_new(object, "end_to_end",
                      failure ? failure_object(failure)
                              : summary_object(t->plain_ns, runs));
  json_object_set_new(object, "instrumented",
                      runs ? summary_object(t->instrumented_ns, runs)
                           : failure_object("interrupted before it was "
                                            "measured"));
  json_object_set_new(object, "overhead", overhead(t, runs));
  if (t->record->cold_runs)
    json_object_set_new(
        object, "cold",
        summary_object(t->cold_ns, (size_t)t->record->cold_runs));
  json_object_set_new(
      object, "rest",
      json_pack("{s:I, s:I, s:I, s:I}", "entry_ns",
                (json_int_t)(runs ? entry_ns(t, runs) : 0), "waits_ns",
                (json_int_t)(failure ? 0 : calm_median(t, t->waits_ns, runs)),
                "page_faults",
                (json_int_t)(failure
                                 ? 0
                                 : pgopt_summarize(t->faults, runs).median_ns),
                "page_fault_ns", (json_int_t)t->record->fault_ns));
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

static void add_machine(json_t *object) {
  double least_ns = 0, most_ns = 0;
  double peak = pgopt_rt_measure_peak_gflops(PEAK_BUDGET_MS);
  pgopt_rt_measure_latency(LATENCY_BUDGET_MS, &least_ns, &most_ns);
  char cpu[256];
  read_cpu_name(cpu, sizeof cpu);
  json_object_set_new(object, "peak_gflops", json_real(peak));
  json_object_set_new(object, "latency_ns",
                      json_pack("[f, f]", least_ns, most_ns));
  json_object_set_new(object, "cpu", json_string(cpu));
  json_object_set_new(object, "cores",
                      json_integer((json_int_t)pgopt_rt_cpu_count(1)));
  json_object_set_new(object, "blas", json_string(pgopt_rt_blas_name()));
}

bool print_trial(const trial *t, char *const *failures, bool is_interrupted) {
  json_t *object =
      json_pack("{s:i, s:b, s:o}", "format", 2, "interrupted",
                (int)is_interrupted, "kernels", kernel_list(t, failures));
  add_whole_runs(t, object);
  json_object_set_new(object, "timer_ns",
                      json_real((double)t->record->timer_ps / 1e3));
  add_machine(object);
  bool ok = !json_dumpf(object, stdout, JSON_REAL_PRECISION(9)) &&
            putchar('\n') != EOF && !fflush(stdout);
  json_decref(object);
  return ok;
}
