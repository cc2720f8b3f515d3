/// \file From a file to a program that can be called.
#ifndef PGOPT_RUNNER_LOAD_H
#define PGOPT_RUNNER_LOAD_H

#include "codegen/program.h"
#include "ir/packed_parameters.h"
#include "tools/pgopt-runner/expected_run.h"
#include "tools/pgopt-runner/module.h"
#include "tools/pgopt-runner/options.h"

#include <stdbool.h>

/// A kernel call of the network: where it runs and what a trace calls it.
typedef struct call_name {
  int64_t core, slot;
  char *name; ///< "layer", or "layer phase 1/2"
} call_name;

typedef struct loaded_program {
  const char *path;
  pgopt_program *program;
  pgopt_parameter *parameters; ///< one an argument
  size_t argument_count;
  bool
      *positive; ///< with --positive, one an argument; null when not on tensors
  call_name *calls; ///< in program order; of traced and instrumented programs
  size_t call_count, call_capacity;
  expected_run expected; ///< of traced programs
  /// Storage that a run takes beside its arguments, as far as that is known.
  int64_t storage_bytes;
} loaded_program;

typedef struct load_request {
  bool is_naive; ///< kernels=naive, for a file on tensors or calls
  bool is_naive_if_on_tensors;
  bool is_instrumented; ///< marks after every kernel call
  bool has_trace;       ///< spans, and `calls` is filled
  bool only_calls;      ///< refuse any stage but sequential kernel calls
  /// Kernel calls, in program order, to leave out (codegen/stand_in.h); of
  /// sequential kernel calls only.
  const bool *left_out;
  size_t left_out_count;
  int64_t workers; ///< deal the kernels out to so many cores; 0: do not
} load_request;

/// Lowers, compiles and loads a module, which is changed by it.
/// \param path what messages call it; borrowed while it is loaded.
bool load_module(const runner_options *options, const char *path,
                 const parsed_module *parsed, const load_request *request,
                 loaded_program *loaded);

/// Parses, lowers, compiles and loads `path`.
/// \param[out] loaded freed with `unload_program`, also after a failure.
/// \returns false after messages on stderr.
bool load_program(const runner_options *options, const char *path,
                  const load_request *request, loaded_program *loaded);

void unload_program(loaded_program *loaded);

/// The module with data for each elided constant, as text in a file.
/// \returns an exit code.
int run_materialize(const runner_options *options);

#endif // PGOPT_RUNNER_LOAD_H
