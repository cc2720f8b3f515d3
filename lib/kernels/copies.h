/// \file Copies of contiguous rows as generated kernels: slices, parts of a
/// concatenation, pads.
#ifndef PGOPT_KERNELS_COPIES_H
#define PGOPT_KERNELS_COPIES_H

#include "kernels/target.h"
#include "mlir-c/IR.h"

/// Replaces a `linalg.generic` on memrefs that copies, along elements that
/// follow one another in both, by loops around rows of vectors. A fill of the
/// buffer around it, which nothing else needs, sets only what the copy leaves.
/// \param turn vectors of a row that a turn copies; 0: as the model has it.
/// \returns false, with nothing changed, when it is none.
bool pgopt_generate_copy(MlirOperation op, const pgopt_target *target,
                         int64_t turn);

/// True when the op is one that is generated so, and with other code than for
/// fewer vectors a turn.
bool pgopt_is_copy(MlirOperation op, const pgopt_target *target, int64_t turn);

#endif // PGOPT_KERNELS_COPIES_H
