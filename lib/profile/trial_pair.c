/// \file Reads what a child that ran two programs says.
#include "profile/trial_pair.h"

#include <inttypes.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>

static pgopt_status complain(pgopt_error *error, const char *name) {
  return pgopt_fail(error, PGOPT_INVALID,
                    "the trial run's answer has no good '%s'; runner and "
                    "library differ in version",
                    name);
}

static pgopt_status read_samples(const json_t *root, const char *name,
                                 size_t count, int64_t *samples,
                                 pgopt_error *error) {
  const json_t *list = json_object_get(root, name);
  for (size_t i = 0; i < count; ++i) {
    const json_t *value = json_array_get(list, i);
    if (!json_is_integer(value) || json_integer_value(value) < 1)
      return complain(error, name);
    samples[i] = json_integer_value(value);
  }
  return PGOPT_OK;
}

static pgopt_status read_latencies(const json_t *root, const char *name,
                                   double *ns, pgopt_error *error) {
  const json_t *list = json_object_get(root, name);
  for (size_t i = 0; i < 2; ++i) {
    const json_t *value = json_array_get(list, i);
    if (!json_is_number(value) || json_number_value(value) < 0)
      return complain(error, name);
    ns[i] = json_number_value(value);
  }
  return PGOPT_OK;
}

static pgopt_status read_pairs(const json_t *root, pgopt_trial_pair *pair,
                               pgopt_error *error) {
  size_t count = json_array_size(json_object_get(root, "first_ns"));
  if (count != json_array_size(json_object_get(root, "second_ns")))
    return complain(error, "second_ns");
  int64_t *first = pgopt_allocate(count, sizeof *first);
  int64_t *second = pgopt_allocate(count, sizeof *second);
  pgopt_status status = read_samples(root, "first_ns", count, first, error);
  if (!status)
    status = read_samples(root, "second_ns", count, second, error);
  if (!status) {
    pair->first = pgopt_summarize(first, count);
    pair->second = pgopt_summarize(second, count);
    pair->pairing = pgopt_pair_times(first, second, count);
    pair->runs = (int64_t)count;
  }
  free(first);
  free(second);
  return status;
}

static pgopt_status read_all(const json_t *root, pgopt_trial_pair *pair,
                             pgopt_error *error) {
  const json_t *format = json_object_get(root, "format");
  if (!json_is_integer(format) || json_integer_value(format) != 1)
    return complain(error, "format");
  const char *failure = json_string_value(json_object_get(root, "failure"));
  snprintf(pair->failure, sizeof pair->failure, "%s", failure ? failure : "");
  pair->is_interrupted = json_is_true(json_object_get(root, "interrupted"));
  pgopt_status status = read_pairs(root, pair, error);
  if (!status)
    status = read_latencies(root, "latency_before_ns", pair->before_ns, error);
  if (!status)
    status = read_latencies(root, "latency_after_ns", pair->after_ns, error);
  return status;
}

pgopt_status pgopt_trial_pair_read(const char *json, size_t size,
                                   pgopt_trial_pair *pair, pgopt_error *error) {
  *pair = (pgopt_trial_pair){0};
  json_error_t defect;
  json_t *root = json_loadb(json, size, 0, &defect);
  if (!root)
    return pgopt_fail(error, PGOPT_INVALID,
                      "the trial run's answer is not JSON: %s (line %d)",
                      defect.text, defect.line);
  pgopt_status status = read_all(root, pair, error);
  json_decref(root);
  if (status)
    *pair = (pgopt_trial_pair){0};
  return status;
}

pgopt_status pgopt_trial_pair_run(const pgopt_trial_request *request,
                                  pgopt_trial_pair *pair, pgopt_error *error) {
  pgopt_text answer = {0};
  bool is_interrupted;
  *pair = (pgopt_trial_pair){0};
  pgopt_status status =
      pgopt_trial_answer(request, &answer, &is_interrupted, error);
  if (!status)
    status = pgopt_trial_pair_read(pgopt_text_get(&answer), answer.size, pair,
                                   error);
  pair->is_interrupted |= !status && is_interrupted;
  pgopt_text_free(&answer);
  return status;
}
