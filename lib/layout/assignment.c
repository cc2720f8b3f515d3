/// \file Which order every value is stored in, and what that costs.
#include "layout/assignment.h"

#include "layout/changes.h"
#include "layout/order.h"
#include "layout/wishes.h"

#include <stdlib.h>
#include <string.h>

/// What a layout change costs besides its bytes: starting a kernel and one
/// more pass over data that then left the cache.
static const int64_t change_bytes = 16384;

/// A convolution in another layout than asked for costs more than any layout
/// change near it.
static const int64_t window_factor = 16;

/// Elements of the longest vectors.
static const int64_t full_vector = 16;

/// Less than any layout change, so that no parameter decides where data goes.
static const int64_t detour_bytes = 256, packed_parameter_bytes = 16;

static bool fills(const pgopt_network *n, const pgopt_op *op) {
  return !strcmp(op->name, "linalg.fill") && op->input_count == 1 &&
         !n->values[op->operands[0]].type.is_shaped;
}

void pgopt_assignment_init(const pgopt_axes *axes, pgopt_image_layout images,
                           pgopt_assignment *a) {
  const pgopt_network *n = axes->network;
  *a = (pgopt_assignment){.axes = axes, .images = images};
  a->orders = pgopt_allocate(n->value_count, sizeof *a->orders);
  a->is_free = pgopt_allocate(n->value_count, sizeof *a->is_free);
  a->is_wanted = pgopt_allocate(n->value_count, sizeof *a->is_wanted);
  a->bytes = pgopt_allocate(n->value_count, sizeof *a->bytes);
  a->is_parameter = pgopt_constant_values(n);
  for (size_t v = 0; v < n->value_count; ++v) {
    size_t count = axes->values[v].count;
    a->orders[v] = pgopt_allocate(count, sizeof **a->orders);
    for (size_t k = 0; k < count; ++k)
      a->orders[v][k] = (int)k;
    if (!pgopt_type_bytes(&n->values[v].type, &a->bytes[v]))
      a->bytes[v] = 0;
  }
  for (size_t i = 0; i < n->op_count; ++i) {
    const pgopt_op *op = &n->ops[i];
    pgopt_axes_role role = axes->ops[i].role;
    if (role == PGOPT_AXES_SOURCE ||
        (role == PGOPT_AXES_RIGID && fills(n, op)) ||
        (role == PGOPT_AXES_ALIAS && a->is_free[op->operands[0]]))
      for (size_t k = 0; k < op->result_count; ++k)
        a->is_free[op->results[k]] = true;
    for (size_t k = 0; k < op->operand_count; ++k)
      if (role == PGOPT_AXES_FIXED && op->operands[k] >= 0)
        a->is_wanted[op->operands[k]] = true;
    for (size_t k = 0; k < op->capture_count; ++k)
      if (role < PGOPT_AXES_ALIAS ||
          !axes->ops[i].slots[pgopt_slot_count(op) + k])
        a->is_wanted[op->captures[k]] = true;
  }
}

void pgopt_assignment_free(pgopt_assignment *a) {
  if (a->orders)
    for (size_t v = 0; v < a->axes->network->value_count; ++v)
      free(a->orders[v]);
  free(a->orders);
  free(a->is_free);
  free(a->is_wanted);
  free(a->bytes);
  free(a->is_parameter);
  *a = (pgopt_assignment){0};
}

static bool is_identity(const int *order, size_t count) {
  for (size_t k = 0; k < count; ++k)
    if (order[k] != (int)k)
      return false;
  return true;
}

bool pgopt_value_is_declared(const pgopt_assignment *a, int value) {
  return is_identity(a->orders[value], a->axes->values[value].count);
}

const int *pgopt_read_order(const pgopt_assignment *a, size_t number,
                            size_t slot) {
  return a->reads && a->reads[number] && a->reads[number][slot]
             ? a->reads[number][slot]
             : a->orders[pgopt_slot_value(&a->axes->network->ops[number],
                                          slot)];
}

