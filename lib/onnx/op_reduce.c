/// \file Reductions, softmax and what counts or ranks along an axis.
#include "onnx/op.h"
#include "onnx/operators.h"

#include <string.h>

enum { MAX = PGOPT_MAX_TENSOR_RANK };

static int apply_abs(pgopt_nest_builder *n, int x, const pgopt_onnx_op *op) {
  (void)op;
  return s_abs(n, x);
}
static int apply_square(pgopt_nest_builder *n, int x, const pgopt_onnx_op *op) {
  (void)op;
  return s_mul(n, x, x);
}
static int apply_log(pgopt_nest_builder *n, int x, const pgopt_onnx_op *op) {
  (void)op;
  pgopt_number type = pgopt_nest_type(n, x);
  if (!pgopt_number_is_float(type))
    x = pgopt_nest_cast(n, x, PGOPT_F64);
  return s_log(n, x);
}
static int apply_sqrt(pgopt_nest_builder *n, int x, const pgopt_onnx_op *op) {
  (void)op;
  if (!pgopt_number_is_float(pgopt_nest_type(n, x)))
    x = pgopt_nest_cast(n, x, PGOPT_F64);
  return s_sqrt(n, x);
}
static int apply_exp(pgopt_nest_builder *n, int x, const pgopt_onnx_op *op) {
  (void)op;
  return s_exp(n, x);
}

/// Axes of a reduction; false after a failure or when nothing is to be done.
static bool read_axes(pgopt_onnx_op *op, int since, int rank, bool *axes) {
  int64_t count = 0;
  const int64_t *given = NULL;
  if (op->opset >= since) {
    if (pgopt_onnx_has(op, 1))
      given = pgopt_onnx_integers(op, 1, &count);
  } else {
    size_t size;
    given = pgopt_onnx_ints(op, "axes", &size);
    count = (int64_t)size;
  }
  if (pgopt_tensors_failed(op->program))
    return false;
  bool all = !count && !pgopt_onnx_int(op, "noop_with_empty_axes", 0);
  for (int d = 0; d < MAX; ++d)
    axes[d] = all && d < rank;
  for (int64_t i = 0; i < count; ++i) {
    int axis = pgopt_onnx_axis(op, given[i], rank);
    if (axis < 0)
      return false;
    axes[axis] = true;
  }
  return true;
}

void pgopt_onnx_lower_reduce(pgopt_onnx_op *op) {
  const char *kind = op->entry->name + strlen("Reduce");
  int x = pgopt_onnx_input(op, 0);
  const pgopt_tensor *t = pgopt_onnx_tensor(op, 0);
  bool axes[MAX];
  if (x < 0 || !read_axes(op, strcmp(kind, "Sum") ? 18 : 13, t->rank, axes))
    return;
  bool keep = pgopt_onnx_int(op, "keepdims", 1);
  double reduced = 1;
  for (int d = 0; d < t->rank; ++d)
    reduced *= axes[d] ? (double)t->shape[d] : 1;
  if (!strcmp(kind, "LogSumExp")) {
    // The largest element is taken out so that exp does not overflow.
    int most = pgopt_onnx_reduce(op, x, axes, true, PGOPT_S_MAX);
    int rest = pgopt_onnx_binary(op, PGOPT_S_SUB, x, most);
    int sum =
        pgopt_onnx_reduce(op, pgopt_onnx_map(op, rest, t->type, apply_exp),
                          axes, true, PGOPT_S_ADD);
    int result = pgopt_onnx_binary(
        op, PGOPT_S_ADD, pgopt_onnx_map(op, sum, t->type, apply_log), most);
    if (!keep && result >= 0) {
      int64_t shape[MAX];
      int rank = 0;
      for (int d = 0; d < t->rank; ++d)
        if (!axes[d])
          shape[rank++] = t->shape[d];
      result = pgopt_tensors_reshape(op->program, result, rank, shape);
    }
    pgopt_onnx_output(op, 0, result);
    return;
  }
  if (!strcmp(kind, "L1"))
    x = pgopt_onnx_map(op, x, t->type, apply_abs);
  if (!strcmp(kind, "L2") || !strcmp(kind, "SumSquare"))
    x = pgopt_onnx_map(op, x, t->type, apply_square);
  int result = pgopt_onnx_reduce(op, x, axes, keep,
                                 (pgopt_scalar_kind)op->entry->detail);
  if (!strcmp(kind, "L2"))
    result = pgopt_onnx_map(op, result, t->type, apply_sqrt);
  if (!strcmp(kind, "LogSum"))
    result = pgopt_onnx_map(op, result, t->type, apply_log);
  if (!strcmp(kind, "Mean"))
    result = pgopt_onnx_binary(op, PGOPT_S_DIV, result,
                               pgopt_onnx_scalar(op, t->type, reduced));
  pgopt_onnx_output(op, 0, result);
}

