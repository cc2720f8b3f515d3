/// \file Builds a reduction in parts and the step that combines them.
///
/// A loop of K turns that is cut into q parts becomes two: the parts, outermost
/// and parallel, and K / q turns of what it was. Dimensions of operands that it
/// runs over are expanded likewise, which moves nothing.
#include "ir/build_partials.h"

#include "dialect_c/attributes.h"
#include "ir/ir.h"
#include "ir/kept_attributes.h"
#include "ir/tensor_ops.h"
#include "mlir-c/AffineExpr.h"
#include "mlir-c/Dialect/Linalg.h"

#include <stdlib.h>

typedef struct partial_builder {
  const pgopt_ir_network *ir;
  const pgopt_partial_reduction *reduction;
  MlirContext context;
  MlirOperation before; ///< the reduction
  MlirValue *made;      ///< per op of the reduction what it became
} partial_builder;

static MlirType tensor_type(MlirType element, size_t rank,
                            const int64_t *extents) {
  return mlirRankedTensorTypeGet((intptr_t)rank, extents, element,
                                 mlirAttributeGetNull());
}

/// The dimension that the op's cut loop runs over; -1 for none.
static int cut_dimension(const pgopt_op *op, size_t operand, int loop) {
  return pgopt_map_dimension(op, operand, loop);
}

/// The type with dimension `dimension` in parts.
static MlirType expanded_type(const partial_builder *b, MlirType type,
                              int dimension) {
  size_t rank = (size_t)mlirShapedTypeGetRank(type);
  int64_t partials = b->reduction->partials;
  int64_t *extents = pgopt_allocate(rank + 1, sizeof *extents);
  for (size_t d = 0; d < rank; ++d)
    extents[d + ((int)d > dimension)] =
        mlirShapedTypeGetDimSize(type, (intptr_t)d);
  extents[dimension + 1] = extents[dimension] / partials;
  extents[dimension] = partials;
  MlirType expanded =
      tensor_type(mlirShapedTypeGetElementType(type), rank + 1, extents);
  free(extents);
  return expanded;
}

/// The operand as the parts read it.
static MlirValue operand_in_parts(const partial_builder *b, const pgopt_op *op,
                                  MlirOperation handle, size_t k, int loop) {
  const pgopt_partial_reduction *r = b->reduction;
  MlirValue value = mlirOperationGetOperand(handle, (intptr_t)k);
  int producer = b->ir->network.values[op->operands[k]].producer;
  for (size_t i = 0; i < r->op_count; ++i)
    if (r->ops[i].op == producer)
      return b->made[i];
  int dimension = cut_dimension(op, k, loop);
  if (dimension < 0)
    return value;
  MlirType type = mlirValueGetType(value);
  return pgopt_build_expand_before(
      b->before, value, expanded_type(b, type, dimension), dimension);
}

/// The operand's map in the new loops. \param leads the result has the parts as
///   its first dimension, whatever loops its others are.
static MlirAttribute map_in_parts(const partial_builder *b, const pgopt_op *op,
                                  MlirAttribute old, size_t k, int loop,
                                  bool leads) {
  MlirAffineMap map = mlirAffineMapAttrGetValue(old);
  size_t count = 0, loops = op->loop_count;
  MlirAffineExpr *shifted = pgopt_allocate(loops, sizeof *shifted);
  MlirAffineExpr *results =
      pgopt_allocate(op->maps[k].result_count + 1, sizeof *results);
  for (size_t l = 0; l < loops; ++l)
    shifted[l] = mlirAffineDimExprGet(b->context, (intptr_t)l + 1);
  MlirAffineMap shift = mlirAffineMapGet(b->context, (intptr_t)loops + 1, 0,
                                         (intptr_t)loops, shifted);
  MlirAffineExpr part = mlirAffineDimExprGet(b->context, 0);
  int dimension = leads ? 0 : cut_dimension(op, k, loop);
  for (size_t d = 0; d < op->maps[k].result_count; ++d) {
    if ((int)d == dimension)
      results[count++] = part;
    results[count++] =
        mlirAffineExprCompose(mlirAffineMapGetResult(map, (intptr_t)d), shift);
  }
  if (leads && !count)
    results[count++] = part;
  MlirAttribute attribute = mlirAffineMapAttrGet(mlirAffineMapGet(
      b->context, (intptr_t)loops + 1, 0, (intptr_t)count, results));
  free(results);
  free(shifted);
  return attribute;
}

