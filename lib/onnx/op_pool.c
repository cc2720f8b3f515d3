/// \file Pools.
#include "onnx/op.h"
#include "onnx/operators.h"
#include "onnx/window.h"

#include <math.h>
#include <string.h>

enum { LOOPS = 2 * PGOPT_MAX_SPATIAL + 2 };

/// Begins a nest over batch, channel, outputs and, reducing, taps; `rows` are
/// those of the padded image.
static void begin_pool(pgopt_onnx_op *op, const pgopt_tensor *x,
                       const pgopt_onnx_window *w, pgopt_number type,
                       int64_t *rows, pgopt_nest_builder *n) {
  int s = w->rank, loops = 2 + 2 * s;
  int64_t extents[LOOPS] = {x->shape[0], x->shape[1]};
  memset(rows, 0, (size_t)((2 + s) * (loops + 1)) * sizeof *rows);
  rows[0] = 1;
  rows[loops + 1 + 1] = 1;
  for (int d = 0; d < s; ++d) {
    extents[2 + d] = w->output[d];
    extents[2 + s + d] = w->kernel[d];
    rows[(2 + d) * (loops + 1) + 2 + d] = w->strides[d];
    rows[(2 + d) * (loops + 1) + 2 + s + d] = w->dilations[d];
  }
  pgopt_nest_begin(n, op->program, loops, extents, 2 + s, type);
}

/// The sum or the maximum over every window.
static int pool(pgopt_onnx_op *op, int input, const pgopt_onnx_window *w,
                pgopt_scalar_kind combine) {
  const pgopt_tensor *x = pgopt_tensors_tensor(op->program, input);
  pgopt_number type = pgopt_number_computed(x->type);
  pgopt_scalar_value fill = {0};
  if (combine == PGOPT_S_MAX)
    fill = pgopt_number_is_float(type) ? (pgopt_scalar_value){.f = -INFINITY}
                                       : pgopt_number_least(type);
  int image = pgopt_onnx_pad_window(op, input, w, fill);
  int64_t rows[LOOPS * (LOOPS + 1)];
  pgopt_nest_builder n;
  begin_pool(op, x, w, type, rows, &n);
  int value = pgopt_nest_read(&n, image, rows);
  int so_far = pgopt_nest_init(&n, fill);
  bool named = w->rank == 2 && type == x->type && pgopt_number_is_float(type);
  if (named)
    n.nest.form =
        combine == PGOPT_S_MAX ? PGOPT_FORM_POOL_MAX : PGOPT_FORM_POOL_SUM;
  return pgopt_tensors_cast(
      op->program,
      pgopt_nest_end(&n, pgopt_nest_scalar(&n, combine, so_far, value, -1)),
      x->type);
}

/// For every output, the number of taps that count: those on the image, or on
/// the padding that the model states as well.
static int count_taps(pgopt_onnx_op *op, const pgopt_onnx_window *w,
                      bool include_padding, pgopt_number type) {
  int s = w->rank;
  int64_t extents[2 * PGOPT_MAX_SPATIAL];
  memcpy(extents, w->output, (size_t)s * sizeof *extents);
  memcpy(extents + s, w->kernel, (size_t)s * sizeof *extents);
  pgopt_nest_builder n;
  pgopt_nest_begin(&n, op->program, 2 * s, extents, s,
                   pgopt_number_computed(type));
  int counts =
      pgopt_nest_constant(&n, PGOPT_BOOL, (pgopt_scalar_value){.i = 1});
  for (int d = 0; d < s; ++d) {
    int at = s_add(
        &n, s_mul(&n, pgopt_nest_index(&n, d), s_i64(&n, w->strides[d])),
        s_mul(&n, pgopt_nest_index(&n, s + d), s_i64(&n, w->dilations[d])));
    int64_t first = include_padding ? 0 : w->low[d];
    int64_t end =
        w->low[d] + w->input[d] + (include_padding ? w->stated_high[d] : 0);
    counts = s_and(&n, counts,
                   s_and(&n, s_ge(&n, at, s_i64(&n, first)),
                         s_lt(&n, at, s_i64(&n, end))));
  }
  int sum = pgopt_nest_init(&n, (pgopt_scalar_value){0});
  int one = pgopt_nest_cast(&n, counts, type);
  return pgopt_tensors_cast(op->program,
                            pgopt_nest_end(&n, s_add(&n, sum, one)), type);
}

void pgopt_onnx_lower_average_pool(pgopt_onnx_op *op) {
  int input = pgopt_onnx_input(op, 0);
  const pgopt_tensor *x = pgopt_onnx_tensor(op, 0);
  pgopt_onnx_window w;
  if (input < 0 || !pgopt_onnx_read_window(op, x, NULL, &w))
    return;
  int sum = pool(op, input, &w, PGOPT_S_ADD);
  bool all = pgopt_onnx_int(op, "count_include_pad", 0), uniform = true;
  double taps = 1;
  for (int d = 0; d < w.rank; ++d) {
    taps *= (double)w.kernel[d];
    uniform &=
        w.high[d] == w.stated_high[d] && (all || (!w.low[d] && !w.high[d]));
  }
  int divisor = uniform ? pgopt_onnx_scalar(op, x->type, taps)
                        : count_taps(op, &w, all, x->type);
  pgopt_onnx_output(op, 0, pgopt_onnx_binary(op, PGOPT_S_DIV, sum, divisor));
}

