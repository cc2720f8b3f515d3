/// \file Which function of a module is the network, and how far it has come.
#include "ir/entry.h"

#include "dialect_c/attributes.h"
#include "ir/ir.h"

static bool is_function(MlirOperation op) {
  return pgopt_op_is(op, "func.func") || pgopt_op_is(op, "llvm.func");
}

static bool has_body(MlirOperation function) {
  return !mlirBlockIsNull(pgopt_function_body(function));
}

static bool is_array_type(MlirType type) {
  return mlirTypeIsATensor(type) || mlirTypeIsAMemRef(type) ||
         mlirTypeIsAUnrankedMemRef(type);
}

static bool mentions_arrays(MlirType type) {
  for (intptr_t i = 0; i < mlirFunctionTypeGetNumInputs(type); ++i)
    if (is_array_type(mlirFunctionTypeGetInput(type, i)))
      return true;
  for (intptr_t i = 0; i < mlirFunctionTypeGetNumResults(type); ++i)
    if (is_array_type(mlirFunctionTypeGetResult(type, i)))
      return true;
  return false;
}

static bool qualifies(MlirOperation op) {
  if (!is_function(op) || pgopt_symbol_is_private(op) || !has_body(op))
    return false;
  if (pgopt_op_is(op, "llvm.func"))
    return !mlirAttributeIsNull(pgopt_get(op, PGOPT_ENTRY));
  return mentions_arrays(pgopt_function_type(op));
}

MlirLogicalResult pgopt_find_entry(MlirOperation module, const char *name,
                                   MlirOperation *entry) {
  if (name && *name) {
    MlirOperation found = pgopt_module_lookup(module, pgopt_ref(name));
    if (mlirOperationIsNull(found) || !is_function(found) || !has_body(found))
      return pgopt_emit_error(module,
                              "entry '%s' is not a function with a body in "
                              "this module",
                              name);
    *entry = found;
    return mlirLogicalResultSuccess();
  }
  size_t count = 0;
  pgopt_text names = {0};
  MlirOperation op = mlirBlockGetFirstOperation(pgopt_module_body(module));
  for (; !mlirOperationIsNull(op); op = mlirOperationGetNextInBlock(op)) {
    if (!qualifies(op))
      continue;
    MlirStringRef symbol = pgopt_symbol_name(op);
    pgopt_text_append(&names, "%s'%.*s'", count ? ", " : "", (int)symbol.length,
                      symbol.data);
    *entry = op;
    ++count;
  }
  MlirLogicalResult result = mlirLogicalResultSuccess();
  if (!count)
    result =
        pgopt_emit_error(module, "no public function takes or returns tensors; "
                                 "name the network with entry=");
  else if (count > 1)
    result = pgopt_emit_error(*entry,
                              "several functions may be the network: %s; name "
                              "one with entry=",
                              names.data);
  pgopt_text_free(&names);
  return result;
}

static MlirWalkResult find_stage(MlirOperation op, void *stage) {
  if (pgopt_op_is(op, "scf.parallel"))
    *(pgopt_stage *)stage = PGOPT_STAGE_CORES;
  if (pgopt_op_is(op, "func.call") &&
      pgopt_ref_is(pgopt_callee(op), "pgopt_rt_core_latency"))
    *(pgopt_stage *)stage = PGOPT_STAGE_CHOICE;
  if (pgopt_op_in_dialect(op, "linalg"))
    *(pgopt_stage *)stage = PGOPT_STAGE_BUFFERS;
  for (intptr_t i = 0; i < mlirOperationGetNumResults(op); ++i)
    if (mlirTypeIsATensor(mlirValueGetType(mlirOperationGetResult(op, i)))) {
      *(pgopt_stage *)stage = PGOPT_STAGE_TENSORS;
      return MlirWalkResultInterrupt;
    }
  return MlirWalkResultAdvance;
}

pgopt_stage pgopt_stage_of(MlirOperation entry) {
  if (pgopt_op_is(entry, "llvm.func"))
    return PGOPT_STAGE_LOWERED;
  MlirType type = pgopt_function_type(entry);
  for (intptr_t i = 0; i < mlirFunctionTypeGetNumInputs(type); ++i)
    if (mlirTypeIsATensor(mlirFunctionTypeGetInput(type, i)))
      return PGOPT_STAGE_TENSORS;
  pgopt_stage stage = PGOPT_STAGE_CALLS;
  mlirOperationWalk(entry, find_stage, &stage, MlirWalkPreOrder);
  return stage;
}