/// A generic with loops of a given number, all parallel but for those of `op`
/// that are reductions, which stand behind the first one.
static MlirOperation build_generic(const partial_builder *b, size_t operands,
                                   const MlirValue *values,
                                   const MlirAttribute *maps, size_t loops,
                                   const pgopt_op *op) {
  MlirAttribute *iterators = pgopt_allocate(loops, sizeof *iterators);
  for (size_t l = 0; l < loops; ++l)
    iterators[l] = pgopt_iterator_attribute(
        b->context, op && l && op->loop_is_reduction[l - 1]);
  MlirAttribute segments = mlirDenseI32ArrayGet(
      b->context, 2, (int32_t[]){(int32_t)operands - 1, 1});
  MlirNamedAttribute attributes[] = {
      pgopt_named(b->context, "indexing_maps",
                  mlirArrayAttrGet(b->context, (intptr_t)operands, maps)),
      pgopt_named(b->context, "iterator_types",
                  mlirArrayAttrGet(b->context, (intptr_t)loops, iterators)),
      pgopt_named(b->context, "operandSegmentSizes", segments)};
  MlirType type = mlirValueGetType(values[operands - 1]);
  pgopt_op_spec spec = {.name = "linalg.generic",
                        .location = mlirOperationGetLocation(b->before),
                        .operand_count = operands,
                        .operands = values,
                        .result_count = 1,
                        .results = &type,
                        .attribute_count = 3,
                        .attributes = attributes,
                        .region_count = 1};
  MlirOperation generic = pgopt_build_before(b->before, &spec);
  free(iterators);
  return generic;
}

/// The op's last body operation: the combiner.
static MlirOperation combiner_of(MlirOperation op) {
  MlirBlock body = mlirRegionGetFirstBlock(mlirOperationGetRegion(op, 0));
  return mlirOpResultGetOwner(
      mlirOperationGetOperand(mlirBlockGetTerminator(body), 0));
}

/// The neutral element of the reduction's combiner, as a splat of the type.
static MlirAttribute neutral_splat(MlirOperation combiner, MlirType type) {
  MlirType element = mlirShapedTypeGetElementType(type);
  bool is_float = mlirTypeIsAFloat(element);
  char *name = pgopt_ref_duplicate(pgopt_op_name(combiner));
  double number = 0;
  int64_t integer = 0;
  pgopt_neutral_element(name,
                        is_float ? (int)mlirFloatTypeGetWidth(element)
                                 : (int)mlirIntegerTypeGetWidth(element),
                        &number, &integer);
  free(name);
  return mlirDenseElementsAttrSplatGet(
      type, is_float ? mlirFloatAttrDoubleGet(mlirTypeGetContext(element),
                                              element, number)
                     : mlirIntegerAttrGet(element, integer));
}

/// Where the parts of op `i` are written: storage, or neutral elements.
static MlirValue init_in_parts(const partial_builder *b, size_t i) {
  const pgopt_cut_op *cut = &b->reduction->ops[i];
  const pgopt_op *op = &b->ir->network.ops[cut->op];
  MlirOperation handle = b->ir->ops[cut->op];
  MlirType type = mlirValueGetType(pgopt_result(handle));
  if (i + 1 < b->reduction->op_count) {
    MlirType parts =
        expanded_type(b, type, cut_dimension(op, op->input_count, cut->loop));
    pgopt_op_spec spec = {.name = "tensor.empty",
                          .location = mlirOperationGetLocation(handle),
                          .result_count = 1,
                          .results = &parts};
    return pgopt_result(pgopt_build_before(b->before, &spec));
  }
  size_t rank = (size_t)mlirShapedTypeGetRank(type);
  int64_t *extents = pgopt_allocate(rank + 1, sizeof *extents);
  extents[0] = b->reduction->partials;
  for (size_t d = 0; d < rank; ++d)
    extents[d + 1] = mlirShapedTypeGetDimSize(type, (intptr_t)d);
  MlirType parts =
      tensor_type(mlirShapedTypeGetElementType(type), rank + 1, extents);
  free(extents);
  return pgopt_build_splat_before(b->before,
                                  neutral_splat(combiner_of(handle), parts));
}

/// Op `i` of the reduction with its loop in parts.
static MlirOperation build_part(const partial_builder *b, size_t i) {
  const pgopt_cut_op *cut = &b->reduction->ops[i];
  const pgopt_op *op = &b->ir->network.ops[cut->op];
  MlirOperation handle = b->ir->ops[cut->op];
  MlirAttribute old = mlirLinalgGetIndexingMapsAttribute(handle);
  size_t operands = op->operand_count;
  MlirValue *values = pgopt_allocate(operands, sizeof *values);
  MlirAttribute *maps = pgopt_allocate(operands, sizeof *maps);
  bool reduces = i + 1 == b->reduction->op_count;
  for (size_t k = 0; k < operands; ++k) {
    values[k] = k < op->input_count
                    ? operand_in_parts(b, op, handle, k, cut->loop)
                    : init_in_parts(b, i);
    maps[k] = map_in_parts(b, op, mlirArrayAttrGetElement(old, (intptr_t)k), k,
                           cut->loop, reduces && k == op->input_count);
  }
  MlirOperation part =
      build_generic(b, operands, values, maps, op->loop_count + 1, op);
  MlirOperation copy = mlirOperationClone(handle);
  mlirRegionTakeBody(mlirOperationGetRegion(part, 0),
                     mlirOperationGetRegion(copy, 0));
  mlirOperationDestroy(copy);
  pgopt_keep_attributes(handle, part, PGOPT_PART_OF_IT);
  free(maps);
  free(values);
  return part;
}

