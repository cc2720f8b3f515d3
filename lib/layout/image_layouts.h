/// \file Where the channels of images stand: the order in which convolutions
/// would have their images, filters and results.
#ifndef PGOPT_LAYOUT_IMAGE_LAYOUTS_H
#define PGOPT_LAYOUT_IMAGE_LAYOUTS_H

#include "layout/axes.h"

typedef enum pgopt_image_layout {
  PGOPT_IMAGE_DECLARED, ///< as every convolution was written
  PGOPT_IMAGE_NCHW,     ///< channels before space, filters (group) OIHW
  PGOPT_IMAGE_NHWC,     ///< channels last, filters (group) HWIO
} pgopt_image_layout;

/// The operand of a convolution that is read through windows; -1 when there is
/// none, or several.
int pgopt_image_operand(const pgopt_op *op);

/// The order in which a convolution would have its slot `slot` rather than as
/// `stored`: space and channels are told from its maps, so any number of
/// dimensions and any declared order will do. Only channels move: batch and
/// space cannot be told apart where the filter has one pixel. The filter of a
/// depthwise convolution is HWC, or CHW.
/// \param stored the value's axes, outermost first.
/// \param[out] order `stored` where nothing is to be moved.
/// \returns false, and leaves `order` alone, when the op is no convolution of
///   an image with one filter, or the slot is neither of them nor the result.
bool pgopt_image_order(const pgopt_axes *axes, size_t op, size_t slot,
                       pgopt_image_layout layout, const int *stored,
                       int *order);

#endif // PGOPT_LAYOUT_IMAGE_LAYOUTS_H
