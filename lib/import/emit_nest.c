/// \file Loop nests as linalg operations: named ones where the nest has a form,
/// linalg.generic otherwise.
#include "import/emit_program.h"

#include "mlir-c/AffineExpr.h"
#include "mlir-c/AffineMap.h"
#include "mlir-c/Dialect/Linalg.h"

#include <stdlib.h>
#include <string.h>

MlirType pgopt_import_type(const pgopt_emitter *e, int tensor) {
  const pgopt_tensor *t = e->program->tensors[tensor];
  return mlirRankedTensorTypeGet(t->rank, t->shape,
                                 pgopt_import_element_type(e->context, t->type),
                                 mlirAttributeGetNull());
}

static MlirAffineExpr affine_row(MlirContext context, const int64_t *row,
                                 int loops) {
  MlirAffineExpr sum = {NULL};
  for (int l = 0; l < loops; ++l) {
    if (!row[l])
      continue;
    MlirAffineExpr term = mlirAffineDimExprGet(context, l);
    if (row[l] != 1)
      term = mlirAffineMulExprGet(term,
                                  mlirAffineConstantExprGet(context, row[l]));
    sum = sum.ptr ? mlirAffineAddExprGet(sum, term) : term;
  }
  if (!sum.ptr)
    return mlirAffineConstantExprGet(context, row[loops]);
  if (row[loops])
    sum = mlirAffineAddExprGet(sum,
                               mlirAffineConstantExprGet(context, row[loops]));
  return sum;
}

static MlirAttribute map_attribute(MlirContext context, int loops, int rank,
                                   const int64_t *rows) {
  MlirAffineExpr *results = pgopt_allocate((size_t)rank, sizeof *results);
  for (int d = 0; d < rank; ++d)
    results[d] = affine_row(context, rows + d * (loops + 1), loops);
  MlirAttribute map =
      mlirAffineMapAttrGet(mlirAffineMapGet(context, loops, 0, rank, results));
  free(results);
  return map;
}

/// The loop that the row consists of alone, or -1.
static int single_loop(const int64_t *row, int loops) {
  int found = -1;
  for (int l = 0; l < loops; ++l) {
    if (!row[l])
      continue;
    if (found >= 0 || row[l] != 1)
      return -1;
    found = l;
  }
  return row[loops] ? -1 : found;
}

/// Reduction loops that no operand has for a dimension, in order.
static int hidden_loops(const pgopt_nest *nest, int *hidden) {
  int count = 0;
  for (int l = nest->parallel; l < nest->loops; ++l) {
    bool seen = false;
    for (int i = 0; i < nest->operand_count; ++i)
      for (int d = 0; d < nest->operands[i].rank; ++d)
        seen |= single_loop(nest->operands[i].rows + d * (nest->loops + 1),
                            nest->loops) == l;
    if (!seen)
      hidden[count++] = l;
  }
  return count;
}

/// The destination: undefined, or filled where results are gathered in it.
static MlirValue emit_destination(const pgopt_emitter *e,
                                  const pgopt_builder *b,
                                  const pgopt_node *node) {
  const pgopt_nest *nest = node->nest;
  MlirValue empty =
      pgopt_build_empty(b, pgopt_import_type(e, node->results[0]));
  if (nest->loops == nest->parallel)
    return empty;
  return pgopt_build_fill(b, pgopt_import_scalar(b, nest->type, nest->init),
                          empty);
}

static MlirAttribute pair_attribute(MlirContext context, int64_t a, int64_t b) {
  int64_t extent = 2, values[] = {a, b};
  MlirType type = mlirRankedTensorTypeGet(
      1, &extent, mlirIntegerTypeGet(context, 64), mlirAttributeGetNull());
  return mlirDenseElementsAttrInt64Get(type, 2, values);
}

