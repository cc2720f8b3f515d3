/// \file Orders of dimensions, told by the loops that run over them.
///
/// An order lists identifiers (loops, axes), outermost first, without
/// dimensions of extent 1: where those stand does not change what is stored.
#ifndef PGOPT_LAYOUT_ORDER_H
#define PGOPT_LAYOUT_ORDER_H

#include "network/network.h"

typedef struct pgopt_order {
  const int *ids;
  size_t count;
} pgopt_order;

/// True when the identifiers that both have stand in the same relative order.
/// An identifier occurs at most once in an order.
bool pgopt_order_agrees(pgopt_order a, pgopt_order b);

/// What a loop is to a contraction of A and B to C.
typedef enum pgopt_loop_role {
  PGOPT_LOOP_OTHER,  ///< anything else
  PGOPT_LOOP_BATCH,  ///< indexes A, B and C
  PGOPT_LOOP_ROW,    ///< indexes A and C
  PGOPT_LOOP_COLUMN, ///< indexes B and C
  PGOPT_LOOP_DEPTH,  ///< a reduction that indexes A and B
} pgopt_loop_role;

/// Which of A, B and C (bits 1, 2, 4) a matrix product has to copy into another
/// order first. A GEMM takes any strides but one: the innermost dimension of
/// each matrix must be an index of the product, and A and B must not both have
/// a depth innermost unless it is the same one. Other loops go around it.
/// \param orders of A, B and C, in identifiers that index `roles`.
/// \param bytes of A and B: of two that disagree the smaller is copied.
unsigned pgopt_contraction_copies(const pgopt_order orders[3],
                                  const pgopt_loop_role *roles,
                                  const int64_t bytes[2]);

/// The loop that dimension `dim` of the operand runs over: the only one; in a
/// window the parallel one. -1 for an extent of 1 and for what is no linear
/// form.
int pgopt_dimension_loop(const pgopt_network *network, const pgopt_op *op,
                         size_t operand, size_t dim);

#endif // PGOPT_LAYOUT_ORDER_H
