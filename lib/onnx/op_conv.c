/// \file Convolutions and transposed convolutions.
#include "onnx/op.h"
#include "onnx/operators.h"
#include "onnx/window.h"

#include <string.h>

enum { MAX_LOOPS = 2 * PGOPT_MAX_SPATIAL + 5 };

/// The nest of a convolution: `outer` leading dimensions of the image that are
/// loops of their own, `features` dimensions of the weights behind the group.
typedef struct plan {
  int64_t extents[MAX_LOOPS];
  int64_t image[MAX_LOOPS * (MAX_LOOPS + 1)];
  int64_t filter[MAX_LOOPS * (MAX_LOOPS + 1)];
  int loops, parallel;
} plan;

/// Rows of the image's spatial dimensions from `row` on: stride * o +
/// dilation * k.
static void add_window(plan *p, const pgopt_onnx_window *w, int row,
                       int first_output, int first_tap) {
  for (int d = 0; d < w->rank; ++d) {
    int64_t *at = p->image + (row + d) * (p->loops + 1);
    at[first_output + d] = w->strides[d];
    at[first_tap + d] = w->dilations[d];
  }
}

int pgopt_onnx_convolve(pgopt_onnx_op *op, int input, int weights,
                        int64_t groups, const pgopt_onnx_window *w) {
  if (input < 0 || weights < 0)
    return -1;
  pgopt_tensor_program *program = op->program;
  const pgopt_tensor *x = pgopt_tensors_tensor(program, input);
  const pgopt_tensor *f = pgopt_tensors_tensor(program, weights);
  int64_t channels = x->shape[1], outputs = f->shape[0], depth = f->shape[1];
  if (groups < 1 || groups > channels || channels % groups ||
      outputs % groups || depth != channels / groups)
    return pgopt_onnx_fail(op, PGOPT_INVALID,
                           "%lld channels and %lld outputs in %lld groups do "
                           "not fit weights of %lld channels",
                           (long long)channels, (long long)outputs,
                           (long long)groups, (long long)depth);
  int image = pgopt_onnx_pad_window(op, input, w, (pgopt_scalar_value){0});
  const pgopt_tensor *padded = pgopt_tensors_tensor(program, image);
  int s = w->rank;
  int64_t each = outputs / groups;
  bool is_depthwise = depth == 1 && groups > 1;
  bool splits = groups > 1 && !(is_depthwise && each == 1);
  // Loops: batch, [group,] feature, outputs, [channel,] taps.
  plan p = {.parallel = 2 + splits + s};
  p.loops = p.parallel + !is_depthwise + s;
  int first_output = 2 + splits, channel = p.parallel;
  int first_tap = channel + !is_depthwise, width = p.loops + 1;
  p.extents[0] = x->shape[0];
  p.extents[1] = splits ? groups : outputs;
  if (splits)
    p.extents[2] = each;
  for (int d = 0; d < s; ++d) {
    p.extents[first_output + d] = w->output[d];
    p.extents[first_tap + d] = w->kernel[d];
  }
  if (!is_depthwise)
    p.extents[channel] = depth;
  int64_t shape[PGOPT_MAX_SPATIAL + 3];
  int rank = 0, row = 0;
  // The image: batch, [group,] [channel,] ...
  shape[rank++] = x->shape[0];
  p.image[row++ * width + 0] = 1;
  if (groups > 1) {
    shape[rank++] = groups;
    p.image[row++ * width + 1] = 1;
  }
  if (!is_depthwise) {
    shape[rank++] = depth;
    p.image[row++ * width + channel] = 1;
  }
  for (int d = 0; d < s; ++d)
    shape[rank++] = padded->shape[2 + d];
  add_window(&p, w, row, first_output, first_tap);
  image = pgopt_tensors_reshape(program, image, rank, shape);
  // The weights: [group,] feature, [channel,] taps.
  rank = row = 0;
  if (splits) {
    shape[rank++] = groups;
    p.filter[row++ * width + 1] = 1;
  }
  shape[rank++] = splits ? each : outputs;
  p.filter[row++ * width + 1 + splits] = 1;
  if (!is_depthwise) {
    shape[rank++] = depth;
    p.filter[row++ * width + channel] = 1;
  }
  for (int d = 0; d < s; ++d) {
    shape[rank++] = w->kernel[d];
    p.filter[row++ * width + first_tap + d] = 1;
  }
  int filter = pgopt_tensors_reshape(program, weights, rank, shape);

  pgopt_number computed = pgopt_number_computed(x->type);
  pgopt_nest_builder n;
  pgopt_nest_begin(&n, program, p.loops, p.extents, p.parallel, computed);
  int element = pgopt_nest_read(&n, image, p.image);
  int weight = pgopt_nest_read(&n, filter, p.filter);
  int product = s_mul(&n, element, weight);
  int so_far = pgopt_nest_init(&n, (pgopt_scalar_value){0});
  int sum = s_add(&n, so_far, product);
  if (groups == 1 && s == 2 && computed == x->type)
    n.nest.form = PGOPT_FORM_CONV;
  int result = pgopt_tensors_cast(program, pgopt_nest_end(&n, sum), x->type);
  int64_t final[PGOPT_MAX_SPATIAL + 2] = {x->shape[0], outputs};
  memcpy(final + 2, w->output, (size_t)s * sizeof *final);
  return pgopt_tensors_reshape(program, result, s + 2, final);
}

