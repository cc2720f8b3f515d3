/// \file The seam between C and what MLIR offers in C++ only: passes with
/// options and statistics, diagnostics of every severity, the `pg` dialect with
/// its verifier, pipelines nested in a running pass, and `mlir-opt`'s main.
/// Thin calls; no algorithm lives behind this header.
#ifndef PGOPT_BRIDGE_BRIDGE_H
#define PGOPT_BRIDGE_BRIDGE_H

#include "mlir-c/IR.h"
#include "mlir-c/Pass.h"
#include "mlir-c/Support.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef enum pgopt_option_kind {
  PGOPT_OPTION_BOOL, ///< bool
  PGOPT_OPTION_I64,  ///< int64_t
  PGOPT_OPTION_TEXT, ///< const char *, borrowed while the pass runs
} pgopt_option_kind;

/// One option of a pass: where its value lies in the pass's options struct.
typedef struct pgopt_option {
  const char *name;
  pgopt_option_kind kind;
  size_t offset;
  const char *default_value;
  const char *help;
} pgopt_option;

typedef struct pgopt_statistic {
  const char *name;
  const char *help;
} pgopt_statistic;

/// A running pass; valid inside `run` only.
typedef struct pgopt_pass pgopt_pass;

typedef struct pgopt_pass_definition {
  const char *argument; ///< the flag, "schedule-rr"
  const char *summary;  ///< one line for --help
  const char *anchor;   ///< "builtin.module" or "func.func"
  const pgopt_option *options;
  size_t option_count;
  size_t options_size; ///< bytes of the options struct
  const pgopt_statistic *statistics;
  size_t statistic_count;
  /// Returns failure after emitting exactly one error.
  MlirLogicalResult (*run)(pgopt_pass *pass, MlirOperation op);
} pgopt_pass_definition;

/// The options struct of this run, of the definition's `options_size`.
const void *pgopt_pass_options(const pgopt_pass *pass);

/// Adds to the statistic of that index in the definition's table.
void pgopt_pass_count(pgopt_pass *pass, size_t statistic, int64_t amount);

/// Runs a textual pipeline, with its anchor ("builtin.module(cse)"), on `op`:
/// the pass's own op or one nested in it.
MlirLogicalResult pgopt_pass_run_pipeline(pgopt_pass *pass, const char *text,
                                          MlirOperation op);

/// Registers the definition with MLIR's global registry; `definition` must live
/// as long as the process.
void pgopt_register_pass(const pgopt_pass_definition *definition);

/// A new instance with the options given as between the braces of a pipeline
/// ("count=2", "" for the defaults); owned by the caller until it is added to a
/// pass manager. Null `ptr` when the options do not parse.
MlirPass pgopt_create_pass(const pgopt_pass_definition *definition,
                           const char *options);

typedef enum pgopt_severity {
  PGOPT_NOTE,
  PGOPT_WARNING,
  PGOPT_ERROR,
  PGOPT_REMARK,
} pgopt_severity;

void pgopt_diagnose(MlirLocation location, pgopt_severity severity,
                    const char *message);

/// True for a `dense_resource` attribute whose data is not there (elided when
/// the file was printed).
bool pgopt_resource_is_elided(MlirAttribute attribute);

/// The key of a `dense_resource` attribute, borrowed from the context.
MlirStringRef pgopt_resource_key(MlirAttribute attribute);

/// The data of a `dense_resource` attribute that is not elided, borrowed from
/// the context; null data otherwise.
MlirStringRef pgopt_resource_data(MlirAttribute attribute);

/// Body of `pgopt-opt`: mlir-opt with everything upstream and pgopt's own.
int pgopt_opt_main(int argc, char **argv);

#ifdef __cplusplus
}
#endif

#endif // PGOPT_BRIDGE_BRIDGE_H
