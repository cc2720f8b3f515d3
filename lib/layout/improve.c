/// \file Lowers the cost of an assignment by moving regions of values to
/// another order.
///
/// Where two values that should be stored alike are not, one of them is
/// proposed the other's order; the proposal spreads through every operation
/// that carries an order on, so that each value it reaches has two choices:
/// the order it has and the proposed one. Which values take it is a minimum
/// cut: a value's own cost is an arc to the source or the sink, a tie between
/// two values an arc between them (this is the expansion move of Boykov,
/// Veksler and Zabih, PAMI 2001). The result is taken when it is cheaper by the
/// full cost and, unless images are to have a given layout, raises neither the
/// number of layout changes nor the bytes they move.
#include "layout/assignment.h"
#include "layout/image_products.h"
#include "layout/max_flow.h"
#include "layout/wishes.h"

#include <stdlib.h>
#include <string.h>

enum { DEFAULT_WORK = 400, MAX_ROUNDS = 16 };

typedef struct search {
  pgopt_assignment *a;
  const pgopt_network *n;
  int **proposed; ///< one a value, null where nothing is proposed
  int *node;      ///< of a value with a proposal
  int *reached;   ///< values with a proposal, in the order they were reached
  size_t reached_count, reached_capacity;
  int *touched; ///< operations with a reached value
  size_t touched_count, touched_capacity;
  bool *is_touched;
  int64_t work_left;
} search;

static void propose(search *s, int value, int *order) {
  s->proposed[value] = order;
  s->node[value] = (int)s->reached_count;
  PGOPT_APPEND(s->reached, s->reached_count, s->reached_capacity, value);
}

static bool carries(pgopt_axes_role role) {
  return role == PGOPT_AXES_ALIAS || role == PGOPT_AXES_REGROUP ||
         role == PGOPT_AXES_RIGID || role == PGOPT_AXES_MOVE ||
         role == PGOPT_AXES_REDUCE;
}

/// Offers the order of slot `from` to slot `to`'s value.
static void carry(search *s, size_t op, size_t from, size_t to) {
  const pgopt_op *o = &s->n->ops[op];
  const pgopt_axes *axes = s->a->axes;
  int value = pgopt_slot_value(o, to);
  if (!axes->ops[op].slots[to] || s->proposed[value] ||
      axes->values[value].is_fixed || s->a->is_free[value])
    return;
  size_t count = axes->values[value].count;
  int order[PGOPT_MAX_AXES];
  pgopt_carry_order(s->a, op, from, s->proposed[pgopt_slot_value(o, from)], to,
                    order);
  if (memcmp(order, s->a->orders[value], count * sizeof *order))
    propose(s, value, pgopt_duplicate(order, count * sizeof *order));
}

/// Init operands that are not read tie nothing, but dropping them here would
/// only cost precision: `is_free` covers what they usually are.
static void spread_through(search *s, int value, int number) {
  const pgopt_op *op = &s->n->ops[number];
  if (!s->is_touched[number]) {
    s->is_touched[number] = true;
    PGOPT_APPEND(s->touched, s->touched_count, s->touched_capacity, number);
  }
  pgopt_axes_role role = s->a->axes->ops[number].role;
  size_t slots = pgopt_all_slot_count(op);
  for (size_t from = 0; role >= PGOPT_AXES_ALIAS && from < slots; ++from) {
    if (pgopt_slot_value(op, from) != value ||
        !s->a->axes->ops[number].slots[from])
      continue;
    --s->work_left;
    bool is_init = op->kind == PGOPT_OP_STRUCTURED && from >= op->input_count &&
                   from < op->operand_count;
    for (size_t to = 0; carries(role) && to < slots; ++to)
      carry(s, (size_t)number, from, to);
    /* Accumulators and their result always go together. */
    if (!carries(role) && op->kind == PGOPT_OP_STRUCTURED) {
      size_t results = op->result_count;
      if (is_init)
        carry(s, (size_t)number, from, from + results);
      else if (from >= op->operand_count && from < pgopt_slot_count(op))
        carry(s, (size_t)number, from, from - results);
    }
  }
}

