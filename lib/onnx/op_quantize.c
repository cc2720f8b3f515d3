/// \file Quantised operators.
#include "onnx/op.h"
#include "onnx/operators.h"
#include "onnx/window.h"
#include "tensor/einsum.h"

#include <string.h>

enum { MAX = PGOPT_MAX_TENSOR_RANK };

/// A scalar, or a vector laid along `axis`, in the shape of `rank` dimensions.
static int along(pgopt_onnx_op *op, int tensor, int axis, int rank) {
  if (tensor < 0)
    return -1;
  const pgopt_tensor *t = pgopt_tensors_tensor(op->program, tensor);
  int64_t shape[MAX];
  if (t->rank != 1 || t->count == 1)
    return t->count == 1 ? pgopt_tensors_reshape(op->program, tensor, 0, NULL)
                         : tensor;
  for (int d = 0; d < rank; ++d)
    shape[d] = d == axis ? t->count : 1;
  return pgopt_tensors_reshape(op->program, tensor, rank, shape);
}

/// saturate(round(x / scale) + zero); zero may be absent (-1).
static int quantize(pgopt_onnx_op *op, int x, int scale, int zero,
                    pgopt_number type) {
  if (x < 0 || scale < 0)
    return -1;
  const pgopt_tensor *t = pgopt_tensors_tensor(op->program, x);
  pgopt_nest_builder n;
  pgopt_nest_begin(&n, op->program, t->rank, t->shape, t->rank, type);
  int value = pgopt_nest_cast(&n, pgopt_nest_read_broadcast(&n, x), PGOPT_F32);
  int step =
      pgopt_nest_cast(&n, pgopt_nest_read_broadcast(&n, scale), PGOPT_F32);
  int rounded = s_round_even(&n, s_div(&n, value, step));
  if (zero >= 0)
    rounded = s_add(
        &n, rounded,
        pgopt_nest_cast(&n, pgopt_nest_read_broadcast(&n, zero), PGOPT_F32));
  return pgopt_nest_end(&n, pgopt_nest_cast(&n, rounded, type));
}

/// (x - zero) as I32, or times scale as F32 when there is one.
static int centre(pgopt_onnx_op *op, int x, int zero, int scale) {
  if (x < 0)
    return -1;
  const pgopt_tensor *t = pgopt_tensors_tensor(op->program, x);
  pgopt_number type =
      scale < 0 ? PGOPT_I32 : pgopt_tensors_tensor(op->program, scale)->type;
  pgopt_nest_builder n;
  pgopt_nest_begin(&n, op->program, t->rank, t->shape, t->rank, type);
  int value = pgopt_nest_cast(&n, pgopt_nest_read_broadcast(&n, x), PGOPT_I32);
  if (zero >= 0)
    value = s_sub(
        &n, value,
        pgopt_nest_cast(&n, pgopt_nest_read_broadcast(&n, zero), PGOPT_I32));
  if (scale >= 0)
    value = s_mul(&n, pgopt_nest_cast(&n, value, type),
                  pgopt_nest_read_broadcast(&n, scale));
  return pgopt_nest_end(&n, value);
}

/// Axis of per-axis parameters: of no meaning when they are scalars.
static int parameter_axis(pgopt_onnx_op *op, int rank) {
  int64_t axis = pgopt_onnx_int(op, "axis", 1);
  return (int)(axis < 0 ? axis + rank : axis);
}

void pgopt_onnx_lower_quantize(pgopt_onnx_op *op) {
  int x = pgopt_onnx_input(op, 0), rank = pgopt_onnx_tensor(op, 0)->rank;
  int axis = parameter_axis(op, rank), zero = -1;
  pgopt_number type = PGOPT_U8;
  if (pgopt_onnx_has(op, 2)) {
    type = pgopt_onnx_tensor(op, 2)->type;
    zero = along(op, op->inputs[2], axis, rank);
  } else if (pgopt_onnx_int(op, "output_dtype", 0) &&
             !pgopt_onnx_number((int)pgopt_onnx_int(op, "output_dtype", 0),
                                &type)) {
    pgopt_onnx_fail(op, PGOPT_UNSUPPORTED, "its output type is not supported");
    return;
  }
  int scale = along(op, pgopt_onnx_input(op, 1), axis, rank);
  pgopt_onnx_output(op, 0, quantize(op, x, scale, zero, type));
}

