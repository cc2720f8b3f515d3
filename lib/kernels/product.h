/// \file Multiply-accumulates as generated kernels.
#ifndef PGOPT_KERNELS_PRODUCT_H
#define PGOPT_KERNELS_PRODUCT_H

#include "kernels/fuse.h"
#include "kernels/target.h"

/// Replaces a `linalg.generic` on memrefs that multiplies and accumulates by
/// loops around register tiles, together with what sets its destination before
/// and with the elementwise operations on it behind.
/// \param[out] erased operations behind it that are part of it now.
/// \returns false, with nothing changed, when there is no plan that pays off.
bool pgopt_generate_product(MlirOperation op, const pgopt_target *target,
                            MlirOperation erased[PGOPT_FUSION_MAX_OPS],
                            size_t *erased_count);

#endif // PGOPT_KERNELS_PRODUCT_H
