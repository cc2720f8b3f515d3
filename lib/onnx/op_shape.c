/// \file Operators that change shapes, join, cut and repeat.
#include "base/checked_math.h"
#include "onnx/op.h"
#include "onnx/operators.h"

#include <stdlib.h>
#include <string.h>

enum { MAX = PGOPT_MAX_TENSOR_RANK };

static void set(pgopt_onnx_op *op, int tensor) {
  pgopt_onnx_output(op, 0, tensor);
}

void pgopt_onnx_lower_reshape(pgopt_onnx_op *op) {
  int64_t count, shape[MAX], known = 1;
  const int64_t *wanted = pgopt_onnx_list(op, "shape", 5, 1, &count);
  const pgopt_tensor *t = pgopt_onnx_tensor(op, 0);
  bool keeps_zero = pgopt_onnx_int(op, "allowzero", 0);
  int open = -1;
  if ((!wanted && count) || count > MAX || pgopt_tensors_failed(op->program)) {
    pgopt_onnx_fail(op, PGOPT_OUT_OF_RANGE, "the new shape has %lld dimensions",
                    (long long)count);
    return;
  }
  for (int d = 0; d < count; ++d) {
    shape[d] = wanted[d];
    if (!shape[d] && !keeps_zero)
      shape[d] = d < t->rank ? t->shape[d] : 0;
    if (shape[d] == -1 && open < 0)
      open = d;
    else if (shape[d] < 0 || !pgopt_checked_multiply(known, shape[d], &known)) {
      pgopt_onnx_fail(op, PGOPT_INVALID,
                      "dimension %d of the new shape is "
                      "%lld",
                      d, (long long)shape[d]);
      return;
    }
  }
  if (open >= 0) {
    if (!known || t->count % known) {
      pgopt_onnx_fail(op, PGOPT_INVALID,
                      "%lld elements do not fill dimension %d of the new shape",
                      (long long)t->count, open);
      return;
    }
    shape[open] = t->count / known;
  }
  set(op, pgopt_tensors_reshape(op->program, pgopt_onnx_input(op, 0),
                                (int)count, shape));
}

void pgopt_onnx_lower_flatten(pgopt_onnx_op *op) {
  const pgopt_tensor *t = pgopt_onnx_tensor(op, 0);
  int64_t axis = pgopt_onnx_int(op, "axis", 1), shape[] = {1, 1};
  if (axis < 0)
    axis += t->rank;
  if (axis < 0 || axis > t->rank) {
    pgopt_onnx_fail(op, PGOPT_INVALID, "axis is out of range");
    return;
  }
  for (int d = 0; d < t->rank; ++d)
    shape[d >= axis] *= t->shape[d];
  set(op,
      pgopt_tensors_reshape(op->program, pgopt_onnx_input(op, 0), 2, shape));
}

/// Marks the listed axes of `rank`; false after a failure.
static bool mark_axes(pgopt_onnx_op *op, const int64_t *axes, int64_t count,
                      int rank, bool *marked) {
  memset(marked, 0, MAX * sizeof *marked);
  for (int64_t i = 0; i < count; ++i) {
    int axis = pgopt_onnx_axis(op, axes[i], rank);
    if (axis < 0)
      return false;
    marked[axis] = true;
  }
  return true;
}

void pgopt_onnx_lower_squeeze(pgopt_onnx_op *op) {
  const pgopt_tensor *t = pgopt_onnx_tensor(op, 0);
  int64_t count, shape[MAX];
  bool marked[MAX];
  const int64_t *axes = pgopt_onnx_list(op, "axes", 13, 1, &count);
  if (pgopt_tensors_failed(op->program) ||
      !mark_axes(op, axes, count, t->rank, marked))
    return;
  int rank = 0;
  for (int d = 0; d < t->rank; ++d)
    if (!(axes ? marked[d] : t->shape[d] == 1))
      shape[rank++] = t->shape[d];
    else if (t->shape[d] != 1)
      pgopt_onnx_fail(op, PGOPT_INVALID, "dimension %d has extent %lld", d,
                      (long long)t->shape[d]);
  set(op,
      pgopt_tensors_reshape(op->program, pgopt_onnx_input(op, 0), rank, shape));
}

