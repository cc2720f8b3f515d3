/// \file An entry that holds two schedules.
#include "ir/schedule_choice.h"

#include "base/memory.h"
#include "dialect_c/attributes.h"
#include "ir/entry.h"
#include "ir/ir.h"
#include "ir/kernel_interface.h"

#include <stdlib.h>

/// Of arith.cmpi: signed, less or equal.
#define PREDICATE_SLE 3

static void copy_attributes(MlirOperation from, MlirOperation to) {
  for (intptr_t i = 0; i < mlirOperationGetNumAttributes(from); ++i) {
    MlirNamedAttribute attribute = mlirOperationGetAttribute(from, i);
    MlirStringRef name = mlirIdentifierStr(attribute.name);
    if (!pgopt_ref_is(name, "sym_name") &&
        !pgopt_ref_is(name, "sym_visibility"))
      mlirOperationSetAttributeByName(to, name, attribute.attribute);
  }
}

static MlirValue build_value(MlirBlock block, MlirLocation location,
                             const char *name, MlirType type,
                             size_t operand_count, const MlirValue *operands,
                             const MlirNamedAttribute *attribute) {
  pgopt_op_spec spec = {.name = name,
                        .location = location,
                        .operand_count = operand_count,
                        .operands = operands,
                        .result_count = 1,
                        .results = &type,
                        .attribute_count = 1,
                        .attributes = attribute};
  return pgopt_result(pgopt_build(block, &spec));
}

static MlirNamedAttribute callee(MlirContext context, MlirStringRef name) {
  return pgopt_named(context, "callee",
                     mlirFlatSymbolRefAttrGet(context, name));
}

/// Whether a signal takes at most `limit_ns`.
static MlirValue build_condition(MlirBlock block, MlirLocation location,
                                 int64_t limit_ns) {
  MlirContext context = mlirLocationGetContext(location);
  MlirType i64 = mlirIntegerTypeGet(context, 64);
  MlirNamedAttribute runtime =
      callee(context, pgopt_ref("pgopt_rt_core_latency"));
  MlirValue operands[] = {
      build_value(block, location, "func.call", i64, 0, NULL, &runtime),
      pgopt_build_i64(block, location, limit_ns)};
  MlirNamedAttribute predicate =
      pgopt_named(context, "predicate", mlirIntegerAttrGet(i64, PREDICATE_SLE));
  return build_value(block, location, "arith.cmpi",
                     mlirIntegerTypeGet(context, 1), 2, operands, &predicate);
}

/// A region of the scf.if: calls the function with the entry's arguments.
static void fill_region(MlirOperation branch, intptr_t region, MlirBlock entry,
                        MlirOperation function) {
  MlirBlock block = mlirBlockCreate(0, NULL, NULL);
  mlirRegionAppendOwnedBlock(mlirOperationGetRegion(branch, region), block);
  MlirType type = pgopt_function_type(function);
  size_t operand_count = (size_t)mlirBlockGetNumArguments(entry);
  size_t result_count = (size_t)mlirFunctionTypeGetNumResults(type);
  MlirValue *values =
      pgopt_allocate(operand_count + result_count, sizeof *values);
  MlirType *types = pgopt_allocate(result_count, sizeof *types);
  for (size_t i = 0; i < operand_count; ++i)
    values[i] = mlirBlockGetArgument(entry, (intptr_t)i);
  for (size_t i = 0; i < result_count; ++i)
    types[i] = mlirFunctionTypeGetResult(type, (intptr_t)i);
  MlirLocation location = mlirOperationGetLocation(branch);
  MlirNamedAttribute called =
      callee(mlirOperationGetContext(branch), pgopt_symbol_name(function));
  pgopt_op_spec call_spec = {.name = "func.call",
                             .location = location,
                             .operand_count = operand_count,
                             .operands = values,
                             .result_count = result_count,
                             .results = types,
                             .attribute_count = 1,
                             .attributes = &called};
  MlirOperation call = pgopt_build(block, &call_spec);
  for (size_t i = 0; i < result_count; ++i)
    values[i] = mlirOperationGetResult(call, (intptr_t)i);
  pgopt_op_spec yield = {.name = "scf.yield",
                         .location = location,
                         .operand_count = result_count,
                         .operands = values};
  pgopt_build(block, &yield);
  free(types);
  free(values);
}

