/// \file Builders for tensor and linalg operations.
#include "ir/tensor_ops.h"

#include "ir/ir.h"
#include "mlir-c/Dialect/Linalg.h"

#include <stdlib.h>

MlirValue pgopt_build_index_op(const pgopt_builder *b, const char *name,
                               MlirValue left, MlirValue right) {
  MlirType type = mlirIndexTypeGet(b->context);
  MlirValue operands[] = {left, right};
  pgopt_op_spec spec = {.name = name,
                        .location = b->location,
                        .operand_count = 2,
                        .operands = operands,
                        .result_count = 1,
                        .results = &type};
  return pgopt_result(pgopt_build(b->block, &spec));
}

MlirValue pgopt_build_empty(const pgopt_builder *b, MlirType type) {
  pgopt_op_spec spec = {.name = "tensor.empty",
                        .location = b->location,
                        .result_count = 1,
                        .results = &type};
  return pgopt_result(pgopt_build(b->block, &spec));
}

/// The box's size in its dimension `dim`.
static int64_t size_along(const pgopt_box *box) {
  return mlirValueIsNull(box->size) ? box->static_size
                                    : mlirShapedTypeGetDynamicSize();
}

/// Creates an op whose offsets, sizes and strides follow `fixed` operands.
static MlirOperation build_box_op(const pgopt_builder *b, const char *name,
                                  const MlirValue *fixed, size_t fixed_count,
                                  MlirType result, size_t rank,
                                  const pgopt_box *box) {
  int64_t *arrays = pgopt_allocate(3 * rank, sizeof *arrays);
  for (size_t i = 0; i < rank; ++i) {
    arrays[i] = box->offsets ? box->offsets[i] : 0;
    arrays[rank + i] = box->sizes[i];
    arrays[2 * rank + i] = 1;
  }
  if (box->dim >= 0) {
    arrays[box->dim] = mlirShapedTypeGetDynamicStrideOrOffset();
    arrays[rank + (size_t)box->dim] = size_along(box);
  }
  int32_t offsets = box->dim >= 0;
  int32_t sizes = offsets && !mlirValueIsNull(box->size);
  int32_t segments[] = {1, 1, offsets, sizes, 0};
  MlirValue operands[4];
  for (size_t i = 0; i < fixed_count; ++i)
    operands[i] = fixed[i];
  operands[fixed_count] = box->offset;
  operands[fixed_count + 1] = box->size;
  MlirContext c = b->context;
  MlirNamedAttribute attributes[] = {
      pgopt_named(c, "static_offsets",
                  mlirDenseI64ArrayGet(c, (intptr_t)rank, arrays)),
      pgopt_named(c, "static_sizes",
                  mlirDenseI64ArrayGet(c, (intptr_t)rank, arrays + rank)),
      pgopt_named(c, "static_strides",
                  mlirDenseI64ArrayGet(c, (intptr_t)rank, arrays + 2 * rank)),
      pgopt_named(c, "operandSegmentSizes",
                  fixed_count == 1 ? mlirDenseI32ArrayGet(c, 4, segments + 1)
                                   : mlirDenseI32ArrayGet(c, 5, segments)),
  };
  pgopt_op_spec spec = {.name = name,
                        .location = b->location,
                        .operand_count =
                            fixed_count + (size_t)(offsets + sizes),
                        .operands = operands,
                        .result_count = 1,
                        .results = &result,
                        .attribute_count = 4,
                        .attributes = attributes};
  MlirOperation op = pgopt_build(b->block, &spec);
  free(arrays);
  return op;
}

MlirValue pgopt_build_slice(const pgopt_builder *b, MlirValue source,
                            const pgopt_box *box) {
  MlirType type = mlirValueGetType(source);
  size_t rank = (size_t)mlirShapedTypeGetRank(type);
  int64_t *shape = pgopt_duplicate(box->sizes, rank * sizeof *shape);
  if (box->dim >= 0)
    shape[box->dim] = size_along(box);
  MlirType result = mlirRankedTensorTypeGet((intptr_t)rank, shape,
                                            mlirShapedTypeGetElementType(type),
                                            mlirAttributeGetNull());
  free(shape);
  return pgopt_result(
      build_box_op(b, "tensor.extract_slice", &source, 1, result, rank, box));
}

MlirValue pgopt_build_insert(const pgopt_builder *b, MlirValue value,
                             MlirValue destination, const pgopt_box *box) {
  MlirValue fixed[] = {value, destination};
  MlirType type = mlirValueGetType(destination);
  return pgopt_result(build_box_op(b, "tensor.insert_slice", fixed, 2, type,
                                   (size_t)mlirShapedTypeGetRank(type), box));
}

