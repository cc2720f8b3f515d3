/// \file Operations rebuilt for operands and results that are stored in another
/// order.
#ifndef PGOPT_IR_REORDER_OPS_H
#define PGOPT_IR_REORDER_OPS_H

#include "ir/stored_values.h"

/// linalg.generic in place of a structured op; the results' storage is noted.
void pgopt_reorder_structured(pgopt_rewriter *rewriter, size_t number);

/// The same for pad, concat, slices and softmax.
void pgopt_reorder_move(pgopt_rewriter *rewriter, size_t number);

/// The order with the axes of every group that the op needs together so, as
/// declared, where the group's first one stands.
void pgopt_gather_groups(const pgopt_rewriter *rewriter, size_t number,
                         size_t slot, const int *order, int *result);

/// Notes that `value` holds the op's result `result`, stored as `order` in that
/// shape; makes a copy where another order is assigned.
void pgopt_store_result(pgopt_rewriter *rewriter, size_t number, size_t result,
                        MlirValue value, int *order, const pgopt_shape *shape);

/// Which axes of an op begin a new dimension: bit a is set when axis a and the
/// one before it are not together in every slot.
void pgopt_find_cuts(const pgopt_rewriter *rewriter, size_t number,
                     const int (*orders)[PGOPT_MAX_AXES], const int *groups,
                     bool *cuts);

/// The dimensions that a slot stored as `order` needs.
pgopt_shape pgopt_runs(const pgopt_rewriter *rewriter, size_t number,
                       size_t slot, const int *order, const bool *cuts);

#endif // PGOPT_IR_REORDER_OPS_H
