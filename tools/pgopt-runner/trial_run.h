/// \file The trial run: times of every kernel call of a network, in place.
#ifndef PGOPT_RUNNER_TRIAL_RUN_H
#define PGOPT_RUNNER_TRIAL_RUN_H

#include "tools/pgopt-runner/options.h"

/// Measures --trial's file, which is at the stage of sequential kernel calls,
/// for --budget-ms, and prints one JSON object on stdout:
///
///     {"format": 1,
///      "kernels": [S ...],   one for each kernel call, in program order
///      "end_to_end": S,      the program without timers
///      "instrumented": S,    the program with them
///      "timer_ns": what one timer costs, "peak_gflops": f32, one core,
///      "latency_ns": [smallest, largest] between two CPUs,
///      "cpu": "...", "cores": n, "blas": "..."}
///
/// where S is {"median_ns", "min_ns", "mad_ns", "runs"}. All measured runs
/// count; the warm-up runs before them do not.
/// \returns 0, or EXIT_DIFFERENT after messages on stderr.
int run_trial(const runner_options *options);

#endif // PGOPT_RUNNER_TRIAL_RUN_H
