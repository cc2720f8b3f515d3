/// \file Resize and Upsample, one dimension after the other: every element is
/// a weighted sum of a few of the input's, with places and weights known here.
#include "onnx/op.h"
#include "onnx/operators.h"

#include <math.h>
#include <string.h>

enum { MAX = PGOPT_MAX_TENSOR_RANK, TAPS = 4 };

/// coordinate_transformation_mode
typedef enum coordinates {
  HALF_PIXEL,
  ALIGN_CORNERS,
  ASYMMETRIC,
  TF_HALF_PIXEL_FOR_NN,
  PYTORCH_HALF_PIXEL,
  TF_CROP_AND_RESIZE,
  HALF_PIXEL_SYMMETRIC,
  COORDINATES_COUNT
} coordinates;

static const char *const coordinate_names[COORDINATES_COUNT] = {
    "half_pixel",           "align_corners",      "asymmetric",
    "tf_half_pixel_for_nn", "pytorch_half_pixel", "tf_crop_and_resize",
    "half_pixel_symmetric"};

/// nearest_mode
typedef enum rounding {
  ROUND_PREFER_FLOOR,
  ROUND_PREFER_CEIL,
  FLOOR,
  CEIL,
  ROUNDING_COUNT
} rounding;

static const char *const rounding_names[ROUNDING_COUNT] = {
    "round_prefer_floor", "round_prefer_ceil", "floor", "ceil"};

typedef struct resize {
  pgopt_onnx_op *op;
  char mode; ///< n(earest), l(inear), c(ubic)
  coordinates coordinates;
  rounding rounding;
  double coefficient; ///< of cubic
  bool exclude_outside;
  double extrapolation;
} resize;

/// Where output element `x` lies in the input. `out` is the scaled extent
/// before it is rounded down, as the standard's reference takes it.
static double place_of(const resize *r, double x, double scale, double in,
                       double out, double start, double end) {
  switch (r->coordinates) {
  case ALIGN_CORNERS:
    return out > 1 ? x * (in - 1) / (out - 1) : 0;
  case ASYMMETRIC:
    return x / scale;
  case TF_HALF_PIXEL_FOR_NN:
    return (x + 0.5) / scale;
  case PYTORCH_HALF_PIXEL:
    return out > 1 ? (x + 0.5) / scale - 0.5 : 0;
  case TF_CROP_AND_RESIZE:
    return out > 1 ? start * (in - 1) + x * (end - start) * (in - 1) / (out - 1)
                   : 0.5 * (start + end) * (in - 1);
  case HALF_PIXEL_SYMMETRIC:
    return in / 2 * (1 - out / (scale * in)) + (x + 0.5) / scale - 0.5;
  default:
    return (x + 0.5) / scale - 0.5;
  }
}

static double round_place(const resize *r, double x) {
  switch (r->rounding) {
  case FLOOR:
    return floor(x);
  case CEIL:
    return ceil(x);
  case ROUND_PREFER_CEIL:
    return floor(x + 0.5);
  default:
    return ceil(x - 0.5);
  }
}

/// Weight of the tap at `distance` in Keys' cubic kernel.
static double cubic(double a, double distance) {
  double d = fabs(distance);
  if (d <= 1)
    return ((a + 2) * d - (a + 3)) * d * d + 1;
  return d < 2 ? ((a * d - 5 * a) * d + 8 * a) * d - 4 * a : 0;
}

/// First element and weights of the taps around `x`; returns their number.
static int taps_at(const resize *r, double x, double in, double *first,
                   double weights[TAPS]) {
  if (r->mode == 'n') {
    *first = round_place(r, x);
    weights[0] = 1;
    return 1;
  }
  double low = floor(x);
  if (r->mode == 'l') {
    *first = low;
    weights[1] = x - low;
    weights[0] = 1 - weights[1];
    return 2;
  }
  *first = low - 1;
  double sum = 0;
  for (int t = 0; t < TAPS; ++t) {
    double at = *first + t;
    weights[t] = cubic(r->coefficient, x - at);
    if (r->exclude_outside && (at < 0 || at > in - 1))
      weights[t] = 0;
    sum += weights[t];
  }
  for (int t = 0; t < TAPS && r->exclude_outside; ++t)
    weights[t] /= sum;
  return TAPS;
}

