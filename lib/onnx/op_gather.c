/// \file Operators that read or write where other tensors say.
#include "onnx/op.h"
#include "onnx/operators.h"

#include <stdlib.h>
#include <string.h>

enum { MAX = PGOPT_MAX_TENSOR_RANK };

static void set(pgopt_onnx_op *op, int tensor) {
  pgopt_onnx_output(op, 0, tensor);
}

/// An index read from a tensor as I64, counted from the end when negative.
static int index_value(pgopt_nest_builder *n, int scalar, int64_t extent) {
  int index = pgopt_nest_cast(n, scalar, PGOPT_I64);
  int from_end = s_add(n, index, s_i64(n, extent));
  return s_select(n, s_lt(n, index, s_i64(n, 0)), from_end, index);
}

/// One element of a dimension that is known: a slice.
static int take_one(pgopt_onnx_op *op, int data, int axis, int64_t at,
                    const pgopt_tensor *indices) {
  const pgopt_tensor *t = pgopt_tensors_tensor(op->program, data);
  int64_t offsets[MAX] = {0}, sizes[MAX], strides[MAX], shape[MAX];
  int rank = 0;
  if (at < 0)
    at += t->shape[axis];
  for (int d = 0; d < t->rank; ++d) {
    sizes[d] = d == axis ? 1 : t->shape[d];
    strides[d] = 1;
    for (int k = 0; k < indices->rank && d == axis; ++k)
      shape[rank++] = 1;
    if (d != axis)
      shape[rank++] = t->shape[d];
  }
  offsets[axis] = at;
  int slice = pgopt_tensors_slice(op->program, data, offsets, sizes, strides);
  return pgopt_tensors_reshape(op->program, slice, rank, shape);
}

void pgopt_onnx_lower_gather(pgopt_onnx_op *op) {
  int data = pgopt_onnx_input(op, 0), indices = pgopt_onnx_input(op, 1);
  const pgopt_tensor *t = pgopt_onnx_tensor(op, 0);
  const pgopt_tensor *q = pgopt_onnx_tensor(op, 1);
  int axis = pgopt_onnx_axis(op, pgopt_onnx_int(op, "axis", 0), t->rank);
  if (pgopt_tensors_failed(op->program))
    return;
  int rank = t->rank + q->rank - 1;
  if (rank > MAX) {
    pgopt_onnx_fail(op, PGOPT_OUT_OF_RANGE, "too many dimensions");
    return;
  }
  if (q->count == 1) {
    const int64_t *known = pgopt_tensors_read_integers(op->program, indices);
    if (known) {
      set(op, take_one(op, data, axis, known[0], q));
      return;
    }
  }
  int64_t shape[MAX];
  int loops[MAX], at[MAX];
  for (int d = 0; d < axis; ++d)
    shape[d] = t->shape[d];
  for (int d = 0; d < q->rank; ++d) {
    shape[axis + d] = q->shape[d];
    loops[d] = axis + d;
  }
  for (int d = axis + 1; d < t->rank; ++d)
    shape[d + q->rank - 1] = t->shape[d];
  pgopt_nest_builder n;
  pgopt_nest_begin(&n, op->program, rank, shape, rank, t->type);
  int chosen = pgopt_nest_read_loops(&n, indices, loops);
  for (int d = 0; d < t->rank; ++d)
    at[d] = d == axis ? index_value(&n, chosen, t->shape[d])
                      : pgopt_nest_index(&n, d < axis ? d : d + q->rank - 1);
  set(op, pgopt_nest_end(&n, pgopt_nest_load(&n, data, at)));
}

void pgopt_onnx_lower_gather_elements(pgopt_onnx_op *op) {
  int data = pgopt_onnx_input(op, 0), indices = pgopt_onnx_input(op, 1);
  const pgopt_tensor *t = pgopt_onnx_tensor(op, 0);
  const pgopt_tensor *q = pgopt_onnx_tensor(op, 1);
  int axis = pgopt_onnx_axis(op, pgopt_onnx_int(op, "axis", 0), t->rank);
  if (axis < 0 || q->rank != t->rank) {
    pgopt_onnx_fail(op, PGOPT_INVALID, "indices and data differ in rank");
    return;
  }
  int at[MAX];
  pgopt_nest_builder n;
  pgopt_nest_begin(&n, op->program, q->rank, q->shape, q->rank, t->type);
  int chosen = pgopt_nest_read_broadcast(&n, indices);
  for (int d = 0; d < t->rank; ++d)
    at[d] = d == axis ? index_value(&n, chosen, t->shape[d])
                      : pgopt_nest_index(&n, d);
  set(op, pgopt_nest_end(&n, pgopt_nest_load(&n, data, at)));
}

