/// \file Calls of the network's function once it is on memrefs.
#ifndef PGOPT_IR_ADAPT_CALLERS_H
#define PGOPT_IR_ADAPT_CALLERS_H

#include "mlir-c/IR.h"

#include <stdbool.h>

/// True when an operation in the module names the function: its type is then
/// not only the loader's business.
bool pgopt_is_called(MlirOperation module, MlirOperation function);

/// Makes callers of `entry` that are on tensors (a `main` beside the network)
/// hand memrefs over, by bufferization.to_buffer and to_tensor.
void pgopt_adapt_callers(MlirOperation module, MlirOperation entry);

#endif // PGOPT_IR_ADAPT_CALLERS_H
