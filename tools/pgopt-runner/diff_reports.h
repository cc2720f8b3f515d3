/// \file Two profiles compared.
#ifndef PGOPT_RUNNER_DIFF_REPORTS_H
#define PGOPT_RUNNER_DIFF_REPORTS_H

#include "tools/pgopt-runner/options.h"

/// Prints which kernels became faster from --diff's first report to its second.
/// \returns 0, or EXIT_ERROR after a message when one cannot be read.
int diff_reports(const runner_options *options);

#endif // PGOPT_RUNNER_DIFF_REPORTS_H