void pgopt_onnx_lower_gather_nd(pgopt_onnx_op *op) {
  int data = pgopt_onnx_input(op, 0), indices = pgopt_onnx_input(op, 1);
  const pgopt_tensor *t = pgopt_onnx_tensor(op, 0);
  const pgopt_tensor *q = pgopt_onnx_tensor(op, 1);
  int64_t batch = pgopt_onnx_int(op, "batch_dims", 0), shape[MAX];
  int64_t depth = q->rank ? q->shape[q->rank - 1] : 0;
  if (pgopt_tensors_failed(op->program) || batch < 0 || batch >= q->rank ||
      depth < 1 || batch + depth > t->rank ||
      q->rank - 1 + t->rank - batch - depth > MAX) {
    pgopt_onnx_fail(op, PGOPT_INVALID, "indices do not fit the data");
    return;
  }
  int outer = q->rank - 1, first = (int)(batch + depth);
  int rank = outer + t->rank - first, at[MAX], place[MAX];
  for (int d = 0; d < outer; ++d)
    shape[d] = q->shape[d];
  for (int d = first; d < t->rank; ++d)
    shape[outer + d - first] = t->shape[d];
  pgopt_nest_builder n;
  pgopt_nest_begin(&n, op->program, rank, shape, rank, t->type);
  for (int d = 0; d < outer; ++d)
    place[d] = pgopt_nest_index(&n, d);
  for (int d = 0; d < t->rank; ++d) {
    if (d < batch) {
      at[d] = pgopt_nest_index(&n, d);
    } else if (d >= first) {
      at[d] = pgopt_nest_index(&n, outer + d - first);
    } else {
      place[outer] = s_i64(&n, d - batch);
      at[d] = index_value(&n, pgopt_nest_load(&n, indices, place), t->shape[d]);
    }
  }
  set(op, pgopt_nest_end(&n, pgopt_nest_load(&n, data, at)));
}

/// How updates are combined with what is there; CONSTANT: they replace it.
static pgopt_scalar_kind combination(pgopt_onnx_op *op) {
  static const struct {
    const char *name;
    pgopt_scalar_kind kind;
  } names[] = {{"none", PGOPT_S_CONSTANT},
               {"add", PGOPT_S_ADD},
               {"mul", PGOPT_S_MUL},
               {"max", PGOPT_S_MAX},
               {"min", PGOPT_S_MIN}};
  for (size_t i = 0; i < sizeof names / sizeof *names; ++i)
    if (pgopt_onnx_is(op, "reduction", names[i].name, "none"))
      return names[i].kind;
  pgopt_onnx_fail(op, PGOPT_UNSUPPORTED, "its reduction is not supported");
  return PGOPT_S_CONSTANT;
}

static pgopt_scalar_value neutral(pgopt_scalar_kind kind, pgopt_number type) {
  bool is_float = pgopt_number_is_float(type);
  if (kind == PGOPT_S_MUL)
    return (pgopt_scalar_value){.f = 1, .i = 1};
  if (kind == PGOPT_S_MAX)
    return is_float ? (pgopt_scalar_value){.f = -1.0 / 0.0}
                    : pgopt_number_least(type);
  if (kind == PGOPT_S_MIN)
    return is_float ? (pgopt_scalar_value){.f = 1.0 / 0.0}
                    : pgopt_number_greatest(type);
  return (pgopt_scalar_value){0};
}