bool pgopt_read_is_declared(const pgopt_assignment *a, size_t number,
                            size_t slot) {
  int value = pgopt_slot_value(&a->axes->network->ops[number], slot);
  return is_identity(pgopt_read_order(a, number, slot),
                     a->axes->values[value].count);
}

size_t pgopt_op_ties(const pgopt_assignment *a, size_t number,
                     pgopt_layout_tie *ties) {
  const pgopt_op *op = &a->axes->network->ops[number];
  const pgopt_op_axes *axes = &a->axes->ops[number];
  size_t count = 0;
  if (axes->role < PGOPT_AXES_ALIAS)
    return 0;
  bool structured = op->kind == PGOPT_OP_STRUCTURED;
  for (size_t i = 0; i < op->operand_count; ++i) {
    int value = op->operands[i];
    if (!axes->slots[i] || a->is_free[value])
      continue;
    bool is_init = structured && i >= op->input_count;
    if (is_init && !pgopt_body_reads(op, i))
      continue;
    if (!is_init &&
        (axes->role == PGOPT_AXES_CONTRACT || axes->role == PGOPT_AXES_WINDOW))
      continue;
    size_t result =
        op->operand_count + (is_init ? i - op->input_count : (size_t)0);
    ties[count++] = (pgopt_layout_tie){
        i, result, !is_init && axes->role == PGOPT_AXES_REDUCE};
  }
  for (size_t s = pgopt_slot_count(op); s < pgopt_all_slot_count(op); ++s)
    if (axes->slots[s] && !a->is_free[pgopt_slot_value(op, s)])
      ties[count++] = (pgopt_layout_tie){s, op->operand_count,
                                         axes->role == PGOPT_AXES_REDUCE};
  return count;
}

/// A value's order in the op's axes; a group whose axes follow one another as
/// declared counts once.
static pgopt_order slot_order(const pgopt_assignment *a, size_t number,
                              size_t slot, const int *order, int *scratch) {
  const pgopt_op *op = &a->axes->network->ops[number];
  const int *slot_axes = a->axes->ops[number].slots[slot];
  size_t count = a->axes->values[pgopt_slot_value(op, slot)].count;
  size_t length = 0;
  for (size_t k = 0; k < count; ++k)
    if (!k || slot_axes[order[k]] != scratch[length - 1] ||
        order[k] != order[k - 1] + 1)
      scratch[length++] = slot_axes[order[k]];
  return (pgopt_order){scratch, length};
}

/// True when the axes of every group follow one another.
static bool is_together(pgopt_order order) {
  for (size_t i = 0; i < order.count; ++i)
    for (size_t k = 0; k < i; ++k)
      if (order.ids[i] == order.ids[k])
        return false;
  return true;
}

bool pgopt_tie_holds(const pgopt_assignment *a, size_t op,
                     const pgopt_layout_tie *tie, const int *left_order,
                     const int *right_order) {
  int scratch[2][PGOPT_MAX_AXES];
  pgopt_order left = slot_order(a, op, tie->left, left_order, scratch[0]);
  pgopt_order right = slot_order(a, op, tie->right, right_order, scratch[1]);
  return is_together(left) && is_together(right) &&
         pgopt_order_agrees(left, right);
}

static void add_change(const pgopt_assignment *a, int value,
                       pgopt_layout_cost *cost) {
  bool parameter = a->is_parameter[value];
  ++*(parameter ? &cost->parameter_changes : &cost->changes);
  *(parameter ? &cost->parameter_bytes : &cost->bytes_moved) += a->bytes[value];
}

/// Extent of an axis of the product's result.
static int64_t axis_extent(const pgopt_assignment *a, const pgopt_op *op,
                           const pgopt_op_axes *axes, int axis) {
  const pgopt_value_axes *v = &a->axes->values[op->results[0]];
  for (size_t k = 0; k < v->count; ++k)
    if (axes->slots[op->operand_count][k] == axis)
      return v->extents[k];
  return 1;
}

