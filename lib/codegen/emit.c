/// \file Emitting lowered code.
#include "codegen/emit.h"

#include "base/checked_math.h"
#include "base/memory.h"
#include "base/text.h"
#include "mlir-c/Dialect/LLVM.h"

#include <stdlib.h>
#include <string.h>

pgopt_emitter pgopt_emitter_before(MlirOperation before) {
  return (pgopt_emitter){mlirOperationGetContext(before),
                         mlirOperationGetLocation(before), before};
}

pgopt_emitter pgopt_emitter_at_start(MlirBlock block, MlirOperation origin) {
  return (pgopt_emitter){mlirOperationGetContext(origin),
                         mlirOperationGetLocation(origin),
                         mlirBlockGetFirstOperation(block)};
}

MlirType pgopt_type_parse(MlirContext context, const char *text) {
  return mlirTypeParseGet(context, pgopt_ref(text));
}

MlirAttribute pgopt_attribute_parse(MlirContext context, const char *text) {
  return mlirAttributeParseGet(context, pgopt_ref(text));
}

MlirType pgopt_pointer_type(MlirContext context) {
  return mlirLLVMPointerTypeGet(context, 0);
}

MlirValue pgopt_emit_op(pgopt_emitter emitter, const char *name,
                        size_t operand_count, const MlirValue *operands,
                        MlirType result, size_t attribute_count,
                        const MlirNamedAttribute *attributes) {
  pgopt_op_spec spec = {.name = name,
                        .location = emitter.location,
                        .operand_count = operand_count,
                        .operands = operands,
                        .result_count = mlirTypeIsNull(result) ? 0 : 1,
                        .results = &result,
                        .attribute_count = attribute_count,
                        .attributes = attributes};
  MlirOperation op = pgopt_build_before(emitter.before, &spec);
  return mlirTypeIsNull(result) ? (MlirValue){NULL} : pgopt_result(op);
}

static MlirValue emit_constant(pgopt_emitter emitter, MlirType type,
                               int64_t value) {
  MlirNamedAttribute attribute =
      pgopt_named(emitter.context, "value", mlirIntegerAttrGet(type, value));
  return pgopt_emit_op(emitter, "arith.constant", 0, NULL, type, 1, &attribute);
}

MlirValue pgopt_emit_index(pgopt_emitter emitter, int64_t value) {
  return emit_constant(emitter, mlirIndexTypeGet(emitter.context), value);
}

MlirValue pgopt_emit_i64(pgopt_emitter emitter, int64_t value) {
  return emit_constant(emitter, mlirIntegerTypeGet(emitter.context, 64), value);
}

MlirValue pgopt_emit_binary(pgopt_emitter emitter, const char *name,
                            MlirValue left, MlirValue right) {
  MlirValue operands[] = {left, right};
  return pgopt_emit_op(emitter, name, 2, operands, mlirValueGetType(left), 0,
                       NULL);
}

MlirValue pgopt_emit_to_i64(pgopt_emitter emitter, MlirValue index) {
  return pgopt_emit_op(emitter, "arith.index_cast", 1, &index,
                       mlirIntegerTypeGet(emitter.context, 64), 0, NULL);
}

MlirValue pgopt_emit_to_index(pgopt_emitter emitter, MlirValue integer) {
  return pgopt_emit_op(emitter, "arith.index_cast", 1, &integer,
                       mlirIndexTypeGet(emitter.context), 0, NULL);
}

MlirValue pgopt_emit_add_scaled(pgopt_emitter emitter, MlirValue base,
                                MlirValue value, int64_t factor) {
  if (!factor)
    return base;
  if (factor != 1)
    value = pgopt_emit_binary(emitter, "arith.muli", value,
                              pgopt_emit_index(emitter, factor));
  return pgopt_emit_binary(emitter, "arith.addi", base, value);
}

