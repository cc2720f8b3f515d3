/// \file What a product wants of its other operands, when the order of one is
/// known.
#include "layout/core_orders.h"

#include "layout/changes.h"
#include "layout/wishes.h"

#include <stdlib.h>

static bool is_parameter(const pgopt_assignment *a, int value) {
  return a->is_parameter[value] || a->is_free[value];
}

/// The slot that `slot`'s order follows from; -1 for none.
static int leading_slot(const pgopt_assignment *a, const pgopt_op *op,
                        size_t slot) {
  bool parameters[] = {is_parameter(a, op->operands[0]),
                       is_parameter(a, op->operands[1])};
  if (parameters[0] == parameters[1])
    return -1;
  size_t data = parameters[0];
  return slot == data                ? (int)op->operand_count
         : slot == op->operand_count ? (int)data
                                     : -1;
}

bool pgopt_follow_product(const pgopt_assignment *a, size_t number, size_t slot,
                          const int *const *known, int *order) {
  const pgopt_op *op = &a->axes->network->ops[number];
  const pgopt_op_axes *axes = &a->axes->ops[number];
  int from = axes->role == PGOPT_AXES_CONTRACT ? leading_slot(a, op, slot) : -1;
  if (from < 0 || !axes->slots[from] || !axes->slots[slot])
    return false;
  int value = pgopt_slot_value(op, slot);
  int leader = pgopt_slot_value(op, (size_t)from);
  size_t count = a->axes->values[value].count, next = 0;
  if (!known[leader])
    return false;
  bool shared[PGOPT_MAX_AXES] = {false};
  int place[PGOPT_MAX_AXES]; /* per axis of the leader, of the value's; -1 */
  for (size_t k = 0; k < a->axes->values[leader].count; ++k) {
    place[k] = -1;
    for (size_t j = 0; j < count; ++j)
      if (axes->slots[slot][j] == axes->slots[from][k]) {
        place[k] = (int)j;
        shared[j] = true;
      }
  }
  bool inserted = false;
  for (size_t k = 0; k <= a->axes->values[leader].count; ++k) {
    bool ends = k == a->axes->values[leader].count;
    int at = ends ? -1 : place[known[leader][k]];
    if (at >= 0)
      order[next++] = at;
    for (size_t j = 0; j < count && at < 0 && !inserted; ++j)
      if (!shared[j])
        order[next++] = (int)j;
    inserted = inserted || at < 0;
  }
  return true;
}

bool pgopt_parameter_order(const pgopt_assignment *a, size_t number,
                           size_t slot, const int *const *known, int *order) {
  const pgopt_op *op = &a->axes->network->ops[number];
  if (a->axes->ops[number].role != PGOPT_AXES_CONTRACT)
    return false;
  size_t slots[] = {0, 1, op->operand_count};
  int *orders[3];
  for (int i = 0; i < 3; ++i) {
    int value = pgopt_slot_value(op, slots[i]);
    orders[i] = a->orders[value];
    if (known[value])
      a->orders[value] = (int *)known[value];
  }
  bool wishes = pgopt_wishes_other_order(a, number, slot, order);
  for (int i = 3; i-- > 0;)
    a->orders[pgopt_slot_value(op, slots[i])] = orders[i];
  return wishes;
}

bool pgopt_product_gathers(const pgopt_assignment *a, size_t number,
                           const int *const orders[3]) {
  const pgopt_op *op = &a->axes->network->ops[number];
  const pgopt_op_axes *axes = &a->axes->ops[number];
  size_t slots[] = {0, 1, op->operand_count};
  int ids[3][PGOPT_MAX_AXES];
  pgopt_order read[3];
  pgopt_loop_role roles[PGOPT_MAX_AXES];
  pgopt_loop_role *loops = pgopt_allocate(op->loop_count, sizeof *loops);
  bool known = pgopt_contraction_roles(op, loops);
  for (size_t k = 0; k < axes->axis_count && known; ++k)
    roles[k] = loops[axes->loops[k]];
  free(loops);
  for (int i = 0; i < 3 && known; ++i) {
    size_t count = a->axes->values[pgopt_slot_value(op, slots[i])].count;
    known = axes->slots[slots[i]] != NULL;
    for (size_t k = 0; k < count && known; ++k)
      ids[i][k] = axes->slots[slots[i]][orders[i][k]];
    read[i] = (pgopt_order){ids[i], count};
  }
  const int64_t bytes[] = {a->bytes[op->operands[0]],
                           a->bytes[op->operands[1]]};
  return !known || pgopt_contraction_copies(read, roles, bytes) != 0;
}
