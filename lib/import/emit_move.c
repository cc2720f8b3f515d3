/// \file Operations that move data: reshapes, slices, padding, joining.
#include "import/emit_program.h"

#include <stdlib.h>
#include <string.h>

enum { MAX = PGOPT_MAX_TENSOR_RANK };

/// Dimensions [first, last) of a shape.
typedef struct range {
  int first, last;
} range;

typedef struct grouping {
  range from[MAX], to[MAX];
  int64_t extents[MAX];
  int count;
} grouping;

/// The finest groups of dimensions of equal products. Both shapes have the same
/// number of elements, which is not 0.
static grouping group_dimensions(const pgopt_tensor *from,
                                 const pgopt_tensor *to) {
  grouping g = {.count = 0};
  int i = 0, k = 0;
  while (i < from->rank && k < to->rank) {
    int first_i = i, first_k = k;
    int64_t a = from->shape[i++], b = to->shape[k++];
    while (a != b)
      if (a < b)
        a *= from->shape[i++];
      else
        b *= to->shape[k++];
    g.from[g.count] = (range){first_i, i};
    g.to[g.count] = (range){first_k, k};
    g.extents[g.count++] = a;
  }
  // What is left are extents of 1.
  if (g.count) {
    g.from[g.count - 1].last = from->rank;
    g.to[g.count - 1].last = to->rank;
  }
  return g;
}

static MlirAttribute reassociation(MlirContext context, const range *ranges,
                                   int count) {
  MlirAttribute groups[MAX];
  MlirType i64 = mlirIntegerTypeGet(context, 64);
  for (int g = 0; g < count; ++g) {
    MlirAttribute dims[MAX];
    int size = 0;
    for (int d = ranges[g].first; d < ranges[g].last; ++d)
      dims[size++] = mlirIntegerAttrGet(i64, d);
    groups[g] = mlirArrayAttrGet(context, size, dims);
  }
  return mlirArrayAttrGet(context, count, groups);
}

static MlirValue emit_reshape(const pgopt_emitter *e, const pgopt_builder *b,
                              const pgopt_node *node) {
  const pgopt_tensor *from = e->program->tensors[node->operands[0]];
  const pgopt_tensor *to = e->program->tensors[node->results[0]];
  MlirType type = pgopt_import_type(e, node->results[0]);
  MlirValue value = e->values[node->operands[0]];
  if (!to->count)
    return pgopt_build_empty(b, type);
  grouping g = group_dimensions(from, to);
  if (g.count < from->rank) {
    MlirType coarse = mlirRankedTensorTypeGet(
        g.count, g.extents, mlirShapedTypeGetElementType(type),
        mlirAttributeGetNull());
    MlirNamedAttribute attribute =
        pgopt_named(b->context, "reassociation",
                    reassociation(b->context, g.from, g.count));
    value = pgopt_import_op(b, "tensor.collapse_shape", 1, &value, coarse, 1,
                            &attribute);
  }
  if (g.count < to->rank) {
    MlirNamedAttribute attributes[] = {
        pgopt_named(b->context, "reassociation",
                    reassociation(b->context, g.to, g.count)),
        pgopt_named(b->context, "static_output_shape",
                    mlirDenseI64ArrayGet(b->context, to->rank, to->shape))};
    value = pgopt_import_op(b, "tensor.expand_shape", 1, &value, type, 2,
                            attributes);
  }
  return value;
}

static MlirValue emit_slice(const pgopt_emitter *e, const pgopt_builder *b,
                            const pgopt_node *node) {
  const pgopt_tensor *to = e->program->tensors[node->results[0]];
  MlirContext c = b->context;
  int32_t segments[] = {1, 0, 0, 0};
  MlirNamedAttribute attributes[] = {
      pgopt_named(c, "static_offsets",
                  mlirDenseI64ArrayGet(c, to->rank, node->offsets)),
      pgopt_named(c, "static_sizes",
                  mlirDenseI64ArrayGet(c, to->rank, to->shape)),
      pgopt_named(c, "static_strides",
                  mlirDenseI64ArrayGet(c, to->rank, node->strides)),
      pgopt_named(c, "operandSegmentSizes",
                  mlirDenseI32ArrayGet(c, 4, segments))};
  return pgopt_import_op(b, "tensor.extract_slice", 1,
                         &e->values[node->operands[0]],
                         pgopt_import_type(e, node->results[0]), 4, attributes);
}

static MlirValue emit_pad(const pgopt_emitter *e, const pgopt_builder *b,
                          const pgopt_node *node) {
  const pgopt_tensor *to = e->program->tensors[node->results[0]];
  MlirContext c = b->context;
  MlirValue fill = pgopt_import_scalar(b, to->type, node->fill);
  int32_t segments[] = {1, 0, 0};
  MlirNamedAttribute attributes[] = {
      pgopt_named(c, "static_low",
                  mlirDenseI64ArrayGet(c, to->rank, node->offsets)),
      pgopt_named(c, "static_high",
                  mlirDenseI64ArrayGet(c, to->rank, node->strides)),
      pgopt_named(c, "operandSegmentSizes",
                  mlirDenseI32ArrayGet(c, 3, segments))};
  MlirType type = pgopt_import_type(e, node->results[0]);
  pgopt_op_spec spec = {.name = "tensor.pad",
                        .location = b->location,
                        .operand_count = 1,
                        .operands = &e->values[node->operands[0]],
                        .result_count = 1,
                        .results = &type,
                        .attribute_count = 3,
                        .attributes = attributes,
                        .region_count = 1};
  MlirOperation op = pgopt_build(b->block, &spec);
  MlirBlock body = mlirBlockCreate(0, NULL, NULL);
  mlirRegionAppendOwnedBlock(mlirOperationGetRegion(op, 0), body);
  for (int i = 0; i < to->rank; ++i)
    mlirBlockAddArgument(body, mlirIndexTypeGet(c), b->location);
  pgopt_op_spec yield = {.name = "tensor.yield",
                         .location = b->location,
                         .operand_count = 1,
                         .operands = &fill};
  pgopt_build(body, &yield);
  return pgopt_result(op);
}

MlirValue pgopt_import_move(const pgopt_emitter *e, const pgopt_builder *b,
                            const pgopt_node *node) {
  if (node->kind == PGOPT_NODE_RESHAPE)
    return emit_reshape(e, b, node);
  if (node->kind == PGOPT_NODE_SLICE)
    return emit_slice(e, b, node);
  if (node->kind == PGOPT_NODE_PAD)
    return emit_pad(e, b, node);
  MlirNamedAttribute dim = pgopt_named(
      b->context, "dim", pgopt_i64_attribute(b->context, node->axis));
  MlirValue *parts = pgopt_allocate((size_t)node->operand_count, sizeof *parts);
  for (int i = 0; i < node->operand_count; ++i)
    parts[i] = e->values[node->operands[i]];
  MlirValue result =
      pgopt_import_op(b, "tensor.concat", node->operand_count, parts,
                      pgopt_import_type(e, node->results[0]), 1, &dim);
  free(parts);
  return result;
}
