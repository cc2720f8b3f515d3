/// \file Reads the loops, maps and body of linalg operations.
#include "ir/read_structured.h"

#include "ir/ir.h"
#include "mlir-c/AffineExpr.h"
#include "mlir-c/AffineMap.h"
#include "mlir-c/Dialect/Linalg.h"

#include <stdlib.h>
#include <string.h>

enum { ATTRIBUTE_ELEMENTS = 16 };

bool pgopt_is_structured(MlirOperation op) {
  return pgopt_op_in_dialect(op, "linalg") &&
         !mlirAttributeIsNull(mlirLinalgGetIndexingMapsAttribute(op));
}

/// Adds `scale * expr` to the linear form; false when it is not linear.
static bool add_expression(MlirAffineExpr expr, int64_t scale,
                           int64_t *constant, int64_t *coefficients) {
  if (mlirAffineExprIsAConstant(expr)) {
    *constant += scale * mlirAffineConstantExprGetValue(expr);
    return true;
  }
  if (mlirAffineExprIsADim(expr)) {
    coefficients[mlirAffineDimExprGetPosition(expr)] += scale;
    return true;
  }
  if (mlirAffineExprIsAAdd(expr))
    return add_expression(mlirAffineBinaryOpExprGetLHS(expr), scale, constant,
                          coefficients) &&
           add_expression(mlirAffineBinaryOpExprGetRHS(expr), scale, constant,
                          coefficients);
  if (mlirAffineExprIsAMul(expr)) {
    MlirAffineExpr factor = mlirAffineBinaryOpExprGetRHS(expr);
    MlirAffineExpr rest = mlirAffineBinaryOpExprGetLHS(expr);
    if (!mlirAffineExprIsAConstant(factor)) {
      MlirAffineExpr swapped = factor;
      factor = rest;
      rest = swapped;
    }
    return mlirAffineExprIsAConstant(factor) &&
           add_expression(rest, scale * mlirAffineConstantExprGetValue(factor),
                          constant, coefficients);
  }
  return false;
}

pgopt_map pgopt_read_map(pgopt_arena *arena, MlirAffineMap map) {
  size_t loops = (size_t)mlirAffineMapGetNumDims(map);
  size_t count = (size_t)mlirAffineMapGetNumResults(map);
  pgopt_linear *results = pgopt_arena_allocate(arena, count, sizeof *results);
  for (size_t i = 0; i < count; ++i) {
    int64_t *coefficients =
        pgopt_arena_allocate(arena, loops, sizeof *coefficients);
    results[i].coefficients = coefficients;
    results[i].is_linear =
        add_expression(mlirAffineMapGetResult(map, (intptr_t)i), 1,
                       &results[i].constant, coefficients);
  }
  return (pgopt_map){results, count};
}

static bool is_large(MlirAttribute attribute) {
  return mlirAttributeIsADenseResourceElements(attribute) ||
         (mlirAttributeIsADenseElements(attribute) &&
          !mlirDenseElementsAttrIsSplat(attribute) &&
          mlirElementsAttrGetNumElements(attribute) > ATTRIBUTE_ELEMENTS);
}

const char *pgopt_read_attributes(pgopt_ir_network *ir, MlirOperation op) {
  pgopt_text text = {0};
  pgopt_arena *arena = &ir->network.arena;
  intptr_t count = mlirOperationGetNumAttributes(op);
  for (intptr_t i = 0; i < count; ++i) {
    MlirNamedAttribute attribute = mlirOperationGetAttribute(op, i);
    MlirStringRef name = mlirIdentifierStr(attribute.name);
    if ((name.length > 3 && !memcmp(name.data, "pg.", 3)) ||
        is_large(attribute.attribute))
      continue;
    if (text.size)
      pgopt_text_append_bytes(&text, ", ", 2);
    pgopt_text_append_bytes(&text, name.data, name.length);
    pgopt_text_append_bytes(&text, " = ", 3);
    const char *value = pgopt_read_text(&ir->memo, arena, attribute.attribute);
    pgopt_text_append_bytes(&text, value, strlen(value));
  }
  char *copy = pgopt_arena_text(arena, pgopt_text_get(&text), text.size);
  pgopt_text_free(&text);
  return copy;
}

static bool iterator_is_reduction(pgopt_ir_network *ir, MlirAttribute iterators,
                                  size_t loop) {
  return strstr(pgopt_read_text(
                    &ir->memo, &ir->network.arena,
                    mlirArrayAttrGetElement(iterators, (intptr_t)loop)),
                "reduction") != NULL;
}

/// Loops that no init's map mentions are reductions, except where a generic op
/// says otherwise.
static const bool *read_iterators(pgopt_ir_network *ir, MlirOperation handle,
                                  const pgopt_op *op) {
  bool *reduction = pgopt_arena_allocate(&ir->network.arena, op->loop_count,
                                         sizeof *reduction);
  MlirAttribute iterators = pgopt_op_attribute(handle, "iterator_types");
  bool stated =
      !mlirAttributeIsNull(iterators) && mlirAttributeIsAArray(iterators) &&
      (size_t)mlirArrayAttrGetNumElements(iterators) == op->loop_count;
  for (size_t l = 0; l < op->loop_count; ++l) {
    reduction[l] = true;
    if (stated) {
      reduction[l] = iterator_is_reduction(ir, iterators, l);
      continue;
    }
    for (size_t i = op->input_count; i < op->operand_count; ++i)
      for (size_t r = 0; r < op->maps[i].result_count; ++r)
        if (op->maps[i].results[r].is_linear &&
            op->maps[i].results[r].coefficients[l])
          reduction[l] = false;
  }
  return reduction;
}

