/// \file Reads the JSON that a trial run prints. Nothing in it is trusted.
#include "profile/trial.h"

#include <jansson.h>
#include <stdbool.h>
#include <string.h>

/// No time or speed is larger; what is compares false with everything.
static const double LARGEST = 1e15;

typedef struct reader {
  pgopt_trial *trial;
  pgopt_error *error;
  bool failed;
} reader;

static void complain(reader *r, const char *what, const char *member) {
  if (!r->failed)
    pgopt_fail(r->error, PGOPT_INVALID,
               "the trial run's answer has no valid '%s': it needs %s", member,
               what);
  r->failed = true;
}

static int64_t read_integer(reader *r, const json_t *object, const char *member,
                            int64_t least) {
  const json_t *value = json_object_get(object, member);
  if (!json_is_integer(value) || json_integer_value(value) < least) {
    complain(r, least ? "an integer above 0" : "an integer of at least 0",
             member);
    return least;
  }
  return json_integer_value(value);
}

static double check_number(reader *r, const json_t *value, const char *member) {
  if (!json_is_number(value) || !(json_number_value(value) >= 0) ||
      json_number_value(value) > LARGEST) {
    complain(r, "a number from 0 to 1e15", member);
    return 0;
  }
  return json_number_value(value);
}

static const char *read_text(reader *r, const json_t *object,
                             const char *member) {
  const json_t *value = json_object_get(object, member);
  if (!json_is_string(value)) {
    complain(r, "a text", member);
    return "";
  }
  return pgopt_arena_text(&r->trial->arena, json_string_value(value),
                          json_string_length(value));
}

static pgopt_measured read_measured(reader *r, const json_t *object,
                                    const char *member) {
  if (!json_is_object(object)) {
    complain(r, "median_ns, min_ns, mad_ns and runs", member);
    return (pgopt_measured){0};
  }
  return (pgopt_measured){.median_ns = read_integer(r, object, "median_ns", 0),
                          .min_ns = read_integer(r, object, "min_ns", 0),
                          .mad_ns = read_integer(r, object, "mad_ns", 0),
                          .runs = read_integer(r, object, "runs", 1)};
}

/// The reason that stands in the place of times; null when there is none.
static const char *read_failure(reader *r, const json_t *object) {
  return json_object_get(object, "failure") ? read_text(r, object, "failure")
                                            : NULL;
}

static pgopt_trial_runs read_runs(reader *r, const json_t *root,
                                  const char *member) {
  const json_t *object = json_object_get(root, member);
  pgopt_trial_runs runs = {.failure = read_failure(r, object)};
  if (runs.failure)
    return runs;
  runs.time = read_measured(r, object, member);
  runs.dropped = read_integer(r, object, "dropped", 0);
  return runs;
}

/// What lies between two readings of the clock is the kernel and one timer.
static int64_t without_timer(const pgopt_trial *trial, int64_t time_ns) {
  int64_t timer_ns = (int64_t)(trial->timer_ns + 0.5);
  return time_ns > timer_ns ? time_ns - timer_ns : 0;
}

static void read_samples(reader *r, const json_t *object,
                         pgopt_trial_kernel *kernel) {
  const json_t *list = json_object_get(object, "samples_ns");
  if (!json_is_array(list)) {
    complain(r, "an array", "samples_ns");
    return;
  }
  kernel->sample_count = json_array_size(list);
  int64_t *samples = pgopt_arena_allocate(
      &r->trial->arena, kernel->sample_count, sizeof *samples);
  for (size_t i = 0; i < kernel->sample_count && !r->failed; ++i) {
    const json_t *value = json_array_get(list, i);
    if (!json_is_integer(value) || json_integer_value(value) < 0)
      complain(r, "integers of at least 0", "samples_ns");
    samples[i] = without_timer(r->trial, json_integer_value(value));
  }
  kernel->samples = samples;
}

/// One number a run; 0 and below stay what they are.
static void read_paired(reader *r, const json_t *object,
                        pgopt_trial_kernel *kernel) {
  const json_t *list = json_object_get(object, "paired_ns");
  kernel->paired_count = json_array_size(list);
  int64_t *samples = pgopt_arena_allocate(
      &r->trial->arena, kernel->paired_count, sizeof *samples);
  for (size_t i = 0; i < kernel->paired_count && !r->failed; ++i) {
    const json_t *value = json_array_get(list, i);
    if (!json_is_integer(value))
      complain(r, "integers", "paired_ns");
    samples[i] = json_integer_value(value);
    if (samples[i] == -1) // all of it was lost: nothing is known
      samples[i] = 0;
    if (samples[i] > 0)
      samples[i] = without_timer(r->trial, samples[i]);
  }
  kernel->paired = samples;
}