/// An integer factor of nearest neighbours from the left: plain repetition.
static int repeat(const resize *r, int tensor, int axis, int64_t factor) {
  const pgopt_tensor *t = pgopt_tensors_tensor(r->op->program, tensor);
  int64_t wide[MAX + 1], shape[MAX];
  int loops[MAX];
  for (int d = 0; d < t->rank; ++d) {
    wide[d + (d > axis)] = t->shape[d];
    loops[d] = d + (d > axis);
    shape[d] = d == axis ? t->shape[d] * factor : t->shape[d];
  }
  wide[axis + 1] = factor;
  pgopt_nest_builder n;
  pgopt_nest_begin(&n, r->op->program, t->rank + 1, wide, t->rank + 1, t->type);
  int copied = pgopt_nest_end(&n, pgopt_nest_read_loops(&n, tensor, loops));
  return pgopt_tensors_reshape(r->op->program, copied, t->rank, shape);
}

static int resize_axis(const resize *r, int tensor, int axis, int64_t out,
                       double scale, double start, double end) {
  pgopt_tensor_program *p = r->op->program;
  if (tensor < 0)
    return -1;
  const pgopt_tensor *t = pgopt_tensors_tensor(p, tensor);
  int64_t in = t->shape[axis];
  if (!in || out < 1 || out > 1 << 18)
    return pgopt_onnx_fail(r->op, PGOPT_INVALID,
                           "extent %lld cannot become %lld", (long long)in,
                           (long long)out);
  int count = r->mode == 'n' ? 1 : r->mode == 'l' ? 2 : TAPS;
  size_t size = (size_t)(out * count);
  int64_t *places = pgopt_arena_allocate(&p->arena, size, sizeof *places);
  float *weights = pgopt_arena_allocate(&p->arena, size, sizeof *weights);
  bool *outside = pgopt_arena_allocate(&p->arena, (size_t)out, 1);
  bool crops = r->coordinates == TF_CROP_AND_RESIZE, any = false;
  bool repeats = r->mode == 'n' && out % in == 0 && !crops;
  for (int64_t o = 0; o < out; ++o) {
    double w[TAPS] = {0}, first;
    double x = place_of(r, (double)o, scale, (double)in, scale * (double)in,
                        start, end);
    outside[o] = crops && (x < 0 || x > (double)(in - 1));
    any |= outside[o];
    taps_at(r, x, (double)in, &first, w);
    for (int k = 0; k < count; ++k) {
      double at = fmin(fmax(first + k, 0), (double)(in - 1));
      places[o * count + k] = (int64_t)at;
      weights[o * count + k] = (float)w[k];
    }
    repeats &= places[o * count] == o / (out / in ? out / in : 1);
  }
  if (repeats)
    return repeat(r, tensor, axis, out / in);
  int64_t list[] = {out, count};
  int place = pgopt_tensors_constant(p, PGOPT_I64, 2, list, places, false, "");
  int weight =
      pgopt_tensors_constant(p, PGOPT_F32, 2, list, weights, false, "");
  int64_t extents[MAX + 1];
  int at[MAX], rank = t->rank;
  for (int d = 0; d < rank; ++d)
    extents[d] = d == axis ? out : t->shape[d];
  extents[rank] = count;
  int loops[] = {axis, rank};
  pgopt_number type = pgopt_number_computed(t->type);
  pgopt_nest_builder n;
  if (count == 1) {
    pgopt_nest_begin(&n, p, rank, extents, rank, t->type);
    int64_t flat[] = {out};
    int one = pgopt_tensors_reshape(p, place, 1, flat);
    int chosen = pgopt_nest_read_loops(&n, one, loops);
    for (int d = 0; d < rank; ++d)
      at[d] = d == axis ? chosen : pgopt_nest_index(&n, d);
    tensor = pgopt_nest_end(&n, pgopt_nest_load(&n, tensor, at));
  } else {
    pgopt_nest_begin(&n, p, rank + 1, extents, rank, type);
    int chosen = pgopt_nest_read_loops(&n, place, loops);
    for (int d = 0; d < rank; ++d)
      at[d] = d == axis ? chosen : pgopt_nest_index(&n, d);
    int value = pgopt_nest_load(&n, tensor, at);
    int factor =
        pgopt_nest_cast(&n, pgopt_nest_read_loops(&n, weight, loops), type);
    int so_far = pgopt_nest_init(&n, (pgopt_scalar_value){0});
    int sum = s_add(&n, so_far, s_mul(&n, value, factor));
    tensor = pgopt_tensors_cast(p, pgopt_nest_end(&n, sum), t->type);
  }
  if (!any)
    return tensor;
  int mask = pgopt_tensors_constant(p, PGOPT_BOOL, 1, list, outside, false, "");
  pgopt_nest_begin(&n, p, rank, extents, rank, t->type);
  int is_outside = pgopt_nest_read_loops(&n, mask, loops);
  int inner = pgopt_nest_read_broadcast(&n, tensor);
  return pgopt_nest_end(
      &n, s_select(&n, is_outside, s_like(&n, inner, r->extrapolation), inner));
}

