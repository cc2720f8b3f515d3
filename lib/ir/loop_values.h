/// \file Tensors that loops carry from turn to turn.
#ifndef PGOPT_IR_LOOP_VALUES_H
#define PGOPT_IR_LOOP_VALUES_H

#include "mlir-c/IR.h"

/// Makes every `scf.for` and `scf.while` below `root` write the tensors that it
/// yields into those that it carries, by a `linalg.copy` where it does not do
/// so already: bufferization then needs one buffer a carried value, and no turn
/// allocates.
void pgopt_carry_in_place(MlirOperation root);

#endif // PGOPT_IR_LOOP_VALUES_H
