/// \file A timeline of one run.
#ifndef PGOPT_RUNNER_TIMELINE_H
#define PGOPT_RUNNER_TIMELINE_H

#include "tools/pgopt-runner/load.h"

/// Runs a program that was loaded with `has_trace`, and whose inputs are bound,
/// and writes --trace as Chrome trace events, which Perfetto and
/// chrome://tracing read: one row a core, one slice a kernel call, an arrow
/// where a kernel reads what another core wrote. Beside the process "measured"
/// one "predicted", of the same rows, when all kernels have Timing.
/// \returns an exit code.
int run_trace(const runner_options *options, const loaded_program *loaded);

#endif // PGOPT_RUNNER_TIMELINE_H