/// Which of `count` names the attribute is, the first one when it is absent;
/// fails when it is none of them.
static int name_attribute(pgopt_onnx_op *op, const char *attribute, int count,
                          const char *const *names) {
  for (int i = 0; i < count; ++i)
    if (pgopt_onnx_is(op, attribute, names[i], names[0]))
      return i;
  pgopt_onnx_fail(op, PGOPT_UNSUPPORTED, "its %s is not supported", attribute);
  return 0;
}

/// Scales of an Upsample or Resize before opset 11, or null.
static const double *old_scales(pgopt_onnx_op *op, int64_t *count) {
  const Pgopt__Onnx__Attribute *a = pgopt_onnx_attribute(op, "scales");
  if (!a)
    return pgopt_onnx_floats_of(op, 1, count);
  double *scales = pgopt_arena_allocate(&op->program->arena, a->n_floats + 1,
                                        sizeof *scales);
  *count = (int64_t)a->n_floats;
  for (size_t i = 0; i < a->n_floats; ++i)
    scales[i] = a->floats[i];
  return scales;
}

/// An optional input that an empty tensor stands for as well.
static bool is_given(pgopt_onnx_op *op, int i) {
  return pgopt_onnx_has(op, i) && pgopt_onnx_tensor(op, i)->count;
}

void pgopt_onnx_lower_resize(pgopt_onnx_op *op) {
  int x = pgopt_onnx_input(op, 0);
  const pgopt_tensor *t = pgopt_onnx_tensor(op, 0);
  bool old = op->opset < 11 || !strcmp(op->entry->name, "Upsample");
  static const char *const modes[] = {"nearest", "linear", "bilinear", "cubic"};
  resize r = {.op = op,
              .mode = "nllc"[name_attribute(op, "mode", 4, modes)],
              .coordinates = old ? ASYMMETRIC
                                 : (coordinates)name_attribute(
                                       op, "coordinate_transformation_mode",
                                       COORDINATES_COUNT, coordinate_names),
              .rounding = old ? FLOOR
                              : (rounding)name_attribute(op, "nearest_mode",
                                                         ROUNDING_COUNT,
                                                         rounding_names),
              .coefficient = pgopt_onnx_float(op, "cubic_coeff_a", -0.75),
              .exclude_outside = pgopt_onnx_int(op, "exclude_outside", 0),
              .extrapolation = pgopt_onnx_float(op, "extrapolation_value", 0)};
  if (pgopt_onnx_int(op, "antialias", 0) ||
      pgopt_onnx_attribute(op, "keep_aspect_ratio_policy")) {
    pgopt_onnx_fail(op, PGOPT_UNSUPPORTED,
                    "antialias and keep_aspect_ratio_policy are not supported");
    return;
  }
  size_t axes_count;
  const int64_t *axes = pgopt_onnx_ints(op, "axes", &axes_count);
  int64_t count = 0, roi_count = 0;
  const double *scales = NULL, *roi = NULL;
  const int64_t *sizes = NULL;
  if (old)
    scales = old_scales(op, &count);
  else if (is_given(op, 3))
    sizes = pgopt_onnx_integers(op, 3, &count);
  else
    scales = pgopt_onnx_floats_of(op, 2, &count);
  if (!old && is_given(op, 1) && r.coordinates == TF_CROP_AND_RESIZE)
    roi = pgopt_onnx_floats_of(op, 1, &roi_count);
  if (pgopt_tensors_failed(op->program))
    return;
  int64_t dims = axes ? (int64_t)axes_count : t->rank;
  if (count != dims || (roi && roi_count != 2 * dims)) {
    pgopt_onnx_fail(op, PGOPT_INVALID,
                    "%lld scales or sizes for %lld "
                    "dimensions",
                    (long long)count, (long long)dims);
    return;
  }
  for (int64_t i = 0; i < dims; ++i) {
    int axis = pgopt_onnx_axis(op, axes ? axes[i] : i, t->rank);
    if (axis < 0)
      return;
    double in = (double)t->shape[axis];
    double scale = sizes ? (double)sizes[i] / in : scales[i];
    double out = sizes ? (double)sizes[i] : floor(in * scale);
    if (!(scale > 0) || !(out >= 1) || !(out < 1e9)) {
      pgopt_onnx_fail(op, PGOPT_INVALID, "a scale is %g", scale);
      return;
    }
    double start = roi ? roi[i] : 0, end = roi ? roi[dims + i] : 1;
    if (scale == 1 && out == in && start == 0 && end == 1)
      continue;
    x = resize_axis(&r, x, axis, (int64_t)out, scale, start, end);
  }
  pgopt_onnx_output(op, 0, x);
}
