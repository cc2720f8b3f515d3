/// \file Normalisations.
#include "onnx/op.h"
#include "onnx/operators.h"

#include <string.h>

enum { MAX = PGOPT_MAX_TENSOR_RANK };

/// A vector laid along dimension 1 of a tensor of `rank` dimensions.
static int along_channels(pgopt_onnx_op *op, int vector, int rank) {
  int64_t shape[MAX];
  const pgopt_tensor *v = pgopt_tensors_tensor(op->program, vector);
  for (int d = 0; d < rank; ++d)
    shape[d] = d == 1 ? v->count : 1;
  return pgopt_tensors_reshape(op->program, vector, rank, shape);
}

/// 1 / sqrt(variance + epsilon).
static int inverse_deviation(pgopt_onnx_op *op, int variance, double epsilon) {
  if (variance < 0)
    return -1;
  const pgopt_tensor *v = pgopt_tensors_tensor(op->program, variance);
  pgopt_nest_builder n;
  pgopt_nest_begin(&n, op->program, v->rank, v->shape, v->rank, v->type);
  int x = pgopt_nest_read_broadcast(&n, variance);
  int root = s_sqrt(&n, s_add(&n, x, s_like(&n, x, epsilon)));
  return pgopt_nest_end(&n, s_div(&n, s_like(&n, x, 1), root));
}

static int apply_square(pgopt_nest_builder *n, int x, const pgopt_onnx_op *op) {
  (void)op;
  return s_mul(n, x, x);
}

/// Mean of the elements along the axes, which stay with extent 1.
static int mean_over(pgopt_onnx_op *op, int x, const bool *axes) {
  const pgopt_tensor *t = pgopt_tensors_tensor(op->program, x);
  double count = 1;
  for (int d = 0; d < t->rank; ++d)
    count *= axes[d] ? (double)t->shape[d] : 1;
  int sum = pgopt_onnx_reduce(op, x, axes, true, PGOPT_S_ADD);
  return pgopt_onnx_binary(op, PGOPT_S_DIV, sum,
                           pgopt_onnx_scalar(op, t->type, count));
}

/// (x - mean) / sqrt(variance + epsilon) over the axes.
typedef struct normalized {
  int mean, inverse, value;
} normalized;

static normalized normalize(pgopt_onnx_op *op, int x, const bool *axes,
                            double epsilon) {
  normalized r;
  pgopt_number type = pgopt_tensors_tensor(op->program, x)->type;
  r.mean = mean_over(op, x, axes);
  int centred = pgopt_onnx_binary(op, PGOPT_S_SUB, x, r.mean);
  int square = pgopt_onnx_map(op, centred, type, apply_square);
  r.inverse = inverse_deviation(op, mean_over(op, square, axes), epsilon);
  r.value = pgopt_onnx_binary(op, PGOPT_S_MUL, centred, r.inverse);
  return r;
}

/// value * scale + bias in one nest; -1 leaves a term out.
static int scale_and_shift(pgopt_onnx_op *op, int value, int scale, int bias) {
  if (value < 0)
    return -1;
  const pgopt_tensor *t = pgopt_tensors_tensor(op->program, value);
  pgopt_nest_builder n;
  pgopt_nest_begin(&n, op->program, t->rank, t->shape, t->rank, t->type);
  int x = pgopt_nest_read_broadcast(&n, value);
  if (scale >= 0)
    x = s_mul(
        &n, x,
        pgopt_nest_cast(&n, pgopt_nest_read_broadcast(&n, scale), t->type));
  if (bias >= 0)
    x = s_add(
        &n, x,
        pgopt_nest_cast(&n, pgopt_nest_read_broadcast(&n, bias), t->type));
  return pgopt_nest_end(&n, x);
}

/// running * momentum + current * (1 - momentum).
static int blend(pgopt_onnx_op *op, int running, int current, double momentum) {
  int old = pgopt_onnx_binary(
      op, PGOPT_S_MUL, running,
      pgopt_onnx_scalar(op, pgopt_tensors_tensor(op->program, running)->type,
                        momentum));
  int fresh = pgopt_onnx_binary(
      op, PGOPT_S_MUL, current,
      pgopt_onnx_scalar(op, pgopt_tensors_tensor(op->program, current)->type,
                        1 - momentum));
  return pgopt_onnx_binary(op, PGOPT_S_ADD, old, fresh);
}