void pgopt_onnx_lower_dequantize(pgopt_onnx_op *op) {
  int x = pgopt_onnx_input(op, 0), rank = pgopt_onnx_tensor(op, 0)->rank;
  int axis = parameter_axis(op, rank);
  int zero = pgopt_onnx_has(op, 2) ? along(op, op->inputs[2], axis, rank) : -1;
  int scale = along(op, pgopt_onnx_input(op, 1), axis, rank);
  if (scale >= 0)
    pgopt_onnx_output(op, 0, centre(op, x, zero, scale));
}

/// U8 over the input's own range, which is widened to hold 0.
void pgopt_onnx_lower_dynamic_quantize(pgopt_onnx_op *op) {
  int x = pgopt_onnx_input(op, 0);
  const pgopt_tensor *t = pgopt_onnx_tensor(op, 0);
  bool axes[MAX] = {0};
  for (int d = 0; d < t->rank; ++d)
    axes[d] = true;
  int most = pgopt_onnx_reduce(op, x, axes, false, PGOPT_S_MAX);
  int least = pgopt_onnx_reduce(op, x, axes, false, PGOPT_S_MIN);
  if (most < 0 || least < 0)
    return;
  pgopt_nest_builder n;
  pgopt_nest_begin(&n, op->program, 0, NULL, 0, PGOPT_F32);
  int zero = s_float(&n, 0);
  int high = s_max(&n, pgopt_nest_read_broadcast(&n, most), zero);
  int low = s_min(&n, pgopt_nest_read_broadcast(&n, least), zero);
  int scale =
      pgopt_nest_end(&n, s_div(&n, s_sub(&n, high, low), s_float(&n, 255)));
  pgopt_nest_begin(&n, op->program, 0, NULL, 0, PGOPT_U8);
  low = s_min(&n, pgopt_nest_read_broadcast(&n, least), s_float(&n, 0));
  int start = s_neg(&n, s_div(&n, low, pgopt_nest_read_broadcast(&n, scale)));
  int point = pgopt_nest_end(
      &n, pgopt_nest_cast(&n, s_round_even(&n, start), PGOPT_U8));
  pgopt_onnx_output(op, 0, quantize(op, x, scale, point, PGOPT_U8));
  pgopt_onnx_output(op, 1, scale);
  pgopt_onnx_output(op, 2, point);
}

/// A zero point, one a row or column of a matrix operand, or one for all.
static int matrix_zero(pgopt_onnx_op *op, int i, int rank, bool rows) {
  if (!pgopt_onnx_has(op, i))
    return -1;
  return along(op, op->inputs[i], rank - (rows ? 2 : 1), rank);
}

void pgopt_onnx_lower_matmul_integer(pgopt_onnx_op *op) {
  int a = pgopt_onnx_input(op, 0), b = pgopt_onnx_input(op, 1);
  int left = centre(
      op, a, matrix_zero(op, 2, pgopt_onnx_tensor(op, 0)->rank, true), -1);
  int right = centre(
      op, b, matrix_zero(op, 3, pgopt_onnx_tensor(op, 1)->rank, false), -1);
  pgopt_onnx_output(op, 0, pgopt_tensors_matmul(op->program, left, right));
}

