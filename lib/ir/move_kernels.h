/// \file Operations that move data, written straight into a destination.
#ifndef PGOPT_IR_MOVE_KERNELS_H
#define PGOPT_IR_MOVE_KERNELS_H

#include "ir/tensor_ops.h"

/// Builds pads with a constant, concatenations, slices and insertions so that
/// they write `destination` and allocate nothing.
/// \param operands the operation's operands inside the kernel; may be changed.
/// \param padding the scalar that a pad's region yields, as a value in the
///   kernel; null when it is not one value.
/// \param[out] result the overwritten destination.
/// \returns false, having built nothing, for any other operation.
bool pgopt_build_move(const pgopt_builder *b, MlirOperation op,
                      MlirValue *operands, MlirValue padding,
                      MlirValue destination, MlirValue *result);

#endif // PGOPT_IR_MOVE_KERNELS_H
