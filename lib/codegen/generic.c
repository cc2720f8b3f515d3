/// \file Reading and building `linalg.generic` on memrefs.
#include "codegen/generic.h"

#include "ir/read_structured.h"
#include "mlir-c/Dialect/Linalg.h"

#include <stdlib.h>
#include <string.h>

static bool is_reduction_iterator(MlirAttribute iterators, size_t loop) {
  pgopt_text text = {0};
  pgopt_print_attribute(mlirArrayAttrGetElement(iterators, (intptr_t)loop),
                        &text);
  bool reduction = strstr(text.data, "reduction") != NULL;
  pgopt_text_free(&text);
  return reduction;
}

/// Number of inputs, from the op's operand segments; -1 without them.
static int64_t input_segment(MlirOperation op) {
  MlirAttribute segments = pgopt_op_attribute(op, "operandSegmentSizes");
  if (mlirAttributeIsNull(segments) || !mlirAttributeIsADenseI32Array(segments))
    return -1;
  return mlirDenseI32ArrayGetElement(segments, 0);
}

static void read_memref(pgopt_arena *arena, MlirType type,
                        pgopt_generic_operand *operand) {
  operand->is_memref = true;
  operand->rank = (size_t)mlirShapedTypeGetRank(type);
  operand->element = mlirShapedTypeGetElementType(type);
  int64_t *extents = pgopt_arena_allocate(arena, operand->rank + 1, 8);
  int64_t *strides = pgopt_arena_allocate(arena, operand->rank + 1, 8);
  int64_t offset;
  for (size_t i = 0; i < operand->rank; ++i)
    extents[i] = mlirShapedTypeIsDynamicDim(type, (intptr_t)i)
                     ? PGOPT_DYNAMIC
                     : mlirShapedTypeGetDimSize(type, (intptr_t)i);
  operand->extents = extents;
  if (mlirLogicalResultIsFailure(
          mlirMemRefTypeGetStridesAndOffset(type, strides, &offset)))
    return;
  for (size_t i = 0; i < operand->rank; ++i)
    if (strides[i] == mlirShapedTypeGetDynamicStrideOrOffset())
      return;
  operand->strides = strides;
}

static bool read_operand(pgopt_arena *arena, MlirValue value, MlirAffineMap map,
                         size_t loop_count, pgopt_generic_operand *operand) {
  MlirType type = mlirValueGetType(value);
  operand->value = value;
  if (mlirAffineMapGetNumSymbols(map) ||
      (size_t)mlirAffineMapGetNumDims(map) != loop_count)
    return false;
  operand->map = pgopt_read_map(arena, map);
  for (size_t i = 0; i < operand->map.result_count; ++i)
    if (!operand->map.results[i].is_linear)
      return false;
  if (mlirTypeIsAMemRef(type))
    read_memref(arena, type, operand);
  else if (mlirTypeIsAUnrankedMemRef(type) || mlirTypeIsATensor(type))
    return false;
  else
    operand->element = type;
  return operand->rank == operand->map.result_count;
}

bool pgopt_read_generic(MlirOperation op, pgopt_generic *generic) {
  *generic = (pgopt_generic){.op = op};
  if (!pgopt_op_is(op, "linalg.generic") || mlirOperationGetNumResults(op))
    return false;
  MlirAttribute maps = mlirLinalgGetIndexingMapsAttribute(op);
  MlirAttribute iterators = pgopt_op_attribute(op, "iterator_types");
  int64_t inputs = input_segment(op);
  if (mlirAttributeIsNull(maps) || mlirAttributeIsNull(iterators) || inputs < 0)
    return false;
  pgopt_arena *arena = &generic->arena;
  generic->loop_count = (size_t)mlirArrayAttrGetNumElements(iterators);
  generic->operand_count = (size_t)mlirOperationGetNumOperands(op);
  generic->input_count = (size_t)inputs;
  generic->body = mlirRegionGetFirstBlock(mlirOperationGetRegion(op, 0));
  bool *is_reduction = pgopt_arena_allocate(arena, generic->loop_count + 1, 1);
  int64_t *extents = pgopt_arena_allocate(arena, generic->loop_count + 1, 8);
  pgopt_generic_operand *operands =
      pgopt_arena_allocate(arena, generic->operand_count + 1, sizeof *operands);
  for (size_t l = 0; l < generic->loop_count; ++l) {
    is_reduction[l] = is_reduction_iterator(iterators, l);
    extents[l] = PGOPT_DYNAMIC;
  }
  for (size_t i = 0; i < generic->operand_count; ++i) {
    MlirAttribute map = mlirArrayAttrGetElement(maps, (intptr_t)i);
    if (!read_operand(arena, mlirOperationGetOperand(op, (intptr_t)i),
                      mlirAffineMapAttrGetValue(map), generic->loop_count,
                      &operands[i]))
      return false;
    for (size_t d = 0; d < operands[i].rank; ++d) {
      int loop = pgopt_linear_single_loop(&operands[i].map.results[d],
                                          generic->loop_count);
      if (loop >= 0 && extents[loop] == PGOPT_DYNAMIC)
        extents[loop] = operands[i].extents[d];
    }
  }
  generic->is_reduction = is_reduction;
  generic->extents = extents;
  generic->operands = operands;
  return true;
}