/// A named op over the operands and the destination.
static MlirValue emit_named(const pgopt_builder *b, const char *name,
                            int inputs, const MlirValue *values,
                            MlirValue destination, int attribute_count,
                            const MlirNamedAttribute *attributes) {
  MlirValue operands[4];
  MlirNamedAttribute named[4];
  for (int i = 0; i < inputs; ++i)
    operands[i] = values[i];
  operands[inputs] = destination;
  for (int i = 0; i < attribute_count; ++i)
    named[i] = attributes[i];
  int32_t segments[] = {inputs, 1};
  named[attribute_count] =
      pgopt_named(b->context, "operandSegmentSizes",
                  mlirDenseI32ArrayGet(b->context, 2, segments));
  MlirType type = mlirValueGetType(destination);
  pgopt_op_spec spec = {.name = name,
                        .location = b->location,
                        .operand_count = (size_t)inputs + 1,
                        .operands = operands,
                        .result_count = 1,
                        .results = &type,
                        .attribute_count = (size_t)attribute_count + 1,
                        .attributes = named,
                        .region_count = 1};
  MlirOperation op = pgopt_build(b->block, &spec);
  mlirLinalgFillBuiltinNamedOpRegion(op);
  return pgopt_result(op);
}

static MlirValue emit_transpose(const pgopt_emitter *e, const pgopt_builder *b,
                                const pgopt_node *node) {
  const pgopt_nest *nest = node->nest;
  int64_t permutation[PGOPT_MAX_TENSOR_RANK];
  for (int d = 0; d < nest->loops; ++d)
    permutation[single_loop(nest->operands[0].rows + d * (nest->loops + 1),
                            nest->loops)] = d;
  MlirNamedAttribute attribute =
      pgopt_named(e->context, "permutation",
                  mlirDenseI64ArrayGet(e->context, nest->loops, permutation));
  // linalg.transpose has no operand segments.
  MlirValue operands[] = {e->values[node->operands[0]],
                          emit_destination(e, b, node)};
  MlirType type = mlirValueGetType(operands[1]);
  pgopt_op_spec spec = {.name = "linalg.transpose",
                        .location = b->location,
                        .operand_count = 2,
                        .operands = operands,
                        .result_count = 1,
                        .results = &type,
                        .attribute_count = 1,
                        .attributes = &attribute,
                        .region_count = 1};
  MlirOperation op = pgopt_build(b->block, &spec);
  mlirLinalgFillBuiltinNamedOpRegion(op);
  return pgopt_result(op);
}

/// Convolutions and pools: strides and dilations are the coefficients of the
/// image's rows.
static MlirValue emit_window(const pgopt_emitter *e, const pgopt_builder *b,
                             const pgopt_node *node, const char *name,
                             int first_tap) {
  const pgopt_nest *nest = node->nest;
  const int64_t *h = nest->operands[0].rows + 2 * (nest->loops + 1);
  const int64_t *w = h + nest->loops + 1;
  MlirNamedAttribute attributes[] = {
      pgopt_named(e->context, "dilations",
                  pair_attribute(e->context, h[first_tap], w[first_tap + 1])),
      pgopt_named(e->context, "strides",
                  pair_attribute(e->context, h[2], w[3]))};
  MlirValue operands[2] = {e->values[node->operands[0]]};
  if (node->operand_count > 1)
    operands[1] = e->values[node->operands[1]];
  else
    operands[1] = pgopt_build_empty(
        b, mlirRankedTensorTypeGet(
               2, nest->extents + first_tap,
               pgopt_import_element_type(e->context, nest->type),
               mlirAttributeGetNull()));
  return emit_named(b, name, 2, operands, emit_destination(e, b, node), 2,
                    attributes);
}