/// Where each maximum lies in the flattened input: the first of them.
static int pool_indices(pgopt_onnx_op *op, int input, int maxima,
                        const pgopt_onnx_window *w) {
  const pgopt_tensor *x = pgopt_tensors_tensor(op->program, input);
  pgopt_scalar_value fill = pgopt_number_is_float(x->type)
                                ? (pgopt_scalar_value){.f = -INFINITY}
                                : pgopt_number_least(x->type);
  int image = pgopt_onnx_pad_window(op, input, w, fill);
  int64_t rows[LOOPS * (LOOPS + 1)];
  int s = w->rank, loops[PGOPT_MAX_SPATIAL + 2];
  pgopt_nest_builder n;
  begin_pool(op, x, w, PGOPT_I64, rows, &n);
  for (int d = 0; d < 2 + s; ++d)
    loops[d] = d;
  int value = pgopt_nest_read(&n, image, rows);
  int is_max = s_eq(&n, value, pgopt_nest_read_loops(&n, maxima, loops));
  bool columns = pgopt_onnx_int(op, "storage_order", 0);
  int64_t plane =
      x->shape[0] && x->shape[1] ? x->count / x->shape[0] / x->shape[1] : 1;
  int place = s_add(
      &n, s_mul(&n, pgopt_nest_index(&n, 0), s_i64(&n, x->shape[1] * plane)),
      s_mul(&n, pgopt_nest_index(&n, 1), s_i64(&n, plane)));
  int64_t weight = columns ? 1 : plane;
  for (int d = 0; d < s; ++d) {
    if (!columns)
      weight = w->input[d] ? weight / w->input[d] : weight;
    int at = s_sub(
        &n,
        s_add(&n,
              s_mul(&n, pgopt_nest_index(&n, 2 + d), s_i64(&n, w->strides[d])),
              s_mul(&n, pgopt_nest_index(&n, 2 + s + d),
                    s_i64(&n, w->dilations[d]))),
        s_i64(&n, w->low[d]));
    // On the padding nothing is a maximum.
    is_max = s_and(&n, is_max,
                   s_and(&n, s_ge(&n, at, s_i64(&n, 0)),
                         s_lt(&n, at, s_i64(&n, w->input[d]))));
    place = s_add(&n, place, s_mul(&n, at, s_i64(&n, weight)));
    if (columns)
      weight *= w->input[d];
  }
  int so_far = pgopt_nest_init(&n, (pgopt_scalar_value){.i = INT64_MAX});
  int candidate = s_select(&n, is_max, place, s_i64(&n, INT64_MAX));
  return pgopt_nest_end(&n, s_min(&n, so_far, candidate));
}

void pgopt_onnx_lower_max_pool(pgopt_onnx_op *op) {
  int input = pgopt_onnx_input(op, 0);
  pgopt_onnx_window w;
  if (input < 0 ||
      !pgopt_onnx_read_window(op, pgopt_onnx_tensor(op, 0), NULL, &w))
    return;
  int maxima = pool(op, input, &w, PGOPT_S_MAX);
  pgopt_onnx_output(op, 0, maxima);
  if (pgopt_onnx_wants(op, 1))
    pgopt_onnx_output(op, 1, pool_indices(op, input, maxima, &w));
}

static int apply_power(pgopt_nest_builder *n, int x, const pgopt_onnx_op *op) {
  double p = (double)pgopt_onnx_int(op, "p", 2);
  int magnitude = s_abs(n, x);
  if (p == 1)
    return magnitude;
  return p == 2 ? s_mul(n, x, x) : s_pow(n, magnitude, s_like(n, x, p));
}

static int apply_root(pgopt_nest_builder *n, int x, const pgopt_onnx_op *op) {
  double p = (double)pgopt_onnx_int(op, "p", 2);
  if (p == 1)
    return x;
  return p == 2 ? s_sqrt(n, x) : s_pow(n, x, s_like(n, x, 1 / p));
}

void pgopt_onnx_lower_lp_pool(pgopt_onnx_op *op) {
  int input = pgopt_onnx_input(op, 0);
  const pgopt_tensor *x = pgopt_onnx_tensor(op, 0);
  pgopt_onnx_window w;
  if (input < 0 || !pgopt_onnx_read_window(op, x, NULL, &w))
    return;
  int powers = pgopt_onnx_map(op, input, x->type, apply_power);
  int sum = powers < 0 ? -1 : pool(op, powers, &w, PGOPT_S_ADD);
  pgopt_onnx_output(op, 0, pgopt_onnx_map(op, sum, x->type, apply_root));
}

/// GlobalAveragePool, GlobalMaxPool, GlobalLpPool.
void pgopt_onnx_lower_global_pool(pgopt_onnx_op *op) {
  int input = pgopt_onnx_input(op, 0);
  const pgopt_tensor *x = pgopt_onnx_tensor(op, 0);
  bool axes[PGOPT_MAX_TENSOR_RANK] = {0};
  double count = 1;
  for (int d = 2; d < x->rank; ++d) {
    axes[d] = true;
    count *= (double)x->shape[d];
  }
  if (!strcmp(op->entry->name, "GlobalMaxPool")) {
    pgopt_onnx_output(op, 0,
                      pgopt_onnx_reduce(op, input, axes, true, PGOPT_S_MAX));
    return;
  }
  bool lp = !strcmp(op->entry->name, "GlobalLpPool");
  if (lp)
    input = pgopt_onnx_map(op, input, x->type, apply_power);
  int sum = pgopt_onnx_reduce(op, input, axes, true, PGOPT_S_ADD);
  pgopt_onnx_output(
      op, 0,
      lp ? pgopt_onnx_map(op, sum, x->type, apply_root)
         : pgopt_onnx_binary(op, PGOPT_S_DIV, sum,
                             pgopt_onnx_scalar(op, x->type, count)));
}