static void spread(search *s) {
  for (size_t i = 0; i < s->reached_count && s->work_left > 0; ++i) {
    int value = s->reached[i];
    const pgopt_value *v = &s->n->values[value];
    if (v->producer >= 0)
      spread_through(s, value, v->producer);
    for (size_t k = 0; k < v->user_count; ++k)
      spread_through(s, value, v->users[k]);
  }
}

/// Exchanges the orders of reached values that `take` (null: all) names with
/// their proposals.
static void exchange(search *s, const bool *take) {
  for (size_t i = 0; i < s->reached_count; ++i) {
    int value = s->reached[i];
    if (take && !take[i])
      continue;
    int *order = s->a->orders[value];
    s->a->orders[value] = s->proposed[value];
    s->proposed[value] = order;
  }
}

static pgopt_layout_cost touched_cost(const search *s) {
  pgopt_layout_cost cost = {0};
  for (size_t i = 0; i < s->touched_count; ++i)
    pgopt_add_op_cost(s->a, (size_t)s->touched[i], &cost);
  for (size_t i = 0; i < s->reached_count; ++i)
    pgopt_add_value_cost(s->a, s->reached[i], &cost);
  return cost;
}

/// Adds E(x) for one value: `keep` when it stays, `take` when it moves.
static void add_own(pgopt_flow *flow, int node, int64_t keep, int64_t take) {
  int source = (int)flow->node_count - 2, sink = source + 1;
  int64_t low = keep < take ? keep : take;
  pgopt_flow_add(flow, source, node, take - low, 0);
  pgopt_flow_add(flow, node, sink, keep - low, 0);
}

/// Adds E(x, y) for two values, costs[x][y].
static void add_pair(pgopt_flow *flow, int x, int y, int64_t costs[2][2]) {
  add_own(flow, x, costs[0][0], costs[1][0]);
  add_own(flow, y, 0, costs[1][1] - costs[1][0]);
  int64_t both = costs[0][1] + costs[1][0] - costs[0][0] - costs[1][1];
  if (both > 0) /* else two proposals clash; the exact check decides */
    pgopt_flow_add(flow, x, y, both, 0);
}

static int64_t tie_weight(const search *s, const pgopt_op *op,
                          const pgopt_layout_tie *tie) {
  int64_t bytes = s->a->bytes[pgopt_slot_value(op, tie->left)];
  pgopt_layout_cost cost = {0};
  if (tie->packs)
    cost.packed_bytes = bytes;
  else
    cost = (pgopt_layout_cost){.changes = 1, .bytes_moved = bytes};
  return pgopt_layout_energy(&cost);
}

static void add_ties(search *s, pgopt_flow *flow, size_t number) {
  const pgopt_op *op = &s->n->ops[number];
  pgopt_layout_tie *ties =
      pgopt_allocate(pgopt_all_slot_count(op), sizeof *ties);
  size_t count = pgopt_op_ties(s->a, number, ties);
  for (size_t i = 0; i < count; ++i) {
    int values[2] = {pgopt_slot_value(op, ties[i].left),
                     pgopt_slot_value(op, ties[i].right)};
    int64_t weight = tie_weight(s, op, &ties[i]), costs[2][2];
    bool moves[2] = {s->proposed[values[0]] != NULL,
                     s->proposed[values[1]] != NULL};
    for (int x = 0; x < 2; ++x)
      for (int y = 0; y < 2; ++y)
        costs[x][y] = pgopt_tie_holds(s->a, number, &ties[i],
                                      x && moves[0] ? s->proposed[values[0]]
                                                    : s->a->orders[values[0]],
                                      y && moves[1] ? s->proposed[values[1]]
                                                    : s->a->orders[values[1]])
                          ? 0
                          : weight;
    if (moves[0] && moves[1])
      add_pair(flow, s->node[values[0]], s->node[values[1]], costs);
    else if (moves[0])
      add_own(flow, s->node[values[0]], costs[0][0], costs[1][0]);
    else if (moves[1])
      add_own(flow, s->node[values[1]], costs[0][0], costs[0][1]);
  }
  free(ties);
}

/// What an op without ties costs when this value alone moves.
static int64_t op_energy(const search *s, size_t number) {
  pgopt_layout_cost cost = {0};
  pgopt_add_op_cost(s->a, number, &cost);
  return pgopt_layout_energy(&cost);
}

