/// \file Every multiply-accumulate as an Einsum in canonical form.
#ifndef PGOPT_IR_RAISE_EINSUM_H
#define PGOPT_IR_RAISE_EINSUM_H

#include "mlir-c/IR.h"
#include "mlir-c/Support.h"

#include <stdint.h>

typedef struct pgopt_raised {
  int64_t contracts; ///< replaced by linalg.contract
  int64_t generics;  ///< replaced by a canonical linalg.generic
  int64_t splits;    ///< products of more than two operands, in steps of two
  int64_t canonical; ///< had their form already
} pgopt_raised;

/// Replaces the multiply-accumulates of the function: products of two operands
/// by linalg.contract, convolutions and what linalg.contract cannot say (casts,
/// diagonals, windows) by linalg.generic, both with canonical loops and
/// operands; products of more operands by steps along a contraction path.
/// \param max_elements intermediate results of steps above it are avoided.
MlirLogicalResult pgopt_raise_einsum(MlirOperation function,
                                     int64_t max_elements,
                                     pgopt_raised *raised);

#endif // PGOPT_IR_RAISE_EINSUM_H