/// A scatter over places in lines. `places` (lines, count) says where on its
/// line of `extent` each of the updates (lines, count, inner) goes; `data` is
/// (lines, extent, inner). Places outside of the line go nowhere. Every element
/// looks for its updates, the last one of which wins where they replace it.
static int scatter(pgopt_onnx_op *op, int data, int places, int updates) {
  pgopt_tensor_program *p = op->program;
  if (data < 0 || places < 0 || updates < 0)
    return -1;
  const pgopt_tensor *t = pgopt_tensors_tensor(p, data);
  const pgopt_tensor *q = pgopt_tensors_tensor(p, places);
  pgopt_scalar_kind kind = combination(op);
  pgopt_number type = pgopt_number_computed(t->type);
  int64_t extents[] = {t->shape[0], t->shape[1], t->shape[2], q->shape[1]};
  static const int place_loops[] = {0, 3}, update_loops[] = {0, 3, 2};
  pgopt_nest_builder n;
  if (kind == PGOPT_S_CONSTANT) {
    static const int line_loops[] = {0, 2};
    int64_t lines[] = {t->shape[0], t->shape[1], q->shape[1]};
    pgopt_nest_begin(&n, p, 3, lines, 2, PGOPT_I64);
    int place = pgopt_nest_read_loops(&n, places, line_loops);
    int hit = s_eq(&n, place, pgopt_nest_index(&n, 1));
    int winner = s_select(&n, hit, pgopt_nest_index(&n, 2), s_i64(&n, -1));
    int last = pgopt_nest_init(&n, (pgopt_scalar_value){.i = -1});
    int winners = pgopt_nest_end(&n, s_max(&n, last, winner));
    pgopt_nest_begin(&n, p, 3, t->shape, 3, t->type);
    static const int own[] = {0, 1};
    int chosen = pgopt_nest_read_loops(&n, winners, own);
    int at[] = {pgopt_nest_index(&n, 0), chosen, pgopt_nest_index(&n, 2)};
    int update = pgopt_nest_load(&n, updates, at);
    int kept = pgopt_nest_read_broadcast(&n, data);
    int is_kept = s_lt(&n, chosen, s_i64(&n, 0));
    return pgopt_nest_end(&n, s_select(&n, is_kept, kept, update));
  }
  pgopt_nest_begin(&n, p, 4, extents, 3, type);
  int place = pgopt_nest_read_loops(&n, places, place_loops);
  int hit = s_eq(&n, place, pgopt_nest_index(&n, 1));
  int update = pgopt_nest_read_loops(&n, updates, update_loops);
  pgopt_scalar_value start = neutral(kind, type);
  int so_far = pgopt_nest_init(&n, start);
  int none = pgopt_nest_constant(&n, type, start);
  int value = s_select(&n, hit, update, none);
  int gathered =
      pgopt_nest_end(&n, pgopt_nest_scalar(&n, kind, so_far, value, -1));
  pgopt_nest_begin(&n, p, 3, t->shape, 3, t->type);
  int kept = pgopt_nest_read_broadcast(&n, data);
  int added = pgopt_nest_read_broadcast(&n, gathered);
  return pgopt_nest_end(&n, pgopt_nest_scalar(&n, kind, kept, added, -1));
}

/// Indices as I64, counted from the end when negative.
static int positive_indices(pgopt_onnx_op *op, int indices, int64_t extent) {
  const pgopt_tensor *q = pgopt_tensors_tensor(op->program, indices);
  pgopt_nest_builder n;
  pgopt_nest_begin(&n, op->program, q->rank, q->shape, q->rank, PGOPT_I64);
  int value = pgopt_nest_read_broadcast(&n, indices);
  return pgopt_nest_end(&n, index_value(&n, value, extent));
}

/// Moves `axis` to the end and joins all others.
static int lines_of(pgopt_onnx_op *op, int tensor, int axis) {
  const pgopt_tensor *t = pgopt_tensors_tensor(op->program, tensor);
  int permutation[MAX], rank = 0;
  if (tensor < 0)
    return -1;
  for (int d = 0; d < t->rank; ++d)
    if (d != axis)
      permutation[rank++] = d;
  permutation[rank] = axis;
  int64_t extent = t->shape[axis];
  int64_t shape[] = {extent ? t->count / extent : 0, extent};
  return pgopt_tensors_reshape(
      op->program, pgopt_tensors_transpose(op->program, tensor, permutation), 2,
      shape);
}

