/// \file Zeros around an operand, found on memrefs: a buffer, a fill, a copy
/// into a box of it, and views of it up to the operation.
#include "kernels/padding.h"

#include "base/checked_math.h"
#include "base/memory.h"
#include "codegen/contraction.h"

#include <stdlib.h>

/// What touches the buffer.
typedef struct uses {
  MlirOperation fill, box, copy;
  bool is_squared; ///< what is copied; first whether it may be
} uses;

static bool is_same_block(MlirOperation a, MlirOperation b) {
  return mlirBlockEqual(mlirOperationGetBlock(a), mlirOperationGetBlock(b));
}

/// True when views are all that lies between the value and one use by `reader`.
static bool only_read_by(MlirValue value, MlirOperation reader) {
  MlirOpOperand use = mlirValueGetFirstUse(value);
  if (mlirOpOperandIsNull(use) ||
      !mlirOpOperandIsNull(mlirOpOperandGetNextUse(use)))
    return false;
  MlirOperation user = mlirOpOperandGetOwner(use);
  return mlirOperationEqual(user, reader) ||
         (pgopt_op_is_memref_view(user) &&
          only_read_by(pgopt_result(user), reader));
}

/// The only operation that uses the value; null for several.
static MlirOperation only_user(MlirValue value) {
  MlirOpOperand use = mlirValueGetFirstUse(value);
  return mlirOpOperandIsNull(use) ||
                 !mlirOpOperandIsNull(mlirOpOperandGetNextUse(use))
             ? (MlirOperation){NULL}
             : mlirOpOperandGetOwner(use);
}

/// True when the body yields its first argument, or, if it may, its square.
static bool yields_first(const pgopt_generic *generic, bool *is_squared) {
  MlirValue first = mlirBlockGetArgument(generic->body, 0);
  MlirOperation op = mlirBlockGetFirstOperation(generic->body);
  bool squares = *is_squared && pgopt_op_is(op, "arith.mulf");
  *is_squared = squares;
  if (squares) {
    if (!mlirValueEqual(mlirOperationGetOperand(op, 0), first) ||
        !mlirValueEqual(mlirOperationGetOperand(op, 1), first))
      return false;
    first = pgopt_result(op);
    op = mlirOperationGetNextInBlock(op);
  }
  return pgopt_op_is(op, "linalg.yield") &&
         mlirValueEqual(mlirOperationGetOperand(op, 0), first);
}

/// True for an operation that copies one memref into `destination`, element by
/// element. \param[in,out] is_squared whether it may write squares; does so.
/// \param[out] source the other memref.
static bool is_copy_into(MlirOperation op, MlirValue destination,
                         bool *is_squared, MlirValue *source) {
  pgopt_generic copy;
  bool result = false;
  if (!pgopt_read_generic(op, &copy) || copy.operand_count != 2 ||
      copy.input_count != 1 || !copy.operands[0].is_memref ||
      !mlirValueEqual(copy.operands[1].value, destination) ||
      !mlirTypeEqual(copy.operands[0].element, copy.operands[1].element))
    goto done;
  for (size_t i = 0; i < 2; ++i)
    for (size_t d = 0; d < copy.operands[i].rank; ++d)
      if (copy.operands[i].rank != copy.loop_count ||
          pgopt_linear_single_loop(&copy.operands[i].map.results[d],
                                   copy.loop_count) != (int)d)
        goto done;
  result = yields_first(&copy, is_squared);
  *source = copy.operands[0].value;
done:
  pgopt_generic_free(&copy);
  return result;
}

/// Sorts what uses the buffer: a fill, a copy into a box of it, and views that
/// lead to the reader alone.
static bool find_uses(MlirValue buffer, MlirOperation reader, double constant,
                      uses *found, MlirValue *image) {
  bool is_read = false;
  *found = (uses){.is_squared = found->is_squared};
  MlirOpOperand use = mlirValueGetFirstUse(buffer);
  for (; !mlirOpOperandIsNull(use); use = mlirOpOperandGetNextUse(use)) {
    MlirOperation user = mlirOpOperandGetOwner(use);
    MlirOperation inner =
        pgopt_op_is_memref_view(user) ? only_user(pgopt_result(user)) : user;
    if (mlirOperationIsNull(inner) || !is_same_block(user, reader))
      return false;
    if (mlirOperationEqual(user, reader) ||
        (pgopt_op_is_memref_view(user) &&
         only_read_by(pgopt_result(user), reader))) {
      if (is_read)
        return false;
      is_read = true;
    } else if (pgopt_op_is(user, "memref.subview") &&
               mlirOperationIsNull(found->copy) &&
               is_copy_into(inner, pgopt_result(user), &found->is_squared,
                            image)) {
      found->box = user;
      found->copy = inner;
    } else if (mlirOperationIsNull(found->fill) &&
               pgopt_fills_with(user, buffer, constant)) {
      found->fill = user;
    } else {
      return false;
    }
  }
  return is_read && !mlirOperationIsNull(found->fill) &&
         !mlirOperationIsNull(found->copy) &&
         is_same_block(found->copy, reader) &&
         mlirOperationIsBeforeInBlock(found->fill, found->copy) &&
         mlirOperationIsBeforeInBlock(found->copy, reader);
}