void pgopt_onnx_lower_unsqueeze(pgopt_onnx_op *op) {
  const pgopt_tensor *t = pgopt_onnx_tensor(op, 0);
  int64_t count, shape[MAX];
  bool marked[MAX];
  const int64_t *axes = pgopt_onnx_list(op, "axes", 13, 1, &count);
  if (pgopt_tensors_failed(op->program))
    return;
  if (t->rank + count > MAX) {
    pgopt_onnx_fail(op, PGOPT_OUT_OF_RANGE, "too many dimensions");
    return;
  }
  int rank = t->rank + (int)count, from = 0;
  if (!mark_axes(op, axes, count, rank, marked))
    return;
  for (int d = 0; d < rank; ++d)
    shape[d] = marked[d] || from == t->rank ? 1 : t->shape[from++];
  set(op,
      pgopt_tensors_reshape(op->program, pgopt_onnx_input(op, 0), rank, shape));
}

void pgopt_onnx_lower_transpose(pgopt_onnx_op *op) {
  const pgopt_tensor *t = pgopt_onnx_tensor(op, 0);
  size_t count;
  const int64_t *given = pgopt_onnx_ints(op, "perm", &count);
  int permutation[MAX];
  bool used[MAX] = {0};
  for (int d = 0; d < t->rank; ++d) {
    int64_t from = given && d < (int)count ? given[d] : t->rank - 1 - d;
    if ((given && count != (size_t)t->rank) || from < 0 || from >= t->rank ||
        used[from]) {
      pgopt_onnx_fail(op, PGOPT_INVALID,
                      "perm is no permutation of %d dimensions", t->rank);
      return;
    }
    used[from] = true;
    permutation[d] = (int)from;
  }
  set(op, pgopt_tensors_transpose(op->program, pgopt_onnx_input(op, 0),
                                  permutation));
}

void pgopt_onnx_lower_concat(pgopt_onnx_op *op) {
  int axis = pgopt_onnx_axis(op, pgopt_onnx_int(op, "axis", 1),
                             pgopt_onnx_tensor(op, 0)->rank);
  for (int i = 0; i < op->input_count; ++i)
    pgopt_onnx_input(op, i);
  if (axis >= 0 && !pgopt_tensors_failed(op->program))
    set(op,
        pgopt_tensors_concat(op->program, op->input_count, op->inputs, axis));
}

void pgopt_onnx_lower_split(pgopt_onnx_op *op) {
  const pgopt_tensor *t = pgopt_onnx_tensor(op, 0);
  int axis = pgopt_onnx_axis(op, pgopt_onnx_int(op, "axis", 0), t->rank);
  int64_t count;
  const int64_t *sizes = pgopt_onnx_list(op, "split", 13, 1, &count);
  if (axis < 0 || pgopt_tensors_failed(op->program))
    return;
  if (!op->output_count || (sizes && count != op->output_count)) {
    pgopt_onnx_fail(op, PGOPT_INVALID, "%lld sizes for %d outputs",
                    (long long)count, op->output_count);
    return;
  }
  int64_t offsets[MAX] = {0}, extents[MAX], strides[MAX];
  for (int d = 0; d < t->rank; ++d) {
    extents[d] = t->shape[d];
    strides[d] = 1;
  }
  // Without sizes: equal parts, the last one smaller.
  int64_t part = (t->shape[axis] + op->output_count - 1) / op->output_count;
  for (int i = 0; i < op->output_count; ++i) {
    int64_t left = t->shape[axis] - offsets[axis];
    extents[axis] = sizes ? sizes[i] : left < part ? left : part;
    pgopt_onnx_output(op, i,
                      pgopt_tensors_slice(op->program, pgopt_onnx_input(op, 0),
                                          offsets, extents, strides));
    if (pgopt_tensors_failed(op->program))
      return;
    offsets[axis] += extents[axis];
  }
}