void pgopt_onnx_lower_scatter_elements(pgopt_onnx_op *op) {
  int data = pgopt_onnx_input(op, 0), indices = pgopt_onnx_input(op, 1);
  int updates = pgopt_onnx_input(op, 2);
  const pgopt_tensor *t = pgopt_onnx_tensor(op, 0);
  const pgopt_tensor *q = pgopt_onnx_tensor(op, 1);
  int axis = pgopt_onnx_axis(op, pgopt_onnx_int(op, "axis", 0), t->rank);
  if (pgopt_tensors_failed(op->program))
    return;
  const pgopt_tensor *u = pgopt_onnx_tensor(op, 2);
  int64_t low[MAX] = {0}, high[MAX] = {0};
  bool fits = q->rank == t->rank && u->rank == q->rank;
  for (int d = 0; d < t->rank && fits; ++d) {
    fits =
        q->shape[d] == u->shape[d] && (d == axis || q->shape[d] <= t->shape[d]);
    high[d] = fits && d != axis ? t->shape[d] - q->shape[d] : 0;
  }
  if (!fits) {
    pgopt_onnx_fail(op, PGOPT_INVALID, "indices, updates and data differ");
    return;
  }
  // Lines that the indices do not reach get an index that is nowhere.
  int places = positive_indices(op, indices, t->shape[axis]);
  places = pgopt_tensors_pad(op->program, places, low, high,
                             (pgopt_scalar_value){.i = -1});
  updates = pgopt_tensors_pad(op->program, updates, low, high,
                              (pgopt_scalar_value){0});
  int flat = lines_of(op, data, axis);
  const pgopt_tensor *f = pgopt_tensors_tensor(op->program, flat);
  int64_t shape[] = {f->shape[0], f->shape[1], 1};
  int64_t update_shape[] = {f->shape[0], q->shape[axis], 1};
  int result =
      scatter(op, pgopt_tensors_reshape(op->program, flat, 3, shape),
              lines_of(op, places, axis),
              pgopt_tensors_reshape(op->program, lines_of(op, updates, axis), 3,
                                    update_shape));
  // Back to where the axis was.
  int64_t moved[MAX];
  int back[MAX], rank = 0;
  for (int d = 0; d < t->rank; ++d)
    if (d != axis)
      moved[rank++] = t->shape[d];
  moved[rank] = t->shape[axis];
  for (int d = 0; d < t->rank; ++d)
    back[d] = d == axis ? rank : d - (d > axis);
  result = pgopt_tensors_reshape(op->program, result, t->rank, moved);
  set(op, pgopt_tensors_transpose(op->program, result, back));
}

void pgopt_onnx_lower_scatter_nd(pgopt_onnx_op *op) {
  int data = pgopt_onnx_input(op, 0), indices = pgopt_onnx_input(op, 1);
  int updates = pgopt_onnx_input(op, 2);
  const pgopt_tensor *t = pgopt_onnx_tensor(op, 0);
  const pgopt_tensor *q = pgopt_onnx_tensor(op, 1);
  int64_t depth = q->rank ? q->shape[q->rank - 1] : 0, places = 1, inner = 1;
  if (pgopt_tensors_failed(op->program) || depth < 1 || depth > t->rank) {
    pgopt_onnx_fail(op, PGOPT_INVALID, "indices do not fit the data");
    return;
  }
  int64_t count = q->count / depth, weights[MAX] = {0};
  for (int d = t->rank - 1; d >= 0; --d) {
    weights[d] = places;
    if (d >= depth)
      inner *= t->shape[d];
    else
      places *= t->shape[d];
  }
  // The place of every update in the flattened first dimensions.
  int64_t index_shape[] = {count, depth};
  int flat = pgopt_tensors_reshape(op->program, indices, 2, index_shape);
  pgopt_nest_builder n;
  pgopt_nest_begin(&n, op->program, 1, &count, 1, PGOPT_I64);
  int place = s_i64(&n, 0);
  for (int d = 0; d < depth; ++d) {
    int64_t rows[] = {1, 0, 0, d};
    int index = index_value(&n, pgopt_nest_read(&n, flat, rows), t->shape[d]);
    place = s_add(&n, place, s_mul(&n, index, s_i64(&n, weights[d])));
  }
  int line = pgopt_nest_end(&n, place);
  int64_t line_shape[] = {1, count}, shape[] = {1, places, inner};
  int64_t update_shape[] = {1, count, inner};
  int result =
      scatter(op, pgopt_tensors_reshape(op->program, data, 3, shape),
              pgopt_tensors_reshape(op->program, line, 2, line_shape),
              pgopt_tensors_reshape(op->program, updates, 3, update_shape));
  set(op, pgopt_tensors_reshape(op->program, result, t->rank, t->shape));
}

