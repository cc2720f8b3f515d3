/// \file Sliding windows of convolutions and pools: attributes and extents.
#ifndef PGOPT_ONNX_WINDOW_H
#define PGOPT_ONNX_WINDOW_H

#include "onnx/op.h"

/// Kernels, strides, dilations and pads are at most PGOPT_MOST_WINDOW: more
/// than any real one, and products stay within range.
enum { PGOPT_MAX_SPATIAL = 6, PGOPT_MOST_WINDOW = 1 << 22 };

/// One entry a spatial dimension.
typedef struct pgopt_onnx_window {
  int rank;
  int64_t input[PGOPT_MAX_SPATIAL];
  int64_t kernel[PGOPT_MAX_SPATIAL];
  int64_t strides[PGOPT_MAX_SPATIAL];
  int64_t dilations[PGOPT_MAX_SPATIAL];
  int64_t low[PGOPT_MAX_SPATIAL], high[PGOPT_MAX_SPATIAL]; ///< padding, >= 0
  int64_t stated_high[PGOPT_MAX_SPATIAL]; ///< without what ceil_mode adds
  int64_t output[PGOPT_MAX_SPATIAL];
} pgopt_onnx_window;

/// Reads the attributes for an input of `rank` dimensions, the first two not
/// spatial.
/// \param kernel extents of the window; null: the attribute kernel_shape.
/// \returns false after a failure.
bool pgopt_onnx_read_window(pgopt_onnx_op *op, const pgopt_tensor *input,
                            const int64_t *kernel, pgopt_onnx_window *window);

/// Reads strides, dilations, kernel and pads alone.
bool pgopt_onnx_read_window_lists(pgopt_onnx_op *op, const pgopt_tensor *input,
                                  const int64_t *kernel,
                                  pgopt_onnx_window *window);

/// The input padded by `fill` in its spatial dimensions.
int pgopt_onnx_pad_window(pgopt_onnx_op *op, int tensor,
                          const pgopt_onnx_window *window,
                          pgopt_scalar_value fill);

/// Convolution with padding by 0; `weights` are (outputs, channels / groups,
/// kernel ...). The result has the input's type.
int pgopt_onnx_convolve(pgopt_onnx_op *op, int input, int weights,
                        int64_t groups, const pgopt_onnx_window *window);

#endif // PGOPT_ONNX_WINDOW_H
