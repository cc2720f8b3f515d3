/// \file GridSample on images: every output element is a weighted sum of the
/// input's elements around a place that another tensor says.
#include "onnx/op.h"
#include "onnx/operators.h"

#include <string.h>

/// Taps a dimension of cubic interpolation; the coefficient of its kernel.
enum { TAPS = 4 };
static const double coefficient = -0.75;

typedef struct sampler {
  pgopt_onnx_op *op;
  pgopt_nest_builder n;
  int image;
  const pgopt_tensor *x;
  int taps; ///< a dimension: 1 nearest, 2 linear, 4 cubic
  bool corners, reflects, clamps;
} sampler;

/// What was folded at the borders, in a period of twice the extent.
static int reflect(sampler *s, int at, int64_t extent) {
  pgopt_nest_builder *n = &s->n;
  double low = s->corners ? 0 : -0.5;
  double range = s->corners ? (double)extent - 1 : (double)extent;
  if (range <= 0)
    return s_like(n, at, 0);
  int from_low = s_abs(n, s_sub(n, at, s_like(n, at, low)));
  int periods = s_floor(n, s_div(n, from_low, s_like(n, at, range)));
  int rest = s_sub(n, from_low, s_mul(n, periods, s_like(n, at, range)));
  int half = s_floor(n, s_mul(n, periods, s_like(n, at, 0.5)));
  int is_even = s_eq(n, s_add(n, half, half), periods);
  return s_select(n, is_even, s_add(n, rest, s_like(n, at, low)),
                  s_sub(n, s_like(n, at, low + range), rest));
}

/// A place in the image from the grid's number in [-1, 1].
static int place(sampler *s, int grid, int64_t extent) {
  pgopt_nest_builder *n = &s->n;
  double scale = s->corners ? ((double)extent - 1) / 2 : (double)extent / 2;
  double centre = ((double)extent - 1) / 2;
  return s_add(n, s_mul(n, grid, s_like(n, grid, scale)),
               s_like(n, grid, centre));
}

/// Weight of tap `k` of cubic interpolation at `rest` behind the second tap.
static int cubic_weight(sampler *s, int rest, int k) {
  pgopt_nest_builder *n = &s->n;
  double a = coefficient;
  int d = s_abs(n, s_sub(n, rest, s_like(n, rest, k - 1)));
  bool inner = k == 1 || k == 2;
  const double factors[2][4] = {{a, -5 * a, 8 * a, -4 * a},
                                {a + 2, -(a + 3), 0, 1}};
  int value = s_like(n, d, factors[inner][0]);
  for (int i = 1; i < 4; ++i)
    value = s_add(n, s_mul(n, value, d), s_like(n, d, factors[inner][i]));
  return value;
}

/// Indices (I64, within the image) and weights of the taps of one dimension.
static void read_taps(sampler *s, int grid, int64_t extent, int *indices,
                      int *weights) {
  pgopt_nest_builder *n = &s->n;
  int at = place(s, grid, extent);
  int first = s->taps == 1 ? s_round_even(n, at) : s_floor(n, at);
  int rest = s_sub(n, at, first);
  for (int k = 0; k < s->taps; ++k) {
    int shift = s->taps == TAPS ? k - 1 : k;
    int tap = s_add(n, first, s_like(n, first, shift));
    int one = s_like(n, rest, 1);
    weights[k] = s->taps == 1      ? one
                 : s->taps == TAPS ? cubic_weight(s, rest, k)
                                   : (k ? rest : s_sub(n, one, rest));
    if (s->reflects)
      tap = reflect(s, tap, extent);
    int last = s_like(n, tap, (double)(extent - 1)), zero = s_like(n, tap, 0);
    if (!s->reflects && !s->clamps) {
      int is_inside = s_and(n, s_ge(n, tap, zero), s_le(n, tap, last));
      weights[k] = s_select(n, is_inside, weights[k], zero);
    }
    // Places far outside would not fit an integer.
    tap = s_max(n, s_min(n, tap, last), zero);
    indices[k] = pgopt_nest_cast(n, s_round_even(n, tap), PGOPT_I64);
  }
}

static bool read_modes(sampler *s) {
  pgopt_onnx_op *op = s->op;
  if (pgopt_onnx_is(op, "mode", "nearest", "bilinear"))
    s->taps = 1;
  else if (pgopt_onnx_is(op, "mode", "bilinear", "bilinear") ||
           pgopt_onnx_is(op, "mode", "linear", "bilinear"))
    s->taps = 2;
  else if (pgopt_onnx_is(op, "mode", "bicubic", "bilinear") ||
           pgopt_onnx_is(op, "mode", "cubic", "bilinear"))
    s->taps = TAPS;
  s->clamps = pgopt_onnx_is(op, "padding_mode", "border", "zeros");
  s->reflects = pgopt_onnx_is(op, "padding_mode", "reflection", "zeros");
  s->corners = pgopt_onnx_int(op, "align_corners", 0);
  if (s->taps && (s->clamps || s->reflects ||
                  pgopt_onnx_is(op, "padding_mode", "zeros", "zeros")))
    return true;
  pgopt_onnx_fail(op, PGOPT_UNSUPPORTED,
                  "its mode or padding_mode is not supported");
  return false;
}

void pgopt_onnx_lower_grid_sample(pgopt_onnx_op *op) {
  sampler s = {.op = op, .image = pgopt_onnx_input(op, 0)};
  int grid = pgopt_onnx_input(op, 1);
  s.x = pgopt_onnx_tensor(op, 0);
  const pgopt_tensor *g = pgopt_onnx_tensor(op, 1);
  if (pgopt_tensors_failed(op->program) || !read_modes(&s))
    return;
  if (s.x->rank != 4 || g->rank != 4 || g->shape[3] != 2 ||
      g->shape[0] != s.x->shape[0] || !pgopt_number_is_float(s.x->type) ||
      g->type != s.x->type) {
    pgopt_onnx_fail(op, PGOPT_UNSUPPORTED,
                    "only images of floats (N, C, H, W) and grids (N, H, W, 2) "
                    "are supported");
    return;
  }
  pgopt_nest_builder *n = &s.n;
  int64_t shape[] = {s.x->shape[0], s.x->shape[1], g->shape[1], g->shape[2]};
  pgopt_nest_begin(n, op->program, 4, shape, 4, s.x->type);
  int indices[2][TAPS] = {{0}}, weights[2][TAPS] = {{0}};
  for (int d = 0; d < 2; ++d) {
    // The grid's last dimension is x, then y.
    int64_t rows[] = {1, 0, 0, 0, 0, 0, 0, 1, 0, 0,
                      0, 0, 0, 1, 0, 0, 0, 0, 0, 1 - d};
    read_taps(&s, pgopt_nest_read(n, grid, rows), s.x->shape[2 + d], indices[d],
              weights[d]);
  }
  int sum = -1;
  for (int i = 0; i < s.taps; ++i)
    for (int k = 0; k < s.taps; ++k) {
      int at[] = {pgopt_nest_index(n, 0), pgopt_nest_index(n, 1), indices[0][i],
                  indices[1][k]};
      int term = s_mul(n, pgopt_nest_load(n, s.image, at),
                       s_mul(n, weights[0][i], weights[1][k]));
      sum = i || k ? s_add(n, sum, term) : term;
    }
  pgopt_onnx_output(op, 0, pgopt_nest_end(n, sum));
}
