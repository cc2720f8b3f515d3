/// \file What the child of a trial run does, and where it leaves what it finds.
#ifndef PGOPT_RUNNER_TRIAL_CHILD_H
#define PGOPT_RUNNER_TRIAL_CHILD_H

#include "pgopt/runtime.h"
#include "tools/pgopt-runner/load.h"

enum { TRIAL_COLD_RUNS = 5 };

typedef enum trial_phase {
  PHASE_OTHER,
  PHASE_PLAIN,        ///< a run of the program without timers
  PHASE_INSTRUMENTED, ///< a run of the one with them
} trial_phase;

/// Shared with the child, beside the arrays of `trial`.
typedef struct trial_record {
  pgopt_rt_watch watch;
  int64_t stops; ///< set by the caller: the child shall come to an end
  int64_t phase, phase_since_ns;
  int64_t longest_ns; ///< of the runs with timers
  int64_t runs;       ///< that are whole
  int64_t cold_runs;
  int64_t timer_ps; ///< cost of one mark, 10^-12 s
  int64_t fault_ns; ///< cost of one page fault
} trial_record;

/// A trial run. The arrays are shared with the child; times are nanoseconds;
/// where the thread lost its CPU, minus the CPU time.
typedef struct trial {
  const runner_options *options;
  loaded_program plain, instrumented;
  size_t kernels, most; ///< kernel calls; runs that there is room for
  void *memory;         ///< of record and arrays
  size_t memory_bytes;
  trial_record *record;
  int64_t *plain_ns, *instrumented_ns; ///< one a run
  int64_t *waits_ns;                   ///< of a plain run: time without a CPU
  int64_t *faults;                     ///< page faults of a plain run
  /// One a run and kernel, row by row; 0: not reached. Behind the last run a
  /// row for the warm-up, then one a cold run.
  int64_t *samples;
  int64_t *cold_ns;          ///< one a cold run
  const char *plain_failure; ///< why the program without timers is not run
  int64_t budget_ns;         ///< of this child
} trial;

/// Row of the warm-up, and of cold run `run`.
int64_t *trial_row(const trial *t, size_t run);

/// Warms up, runs both programs in turn until the budget is used up, once at
/// least, runs with cold data, and measures what a mark costs. `data` is a
/// trial.
void run_trial_child(void *data);

#endif // PGOPT_RUNNER_TRIAL_CHILD_H