/// Adds a bias, one a feature.
static int add_bias(pgopt_onnx_op *op, int result, int bias) {
  if (result < 0)
    return -1;
  const pgopt_tensor *r = pgopt_tensors_tensor(op->program, result);
  const pgopt_tensor *b = pgopt_tensors_tensor(op->program, bias);
  if (b->rank != 1 || b->count != r->shape[1])
    return pgopt_onnx_fail(op, PGOPT_INVALID,
                           "a bias of %lld elements for %lld features",
                           (long long)b->count, (long long)r->shape[1]);
  pgopt_nest_builder n;
  pgopt_nest_begin(&n, op->program, r->rank, r->shape, r->rank, r->type);
  int loops[] = {1};
  int value = pgopt_nest_read_broadcast(&n, result);
  int added = pgopt_nest_read_loops(&n, bias, loops);
  return pgopt_nest_end(&n, s_add(&n, value, added));
}

/// Weights that fit the input's rank; false after a failure.
static bool check_weights(pgopt_onnx_op *op, const pgopt_tensor *x,
                          const pgopt_tensor *w) {
  if (x->rank >= 3 && w->rank == x->rank)
    return true;
  pgopt_onnx_fail(op, PGOPT_INVALID,
                  "an input of %d and weights of %d dimensions", x->rank,
                  w->rank);
  return false;
}

void pgopt_onnx_lower_conv(pgopt_onnx_op *op) {
  const pgopt_tensor *x = pgopt_onnx_tensor(op, 0);
  const pgopt_tensor *f = pgopt_onnx_tensor(op, 1);
  pgopt_onnx_window w;
  if (pgopt_tensors_failed(op->program) || !check_weights(op, x, f) ||
      !pgopt_onnx_read_window(op, x, f->shape + 2, &w))
    return;
  int result = pgopt_onnx_convolve(op, op->inputs[0], op->inputs[1],
                                   pgopt_onnx_int(op, "group", 1), &w);
  if (pgopt_onnx_has(op, 2))
    result = add_bias(op, result, op->inputs[2]);
  pgopt_onnx_output(op, 0, result);
}

/// Padding of a transposed convolution: what is cut off its full result.
static bool read_transposed(pgopt_onnx_op *op, pgopt_onnx_window *w,
                            int64_t *extra) {
  size_t extra_count, shape_count;
  const int64_t *given = pgopt_onnx_ints(op, "output_padding", &extra_count);
  const int64_t *shape = pgopt_onnx_ints(op, "output_shape", &shape_count);
  bool upper = pgopt_onnx_is(op, "auto_pad", "SAME_UPPER", "NOTSET");
  bool same = upper || pgopt_onnx_is(op, "auto_pad", "SAME_LOWER", "NOTSET");
  if ((given && extra_count != (size_t)w->rank) ||
      (shape && shape_count != (size_t)w->rank &&
       shape_count != (size_t)w->rank + 2)) {
    pgopt_onnx_fail(op, PGOPT_INVALID,
                    "output_padding or output_shape has a wrong length");
    return false;
  }
  if (shape)
    shape += shape_count - (size_t)w->rank;
  for (int d = 0; d < w->rank; ++d) {
    int64_t least = given ? given[d] : 0, wanted_here = shape ? shape[d] : 0;
    if (least < 0 || least > PGOPT_MOST_WINDOW || wanted_here < 0 ||
        wanted_here > PGOPT_MOST_WINDOW) {
      pgopt_onnx_fail(op, PGOPT_INVALID,
                      "output_padding is %lld, output_shape %lld",
                      (long long)least, (long long)wanted_here);
      return false;
    }
    extra[d] = least;
    int64_t reach = (w->kernel[d] - 1) * w->dilations[d] + 1;
    int64_t full = (w->input[d] - 1) * w->strides[d] + reach + extra[d];
    if (shape || same) {
      int64_t wanted = shape ? shape[d] : w->input[d] * w->strides[d];
      int64_t total = full - wanted;
      if (total < 0) {
        extra[d] -= total;
        full -= total;
        total = 0;
      }
      w->low[d] = upper || !same ? total / 2 : total - total / 2;
      w->high[d] = total - w->low[d];
    }
    w->output[d] = full - w->low[d] - w->high[d];
    if (extra[d] < 0 || w->input[d] < 1 || w->output[d] < 1) {
      pgopt_onnx_fail(op, PGOPT_INVALID, "the result has extent %lld",
                      (long long)w->output[d]);
      return false;
    }
  }
  return true;
}