void pgopt_onnx_lower_batch_normalization(pgopt_onnx_op *op) {
  int x = pgopt_onnx_input(op, 0), scale = pgopt_onnx_input(op, 1);
  int bias = pgopt_onnx_input(op, 2), mean = pgopt_onnx_input(op, 3);
  int variance = pgopt_onnx_input(op, 4);
  const pgopt_tensor *t = pgopt_onnx_tensor(op, 0);
  if (pgopt_tensors_failed(op->program) || t->rank < 1)
    return;
  double epsilon = pgopt_onnx_float(op, "epsilon", (float)1e-5);
  if (op->opset < 9 && !pgopt_onnx_int(op, "spatial", 1)) {
    pgopt_onnx_fail(op, PGOPT_UNSUPPORTED, "spatial = 0 is not supported");
    return;
  }
  if (op->opset >= 14 && pgopt_onnx_int(op, "training_mode", 0)) {
    if (t->rank < 2) {
      pgopt_onnx_fail(op, PGOPT_INVALID, "its input has no channels");
      return;
    }
    double momentum = pgopt_onnx_float(op, "momentum", (float)0.9);
    bool axes[MAX] = {0};
    for (int d = 0; d < t->rank; ++d)
      axes[d] = d != 1;
    int current = mean_over(op, x, axes);
    int centred = pgopt_onnx_binary(op, PGOPT_S_SUB, x, current);
    int square = pgopt_onnx_map(op, centred, t->type, apply_square);
    int spread = mean_over(op, square, axes);
    int inverse = inverse_deviation(op, spread, epsilon);
    int value = pgopt_onnx_binary(op, PGOPT_S_MUL, centred, inverse);
    pgopt_onnx_output(op, 0,
                      scale_and_shift(op, value,
                                      along_channels(op, scale, t->rank),
                                      along_channels(op, bias, t->rank)));
    int64_t channels[] = {t->shape[1]};
    current = pgopt_tensors_reshape(op->program, current, 1, channels);
    spread = pgopt_tensors_reshape(op->program, spread, 1, channels);
    pgopt_onnx_output(op, 1, blend(op, mean, current, momentum));
    pgopt_onnx_output(op, 2, blend(op, variance, spread, momentum));
    return;
  }
  // Two vectors that do not depend on the input, mostly folded at import.
  int inverse = inverse_deviation(op, variance, epsilon);
  int factor = pgopt_onnx_binary(op, PGOPT_S_MUL, scale, inverse);
  int moved = pgopt_onnx_binary(op, PGOPT_S_MUL, mean, factor);
  int offset = pgopt_onnx_binary(op, PGOPT_S_SUB, bias, moved);
  int rank = t->rank;
  pgopt_onnx_output(
      op, 0,
      scale_and_shift(op, x,
                      rank > 1 ? along_channels(op, factor, rank) : factor,
                      rank > 1 ? along_channels(op, offset, rank) : offset));
}

void pgopt_onnx_lower_instance_normalization(pgopt_onnx_op *op) {
  int x = pgopt_onnx_input(op, 0);
  const pgopt_tensor *t = pgopt_onnx_tensor(op, 0);
  bool axes[MAX] = {0};
  for (int d = 2; d < t->rank; ++d)
    axes[d] = true;
  if (x < 0)
    return;
  normalized r =
      normalize(op, x, axes, pgopt_onnx_float(op, "epsilon", (float)1e-5));
  pgopt_onnx_output(
      op, 0,
      scale_and_shift(op, r.value,
                      along_channels(op, pgopt_onnx_input(op, 1), t->rank),
                      along_channels(op, pgopt_onnx_input(op, 2), t->rank)));
}

