/// \file The launch of a scheduled program: one function a core.
#ifndef PGOPT_CODEGEN_LAUNCH_H
#define PGOPT_CODEGEN_LAUNCH_H

#include "mlir-c/IR.h"
#include "mlir-c/Support.h"

/// Turns each `scf.parallel` of the entry over cores (0 to a constant, step 1)
/// into a call of `pgopt_rt_launch`: what its body uses from outside goes into
/// a frame on the entry's stack, and the body moves into a function
/// `<entry>_launch(frame, core)`. An entry without one is left alone.
/// \returns failure after one error: a `scf.parallel` of another form.
MlirLogicalResult pgopt_lower_launch(MlirOperation entry);

#endif // PGOPT_CODEGEN_LAUNCH_H
