/// \file Two programs on the same inputs: are their results the same?
#ifndef PGOPT_RUNNER_COMPARE_RUNS_H
#define PGOPT_RUNNER_COMPARE_RUNS_H

#include "tools/pgopt-runner/run.h"

/// Copies `inputs` of `loaded` for `other`.
/// \param[out] copies freed with `free_inputs`, also after a failure.
/// \returns 0, or an exit code after a message: the arguments differ in number
///   or type.
int copy_inputs(const loaded_program *loaded, const input_set *inputs,
                const loaded_program *other, input_set *copies);

/// Runs `other` (`loaded` has run) and prints the error of every result, and of
/// every argument that a program wrote to, against `other`'s.
/// \returns an exit code.
int compare_networks(const runner_options *options,
                     const loaded_program *loaded, const input_set *inputs,
                     const loaded_program *other,
                     const input_set *other_inputs);

#endif // PGOPT_RUNNER_COMPARE_RUNS_H
