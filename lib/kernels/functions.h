/// \file exp, log, tanh, erf and powers of f32 in plain arithmetic, for vectors
/// of any length.
#ifndef PGOPT_KERNELS_FUNCTIONS_H
#define PGOPT_KERNELS_FUNCTIONS_H

#include "kernels/target.h"
#include "mlir-c/IR.h"

/// Replaces `math.exp`, `math.log`, `math.tanh`, `math.erf` and `math.powf` on
/// f32 and vectors of it inside `root`. At most 4 units in the last place from
/// the exact value, over all numbers; NaN gives NaN, infinities and denormal
/// numbers are as IEEE says. \returns how many operations were replaced.
/// Quotients by b^(3/4) that are made of square roots become products on
/// AVX-512.
int64_t pgopt_expand_functions(MlirOperation root, const pgopt_target *target);

/// Rewrites `arith.maximumf` and `arith.minimumf` inside `root` for the
/// instructions that there are: NaN gives NaN, of two zeros of either sign the
/// result may be either.
void pgopt_simplify_maxima(MlirOperation root);

#endif // PGOPT_KERNELS_FUNCTIONS_H
