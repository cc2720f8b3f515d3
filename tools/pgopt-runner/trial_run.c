/// \file The trial run: children run the programs, this process watches them.
/// When a kernel ends its child, another child runs the network with a stand-in
/// for that kernel.
#include "tools/pgopt-runner/trial_run.h"

#include "base/checked_math.h"
#include "base/memory.h"
#include "base/text.h"
#include "profile/contained.h"
#include "tools/pgopt-runner/run.h"
#include "tools/pgopt-runner/terminal.h"
#include "tools/pgopt-runner/trial_child.h"
#include "tools/pgopt-runner/trial_report.h"

#include <inttypes.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum {
  MAX_RUNS = 10000,
  MAX_PAIRED_RUNS = 301,
  MAX_SAMPLES = 1 << 23, ///< of all kernels together, 64 MiB
  MAX_FAILURES = 64,     ///< kernels that are left out one after another
  MERCY_MS = 2000,       ///< after an interrupt, for the run in progress
};

/// What this process knows beside the record.
typedef struct overseer {
  trial trial;
  input_set inputs;
  bool *is_left_out;
  char **failures; ///< one a kernel call, null for none; owned
  char *plain_failure;
  int64_t memory_bytes;   ///< for the programs, once the inputs are there
  int64_t interrupted_ns; ///< when, or 0
  bool is_too_long;       ///< the child was ended for that
} overseer;

static int64_t load(const int64_t *place) {
  return __atomic_load_n(place, __ATOMIC_ACQUIRE);
}

/// True when the run in progress has taken too long. The plain program has no
/// timers: it may take far longer than one kernel.
static bool is_too_long(const trial *t) {
  const trial_record *r = t->record;
  int64_t limit_ns = t->options->kernel_limit_ms * 1000000;
  int64_t now_ns = pgopt_rt_now_ns();
  switch (load(&r->phase)) {
  case PHASE_INSTRUMENTED:
    return load(&r->watch.kernel) < r->watch.kernels &&
           now_ns - load(&r->watch.since_ns) > limit_ns;
  case PHASE_PLAIN:
    return now_ns - load(&r->phase_since_ns) >
           limit_ns + 10 * load(&r->longest_ns);
  default:
    return false;
  }
}

/// True when the answer goes to somebody who has gone.
static bool is_abandoned(void) {
  struct pollfd end = {STDOUT_FILENO, 0, 0};
  return poll(&end, 1, 0) > 0 && end.revents & POLLERR;
}

static bool keeps_going(void *data) {
  overseer *o = data;
  trial_record *r = o->trial.record;
  if (is_abandoned())
    _exit(EXIT_DIFFERENT); // and the child with it
  progress("trial run: %" PRId64 " runs", load(&r->runs));
  if (is_interrupted() && !o->interrupted_ns) {
    o->interrupted_ns = pgopt_rt_now_ns();
    __atomic_store_n(&r->stops, 1, __ATOMIC_RELEASE);
  }
  if (o->interrupted_ns)
    return pgopt_rt_now_ns() - o->interrupted_ns < (int64_t)MERCY_MS * 1000000;
  o->is_too_long = is_too_long(&o->trial);
  return !o->is_too_long;
}

static void run_child(void *data) {
  run_trial_child(&((overseer *)data)->trial);
}

/// Maps the record and the arrays that the child fills.
static bool allocate(trial *t) {
  t->kernels = t->instrumented.call_count;
  t->most = t->kernels ? MAX_SAMPLES / t->kernels : MAX_RUNS;
  size_t limit = t->options->is_paired ? MAX_PAIRED_RUNS : MAX_RUNS;
  t->most = t->most > limit ? limit : t->most ? t->most : 1;
  size_t numbers = 4 * t->most + TRIAL_COLD_RUNS +
                   (t->most + 1 + TRIAL_COLD_RUNS) * t->kernels;
  t->memory_bytes = sizeof *t->record + numbers * sizeof(int64_t);
  t->memory = pgopt_shared_allocate(t->memory_bytes);
  if (!t->memory) {
    complain("no memory for the trial run's samples");
    return false;
  }
  t->record = t->memory;
  t->plain_ns = (int64_t *)(t->record + 1);
  t->instrumented_ns = t->plain_ns + t->most;
  t->waits_ns = t->instrumented_ns + t->most;
  t->faults = t->waits_ns + t->most;
  t->cold_ns = t->faults + t->most;
  t->samples = t->cold_ns + TRIAL_COLD_RUNS;
  t->record->watch.kernels = (int64_t)t->kernels;
  return true;
}

