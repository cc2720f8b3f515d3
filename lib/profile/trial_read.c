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

static void read_kernels(reader *r, const json_t *root) {
  const json_t *list = json_object_get(root, "kernels");
  if (!json_is_array(list)) {
    complain(r, "an array", "kernels");
    return;
  }
  size_t count = json_array_size(list);
  pgopt_measured *kernels =
      pgopt_arena_allocate(&r->trial->arena, count, sizeof *kernels);
  for (size_t i = 0; i < count && !r->failed; ++i)
    kernels[i] = read_measured(r, json_array_get(list, i), "kernels");
  r->trial->kernels = kernels;
  r->trial->kernel_count = count;
}

static void read_all(reader *r, const json_t *root) {
  pgopt_trial *trial = r->trial;
  const json_t *format = json_object_get(root, "format");
  if (!json_is_integer(format) || json_integer_value(format) != 1) {
    complain(r, "the value 1; runner and library differ in version", "format");
    return;
  }
  read_kernels(r, root);
  trial->end_to_end =
      read_measured(r, json_object_get(root, "end_to_end"), "end_to_end");
  trial->instrumented =
      read_measured(r, json_object_get(root, "instrumented"), "instrumented");
  trial->timer_ns =
      check_number(r, json_object_get(root, "timer_ns"), "timer_ns");
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

/// Takes the timer out of a kernel's time: what lies between two readings of
/// the clock is the kernel and one whole timer.
static void take_timer_out(pgopt_measured *kernel, int64_t timer_ns) {
  kernel->median_ns =
      kernel->median_ns > timer_ns ? kernel->median_ns - timer_ns : 0;
  kernel->min_ns = kernel->min_ns > timer_ns ? kernel->min_ns - timer_ns : 0;
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
  if (!r.failed) {
    for (size_t i = 0; i < trial->kernel_count; ++i)
      take_timer_out((pgopt_measured *)&trial->kernels[i],
                     (int64_t)(trial->timer_ns + 0.5));
    return PGOPT_OK;
  }
  pgopt_trial_free(trial);
  return PGOPT_INVALID;
}

void pgopt_trial_free(pgopt_trial *trial) {
  pgopt_arena_free(&trial->arena);
  *trial = (pgopt_trial){0};
}
