/// \file The values of a run: inputs, results, and where they come from and go.
#ifndef PGOPT_RUNNER_RUN_H
#define PGOPT_RUNNER_RUN_H

#include "base/text.h"
#include "parameters/safetensors.h"
#include "tools/pgopt-runner/load.h"

#include <stdbool.h>

/// Inputs of one program: each in memory of its own, 64-byte aligned, or in a
/// mapped parameter file, which nobody may write to.
typedef struct input_set {
  void **data;
  bool *is_mapped;
  size_t count;
  pgopt_safetensors file;
} input_set;

/// An empty set for `count` inputs.
input_set create_inputs(size_t count);

/// How the argument, a parameter, is packed; null when it is not.
const pgopt_packing *packing_of(const loaded_program *loaded, size_t argument);

/// The argument's type in files: of a packed parameter, before it is packed.
pgopt_array_type declared_type(const loaded_program *loaded, size_t argument);

/// Memory for values of argument `number`, freed with `free`; null after a
/// message.
void *allocate_array(size_t number, int64_t bytes);

/// The same as input `number` of the set, which owns it.
void *allocate_input(input_set *inputs, size_t number, int64_t bytes);

/// Makes every argument: from --input, from --parameters, else random.
/// \param positive arguments whose random data is, one each; null for none.
/// \param[out] inputs freed with `free_inputs`, also after a failure.
/// \returns false after a message on stderr.
bool make_inputs(const runner_options *options, const loaded_program *loaded,
                 const bool *positive, input_set *inputs);

void free_inputs(input_set *inputs);

void bind_inputs(const loaded_program *loaded, const input_set *inputs);

/// Copies of the last run's results, one a result; freed with `free_results`.
/// Null after a message when there is no memory.
void **read_results(const loaded_program *loaded);
void free_results(const loaded_program *loaded, void **results);

/// "3x5xf32".
void append_type(pgopt_text *text, const pgopt_array_type *type);

/// Plain run, with --output, --print-results, --compare, --bench, --trace.
/// \returns an exit code.
int run_network(const runner_options *options);

#endif // PGOPT_RUNNER_RUN_H
