/// \file Products of images with parameters.
#include "layout/image_products.h"

#include <string.h>

typedef struct product {
  size_t data; ///< the slot that is no parameter
  int result_value, data_value;
  const int *result, *axes; ///< the op's axes of the result's and the data's
  size_t result_count, data_count;
  const int64_t *extents; ///< of the result's axes
  const int *loops;       ///< of the op's axes
} product;

static bool read_product(const pgopt_assignment *a, size_t number, product *p) {
  const pgopt_op *op = &a->axes->network->ops[number];
  const pgopt_op_axes *axes = &a->axes->ops[number];
  if (axes->role != PGOPT_AXES_CONTRACT ||
      a->is_parameter[op->operands[0]] == a->is_parameter[op->operands[1]] ||
      !axes->slots[0] || !axes->slots[1])
    return false;
  *p = (product){.data = a->is_parameter[op->operands[0]]};
  p->data_value = op->operands[p->data];
  p->result_value = op->results[0];
  p->axes = axes->slots[p->data];
  p->result = axes->slots[op->operand_count];
  p->data_count = a->axes->values[p->data_value].count;
  p->result_count = a->axes->values[p->result_value].count;
  p->loops = axes->loops;
  p->extents = a->axes->values[p->result_value].extents;
  return true;
}

/// The result's axis that is the op's, or -1.
static int find_axis(const product *p, int axis) {
  for (size_t j = 0; j < p->result_count; ++j)
    if (p->result[j] == axis)
      return (int)j;
  return -1;
}

/// The result's axes that the data lack, in its order.
static size_t list_own(const product *p, int *own) {
  size_t count = 0;
  for (size_t j = 0; j < p->result_count; ++j) {
    bool shared = false;
    for (size_t k = 0; k < p->data_count; ++k)
      shared = shared || p->axes[k] == p->result[j];
    if (!shared)
      own[count++] = (int)j;
  }
  return count;
}

/// Steps of the loop that one of the parameter's axes is a factor of.
static int64_t loop_length(const product *p, const int *own, size_t own_count,
                           int axis) {
  int64_t length = 1;
  for (size_t i = 0; i < own_count; ++i)
    if (p->loops[p->result[own[i]]] == p->loops[p->result[axis]])
      length *= p->extents[own[i]];
  return length;
}

/// The data's axes, then the parameter's; factors of a loop stay together.
static void append_own(const product *p, const int *stored, const int *own,
                       size_t own_count, int *order) {
  size_t count = 0;
  for (size_t k = 0; k < p->data_count; ++k) {
    int j = find_axis(p, p->axes[stored[k]]);
    if (j >= 0)
      order[count++] = j;
  }
  size_t first = count;
  for (size_t i = 0; i < own_count; ++i) {
    size_t at = count++;
    int64_t length = loop_length(p, own, own_count, own[i]);
    for (; at > first && loop_length(p, own, own_count, order[at - 1]) > length;
         --at)
      order[at] = order[at - 1];
    order[at] = own[i];
  }
}

/// The same where the data are an image in blocks: the parameter's last axis
/// is a block, the others stand where the data's channels do. False where the
/// data are not, or the result cannot be.
static bool take_places(const product *p, const int *stored, int64_t block,
                        const int *own, size_t own_count, int *order) {
  size_t last = p->data_count, count = 0, next = 0;
  bool channels = false, space = false, placed = false;
  if (!last || !own_count || p->extents[own[own_count - 1]] != block ||
      find_axis(p, p->axes[stored[last - 1]]) >= 0)
    return false;
  for (size_t k = 0; k + 1 < last; ++k) {
    bool is_channel = find_axis(p, p->axes[stored[k]]) < 0;
    if (is_channel && space && channels)
      return false;
    channels = channels || is_channel;
    space = space || (channels && !is_channel);
  }
  /* A single block of data does not say where several of the result go. */
  if (!channels && own_count > 1)
    return false;
  for (size_t k = 0; k + 1 < last; ++k) {
    int j = find_axis(p, p->axes[stored[k]]);
    for (; j < 0 && !placed && next + 1 < own_count; ++next)
      order[count++] = own[next];
    placed = placed || j < 0;
    if (j >= 0)
      order[count++] = j;
  }
  order[count] = own[own_count - 1];
  return true;
}

bool pgopt_product_order(const pgopt_assignment *a, size_t number, int *order) {
  int own[PGOPT_MAX_AXES];
  product p;
  if (!read_product(a, number, &p))
    return false;
  const int *stored = a->orders[p.data_value];
  size_t own_count = list_own(&p, own);
  if (a->images.kind != PGOPT_IMAGE_BLOCKED ||
      !take_places(&p, stored, a->images.block, own, own_count, order))
    append_own(&p, stored, own, own_count, order);
  return memcmp(order, a->orders[p.result_value],
                p.result_count * sizeof *order) != 0;
}