static void add_op(search *s, pgopt_flow *flow, size_t number) {
  const pgopt_op *op = &s->n->ops[number];
  pgopt_axes_role role = s->a->axes->ops[number].role;
  add_ties(s, flow, number);
  if (role != PGOPT_AXES_CONTRACT && role != PGOPT_AXES_WINDOW)
    return;
  for (size_t k = 0; k < op->operand_count + op->result_count; ++k) {
    int value = pgopt_slot_value(op, k);
    if (!s->proposed[value] || (k >= op->input_count && k < op->operand_count))
      continue;
    int64_t keep = op_energy(s, number);
    int *order = s->a->orders[value];
    s->a->orders[value] = s->proposed[value];
    int64_t take = op_energy(s, number);
    s->a->orders[value] = order;
    add_own(flow, s->node[value], keep, take);
  }
}

static void add_wants(search *s, pgopt_flow *flow) {
  for (size_t i = 0; i < s->reached_count; ++i) {
    int value = s->reached[i];
    pgopt_layout_cost keep = {0}, take = {0};
    pgopt_add_value_cost(s->a, value, &keep);
    int *order = s->a->orders[value];
    s->a->orders[value] = s->proposed[value];
    pgopt_add_value_cost(s->a, value, &take);
    s->a->orders[value] = order;
    add_own(flow, (int)i, pgopt_layout_energy(&keep),
            pgopt_layout_energy(&take));
  }
}

static bool is_better(const search *s, const pgopt_layout_cost *after,
                      const pgopt_layout_cost *before) {
  bool may_rise = s->a->images.kind != PGOPT_IMAGE_DECLARED;
  return (may_rise || (after->changes <= before->changes &&
                       after->bytes_moved <= before->bytes_moved)) &&
         pgopt_layout_energy(after) < pgopt_layout_energy(before);
}

/// Takes the best part of the proposal, if any is better.
static bool take_best(search *s) {
  pgopt_flow flow;
  pgopt_flow_init(&flow, s->reached_count + 2);
  for (size_t i = 0; i < s->touched_count; ++i)
    add_op(s, &flow, (size_t)s->touched[i]);
  add_wants(s, &flow);
  bool *take = pgopt_allocate(flow.node_count, sizeof *take);
  pgopt_flow_cut(&flow, (int)s->reached_count, (int)s->reached_count + 1, take);
  pgopt_layout_cost before = touched_cost(s);
  exchange(s, take);
  pgopt_layout_cost after = touched_cost(s);
  bool better = is_better(s, &after, &before);
  if (!better)
    exchange(s, take);
  free(take);
  pgopt_flow_free(&flow);
  return better;
}

static void forget(search *s) {
  for (size_t i = 0; i < s->reached_count; ++i) {
    free(s->proposed[s->reached[i]]);
    s->proposed[s->reached[i]] = NULL;
  }
  for (size_t i = 0; i < s->touched_count; ++i)
    s->is_touched[s->touched[i]] = false;
  s->reached_count = s->touched_count = 0;
}

/// Proposes an order for one value and takes the best part of what follows.
static bool try_order(search *s, int value, const int *order) {
  size_t bytes = s->a->axes->values[value].count * sizeof *order;
  propose(s, value, pgopt_duplicate(order, bytes));
  spread(s);
  bool better = take_best(s);
  forget(s);
  return better;
}

/// Proposes the order of slot `from` to slot `to`.
static bool try_move(search *s, size_t op, size_t from, size_t to) {
  const pgopt_op *o = &s->n->ops[op];
  int value = pgopt_slot_value(o, to), other = pgopt_slot_value(o, from);
  if (s->a->axes->values[value].is_fixed || s->a->is_free[value] ||
      value == other)
    return false;
  int order[PGOPT_MAX_AXES];
  pgopt_carry_order(s->a, op, from, s->a->orders[other], to, order);
  return try_order(s, value, order);
}