/// (groups * channels, features, taps) to (groups * features, channels, taps),
/// taps in reverse.
static int flip_weights(pgopt_onnx_op *op, int weights, int64_t groups,
                        const pgopt_onnx_window *w) {
  const pgopt_tensor *f = pgopt_tensors_tensor(op->program, weights);
  int loops = 3 + w->rank;
  int64_t depth = f->shape[0] / groups, each = f->shape[1];
  int64_t split[PGOPT_MAX_SPATIAL + 3] = {groups, depth, each};
  int64_t extents[PGOPT_MAX_SPATIAL + 3] = {groups, each, depth};
  int64_t joined[PGOPT_MAX_SPATIAL + 2] = {groups * each, depth};
  int64_t rows[(PGOPT_MAX_SPATIAL + 3) * (PGOPT_MAX_SPATIAL + 4)] = {0};
  rows[0] = 1;
  rows[(loops + 1) + 2] = 1;
  rows[2 * (loops + 1) + 1] = 1;
  for (int d = 0; d < w->rank; ++d) {
    split[3 + d] = extents[3 + d] = joined[2 + d] = w->kernel[d];
    rows[(3 + d) * (loops + 1) + 3 + d] = -1;
    rows[(3 + d) * (loops + 1) + loops] = w->kernel[d] - 1;
  }
  int source = pgopt_tensors_reshape(op->program, weights, loops, split);
  pgopt_nest_builder n;
  pgopt_nest_begin(&n, op->program, loops, extents, loops, f->type);
  int flipped = pgopt_nest_end(&n, pgopt_nest_read(&n, source, rows));
  return pgopt_tensors_reshape(op->program, flipped, 2 + w->rank, joined);
}

/// The image with stride - 1 zeros between its elements, then padded (or cut)
/// so that a plain convolution gives the result.
static int stuff_image(pgopt_onnx_op *op, int input, const int64_t *extra,
                       const pgopt_onnx_window *w) {
  const pgopt_tensor *x = pgopt_tensors_tensor(op->program, input);
  enum { RANK = 2 * PGOPT_MAX_SPATIAL + 2 };
  int64_t split[RANK], joined[RANK], low[RANK] = {0}, high[RANK] = {0};
  int64_t offsets[RANK] = {0}, sizes[RANK], strides[RANK];
  int rank = 2;
  for (int d = 0; d < 2; ++d)
    split[d] = joined[d] = sizes[d] = x->shape[d];
  for (int d = 0; d < w->rank; ++d) {
    split[rank] = w->input[d];
    split[rank + 1] = 1;
    high[rank + 1] = w->strides[d] - 1;
    joined[2 + d] = w->input[d] * w->strides[d];
    rank += 2;
  }
  int image = pgopt_tensors_reshape(op->program, input, rank, split);
  image =
      pgopt_tensors_pad(op->program, image, low, high, (pgopt_scalar_value){0});
  image = pgopt_tensors_reshape(op->program, image, 2 + w->rank, joined);
  memset(high, 0, sizeof high);
  for (int d = 0; d < 2 + w->rank; ++d)
    strides[d] = 1;
  for (int d = 0; d < w->rank; ++d) {
    int64_t margin = (w->kernel[d] - 1) * w->dilations[d];
    int64_t begin = margin - w->low[d], end = margin - w->high[d] + extra[d];
    // The zeros behind the last element go first.
    int64_t used = joined[2 + d] - (w->strides[d] - 1);
    offsets[2 + d] = begin < 0 ? -begin : 0;
    sizes[2 + d] = used - offsets[2 + d] - (end < 0 ? -end : 0);
    low[2 + d] = begin > 0 ? begin : 0;
    high[2 + d] = end > 0 ? end : 0;
  }
  image = pgopt_tensors_slice(op->program, image, offsets, sizes, strides);
  return pgopt_tensors_pad(op->program, image, low, high,
                           (pgopt_scalar_value){0});
}