pgopt_emitter pgopt_emit_for(pgopt_emitter emitter, MlirValue end, int64_t step,
                             MlirValue *variable) {
  MlirValue operands[] = {pgopt_emit_index(emitter, 0), end,
                          pgopt_emit_index(emitter, step)};
  pgopt_op_spec spec = {.name = "scf.for",
                        .location = emitter.location,
                        .operand_count = 3,
                        .operands = operands,
                        .region_count = 1};
  MlirOperation loop = pgopt_build_before(emitter.before, &spec);
  MlirType index = mlirIndexTypeGet(emitter.context);
  MlirBlock body = mlirBlockCreate(1, &index, &emitter.location);
  mlirRegionAppendOwnedBlock(mlirOperationGetRegion(loop, 0), body);
  pgopt_op_spec yield = {.name = "scf.yield", .location = emitter.location};
  *variable = mlirBlockGetArgument(body, 0);
  return (pgopt_emitter){emitter.context, emitter.location,
                         pgopt_build(body, &yield)};
}

MlirValue pgopt_emit_runtime_call(pgopt_emitter emitter, MlirOperation module,
                                  const char *name, size_t argument_count,
                                  const MlirValue *arguments, MlirType result) {
  MlirType inputs[16];
  for (size_t i = 0; i < argument_count; ++i)
    inputs[i] = mlirValueGetType(arguments[i]);
  intptr_t results = mlirTypeIsNull(result) ? 0 : 1;
  MlirType type =
      mlirFunctionTypeGet(emitter.context, (intptr_t)argument_count, inputs,
                          results, results ? &result : NULL);
  if (mlirOperationIsNull(pgopt_module_lookup(module, pgopt_ref(name))))
    pgopt_build_function(module, name, type, true, emitter.location, NULL);
  MlirNamedAttribute callee =
      pgopt_named(emitter.context, "callee",
                  mlirFlatSymbolRefAttrGet(emitter.context, pgopt_ref(name)));
  return pgopt_emit_op(emitter, "func.call", argument_count, arguments, result,
                       1, &callee);
}

/// The op's type without layout and with rank 0: the base buffer that
/// `memref.extract_strided_metadata` returns.
static MlirType base_buffer_type(MlirType type) {
  return mlirMemRefTypeContiguousGet(mlirShapedTypeGetElementType(type), 0,
                                     NULL, mlirMemRefTypeGetMemorySpace(type));
}

MlirOperation pgopt_emit_metadata(pgopt_emitter emitter, MlirValue memref) {
  MlirType type = mlirValueGetType(memref);
  MlirType index = mlirIndexTypeGet(emitter.context);
  size_t rank = (size_t)mlirShapedTypeGetRank(type);
  MlirType *results = pgopt_allocate(2 + 2 * rank, sizeof *results);
  results[0] = base_buffer_type(type);
  for (size_t i = 0; i < 1 + 2 * rank; ++i)
    results[1 + i] = index;
  pgopt_op_spec spec = {.name = "memref.extract_strided_metadata",
                        .location = emitter.location,
                        .operand_count = 1,
                        .operands = &memref,
                        .result_count = 2 + 2 * rank,
                        .results = results};
  MlirOperation op = pgopt_build_before(emitter.before, &spec);
  free(results);
  return op;
}

MlirValue pgopt_emit_buffer(pgopt_emitter emitter, const char *op,
                            MlirType element, int64_t elements) {
  MlirType type = mlirMemRefTypeContiguousGet(element, 1, &elements,
                                              mlirAttributeGetNull());
  MlirNamedAttribute segments =
      pgopt_named(emitter.context, "operandSegmentSizes",
                  pgopt_attribute_parse(emitter.context, "array<i32: 0, 0>"));
  return pgopt_emit_op(emitter, op, 0, NULL, type, 1, &segments);
}

