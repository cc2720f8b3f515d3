/// \file The axes of a network: every dimension taken apart into factors, so
/// that reshapes and transposes of a value are only other lists of the same
/// axes.
///
/// Dimensions that a loop, a reshape or a slice ties together form a class and
/// are cut alike. `tensor<1024x1536>` that is expanded to `1024x12x128`
/// somewhere has the axes 1024, 12, 128; dimensions of extent 1 have none.
/// A reshape whose factors do not fit into each other ((4, 6) to (6, 4)), or
/// that would cut a dimension which windows, pads or slices need whole, keeps
/// groups of axes together: those that hold the same elements on both sides.
///
/// Channels of images are cut into blocks on request. An operation that needs a
/// dimension whole which is cut for others (a window, a pad, an index along
/// channels) has one axis for all its factors: they must stay together there.
#ifndef PGOPT_LAYOUT_AXES_H
#define PGOPT_LAYOUT_AXES_H

#include "network/network.h"

enum {
  PGOPT_MAX_AXES = 48,
  PGOPT_MAX_PARAMETER_AXES = 26, ///< and dimensions, of one to be packed
};

/// The axes of a value in the order of its dimensions, outermost first.
typedef struct pgopt_value_axes {
  size_t count;
  const int64_t *extents;
  const int *dims; ///< the dimension each is a factor of
  bool is_fixed;   ///< must keep its order: an argument, a result of an op that
                   ///< is not understood, a type that cannot be taken apart
} pgopt_value_axes;

typedef enum pgopt_axes_role {
  PGOPT_AXES_NONE,    ///< nothing shaped
  PGOPT_AXES_FIXED,   ///< wants every operand and result as it is declared
  PGOPT_AXES_SOURCE,  ///< constants and empty storage: any order for free
  PGOPT_AXES_ALIAS,   ///< result and operand are the same elements: transposes,
                      ///< reshapes, copies
  PGOPT_AXES_REGROUP, ///< a reshape that keeps groups of axes together
  PGOPT_AXES_RIGID,   ///< elementwise
  PGOPT_AXES_MOVE,    ///< pad, concat, slices; softmax, likewise of one
                      ///< dimension
  PGOPT_AXES_REDUCE,  ///< reductions, pooling
  PGOPT_AXES_CONTRACT, ///< a product of two operands
  PGOPT_AXES_WINDOW,   ///< convolutions
} pgopt_axes_role;

/// How the values of an operation share axes. Slots are its operands, then its
/// results, then its captures: of those only arrays that the body reads along
/// its loops (`layout/gathers.h`) are told apart. Several axes of a value may
/// be of one axis of the operation: a group that must stay together, as a
/// regrouping reshape's or a dimension's that is needed whole.
typedef struct pgopt_op_axes {
  pgopt_axes_role role;
  size_t axis_count;
  const int *loops; ///< structured ops: the loop each axis is a factor of
  /// One a slot: the op's axis of each axis of the value; null when the slot
  /// is not shaped.
  const int *const *slots;
} pgopt_op_axes;

typedef struct pgopt_axes {
  pgopt_arena arena;
  const pgopt_network *network;
  pgopt_value_axes *values;
  pgopt_op_axes *ops;
  int64_t block; ///< channels of a block; 0: none are cut
} pgopt_axes;

/// \param fixed values that cannot be taken apart, one flag a value; may be
///   null.
/// \param packs_parameters whether arguments that are parameters may be stored
///   in another order; other arguments may not.
/// \param block channels of images are cut into blocks of so many where that
///   divides them, in whatever they spread through; 0 for none.
/// \param[out] axes freed with `pgopt_axes_free`; borrows the network.
void pgopt_axes_build(const pgopt_network *network, const bool *fixed,
                      bool packs_parameters, int64_t block, pgopt_axes *axes);

void pgopt_axes_free(pgopt_axes *axes);

/// Slots of operands and results, and those of captures too.
static inline size_t pgopt_slot_count(const pgopt_op *op) {
  return op->operand_count + op->result_count;
}
static inline size_t pgopt_all_slot_count(const pgopt_op *op) {
  return pgopt_slot_count(op) + op->capture_count;
}

/// The value of a slot.
static inline int pgopt_slot_value(const pgopt_op *op, size_t slot) {
  size_t results = pgopt_slot_count(op);
  return slot < op->operand_count ? op->operands[slot]
         : slot < results         ? op->results[slot - op->operand_count]
                                  : op->captures[slot - results];
}

/// True when the structured op's body reads what its init operand holds.
bool pgopt_body_reads(const pgopt_op *op, size_t operand);

#endif // PGOPT_LAYOUT_AXES_H
