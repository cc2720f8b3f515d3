#include "kernels/phase.h"

#include "dialect_c/attributes.h"
#include "ir/ir.h"

#include <stdlib.h>

bool pgopt_phase_is_first(MlirOperation function) {
  MlirStringRef phase;
  return pgopt_get_text(function, PGOPT_PHASE, &phase) &&
         (pgopt_ref_is(phase, "pack") || pgopt_ref_is(phase, "transform"));
}

bool pgopt_phase_read(MlirOperation op, pgopt_phase *phase) {
  while (!mlirOperationIsNull(op) && !pgopt_op_is(op, "func.func"))
    op = mlirOperationGetParentOperation(op);
  MlirStringRef text;
  if (mlirOperationIsNull(op) || !pgopt_get_text(op, PGOPT_PHASE, &text) ||
      mlirAttributeIsNull(pgopt_get(op, PGOPT_KERNEL)) ||
      mlirAttributeIsNull(pgopt_get(op, PGOPT_VARIANT)))
    return false;
  MlirBlock body = pgopt_function_body(op);
  intptr_t low = 0, count = mlirBlockGetNumArguments(body);
  while (low < count &&
         !mlirTypeIsAIndex(mlirValueGetType(mlirBlockGetArgument(body, low))))
    ++low;
  if (low < 1 || low + 1 >= count)
    return false;
  *phase = (pgopt_phase){
      .is_first = pgopt_phase_is_first(op),
      .buffer = mlirBlockGetArgument(body, low - 1),
      .low = pgopt_position_of(mlirBlockGetArgument(body, low)),
      .high = pgopt_position_of(mlirBlockGetArgument(body, low + 1))};
  return true;
}

int64_t pgopt_phase_iterations(const pgopt_phase *phase) {
  MlirType type = mlirValueGetType(phase->buffer);
  return mlirTypeIsAMemRef(type) && mlirShapedTypeGetRank(type) == 3
             ? mlirShapedTypeGetDimSize(type, 1)
             : 0;
}

bool pgopt_phase_fits(const pgopt_phase *phase, int64_t steps, int64_t stride) {
  MlirType type = mlirValueGetType(phase->buffer);
  return mlirTypeIsAMemRef(type) && mlirShapedTypeGetRank(type) == 2 &&
         mlirShapedTypeGetDimSize(type, 0) == steps &&
         mlirShapedTypeGetDimSize(type, 1) == stride;
}

static bool is_used(MlirOperation op) {
  for (intptr_t i = 0; i < mlirOperationGetNumResults(op); ++i)
    if (!mlirOpOperandIsNull(
            mlirValueGetFirstUse(mlirOperationGetResult(op, i))))
      return true;
  return false;
}

/// Constants, index arithmetic, buffers, views.
static bool is_place(MlirOperation op) {
  return mlirOperationGetNumResults(op) > 0 &&
         !mlirOperationGetNumRegions(op) &&
         (pgopt_op_in_dialect(op, "memref") ||
          pgopt_op_in_dialect(op, "arith") ||
          pgopt_op_in_dialect(op, "affine"));
}

bool pgopt_phase_allows(MlirOperation function) {
  MlirOperation op = mlirBlockGetFirstOperation(pgopt_function_body(function));
  while (!mlirOperationIsNull(op) &&
         (pgopt_op_in_dialect(op, "linalg") || is_place(op) ||
          pgopt_op_is(op, "func.return")))
    op = mlirOperationGetNextInBlock(op);
  return mlirOperationIsNull(op);
}

void pgopt_phase_clean(MlirOperation function) {
  size_t count;
  MlirOperation *ops = pgopt_block_ops(pgopt_function_body(function), &count);
  for (size_t i = count; i-- > 0;)
    if (pgopt_op_in_dialect(ops[i], "linalg") ||
        (is_place(ops[i]) && !is_used(ops[i])))
      mlirOperationDestroy(ops[i]);
  free(ops);
}
