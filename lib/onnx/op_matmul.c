/// \file Matrix products and einsum.
#include "onnx/op.h"
#include "onnx/operators.h"
#include "tensor/einsum.h"

#include <stdlib.h>
#include <string.h>

void pgopt_onnx_lower_matmul(pgopt_onnx_op *op) {
  pgopt_onnx_output(op, 0,
                    pgopt_tensors_matmul(op->program, pgopt_onnx_input(op, 0),
                                         pgopt_onnx_input(op, 1)));
}

void pgopt_onnx_lower_einsum(pgopt_onnx_op *op) {
  const Pgopt__Onnx__Attribute *a = pgopt_onnx_attribute(op, "equation");
  if (!a || !a->has_s) {
    pgopt_onnx_fail(op, PGOPT_INVALID, "it has no equation");
    return;
  }
  char *equation =
      pgopt_arena_text(&op->program->arena, (const char *)a->s.data, a->s.len);
  for (int i = 0; i < op->input_count; ++i)
    pgopt_onnx_input(op, i);
  if (!pgopt_tensors_failed(op->program))
    pgopt_onnx_output(op, 0,
                      pgopt_tensors_einsum(op->program, equation,
                                           op->input_count, op->inputs));
}

/// alpha * A * B + beta * C.
void pgopt_onnx_lower_gemm(pgopt_onnx_op *op) {
  int operands[] = {pgopt_onnx_input(op, 0), pgopt_onnx_input(op, 1)};
  bool ta = pgopt_onnx_int(op, "transA", 0),
       tb = pgopt_onnx_int(op, "transB", 0);
  for (int i = 0; i < 2; ++i) {
    const pgopt_tensor *t = pgopt_tensors_tensor(op->program, operands[i]);
    // Old models give the image of a convolution: all behind axis 0 is flat.
    if (operands[i] >= 0 && t->rank > 2 && op->opset < 7 && t->shape[0]) {
      int64_t flat[] = {t->shape[0], t->count / t->shape[0]};
      operands[i] = pgopt_tensors_reshape(op->program, operands[i], 2, flat);
    }
  }
  static const char *const equations[] = {"mk,kn->mn", "mk,nk->mn", "km,kn->mn",
                                          "km,nk->mn"};
  int result =
      pgopt_tensors_einsum(op->program, equations[2 * ta + tb], 2, operands);
  if (result < 0)
    return;
  double alpha = pgopt_onnx_float(op, "alpha", 1);
  double beta = pgopt_onnx_float(op, "beta", 1);
  const pgopt_tensor *r = pgopt_tensors_tensor(op->program, result);
  bool adds = pgopt_onnx_has(op, 2) && beta != 0;
  if (alpha == 1 && !adds) {
    pgopt_onnx_output(op, 0, result);
    return;
  }
  pgopt_nest_builder n;
  pgopt_nest_begin(&n, op->program, 2, r->shape, 2, r->type);
  int value = pgopt_nest_read_broadcast(&n, result);
  if (alpha != 1)
    value = s_mul(&n, value, s_like(&n, value, alpha));
  if (adds) {
    int c = pgopt_nest_read_broadcast(&n, op->inputs[2]);
    if (beta != 1)
      c = s_mul(&n, c, s_like(&n, c, beta));
    value = s_add(&n, value, c);
  }
  pgopt_onnx_output(op, 0, pgopt_nest_end(&n, value));
}
