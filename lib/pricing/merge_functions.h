/// \file Functions on tensors made one, so that one trial run measures all.
#ifndef PGOPT_PRICING_MERGE_FUNCTIONS_H
#define PGOPT_PRICING_MERGE_FUNCTIONS_H

#include "mlir-c/IR.h"

#include <stddef.h>

/// A function that computes what each of the functions does, in turn, and
/// returns all of their results. Arguments of different functions that have
/// equal types and attributes are one; those that nobody uses are left out.
/// The functions are destroyed; the types that they are declared with need not
/// be those of their arguments and results.
/// \param name not taken in the module; what is in the functions may carry
///   `pg.kernel`: the function's number, a point and the old one take its
///   place.
/// \returns the function, at the end of the module.
MlirOperation pgopt_merge_functions(MlirOperation module,
                                    const MlirOperation *functions,
                                    size_t count, const char *name);

#endif // PGOPT_PRICING_MERGE_FUNCTIONS_H
