/// \file The canonical form of multiply-accumulate operations.
#ifndef PGOPT_EINSUM_CANONICAL_H
#define PGOPT_EINSUM_CANONICAL_H

#include "layout/order.h"

/// In which order an Einsum has its loops and inputs.
typedef struct pgopt_canonical {
  int *loops;             ///< the op's loop of each canonical one
  int *inputs;            ///< the op's input of each canonical one
  pgopt_loop_role *roles; ///< of the op's loops, once inputs are in order
  bool is_product; ///< two inputs, no windows, every loop a batch, row, column
                   ///< or depth: a batch of matrix products
} pgopt_canonical;

/// Canonical order of a multiply-accumulate (`pgopt_op_is_contraction`). Two
/// inputs stand so that the result's first dimension that only one of them has
/// belongs to the first. Loops of a product: batch, rows, columns in the
/// result's order, depth in the first input's; of others: the result's, then
/// reductions as the inputs mention them.
void pgopt_canonical_make(const pgopt_op *op, pgopt_canonical *form);
void pgopt_canonical_free(pgopt_canonical *form);

/// True when the op has its loops and inputs in that order already.
bool pgopt_is_canonical(const pgopt_op *op, const pgopt_canonical *canonical);

#endif // PGOPT_EINSUM_CANONICAL_H