/// init = combiner(... combiner(init, part 0) ..., last part), elementwise.
static MlirOperation build_combine(const partial_builder *b,
                                   MlirOperation partial) {
  MlirOperation old = b->before, combiner = combiner_of(old);
  MlirValue init =
      mlirOperationGetOperand(old, mlirOperationGetNumOperands(old) - 1);
  size_t parts = (size_t)b->reduction->partials;
  size_t rank = (size_t)mlirShapedTypeGetRank(mlirValueGetType(init));
  MlirValue values[PGOPT_MAX_PARTIALS + 1];
  MlirAttribute maps[PGOPT_MAX_PARTIALS + 1];
  MlirType types[PGOPT_MAX_PARTIALS + 1];
  MlirLocation locations[PGOPT_MAX_PARTIALS + 1];
  MlirAffineExpr *results = pgopt_allocate(rank + 1, sizeof *results);
  for (size_t d = 0; d < rank; ++d)
    results[d + 1] = mlirAffineDimExprGet(b->context, (intptr_t)d);
  for (size_t k = 0; k <= parts; ++k) {
    bool is_init = k == parts;
    results[0] = mlirAffineConstantExprGet(b->context, (int64_t)k);
    values[k] = is_init ? init : pgopt_result(partial);
    maps[k] = mlirAffineMapAttrGet(
        mlirAffineMapGet(b->context, (intptr_t)rank, 0,
                         (intptr_t)(rank + !is_init), results + is_init));
    types[k] = mlirShapedTypeGetElementType(mlirValueGetType(init));
    locations[k] = mlirOperationGetLocation(old);
  }
  free(results);
  MlirOperation combine = build_generic(b, parts + 1, values, maps, rank, NULL);
  MlirBlock body = mlirBlockCreate((intptr_t)parts + 1, types, locations);
  mlirRegionAppendOwnedBlock(mlirOperationGetRegion(combine, 0), body);
  MlirValue held = mlirBlockGetArgument(body, (intptr_t)parts);
  for (size_t k = 0; k < parts; ++k) {
    MlirOperation step = mlirOperationClone(combiner);
    mlirOperationSetOperand(step, 0, held);
    mlirOperationSetOperand(step, 1, mlirBlockGetArgument(body, (intptr_t)k));
    mlirBlockAppendOwnedOperation(body, step);
    held = pgopt_result(step);
  }
  pgopt_op_spec yield = {.name = "linalg.yield",
                         .location = mlirOperationGetLocation(old),
                         .operand_count = 1,
                         .operands = &held};
  pgopt_build(body, &yield);
  pgopt_keep_attributes(old, combine, PGOPT_PART_OF_IT);
  return combine;
}

/// All parts are in one kernel: none, where the operations do not say.
static void set_kernel(MlirOperation op, const char *kernel) {
  if (!mlirAttributeIsNull(pgopt_get(op, PGOPT_KERNEL)))
    pgopt_set_text(op, PGOPT_KERNEL, kernel);
}

pgopt_partials pgopt_build_partials(const pgopt_ir_network *ir,
                                    const pgopt_partial_reduction *reduction,
                                    const char *kernel) {
  size_t count = reduction->op_count;
  MlirOperation old = ir->ops[reduction->ops[count - 1].op];
  partial_builder b = {.ir = ir,
                       .reduction = reduction,
                       .context = mlirOperationGetContext(old),
                       .before = old,
                       .made = pgopt_allocate(count, sizeof *b.made)};
  pgopt_partials result = {{NULL}, {NULL}};
  for (size_t i = 0; i < count; ++i) {
    result.partial = build_part(&b, i);
    set_kernel(result.partial, kernel);
    b.made[i] = pgopt_result(result.partial);
  }
  result.combine = build_combine(&b, result.partial);
  mlirValueReplaceAllUsesOfWith(pgopt_result(old),
                                pgopt_result(result.combine));
  for (size_t i = count; i-- > 0;)
    mlirOperationDestroy(ir->ops[reduction->ops[i].op]);
  free(b.made);
  return result;
}