/// sum * (scale a * scale b / scale y), rounded, around the zero point of y.
static int requantize(pgopt_onnx_op *op, int sum, int scale_a, int scale_b,
                      int scale_y, int zero_y) {
  int product = pgopt_onnx_binary(op, PGOPT_S_MUL, scale_a, scale_b);
  if (sum < 0 || product < 0 || scale_y < 0 || zero_y < 0)
    return -1;
  const pgopt_tensor *t = pgopt_tensors_tensor(op->program, sum);
  pgopt_number type = pgopt_tensors_tensor(op->program, zero_y)->type;
  pgopt_nest_builder n;
  pgopt_nest_begin(&n, op->program, t->rank, t->shape, t->rank, type);
  int value =
      pgopt_nest_cast(&n, pgopt_nest_read_broadcast(&n, sum), PGOPT_F32);
  int factor = s_div(&n, pgopt_nest_read_broadcast(&n, product),
                     pgopt_nest_read_broadcast(&n, scale_y));
  int rounded = s_round_even(&n, s_mul(&n, value, factor));
  int zero =
      pgopt_nest_cast(&n, pgopt_nest_read_broadcast(&n, zero_y), PGOPT_F32);
  return pgopt_nest_end(&n,
                        pgopt_nest_cast(&n, s_add(&n, rounded, zero), type));
}

void pgopt_onnx_lower_qlinear_matmul(pgopt_onnx_op *op) {
  int rank_a = pgopt_onnx_tensor(op, 0)->rank;
  int rank_b = pgopt_onnx_tensor(op, 3)->rank;
  int left =
      centre(op, pgopt_onnx_input(op, 0), matrix_zero(op, 2, rank_a, true), -1);
  int right = centre(op, pgopt_onnx_input(op, 3),
                     matrix_zero(op, 5, rank_b, false), -1);
  int sum = pgopt_tensors_matmul(op->program, left, right);
  int rank = pgopt_tensors_tensor(op->program, sum)->rank;
  pgopt_onnx_output(
      op, 0,
      requantize(op, sum, along(op, pgopt_onnx_input(op, 1), rank - 2, rank),
                 along(op, pgopt_onnx_input(op, 4), rank - 1, rank),
                 along(op, pgopt_onnx_input(op, 6), rank - 2, rank),
                 along(op, pgopt_onnx_input(op, 7), rank - 2, rank)));
}

/// The sum of a convolution of integers, of image `x` and weights `w`.
static int convolve_integers(pgopt_onnx_op *op, int x, int w, int zero_x,
                             int zero_w) {
  const pgopt_tensor *image = pgopt_onnx_tensor(op, x);
  const pgopt_tensor *weights = pgopt_onnx_tensor(op, w);
  pgopt_onnx_window window;
  if (pgopt_tensors_failed(op->program) || weights->rank != image->rank ||
      !pgopt_onnx_read_window(op, image, weights->shape + 2, &window))
    return pgopt_onnx_fail(op, PGOPT_INVALID, "image and weights differ");
  int zx = pgopt_onnx_has(op, zero_x)
               ? along(op, op->inputs[zero_x], 0, image->rank)
               : -1;
  int zw = pgopt_onnx_has(op, zero_w)
               ? along(op, op->inputs[zero_w], 0, weights->rank)
               : -1;
  return pgopt_onnx_convolve(op, centre(op, op->inputs[x], zx, -1),
                             centre(op, op->inputs[w], zw, -1),
                             pgopt_onnx_int(op, "group", 1), &window);
}

void pgopt_onnx_lower_conv_integer(pgopt_onnx_op *op) {
  pgopt_onnx_output(op, 0, convolve_integers(op, 0, 1, 2, 3));
}

void pgopt_onnx_lower_qlinear_conv(pgopt_onnx_op *op) {
  int sum = convolve_integers(op, 0, 3, 2, 5);
  if (sum < 0)
    return;
  int rank = pgopt_tensors_tensor(op->program, sum)->rank;
  if (pgopt_onnx_has(op, 8))
    sum = pgopt_onnx_binary(op, PGOPT_S_ADD, sum,
                            along(op, op->inputs[8], 1, rank));
  pgopt_onnx_output(op, 0,
                    requantize(op, sum,
                               along(op, pgopt_onnx_input(op, 1), 1, rank),
                               along(op, pgopt_onnx_input(op, 4), 1, rank),
                               along(op, pgopt_onnx_input(op, 6), 1, rank),
                               along(op, pgopt_onnx_input(op, 7), 1, rank)));
}
