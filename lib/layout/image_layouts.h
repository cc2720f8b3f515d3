/// \file Where the channels of images stand: the order in which convolutions
/// would have their images, filters and results.
#ifndef PGOPT_LAYOUT_IMAGE_LAYOUTS_H
#define PGOPT_LAYOUT_IMAGE_LAYOUTS_H

#include "layout/axes.h"

typedef enum pgopt_image_kind {
  PGOPT_IMAGE_DECLARED, ///< as every convolution was written
  PGOPT_IMAGE_NCHW,     ///< channels before space, filters (group) OIHW
  PGOPT_IMAGE_NHWC,     ///< channels last, filters (group) HWIO
  PGOPT_IMAGE_BLOCKED,  ///< blocks of channels before space, the channels of a
                        ///< block last, filters (group) HWIO; channels that
                        ///< the block does not divide are last
} pgopt_image_kind;

typedef struct pgopt_image_layout {
  pgopt_image_kind kind;
  int64_t block; ///< channels of a block; 0 unless blocked
} pgopt_image_layout;

enum {
  PGOPT_MAX_CHANNEL_BLOCK = 64,
  PGOPT_FEW_CHANNELS = 4, ///< an image of so many is read as it is
};

/// Reads "nchw", "nhwc", or "nchw16c" with any block from 2 to
/// PGOPT_MAX_CHANNEL_BLOCK.
bool pgopt_image_layout_parse(const char *text, pgopt_image_layout *layout);

/// What a loop is to a convolution.
typedef enum pgopt_image_loop {
  PGOPT_IMAGE_BATCH,  ///< of image and result
  PGOPT_IMAGE_SPACE,  ///< of image and result, through a window
  PGOPT_IMAGE_KERNEL, ///< of the filter and, through a window, of the image
  PGOPT_IMAGE_GROUP,  ///< of image, filter and result
  PGOPT_IMAGE_INPUT,  ///< channel of image and filter
  PGOPT_IMAGE_OUTPUT, ///< channel of filter and result
  PGOPT_IMAGE_LOOP_KINDS,
} pgopt_image_loop;

pgopt_image_loop pgopt_image_loop_of(const pgopt_op *op, size_t image,
                                     size_t loop);

/// The operand of a convolution that is read through windows; -1 when there is
/// none, or several.
int pgopt_image_operand(const pgopt_op *op);

/// The order in which a convolution would have its slot `slot` rather than as
/// `stored`: space and channels are told from its maps, so any number of
/// dimensions and any declared order will do. Only channels move: batch and
/// space cannot be told apart where the filter has one pixel. The filter of a
/// depthwise convolution is HWC, or CHW. Of blocked images the last axis of the
/// channels is the block; where it has another extent, a few channels of an
/// image stay where they are.
/// \param stored the value's axes, outermost first.
/// \param[out] order `stored` where nothing is to be moved.
/// \returns false, and leaves `order` alone, when the op is no convolution of
///   an image with one filter, or the slot is neither of them nor the result.
bool pgopt_image_order(const pgopt_axes *axes, size_t op, size_t slot,
                       pgopt_image_layout layout, const int *stored,
                       int *order);

/// True for an image or result of a convolution whose channels are a multiple
/// of the block, and cut there.
bool pgopt_image_is_blocked(const pgopt_axes *axes, size_t op, size_t slot,
                            int64_t block);

#endif // PGOPT_LAYOUT_IMAGE_LAYOUTS_H
