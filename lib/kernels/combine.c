/// \file Reductions whose parts may be taken in any order.
#include "kernels/combine.h"

#include <math.h>
#include <stdlib.h>

/// Predicates of `arith.cmpf`: for numbers, and for what has a NaN.
enum { ORDERED_GREATER = 2, ORDERED_LESS = 4, UNORDERED = 14 };

static const pgopt_combine combines[] = {
    {"arith.addf", 0, 0, {NULL}},
    {"arith.mulf", 0, 1, {NULL}},
    {"arith.maximumf", ORDERED_GREATER, -INFINITY, {NULL}},
    {"arith.minimumf", ORDERED_LESS, INFINITY, {NULL}},
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

static MlirValue compare(pgopt_emitter e, int order, MlirValue a, MlirValue b) {
  MlirValue operands[] = {a, b};
  int64_t lanes = mlirShapedTypeGetDimSize(mlirValueGetType(a), 0);
  MlirNamedAttribute predicate = pgopt_named(
      e.context, "predicate", pgopt_i64_attribute(e.context, order));
  return pgopt_emit_op(
      e, "arith.cmpf", 2, operands,
      mlirVectorTypeGet(1, &lanes, mlirIntegerTypeGet(e.context, 1)), 1,
      &predicate);
}

MlirValue pgopt_combine_emit_watched(pgopt_emitter e,
                                     const pgopt_combine *combine,
                                     MlirValue value, MlirValue sum) {
  return pgopt_emit_select(e, compare(e, combine->order, value, sum), value,
                           sum);
}

MlirValue pgopt_combine_emit_watch(pgopt_emitter e, const pgopt_vectors *v,
                                   MlirValue first, MlirValue second,
                                   MlirValue watch) {
  return pgopt_emit_select(e, compare(e, UNORDERED, first, second),
                           pgopt_vector_constant(e, v, NAN), watch);
}