static int64_t clamp(int64_t value, int64_t low, int64_t high) {
  return value < low ? low : value > high ? high : value;
}

/// The tensor repeated by copying: a nest that reads it with `loops`.
static int spread(pgopt_onnx_op *op, int tensor, int rank, const int64_t *shape,
                  const int *loops) {
  const pgopt_tensor *t = pgopt_tensors_tensor(op->program, tensor);
  pgopt_nest_builder n;
  pgopt_nest_begin(&n, op->program, rank, shape, rank, t->type);
  int x = loops ? pgopt_nest_read_loops(&n, tensor, loops)
                : pgopt_nest_read_broadcast(&n, tensor);
  return pgopt_nest_end(&n, x);
}

void pgopt_onnx_lower_expand(pgopt_onnx_op *op) {
  int64_t count, shape[MAX];
  const pgopt_tensor *t = pgopt_onnx_tensor(op, 0);
  const int64_t *wanted = pgopt_onnx_integers(op, 1, &count);
  if (!wanted || count > MAX)
    return;
  int rank = count > t->rank ? (int)count : t->rank;
  bool same = rank == t->rank;
  for (int d = 0; d < rank; ++d) {
    int own = d - (rank - t->rank), other = d - (rank - (int)count);
    int64_t a = own < 0 ? 1 : t->shape[own], b = other < 0 ? 1 : wanted[other];
    if (a != b && a != 1 && b != 1) {
      pgopt_onnx_fail(op, PGOPT_INVALID,
                      "extents %lld and %lld cannot be "
                      "broadcast",
                      (long long)a, (long long)b);
      return;
    }
    shape[d] = a == 1 ? b : a;
    same &= shape[d] == a;
  }
  int x = pgopt_onnx_input(op, 0);
  set(op, same ? x : spread(op, x, rank, shape, NULL));
}

void pgopt_onnx_lower_tile(pgopt_onnx_op *op) {
  const pgopt_tensor *t = pgopt_onnx_tensor(op, 0);
  int64_t count, wide[2 * MAX], shape[MAX];
  const int64_t *repeats = pgopt_onnx_integers(op, 1, &count);
  if (!repeats)
    return;
  int loops[MAX];
  if (count != t->rank || op->opset < 6) {
    pgopt_onnx_fail(op, PGOPT_INVALID, "%lld repeats for %d dimensions",
                    (long long)count, t->rank);
    return;
  }
  for (int d = 0; d < t->rank; ++d) {
    wide[2 * d] = repeats[d];
    wide[2 * d + 1] = t->shape[d];
    loops[d] = 2 * d + 1;
    if (repeats[d] < 0 ||
        !pgopt_checked_multiply(repeats[d], t->shape[d], &shape[d])) {
      pgopt_onnx_fail(op, PGOPT_INVALID, "a repeat is negative or too large");
      return;
    }
  }
  int copied = spread(op, pgopt_onnx_input(op, 0), 2 * t->rank, wide, loops);
  set(op, pgopt_tensors_reshape(op->program, copied, t->rank, shape));
}

void pgopt_onnx_lower_shape(pgopt_onnx_op *op) {
  const pgopt_tensor *t = pgopt_onnx_tensor(op, 0);
  int64_t start = pgopt_onnx_int(op, "start", 0);
  int64_t end = pgopt_onnx_int(op, "end", t->rank);
  start = clamp(start < 0 ? start + t->rank : start, 0, t->rank);
  end = clamp(end < 0 ? end + t->rank : end, start, t->rank);
  set(op, pgopt_tensors_integers(op->program, end - start, t->shape + start));
}

