#include "ir/strided_slices.h"

#include "base/memory.h"
#include "ir/ir.h"

#include <stdlib.h>

typedef struct slice_list {
  MlirOperation *slices;
  size_t count, capacity;
} slice_list;

static size_t rank_of(MlirOperation slice) {
  return (size_t)mlirDenseArrayGetNumElements(
      pgopt_op_attribute(slice, "static_sizes"));
}

static bool has_stride(MlirOperation slice) {
  MlirAttribute strides = pgopt_op_attribute(slice, "static_strides");
  for (size_t i = 0; i < rank_of(slice); ++i)
    if (mlirDenseI64ArrayGetElement(strides, (intptr_t)i) != 1)
      return true;
  return false;
}

static bool is_insert(MlirOperation slice) {
  return pgopt_op_is(slice, "tensor.insert_slice");
}

/// The type of what was cut out, or is put in.
static MlirType slice_type(MlirOperation slice) {
  return mlirValueGetType(is_insert(slice) ? mlirOperationGetOperand(slice, 0)
                                           : pgopt_result(slice));
}

static MlirWalkResult collect(MlirOperation op, void *data) {
  slice_list *list = data;
  bool is_slice =
      pgopt_op_is(op, "tensor.extract_slice") ||
      (is_insert(op) && mlirShapedTypeHasStaticShape(slice_type(op)));
  if (is_slice && has_stride(op) &&
      (size_t)mlirShapedTypeGetRank(slice_type(op)) < rank_of(op))
    PGOPT_APPEND(list->slices, list->count, list->capacity, op);
  return MlirWalkResultAdvance;
}

/// Groups of the sliced dimensions, one a dimension of the result: each keeps
/// one dimension, dropped ones follow it, or precede the first.
static MlirAttribute reassociation(MlirContext context, const int64_t *sizes,
                                   size_t rank, MlirType result) {
  size_t kept = (size_t)mlirShapedTypeGetRank(result), group = 0;
  size_t begin = 0;
  MlirAttribute *groups = pgopt_allocate(kept, sizeof *groups);
  MlirAttribute *numbers = pgopt_allocate(rank, sizeof *numbers);
  size_t next = 0; // result dimension that is looked for
  for (size_t i = 0; i <= rank; ++i) {
    bool starts = i < rank && next < kept &&
                  sizes[i] == mlirShapedTypeGetDimSize(result, (intptr_t)next);
    if (starts)
      ++next;
    bool ends = kept && ((starts && next > 1) || i == rank);
    if (ends) {
      groups[group++] =
          mlirArrayAttrGet(context, (intptr_t)(i - begin), numbers + begin);
      begin = i;
    }
    if (i < rank)
      numbers[i] = pgopt_i64_attribute(context, (int64_t)i);
  }
  MlirAttribute all = mlirArrayAttrGet(context, (intptr_t)group, groups);
  free(numbers);
  free(groups);
  return all;
}

/// A reshape of `value` to `type` in front of `before`.
static MlirValue build_reshape(MlirOperation before, const char *name,
                               MlirValue value, MlirType type,
                               MlirAttribute groups, const int64_t *sizes,
                               size_t rank) {
  MlirContext context = mlirOperationGetContext(before);
  MlirNamedAttribute attributes[] = {
      pgopt_named(context, "reassociation", groups),
      pgopt_named(context, "static_output_shape",
                  mlirDenseI64ArrayGet(context, (intptr_t)rank, sizes))};
  bool expands = pgopt_ref_is(pgopt_ref(name), "tensor.expand_shape");
  pgopt_op_spec spec = {.name = name,
                        .location = mlirOperationGetLocation(before),
                        .operand_count = 1,
                        .operands = &value,
                        .result_count = 1,
                        .results = &type,
                        .attribute_count = expands ? 2 : 1,
                        .attributes = attributes};
  return pgopt_result(pgopt_build_before(before, &spec));
}

static void keep_dimensions(MlirOperation slice) {
  MlirType narrow = slice_type(slice);
  MlirAttribute static_sizes = pgopt_op_attribute(slice, "static_sizes");
  size_t rank = rank_of(slice);
  int64_t *sizes = pgopt_allocate(rank, sizeof *sizes);
  for (size_t i = 0; i < rank; ++i)
    sizes[i] = mlirDenseI64ArrayGetElement(static_sizes, (intptr_t)i);
  MlirAttribute groups =
      reassociation(mlirOperationGetContext(slice), sizes, rank, narrow);
  MlirType whole = mlirRankedTensorTypeGet((intptr_t)rank, sizes,
                                           mlirShapedTypeGetElementType(narrow),
                                           mlirAttributeGetNull());
  if (is_insert(slice)) {
    mlirOperationSetOperand(slice, 0,
                            build_reshape(slice, "tensor.expand_shape",
                                          mlirOperationGetOperand(slice, 0),
                                          whole, groups, sizes, rank));
  } else {
    MlirOperation wide = mlirOperationClone(slice);
    mlirValueSetType(pgopt_result(wide), whole);
    mlirBlockInsertOwnedOperationBefore(mlirOperationGetBlock(slice), slice,
                                        wide);
    MlirValue result =
        build_reshape(slice, "tensor.collapse_shape", pgopt_result(wide),
                      narrow, groups, sizes, rank);
    mlirValueReplaceAllUsesOfWith(pgopt_result(slice), result);
    mlirOperationDestroy(slice);
  }
  free(sizes);
}

bool pgopt_has_strided_slices(MlirOperation root) {
  slice_list list = {0};
  mlirOperationWalk(root, collect, &list, MlirWalkPreOrder);
  free(list.slices);
  return list.count > 0;
}

int64_t pgopt_keep_strided_dimensions(MlirOperation root) {
  slice_list list = {0};
  mlirOperationWalk(root, collect, &list, MlirWalkPreOrder);
  for (size_t i = 0; i < list.count; ++i)
    keep_dimensions(list.slices[i]);
  free(list.slices);
  return (int64_t)list.count;
}