static const int64_t *read_extents(pgopt_ir_network *ir, const pgopt_op *op) {
  int64_t *extents =
      pgopt_arena_allocate(&ir->network.arena, op->loop_count, sizeof *extents);
  for (size_t l = 0; l < op->loop_count; ++l)
    extents[l] = PGOPT_DYNAMIC;
  for (size_t i = 0; i < op->operand_count; ++i) {
    const pgopt_type *type = &ir->network.values[op->operands[i]].type;
    for (size_t r = 0; r < op->maps[i].result_count && r < type->rank; ++r) {
      int loop =
          pgopt_linear_single_loop(&op->maps[i].results[r], op->loop_count);
      if (loop >= 0 && extents[loop] == PGOPT_DYNAMIC)
        extents[loop] = type->extents[r];
    }
  }
  return extents;
}

static pgopt_scalar_operand read_operand(pgopt_ir_network *ir, MlirBlock block,
                                         const pgopt_pointer_map *body,
                                         MlirValue value) {
  int number;
  if (pgopt_pointer_map_get(body, value.ptr, &number))
    return (pgopt_scalar_operand){PGOPT_FROM_BODY, number};
  if (mlirValueIsABlockArgument(value) &&
      mlirBlockEqual(mlirBlockArgumentGetOwner(value), block))
    return (pgopt_scalar_operand){PGOPT_FROM_ARGUMENT,
                                  (int)mlirBlockArgumentGetArgNumber(value)};
  return (pgopt_scalar_operand){PGOPT_FROM_OUTSIDE,
                                pgopt_ir_network_value(ir, value)};
}

static pgopt_scalar_operand *read_operands(pgopt_ir_network *ir,
                                           MlirBlock block,
                                           const pgopt_pointer_map *body,
                                           MlirOperation op) {
  size_t count = (size_t)mlirOperationGetNumOperands(op);
  pgopt_scalar_operand *operands =
      pgopt_arena_allocate(&ir->network.arena, count, sizeof *operands);
  for (size_t i = 0; i < count; ++i)
    operands[i] =
        read_operand(ir, block, body, mlirOperationGetOperand(op, (intptr_t)i));
  return operands;
}

static const char *result_type_text(pgopt_ir_network *ir, MlirOperation op) {
  if (!mlirOperationGetNumResults(op))
    return "";
  return pgopt_read_type(&ir->memo, &ir->network.arena,
                         mlirValueGetType(mlirOperationGetResult(op, 0)))
      .text;
}

static void read_body(pgopt_ir_network *ir, MlirOperation handle,
                      pgopt_op *op) {
  MlirBlock block = mlirRegionGetFirstBlock(mlirOperationGetRegion(handle, 0));
  size_t count;
  MlirOperation *ops = pgopt_block_ops(block, &count);
  pgopt_arena *arena = &ir->network.arena;
  pgopt_scalar_op *body = pgopt_arena_allocate(arena, count, sizeof *body);
  pgopt_pointer_map index = {0};
  for (size_t i = 0; i < count; ++i) {
    if (pgopt_op_is(ops[i], "linalg.yield")) {
      op->yields = read_operands(ir, block, &index, ops[i]);
      break;
    }
    MlirStringRef name = pgopt_op_name(ops[i]);
    body[i] = (pgopt_scalar_op){
        .name = pgopt_arena_text(arena, name.data, name.length),
        .attributes = pgopt_read_attributes(ir, ops[i]),
        .type = result_type_text(ir, ops[i]),
        .operands = read_operands(ir, block, &index, ops[i]),
        .operand_count = (size_t)mlirOperationGetNumOperands(ops[i])};
    for (intptr_t r = 0; r < mlirOperationGetNumResults(ops[i]); ++r)
      pgopt_pointer_map_set(&index, mlirOperationGetResult(ops[i], r).ptr,
                            (int)i);
    op->body_count = i + 1;
  }
  op->body = body;
  pgopt_pointer_map_free(&index);
  free(ops);
}

void pgopt_read_structured(pgopt_ir_network *ir, MlirOperation handle,
                           pgopt_op *op) {
  pgopt_arena *arena = &ir->network.arena;
  MlirAttribute maps_attribute = mlirLinalgGetIndexingMapsAttribute(handle);
  size_t count = (size_t)mlirArrayAttrGetNumElements(maps_attribute);
  pgopt_map *maps = pgopt_arena_allocate(arena, count, sizeof *maps);
  for (size_t i = 0; i < count; ++i) {
    MlirAttribute map = mlirArrayAttrGetElement(maps_attribute, (intptr_t)i);
    maps[i] = pgopt_read_map_attribute(&ir->memo, arena, map);
    op->loop_count =
        (size_t)mlirAffineMapGetNumDims(mlirAffineMapAttrGetValue(map));
  }
  op->maps = maps;
  MlirAttribute segments = pgopt_op_attribute(handle, "operandSegmentSizes");
  if (!mlirAttributeIsNull(segments) && mlirAttributeIsADenseI32Array(segments))
    op->input_count = (size_t)mlirDenseI32ArrayGetElement(segments, 0);
  else
    /* as many inits as inputs in reduce; one init, the last operand, in
       transpose, broadcast and the like */
    op->input_count = pgopt_op_is(handle, "linalg.reduce")
                          ? op->operand_count / 2
                          : op->operand_count - 1;
  op->loop_is_reduction = read_iterators(ir, handle, op);
  op->loop_extents = read_extents(ir, op);
  read_body(ir, handle, op);
}
