/// \file Which linalg ops are multiply-accumulates that BLAS can compute.
#include "codegen/contraction.h"

#include "base/checked_math.h"
#include "codegen/emit.h"

#include <stdlib.h>

static bool is_argument(MlirValue value, const pgopt_generic *generic,
                        intptr_t number) {
  return mlirValueEqual(value, mlirBlockGetArgument(generic->body, number));
}

/// The binary op's other operand, when one of them is argument `number`.
static bool other_operand(MlirOperation op, const pgopt_generic *generic,
                          intptr_t number, MlirValue *other) {
  for (intptr_t i = 0; i < 2; ++i)
    if (is_argument(mlirOperationGetOperand(op, i), generic, number)) {
      *other = mlirOperationGetOperand(op, 1 - i);
      return true;
    }
  return false;
}

/// True for the body: %p = mulf %a, %b; %s = addf %c, %p; yield %s.
static bool is_multiply_add(const pgopt_generic *generic) {
  size_t count;
  MlirOperation *ops = pgopt_block_ops(generic->body, &count);
  MlirValue other;
  bool matches =
      count == 3 && pgopt_op_is(ops[0], "arith.mulf") &&
      pgopt_op_is(ops[1], "arith.addf") &&
      pgopt_op_is(ops[2], "linalg.yield") &&
      other_operand(ops[0], generic, 0, &other) &&
      is_argument(other, generic, 1) &&
      other_operand(ops[1], generic, 2, &other) &&
      mlirValueEqual(other, pgopt_result(ops[0])) &&
      mlirValueEqual(mlirOperationGetOperand(ops[2], 0), pgopt_result(ops[1]));
  free(ops);
  return matches;
}

/// Elements that the loop's step moves in the operand; false on overflow.
static bool operand_stride(const pgopt_generic_operand *operand, size_t loop,
                           int64_t *stride) {
  *stride = 0;
  for (size_t d = 0; d < operand->rank; ++d) {
    int64_t part;
    if (!pgopt_checked_multiply(operand->map.results[d].coefficients[loop],
                                operand->strides[d], &part) ||
        !pgopt_checked_add(*stride, part, stride))
      return false;
  }
  return true;
}

static bool operand_offset(const pgopt_generic_operand *operand,
                           int64_t *offset) {
  *offset = 0;
  for (size_t d = 0; d < operand->rank; ++d) {
    int64_t part;
    if (!pgopt_checked_multiply(operand->map.results[d].constant,
                                operand->strides[d], &part) ||
        !pgopt_checked_add(*offset, part, offset))
      return false;
  }
  return true;
}

/// The largest extent that the loop can have: that of the buffer which an
/// operand is a slice of.
static int64_t loop_bound(const pgopt_generic *generic, size_t loop) {
  int64_t bound = INT64_MAX;
  for (size_t i = 0; i < generic->operand_count; ++i) {
    const pgopt_generic_operand *operand = &generic->operands[i];
    if (mlirValueIsABlockArgument(operand->value))
      continue;
    MlirOperation slice = mlirOpResultGetOwner(operand->value);
    if (!pgopt_op_is(slice, "memref.subview"))
      continue;
    MlirType type = mlirValueGetType(mlirOperationGetOperand(slice, 0));
    if ((size_t)mlirShapedTypeGetRank(type) != operand->rank)
      continue;
    for (size_t d = 0; d < operand->rank; ++d) {
      int single = pgopt_linear_single_loop(&operand->map.results[d],
                                            generic->loop_count);
      if (single != (int)loop || mlirShapedTypeIsDynamicDim(type, (intptr_t)d))
        continue;
      int64_t extent = mlirShapedTypeGetDimSize(type, (intptr_t)d);
      bound = extent < bound ? extent : bound;
    }
  }
  return bound;
}

static bool operands_fit(const pgopt_generic *generic) {
  if (generic->operand_count != 3 || generic->input_count != 2)
    return false;
  const pgopt_generic_operand *c = &generic->operands[2];
  if (!mlirTypeIsAF32(c->element) && !mlirTypeIsAF64(c->element))
    return false;
  MlirValue destination = pgopt_root_buffer(c->value);
  for (size_t i = 0; i < 3; ++i) {
    const pgopt_generic_operand *operand = &generic->operands[i];
    if (!operand->is_memref || !operand->strides ||
        !mlirTypeEqual(operand->element, c->element))
      return false;
    if (i < 2 && mlirValueEqual(pgopt_root_buffer(operand->value), destination))
      return false;
  }
  return true;
}