typedef struct write_search {
  MlirValue buffer;
  bool found;
} write_search;

static MlirWalkResult find_write(MlirOperation op, void *data) {
  write_search *search = data;
  pgopt_generic generic;
  size_t first = 0;
  if (pgopt_op_is_memref_view(op) || pgopt_op_is(op, "memref.dim"))
    return MlirWalkResultAdvance;
  if (pgopt_read_generic(op, &generic))
    first = generic.input_count;
  pgopt_generic_free(&generic);
  for (intptr_t i = (intptr_t)first; i < mlirOperationGetNumOperands(op); ++i) {
    MlirValue value = mlirOperationGetOperand(op, i);
    if (mlirTypeIsAMemRef(mlirValueGetType(value)) &&
        mlirValueEqual(pgopt_root_buffer(value), search->buffer))
      search->found = true;
  }
  return MlirWalkResultAdvance;
}

/// True when nothing from the copy up to the reader, and the reader itself,
/// writes the image.
static bool image_stays(MlirValue image, MlirOperation copy,
                        MlirOperation reader) {
  write_search search = {pgopt_root_buffer(image), false};
  MlirOperation op = mlirOperationGetNextInBlock(copy);
  for (; !mlirOperationEqual(op, reader); op = mlirOperationGetNextInBlock(op))
    mlirOperationWalk(op, find_write, &search, MlirWalkPreOrder);
  mlirOperationWalk(reader, find_write, &search, MlirWalkPreOrder);
  return !search.found;
}

static int64_t static_entry(MlirOperation op, const char *name, size_t at) {
  return mlirDenseI64ArrayGetElement(pgopt_op_attribute(op, name),
                                     (intptr_t)at);
}

static bool is_dynamic(int64_t number) {
  return number == mlirShapedTypeGetDynamicStrideOrOffset();
}

/// Sets the buffer's dimensions from the box that the image is copied into.
static bool read_box(MlirOperation box, MlirValue image,
                     pgopt_padding *padding) {
  MlirType buffer = mlirValueGetType(mlirOperationGetOperand(box, 0));
  MlirType type = mlirValueGetType(image);
  int64_t strides[PGOPT_PADDING_MAX_RANK], offset;
  size_t rank = (size_t)mlirShapedTypeGetRank(buffer);
  if (rank > PGOPT_PADDING_MAX_RANK ||
      (size_t)mlirShapedTypeGetRank(type) != rank ||
      mlirOperationGetNumOperands(box) != 1 ||
      !mlirShapedTypeHasStaticShape(buffer) ||
      !mlirShapedTypeHasStaticShape(type) ||
      mlirLogicalResultIsFailure(
          mlirMemRefTypeGetStridesAndOffset(type, strides, &offset)))
    return false;
  padding->image = image;
  padding->rank = rank;
  for (size_t d = 0; d < rank; ++d) {
    int64_t low = static_entry(box, "static_offsets", d);
    int64_t extent = mlirShapedTypeGetDimSize(type, (intptr_t)d);
    if (is_dynamic(strides[d]) || static_entry(box, "static_strides", d) != 1)
      return false;
    padding->dimensions[d] = (pgopt_padded_dimension){
        .low = low,
        .high = mlirShapedTypeGetDimSize(buffer, (intptr_t)d) - low - extent,
        .extent = extent,
        .stride = strides[d]};
  }
  return true;
}

static bool is_padded(const pgopt_padded_dimension *d) {
  return d->low || d->high;
}