/// ArgMax, ArgMin: the least or greatest index where the extremum is found.
void pgopt_onnx_lower_arg(pgopt_onnx_op *op) {
  int x = pgopt_onnx_input(op, 0);
  const pgopt_tensor *t = pgopt_onnx_tensor(op, 0);
  int axis = pgopt_onnx_axis(op, pgopt_onnx_int(op, "axis", 0), t->rank);
  bool axes[MAX] = {0};
  if (axis < 0)
    return;
  axes[axis] = true;
  int best = pgopt_onnx_reduce(op, x, axes, true,
                               (pgopt_scalar_kind)op->entry->detail);
  bool last = pgopt_onnx_int(op, "select_last_index", 0);
  pgopt_nest_builder n;
  pgopt_nest_begin(&n, op->program, t->rank, t->shape, t->rank, PGOPT_I64);
  int is_best = s_eq(&n, pgopt_nest_read_broadcast(&n, x),
                     pgopt_nest_read_broadcast(&n, best));
  int index = s_select(&n, is_best, pgopt_nest_index(&n, axis),
                       s_i64(&n, last ? -1 : t->shape[axis]));
  int indices = pgopt_nest_end(&n, index);
  pgopt_onnx_output(op, 0,
                    pgopt_onnx_reduce(op, indices, axes,
                                      pgopt_onnx_int(op, "keepdims", 1),
                                      last ? PGOPT_S_MAX : PGOPT_S_MIN));
}

/// softmax or, with `log`, its logarithm over the marked axes.
static int softmax(pgopt_onnx_op *op, int x, const bool *axes, bool log) {
  pgopt_number type = pgopt_tensors_tensor(op->program, x)->type;
  int most = pgopt_onnx_reduce(op, x, axes, true, PGOPT_S_MAX);
  int shifted = pgopt_onnx_binary(op, PGOPT_S_SUB, x, most);
  int exponent = pgopt_onnx_map(op, shifted, type, apply_exp);
  int sum = pgopt_onnx_reduce(op, exponent, axes, true, PGOPT_S_ADD);
  if (log)
    return pgopt_onnx_binary(op, PGOPT_S_SUB, shifted,
                             pgopt_onnx_map(op, sum, type, apply_log));
  return pgopt_onnx_binary(op, PGOPT_S_DIV, exponent, sum);
}

int pgopt_onnx_log_softmax(pgopt_onnx_op *op, int x, int axis) {
  bool axes[MAX] = {0};
  axes[axis] = true;
  return x < 0 ? -1 : softmax(op, x, axes, true);
}

/// The first of the greatest elements is 1, all others are 0.
static int hardmax(pgopt_onnx_op *op, int x, const bool *axes) {
  const pgopt_tensor *t = pgopt_tensors_tensor(op->program, x);
  int most = pgopt_onnx_reduce(op, x, axes, true, PGOPT_S_MAX);
  pgopt_nest_builder n;
  pgopt_nest_begin(&n, op->program, t->rank, t->shape, t->rank, PGOPT_I64);
  int position = s_i64(&n, 0);
  for (int d = 0; d < t->rank; ++d)
    if (axes[d])
      position = s_add(&n, s_mul(&n, position, s_i64(&n, t->shape[d])),
                       pgopt_nest_index(&n, d));
  int is_most = s_eq(&n, pgopt_nest_read_broadcast(&n, x),
                     pgopt_nest_read_broadcast(&n, most));
  int candidates =
      pgopt_nest_end(&n, s_select(&n, is_most, position, s_i64(&n, INT64_MAX)));
  int first = pgopt_onnx_reduce(op, candidates, axes, true, PGOPT_S_MIN);
  pgopt_nest_begin(&n, op->program, t->rank, t->shape, t->rank, t->type);
  position = s_i64(&n, 0);
  for (int d = 0; d < t->rank; ++d)
    if (axes[d])
      position = s_add(&n, s_mul(&n, position, s_i64(&n, t->shape[d])),
                       pgopt_nest_index(&n, d));
  int chosen = s_eq(&n, position, pgopt_nest_read_broadcast(&n, first));
  return pgopt_nest_end(&n, pgopt_nest_cast(&n, chosen, t->type));
}

void pgopt_onnx_lower_softmax(pgopt_onnx_op *op) {
  int x = pgopt_onnx_input(op, 0);
  const pgopt_tensor *t = pgopt_onnx_tensor(op, 0);
  bool axes[MAX] = {0}, old = op->opset < 13;
  int axis =
      pgopt_onnx_axis(op, pgopt_onnx_int(op, "axis", old ? 1 : -1), t->rank);
  if (axis < 0)
    return;
  // Before opset 13 all dimensions from the axis on are taken as one.
  for (int d = axis; d < (old ? t->rank : axis + 1); ++d)
    axes[d] = true;
  bool hard = !strcmp(op->entry->name, "Hardmax");
  pgopt_onnx_output(
      op, 0,
      hard ? hardmax(op, x, axes)
           : softmax(op, x, axes, !strcmp(op->entry->name, "LogSoftmax")));
}