void pgopt_generic_free(pgopt_generic *generic) {
  pgopt_arena_free(&generic->arena);
}

MlirOperation pgopt_build_generic(MlirOperation before, size_t input_count,
                                  size_t operand_count,
                                  const MlirValue *operands,
                                  const MlirAffineMap *maps, size_t loop_count,
                                  const bool *is_reduction, MlirRegion region) {
  MlirContext context = mlirOperationGetContext(before);
  MlirAttribute *attributes =
      pgopt_allocate(operand_count + loop_count + 1, sizeof *attributes);
  for (size_t i = 0; i < operand_count; ++i)
    attributes[i] = mlirAffineMapAttrGet(maps[i]);
  MlirAttribute map_array =
      mlirArrayAttrGet(context, (intptr_t)operand_count, attributes);
  for (size_t l = 0; l < loop_count; ++l)
    attributes[l] = mlirAttributeParseGet(
        context,
        pgopt_ref(is_reduction[l] ? "#linalg.iterator_type<reduction>"
                                  : "#linalg.iterator_type<parallel>"));
  MlirAttribute iterators =
      mlirArrayAttrGet(context, (intptr_t)loop_count, attributes);
  free(attributes);
  int32_t segments[] = {(int32_t)input_count,
                        (int32_t)(operand_count - input_count)};
  MlirNamedAttribute named[] = {
      pgopt_named(context, "indexing_maps", map_array),
      pgopt_named(context, "iterator_types", iterators),
      pgopt_named(context, "operandSegmentSizes",
                  mlirDenseI32ArrayGet(context, 2, segments))};
  MlirOperationState state = mlirOperationStateGet(
      pgopt_ref("linalg.generic"), mlirOperationGetLocation(before));
  mlirOperationStateAddOperands(&state, (intptr_t)operand_count, operands);
  mlirOperationStateAddAttributes(&state, 3, named);
  mlirOperationStateAddOwnedRegions(&state, 1, &region);
  MlirOperation op = mlirOperationCreate(&state);
  mlirBlockInsertOwnedOperationBefore(mlirOperationGetBlock(before), before,
                                      op);
  return op;
}

MlirValue pgopt_emit_loop_extent(pgopt_emitter emitter,
                                 const pgopt_generic *generic, size_t loop) {
  if (generic->extents[loop] != PGOPT_DYNAMIC)
    return pgopt_emit_index(emitter, generic->extents[loop]);
  for (size_t i = generic->operand_count; i-- > 0;)
    for (size_t d = 0; d < generic->operands[i].rank; ++d) {
      const pgopt_generic_operand *operand = &generic->operands[i];
      if (pgopt_linear_single_loop(&operand->map.results[d],
                                   generic->loop_count) != (int)loop)
        continue;
      MlirValue operands[] = {operand->value,
                              pgopt_emit_index(emitter, (int64_t)d)};
      return pgopt_emit_op(emitter, "memref.dim", 2, operands,
                           mlirIndexTypeGet(emitter.context), 0, NULL);
    }
  return pgopt_emit_index(emitter, 0);
}
