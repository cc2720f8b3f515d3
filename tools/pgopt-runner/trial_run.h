/// \file The trial run: times of every kernel call of a network, in place.
#ifndef PGOPT_RUNNER_TRIAL_RUN_H
#define PGOPT_RUNNER_TRIAL_RUN_H

#include "tools/pgopt-runner/options.h"

/// Measures --trial's file, which is at the stage of sequential kernel calls,
/// for --budget-ms, and prints one JSON object on stdout;
/// docs/profile-report.md describes it. The runs happen in a child: a kernel
/// that traps, runs longer than --kernel-limit or asks for more memory than
/// --memory-limit is left out, and the others are measured without it. SIGINT
/// ends it early, with what was measured. \returns 0, EXIT_INTERRUPTED, or
/// EXIT_DIFFERENT after messages on stderr.
int run_trial(const runner_options *options);

#endif // PGOPT_RUNNER_TRIAL_RUN_H