void pgopt_onnx_lower_layer_normalization(pgopt_onnx_op *op) {
  int x = pgopt_onnx_input(op, 0);
  const pgopt_tensor *t = pgopt_onnx_tensor(op, 0);
  int axis = pgopt_onnx_axis(op, pgopt_onnx_int(op, "axis", -1), t->rank);
  bool axes[MAX] = {0};
  if (x < 0 || axis < 0)
    return;
  for (int d = axis; d < t->rank; ++d)
    axes[d] = true;
  normalized r =
      normalize(op, x, axes, pgopt_onnx_float(op, "epsilon", (float)1e-5));
  pgopt_onnx_output(
      op, 0,
      scale_and_shift(op, r.value, pgopt_onnx_input(op, 1),
                      pgopt_onnx_has(op, 2) ? op->inputs[2] : -1));
  pgopt_onnx_output(op, 1, r.mean);
  pgopt_onnx_output(op, 2, r.inverse);
}

void pgopt_onnx_lower_group_normalization(pgopt_onnx_op *op) {
  int x = pgopt_onnx_input(op, 0);
  const pgopt_tensor *t = pgopt_onnx_tensor(op, 0);
  int64_t groups = pgopt_onnx_int(op, "num_groups", 0), shape[MAX];
  if (x < 0 || t->rank < 2 || t->rank + 1 > MAX || groups < 1 ||
      t->shape[1] % groups) {
    pgopt_onnx_fail(op, PGOPT_INVALID, "channels do not divide in num_groups");
    return;
  }
  shape[0] = t->shape[0];
  shape[1] = groups;
  shape[2] = t->shape[1] / groups;
  bool axes[MAX] = {0};
  axes[2] = true;
  for (int d = 2; d < t->rank; ++d) {
    shape[d + 1] = t->shape[d];
    axes[d + 1] = true;
  }
  int grouped = pgopt_tensors_reshape(op->program, x, t->rank + 1, shape);
  if (grouped < 0)
    return;
  normalized r = normalize(op, grouped, axes,
                           pgopt_onnx_float(op, "epsilon", (float)1e-5));
  int scale = pgopt_onnx_input(op, 1), bias = pgopt_onnx_input(op, 2);
  if (op->opset < 21) {
    // One scale a group: laid along the groups.
    int value =
        scale_and_shift(op, r.value, along_channels(op, scale, t->rank + 1),
                        along_channels(op, bias, t->rank + 1));
    pgopt_onnx_output(
        op, 0, pgopt_tensors_reshape(op->program, value, t->rank, t->shape));
    return;
  }
  int value = pgopt_tensors_reshape(op->program, r.value, t->rank, t->shape);
  pgopt_onnx_output(op, 0,
                    scale_and_shift(op, value,
                                    along_channels(op, scale, t->rank),
                                    along_channels(op, bias, t->rank)));
}

/// Sums of squares over a window of channels.
void pgopt_onnx_lower_lrn(pgopt_onnx_op *op) {
  int x = pgopt_onnx_input(op, 0);
  const pgopt_tensor *t = pgopt_onnx_tensor(op, 0);
  int64_t size = pgopt_onnx_int(op, "size", 0);
  if (x < 0 || t->rank < 2 || t->rank + 1 > MAX || size < 1 ||
      size > 2 * t->shape[1] + 1) {
    pgopt_onnx_fail(op, PGOPT_INVALID, "its size does not fit the channels");
    return;
  }
  int64_t low[MAX] = {0}, high[MAX] = {0}, extents[MAX + 1];
  low[1] = (size - 1) / 2;
  high[1] = size - 1 - low[1];
  int square = pgopt_onnx_map(op, x, t->type, apply_square);
  int padded = pgopt_tensors_pad(op->program, square, low, high,
                                 (pgopt_scalar_value){0});
  int64_t rows[MAX * (MAX + 2)] = {0};
  int rank = t->rank;
  for (int d = 0; d < rank; ++d) {
    extents[d] = t->shape[d];
    rows[d * (rank + 2) + d] = 1;
  }
  rows[(rank + 2) + rank] = 1;
  extents[rank] = size;
  pgopt_number computed = pgopt_number_computed(t->type);
  pgopt_nest_builder n;
  pgopt_nest_begin(&n, op->program, rank + 1, extents, rank, computed);
  int value = pgopt_nest_read(&n, padded, rows);
  int sum = pgopt_nest_end(
      &n, s_add(&n, pgopt_nest_init(&n, (pgopt_scalar_value){0}), value));
  double alpha = pgopt_onnx_float(op, "alpha", (float)1e-4);
  double beta = pgopt_onnx_float(op, "beta", 0.75);
  pgopt_nest_begin(&n, op->program, rank, t->shape, rank, t->type);
  int whole = pgopt_nest_read_broadcast(&n, x);
  int total = pgopt_nest_read_broadcast(&n, sum);
  int base = s_add(&n, s_like(&n, total, pgopt_onnx_float(op, "bias", 1)),
                   s_mul(&n, total, s_like(&n, total, alpha / (double)size)));
  int power;
  if (beta == 0.75) {
    int root = s_sqrt(&n, base); // base^(1/2) * base^(1/4)
    power = s_mul(&n, root, s_sqrt(&n, root));
  } else {
    power = s_pow(&n, base, s_like(&n, base, beta));
  }
  pgopt_onnx_output(op, 0, pgopt_nest_end(&n, s_div(&n, whole, power)));
}

