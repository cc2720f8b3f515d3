/// \file Rows taken out of an array at computed places, as generated kernels.
#ifndef PGOPT_KERNELS_ROW_GATHER_H
#define PGOPT_KERNELS_ROW_GATHER_H

#include "kernels/target.h"
#include "mlir-c/IR.h"

/// Replaces a `linalg.generic` on memrefs that yields an element of an array
/// whose last index is the destination's last loop and whose other indices do
/// not depend on it (an embedding, a nearest neighbour of channels that are
/// last) by loops that compute these once a row and copy the row in vectors.
/// \param turn vectors of a row that a turn copies; 0: as the model has it.
/// \returns false, with nothing changed, when it is none.
bool pgopt_generate_row_gather(MlirOperation op, const pgopt_target *target,
                               int64_t turn);

/// True when the op is one that is generated so, and with other code than for
/// fewer vectors a turn.
bool pgopt_is_row_gather(MlirOperation op, const pgopt_target *target,
                         int64_t turn);

#endif // PGOPT_KERNELS_ROW_GATHER_H
