/// \file Kernels that do nothing but fill what others would compute.
#ifndef PGOPT_CODEGEN_STAND_IN_H
#define PGOPT_CODEGEN_STAND_IN_H

#include "mlir-c/IR.h"
#include "mlir-c/Support.h"

#include <stdbool.h>
#include <stddef.h>

/// Makes each kernel call that is marked call a function that fills its
/// destinations with ones: a kernel that cannot run is left out, and those
/// behind it have numbers to compute with, which are in the range of most
/// indices and divisors.
/// \param is_marked one a kernel call of the entry, in program order.
/// \returns failure after one error, for a kernel without `pg.access`.
MlirLogicalResult pgopt_stand_in(MlirOperation module, MlirOperation entry,
                                 const bool *is_marked, size_t count);

#endif // PGOPT_CODEGEN_STAND_IN_H
