/// \file exp, log, tanh, erf and powers of f32 in plain arithmetic, for vectors
/// of any length.
#ifndef PGOPT_KERNELS_FUNCTIONS_H
#define PGOPT_KERNELS_FUNCTIONS_H

#include "mlir-c/IR.h"

#include <stdbool.h>
#include <stdint.h>

/// Replaces `math.exp`, `math.log`, `math.tanh`, `math.erf` and `math.powf` on
/// f32 and vectors of it inside `root`. At most 4 units in the last place from
/// the exact value, over all numbers; NaN gives NaN, infinities and denormal
/// numbers are as IEEE says. \param has_fma whether the target multiplies and
/// adds at once. \returns how many operations were replaced.
int64_t pgopt_expand_functions(MlirOperation root, bool has_fma);

/// Rewrites `arith.maximumf` and `arith.minimumf` inside `root` for the
/// instructions that there are: NaN gives NaN, of two zeros of either sign the
/// result may be either.
void pgopt_simplify_maxima(MlirOperation root);

#endif // PGOPT_KERNELS_FUNCTIONS_H
