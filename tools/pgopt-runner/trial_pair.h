/// \file The trial run of two programs in turn.
#ifndef PGOPT_RUNNER_TRIAL_PAIR_H
#define PGOPT_RUNNER_TRIAL_PAIR_H

#include "tools/pgopt-runner/options.h"

/// Runs the file and the one of --compare, at any stages, in turn in a child,
/// for --budget-ms and at least PGOPT_PAIRED_RUNS times each, measures the
/// distance between cores before and after that, and prints all that as JSON
/// (docs/profile-report.md).
/// \returns an exit code.
int run_pair_trial(const runner_options *options);

#endif // PGOPT_RUNNER_TRIAL_PAIR_H
