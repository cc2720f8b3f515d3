/// \file `--variants`: the candidates of kernels with their times, measured
/// first where a network is given.
#ifndef PGOPT_RUNNER_SHOW_VARIANTS_H
#define PGOPT_RUNNER_SHOW_VARIANTS_H

#include "tools/pgopt-runner/options.h"

/// Prints the choices of the store whose signatures begin with what was asked
/// for. \returns the exit code.
int show_variants(const runner_options *options);

#endif // PGOPT_RUNNER_SHOW_VARIANTS_H
