/// \file What every operation means for the dimensions of its values: the first
/// step of taking a network apart into axes.
#ifndef PGOPT_LAYOUT_CLASSIFY_OPS_H
#define PGOPT_LAYOUT_CLASSIFY_OPS_H

#include "layout/axes.h"
#include "layout/axis_classes.h"
#include "layout/order.h"

typedef struct pgopt_classifier {
  const pgopt_network *network;
  pgopt_axis_classes classes;
  size_t *value_first, *op_first; ///< first member of each value's dimensions
                                  ///< and each op's loops
  bool *usable; ///< ranked, static, not empty, of a size that fits
  bool *fixed;
  bool *constant; ///< depends on constants and parameters alone
  pgopt_axes_role *roles;
} pgopt_classifier;

/// Assigns roles and joins what belongs together (`fixed` and
/// `packs_parameters` as in `pgopt_axes_build`); freed with
/// `pgopt_classifier_free`.
void pgopt_classifier_init(const pgopt_network *network, const bool *fixed,
                           bool packs_parameters, pgopt_classifier *classifier);
void pgopt_classifier_free(pgopt_classifier *classifier);

/// Makes the op one that wants everything as it is declared.
void pgopt_classifier_fix(pgopt_classifier *classifier, size_t op);

/// Cuts what a reshape ties together; false when it is a barrier.
bool pgopt_classifier_cut_reshape(pgopt_classifier *classifier, size_t op,
                                  bool *changed);

/// The class of a value's dimension, and of an op's loop.
const pgopt_axis_class *pgopt_classifier_dim(pgopt_classifier *classifier,
                                             int value, size_t dim);
const pgopt_axis_class *pgopt_classifier_loop(pgopt_classifier *classifier,
                                              size_t op, size_t loop);

/// The slot of a move whose dimensions all others' belong to: the source of a
/// slice, else the result.
size_t pgopt_move_frame(const pgopt_op *op);

/// The frame's dimension of each dimension of a slot; -1 where it has none (a
/// unit dimension). False when offsets or sizes are not static, or the op is no
/// move that is understood.
/// \param[out] dims one a dimension of the slot's value.
bool pgopt_move_dims(const pgopt_network *network, const pgopt_op *op,
                     size_t slot, int *dims);

/// True when pieces of a multiple of `unit` stay between multiples of it along
/// the frame's dimension: what is padded, or where a slice begins.
bool pgopt_move_is_aligned(const pgopt_op *op, size_t dim, int64_t unit);

/// True when the loop cannot be cut: it is part of a window, or the body asks
/// for its index.
bool pgopt_loop_is_whole(const pgopt_op *op, size_t loop);

/// True when the move leaves the frame's dimension alone in every slot.
bool pgopt_move_keeps(const pgopt_network *network, const pgopt_op *op,
                      size_t dim);

#endif // PGOPT_LAYOUT_CLASSIFY_OPS_H
