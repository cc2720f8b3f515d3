/// \file The loops of a Winograd convolution.
#ifndef PGOPT_KERNELS_WINOGRAD_NEST_H
#define PGOPT_KERNELS_WINOGRAD_NEST_H

#include "kernels/fuse.h"
#include "kernels/padding.h"
#include "kernels/phase.h"
#include "kernels/prepare.h"
#include "kernels/winograd_plan.h"

/// Loops of the problem by what they are for; -1: there is none. Channels in
/// blocks of a vector are one loop whose strides are for steps of whole
/// vectors; the other loop of theirs has one step.
typedef struct pgopt_winograd_loops {
  int batch, height, width, output;
  int window_height, window_width, input;
  int input_blocks, output_blocks;
} pgopt_winograd_loops;

/// What a step of the range is in a kernel whose image is transformed in a
/// phase of its own: tiles that are next to one another, in blocks of the plan.
typedef struct pgopt_winograd_unit {
  bool is_cut;      ///< by the range; all tiles are one unit else
  int64_t tiles;    ///< fewer in the last unit of the image
  int64_t elements; ///< of its transformed image
} pgopt_winograd_unit;

/// A convolution under construction; the first part is set by the caller.
typedef struct pgopt_winograd_nest {
  const pgopt_generic *generic;
  const pgopt_product_problem *problem;
  const pgopt_winograd_plan *plan;
  const pgopt_fusion *fusion;
  pgopt_vectors vectors;
  pgopt_winograd_loops loops;
  int image, weights; ///< operands: 0 or 1
  /// The image with zeros around it, or null; then the strides are the image's
  /// and these its dimensions of pixels.
  const pgopt_padding *padding;
  int height_dimension, width_dimension;
  /// The half that is emitted, with the transformed image of all units in its
  /// buffer; null: both.
  const pgopt_phase *phase;
  pgopt_winograd_unit unit; ///< of the phase

  MlirValue views[PGOPT_PRODUCT_MAX_OPERANDS];
  pgopt_position starts[PGOPT_PRODUCT_MAX_OPERANDS];
  pgopt_position batch, height, width; ///< of the result
  pgopt_position down, across;         ///< tiles of an image
  /// Where the result's first window begins in the image, in pixels, and how
  /// many it has; beside them it is 0.
  pgopt_position top, left, image_height, image_width;
  MlirValue transformed_weights, transformed_image, products;
  pgopt_position block; ///< where a block's transformed image begins
  MlirValue patch;      ///< a tile that lies partly outside of the image
} pgopt_winograd_nest;

/// Emits the loops.
/// \param preparation of the weights; null: the kernel transforms them.
void pgopt_winograd_nest_emit(pgopt_emitter e, pgopt_winograd_nest *nest,
                              pgopt_preparation *preparation);

/// Transforms the image's tiles `first` to `first + count` of a block.
void pgopt_winograd_emit_image(pgopt_emitter e, const pgopt_winograd_nest *nest,
                               pgopt_position first, pgopt_position count);
/// Transforms the products of the panel at output `panel` back and stores what
/// follows them.
void pgopt_winograd_emit_result(pgopt_emitter e,
                                const pgopt_winograd_nest *nest,
                                pgopt_position first, pgopt_position count,
                                pgopt_position panel);
/// Fills the buffer of transformed weights.
void pgopt_winograd_emit_weights(pgopt_emitter e,
                                 const pgopt_winograd_nest *nest,
                                 MlirValue view, pgopt_position start,
                                 MlirValue transformed);

/// Where a tile's outputs begin.
typedef struct pgopt_winograd_tile {
  pgopt_position batch, y, x;
} pgopt_winograd_tile;
pgopt_winograd_tile pgopt_winograd_tile_at(pgopt_emitter e,
                                           const pgopt_winograd_nest *nest,
                                           pgopt_position number);
/// Vectors of the panel that begins at this output, in lanes.
pgopt_position pgopt_winograd_panel_width(pgopt_emitter e,
                                          const pgopt_winograd_plan *plan,
                                          pgopt_position panel);

#endif // PGOPT_KERNELS_WINOGRAD_NEST_H