/// Sums of all elements up to each one along an axis.
void pgopt_onnx_lower_cumsum(pgopt_onnx_op *op) {
  int x = pgopt_onnx_input(op, 0);
  const pgopt_tensor *t = pgopt_onnx_tensor(op, 0);
  int64_t count;
  const int64_t *given = pgopt_onnx_integers(op, 1, &count);
  int axis = given && count == 1 ? pgopt_onnx_axis(op, given[0], t->rank) : -1;
  if (axis < 0) {
    pgopt_onnx_fail(op, PGOPT_INVALID, "its axis is not one number");
    return;
  }
  bool exclusive = pgopt_onnx_int(op, "exclusive", 0);
  bool reverse = pgopt_onnx_int(op, "reverse", 0);
  int64_t extents[MAX + 1];
  int loops[MAX];
  for (int d = 0; d < t->rank; ++d) {
    extents[d] = t->shape[d];
    loops[d] = d == axis ? t->rank : d;
  }
  extents[t->rank] = t->shape[axis];
  pgopt_number type = pgopt_number_computed(t->type);
  pgopt_nest_builder n;
  pgopt_nest_begin(&n, op->program, t->rank + 1, extents, t->rank, type);
  int value = pgopt_nest_read_loops(&n, x, loops);
  int at = pgopt_nest_index(&n, axis), other = pgopt_nest_index(&n, t->rank);
  int counts =
      pgopt_nest_scalar(&n, exclusive ? PGOPT_S_LT : PGOPT_S_LE,
                        reverse ? at : other, reverse ? other : at, -1);
  int sum = pgopt_nest_init(&n, (pgopt_scalar_value){0});
  int term = s_select(&n, counts, value, s_like(&n, value, 0));
  pgopt_onnx_output(op, 0,
                    pgopt_tensors_cast(op->program,
                                       pgopt_nest_end(&n, s_add(&n, sum, term)),
                                       t->type));
}

/// The k greatest (or least) elements along an axis. Each element's rank is
/// counted, so the cost grows with the square of the axis.
void pgopt_onnx_lower_topk(pgopt_onnx_op *op) {
  int x = pgopt_onnx_input(op, 0);
  const pgopt_tensor *t = pgopt_onnx_tensor(op, 0);
  int axis = pgopt_onnx_axis(op, pgopt_onnx_int(op, "axis", -1), t->rank);
  int64_t k = pgopt_onnx_int(op, "k", 0), count = 1;
  if (op->opset >= 10) {
    const int64_t *given = pgopt_onnx_integers(op, 1, &count);
    k = given && count == 1 ? given[0] : -1;
  }
  if (axis < 0 || k < 0 || k > t->shape[axis]) {
    pgopt_onnx_fail(op, PGOPT_INVALID, "k is not within the axis");
    return;
  }
  bool largest = pgopt_onnx_int(op, "largest", 1);
  int rank = t->rank, loops[MAX], self[MAX];
  int64_t extents[MAX + 1];
  for (int d = 0; d < rank; ++d) {
    extents[d] = t->shape[d];
    loops[d] = d == axis ? rank : d;
    self[d] = d;
  }
  extents[rank] = t->shape[axis];
  pgopt_nest_builder n;
  pgopt_nest_begin(&n, op->program, rank + 1, extents, rank, PGOPT_I64);
  int mine = pgopt_nest_read_loops(&n, x, self);
  int other = pgopt_nest_read_loops(&n, x, loops);
  int ahead =
      pgopt_nest_scalar(&n, largest ? PGOPT_S_GT : PGOPT_S_LT, other, mine, -1);
  int tie =
      s_and(&n, s_eq(&n, other, mine),
            s_lt(&n, pgopt_nest_index(&n, rank), pgopt_nest_index(&n, axis)));
  int before = pgopt_nest_cast(&n, s_or(&n, ahead, tie), PGOPT_I64);
  int sum = pgopt_nest_init(&n, (pgopt_scalar_value){0});
  int position = pgopt_nest_end(&n, s_add(&n, sum, before));
  // Element `r` of the result is the one at position r.
  extents[axis] = k;
  for (int output = 0; output < 2; ++output) {
    pgopt_number type = output ? PGOPT_I64 : t->type;
    pgopt_number computed = pgopt_number_computed(type);
    pgopt_nest_begin(&n, op->program, rank + 1, extents, rank, computed);
    int value = output ? pgopt_nest_index(&n, rank)
                       : pgopt_nest_read_loops(&n, x, loops);
    int wanted = s_eq(&n, pgopt_nest_read_loops(&n, position, loops),
                      pgopt_nest_index(&n, axis));
    int so_far = pgopt_nest_init(&n, (pgopt_scalar_value){0});
    pgopt_onnx_output(
        op, output,
        pgopt_tensors_cast(
            op->program,
            pgopt_nest_end(&n, s_select(&n, wanted, value, so_far)), type));
  }
}