void pgopt_onnx_lower_size(pgopt_onnx_op *op) {
  const pgopt_tensor *t = pgopt_onnx_tensor(op, 0);
  set(op, pgopt_tensors_splat(op->program, PGOPT_I64, 0, NULL,
                              (pgopt_scalar_value){.i = t->count}));
}

/// A constant from an attribute's tensor.
static int from_attribute(pgopt_onnx_op *op, const Pgopt__Onnx__Tensor *tensor,
                          pgopt_onnx_data *data) {
  pgopt_error error = {0};
  if (pgopt_onnx_read_attribute(op, tensor, data, &error) != PGOPT_OK)
    return pgopt_onnx_fail(op, error.status, "%s", error.message);
  return pgopt_tensors_constant(op->program, data->type, data->rank,
                                data->shape, data->data, false, NULL);
}

void pgopt_onnx_lower_constant(pgopt_onnx_op *op) {
  const Pgopt__Onnx__Attribute *a;
  pgopt_onnx_data data;
  if ((a = pgopt_onnx_attribute(op, "value")) && a->t) {
    set(op, from_attribute(op, a->t, &data));
  } else if ((a = pgopt_onnx_attribute(op, "value_int"))) {
    set(op, pgopt_tensors_splat(op->program, PGOPT_I64, 0, NULL,
                                (pgopt_scalar_value){.i = a->i}));
  } else if ((a = pgopt_onnx_attribute(op, "value_float"))) {
    set(op, pgopt_onnx_scalar(op, PGOPT_F32, a->f));
  } else if ((a = pgopt_onnx_attribute(op, "value_ints"))) {
    set(op, pgopt_tensors_integers(op->program, (int64_t)a->n_ints, a->ints));
  } else if ((a = pgopt_onnx_attribute(op, "value_floats"))) {
    int64_t count = (int64_t)a->n_floats;
    set(op, pgopt_tensors_constant(op->program, PGOPT_F32, 1, &count, a->floats,
                                   false, NULL));
  } else {
    pgopt_onnx_fail(op, PGOPT_UNSUPPORTED,
                    "a constant of strings or a sparse one is not supported");
  }
}

void pgopt_onnx_lower_constant_of_shape(pgopt_onnx_op *op) {
  int64_t count;
  const int64_t *shape = pgopt_onnx_integers(op, 0, &count);
  const Pgopt__Onnx__Attribute *a = pgopt_onnx_attribute(op, "value");
  pgopt_onnx_data data = {.type = PGOPT_F32};
  pgopt_scalar_value value = {0};
  if (!shape)
    return;
  if (a && a->t) {
    if (from_attribute(op, a->t, &data) < 0 || data.count != 1) {
      pgopt_onnx_fail(op, PGOPT_INVALID, "its value is not one element");
      return;
    }
    value = pgopt_number_read(data.type, data.data, 0);
  }
  set(op,
      pgopt_tensors_splat(op->program, data.type, (int)count, shape, value));
}

