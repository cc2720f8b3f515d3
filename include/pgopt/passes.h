/// \file Using pgopt's passes from your own pass manager, in C or C++.
///
/// Call `pgopt_register_dialects` on the registry of your context, then either
/// create passes with `pgopt_create_pass_by_name`, or call
/// `pgopt_register_passes` once and name the passes in a textual pipeline.
/// docs/passes.md lists the passes and their options.
#ifndef PGOPT_PASSES_H
#define PGOPT_PASSES_H

#include "mlir-c/IR.h"
#include "mlir-c/Pass.h"

#ifdef __cplusplus
extern "C" {
#endif

/// Inserts the `pg` dialect, and every dialect and interface that pgopt's
/// passes make use of, into `registry`.
void pgopt_register_dialects(MlirDialectRegistry registry);

/// Registers all passes with MLIR's global registry, and upstream's, which they
/// run within. Calls after the first do nothing.
void pgopt_register_passes(void);

/// A new pass, owned by the caller until it is added to a pass manager.
/// \param argument the pass's flag without dashes, "schedule-rr".
/// \param options as between the braces of a pipeline, "count=2"; "" for the
///   defaults.
/// \returns a pass with null `ptr` when there is no such pass, or when the
///   options do not parse.
MlirPass pgopt_create_pass_by_name(const char *argument, const char *options);

#ifdef __cplusplus
}
#endif

#endif // PGOPT_PASSES_H
