/// \file A context with pgopt's dialects, a module parsed from a file, and
/// diagnostics on stderr.
#ifndef PGOPT_RUNNER_MODULE_H
#define PGOPT_RUNNER_MODULE_H

#include "mlir-c/IR.h"
#include "mlir-c/Support.h"

#include <stdbool.h>

typedef struct parsed_module {
  MlirContext context;
  MlirModule module;
  MlirOperation op;
} parsed_module;

/// A context without a module. \param[out] parsed as below.
bool open_context(parsed_module *parsed);

/// \param[out] parsed closed with `close_module`, also after a failure.
/// \returns false after messages on stderr.
bool open_module(const char *path, parsed_module *parsed);

void close_module(parsed_module *parsed);

/// Removes the functions and globals that the function `name` does not need.
bool keep_reachable(const parsed_module *parsed, const char *name);

/// Runs one pass of pgopt's on the module.
bool run_pass(const parsed_module *parsed, const char *argument,
              const char *options);

#endif // PGOPT_RUNNER_MODULE_H
