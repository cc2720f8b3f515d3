/// \file Time of whole runs.
#ifndef PGOPT_RUNNER_BENCH_H
#define PGOPT_RUNNER_BENCH_H

#include "base/statistics.h"
#include "tools/pgopt-runner/load.h"

/// Nanoseconds of one run of a program whose inputs are bound.
int64_t time_run(const loaded_program *loaded);

/// Measures for --bench seconds, in turn with `other` when that is not null,
/// and prints median, smallest, deviation, runs and ratio.
/// \returns an exit code.
int run_bench(const runner_options *options, const loaded_program *loaded,
              const loaded_program *other);

#endif // PGOPT_RUNNER_BENCH_H