/// A named linalg op with one input and one init, in front of `before` or, when
/// that is null, at the end of the block.
static MlirOperation build_named(const pgopt_builder *b, MlirOperation before,
                                 const char *name, MlirValue input,
                                 MlirValue init) {
  MlirValue operands[] = {input, init};
  MlirType type = mlirValueGetType(init);
  int32_t segments[] = {1, 1};
  MlirNamedAttribute attribute =
      pgopt_named(b->context, "operandSegmentSizes",
                  mlirDenseI32ArrayGet(b->context, 2, segments));
  pgopt_op_spec spec = {.name = name,
                        .location = b->location,
                        .operand_count = 2,
                        .operands = operands,
                        .result_count = mlirTypeIsATensor(type),
                        .results = &type,
                        .attribute_count = 1,
                        .attributes = &attribute,
                        .region_count = 1};
  MlirOperation op = mlirOperationIsNull(before)
                         ? pgopt_build(b->block, &spec)
                         : pgopt_build_before(before, &spec);
  mlirLinalgFillBuiltinNamedOpRegion(op);
  return op;
}

MlirValue pgopt_build_copy(const pgopt_builder *b, MlirValue value,
                           MlirValue destination) {
  return pgopt_result(
      build_named(b, (MlirOperation){NULL}, "linalg.copy", value, destination));
}

MlirValue pgopt_build_fill(const pgopt_builder *b, MlirValue scalar,
                           MlirValue destination) {
  return pgopt_result(build_named(b, (MlirOperation){NULL}, "linalg.fill",
                                  scalar, destination));
}

MlirValue pgopt_build_splat_before(MlirOperation before, MlirAttribute splat) {
  pgopt_builder b = {.context = mlirOperationGetContext(before),
                     .location = mlirOperationGetLocation(before)};
  MlirType type = mlirAttributeGetType(splat);
  MlirType element = mlirShapedTypeGetElementType(type);
  MlirNamedAttribute value = pgopt_named(
      b.context, "value", mlirDenseElementsAttrGetSplatValue(splat));
  pgopt_op_spec scalar = {.name = "arith.constant",
                          .location = b.location,
                          .result_count = 1,
                          .results = &element,
                          .attribute_count = 1,
                          .attributes = &value};
  pgopt_op_spec empty = {.name = "tensor.empty",
                         .location = b.location,
                         .result_count = 1,
                         .results = &type};
  MlirValue number = pgopt_result(pgopt_build_before(before, &scalar));
  MlirValue storage = pgopt_result(pgopt_build_before(before, &empty));
  return pgopt_result(build_named(&b, before, "linalg.fill", number, storage));
}

MlirValue pgopt_build_expand_before(MlirOperation before, MlirValue value,
                                    MlirType type, int dimension) {
  MlirContext c = mlirOperationGetContext(before);
  size_t rank = (size_t)mlirShapedTypeGetRank(type);
  MlirAttribute *numbers = pgopt_allocate(rank, sizeof *numbers);
  MlirAttribute *groups = pgopt_allocate(rank, sizeof *groups);
  int64_t *sizes = pgopt_allocate(rank, sizeof *sizes);
  size_t group = 0;
  for (size_t d = 0; d < rank; ++d) {
    numbers[d] = pgopt_i64_attribute(c, (int64_t)d);
    sizes[d] = mlirShapedTypeGetDimSize(type, (intptr_t)d);
    bool is_second = d == (size_t)dimension + 1;
    if ((int)d != dimension)
      groups[group++] =
          mlirArrayAttrGet(c, 1 + is_second, numbers + d - is_second);
  }
  MlirNamedAttribute attributes[] = {
      pgopt_named(c, "reassociation",
                  mlirArrayAttrGet(c, (intptr_t)group, groups)),
      pgopt_named(c, "static_output_shape",
                  mlirDenseI64ArrayGet(c, (intptr_t)rank, sizes))};
  pgopt_op_spec spec = {.name = "tensor.expand_shape",
                        .location = mlirOperationGetLocation(before),
                        .operand_count = 1,
                        .operands = &value,
                        .result_count = 1,
                        .results = &type,
                        .attribute_count = 2,
                        .attributes = attributes};
  MlirValue expanded = pgopt_result(pgopt_build_before(before, &spec));
  free(sizes);
  free(groups);
  free(numbers);
  return expanded;
}

typedef struct op_list {
  MlirOperation *ops;
  size_t count, capacity;
} op_list;

