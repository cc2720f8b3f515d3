/// \file Constants with their elements in another order.
#ifndef PGOPT_IR_PERMUTE_CONSTANT_H
#define PGOPT_IR_PERMUTE_CONSTANT_H

#include "mlir-c/IR.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/// True when the elements can be read: a splat, or whole bytes an element in
/// dense data that is there.
bool pgopt_can_permute_constant(MlirAttribute attribute);

/// The elements of `attribute`, taken as an array of `extents`, in the order of
/// `permutation` (result dimension i is dimension permutation[i]), as an
/// attribute of `type`.
MlirAttribute pgopt_permute_constant(MlirAttribute attribute, size_t rank,
                                     const int64_t *extents,
                                     const int *permutation, MlirType type);

#endif // PGOPT_IR_PERMUTE_CONSTANT_H
