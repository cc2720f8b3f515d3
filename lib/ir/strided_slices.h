/// \file Slices with strides that drop dimensions: upstream's lowering of them
/// crashes.
#ifndef PGOPT_IR_STRIDED_SLICES_H
#define PGOPT_IR_STRIDED_SLICES_H

#include "mlir-c/IR.h"

#include <stdbool.h>
#include <stdint.h>

/// Makes of every tensor.extract_slice and insert_slice below `root` that has a
/// stride other than 1 and drops dimensions one that keeps them, and a
/// collapse_shape behind the one or an expand_shape in front of the other.
/// \returns how many there were.
int64_t pgopt_keep_strided_dimensions(MlirOperation root);

/// True when there is one.
bool pgopt_has_strided_slices(MlirOperation root);

#endif // PGOPT_IR_STRIDED_SLICES_H