static double megabytes(int64_t bytes) { return (double)bytes / 1e6; }

/// A program with the arguments of the one that is measured.
static const loaded_program *any_program(const trial *t) {
  return t->plain.program ? &t->plain : &t->instrumented;
}

/// Refuses a trial run that needs more memory than there is.
static bool check_memory(overseer *o) {
  const trial *t = &o->trial;
  const runner_options *options = t->options;
  int64_t needed = 0, bytes = 0;
  bool fits = true;
  pgopt_program *program = any_program(t)->program;
  for (size_t i = 0; i < pgopt_program_argument_count(program); ++i)
    fits = fits &&
           pgopt_checked_add(
               needed, pgopt_program_argument(program, i)->type.bytes, &needed);
  fits = fits && pgopt_checked_add(needed, t->plain.storage_bytes, &needed) &&
         pgopt_checked_add(needed, t->instrumented.storage_bytes, &needed);
  if (!fits)
    needed = INT64_MAX;
  bytes = pgopt_free_memory("");
  bool has_limit = options->memory_limit && options->memory_limit < bytes;
  if (has_limit)
    bytes = options->memory_limit;
  o->memory_bytes = bytes == INT64_MAX ? 0 : bytes;
  if (needed <= bytes)
    return true;
  complain("the trial run needs %.1f MB of memory, but %.1f MB are %s; "
           "mode=static profiles a network without running it",
           megabytes(needed), megabytes(bytes),
           has_limit ? "allowed by the limit" : "free");
  return false;
}

/// Loads the program with timers, without the kernels that are left out.
static bool load_instrumented(overseer *o) {
  trial *t = &o->trial;
  const load_request request = {.only_calls = true,
                                .is_instrumented = true,
                                .left_out = o->is_left_out,
                                .left_out_count = t->kernels};
  unload_program(&t->instrumented);
  return load_program(t->options, t->options->file, &request, &t->instrumented);
}

static void describe_ending(const overseer *o, pgopt_ending ending, int number,
                            pgopt_text *reason) {
  const char *last_words = o->trial.record->watch.last_words;
  const char *name = sigabbrev_np(number);
  if (ending == PGOPT_ENDED_BY_CALLER)
    pgopt_text_append(reason, "ran longer than %g s",
                      (double)o->trial.options->kernel_limit_ms / 1e3);
  else if (*last_words)
    pgopt_text_append(reason, "%s", last_words);
  else if (number == SIGKILL)
    pgopt_text_append(reason, "killed by SIGKILL; the system does that when "
                              "memory runs out");
  else if (number)
    pgopt_text_append(reason, "trapped: SIG%s", name ? name : "?");
  else
    pgopt_text_append(reason, "left the process");
}

/// Notes whose fault it was that the child ended.
/// \returns false after a message when nothing can be left out for that.
static bool blame(overseer *o, pgopt_ending ending, int number) {
  trial *t = &o->trial;
  trial_record *r = t->record;
  pgopt_text reason = {0};
  describe_ending(o, ending, number, &reason);
  bool known = false;
  if (r->phase == PHASE_INSTRUMENTED && r->watch.kernel >= 0 &&
      r->watch.kernel < r->watch.kernels) {
    size_t kernel = (size_t)r->watch.kernel;
    known = !o->is_left_out[kernel];
    if (known) {
      o->is_left_out[kernel] = true;
      o->failures[kernel] = pgopt_duplicate_text(reason.data);
      pgopt_text why = {0};
      pgopt_text_append(&why, "%s: %s", t->instrumented.calls[kernel].name,
                        reason.data);
      if (!o->plain_failure)
        o->plain_failure = pgopt_duplicate_text(why.data);
      pgopt_text_free(&why);
      known = load_instrumented(o);
      if (known)
        bind_inputs(&t->instrumented, &o->inputs);
    }
  } else if (r->phase == PHASE_PLAIN) {
    known = !o->plain_failure;
    if (known)
      o->plain_failure = pgopt_duplicate_text(reason.data);
  }
  t->plain_failure = o->plain_failure;
  if (!known)
    complain("the trial run failed outside of its kernels: %s", reason.data);
  pgopt_text_free(&reason);
  return known;
}

