/// \file Rows taken out of an array at computed places, as generated kernels.
#ifndef PGOPT_KERNELS_ROW_GATHER_H
#define PGOPT_KERNELS_ROW_GATHER_H

#include "kernels/target.h"
#include "mlir-c/IR.h"

/// Replaces a `linalg.generic` on memrefs that yields an element of an array
/// whose last index is the destination's last loop and whose other indices do
/// not depend on it (an embedding, a nearest neighbour of channels that are
/// last) by loops that compute these once a row and copy the row in vectors.
/// \returns false, with nothing changed, when it is none.
bool pgopt_generate_row_gather(MlirOperation op, const pgopt_target *target);

#endif // PGOPT_KERNELS_ROW_GATHER_H
