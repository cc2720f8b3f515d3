/// \file How a 3x3 convolution is computed by Winograd's F(size x size, 3 x 3):
/// tiles of `size` x `size` outputs in blocks, each of which is transformed,
/// multiplied by the transformed weights, and transformed back.
#ifndef PGOPT_KERNELS_WINOGRAD_PLAN_H
#define PGOPT_KERNELS_WINOGRAD_PLAN_H

#include "kernels/target.h"

/// Extents of the result that are not static are bounds, or INT64_MAX.
typedef struct pgopt_winograd_problem {
  int64_t batch, height, width; ///< of the result
  int64_t inputs, outputs;      ///< channels
  int64_t element_bytes;
  bool is_prepared; ///< the weights are transformed once, before the first run
  bool has_rows_of_weights; ///< those of one tap and input lie side by side
} pgopt_winograd_problem;

/// With `positions` = (size + 2)^2 the buffers are, in elements:
///   transformed weights U [panel][position][input][lane of the panel],
///   transformed image   V [position][tile of the block][input],
///   products            M [position][tile of the block][lane of the panel],
/// the last two with pitches that spread them over the sets of a cache.
typedef struct pgopt_winograd_plan {
  int64_t size; ///< 2 or 4
  int64_t positions;
  int64_t lanes;
  int64_t block;        ///< tiles
  int64_t rows;         ///< tiles of the image in a register tile
  int64_t depth;        ///< inputs of a register tile's sums
  bool is_row_first;    ///< all inputs of a register tile before the next one's
  int64_t vectors;      ///< of a panel
  int64_t last_vectors; ///< of the last panel
  int64_t columns;      ///< outputs, rounded up to vectors
  int64_t image_row, image_plane;     ///< pitches of V
  int64_t product_row, product_plane; ///< of M
  double cycles;                      ///< a guess
} pgopt_winograd_plan;

/// Plans F(size x size, 3 x 3).
/// \returns false when it cannot be: fewer inputs than a vector has lanes, or
///   buffers out of bounds.
bool pgopt_winograd_plan_make(const pgopt_winograd_problem *problem,
                              const pgopt_target *target, int64_t size,
                              pgopt_winograd_plan *plan);

/// A guess of the cycles that the direct convolution takes, to compare with a
/// plan's.
double pgopt_winograd_direct_cycles(const pgopt_winograd_problem *problem,
                                    const pgopt_target *target);

/// Tiles of the result; a guess where its extents are not known.
int64_t pgopt_winograd_tiles(const pgopt_winograd_problem *problem,
                             int64_t size);

/// Elements of the transformed image of all tiles, one block after the other.
/// \returns false when they are out of bounds.
bool pgopt_winograd_image_elements(const pgopt_winograd_problem *problem,
                                   const pgopt_winograd_plan *plan,
                                   int64_t *elements);

/// Elements of the transformed weights.
int64_t pgopt_winograd_weight_elements(const pgopt_winograd_problem *problem,
                                       const pgopt_winograd_plan *plan);

#endif // PGOPT_KERNELS_WINOGRAD_PLAN_H
