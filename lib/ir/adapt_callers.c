/// \file Calls of the network's function once it is on memrefs.
#include "ir/adapt_callers.h"

#include "base/memory.h"
#include "ir/ir.h"

#include <stdlib.h>

typedef struct caller_list {
  MlirStringRef callee;
  MlirOperation *calls;
  size_t count, capacity;
} caller_list;

static MlirWalkResult collect_callers(MlirOperation op, void *data) {
  caller_list *list = data;
  if (pgopt_op_is(op, "func.call") && pgopt_callee(op).data &&
      mlirStringRefEqual(pgopt_callee(op), list->callee))
    PGOPT_APPEND(list->calls, list->count, list->capacity, op);
  return MlirWalkResultAdvance;
}

typedef struct reference_search {
  MlirStringRef name;
  bool found;
} reference_search;

static MlirWalkResult find_reference(MlirOperation op, void *data) {
  reference_search *search = data;
  for (intptr_t i = 0; i < mlirOperationGetNumAttributes(op); ++i) {
    MlirAttribute a = mlirOperationGetAttribute(op, i).attribute;
    if (mlirAttributeIsASymbolRef(a) &&
        mlirStringRefEqual(mlirSymbolRefAttrGetRootReference(a), search->name))
      search->found = true;
  }
  return search->found ? MlirWalkResultInterrupt : MlirWalkResultAdvance;
}

bool pgopt_is_called(MlirOperation module, MlirOperation function) {
  reference_search search = {.name = pgopt_symbol_name(function)};
  mlirOperationWalk(module, find_reference, &search, MlirWalkPreOrder);
  return search.found;
}

/// The value as `type`, across the border between tensors and memrefs.
static MlirValue cross_border(MlirOperation before, const char *name,
                              MlirValue value, MlirType type) {
  if (mlirTypeEqual(mlirValueGetType(value), type))
    return value;
  MlirContext c = mlirOperationGetContext(before);
  MlirNamedAttribute restricted =
      pgopt_named(c, "restrict", mlirUnitAttrGet(c));
  pgopt_op_spec spec = {.name = name,
                        .location = mlirOperationGetLocation(before),
                        .operand_count = 1,
                        .operands = &value,
                        .result_count = 1,
                        .results = &type,
                        .attribute_count = mlirTypeIsATensor(type),
                        .attributes = &restricted};
  return pgopt_result(pgopt_build_before(before, &spec));
}

static void adapt_caller(MlirOperation call, MlirType type) {
  size_t inputs = (size_t)mlirOperationGetNumOperands(call);
  size_t results = (size_t)mlirOperationGetNumResults(call);
  MlirValue *operands = pgopt_allocate(inputs, sizeof *operands);
  for (size_t i = 0; i < inputs; ++i)
    operands[i] = cross_border(call, "bufferization.to_buffer",
                               mlirOperationGetOperand(call, (intptr_t)i),
                               mlirFunctionTypeGetInput(type, (intptr_t)i));
  MlirType *types = pgopt_allocate(results, sizeof *types);
  for (size_t i = 0; i < results; ++i)
    types[i] = mlirFunctionTypeGetResult(type, (intptr_t)i);
  MlirNamedAttribute callee =
      pgopt_named(mlirOperationGetContext(call), "callee",
                  pgopt_op_attribute(call, "callee"));
  pgopt_op_spec spec = {.name = "func.call",
                        .location = mlirOperationGetLocation(call),
                        .operand_count = inputs,
                        .operands = operands,
                        .result_count = results,
                        .results = types,
                        .attribute_count = 1,
                        .attributes = &callee};
  MlirOperation adapted = pgopt_build_before(call, &spec);
  for (size_t i = 0; i < results; ++i) {
    MlirValue old = mlirOperationGetResult(call, (intptr_t)i);
    mlirValueReplaceAllUsesOfWith(
        old, cross_border(call, "bufferization.to_tensor",
                          mlirOperationGetResult(adapted, (intptr_t)i),
                          mlirValueGetType(old)));
  }
  mlirOperationDestroy(call);
  free(types);
  free(operands);
}

void pgopt_adapt_callers(MlirOperation module, MlirOperation entry) {
  caller_list list = {.callee = pgopt_symbol_name(entry)};
  mlirOperationWalk(module, collect_callers, &list, MlirWalkPreOrder);
  for (size_t i = 0; i < list.count; ++i)
    adapt_caller(list.calls[i], pgopt_function_type(entry));
  free(list.calls);
}