static MlirWalkResult collect_copies(MlirOperation op, void *data) {
  op_list *list = data;
  if (pgopt_op_is(op, "memref.copy"))
    PGOPT_APPEND(list->ops, list->count, list->capacity, op);
  return MlirWalkResultAdvance;
}

void pgopt_replace_memref_copies(MlirOperation root) {
  op_list list = {0};
  mlirOperationWalk(root, collect_copies, &list, MlirWalkPreOrder);
  for (size_t i = 0; i < list.count; ++i) {
    MlirOperation copy = list.ops[i];
    pgopt_builder b = {.context = mlirOperationGetContext(copy),
                       .location = mlirOperationGetLocation(copy)};
    MlirValue from = mlirOperationGetOperand(copy, 0);
    MlirValue to = mlirOperationGetOperand(copy, 1);
    if (mlirTypeIsAUnrankedMemRef(mlirValueGetType(from)) ||
        mlirTypeIsAUnrankedMemRef(mlirValueGetType(to)))
      continue;
    /* Writing a slice back into where it was cut out of leaves a self-copy. */
    if (!mlirValueEqual(from, to))
      build_named(&b, copy, "linalg.copy", from, to);
    mlirOperationDestroy(copy);
  }
  free(list.ops);
}

MlirAttribute pgopt_iterator_attribute(MlirContext context, bool is_reduction) {
  return mlirAttributeParseGet(
      context, pgopt_ref(is_reduction ? "#linalg.iterator_type<reduction>"
                                      : "#linalg.iterator_type<parallel>"));
}

/// The input `number` of the body is what the init holds.
static void use_init_for_input(MlirBlock body, int number, size_t inputs) {
  MlirValue argument = mlirBlockGetArgument(body, number);
  mlirValueReplaceAllUsesOfWith(argument,
                                mlirBlockGetArgument(body, (intptr_t)inputs));
  mlirBlockEraseArgument(body, (unsigned)number);
}

MlirOperation pgopt_rebuild_as_generic(const pgopt_builder *b, MlirOperation op,
                                       const pgopt_op *description,
                                       int in_place) {
  MlirContext c = b->context;
  MlirAttribute maps = mlirLinalgGetIndexingMapsAttribute(op);
  size_t count = description->operand_count, kept = 0;
  MlirValue *operands = pgopt_allocate(count, sizeof *operands);
  MlirAttribute *kept_maps = pgopt_allocate(count, sizeof *kept_maps);
  for (size_t i = 0; i < count; ++i) {
    if ((int)i == in_place)
      continue;
    operands[kept] = mlirOperationGetOperand(op, (intptr_t)i);
    kept_maps[kept++] = mlirArrayAttrGetElement(maps, (intptr_t)i);
  }
  size_t results = description->result_count;
  MlirType *types = pgopt_allocate(results, sizeof *types);
  for (size_t i = 0; i < results; ++i)
    types[i] = mlirValueGetType(operands[kept - results + i]);
  size_t loops = description->loop_count;
  MlirAttribute *iterators = pgopt_allocate(loops, sizeof *iterators);
  for (size_t l = 0; l < loops; ++l)
    iterators[l] =
        pgopt_iterator_attribute(c, description->loop_is_reduction[l]);
  int32_t segments[] = {(int32_t)(description->input_count - (in_place >= 0)),
                        (int32_t)(count - description->input_count)};
  MlirNamedAttribute attributes[] = {
      pgopt_named(c, "indexing_maps",
                  mlirArrayAttrGet(c, (intptr_t)kept, kept_maps)),
      pgopt_named(c, "iterator_types",
                  mlirArrayAttrGet(c, (intptr_t)loops, iterators)),
      pgopt_named(c, "operandSegmentSizes",
                  mlirDenseI32ArrayGet(c, 2, segments)),
  };
  pgopt_op_spec spec = {.name = "linalg.generic",
                        .location = mlirOperationGetLocation(op),
                        .operand_count = kept,
                        .operands = operands,
                        .result_count = results,
                        .results = types,
                        .attribute_count = 3,
                        .attributes = attributes,
                        .region_count = 1};
  MlirOperation generic = pgopt_build(b->block, &spec);
  MlirRegion body = mlirOperationGetRegion(generic, 0);
  mlirRegionTakeBody(body, mlirOperationGetRegion(op, 0));
  if (in_place >= 0)
    use_init_for_input(mlirRegionGetFirstBlock(body), in_place,
                       description->input_count);
  mlirOperationDestroy(op);
  free(iterators);
  free(types);
  free(kept_maps);
  free(operands);
  return generic;
}
