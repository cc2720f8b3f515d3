/// \file How a window that slides over an image becomes loops around a tile:
/// depthwise convolutions and pooling.
///
/// Vectors run across the windows, along a loop over which the destination and
/// the image are contiguous: channels that are last, or pixels of a row. A tile
/// holds the accumulators of several outputs along one dimension of the image;
/// what it does with a tap is written out, so that a pixel is loaded once for
/// all outputs whose windows it lies in. The other dimensions of the window are
/// loops, cut to the image where it has borders.
#ifndef PGOPT_KERNELS_WINDOW_PLAN_H
#define PGOPT_KERNELS_WINDOW_PLAN_H

#include "kernels/product_plan.h"

enum {
  PGOPT_WINDOW_MAX_AXES = 4,
  PGOPT_WINDOW_MAX_WIDTH = 14, ///< outputs of a tile
  PGOPT_WINDOW_MAX_TAPS = 16,  ///< written out
  PGOPT_WINDOW_MAX_STEPS = 16,
  PGOPT_WINDOW_MAX_PIXELS = 64, ///< different ones of a tile
};

/// A dimension of the image that a window slides along. Tap t of output o is
/// at pixel `step` o + `dilation` t + `first`.
typedef struct pgopt_window_axis {
  size_t dimension; ///< of the image
  int output, taps; ///< loops; `output` is -1 when the window is all there is
  int64_t step, dilation;
  int64_t first;
  bool has_borders;          ///< some pixels lie beside the image, [0, pixels)
  bool is_cut;               ///< output 0 depends on the kernel's range
  int64_t pixels, low, high; ///< at most so many lie before and behind it
} pgopt_window_axis;

typedef struct pgopt_window_problem {
  pgopt_product_problem loops; ///< destination: the last operand of the op
  int image, destination;
  int weights; ///< what the image is multiplied with; -1 for a pool
  size_t read_count;
  int reads[PGOPT_PRODUCT_MAX_OPERANDS]; ///< the image and all a pool reads
  size_t axis_count;
  pgopt_window_axis axes[PGOPT_WINDOW_MAX_AXES];
} pgopt_window_problem;

/// Tiles of `width` outputs from `start` up to `end`. Where the tiled axis is
/// the vectors' own, tiles are vectors, of which the last may be shorter.
typedef struct pgopt_window_step {
  int64_t start, end, width;
  bool is_inside; ///< no tap of an output is beside the image
} pgopt_window_step;

typedef struct pgopt_window_plan {
  int64_t lanes;
  int across;    ///< the loop that vectors run along
  int tiled;     ///< the axis whose outputs a tile has, and whose taps are
                 ///< written out
  int64_t chunk; ///< of the loop `across`: all else is done with one of these
                 ///< before the next; a multiple of `lanes`, or all of it
  size_t outer_count;
  int outer[PGOPT_PRODUCT_MAX_LOOPS]; ///< loops around all, outermost first
  size_t step_count;
  pgopt_window_step steps[PGOPT_WINDOW_MAX_STEPS];
} pgopt_window_plan;

/// \param width outputs of a tile at most; 0: as many as the model has.
/// \returns false when no loop fits vectors, no axis a tile, there would be too
///   much code, or no tile has so many outputs.
bool pgopt_window_plan_make(const pgopt_window_problem *problem,
                            const pgopt_target *target, int64_t width,
                            pgopt_window_plan *plan);

/// True when the tap of an output is on the image.
bool pgopt_window_is_inside(const pgopt_window_axis *axis, int64_t output,
                            int64_t tap);
/// True when a window along the axis may have no pixel of the image.
bool pgopt_window_may_be_empty(const pgopt_window_axis *axis, int64_t taps);

#endif // PGOPT_KERNELS_WINDOW_PLAN_H
