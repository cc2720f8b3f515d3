/// \file The answer of a trial run.
#ifndef PGOPT_RUNNER_TRIAL_REPORT_H
#define PGOPT_RUNNER_TRIAL_REPORT_H

#include "tools/pgopt-runner/trial_child.h"

/// Prints what a trial run found, as docs/profile-report.md says, on stdout;
/// measures peak and latencies of the machine for that.
/// \param failures one a kernel call: why it has no time, or null.
/// \returns false when it cannot be written.
bool print_trial(const trial *t, char *const *failures, bool is_interrupted);

#endif // PGOPT_RUNNER_TRIAL_REPORT_H
