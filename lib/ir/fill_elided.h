/// \file Data for constants that were elided when their file was printed.
///
/// A file printed with elided resources holds
/// `dense_resource<__elided__> : tensor<...>` where the weights were. Such a
/// network can be measured, scheduled and compared, but not before its
/// constants have some value.
#ifndef PGOPT_IR_FILL_ELIDED_H
#define PGOPT_IR_FILL_ELIDED_H

#include "mlir-c/IR.h"
#include "mlir-c/Support.h"

#include <stdbool.h>
#include <stdint.h>

/// Replaces every `dense_resource` attribute without data, on any op below
/// `module`, by dense data from `pgopt_fill` with the resource's key. Equal key
/// and type give equal data. Warns once, at the module, when there were any.
/// \param refuse emit an error at the first such op instead.
/// \param[out] filled how many attributes were replaced; may be null.
/// \returns failure after one error: refused, or a type that cannot be filled
///   (not static, no plain numbers, more bytes than this machine has memory).
MlirLogicalResult pgopt_fill_elided(MlirOperation module, int64_t seed,
                                    bool refuse, int64_t *filled);

/// The same, told by a pass's option `fill-elided`: "seed" or "error". Emits an
/// error at the module for any other word.
MlirLogicalResult pgopt_fill_elided_by(MlirOperation module, const char *policy,
                                       int64_t seed, int64_t *filled);

/// The same without a warning, and each attribute has data of its own: its key
/// is "<resource key>#<ordinal>", counted from 0 in the order of a walk.
MlirLogicalResult pgopt_materialize_elided(MlirOperation module, int64_t seed,
                                           int64_t *filled);

#endif // PGOPT_IR_FILL_ELIDED_H
