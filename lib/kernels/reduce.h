/// \file Reductions along dimensions of arrays as generated kernels.
#ifndef PGOPT_KERNELS_REDUCE_H
#define PGOPT_KERNELS_REDUCE_H

#include "kernels/fuse.h"
#include "kernels/target.h"

/// Replaces a `linalg.generic` on memrefs that reduces (a sum, product, maximum
/// or minimum of what its body computes) by loops that keep the results in
/// registers, together with what sets its destination before and with the
/// elementwise operations on it behind.
/// \param block vectors that are reduced side by side, of results or of a row;
///   0: as the model has it.
/// \param[out] erased operations behind it that are part of it now.
/// \returns false, with nothing changed, when it is none, a
/// multiply-accumulate,
///   or one that vectors do not fit.
bool pgopt_generate_reduction(MlirOperation op, const pgopt_target *target,
                              int64_t block,
                              MlirOperation erased[PGOPT_FUSION_MAX_OPS],
                              size_t *erased_count);

/// True when the op is one that is generated so, in these very blocks.
/// \param[out] taken the block's vectors; may be null.
bool pgopt_is_reduction(MlirOperation op, const pgopt_target *target,
                        int64_t block, int64_t *taken);

#endif // PGOPT_KERNELS_REDUCE_H
