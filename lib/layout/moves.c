/// \file How the operands and results of pad, concat, slices and softmax share
/// dimensions.
#include "layout/classify_ops.h"

#include <limits.h>
#include <string.h>

static bool op_is(const pgopt_op *op, const char *name) {
  return !strcmp(op->name, name);
}

static bool all_static(pgopt_integer_list list, size_t rank) {
  if (list.count != rank)
    return false;
  for (size_t i = 0; i < rank; ++i)
    if (list.values[i] == INT64_MIN)
      return false;
  return true;
}

size_t pgopt_move_frame(const pgopt_op *op) {
  return op_is(op, "tensor.extract_slice") ? 0 : op->operand_count;
}

/// Dimensions of a slice's small side: the sizes in order, some of extent 1
/// dropped.
static bool match_sizes(const pgopt_type *small, pgopt_integer_list sizes,
                        int *dims) {
  size_t next = 0;
  for (size_t d = 0; d < small->rank; ++d) {
    dims[d] = -1;
    if (small->extents[d] == 1)
      continue;
    while (next < sizes.count && sizes.values[next] == 1)
      ++next;
    if (next == sizes.count || sizes.values[next] != small->extents[d])
      return false;
    dims[d] = (int)next++;
  }
  return true;
}

static bool identity_dims(size_t rank, int *dims) {
  for (size_t d = 0; d < rank; ++d)
    dims[d] = (int)d;
  return true;
}

/// True for one dimension that has a place in any order: of more than extent 1.
static bool runs_along(const pgopt_type *frame, pgopt_integer_list dimension) {
  return dimension.count == 1 && frame->extents[dimension.values[0]] != 1;
}

bool pgopt_move_dims(const pgopt_network *network, const pgopt_op *op,
                     size_t slot, int *dims) {
  size_t frame_slot = pgopt_move_frame(op);
  const pgopt_type *frame =
      &network->values[pgopt_slot_value(op, frame_slot)].type;
  const pgopt_type *type = &network->values[pgopt_slot_value(op, slot)].type;
  if (op_is(op, "tensor.extract_slice") || op_is(op, "tensor.insert_slice")) {
    bool extract = op_is(op, "tensor.extract_slice");
    pgopt_integer_list sizes = pgopt_op_integers(op, "static_sizes");
    if (!all_static(sizes, frame->rank) ||
        !all_static(pgopt_op_integers(op, "static_offsets"), frame->rank) ||
        !all_static(pgopt_op_integers(op, "static_strides"), frame->rank) ||
        op->operand_count != (extract ? 1 : 2))
      return false;
    bool is_small = extract ? slot == 1 : slot == 0;
    return is_small ? match_sizes(type, sizes, dims)
                    : identity_dims(type->rank, dims);
  }
  if (op_is(op, "tensor.pad"))
    return op->operand_count == 1 &&
           all_static(pgopt_op_integers(op, "static_low"), frame->rank) &&
           all_static(pgopt_op_integers(op, "static_high"), frame->rank) &&
           identity_dims(type->rank, dims);
  if (op_is(op, "tensor.concat"))
    return runs_along(frame, pgopt_op_integers(op, "dim")) &&
           identity_dims(type->rank, dims);
  if (op_is(op, "linalg.softmax"))
    return op->operand_count == 2 &&
           runs_along(frame, pgopt_op_integers(op, "dimension")) &&
           identity_dims(type->rank, dims);
  return false;
}

bool pgopt_move_is_aligned(const pgopt_op *op, size_t dim, int64_t unit) {
  if (op_is(op, "tensor.pad"))
    return pgopt_op_integers(op, "static_low").values[dim] % unit == 0 &&
           pgopt_op_integers(op, "static_high").values[dim] % unit == 0;
  if (op_is(op, "tensor.concat"))
    return true;
  return !op_is(op, "linalg.softmax") &&
         pgopt_op_integers(op, "static_offsets").values[dim] % unit == 0 &&
         pgopt_op_integers(op, "static_strides").values[dim] == 1;
}

bool pgopt_move_keeps(const pgopt_network *network, const pgopt_op *op,
                      size_t dim) {
  const pgopt_type *frame =
      &network->values[pgopt_slot_value(op, pgopt_move_frame(op))].type;
  if (op_is(op, "tensor.pad"))
    return !pgopt_op_integers(op, "static_low").values[dim] &&
           !pgopt_op_integers(op, "static_high").values[dim];
  if (op_is(op, "tensor.concat"))
    return pgopt_op_integers(op, "dim").values[0] != (int64_t)dim;
  if (op_is(op, "linalg.softmax"))
    return pgopt_op_integers(op, "dimension").values[0] != (int64_t)dim;
  return pgopt_op_integers(op, "static_sizes").values[dim] ==
             frame->extents[dim] &&
         pgopt_op_integers(op, "static_strides").values[dim] == 1;
}