/// Kernel as large as the stride, no padding: every output element comes from
/// one image element a channel, so nothing needs to be stuffed.
static int disjoint_transposed(pgopt_onnx_op *op, int input, int weights,
                               const pgopt_onnx_window *w) {
  const pgopt_tensor *x = pgopt_tensors_tensor(op->program, input);
  const pgopt_tensor *f = pgopt_tensors_tensor(op->program, weights);
  int s = w->rank, parallel = 2 + 2 * s;
  int64_t extents[MAX_LOOPS] = {x->shape[0], f->shape[1]};
  int image[PGOPT_MAX_SPATIAL + 2] = {0, parallel};
  int filter[PGOPT_MAX_SPATIAL + 2] = {parallel, 1};
  int64_t joined[PGOPT_MAX_SPATIAL + 2] = {x->shape[0], f->shape[1]};
  for (int d = 0; d < s; ++d) {
    extents[2 + 2 * d] = w->input[d];
    extents[3 + 2 * d] = w->kernel[d];
    image[2 + d] = 2 + 2 * d;
    filter[2 + d] = 3 + 2 * d;
    joined[2 + d] = w->output[d];
  }
  extents[parallel] = x->shape[1];
  pgopt_nest_builder n;
  pgopt_nest_begin(&n, op->program, parallel + 1, extents, parallel,
                   pgopt_number_computed(x->type));
  int element = pgopt_nest_read_loops(&n, input, image);
  int weight = pgopt_nest_read_loops(&n, weights, filter);
  int product = s_mul(&n, element, weight);
  int so_far = pgopt_nest_init(&n, (pgopt_scalar_value){0});
  int sum = s_add(&n, so_far, product);
  int result =
      pgopt_tensors_cast(op->program, pgopt_nest_end(&n, sum), x->type);
  return pgopt_tensors_reshape(op->program, result, 2 + s, joined);
}

void pgopt_onnx_lower_conv_transpose(pgopt_onnx_op *op) {
  const pgopt_tensor *x = pgopt_onnx_tensor(op, 0);
  const pgopt_tensor *f = pgopt_onnx_tensor(op, 1);
  int64_t groups = pgopt_onnx_int(op, "group", 1), extra[PGOPT_MAX_SPATIAL];
  pgopt_onnx_window w;
  if (pgopt_tensors_failed(op->program) || !check_weights(op, x, f) ||
      !pgopt_onnx_read_window_lists(op, x, f->shape + 2, &w) ||
      !read_transposed(op, &w, extra))
    return;
  if (groups < 1 || groups > x->shape[1] || x->shape[1] % groups ||
      f->shape[0] != x->shape[1]) {
    pgopt_onnx_fail(op, PGOPT_INVALID,
                    "%lld channels in %lld groups do not fit weights of %lld",
                    (long long)x->shape[1], (long long)groups,
                    (long long)f->shape[0]);
    return;
  }
  bool disjoint = groups == 1;
  for (int d = 0; d < w.rank; ++d)
    disjoint &= w.kernel[d] == w.strides[d] && w.dilations[d] == 1 &&
                !w.low[d] && !w.high[d] && !extra[d];
  int result;
  if (disjoint) {
    result = disjoint_transposed(op, op->inputs[0], op->inputs[1], &w);
  } else {
    int image = stuff_image(op, op->inputs[0], extra, &w);
    int weights = flip_weights(op, op->inputs[1], groups, &w);
    for (int d = 0; d < w.rank; ++d) {
      w.strides[d] = 1;
      w.low[d] = w.high[d] = 0;
    }
    result = pgopt_onnx_convolve(op, image, weights, groups, &w);
  }
  if (pgopt_onnx_has(op, 2))
    result = add_bias(op, result, op->inputs[2]);
  pgopt_onnx_output(op, 0, result);
}
