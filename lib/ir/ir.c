/// \file Small helpers over MLIR's C API.
#include "ir/ir.h"

#include "base/memory.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

bool pgopt_ref_is(MlirStringRef ref, const char *text) {
  return ref.length == strlen(text) && !memcmp(ref.data, text, ref.length);
}

char *pgopt_ref_duplicate(MlirStringRef ref) {
  char *copy = pgopt_allocate(ref.length + 1, 1);
  if (ref.length)
    memcpy(copy, ref.data, ref.length);
  return copy;
}

MlirStringRef pgopt_op_name(MlirOperation op) {
  return mlirIdentifierStr(mlirOperationGetName(op));
}

bool pgopt_op_is(MlirOperation op, const char *name) {
  return pgopt_ref_is(pgopt_op_name(op), name);
}

bool pgopt_op_is_memref_view(MlirOperation op) {
  return pgopt_op_is(op, "memref.subview") ||
         pgopt_op_is(op, "memref.expand_shape") ||
         pgopt_op_is(op, "memref.collapse_shape") ||
         pgopt_op_is(op, "memref.cast");
}

bool pgopt_op_in_dialect(MlirOperation op, const char *dialect) {
  MlirStringRef name = pgopt_op_name(op);
  size_t length = strlen(dialect);
  return name.length > length && !memcmp(name.data, dialect, length) &&
         name.data[length] == '.';
}

MlirAttribute pgopt_op_attribute(MlirOperation op, const char *name) {
  return mlirOperationGetAttributeByName(op, pgopt_ref(name));
}

int64_t pgopt_op_i64(MlirOperation op, const char *name, int64_t otherwise) {
  MlirAttribute attribute = pgopt_op_attribute(op, name);
  if (mlirAttributeIsNull(attribute) || !mlirAttributeIsAInteger(attribute))
    return otherwise;
  return mlirIntegerAttrGetValueInt(attribute);
}

MlirStringRef pgopt_symbol_name(MlirOperation op) {
  MlirAttribute attribute = pgopt_op_attribute(op, "sym_name");
  if (mlirAttributeIsNull(attribute) || !mlirAttributeIsAString(attribute))
    return mlirStringRefCreate(NULL, 0);
  return mlirStringAttrGetValue(attribute);
}

bool pgopt_symbol_is_private(MlirOperation op) {
  MlirAttribute attribute = pgopt_op_attribute(op, "sym_visibility");
  return !mlirAttributeIsNull(attribute) && mlirAttributeIsAString(attribute) &&
         pgopt_ref_is(mlirStringAttrGetValue(attribute), "private");
}

MlirBlock pgopt_module_body(MlirOperation module) {
  return mlirRegionGetFirstBlock(mlirOperationGetRegion(module, 0));
}

MlirOperation pgopt_nest_copy(MlirOperation module) {
  MlirOperation copy = mlirOperationClone(module);
  mlirBlockAppendOwnedOperation(pgopt_module_body(module), copy);
  return copy;
}

MlirOperation pgopt_add_copy(MlirOperation module, MlirOperation function,
                             const char *name) {
  MlirOperation copy = mlirOperationClone(function);
  mlirOperationSetAttributeByName(
      copy, pgopt_ref("sym_name"),
      pgopt_text_attribute(mlirOperationGetContext(copy), name));
  mlirBlockAppendOwnedOperation(pgopt_module_body(module), copy);
  return copy;
}

MlirOperation pgopt_module_lookup(MlirOperation module, MlirStringRef name) {
  MlirOperation op = mlirBlockGetFirstOperation(pgopt_module_body(module));
  for (; !mlirOperationIsNull(op); op = mlirOperationGetNextInBlock(op)) {
    MlirStringRef symbol = pgopt_symbol_name(op);
    if (symbol.data && mlirStringRefEqual(symbol, name))
      return op;
  }
  return (MlirOperation){NULL};
}

