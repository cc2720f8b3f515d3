/// \file Transform scripts: rewrites of upstream's, chosen and ordered by a
/// text that is made for the op at hand.
#ifndef PGOPT_IR_SCRIPT_H
#define PGOPT_IR_SCRIPT_H

#include "mlir-c/IR.h"
#include "mlir-c/Support.h"

/// Applies the operations of a `transform.named_sequence` whose argument
/// `%root` is bound to `root`. Diagnostics go to the context's handlers. \param
/// steps the sequence's operations as text, without its terminator; ours,
///   so that it parses.
MlirLogicalResult pgopt_apply_script(MlirOperation root, const char *steps);

/// The same without a diagnostic: failure means that the script does not apply,
/// or made IR that is not valid, and that `root` is to be thrown away.
MlirLogicalResult pgopt_try_script(MlirOperation root, const char *steps);

#endif // PGOPT_IR_SCRIPT_H
