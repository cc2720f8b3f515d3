/// \file A child runs both programs, this process watches it. Wall-clock time
/// counts: a program on several cores waits without using a CPU.
#include "tools/pgopt-runner/trial_pair.h"

#include "base/text.h"
#include "pgopt/runtime.h"
#include "profile/contained.h"
#include "profile/trial.h"
#include "tools/pgopt-runner/bench.h"
#include "tools/pgopt-runner/compare_runs.h"
#include "tools/pgopt-runner/run.h"
#include "tools/pgopt-runner/terminal.h"

#include <inttypes.h>
#include <jansson.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
  MOST_RUNS = 301,
  WARMUP_RUNS = 2,
  LATENCY_BUDGET_MS = 15,
  MERCY_MS = 2000, ///< after an interrupt, for the run in progress
};

/// Shared with the child.
typedef struct pair_record {
  int64_t stops;            ///< the child shall come to an end
  int64_t since_ns;         ///< when the run in progress began
  int64_t runs;             ///< of both, that are whole
  int64_t ns[2][MOST_RUNS]; ///< of the file, of the other one
} pair_record;

typedef struct pair_trial {
  const runner_options *options;
  loaded_program programs[2];
  input_set inputs[2];
  pair_record *record;
  int64_t interrupted_ns; ///< when, or 0
  double before_ns[2], after_ns[2];
} pair_trial;

static int64_t load(const int64_t *place) {
  return __atomic_load_n(place, __ATOMIC_ACQUIRE);
}

// NOLINTNEXTLINE(readability-non-const-parameter): it is written
static void store(int64_t *place, int64_t value) {
  __atomic_store_n(place, value, __ATOMIC_RELEASE);
}

static int64_t time_one(pair_trial *t, int which) {
  store(&t->record->since_ns, pgopt_rt_now_ns());
  int64_t time_ns = time_run(&t->programs[which]);
  return time_ns > 0 ? time_ns : 1;
}

static void run_child(void *data) {
  pair_trial *t = data;
  pair_record *r = t->record;
  for (int i = 0; i < WARMUP_RUNS && !load(&r->stops); ++i)
    for (int which = 0; which < 2; ++which)
      time_one(t, which);
  int64_t end = pgopt_rt_now_ns() + t->options->budget_ms * 1000000;
  while (r->runs < MOST_RUNS && !load(&r->stops) &&
         (r->runs < PGOPT_PAIRED_RUNS || pgopt_rt_now_ns() < end)) {
    // Who goes first changes, in case that matters.
    int first = (int)(r->runs % 2);
    r->ns[first][r->runs] = time_one(t, first);
    r->ns[!first][r->runs] = time_one(t, !first);
    store(&r->runs, r->runs + 1);
  }
}

static bool keeps_going(void *data) {
  pair_trial *t = data;
  int64_t now_ns = pgopt_rt_now_ns(), since_ns = load(&t->record->since_ns);
  progress("trial run: %" PRId64 " pairs of runs", load(&t->record->runs));
  if (is_interrupted() && !t->interrupted_ns) {
    t->interrupted_ns = now_ns;
    store(&t->record->stops, 1);
  }
  if (t->interrupted_ns)
    return now_ns - t->interrupted_ns < (int64_t)MERCY_MS * 1000000;
  return !since_ns || now_ns - since_ns < t->options->kernel_limit_ms * 1000000;
}

static bool load_both(pair_trial *t) {
  const runner_options *options = t->options;
  const load_request request = {0};
  if (options->blas_threads)
    pgopt_rt_set_blas_threads(options->blas_threads);
  if (!load_program(options, options->file, &request, &t->programs[0]) ||
      !load_program(options, options->compare, &request, &t->programs[1]) ||
      !make_inputs(options, &t->programs[0], NULL, &t->inputs[0]) ||
      copy_inputs(&t->programs[0], &t->inputs[0], &t->programs[1],
                  &t->inputs[1]))
    return false;
  for (int which = 0; which < 2; ++which)
    bind_inputs(&t->programs[which], &t->inputs[which]);
  t->record = pgopt_shared_allocate(sizeof *t->record);
  if (!t->record)
    complain("no memory for the trial run's samples");
  return t->record != NULL;
}

static void describe_ending(const pair_trial *t, pgopt_ending ending,
                            int number, pgopt_text *reason) {
  const char *name = sigabbrev_np(number);
  if (ending == PGOPT_ENDED_BY_CALLER)
    pgopt_text_append(reason, "a run took longer than %g s",
                      (double)t->options->kernel_limit_ms / 1e3);
  else if (number)
    pgopt_text_append(reason, "a run ended by SIG%s", name ? name : "?");
  else
    pgopt_text_append(reason, "a run left the process");
}

static json_t *sample_list(const pair_trial *t, int which) {
  json_t *list = json_array();
  for (int64_t i = 0; i < t->record->runs; ++i)
    json_array_append_new(list, json_integer(t->record->ns[which][i]));
  return list;
}

static bool print_pairs(const pair_trial *t, const pgopt_text *failure) {
  json_t *object = json_pack(
      "{s:i, s:b, s:[f, f], s:[f, f], s:o, s:o}", "format", 1, "interrupted",
      (int)(t->interrupted_ns != 0), "latency_before_ns", t->before_ns[0],
      t->before_ns[1], "latency_after_ns", t->after_ns[0], t->after_ns[1],
      "first_ns", sample_list(t, 0), "second_ns", sample_list(t, 1));
  if (failure->size)
    json_object_set_new(object, "failure", json_string(failure->data));
  bool ok = !json_dumpf(object, stdout, JSON_REAL_PRECISION(9)) &&
            putchar('\n') != EOF && !fflush(stdout);
  json_decref(object);
  if (!ok)
    complain("cannot write to the standard output");
  return ok;
}

static int run(pair_trial *t) {
  if (!load_both(t))
    return EXIT_DIFFERENT;
  defer_interrupts();
  const pgopt_contained contained = {run_child, keeps_going, t,
                                     t->options->memory_limit};
  pgopt_ending ending;
  int number;
  pgopt_error error;
  pgopt_text failure = {0};
  pgopt_rt_measure_latency(LATENCY_BUDGET_MS, &t->before_ns[0],
                           &t->before_ns[1]);
  pgopt_status status = pgopt_contain(&contained, &ending, &number, &error);
  pgopt_rt_measure_latency(LATENCY_BUDGET_MS, &t->after_ns[0], &t->after_ns[1]);
  progress(NULL);
  if (status != PGOPT_OK) {
    complain("%s", error.message);
    return EXIT_DIFFERENT;
  }
  if (ending != PGOPT_ENDED_WELL && !t->interrupted_ns)
    describe_ending(t, ending, number, &failure);
  bool ok = print_pairs(t, &failure);
  pgopt_text_free(&failure);
  return !ok ? EXIT_DIFFERENT : t->interrupted_ns ? EXIT_INTERRUPTED : 0;
}

int run_pair_trial(const runner_options *options) {
  pair_trial t = {.options = options};
  int code = run(&t);
  for (int which = 0; which < 2; ++which) {
    free_inputs(&t.inputs[which]);
    unload_program(&t.programs[which]);
  }
  pgopt_shared_free(t.record, sizeof *t.record);
  resume_interrupts();
  return code;
}