MlirValue pgopt_emit_address(pgopt_emitter emitter, MlirValue memref) {
  MlirType type = mlirValueGetType(memref);
  MlirType index = mlirIndexTypeGet(emitter.context);
  MlirAttribute layout = mlirMemRefTypeGetLayout(type);
  bool is_identity = mlirAttributeIsAAffineMap(layout) &&
                     mlirAffineMapIsIdentity(mlirAffineMapAttrGetValue(layout));
  if (is_identity)
    return pgopt_emit_op(emitter, "memref.extract_aligned_pointer_as_index", 1,
                         &memref, index, 0, NULL);
  MlirOperation metadata = pgopt_emit_metadata(emitter, memref);
  MlirValue base = mlirOperationGetResult(metadata, 0);
  MlirValue offset = mlirOperationGetResult(metadata, 1);
  MlirValue address =
      pgopt_emit_op(emitter, "memref.extract_aligned_pointer_as_index", 1,
                    &base, index, 0, NULL);
  return pgopt_emit_add_scaled(
      emitter, address, offset,
      pgopt_element_storage(mlirShapedTypeGetElementType(type)));
}

MlirValue pgopt_emit_pointer(pgopt_emitter emitter, MlirValue address) {
  MlirValue integer = pgopt_emit_to_i64(emitter, address);
  return pgopt_emit_op(emitter, "llvm.inttoptr", 1, &integer,
                       pgopt_pointer_type(emitter.context), 0, NULL);
}

static MlirValue emit_insert(pgopt_emitter emitter, MlirValue structure,
                             MlirValue field, const char *position) {
  MlirNamedAttribute attribute =
      pgopt_named(emitter.context, "position",
                  pgopt_attribute_parse(emitter.context, position));
  MlirValue operands[] = {structure, field};
  return pgopt_emit_op(emitter, "llvm.insertvalue", 2, operands,
                       mlirValueGetType(structure), 1, &attribute);
}

MlirValue pgopt_emit_bytes(pgopt_emitter emitter, MlirValue pointer,
                           MlirValue bytes) {
  MlirType structure = pgopt_type_parse(
      emitter.context,
      "!llvm.struct<(ptr, ptr, i64, array<1 x i64>, array<1 x i64>)>");
  MlirValue value =
      pgopt_emit_op(emitter, "llvm.mlir.poison", 0, NULL, structure, 0, NULL);
  value = emit_insert(emitter, value, pointer, "array<i64: 0>");
  value = emit_insert(emitter, value, pointer, "array<i64: 1>");
  value =
      emit_insert(emitter, value, pgopt_emit_i64(emitter, 0), "array<i64: 2>");
  value = emit_insert(emitter, value, bytes, "array<i64: 3, 0>");
  value = emit_insert(emitter, value, pgopt_emit_i64(emitter, 1),
                      "array<i64: 4, 0>");
  return pgopt_emit_op(emitter, "builtin.unrealized_conversion_cast", 1, &value,
                       pgopt_type_parse(emitter.context, "memref<?xi8>"), 0,
                       NULL);
}

MlirValue pgopt_emit_view(pgopt_emitter emitter, MlirValue bytes,
                          MlirValue offset, MlirType type, size_t size_count,
                          const MlirValue *sizes) {
  MlirValue *operands = pgopt_allocate(size_count + 2, sizeof *operands);
  operands[0] = bytes;
  operands[1] = offset;
  for (size_t i = 0; i < size_count; ++i)
    operands[2 + i] = sizes[i];
  MlirValue view = pgopt_emit_op(emitter, "memref.view", size_count + 2,
                                 operands, type, 0, NULL);
  free(operands);
  return view;
}

int64_t pgopt_element_storage(MlirType type) {
  if (mlirTypeIsAIndex(type))
    return 8;
  if (mlirTypeIsAFloat(type))
    return (mlirFloatTypeGetWidth(type) + 7) / 8;
  if (mlirTypeIsAInteger(type)) {
    int64_t bytes = 1;
    while (bytes * 8 < mlirIntegerTypeGetWidth(type))
      bytes *= 2;
    return bytes;
  }
  return 0;
}

bool pgopt_memref_bytes(MlirType type, int64_t *bytes) {
  int64_t result = pgopt_element_storage(mlirShapedTypeGetElementType(type));
  if (!result || !mlirShapedTypeHasStaticShape(type))
    return false;
  for (intptr_t i = 0; i < mlirShapedTypeGetRank(type); ++i)
    if (!pgopt_checked_multiply(result, mlirShapedTypeGetDimSize(type, i),
                                &result))
      return false;
  *bytes = result;
  return true;
}