/// Among images, a product's vectors run along the innermost axes of its result
/// that are of one matrix: short runs waste lanes, and data that have another
/// axis innermost are copied first.
static int64_t vector_cost(const pgopt_assignment *a, const pgopt_op *op,
                           const pgopt_op_axes *axes,
                           const pgopt_order orders[3],
                           const pgopt_loop_role *roles) {
  if (!orders[2].count)
    return 0;
  int last = orders[2].ids[orders[2].count - 1];
  pgopt_loop_role role = roles[last];
  if (role != PGOPT_LOOP_ROW && role != PGOPT_LOOP_COLUMN)
    return 0;
  int64_t run = 1, all = 1, cost = 0;
  bool ended = false;
  for (size_t k = orders[2].count; k-- > 0;) {
    int64_t extent = axis_extent(a, op, axes, orders[2].ids[k]);
    ended = ended || roles[orders[2].ids[k]] != role;
    all *= roles[orders[2].ids[k]] == role ? extent : 1;
    run *= ended ? 1 : extent;
  }
  int64_t full = a->images.block ? a->images.block : full_vector;
  if (run < all && run < full)
    cost += a->bytes[op->results[0]];
  int side = role == PGOPT_LOOP_COLUMN;
  int value = op->operands[side];
  if (orders[side].count && !a->is_parameter[value] &&
      orders[side].ids[orders[side].count - 1] != last)
    cost += a->bytes[value];
  return cost;
}

static void add_contraction_cost(const pgopt_assignment *a, size_t number,
                                 pgopt_layout_cost *cost) {
  const pgopt_op *op = &a->axes->network->ops[number];
  const pgopt_op_axes *axes = &a->axes->ops[number];
  pgopt_loop_role *loop_roles =
      pgopt_allocate(op->loop_count, sizeof *loop_roles);
  pgopt_loop_role roles[PGOPT_MAX_AXES];
  int scratch[3][PGOPT_MAX_AXES];
  pgopt_order orders[3];
  int64_t bytes[2];
  pgopt_contraction_roles(op, loop_roles);
  for (size_t k = 0; k < axes->axis_count; ++k)
    roles[k] = loop_roles[axes->loops[k]];
  for (size_t i = 0; i < 3; ++i) {
    size_t slot = i < 2 ? i : op->operand_count;
    int value = pgopt_slot_value(op, slot);
    orders[i] = slot_order(a, number, slot, a->orders[value], scratch[i]);
    if (i < 2) {
      bytes[i] = a->bytes[value];
      if (a->is_free[value])
        orders[i].count = 0;
    }
  }
  unsigned copies = pgopt_contraction_copies(orders, roles, bytes);
  for (size_t i = 0; i < 3; ++i)
    if (copies & 1u << i)
      cost->packed_bytes +=
          a->bytes[pgopt_slot_value(op, i < 2 ? i : op->operand_count)];
  if (a->images.kind && !copies)
    cost->packed_bytes += vector_cost(a, op, axes, orders, roles);
  free(loop_roles);
}

void pgopt_window_order(const pgopt_assignment *a, size_t number, size_t slot,
                        int *order) {
  int value = pgopt_slot_value(&a->axes->network->ops[number], slot);
  if (pgopt_image_order(a->axes, number, slot, a->images, a->orders[value],
                        order))
    return;
  for (size_t k = 0; k < a->axes->values[value].count; ++k)
    order[k] = (int)k;
}

bool pgopt_is_filter(const pgopt_op *op, size_t slot) {
  int image = pgopt_image_operand(op);
  return slot < op->input_count && slot != (image < 0 ? 0 : (size_t)image);
}

/// The filter may stand in any order, the init follows the result.
bool pgopt_window_disagrees(const pgopt_assignment *a, size_t number,
                            size_t slot) {
  const pgopt_op *op = &a->axes->network->ops[number];
  int value = pgopt_slot_value(op, slot), order[PGOPT_MAX_AXES];
  bool is_init = slot >= op->input_count && slot < op->operand_count;
  if (a->axes->ops[number].role != PGOPT_AXES_WINDOW || is_init ||
      pgopt_is_filter(op, slot) || !a->axes->ops[number].slots[slot] ||
      a->is_free[value])
    return false;
  pgopt_window_order(a, number, slot, order);
  return memcmp(order, a->orders[value],
                a->axes->values[value].count * sizeof *order) != 0;
}