void pgopt_onnx_lower_one_hot(pgopt_onnx_op *op) {
  int indices = pgopt_onnx_input(op, 0), values = pgopt_onnx_input(op, 2);
  const pgopt_tensor *q = pgopt_onnx_tensor(op, 0);
  const pgopt_tensor *v = pgopt_onnx_tensor(op, 2);
  bool splat;
  const void *data =
      pgopt_tensors_data(op->program, pgopt_onnx_input(op, 1), &splat);
  if (!data) {
    if (pgopt_onnx_has(op, 1))
      pgopt_onnx_unknown(op, 1);
    return;
  }
  if (pgopt_onnx_tensor(op, 1)->count != 1) {
    pgopt_onnx_fail(op, PGOPT_INVALID, "its depth is not one number");
    return;
  }
  pgopt_number depth_type = pgopt_onnx_tensor(op, 1)->type;
  int64_t depth = pgopt_number_cast(pgopt_number_read(depth_type, data, 0),
                                    depth_type, PGOPT_I64)
                      .i;
  int axis = pgopt_onnx_axis(op, pgopt_onnx_int(op, "axis", -1), q->rank + 1);
  if (axis < 0 || depth < 0 || q->rank + 1 > MAX || v->rank != 1 ||
      v->count != 2) {
    pgopt_onnx_fail(op, PGOPT_INVALID, "depth or values do not fit");
    return;
  }
  int64_t shape[MAX];
  int loops[MAX];
  for (int d = 0; d <= q->rank; ++d)
    shape[d] = d == axis ? depth : q->shape[d - (d > axis)];
  for (int d = 0; d < q->rank; ++d)
    loops[d] = d + (d >= axis);
  pgopt_nest_builder n;
  pgopt_nest_begin(&n, op->program, q->rank + 1, shape, q->rank + 1, v->type);
  int chosen =
      index_value(&n, pgopt_nest_read_loops(&n, indices, loops), depth);
  int64_t *off = pgopt_allocate((size_t)q->rank + 2, sizeof *off);
  int no = pgopt_nest_read(&n, values, off);
  off[q->rank + 1] = 1;
  int yes = pgopt_nest_read(&n, values, off);
  free(off);
  int is_hot = s_eq(&n, chosen, pgopt_nest_index(&n, axis));
  set(op, pgopt_nest_end(&n, s_select(&n, is_hot, yes, no)));
}

void pgopt_onnx_lower_trilu(pgopt_onnx_op *op) {
  int x = pgopt_onnx_input(op, 0);
  const pgopt_tensor *t = pgopt_onnx_tensor(op, 0);
  bool upper = pgopt_onnx_int(op, "upper", 1);
  if (x < 0 || t->rank < 2) {
    pgopt_onnx_fail(op, PGOPT_INVALID, "its input is no matrix");
    return;
  }
  pgopt_nest_builder n;
  pgopt_nest_begin(&n, op->program, t->rank, t->shape, t->rank, t->type);
  int value = pgopt_nest_read_broadcast(&n, x);
  int shift = s_i64(&n, 0);
  if (pgopt_onnx_has(op, 1))
    shift = pgopt_nest_read_broadcast(
        &n, pgopt_tensors_reshape(op->program, op->inputs[1], 0, NULL));
  int row = pgopt_nest_index(&n, t->rank - 2);
  int column = pgopt_nest_index(&n, t->rank - 1);
  int edge = s_add(&n, row, shift);
  int keeps =
      pgopt_nest_scalar(&n, upper ? PGOPT_S_GE : PGOPT_S_LE, column, edge, -1);
  set(op, pgopt_nest_end(&n, s_select(&n, keeps, value, s_like(&n, value, 0))));
}

void pgopt_onnx_lower_reverse_sequence(pgopt_onnx_op *op) {
  int x = pgopt_onnx_input(op, 0), lengths = pgopt_onnx_input(op, 1);
  const pgopt_tensor *t = pgopt_onnx_tensor(op, 0);
  int batch = pgopt_onnx_axis(op, pgopt_onnx_int(op, "batch_axis", 1), t->rank);
  int time = pgopt_onnx_axis(op, pgopt_onnx_int(op, "time_axis", 0), t->rank);
  if (pgopt_tensors_failed(op->program))
    return;
  if (pgopt_onnx_tensor(op, 1)->rank != 1) {
    pgopt_onnx_fail(op, PGOPT_INVALID, "its lengths are no vector");
    return;
  }
  int at[MAX];
  pgopt_nest_builder n;
  pgopt_nest_begin(&n, op->program, t->rank, t->shape, t->rank, t->type);
  int length = pgopt_nest_cast(&n, pgopt_nest_read_loops(&n, lengths, &batch),
                               PGOPT_I64);
  for (int d = 0; d < t->rank; ++d)
    at[d] = pgopt_nest_index(&n, d);
  int step = at[time];
  int mirrored = s_sub(&n, s_sub(&n, length, s_i64(&n, 1)), step);
  at[time] = s_select(&n, s_lt(&n, step, length), mirrored, step);
  set(op, pgopt_nest_end(&n, pgopt_nest_load(&n, x, at)));
}