void pgopt_onnx_lower_lp_normalization(pgopt_onnx_op *op) {
  int x = pgopt_onnx_input(op, 0);
  const pgopt_tensor *t = pgopt_onnx_tensor(op, 0);
  int axis = pgopt_onnx_axis(op, pgopt_onnx_int(op, "axis", -1), t->rank);
  bool axes[MAX] = {0}, one = pgopt_onnx_int(op, "p", 2) == 1;
  if (x < 0 || axis < 0)
    return;
  axes[axis] = true;
  pgopt_nest_builder n;
  pgopt_nest_begin(&n, op->program, t->rank, t->shape, t->rank, t->type);
  int value = pgopt_nest_read_broadcast(&n, x);
  int power =
      pgopt_nest_end(&n, one ? s_abs(&n, value) : s_mul(&n, value, value));
  int sum = pgopt_onnx_reduce(op, power, axes, true, PGOPT_S_ADD);
  pgopt_nest_begin(&n, op->program, t->rank, t->shape, t->rank, t->type);
  value = pgopt_nest_read_broadcast(&n, x);
  int norm = pgopt_nest_read_broadcast(&n, sum);
  pgopt_onnx_output(
      op, 0,
      pgopt_nest_end(&n, s_div(&n, value, one ? norm : s_sqrt(&n, norm))));
}

void pgopt_onnx_lower_mean_variance(pgopt_onnx_op *op) {
  int x = pgopt_onnx_input(op, 0);
  const pgopt_tensor *t = pgopt_onnx_tensor(op, 0);
  size_t count;
  static const int64_t usual[] = {0, 2, 3};
  const int64_t *given = pgopt_onnx_ints(op, "axes", &count);
  bool axes[MAX] = {0};
  for (size_t i = 0; i < (given ? count : 3); ++i) {
    int axis = pgopt_onnx_axis(op, given ? given[i] : usual[i], t->rank);
    if (axis < 0)
      return;
    axes[axis] = true;
  }
  if (x < 0)
    return;
  // The standard's function adds 1e-9 to the deviation, not to the variance.
  int centred = pgopt_onnx_binary(op, PGOPT_S_SUB, x, mean_over(op, x, axes));
  int square = pgopt_onnx_map(op, centred, t->type, apply_square);
  int variance = mean_over(op, square, axes);
  if (variance < 0)
    return;
  pgopt_nest_builder n;
  pgopt_nest_begin(&n, op->program, t->rank, t->shape, t->rank, t->type);
  int value = pgopt_nest_read_broadcast(&n, centred);
  int deviation = s_sqrt(&n, pgopt_nest_read_broadcast(&n, variance));
  pgopt_onnx_output(
      op, 0,
      pgopt_nest_end(
          &n, s_div(&n, value, s_add(&n, deviation, s_like(&n, value, 1e-9)))));
}
