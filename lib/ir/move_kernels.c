/// \file Operations that move data, written straight into a destination.
#include "ir/move_kernels.h"

#include "ir/ir.h"

#include <stdlib.h>

/// The static shape; false when an extent is dynamic. Freed with `free`.
static bool static_shape(MlirValue value, int64_t **shape, size_t *rank) {
  MlirType type = mlirValueGetType(value);
  if (!mlirShapedTypeHasRank(type) || !mlirShapedTypeHasStaticShape(type))
    return false;
  *rank = (size_t)mlirShapedTypeGetRank(type);
  *shape = pgopt_allocate(*rank, sizeof **shape);
  for (size_t i = 0; i < *rank; ++i)
    (*shape)[i] = mlirShapedTypeGetDimSize(type, (intptr_t)i);
  return true;
}

static bool build_pad(const pgopt_builder *b, MlirOperation op,
                      MlirValue source, MlirValue padding,
                      MlirValue destination, MlirValue *result) {
  MlirAttribute low = pgopt_op_attribute(op, "static_low");
  int64_t *sizes;
  size_t rank;
  if (mlirValueIsNull(padding) || mlirOperationGetNumOperands(op) != 1 ||
      !static_shape(source, &sizes, &rank))
    return false;
  int64_t *offsets = pgopt_allocate(rank, sizeof *offsets);
  bool fits = true;
  for (size_t i = 0; i < rank; ++i) {
    offsets[i] = mlirDenseI64ArrayGetElement(low, (intptr_t)i);
    fits &= offsets[i] >= 0 &&
            offsets[i] + sizes[i] <=
                mlirShapedTypeGetDimSize(mlirValueGetType(destination),
                                         (intptr_t)i);
  }
  if (fits) {
    pgopt_box box = {.offsets = offsets, .sizes = sizes, .dim = -1};
    MlirValue filled = pgopt_build_fill(b, padding, destination);
    *result = pgopt_build_insert(b, source, filled, &box);
  }
  free(offsets);
  free(sizes);
  return fits;
}

static bool build_concat(const pgopt_builder *b, MlirOperation op,
                         const MlirValue *operands, MlirValue destination,
                         MlirValue *result) {
  size_t count = (size_t)mlirOperationGetNumOperands(op);
  size_t axis = (size_t)pgopt_op_i64(op, "dim", 0);
  int64_t begin = 0;
  if (!mlirShapedTypeHasStaticShape(mlirValueGetType(destination)))
    return false;
  *result = destination;
  for (size_t i = 0; i < count; ++i) {
    int64_t *sizes = NULL;
    size_t rank = 0;
    static_shape(operands[i], &sizes, &rank);
    int64_t *offsets = pgopt_allocate(rank, sizeof *offsets);
    offsets[axis] = begin;
    begin += sizes[axis];
    pgopt_box box = {.offsets = offsets, .sizes = sizes, .dim = -1};
    *result = pgopt_build_insert(b, operands[i], *result, &box);
    free(offsets);
    free(sizes);
  }
  return true;
}

/// The op itself on the kernel's values.
static MlirValue rebuild(const pgopt_builder *b, MlirOperation op,
                         const MlirValue *operands) {
  MlirOperation copy = mlirOperationClone(op);
  for (intptr_t i = 0; i < mlirOperationGetNumOperands(op); ++i)
    mlirOperationSetOperand(copy, i, operands[i]);
  mlirBlockAppendOwnedOperation(b->block, copy);
  return pgopt_result(copy);
}

bool pgopt_build_move(const pgopt_builder *b, MlirOperation op,
                      MlirValue *operands, MlirValue padding,
                      MlirValue destination, MlirValue *result) {
  if (pgopt_op_is(op, "tensor.concat"))
    return build_concat(b, op, operands, destination, result);
  if (pgopt_op_is(op, "tensor.pad"))
    return build_pad(b, op, operands[0], padding, destination, result);
  if (pgopt_op_is(op, "tensor.extract_slice")) {
    *result = pgopt_build_copy(b, rebuild(b, op, operands), destination);
    return true;
  }
  if (pgopt_op_is(op, "tensor.insert_slice")) {
    operands[1] = pgopt_build_copy(b, operands[1], destination);
    *result = rebuild(b, op, operands);
    return true;
  }
  return false;
}