static pgopt_trial_kernel read_kernel(reader *r, const json_t *object) {
  pgopt_trial_kernel kernel = {.cold_ns = -1,
                               .failure = read_failure(r, object)};
  if (kernel.failure)
    return kernel;
  kernel.time = read_measured(r, object, "kernels");
  kernel.time.median_ns = without_timer(r->trial, kernel.time.median_ns);
  kernel.time.min_ns = without_timer(r->trial, kernel.time.min_ns);
  kernel.dropped = read_integer(r, object, "dropped", 0);
  if (json_object_get(object, "cold_ns"))
    kernel.cold_ns =
        without_timer(r->trial, read_integer(r, object, "cold_ns", 0));
  read_samples(r, object, &kernel);
  read_paired(r, object, &kernel);
  return kernel;
}

static void read_kernels(reader *r, const json_t *root) {
  const json_t *list = json_object_get(root, "kernels");
  if (!json_is_array(list)) {
    complain(r, "an array", "kernels");
    return;
  }
  size_t count = json_array_size(list);
  pgopt_trial_kernel *kernels =
      pgopt_arena_allocate(&r->trial->arena, count, sizeof *kernels);
  for (size_t i = 0; i < count && !r->failed; ++i)
    kernels[i] = read_kernel(r, json_array_get(list, i));
  r->trial->kernels = kernels;
  r->trial->kernel_count = count;
}

static void read_rest(reader *r, const json_t *rest) {
  pgopt_trial *trial = r->trial;
  trial->entry_ns = read_integer(r, rest, "entry_ns", 0);
  trial->waits_ns = read_integer(r, rest, "waits_ns", 0);
  trial->page_faults = read_integer(r, rest, "page_faults", 0);
  trial->page_fault_ns = read_integer(r, rest, "page_fault_ns", 0);
}

static void read_all(reader *r, const json_t *root) {
  pgopt_trial *trial = r->trial;
  const json_t *format = json_object_get(root, "format");
  if (!json_is_integer(format) || json_integer_value(format) != 2) {
    complain(r, "the value 2; runner and library differ in version", "format");
    return;
  }
  trial->is_interrupted = json_is_true(json_object_get(root, "interrupted"));
  trial->timer_ns =
      check_number(r, json_object_get(root, "timer_ns"), "timer_ns");
  read_kernels(r, root);
  trial->end_to_end = read_runs(r, root, "end_to_end");
  trial->instrumented = read_runs(r, root, "instrumented");
  trial->cold.failure = "not measured";
  if (json_object_get(root, "cold"))
    trial->cold = read_runs(r, root, "cold");
  const json_t *overhead = json_object_get(root, "overhead");
  if (!json_is_null(overhead))
    trial->overhead = check_number(r, overhead, "overhead");
  read_rest(r, json_object_get(root, "rest"));
  trial->peak_gflops =
      check_number(r, json_object_get(root, "peak_gflops"), "peak_gflops");
  const json_t *latency = json_object_get(root, "latency_ns");
  if (json_array_size(latency) != 2)
    complain(r, "two numbers", "latency_ns");
  trial->latency_min_ns =
      check_number(r, json_array_get(latency, 0), "latency_ns");
  trial->latency_max_ns =
      check_number(r, json_array_get(latency, 1), "latency_ns");
  trial->cpu = read_text(r, root, "cpu");
  trial->blas = read_text(r, root, "blas");
  trial->cores = read_integer(r, root, "cores", 1);
}

pgopt_status pgopt_trial_read(const char *json, size_t size, pgopt_trial *trial,
                              pgopt_error *error) {
  *trial = (pgopt_trial){0};
  json_error_t defect;
  json_t *root = json_loadb(json, size, 0, &defect);
  if (!root)
    return pgopt_fail(error, PGOPT_INVALID,
                      "the trial run's answer is not JSON: %s (line %d)",
                      defect.text, defect.line);
  reader r = {trial, error, false};
  read_all(&r, root);
  json_decref(root);
  if (!r.failed)
    return PGOPT_OK;
  pgopt_trial_free(trial);
  return PGOPT_INVALID;
}

void pgopt_trial_free(pgopt_trial *trial) {
  pgopt_arena_free(&trial->arena);
  *trial = (pgopt_trial){0};
}
