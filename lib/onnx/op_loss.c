/// \file Losses.
#include "onnx/op.h"
#include "onnx/operators.h"

#include <string.h>

enum { MAX = PGOPT_MAX_TENSOR_RANK };

/// Mean, sum or all of -x[n, target, ...] * weight[target]. Targets equal to
/// ignore_index count nothing.
static int likelihood_loss(pgopt_onnx_op *op, int x, int target, int weight) {
  if (x < 0 || target < 0)
    return -1;
  pgopt_tensor_program *p = op->program;
  const pgopt_tensor *t = pgopt_tensors_tensor(p, x);
  const pgopt_tensor *q = pgopt_tensors_tensor(p, target);
  if (t->rank < 2 || q->rank != t->rank - 1)
    return pgopt_onnx_fail(op, PGOPT_INVALID,
                           "input and target differ in "
                           "rank");
  if (weight >= 0 && pgopt_tensors_tensor(p, weight)->rank != 1)
    return pgopt_onnx_fail(op, PGOPT_INVALID, "its weights are no vector");
  bool ignores = pgopt_onnx_attribute(op, "ignore_index");
  int64_t ignored = pgopt_onnx_int(op, "ignore_index", 0);
  int parts[2];
  for (int i = 0; i < 2; ++i) { // weights, then losses
    int at[MAX];
    pgopt_nest_builder n;
    pgopt_nest_begin(&n, p, q->rank, q->shape, q->rank, t->type);
    int chosen =
        pgopt_nest_cast(&n, pgopt_nest_read_broadcast(&n, target), PGOPT_I64);
    int factor = s_float(&n, 1);
    if (weight >= 0)
      factor = pgopt_nest_load(&n, weight, &chosen);
    if (ignores)
      factor = s_select(&n, s_eq(&n, chosen, s_i64(&n, ignored)),
                        s_like(&n, factor, 0), factor);
    if (i) {
      for (int d = 0; d < t->rank; ++d)
        at[d] = d == 1 ? chosen : pgopt_nest_index(&n, d - (d > 1));
      int score = pgopt_nest_load(&n, x, at);
      factor = s_mul(&n, s_neg(&n, score), factor);
    }
    parts[i] = pgopt_nest_end(&n, factor);
  }
  if (pgopt_onnx_is(op, "reduction", "none", "mean"))
    return parts[1];
  bool axes[MAX];
  for (int d = 0; d < MAX; ++d)
    axes[d] = d < q->rank;
  int loss = pgopt_onnx_reduce(op, parts[1], axes, false, PGOPT_S_ADD);
  if (pgopt_onnx_is(op, "reduction", "sum", "mean"))
    return loss;
  int total = pgopt_onnx_reduce(op, parts[0], axes, false, PGOPT_S_ADD);
  return pgopt_onnx_binary(op, PGOPT_S_DIV, loss, total);
}

void pgopt_onnx_lower_likelihood_loss(pgopt_onnx_op *op) {
  pgopt_onnx_output(
      op, 0,
      likelihood_loss(op, pgopt_onnx_input(op, 0), pgopt_onnx_input(op, 1),
                      pgopt_onnx_has(op, 2) ? op->inputs[2] : -1));
}

void pgopt_onnx_lower_cross_entropy(pgopt_onnx_op *op) {
  if (pgopt_onnx_tensor(op, 0)->rank < 2) {
    pgopt_onnx_fail(op, PGOPT_INVALID, "its input has no classes");
    return;
  }
  int scores = pgopt_onnx_log_softmax(op, pgopt_onnx_input(op, 0), 1);
  pgopt_onnx_output(
      op, 0,
      likelihood_loss(op, scores, pgopt_onnx_input(op, 1),
                      pgopt_onnx_has(op, 2) ? op->inputs[2] : -1));
  pgopt_onnx_output(op, 1, scores);
}
