/// \file Slice and Pad.
#include "onnx/op.h"
#include "onnx/operators.h"

#include <stdlib.h>

enum { MAX = PGOPT_MAX_TENSOR_RANK };

static void set(pgopt_onnx_op *op, int tensor) {
  pgopt_onnx_output(op, 0, tensor);
}

static int64_t clamp(int64_t value, int64_t low, int64_t high) {
  return value < low ? low : value > high ? high : value;
}

/// Elements start + k * step of one dimension, for a step of any sign.
typedef struct cut {
  int64_t start, size, step;
} cut;

static cut make_cut(int64_t start, int64_t end, int64_t step, int64_t extent) {
  bool down = step < 0;
  start = clamp(start < 0 ? start + extent : start, down ? -1 : 0,
                down ? extent - 1 : extent);
  end = clamp(end < 0 ? (end < -extent ? -1 : end + extent) : end,
              down ? -1 : 0, extent);
  // Steps beyond the extent take one element, as that of the extent does.
  step = clamp(step, -extent - 1, extent + 1);
  int64_t span = down ? start - end : end - start;
  int64_t pace = down ? -step : step;
  return (cut){start, span > 0 ? (span + pace - 1) / pace : 0, step};
}

/// The cuts in all dimensions: a slice, behind a reversal where steps are
/// negative.
static int apply_cuts(pgopt_onnx_op *op, int tensor, const cut *cuts) {
  const pgopt_tensor *t = pgopt_tensors_tensor(op->program, tensor);
  int64_t offsets[MAX], sizes[MAX], strides[MAX];
  int64_t *rows =
      pgopt_allocate((size_t)(t->rank * (t->rank + 1)) + 1, sizeof *rows);
  bool reverses = false;
  for (int d = 0; d < t->rank; ++d) {
    sizes[d] = cuts[d].size;
    offsets[d] = cuts[d].size ? cuts[d].start : 0;
    strides[d] = cuts[d].step > 0 ? cuts[d].step : 1;
    rows[d * (t->rank + 1) + d] = cuts[d].step;
    rows[d * (t->rank + 1) + t->rank] = offsets[d];
    reverses |= cuts[d].step < 0 && cuts[d].size > 0;
  }
  int result;
  if (reverses) {
    pgopt_nest_builder n;
    pgopt_nest_begin(&n, op->program, t->rank, sizes, t->rank, t->type);
    result = pgopt_nest_end(&n, pgopt_nest_read(&n, tensor, rows));
  } else {
    result = pgopt_tensors_slice(op->program, tensor, offsets, sizes, strides);
  }
  free(rows);
  return result;
}

void pgopt_onnx_lower_slice(pgopt_onnx_op *op) {
  const pgopt_tensor *t = pgopt_onnx_tensor(op, 0);
  int64_t starts_count, ends_count, axes_count, steps_count = 0;
  const int64_t *starts = pgopt_onnx_list(op, "starts", 10, 1, &starts_count);
  const int64_t *ends = pgopt_onnx_list(op, "ends", 10, 2, &ends_count);
  const int64_t *axes = pgopt_onnx_list(op, "axes", 10, 3, &axes_count);
  const int64_t *steps = op->opset >= 10 && pgopt_onnx_has(op, 4)
                             ? pgopt_onnx_integers(op, 4, &steps_count)
                             : NULL;
  if (pgopt_tensors_failed(op->program))
    return;
  if (starts_count != ends_count || (axes && axes_count != starts_count) ||
      (steps && steps_count != starts_count) ||
      (!axes && starts_count > t->rank)) {
    pgopt_onnx_fail(op, PGOPT_INVALID,
                    "starts, ends, axes and steps differ in "
                    "length");
    return;
  }
  cut cuts[MAX];
  for (int d = 0; d < t->rank; ++d)
    cuts[d] = (cut){0, t->shape[d], 1};
  for (int64_t i = 0; i < starts_count; ++i) {
    int axis = pgopt_onnx_axis(op, axes ? axes[i] : i, t->rank);
    if (axis < 0)
      return;
    int64_t step = steps ? steps[i] : 1;
    if (!step) {
      pgopt_onnx_fail(op, PGOPT_INVALID, "a step is 0");
      return;
    }
    cuts[axis] =
        make_cut(clamp(starts[i], -(INT64_C(1) << 50), INT64_C(1) << 50),
                 clamp(ends[i], -(INT64_C(1) << 50), INT64_C(1) << 50), step,
                 t->shape[axis]);
  }
  set(op, apply_cuts(op, pgopt_onnx_input(op, 0), cuts));
}

/// Index of the element that padding shows at `x` (negative or beyond), for one
/// dimension of `extent`.
static int padded_index(pgopt_nest_builder *n, int x, int64_t extent,
                        char mode) {
  int zero = s_i64(n, 0), last = s_i64(n, extent - 1);
  if (mode == 'e')
    return s_max(n, s_min(n, x, last), zero);
  if (mode == 'w') {
    int size = s_i64(n, extent);
    return s_rem(n, s_add(n, s_rem(n, x, size), size), size);
  }
  // A period of the mirror is 2 (extent - 1).
  int64_t period = extent > 1 ? 2 * (extent - 1) : 1;
  int size = s_i64(n, period);
  int phase = s_rem(n, s_add(n, s_rem(n, x, size), size), size);
  int back = s_sub(n, size, phase);
  return s_min(n, phase, back);
}