void pgopt_onnx_lower_range(pgopt_onnx_op *op) {
  pgopt_number type = pgopt_onnx_tensor(op, 0)->type;
  pgopt_scalar_value v[3];
  for (int i = 0; i < 3; ++i) {
    bool splat;
    const pgopt_tensor *t = pgopt_onnx_tensor(op, i);
    const void *data =
        pgopt_tensors_data(op->program, pgopt_onnx_input(op, i), &splat);
    if (!data) {
      if (pgopt_onnx_has(op, i))
        pgopt_onnx_unknown(op, i);
      return;
    }
    if (t->count != 1 || t->type != type) {
      pgopt_onnx_fail(op, PGOPT_INVALID,
                      "start, limit and delta are not one number each of one "
                      "type");
      return;
    }
    v[i] = pgopt_number_read(type, data, 0);
  }
  bool is_float = pgopt_number_is_float(type);
  double start = is_float ? v[0].f : (double)v[0].i;
  double span = (is_float ? v[1].f : (double)v[1].i) - start;
  double delta = is_float ? v[2].f : (double)v[2].i;
  double steps = span / delta;
  if (!(steps < 1e9)) {
    pgopt_onnx_fail(op, PGOPT_OUT_OF_RANGE, "the range has no end");
    return;
  }
  int64_t count = steps > 0 ? (int64_t)steps : 0;
  count += (double)count < steps;
  pgopt_nest_builder n;
  pgopt_nest_begin(&n, op->program, 1, &count, 1, type);
  pgopt_number computed = pgopt_number_computed(type);
  int at = pgopt_nest_cast(&n, pgopt_nest_index(&n, 0), computed);
  int step = s_mul(&n, at, pgopt_nest_constant(&n, computed, v[2]));
  set(op, pgopt_nest_end(
              &n, s_add(&n, pgopt_nest_constant(&n, computed, v[0]), step)));
}

void pgopt_onnx_lower_eye_like(pgopt_onnx_op *op) {
  const pgopt_tensor *t = pgopt_onnx_tensor(op, 0);
  pgopt_number type = t->type;
  int64_t dtype = pgopt_onnx_int(op, "dtype", 0);
  if (t->rank != 2 || (dtype && !pgopt_onnx_number((int)dtype, &type))) {
    pgopt_onnx_fail(op, PGOPT_INVALID, "no matrix, or an unknown dtype");
    return;
  }
  pgopt_nest_builder n;
  pgopt_nest_begin(&n, op->program, 2, t->shape, 2, type);
  int row = pgopt_nest_index(&n, 0), column = pgopt_nest_index(&n, 1);
  int shifted = s_add(&n, row, s_i64(&n, pgopt_onnx_int(op, "k", 0)));
  set(op,
      pgopt_nest_end(&n, pgopt_nest_cast(&n, s_eq(&n, shifted, column), type)));
}

/// DepthToSpace and SpaceToDepth: split, permute, join.
void pgopt_onnx_lower_depth_space(pgopt_onnx_op *op) {
  const pgopt_tensor *t = pgopt_onnx_tensor(op, 0);
  int64_t b = pgopt_onnx_int(op, "blocksize", 0);
  bool to_space = !strcmp(op->entry->name, "DepthToSpace");
  if (t->rank != 4 || b < 1 || b > 1 << 11 ||
      (to_space ? t->shape[1] % (b * b) : t->shape[2] % b || t->shape[3] % b)) {
    pgopt_onnx_fail(op, PGOPT_INVALID, "its input does not divide in blocks");
    return;
  }
  int64_t n = t->shape[0], c = t->shape[1], h = t->shape[2], w = t->shape[3];
  int64_t depth = c / (b * b);
  bool crd = pgopt_onnx_is(op, "mode", "CRD", "DCR");
  static const int dcr_order[] = {0, 3, 4, 1, 5, 2};
  static const int crd_order[] = {0, 1, 4, 2, 5, 3};
  static const int depth_order[] = {0, 3, 5, 1, 2, 4};
  int64_t dcr_split[] = {n, b, b, depth, h, w};
  int64_t crd_split[] = {n, depth, b, b, h, w};
  int64_t space_split[] = {n, c, h / b, b, w / b, b};
  int64_t space[] = {n, depth, h * b, w * b};
  int64_t deep[] = {n, c * b * b, h / b, w / b};
  int split = pgopt_tensors_reshape(op->program, pgopt_onnx_input(op, 0), 6,
                                    !to_space ? space_split
                                    : crd     ? crd_split
                                              : dcr_split);
  int moved = pgopt_tensors_transpose(op->program, split,
                                      !to_space ? depth_order
                                      : crd     ? crd_order
                                                : dcr_order);
  set(op,
      pgopt_tensors_reshape(op->program, moved, 4, to_space ? space : deep));
}