MlirLogicalResult pgopt_build_choice(MlirOperation module, MlirOperation near,
                                     MlirOperation sequential, const char *name,
                                     int64_t limit_ns) {
  MlirContext context = mlirOperationGetContext(module);
  MlirLocation location = mlirOperationGetLocation(near);
  MlirType type = pgopt_function_type(near);
  MlirType i64 = mlirIntegerTypeGet(context, 64);
  MlirBlock body;
  if (mlirLogicalResultIsFailure(pgopt_declare_function(
          module, "pgopt_rt_core_latency",
          mlirFunctionTypeGet(context, 0, NULL, 1, &i64))))
    return mlirLogicalResultFailure();
  MlirOperation entry =
      pgopt_build_function(module, name, type, false, location, &body);
  copy_attributes(near, entry);
  size_t count = (size_t)mlirFunctionTypeGetNumResults(type);
  MlirType *types = pgopt_allocate(count, sizeof *types);
  MlirValue *results = pgopt_allocate(count, sizeof *results);
  for (size_t i = 0; i < count; ++i)
    types[i] = mlirFunctionTypeGetResult(type, (intptr_t)i);
  MlirValue condition = build_condition(body, location, limit_ns);
  pgopt_op_spec spec = {.name = "scf.if",
                        .location = location,
                        .operand_count = 1,
                        .operands = &condition,
                        .result_count = count,
                        .results = types,
                        .region_count = 2};
  MlirOperation branch = pgopt_build(body, &spec);
  fill_region(branch, 0, body, near);
  fill_region(branch, 1, body, sequential);
  for (size_t i = 0; i < count; ++i)
    results[i] = mlirOperationGetResult(branch, (intptr_t)i);
  pgopt_op_spec end = {.name = "func.return",
                       .location = location,
                       .operand_count = count,
                       .operands = results};
  pgopt_build(body, &end);
  free(results);
  free(types);
  return mlirLogicalResultSuccess();
}

/// Every operand of `op` is the value that `get` has for its number.
static bool passes_all(MlirOperation op, intptr_t count,
                       MlirValue (*get)(const void *from, intptr_t number),
                       const void *from) {
  bool passes = mlirOperationGetNumOperands(op) == count;
  for (intptr_t i = 0; i < count && passes; ++i)
    passes = mlirValueEqual(mlirOperationGetOperand(op, i), get(from, i));
  return passes;
}

static MlirValue get_argument(const void *block, intptr_t number) {
  return mlirBlockGetArgument(*(const MlirBlock *)block, number);
}

static MlirValue get_result(const void *op, intptr_t number) {
  return mlirOperationGetResult(*(const MlirOperation *)op, number);
}

/// A region that calls a function with the entry's arguments and yields what it
/// returns.
static bool read_region(MlirOperation module, MlirBlock entry, MlirBlock block,
                        MlirOperation *call, MlirOperation *function) {
  if (mlirBlockIsNull(block))
    return false;
  *call = mlirBlockGetFirstOperation(block);
  if (!pgopt_op_is(*call, "func.call") ||
      !mlirOperationEqual(mlirOperationGetNextInBlock(*call),
                          mlirBlockGetTerminator(block)))
    return false;
  *function = pgopt_module_lookup(module, pgopt_callee(*call));
  return !mlirOperationIsNull(*function) &&
         pgopt_op_is(*function, "func.func") &&
         pgopt_symbol_is_private(*function) &&
         !mlirBlockIsNull(pgopt_function_body(*function)) &&
         passes_all(*call, mlirBlockGetNumArguments(entry), get_argument,
                    &entry) &&
         passes_all(mlirBlockGetTerminator(block),
                    mlirOperationGetNumResults(*call), get_result, call);
}

/// The constant that the condition compares with.
static bool read_limit(MlirOperation branch, int64_t *limit_ns) {
  MlirValue condition = mlirOperationGetOperand(branch, 0);
  if (!mlirValueIsAOpResult(condition))
    return false;
  MlirOperation compare = mlirOpResultGetOwner(condition);
  return pgopt_op_is(compare, "arith.cmpi") &&
         pgopt_op_i64(compare, "predicate", -1) == PREDICATE_SLE &&
         pgopt_constant_value(mlirOperationGetOperand(compare, 1), limit_ns);
}