static int pad_by_index(pgopt_onnx_op *op, int tensor, const int64_t *low,
                        const int64_t *high, char mode) {
  const pgopt_tensor *t = pgopt_tensors_tensor(op->program, tensor);
  int64_t shape[MAX];
  for (int d = 0; d < t->rank; ++d) {
    shape[d] = t->shape[d] + low[d] + high[d];
    if (shape[d] < 0)
      return pgopt_onnx_fail(op, PGOPT_INVALID, "padding takes too much away");
  }
  pgopt_nest_builder n;
  pgopt_nest_begin(&n, op->program, t->rank, shape, t->rank, t->type);
  int indices[MAX];
  for (int d = 0; d < t->rank; ++d)
    indices[d] =
        padded_index(&n, s_sub(&n, pgopt_nest_index(&n, d), s_i64(&n, low[d])),
                     t->shape[d], mode);
  return pgopt_nest_end(&n, pgopt_nest_load(&n, tensor, indices));
}

void pgopt_onnx_lower_pad(pgopt_onnx_op *op) {
  int x = pgopt_onnx_input(op, 0);
  const pgopt_tensor *t = pgopt_onnx_tensor(op, 0);
  int64_t count, axes_count = 0, low[MAX] = {0}, high[MAX] = {0};
  const char *name = op->opset < 2 ? "paddings" : "pads";
  const int64_t *pads = pgopt_onnx_list(op, name, 11, 1, &count);
  const int64_t *axes = op->opset >= 18 && pgopt_onnx_has(op, 3)
                            ? pgopt_onnx_integers(op, 3, &axes_count)
                            : NULL;
  if (pgopt_tensors_failed(op->program))
    return;
  int64_t padded = axes ? axes_count : t->rank;
  if (!pads || count != 2 * padded) {
    pgopt_onnx_fail(op, PGOPT_INVALID, "%lld pads for %lld dimensions",
                    (long long)count, (long long)padded);
    return;
  }
  cut cuts[MAX];
  for (int d = 0; d < t->rank; ++d)
    cuts[d] = (cut){0, t->shape[d], 1};
  bool constant = pgopt_onnx_is(op, "mode", "constant", "constant");
  for (int64_t i = 0; i < padded; ++i) {
    int axis = pgopt_onnx_axis(op, axes ? axes[i] : i, t->rank);
    if (axis < 0)
      return;
    low[axis] = clamp(pads[i], -(INT64_C(1) << 40), INT64_C(1) << 40);
    high[axis] = clamp(pads[padded + i], -(INT64_C(1) << 40), INT64_C(1) << 40);
    // Constant padding by less than nothing cuts off.
    if (constant) {
      int64_t begin = low[axis] < 0 ? -low[axis] : 0;
      int64_t end = high[axis] < 0 ? -high[axis] : 0;
      cuts[axis] = (cut){begin, t->shape[axis] - begin - end, 1};
      low[axis] += begin;
      high[axis] += end;
    }
  }
  if (!constant) {
    bool edge = pgopt_onnx_is(op, "mode", "edge", "");
    bool wrap = pgopt_onnx_is(op, "mode", "wrap", "");
    if (!edge && !wrap && !pgopt_onnx_is(op, "mode", "reflect", "")) {
      pgopt_onnx_fail(op, PGOPT_UNSUPPORTED, "its mode is not supported");
      return;
    }
    set(op, pad_by_index(op, x, low, high, edge ? 'e' : wrap ? 'w' : 'r'));
    return;
  }
  pgopt_scalar_value fill = {.f = pgopt_onnx_float(op, "value", 0)};
  if (op->opset >= 11 && pgopt_onnx_has(op, 2)) {
    bool splat;
    const pgopt_tensor *v = pgopt_onnx_tensor(op, 2);
    const void *data = pgopt_tensors_data(op->program, op->inputs[2], &splat);
    if (!data && v->count == 1) {
      // The value is not known here: pad a mask with it.
      int64_t shape[MAX];
      for (int d = 0; d < t->rank; ++d)
        shape[d] = cuts[d].size;
      int inside = pgopt_tensors_pad(
          op->program,
          pgopt_tensors_splat(op->program, PGOPT_BOOL, t->rank, shape,
                              (pgopt_scalar_value){.i = 1}),
          low, high, (pgopt_scalar_value){0});
      int zeros = pgopt_tensors_pad(op->program, apply_cuts(op, x, cuts), low,
                                    high, fill);
      const pgopt_tensor *z = pgopt_tensors_tensor(op->program, zeros);
      pgopt_nest_builder n;
      pgopt_nest_begin(&n, op->program, z->rank, z->shape, z->rank, z->type);
      int mask = pgopt_nest_read_broadcast(&n, inside);
      int kept = pgopt_nest_read_broadcast(&n, zeros);
      int value = pgopt_nest_read_broadcast(
          &n, pgopt_tensors_reshape(op->program, op->inputs[2], 0, NULL));
      set(op, pgopt_nest_end(&n, s_select(&n, mask, kept, value)));
      return;
    }
    if (data && v->count == 1)
      fill = pgopt_number_read(v->type, data, 0);
  }
  set(op,
      pgopt_tensors_pad(op->program, apply_cuts(op, x, cuts), low, high, fill));
}