static void add_window_cost(const pgopt_assignment *a, size_t number,
                            pgopt_layout_cost *cost) {
  const pgopt_op *op = &a->axes->network->ops[number];
  int64_t factor = a->images.kind == PGOPT_IMAGE_DECLARED ? 1 : window_factor;
  for (size_t s = 0; s < op->operand_count + op->result_count; ++s)
    if (pgopt_window_disagrees(a, number, s))
      cost->packed_bytes +=
          factor * (a->bytes[pgopt_slot_value(op, s)] + change_bytes);
}

void pgopt_add_op_cost(const pgopt_assignment *a, size_t number,
                       pgopt_layout_cost *cost) {
  const pgopt_op *op = &a->axes->network->ops[number];
  pgopt_layout_tie *ties =
      pgopt_allocate(pgopt_all_slot_count(op), sizeof *ties);
  size_t count = pgopt_op_ties(a, number, ties);
  for (size_t i = 0; i < count; ++i) {
    int left = pgopt_slot_value(op, ties[i].left);
    int right = pgopt_slot_value(op, ties[i].right);
    if (pgopt_tie_holds(a, number, &ties[i], a->orders[left], a->orders[right]))
      continue;
    if (ties[i].packs)
      cost->packed_bytes += a->bytes[left];
    else
      add_change(a, left, cost);
  }
  free(ties);
  if (a->axes->ops[number].role == PGOPT_AXES_CONTRACT)
    add_contraction_cost(a, number, cost);
  else if (a->axes->ops[number].role == PGOPT_AXES_WINDOW)
    add_window_cost(a, number, cost);
  for (size_t i = 0; i < op->input_count; ++i)
    cost->detours += pgopt_wishes_other_order(a, number, i, NULL);
}

void pgopt_add_value_cost(const pgopt_assignment *a, int value,
                          pgopt_layout_cost *cost) {
  if (a->is_wanted[value] && !a->is_free[value] &&
      !pgopt_value_is_declared(a, value))
    add_change(a, value, cost);
  if (a->axes->network->values[value].producer < 0 &&
      !pgopt_value_is_declared(a, value))
    ++cost->packed_parameters;
}

void pgopt_assignment_cost(const pgopt_assignment *a, pgopt_layout_cost *cost) {
  *cost = (pgopt_layout_cost){0};
  for (size_t i = 0; i < a->axes->network->op_count; ++i)
    pgopt_add_op_cost(a, i, cost);
  for (size_t v = 0; v < a->axes->network->value_count; ++v)
    pgopt_add_value_cost(a, (int)v, cost);
}

int64_t pgopt_layout_energy(const pgopt_layout_cost *cost) {
  return cost->bytes_moved + cost->parameter_bytes + 2 * cost->packed_bytes +
         change_bytes * (cost->changes + cost->parameter_changes) +
         detour_bytes * cost->detours +
         packed_parameter_bytes * cost->packed_parameters;
}

void pgopt_carry_order(const pgopt_assignment *a, size_t number, size_t from,
                       const int *order, size_t to, int *result) {
  const pgopt_op *op = &a->axes->network->ops[number];
  const int *from_axes = a->axes->ops[number].slots[from];
  const int *to_axes = a->axes->ops[number].slots[to];
  size_t from_count = a->axes->values[pgopt_slot_value(op, from)].count;
  int to_value = pgopt_slot_value(op, to);
  size_t to_count = a->axes->values[to_value].count;
  int shared[PGOPT_MAX_AXES];
  bool is_shared[PGOPT_MAX_AXES] = {false};
  size_t count = 0, next = 0;
  for (size_t k = 0; k < from_count; ++k)
    for (size_t j = 0; j < to_count; ++j)
      if (to_axes[j] == from_axes[order[k]] && !is_shared[j]) {
        shared[count++] = (int)j;
        is_shared[j] = true;
      }
  for (size_t k = 0; k < to_count; ++k) {
    int now = a->orders[to_value][k];
    result[k] = is_shared[now] ? shared[next++] : now;
  }
}