MlirLogicalResult pgopt_read_choice(MlirOperation module, MlirOperation entry,
                                    pgopt_schedule_choice *choice) {
  MlirBlock body = pgopt_function_body(entry);
  *choice = (pgopt_schedule_choice){.branch = mlirBlockGetFirstOperation(body)};
  while (!mlirOperationIsNull(choice->branch) &&
         !pgopt_op_is(choice->branch, "scf.if"))
    choice->branch = mlirOperationGetNextInBlock(choice->branch);
  MlirOperation end = mlirBlockGetTerminator(body);
  bool is_choice =
      !mlirOperationIsNull(choice->branch) &&
      read_limit(choice->branch, &choice->limit_ns) &&
      mlirOperationEqual(mlirOperationGetNextInBlock(choice->branch), end) &&
      passes_all(end, mlirOperationGetNumResults(choice->branch), get_result,
                 &choice->branch);
  for (intptr_t i = 0; i < 2 && is_choice; ++i)
    is_choice = read_region(
        module, body,
        mlirRegionGetFirstBlock(mlirOperationGetRegion(choice->branch, i)),
        &choice->calls[i], &choice->functions[i]);
  if (is_choice &&
      !mlirOperationEqual(choice->functions[0], choice->functions[1]))
    return mlirLogicalResultSuccess();
  return pgopt_emit_error(
      entry, "is not a choice of two schedules: pgopt_rt_core_latency, "
             "compared, and an scf.if that calls one private function on "
             "either side with the entry's arguments and returns its results");
}

static MlirWalkResult find_cores(MlirOperation op, void *data) {
  MlirOperation module = *(MlirOperation *)data;
  if (!pgopt_op_is(op, "func.call"))
    return MlirWalkResultAdvance;
  MlirOperation function = pgopt_module_lookup(module, pgopt_callee(op));
  if (!mlirOperationIsNull(function) &&
      !mlirAttributeIsNull(pgopt_get(function, PGOPT_CORE)))
    mlirOperationDestroy(function);
  return MlirWalkResultAdvance;
}

MlirLogicalResult pgopt_settle_choice(MlirOperation module, bool is_near,
                                      MlirOperation *entry) {
  pgopt_schedule_choice choice;
  if (pgopt_stage_of(*entry) != PGOPT_STAGE_CHOICE)
    return mlirLogicalResultSuccess();
  if (mlirLogicalResultIsFailure(pgopt_read_choice(module, *entry, &choice)))
    return mlirLogicalResultFailure();
  MlirOperation kept = choice.functions[!is_near];
  MlirOperation other = choice.functions[is_near];
  mlirOperationWalk(other, find_cores, &module, MlirWalkPreOrder);
  mlirOperationDestroy(other);
  mlirOperationRemoveAttributeByName(kept, pgopt_ref("sym_visibility"));
  mlirOperationSetAttributeByName(kept, pgopt_ref("sym_name"),
                                  pgopt_op_attribute(*entry, "sym_name"));
  mlirOperationDestroy(*entry);
  *entry = kept;
  return mlirLogicalResultSuccess();
}

/// Moves the body of a function that nobody else calls in place of the call.
static void inline_call(MlirOperation call, MlirOperation function) {
  MlirBlock body = pgopt_function_body(function);
  for (intptr_t i = 0; i < mlirBlockGetNumArguments(body); ++i)
    mlirValueReplaceAllUsesOfWith(mlirBlockGetArgument(body, i),
                                  mlirOperationGetOperand(call, i));
  MlirOperation end = mlirBlockGetTerminator(body);
  for (MlirOperation op = mlirBlockGetFirstOperation(body);
       !mlirOperationEqual(op, end); op = mlirBlockGetFirstOperation(body))
    mlirOperationMoveBefore(op, call);
  for (intptr_t i = 0; i < mlirOperationGetNumResults(call); ++i)
    mlirValueReplaceAllUsesOfWith(mlirOperationGetResult(call, i),
                                  mlirOperationGetOperand(end, i));
  mlirOperationDestroy(call);
  mlirOperationDestroy(function);
}

MlirLogicalResult pgopt_inline_choice(MlirOperation module,
                                      MlirOperation entry) {
  pgopt_schedule_choice choice;
  if (mlirLogicalResultIsFailure(pgopt_read_choice(module, entry, &choice)))
    return mlirLogicalResultFailure();
  for (int i = 0; i < 2; ++i)
    inline_call(choice.calls[i], choice.functions[i]);
  return mlirLogicalResultSuccess();
}
