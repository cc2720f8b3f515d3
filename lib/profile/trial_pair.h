/// \file The trial run of two programs in turn: which one is faster.
#ifndef PGOPT_PROFILE_TRIAL_PAIR_H
#define PGOPT_PROFILE_TRIAL_PAIR_H

#include "base/statistics.h"
#include "profile/trial.h"

typedef struct pgopt_trial_pair {
  pgopt_summary first, second; ///< of all runs
  pgopt_pairing pairing;       ///< a: the first one
  int64_t runs;                ///< of each
  /// Of a signal between two cores: smallest and largest, before the runs and
  /// after them; 0 with one CPU.
  double before_ns[2], after_ns[2];
  char failure[128]; ///< why there are no more runs, or ""
  bool is_interrupted;
} pgopt_trial_pair;

/// Runs the two programs of the request in turn, see pgopt_trial_run.
/// \returns as that does.
pgopt_status pgopt_trial_pair_run(const pgopt_trial_request *request,
                                  pgopt_trial_pair *pair, pgopt_error *error);

/// Reads a child's answer; it may be anything.
pgopt_status pgopt_trial_pair_read(const char *json, size_t size,
                                   pgopt_trial_pair *pair, pgopt_error *error);

#endif // PGOPT_PROFILE_TRIAL_PAIR_H