static MlirValue emit_generic(const pgopt_emitter *e, const pgopt_builder *b,
                              const pgopt_node *node) {
  const pgopt_nest *nest = node->nest;
  MlirContext c = e->context;
  int loops = nest->loops, inputs = nest->operand_count;
  size_t capacity = (size_t)inputs + 2;
  MlirValue *operands = pgopt_allocate(capacity, sizeof *operands);
  MlirAttribute *maps = pgopt_allocate(capacity, sizeof *maps);
  for (int i = 0; i < inputs; ++i) {
    const pgopt_access *access = &nest->operands[i];
    operands[i] = e->values[access->tensor];
    maps[i] = map_attribute(c, loops, access->rank, access->rows);
  }
  int hidden[PGOPT_MAX_LOOPS], hidden_count = hidden_loops(nest, hidden);
  int64_t *rows =
      pgopt_allocate((size_t)(loops * (loops + 1)) + 1, sizeof *rows);
  if (hidden_count) {
    int64_t shape[PGOPT_MAX_LOOPS];
    for (int i = 0; i < hidden_count; ++i) {
      shape[i] = nest->extents[hidden[i]];
      rows[i * (loops + 1) + hidden[i]] = 1;
    }
    operands[inputs] = pgopt_build_empty(
        b, mlirRankedTensorTypeGet(hidden_count, shape, mlirF32TypeGet(c),
                                   mlirAttributeGetNull()));
    maps[inputs++] = map_attribute(c, loops, hidden_count, rows);
    memset(rows, 0, (size_t)(loops * (loops + 1)) * sizeof *rows);
  }
  for (int l = 0; l < nest->parallel; ++l)
    rows[l * (loops + 1) + l] = 1;
  operands[inputs] = emit_destination(e, b, node);
  maps[inputs] = map_attribute(c, loops, nest->parallel, rows);
  free(rows);

  MlirAttribute iterators[PGOPT_MAX_LOOPS];
  for (int l = 0; l < loops; ++l)
    iterators[l] = mlirAttributeParseGet(
        c, pgopt_ref(l < nest->parallel ? "#linalg.iterator_type<parallel>"
                                        : "#linalg.iterator_type<reduction>"));
  int32_t segments[] = {inputs, 1};
  MlirNamedAttribute attributes[] = {
      pgopt_named(c, "indexing_maps", mlirArrayAttrGet(c, inputs + 1, maps)),
      pgopt_named(c, "iterator_types", mlirArrayAttrGet(c, loops, iterators)),
      pgopt_named(c, "operandSegmentSizes",
                  mlirDenseI32ArrayGet(c, 2, segments))};
  MlirType type = mlirValueGetType(operands[inputs]);
  pgopt_op_spec spec = {.name = "linalg.generic",
                        .location = b->location,
                        .operand_count = (size_t)inputs + 1,
                        .operands = operands,
                        .result_count = 1,
                        .results = &type,
                        .attribute_count = 3,
                        .attributes = attributes,
                        .region_count = 1};
  MlirOperation op = pgopt_build(b->block, &spec);
  MlirBlock body = mlirBlockCreate(0, NULL, NULL);
  mlirRegionAppendOwnedBlock(mlirOperationGetRegion(op, 0), body);
  for (int i = 0; i <= inputs; ++i)
    operands[i] = mlirBlockAddArgument(
        body, mlirShapedTypeGetElementType(mlirValueGetType(operands[i])),
        b->location);
  pgopt_builder inner = {c, body, b->location};
  pgopt_import_body(e, &inner, nest, operands, operands[inputs]);
  free(operands);
  free(maps);
  return pgopt_result(op);
}

MlirValue pgopt_import_nest(const pgopt_emitter *e, const pgopt_builder *b,
                            const pgopt_node *node) {
  MlirValue operands[2];
  for (int i = 0; i < node->operand_count && i < 2; ++i)
    operands[i] = e->values[node->operands[i]];
  switch (node->nest->form) {
  case PGOPT_FORM_TRANSPOSE:
    return emit_transpose(e, b, node);
  case PGOPT_FORM_MATMUL:
    return emit_named(b, "linalg.matmul", 2, operands,
                      emit_destination(e, b, node), 0, NULL);
  case PGOPT_FORM_BATCH_MATMUL:
    return emit_named(b, "linalg.batch_matmul", 2, operands,
                      emit_destination(e, b, node), 0, NULL);
  case PGOPT_FORM_CONV:
    return emit_window(e, b, node, "linalg.conv_2d_nchw_fchw", 5);
  case PGOPT_FORM_POOL_MAX:
    return emit_window(e, b, node, "linalg.pooling_nchw_max", 4);
  case PGOPT_FORM_POOL_SUM:
    return emit_window(e, b, node, "linalg.pooling_nchw_sum", 4);
  case PGOPT_FORM_GENERIC:
    break;
  }
  return emit_generic(e, b, node);
}