bool pgopt_read_contraction(const pgopt_generic *generic, int64_t scratch_bytes,
                            pgopt_contraction *contraction) {
  if (generic->loop_count > PGOPT_GEMM_MAX_LOOPS || !operands_fit(generic) ||
      !is_multiply_add(generic))
    return false;
  pgopt_gemm_problem *problem = &contraction->problem;
  problem->loop_count = generic->loop_count;
  problem->scratch_elements =
      scratch_bytes / pgopt_element_storage(generic->operands[2].element);
  for (size_t l = 0; l < generic->loop_count; ++l) {
    pgopt_gemm_loop *loop = &problem->loops[l];
    loop->is_reduction = generic->is_reduction[l];
    loop->is_dynamic = generic->extents[l] == PGOPT_DYNAMIC;
    loop->extent =
        loop->is_dynamic ? loop_bound(generic, l) : generic->extents[l];
    for (size_t i = 0; i < 3; ++i)
      if (!operand_stride(&generic->operands[i], l, &loop->strides[i]))
        return false;
  }
  for (size_t i = 0; i < 3; ++i)
    if (!operand_offset(&generic->operands[i], &contraction->offsets[i]))
      return false;
  return true;
}

static bool is_constant(MlirValue value, double expected) {
  if (mlirValueIsABlockArgument(value))
    return false;
  MlirOperation op = mlirOpResultGetOwner(value);
  if (!pgopt_op_is(op, "arith.constant"))
    return false;
  MlirAttribute attribute = pgopt_op_attribute(op, "value");
  return mlirAttributeIsAFloat(attribute) &&
         mlirFloatAttrGetValueDouble(attribute) == expected;
}

bool pgopt_fills_with(MlirOperation op, MlirValue destination,
                      double constant) {
  pgopt_generic fill;
  bool result = false;
  if (!pgopt_read_generic(op, &fill) || fill.operand_count == 0 ||
      fill.operand_count - fill.input_count != 1)
    goto done;
  const pgopt_generic_operand *out = &fill.operands[fill.operand_count - 1];
  if (!mlirValueEqual(out->value, destination) || out->rank != fill.loop_count)
    goto done;
  for (size_t d = 0; d < out->rank; ++d)
    if (pgopt_linear_single_loop(&out->map.results[d], fill.loop_count) < 0)
      goto done;
  MlirOperation first = mlirBlockGetFirstOperation(fill.body);
  if (!pgopt_op_is(first, "linalg.yield"))
    goto done;
  MlirValue value = mlirOperationGetOperand(first, 0);
  for (size_t i = 0; i < fill.input_count; ++i)
    if (is_argument(value, &fill, (intptr_t)i) && !fill.operands[i].is_memref)
      value = fill.operands[i].value;
  result = is_constant(value, constant);
done:
  pgopt_generic_free(&fill);
  return result;
}

typedef struct access {
  MlirValue buffer;
  bool found;
} access;

/// Anything that gets at the buffer's elements; taking a view does not.
static MlirWalkResult find_access(MlirOperation op, void *data) {
  access *a = data;
  if (pgopt_op_is(op, "memref.dim") || pgopt_op_is(op, "memref.subview"))
    return MlirWalkResultAdvance;
  for (intptr_t i = 0; i < mlirOperationGetNumOperands(op); ++i) {
    MlirValue value = mlirOperationGetOperand(op, i);
    if (mlirTypeIsAMemRef(mlirValueGetType(value)) &&
        mlirValueEqual(pgopt_root_buffer(value), a->buffer))
      a->found = true;
  }
  return MlirWalkResultAdvance;
}

MlirOperation pgopt_find_zero_fill(const pgopt_generic *generic) {
  MlirValue destination = generic->operands[generic->operand_count - 1].value;
  access seen = {.buffer = pgopt_root_buffer(destination)};
  size_t count, position = 0;
  MlirOperation *ops =
      pgopt_block_ops(mlirOperationGetBlock(generic->op), &count);
  MlirOperation fill = {NULL};
  while (!mlirOperationEqual(ops[position], generic->op))
    ++position;
  while (position-- > 0 && !seen.found) {
    if (pgopt_fills_with(ops[position], destination, 0)) {
      fill = ops[position];
      break;
    }
    mlirOperationWalk(ops[position], find_access, &seen, MlirWalkPreOrder);
  }
  free(ops);
  return fill;
}
