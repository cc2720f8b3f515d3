/// \file Values as they are stored while a network is rewritten: which SSA
/// value holds each, in which order of axes and which shape.
#ifndef PGOPT_IR_STORED_VALUES_H
#define PGOPT_IR_STORED_VALUES_H

#include "ir/read_network.h"
#include "layout/assignment.h"

enum { PGOPT_MAX_STORED_RANK = 64 };

/// How the axes of an order are gathered into dimensions: how many each holds,
/// 0 for a dimension of extent 1.
typedef struct pgopt_shape {
  size_t rank;
  int sizes[PGOPT_MAX_STORED_RANK];
} pgopt_shape;

typedef struct pgopt_copy {
  struct pgopt_copy *next;
  int *order;
  pgopt_shape shape;
  MlirValue value;
} pgopt_copy;

/// Of one value: `value` holds it in its assigned order.
typedef struct pgopt_stored {
  MlirValue value;
  pgopt_shape shape;
  pgopt_copy *copies; ///< in other orders, made so far
} pgopt_stored;

typedef struct pgopt_rewriter {
  MlirContext context;
  const pgopt_ir_network *ir;
  const pgopt_axes *axes;
  const pgopt_assignment *assignment;
  pgopt_stored *stored; ///< one a value of the network
  MlirOperation before; ///< new operations go in front of it
  int64_t transposes;   ///< made
  int64_t constants;    ///< folded into another order
} pgopt_rewriter;

/// The shape a value is declared with.
pgopt_shape pgopt_declared_shape(const pgopt_axes *axes, int value);
bool pgopt_shape_equal(const pgopt_shape *a, const pgopt_shape *b);
/// The shape without its dimensions of extent 1.
pgopt_shape pgopt_shape_compact(const pgopt_shape *shape);

/// Tensor type of the value stored as `order` in that shape.
MlirType pgopt_stored_type(const pgopt_rewriter *r, int value, const int *order,
                           const pgopt_shape *shape);

/// The value stored as `order` in that shape: what there is, a view of it, a
/// transpose, or a constant or fill made anew.
MlirValue pgopt_fetch(pgopt_rewriter *r, int value, const int *order,
                      const pgopt_shape *shape);

/// A copy of `from`, which holds the value, in another order: a transpose of
/// the runs of axes that stay together. The copy owns its order.
pgopt_copy pgopt_copy_in_order(pgopt_rewriter *r, int value,
                               const pgopt_copy *from, const int *order);

/// The value as it is declared.
MlirValue pgopt_fetch_declared(pgopt_rewriter *r, int value);

/// tensor.empty of the type.
MlirValue pgopt_make_empty(const pgopt_rewriter *r, MlirType type);

void pgopt_rewriter_init(const pgopt_ir_network *ir, const pgopt_axes *axes,
                         const pgopt_assignment *assignment,
                         pgopt_rewriter *rewriter);
void pgopt_rewriter_free(pgopt_rewriter *rewriter);

#endif // PGOPT_IR_STORED_VALUES_H