char *pgopt_unique_symbol(MlirOperation module, const char *name) {
  pgopt_text text = {0};
  pgopt_text_append(&text, "%s", name);
  for (int i = 0;
       !mlirOperationIsNull(pgopt_module_lookup(module, pgopt_ref(text.data)));
       ++i) {
    pgopt_text_free(&text);
    text = (pgopt_text){0};
    pgopt_text_append(&text, "%s_%d", name, i);
  }
  return text.data;
}

typedef struct collection {
  const char *name;
  bool is_dialect;
  MlirOperation *ops;
  size_t count, capacity;
} collection;

static MlirWalkResult collect(MlirOperation op, void *data) {
  collection *found = data;
  bool matches;
  if (found->is_dialect) {
    MlirStringRef name = pgopt_op_name(op);
    size_t length = strlen(found->name);
    matches = name.length > length && !memcmp(name.data, found->name, length);
  } else {
    matches = pgopt_op_is(op, found->name);
  }
  if (matches)
    PGOPT_APPEND(found->ops, found->count, found->capacity, op);
  return MlirWalkResultAdvance;
}

MlirOperation *pgopt_collect_ops(MlirOperation root, const char *name,
                                 size_t *count) {
  collection found = {.name = name,
                      .is_dialect = name[strlen(name) - 1] == '.'};
  mlirOperationWalk(root, collect, &found, MlirWalkPostOrder);
  *count = found.count;
  return found.ops;
}

MlirOperation pgopt_parent_module(MlirOperation op) {
  while (!pgopt_op_is(op, "builtin.module"))
    op = mlirOperationGetParentOperation(op);
  return op;
}

static MlirOperation defining_parent(MlirValue value) {
  if (mlirValueIsABlockArgument(value))
    return mlirBlockGetParentOperation(mlirBlockArgumentGetOwner(value));
  return mlirOperationGetParentOperation(mlirOpResultGetOwner(value));
}

bool pgopt_defined_inside(MlirValue value, MlirOperation op) {
  MlirOperation parent = defining_parent(value);
  while (!mlirOperationIsNull(parent)) {
    if (mlirOperationEqual(parent, op))
      return true;
    parent = mlirOperationGetParentOperation(parent);
  }
  return false;
}

typedef struct captures {
  MlirOperation root;
  MlirValue *values;
  size_t count, capacity;
} captures;

static MlirWalkResult collect_captures(MlirOperation op, void *data) {
  captures *found = data;
  if (mlirOperationEqual(op, found->root))
    return MlirWalkResultAdvance;
  for (intptr_t i = 0; i < mlirOperationGetNumOperands(op); ++i) {
    MlirValue value = mlirOperationGetOperand(op, i);
    bool known = pgopt_defined_inside(value, found->root);
    for (size_t k = 0; k < found->count && !known; ++k)
      known = mlirValueEqual(found->values[k], value);
    if (!known)
      PGOPT_APPEND(found->values, found->count, found->capacity, value);
  }
  return MlirWalkResultAdvance;
}

MlirValue *pgopt_captured_values(MlirOperation op, size_t *count) {
  captures found = {.root = op};
  mlirOperationWalk(op, collect_captures, &found, MlirWalkPreOrder);
  *count = found.count;
  return found.values;
}

static bool is_view(MlirOperation op) {
  return pgopt_op_is_memref_view(op) ||
         pgopt_op_is(op, "memref.reinterpret_cast") ||
         pgopt_op_is(op, "memref.transpose") || pgopt_op_is(op, "memref.view");
}

MlirValue pgopt_root_buffer(MlirValue value) {
  while (!mlirValueIsABlockArgument(value)) {
    MlirOperation op = mlirOpResultGetOwner(value);
    if (!is_view(op))
      break;
    value = mlirOperationGetOperand(op, 0);
  }
  return value;
}
