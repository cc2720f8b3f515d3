/// \file Tensors that loops carry from turn to turn.
#include "ir/loop_values.h"

#include "base/memory.h"
#include "ir/ir.h"
#include "ir/tensor_ops.h"

#include <stdlib.h>

/// The tensor that the op writes the result into; null when it makes a new one.
static MlirValue destination(MlirOperation op, intptr_t result) {
  if (pgopt_op_is(op, "tensor.insert_slice") ||
      pgopt_op_is(op, "tensor.insert"))
    return mlirOperationGetOperand(op, 1);
  // Destinations come last, one a result.
  if (pgopt_op_in_dialect(op, "linalg"))
    return mlirOperationGetOperand(op, mlirOperationGetNumOperands(op) -
                                           mlirOperationGetNumResults(op) +
                                           result);
  // After the bounds and the step.
  if (pgopt_op_is(op, "scf.for"))
    return mlirOperationGetOperand(op, 3 + result);
  return (MlirValue){NULL};
}

/// True when the value is what a chain of writes into `carried` results in.
static bool is_written_into(MlirValue value, MlirValue carried) {
  while (!mlirValueEqual(value, carried)) {
    if (mlirValueIsABlockArgument(value))
      return false;
    value = destination(mlirOpResultGetOwner(value),
                        mlirOpResultGetResultNumber(value));
    if (mlirValueIsNull(value))
      return false;
  }
  return true;
}

/// \param first number of the block argument that is carried first: a
///   `scf.for` has its variable before.
static void settle(MlirBlock body, intptr_t first) {
  MlirOperation yield = mlirBlockGetTerminator(body);
  pgopt_builder builder = {mlirOperationGetContext(yield), body,
                           mlirOperationGetLocation(yield)};
  for (intptr_t i = 0; i < mlirOperationGetNumOperands(yield); ++i) {
    MlirValue value = mlirOperationGetOperand(yield, i);
    MlirType type = mlirValueGetType(value);
    if (!mlirTypeIsATensor(type) || first + i >= mlirBlockGetNumArguments(body))
      continue;
    MlirValue carried = mlirBlockGetArgument(body, first + i);
    if (mlirTypeEqual(mlirValueGetType(carried), type) &&
        !is_written_into(value, carried))
      mlirOperationSetOperand(yield, i,
                              pgopt_build_copy(&builder, value, carried));
  }
}

typedef struct op_list {
  MlirOperation *ops;
  size_t count, capacity;
} op_list;

static MlirWalkResult collect_loops(MlirOperation op, void *data) {
  op_list *list = data;
  if (pgopt_op_is(op, "scf.for") || pgopt_op_is(op, "scf.while"))
    PGOPT_APPEND(list->ops, list->count, list->capacity, op);
  return MlirWalkResultAdvance;
}

void pgopt_carry_in_place(MlirOperation root) {
  op_list list = {0};
  mlirOperationWalk(root, collect_loops, &list, MlirWalkPostOrder);
  for (size_t i = 0; i < list.count; ++i) {
    bool is_for = pgopt_op_is(list.ops[i], "scf.for");
    settle(mlirRegionGetFirstBlock(
               mlirOperationGetRegion(list.ops[i], is_for ? 0 : 1)),
           is_for ? 1 : 0);
  }
  free(list.ops);
}
