/// \file Reductions whose parts may be taken in any order.
#include "kernels/combine.h"

#include <math.h>
#include <stdlib.h>

static const pgopt_combine combines[] = {
    {"arith.addf", "add", 0, {NULL}},
    {"arith.mulf", "mul", 1, {NULL}},
    {"arith.maximumf", "maximumf", -INFINITY, {NULL}},
    {"arith.minimumf", "minimumf", INFINITY, {NULL}},
};

static bool is_used_once(MlirValue value) {
  MlirOpOperand use = mlirValueGetFirstUse(value);
  return !mlirOpOperandIsNull(use) &&
         mlirOpOperandIsNull(mlirOpOperandGetNextUse(use));
}

bool pgopt_combine_read(const pgopt_generic *generic, pgopt_combine *combine) {
  MlirValue so_far =
      mlirBlockGetArgument(generic->body, (intptr_t)generic->input_count);
  MlirValue yielded =
      mlirOperationGetOperand(mlirBlockGetTerminator(generic->body), 0);
  if (generic->operand_count != generic->input_count + 1 ||
      !is_used_once(so_far) || !mlirValueIsAOpResult(yielded))
    return false;
  MlirOperation op = mlirOpResultGetOwner(yielded);
  for (size_t i = 0; i < sizeof combines / sizeof *combines; ++i) {
    if (!pgopt_op_is(op, combines[i].name))
      continue;
    *combine = combines[i];
    for (intptr_t k = 0; k < 2; ++k)
      if (mlirValueEqual(mlirOperationGetOperand(op, k), so_far)) {
        combine->reduced = mlirOperationGetOperand(op, 1 - k);
        return true;
      }
  }
  return false;
}

MlirValue pgopt_combine_emit(pgopt_emitter e, const pgopt_combine *combine,
                             MlirValue a, MlirValue b) {
  MlirValue operands[] = {a, b};
  MlirNamedAttribute flags =
      pgopt_named(e.context, "fastmath",
                  pgopt_attribute_parse(e.context, "#arith.fastmath<nsz>"));
  return pgopt_emit_op(e, combine->name, 2, operands, mlirValueGetType(a), 1,
                       &flags);
}