/// Takes off the budget what was measured until now, and clears what a child
/// has left behind.
static void prepare_child(overseer *o) {
  trial *t = &o->trial;
  trial_record *r = t->record;
  t->budget_ns = t->options->budget_ms * 1000000;
  for (int64_t run = 0; run < r->runs; ++run)
    t->budget_ns -= llabs(t->plain_ns[run]) + llabs(t->instrumented_ns[run]);
  if ((size_t)r->runs < t->most)
    memset(trial_row(t, (size_t)r->runs), 0, t->kernels * sizeof(int64_t));
  r->phase = PHASE_OTHER;
  r->watch.last_words[0] = 0;
  r->cold_runs = 0;
  o->is_too_long = false;
}

/// Runs children until one has done its work, or the user has enough.
static bool measure(overseer *o) {
  for (int failures = 0; failures <= MAX_FAILURES; ++failures) {
    prepare_child(o);
    const pgopt_contained contained = {run_child, keeps_going, o,
                                       o->memory_bytes};
    pgopt_ending ending;
    int number;
    pgopt_error error;
    if (pgopt_contain(&contained, &ending, &number, &error)) {
      complain("%s", error.message);
      return false;
    }
    progress(NULL);
    if (ending == PGOPT_ENDED_WELL || o->interrupted_ns)
      return true;
    if (!blame(o, ending, number))
      return false;
  }
  complain("more than %d kernels failed, one after another", MAX_FAILURES);
  return false;
}

static int run(overseer *o) {
  trial *t = &o->trial;
  const runner_options *options = t->options;
  load_request plain = {.only_calls = true};
  if (options->blas_threads)
    pgopt_rt_set_blas_threads(options->blas_threads);
  if (options->is_paired)
    o->plain_failure = pgopt_duplicate_text("not run");
  t->plain_failure = o->plain_failure;
  if ((!options->is_paired &&
       !load_program(options, options->file, &plain, &t->plain)) ||
      !load_instrumented(o) || !allocate(t) || !check_memory(o) ||
      !make_inputs(options, any_program(t), NULL, &o->inputs))
    return EXIT_DIFFERENT;
  o->is_left_out = pgopt_allocate(t->kernels, sizeof *o->is_left_out);
  o->failures = pgopt_allocate(t->kernels, sizeof *o->failures);
  if (!options->is_paired)
    bind_inputs(&t->plain, &o->inputs);
  bind_inputs(&t->instrumented, &o->inputs);
  defer_interrupts();
  if (!measure(o))
    return EXIT_DIFFERENT;
  if (!print_trial(t, o->failures, o->interrupted_ns != 0)) {
    complain("cannot write to the standard output");
    return EXIT_DIFFERENT;
  }
  return o->interrupted_ns ? EXIT_INTERRUPTED : 0;
}

int run_trial(const runner_options *options) {
  overseer o = {.trial = {.options = options}};
  int code = run(&o);
  for (size_t k = 0; k < o.trial.kernels && o.failures; ++k)
    free(o.failures[k]);
  free(o.failures);
  free(o.is_left_out);
  free(o.plain_failure);
  free_inputs(&o.inputs);
  unload_program(&o.trial.plain);
  unload_program(&o.trial.instrumented);
  pgopt_shared_free(o.trial.memory, o.trial.memory_bytes);
  resume_interrupts();
  return code;
}