static bool improve_op(search *s, size_t number) {
  const pgopt_op *op = &s->n->ops[number];
  pgopt_layout_tie *ties =
      pgopt_allocate(pgopt_all_slot_count(op), sizeof *ties);
  size_t count = pgopt_op_ties(s->a, number, ties);
  bool better = false;
  for (size_t i = 0; i < count && s->work_left > 0; ++i) {
    int left = pgopt_slot_value(op, ties[i].left);
    int right = pgopt_slot_value(op, ties[i].right);
    if (pgopt_tie_holds(s->a, number, &ties[i], s->a->orders[left],
                        s->a->orders[right]))
      continue;
    /* Data first asks the parameters that meet it to follow. */
    bool asks = s->a->is_parameter[left] && !s->a->is_parameter[right];
    size_t from = asks ? ties[i].right : ties[i].left;
    size_t to = asks ? ties[i].left : ties[i].right;
    better |= try_move(s, number, from, to) || try_move(s, number, to, from);
  }
  free(ties);
  return better;
}

/// Where a convolution would have its image or result in another order.
static bool improve_window(search *s, size_t number) {
  const pgopt_op *op = &s->n->ops[number];
  bool better = false;
  for (size_t k = 0; k < pgopt_slot_count(op) && s->work_left > 0; ++k) {
    int value = pgopt_slot_value(op, k), order[PGOPT_MAX_AXES];
    if (value < 0 || s->a->axes->values[value].is_fixed ||
        !pgopt_window_disagrees(s->a, number, k))
      continue;
    pgopt_window_order(s->a, number, k, order);
    better |= try_order(s, value, order);
  }
  return better;
}

/// Where a product of an image with a parameter would write in another order.
static bool improve_product(search *s, size_t number) {
  int value, order[PGOPT_MAX_AXES];
  if (!pgopt_product_order(s->a, number, order))
    return false;
  value = s->n->ops[number].results[0];
  return !s->a->axes->values[value].is_fixed && try_order(s, value, order);
}

/// Where a kernel would like to read a parameter in another order.
static bool improve_reads(search *s, size_t number) {
  const pgopt_op *op = &s->n->ops[number];
  bool better = false;
  for (size_t i = 0; i < op->input_count && s->work_left > 0; ++i) {
    int value = op->operands[i], order[PGOPT_MAX_AXES];
    if (value < 0 || s->a->axes->values[value].is_fixed ||
        !pgopt_wishes_other_order(s->a, number, i, order))
      continue;
    better |= try_order(s, value, order);
  }
  return better;
}

/// Where a value is wanted as it is declared and stored otherwise.
static bool improve_value(search *s, int value) {
  const pgopt_assignment *a = s->a;
  size_t count = a->axes->values[value].count;
  if (!a->is_wanted[value] || a->is_free[value] || s->work_left <= 0 ||
      pgopt_value_is_declared(a, value))
    return false;
  int order[PGOPT_MAX_AXES];
  for (size_t k = 0; k < count; ++k)
    order[k] = (int)k;
  return try_order(s, value, order);
}

bool pgopt_assignment_improve(pgopt_assignment *a, int64_t work) {
  const pgopt_network *n = a->axes->network;
  search s = {.a = a, .n = n};
  s.work_left = (work ? work : DEFAULT_WORK) * (int64_t)(n->value_count + 1);
  s.proposed = pgopt_allocate(n->value_count, sizeof *s.proposed);
  s.node = pgopt_allocate(n->value_count, sizeof *s.node);
  s.is_touched = pgopt_allocate(n->op_count, sizeof *s.is_touched);
  bool better = true, improved = false;
  for (int round = 0; better && round < MAX_ROUNDS; ++round) {
    better = false;
    for (size_t i = 0; i < n->op_count && a->images.kind; ++i)
      better |= improve_window(&s, i) || improve_product(&s, i);
    for (size_t i = 0; i < n->op_count; ++i)
      better |= improve_op(&s, i);
    for (size_t i = 0; i < n->op_count; ++i)
      better |= improve_reads(&s, i);
    for (size_t v = 0; v < n->value_count; ++v)
      better |= improve_value(&s, (int)v);
    improved = improved || better;
  }
  free(s.reached);
  free(s.touched);
  free(s.is_touched);
  free(s.node);
  free(s.proposed);
  return improved;
}