MlirBlock pgopt_function_body(MlirOperation function) {
  return mlirRegionGetFirstBlock(mlirOperationGetRegion(function, 0));
}

MlirType pgopt_function_type(MlirOperation function) {
  return mlirTypeAttrGetValue(pgopt_op_attribute(function, "function_type"));
}

MlirStringRef pgopt_callee(MlirOperation call) {
  MlirAttribute callee = pgopt_op_attribute(call, "callee");
  if (mlirAttributeIsNull(callee) || !mlirAttributeIsAFlatSymbolRef(callee))
    return mlirStringRefCreate(NULL, 0);
  return mlirFlatSymbolRefAttrGetValue(callee);
}

/// Where the op is in its file. A module that is a whole file has no place: its
/// first op stands for it.
static MlirLocation place_of(MlirOperation op) {
  MlirLocation place = mlirOperationGetLocation(op);
  if (!pgopt_op_is(op, "builtin.module") ||
      !mlirLocationIsAFileLineColRange(place) ||
      mlirLocationFileLineColRangeGetStartLine(place))
    return place;
  MlirOperation first = mlirBlockGetFirstOperation(pgopt_module_body(op));
  return mlirOperationIsNull(first) ? place : mlirOperationGetLocation(first);
}

static void emit_list(MlirOperation op, pgopt_severity severity,
                      const char *format, va_list arguments) {
  char message[2048];
  vsnprintf(message, sizeof message, format, arguments);
  pgopt_diagnose(place_of(op), severity, message);
}

void pgopt_emit(MlirOperation op, pgopt_severity severity, const char *format,
                ...) {
  va_list arguments;
  va_start(arguments, format);
  emit_list(op, severity, format, arguments);
  va_end(arguments);
}

MlirLogicalResult pgopt_emit_error(MlirOperation op, const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  emit_list(op, PGOPT_ERROR, format, arguments);
  va_end(arguments);
  return mlirLogicalResultFailure();
}

static void append_part(MlirStringRef part, void *text) {
  pgopt_text_append_bytes(text, part.data, part.length);
}

void pgopt_print_attribute(MlirAttribute attribute, pgopt_text *text) {
  mlirAttributePrint(attribute, append_part, text);
}

void pgopt_print_type(MlirType type, pgopt_text *text) {
  mlirTypePrint(type, append_part, text);
}

void pgopt_print_operation(MlirOperation op, pgopt_text *text) {
  mlirOperationPrint(op, append_part, text);
}

static MlirOperation create(const pgopt_op_spec *spec) {
  MlirOperationState state =
      mlirOperationStateGet(pgopt_ref(spec->name), spec->location);
  if (spec->operand_count)
    mlirOperationStateAddOperands(&state, (intptr_t)spec->operand_count,
                                  spec->operands);
  if (spec->result_count)
    mlirOperationStateAddResults(&state, (intptr_t)spec->result_count,
                                 spec->results);
  if (spec->attribute_count)
    mlirOperationStateAddAttributes(&state, (intptr_t)spec->attribute_count,
                                    spec->attributes);
  for (size_t i = 0; i < spec->region_count; ++i) {
    MlirRegion region = mlirRegionCreate();
    mlirOperationStateAddOwnedRegions(&state, 1, &region);
  }
  return mlirOperationCreate(&state);
}

MlirOperation pgopt_build(MlirBlock block, const pgopt_op_spec *spec) {
  MlirOperation op = create(spec);
  MlirOperation terminator = mlirBlockGetTerminator(block);
  if (mlirOperationIsNull(terminator))
    mlirBlockAppendOwnedOperation(block, op);
  else
    mlirBlockInsertOwnedOperationBefore(block, terminator, op);
  return op;
}

MlirOperation pgopt_build_before(MlirOperation before,
                                 const pgopt_op_spec *spec) {
  MlirOperation op = create(spec);
  mlirBlockInsertOwnedOperationBefore(mlirOperationGetBlock(before), before,
                                      op);
  return op;
}