/// Dimensions of an expanded view: those that become several have no zeros.
static bool expand(MlirOperation view, pgopt_padding *padding) {
  MlirType type = mlirValueGetType(pgopt_result(view));
  MlirAttribute groups = pgopt_op_attribute(view, "reassociation");
  size_t rank = (size_t)mlirShapedTypeGetRank(type);
  pgopt_padded_dimension to[PGOPT_PADDING_MAX_RANK];
  if (rank > PGOPT_PADDING_MAX_RANK || !mlirShapedTypeHasStaticShape(type))
    return false;
  for (size_t g = 0; g < padding->rank; ++g) {
    const pgopt_padded_dimension *from = &padding->dimensions[g];
    MlirAttribute group = mlirArrayAttrGetElement(groups, (intptr_t)g);
    intptr_t count = mlirArrayAttrGetNumElements(group);
    int64_t below = 1;
    if (!mlirValueIsNull(from->offset) || from->first)
      return false;
    for (intptr_t i = count; i-- > 0;) {
      int64_t d = mlirIntegerAttrGetValueInt(mlirArrayAttrGetElement(group, i));
      int64_t size = mlirShapedTypeGetDimSize(type, (intptr_t)d);
      to[d] = (pgopt_padded_dimension){.extent = size,
                                       .stride = from->stride * below};
      if (is_padded(from) && size == from->low + from->extent + from->high)
        to[d] = *from;
      else if (is_padded(from) && size != 1)
        return false;
      below *= size;
    }
  }
  padding->rank = rank;
  for (size_t d = 0; d < rank; ++d)
    padding->dimensions[d] = to[d];
  return true;
}

/// Dimensions of a slice: where each begins.
static bool slice(MlirOperation view, pgopt_padding *padding) {
  intptr_t operand = 1;
  MlirType type = mlirValueGetType(pgopt_result(view));
  if ((size_t)mlirShapedTypeGetRank(type) != padding->rank)
    return false;
  for (size_t d = 0; d < padding->rank; ++d) {
    pgopt_padded_dimension *dim = &padding->dimensions[d];
    int64_t first = static_entry(view, "static_offsets", d);
    if (static_entry(view, "static_strides", d) != 1 ||
        !mlirValueIsNull(dim->offset))
      return false;
    if (is_dynamic(first))
      dim->offset = mlirOperationGetOperand(view, operand++);
    else
      dim->first += first;
  }
  return true;
}

/// Follows the views from the buffer to the operation's operand.
static bool follow(MlirValue value, MlirValue buffer, pgopt_padding *padding) {
  if (mlirValueEqual(value, buffer))
    return true;
  MlirOperation view = mlirOpResultGetOwner(value);
  if (!follow(mlirOperationGetOperand(view, 0), buffer, padding))
    return false;
  return pgopt_op_is(view, "memref.subview")        ? slice(view, padding)
         : pgopt_op_is(view, "memref.expand_shape") ? expand(view, padding)
                                                    : false;
}

bool pgopt_padding_read(const pgopt_generic *generic, size_t number,
                        pgopt_padding *padding) {
  return pgopt_padding_read_constant(generic, number, 0, false, padding);
}

bool pgopt_padding_read_constant(const pgopt_generic *generic, size_t number,
                                 double constant, bool may_square,
                                 pgopt_padding *padding) {
  MlirValue operand = generic->operands[number].value, image = {NULL};
  uses found = {.is_squared = may_square && constant == 0};
  if (!generic->operands[number].is_memref)
    return false;
  MlirValue buffer = pgopt_root_buffer(operand);
  if (mlirValueIsABlockArgument(buffer) ||
      !pgopt_op_is(mlirOpResultGetOwner(buffer), "memref.alloc") ||
      !find_uses(buffer, generic->op, constant, &found, &image) ||
      !image_stays(image, found.copy, generic->op) ||
      !read_box(found.box, image, padding))
    return false;
  padding->buffer = mlirOpResultGetOwner(buffer);
  padding->is_squared = found.is_squared;
  return follow(operand, buffer, padding);
}

/// Erases everything that uses the value.
static void erase_users(MlirValue value) {
  MlirOpOperand use;
  while (use = mlirValueGetFirstUse(value), !mlirOpOperandIsNull(use)) {
    MlirOperation user = mlirOpOperandGetOwner(use);
    for (intptr_t i = 0; i < mlirOperationGetNumResults(user); ++i)
      erase_users(mlirOperationGetResult(user, i));
    mlirOperationDestroy(user);
  }
}

void pgopt_padding_erase(const pgopt_padding *padding) {
  erase_users(pgopt_result(padding->buffer));
  mlirOperationDestroy(padding->buffer);
}
