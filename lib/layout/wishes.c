/// \file Which order a kernel would like to read a parameter in.
#include "layout/wishes.h"

#include "layout/changes.h"

#include <stdlib.h>
#include <string.h>

/// One product's matrices, their axes in the operation's numbers.
typedef struct product {
  const pgopt_assignment *a;
  size_t number, slot;
  int ids[3][PGOPT_MAX_AXES]; ///< the matrix itself, the other one, the result
  size_t counts[3];
  pgopt_loop_role roles[PGOPT_MAX_AXES]; ///< one an axis of the operation
  pgopt_loop_role own; ///< of axes that only the matrix and the result have
} product;

static void read_product(const pgopt_assignment *a, size_t number, size_t slot,
                         product *p) {
  const pgopt_op *op = &a->axes->network->ops[number];
  const pgopt_op_axes *axes = &a->axes->ops[number];
  size_t slots[] = {slot, 1 - slot, op->operand_count};
  *p = (product){.a = a, .number = number, .slot = slot};
  p->own = slot ? PGOPT_LOOP_COLUMN : PGOPT_LOOP_ROW;
  for (size_t i = 0; i < 3; ++i) {
    int value = pgopt_slot_value(op, slots[i]);
    p->counts[i] = a->axes->values[value].count;
    for (size_t k = 0; k < p->counts[i]; ++k)
      p->ids[i][k] = axes->slots[slots[i]][a->orders[value][k]];
  }
  pgopt_loop_role *loops = pgopt_allocate(op->loop_count, sizeof *loops);
  pgopt_contraction_roles(op, loops);
  for (size_t k = 0; k < axes->axis_count; ++k)
    p->roles[k] = loops[axes->loops[k]];
  free(loops);
}

/// Appends the matrix's axes of one role in the order they have in `from`.
static size_t append_role(const product *p, size_t from, pgopt_loop_role role,
                          int *ids, size_t count) {
  for (size_t k = 0; k < p->counts[from]; ++k)
    if (p->roles[p->ids[from][k]] == role)
      ids[count++] = p->ids[from][k];
  return count;
}

/// Batches outermost, then depths and the others; whichever of the two is
/// innermost stays so.
static void best_order(const product *p, int *ids) {
  pgopt_loop_role innermost = p->own;
  for (size_t k = 0; k < p->counts[0]; ++k)
    if (p->roles[p->ids[0][k]] == PGOPT_LOOP_DEPTH ||
        p->roles[p->ids[0][k]] == p->own)
      innermost = p->roles[p->ids[0][k]];
  size_t count = append_role(p, 2, PGOPT_LOOP_BATCH, ids, 0);
  if (innermost == PGOPT_LOOP_DEPTH)
    count = append_role(p, 2, p->own, ids, count);
  count = append_role(p, 1, PGOPT_LOOP_DEPTH, ids, count);
  if (innermost != PGOPT_LOOP_DEPTH)
    count = append_role(p, 2, p->own, ids, count);
  append_role(p, 0, PGOPT_LOOP_OTHER, ids, count);
}

/// True when the axes of a role follow one another in the matrix as they do in
/// `best`.
static bool is_together(const product *p, pgopt_loop_role role,
                        const int *best) {
  size_t count = p->counts[0], first = 0, other = 0;
  while (first < count && p->roles[p->ids[0][first]] != role)
    ++first;
  while (other < count && p->roles[best[other]] != role)
    ++other;
  for (; other < count && p->roles[best[other]] == role; ++first, ++other)
    if (first == count || p->ids[0][first] != best[other])
      return false;
  return true;
}

static bool product_wishes(const pgopt_assignment *a, size_t number,
                           size_t slot, int *order) {
  const int *slot_axes = a->axes->ops[number].slots[slot];
  product p;
  int best[PGOPT_MAX_AXES];
  read_product(a, number, slot, &p);
  for (size_t k = 0; k < p.counts[0]; ++k)
    if (p.roles[p.ids[0][k]] == PGOPT_LOOP_OTHER)
      return false;
  best_order(&p, best);
  size_t last = p.counts[0];
  if (!last || (is_together(&p, PGOPT_LOOP_DEPTH, best) &&
                is_together(&p, p.own, best) &&
                (p.roles[p.ids[0][last - 1]] != PGOPT_LOOP_BATCH ||
                 p.roles[best[last - 1]] == PGOPT_LOOP_BATCH)))
    return false;
  for (size_t k = 0; k < last && order; ++k)
    for (size_t j = 0; j < last; ++j)
      if (slot_axes[j] == best[k])
        order[k] = (int)j;
  return true;
}

bool pgopt_wishes_other_order(const pgopt_assignment *a, size_t number,
                              size_t slot, int *order) {
  const pgopt_op *op = &a->axes->network->ops[number];
  pgopt_axes_role role = a->axes->ops[number].role;
  if (slot >= op->input_count ||
      (role != PGOPT_AXES_CONTRACT && role != PGOPT_AXES_WINDOW) ||
      !a->axes->ops[number].slots[slot])
    return false;
  int value = op->operands[slot];
  if (!a->is_parameter[value] || a->is_free[value])
    return false;
  if (role == PGOPT_AXES_CONTRACT)
    return slot < 2 && a->axes->ops[number].slots[1 - slot] &&
           product_wishes(a, number, slot, order);
  if (!pgopt_is_filter(op, slot))
    return false;
  int wished[PGOPT_MAX_AXES];
  size_t bytes = a->axes->values[value].count * sizeof *wished;
  pgopt_window_order(a, number, slot, wished);
  if (!memcmp(wished, a->orders[value], bytes))
    return false;
  if (order)
    memcpy(order, wished, bytes);
  return true;
}