MlirNamedAttribute pgopt_named(MlirContext context, const char *name,
                               MlirAttribute value) {
  return mlirNamedAttributeGet(mlirIdentifierGet(context, pgopt_ref(name)),
                               value);
}

MlirAttribute pgopt_i64_attribute(MlirContext context, int64_t value) {
  return mlirIntegerAttrGet(mlirIntegerTypeGet(context, 64), value);
}

MlirAttribute pgopt_text_attribute(MlirContext context, const char *value) {
  return mlirStringAttrGet(context, pgopt_ref(value));
}

static MlirValue build_constant(MlirBlock block, MlirLocation location,
                                MlirType type, int64_t value) {
  MlirContext context = mlirLocationGetContext(location);
  MlirNamedAttribute attribute =
      pgopt_named(context, "value", mlirIntegerAttrGet(type, value));
  pgopt_op_spec spec = {.name = "arith.constant",
                        .location = location,
                        .result_count = 1,
                        .results = &type,
                        .attribute_count = 1,
                        .attributes = &attribute};
  return pgopt_result(pgopt_build(block, &spec));
}

MlirValue pgopt_build_index(MlirBlock block, MlirLocation location,
                            int64_t value) {
  return build_constant(block, location,
                        mlirIndexTypeGet(mlirLocationGetContext(location)),
                        value);
}

MlirValue pgopt_build_i64(MlirBlock block, MlirLocation location,
                          int64_t value) {
  return build_constant(
      block, location, mlirIntegerTypeGet(mlirLocationGetContext(location), 64),
      value);
}

MlirOperation pgopt_build_function(MlirOperation module, const char *name,
                                   MlirType type, bool is_private,
                                   MlirLocation location, MlirBlock *body) {
  MlirContext context = mlirOperationGetContext(module);
  MlirNamedAttribute attributes[] = {
      pgopt_named(context, "sym_name", pgopt_text_attribute(context, name)),
      pgopt_named(context, "function_type", mlirTypeAttrGet(type)),
      pgopt_named(context, "sym_visibility",
                  pgopt_text_attribute(context, "private")),
  };
  pgopt_op_spec spec = {.name = "func.func",
                        .location = location,
                        .attribute_count = is_private || !body ? 3 : 2,
                        .attributes = attributes,
                        .region_count = 1};
  MlirOperation function = pgopt_build(pgopt_module_body(module), &spec);
  if (!body)
    return function;
  intptr_t inputs = mlirFunctionTypeGetNumInputs(type);
  *body = mlirBlockCreate(0, NULL, NULL);
  for (intptr_t i = 0; i < inputs; ++i)
    mlirBlockAddArgument(*body, mlirFunctionTypeGetInput(type, i), location);
  mlirRegionAppendOwnedBlock(mlirOperationGetRegion(function, 0), *body);
  return function;
}

MlirLogicalResult pgopt_declare_function(MlirOperation module, const char *name,
                                         MlirType type) {
  MlirOperation found = pgopt_module_lookup(module, pgopt_ref(name));
  if (mlirOperationIsNull(found)) {
    pgopt_build_function(module, name, type, true,
                         mlirOperationGetLocation(module), NULL);
    return mlirLogicalResultSuccess();
  }
  if (!pgopt_op_is(found, "func.func") ||
      !mlirTypeEqual(pgopt_function_type(found), type))
    return pgopt_emit_error(found,
                            "symbol '%s' is reserved for the runtime's "
                            "function of another type; rename it",
                            name);
  return mlirLogicalResultSuccess();
}

MlirOperation *pgopt_block_ops(MlirBlock block, size_t *count) {
  MlirOperation *ops = NULL;
  size_t capacity = 0;
  *count = 0;
  MlirOperation op = mlirBlockGetFirstOperation(block);
  for (; !mlirOperationIsNull(op); op = mlirOperationGetNextInBlock(op))
    PGOPT_APPEND(ops, *count, capacity, op);
  return ops;
}
