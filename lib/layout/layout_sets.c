/// \file The layouts that every value between kernels can have.
///
/// A candidate of a kernel grows from seeds: orders of some of its values. They
/// spread through the kernel's operations as `pgopt_carry_order` says; what
/// convolutions and products want of their other operands is filled in
/// (`core_orders.c`). Candidates add their orders to the sets of their values,
/// and those are seeds of the kernels around, until no set grows.
#include "layout/layout_sets.h"

#include "layout/core_orders.h"

#include <stdlib.h>
#include <string.h>

enum { MAX_SWEEPS = 8 };

typedef struct builder {
  pgopt_layout_sets *sets;
  const pgopt_axes *axes;
  const pgopt_network *n;
  pgopt_assignment declared;
  int *owner; ///< kernel of an op, the first one when there are several; -1
  /// Candidates of each kernel, in room for the most.
  pgopt_layout_candidate *candidates;
  /// The candidate that grows: orders of values that have one.
  const int **known;
  int *reached; ///< values with one
  size_t reached_count, reached_capacity;
  bool has_grown; ///< some set, in this sweep
} builder;

static bool is_in(const builder *b, int op, int kernel) {
  const pgopt_layout_kernel *k = &b->sets->kernels[kernel];
  size_t low = 0, high = k->op_count;
  while (low < high) {
    size_t middle = (low + high) / 2;
    if (k->ops[middle] < op)
      low = middle + 1;
    else
      high = middle;
  }
  return low < k->op_count && k->ops[low] == op;
}

static bool is_argument_parameter(const builder *b, int value) {
  return b->n->values[value].producer < 0 && b->n->values[value].is_parameter;
}

/// Stored somewhere, by a kernel or the caller, and no parameter.
static bool is_stored(const builder *b, int value) {
  return value >= 0 && b->n->values[value].type.is_shaped &&
         !b->declared.is_free[value] && !is_argument_parameter(b, value);
}

/// A parameter that the kernel may have packed as it likes.
static bool is_packable(const builder *b, int value) {
  return is_argument_parameter(b, value) && !b->axes->values[value].is_fixed &&
         b->n->values[value].user_count == 1;
}

static int add_order(builder *b, int value, const int *order) {
  pgopt_layout_set *set = &b->sets->sets[value];
  size_t bytes = b->axes->values[value].count * sizeof *order;
  for (size_t i = 0; i < set->count; ++i)
    if (!memcmp(set->orders[i], order, bytes))
      return (int)i;
  if (set->count == PGOPT_MAX_LAYOUTS)
    return -1;
  set->orders[set->count++] = pgopt_arena_copy(&b->sets->arena, order, bytes);
  b->has_grown = true;
  return (int)set->count - 1;
}

static const int *order_of(const builder *b, int value) {
  return b->known[value] ? b->known[value] : b->declared.orders[value];
}

static void know(builder *b, int value, const int *order) {
  if (b->known[value])
    return;
  b->known[value] = pgopt_arena_copy(
      &b->sets->arena, order, b->axes->values[value].count * sizeof *order);
  PGOPT_APPEND(b->reached, b->reached_count, b->reached_capacity, value);
}

static void forget(builder *b) {
  for (size_t i = 0; i < b->reached_count; ++i)
    b->known[b->reached[i]] = NULL;
  b->reached_count = 0;
}

static bool carries(pgopt_axes_role role) {
  return role >= PGOPT_AXES_ALIAS && role != PGOPT_AXES_CONTRACT &&
         role != PGOPT_AXES_WINDOW;
}

/// Hands the order of slot `from` on to slot `to`.
static void carry(builder *b, int number, size_t from, size_t to) {
  const pgopt_op *op = &b->n->ops[number];
  int value = pgopt_slot_value(op, to), order[PGOPT_MAX_AXES];
  if (!b->axes->ops[number].slots[to] || b->known[value] ||
      !(is_stored(b, value) || is_packable(b, value)))
    return;
  pgopt_carry_order(&b->declared, (size_t)number, from,
                    b->known[pgopt_slot_value(op, from)], to, order);
  know(b, value, order);
}

static void spread_through(builder *b, int value, int number) {
  const pgopt_op *op = &b->n->ops[number];
  const pgopt_op_axes *axes = &b->axes->ops[number];
  for (size_t from = 0;
       axes->role >= PGOPT_AXES_ALIAS && from < pgopt_all_slot_count(op);
       ++from) {
    if (pgopt_slot_value(op, from) != value || !axes->slots[from])
      continue;
    for (size_t to = 0; carries(axes->role) && to < pgopt_all_slot_count(op);
         ++to)
      carry(b, number, from, to);
    /* Accumulators and their result go together. */
    if (!carries(axes->role) && from >= op->operand_count &&
        from < pgopt_slot_count(op))
      carry(b, number, from, from - op->result_count);
    else if (!carries(axes->role) && from >= op->input_count &&
             from < op->operand_count)
      carry(b, number, from, from + op->result_count);
  }
}

/// Spreads what is known through the kernel's operations.
static void spread(builder *b, int kernel, size_t first) {
  for (size_t i = first; i < b->reached_count; ++i) {
    int value = b->reached[i];
    const pgopt_value *v = &b->n->values[value];
    if (v->producer >= 0 && is_in(b, v->producer, kernel))
      spread_through(b, value, v->producer);
    for (size_t u = 0; u < v->user_count; ++u)
      if (is_in(b, v->users[u], kernel))
        spread_through(b, value, v->users[u]);
  }
}

/// True when the operation's values stand as it wants them to.
static bool op_agrees(const builder *b, int number) {
  const pgopt_op *op = &b->n->ops[number];
  const pgopt_op_axes *axes = &b->axes->ops[number];
  bool agrees = true;
  for (size_t s = 0; s < pgopt_all_slot_count(op); ++s) {
    int value = pgopt_slot_value(op, s);
    bool moved = value >= 0 && b->known[value] &&
                 memcmp(b->known[value], b->declared.orders[value],
                        b->axes->values[value].count * sizeof **b->known) != 0;
    bool is_result = s >= op->operand_count && s < pgopt_slot_count(op);
    if (moved && (axes->role < PGOPT_AXES_ALIAS || !axes->slots[s] ||
                  (is_result && b->axes->values[value].is_fixed)))
      return false;
  }
  pgopt_layout_tie *ties =
      pgopt_allocate(pgopt_all_slot_count(op), sizeof *ties);
  size_t count = pgopt_op_ties(&b->declared, (size_t)number, ties);
  for (size_t i = 0; i < count; ++i)
    agrees = agrees &&
             pgopt_tie_holds(&b->declared, (size_t)number, &ties[i],
                             order_of(b, pgopt_slot_value(op, ties[i].left)),
                             order_of(b, pgopt_slot_value(op, ties[i].right)));
  free(ties);
  return agrees;
}

static bool all_agree(const builder *b, const pgopt_layout_kernel *kernel) {
  for (size_t i = 0; i < kernel->op_count; ++i)
    if (!op_agrees(b, kernel->ops[i]))
      return false;
  return true;
}

static bool only_renames(const builder *b, const pgopt_layout_kernel *kernel) {
  for (size_t i = 0; i < kernel->op_count; ++i) {
    pgopt_axes_role role = b->axes->ops[kernel->ops[i]].role;
    if (role != PGOPT_AXES_ALIAS && role != PGOPT_AXES_REGROUP &&
        role != PGOPT_AXES_SOURCE)
      return false;
  }
  return true;
}

/// What the candidate decides: values of the kernel and its parameters.
static void list_placed(builder *b, int kernel, pgopt_layout_candidate *c) {
  pgopt_placed_value *placed =
      pgopt_arena_allocate(&b->sets->arena, b->reached_count, sizeof *placed);
  for (size_t i = 0; i < b->reached_count; ++i) {
    int value = b->reached[i], producer = b->n->values[value].producer;
    if (producer < 0 ? is_packable(b, value) : is_in(b, producer, kernel))
      placed[c->placed_count++] = (pgopt_placed_value){value, b->known[value]};
  }
  c->placed = placed;
}

static bool is_packed(const builder *b, int value, const int *order) {
  return b->n->values[value].producer < 0 && is_packable(b, value) &&
         memcmp(order, b->declared.orders[value],
                b->axes->values[value].count * sizeof *order) != 0;
}

/// True when the candidate has the parameters packed as is known now.
static bool packs_alike(const builder *b, const pgopt_layout_candidate *c) {
  int packed = 0;
  for (size_t i = 0; i < c->placed_count; ++i) {
    int value = c->placed[i].value;
    if (!is_packed(b, value, c->placed[i].order))
      continue;
    if (memcmp(c->placed[i].order, order_of(b, value),
               b->axes->values[value].count * sizeof **b->known) != 0)
      return false;
    ++packed;
  }
  for (size_t i = 0; i < b->reached_count; ++i)
    packed -= is_packed(b, b->reached[i], b->known[b->reached[i]]);
  return packed == 0;
}

/// Makes a candidate of what is known; one that there is already is dropped.
static void add_candidate(builder *b, int kernel, bool must_agree) {
  pgopt_kernel_layouts *l = &b->sets->layouts[kernel];
  size_t count = l->operand_count + l->result_count;
  pgopt_layout_candidate *all =
      b->candidates + (size_t)kernel * PGOPT_MAX_LAYOUT_CANDIDATES;
  if (l->candidate_count == PGOPT_MAX_LAYOUT_CANDIDATES)
    return;
  bool agrees = all_agree(b, &b->sets->kernels[kernel]);
  if (must_agree && !agrees)
    return;
  int *layouts = pgopt_arena_allocate(&b->sets->arena, count, sizeof *layouts);
  for (size_t i = 0; i < count; ++i) {
    int value = i < l->operand_count ? l->operands[i]
                                     : l->results[i - l->operand_count];
    layouts[i] = add_order(b, value, order_of(b, value));
    if (layouts[i] < 0)
      return;
  }
  for (size_t c = 0; c < l->candidate_count; ++c)
    if (!memcmp(all[c].layouts, layouts, count * sizeof *layouts) &&
        packs_alike(b, &all[c]))
      return;
  pgopt_layout_candidate *added = &all[l->candidate_count++];
  *added = (pgopt_layout_candidate){
      .layouts = layouts,
      .is_free = agrees && only_renames(b, &b->sets->kernels[kernel])};
  list_placed(b, kernel, added);
}

/// Fills in what a product wants of values that are not known yet.
/// \param is_last parameters too, whose orders follow from all others.
static void complete_core(builder *b, int kernel, bool is_last) {
  int core = b->sets->kernels[kernel].core;
  const pgopt_op *op = &b->n->ops[core];
  if (b->axes->ops[core].role != PGOPT_AXES_CONTRACT)
    return;
  size_t slots[] = {0, 1, op->operand_count};
  for (int i = 0; i < 3; ++i) {
    int value = pgopt_slot_value(op, slots[i]), order[PGOPT_MAX_AXES];
    bool is_parameter = is_packable(b, value);
    if (b->known[value] || b->declared.is_free[value] ||
        (is_argument_parameter(b, value) && !is_parameter))
      continue;
    bool follows =
        is_parameter
            ? is_last && pgopt_parameter_order(&b->declared, (size_t)core,
                                               slots[i], b->known, order)
            : pgopt_follow_product(&b->declared, (size_t)core, slots[i],
                                   b->known, order);
    if (follows) {
      size_t first = b->reached_count;
      know(b, value, order);
      spread(b, kernel, first);
    }
  }
}

typedef struct seed {
  int value;
  const int *order;
} seed;

static void grow(builder *b, int kernel, const seed *seeds, size_t count) {
  for (size_t i = 0; i < count; ++i)
    know(b, seeds[i].value, seeds[i].order);
  spread(b, kernel, 0);
  complete_core(b, kernel, false);
  complete_core(b, kernel, true);
  add_candidate(b, kernel, true);
  forget(b);
}

/// A convolution's images with channels first, last, and in blocks, where they
/// are cut.
static void grow_window(builder *b, int kernel) {
  const pgopt_image_layout layouts[] = {{PGOPT_IMAGE_NCHW, 0},
                                        {PGOPT_IMAGE_NHWC, 0},
                                        {PGOPT_IMAGE_BLOCKED, b->axes->block}};
  size_t layout_count = b->axes->block ? 3 : 2;
  int core = b->sets->kernels[kernel].core;
  const pgopt_op *op = &b->n->ops[core];
  for (size_t l = 0; l < layout_count; ++l) {
    int orders[3][PGOPT_MAX_AXES];
    size_t slots[] = {0, 1, op->operand_count}, count = 0;
    seed seeds[3];
    for (int i = 0; i < 3; ++i) {
      int value = pgopt_slot_value(op, slots[i]);
      if (value < 0 || !(is_stored(b, value) || is_packable(b, value)) ||
          !pgopt_image_order(b->axes, (size_t)core, slots[i], layouts[l],
                             b->declared.orders[value], orders[i]))
        continue;
      seeds[count++] = (seed){value, orders[i]};
    }
    if (count)
      grow(b, kernel, seeds, count);
  }
}

/// Products of two values that are computed: every combination of the orders
/// that the three matrices have around it, of which none must be gathered.
static void grow_product(builder *b, int kernel) {
  int core = b->sets->kernels[kernel].core;
  const pgopt_op *op = &b->n->ops[core];
  int values[] = {op->operands[0], op->operands[1], op->results[0]};
  const pgopt_layout_set *sets[3];
  for (int i = 0; i < 3; ++i)
    sets[i] = &b->sets->sets[values[i]];
  for (size_t r = 0; r < sets[2]->count; ++r)
    for (size_t i = 0; i < sets[0]->count; ++i)
      for (size_t k = 0; k < sets[1]->count; ++k) {
        const seed seeds[] = {{values[0], sets[0]->orders[i]},
                              {values[1], sets[1]->orders[k]},
                              {values[2], sets[2]->orders[r]}};
        const int *orders[] = {seeds[0].order, seeds[1].order, seeds[2].order};
        if (!pgopt_product_gathers(&b->declared, (size_t)core, orders))
          grow(b, kernel, seeds, 3);
      }
}

/// Lets the orders of a value that stands at the kernel's edge reach those
/// inside, whose sets a product combines.
static void offer(builder *b, int kernel, int value, const int *order) {
  know(b, value, order);
  spread(b, kernel, 0);
  for (size_t i = 0; i < b->reached_count; ++i)
    if (is_stored(b, b->reached[i]))
      add_order(b, b->reached[i], b->known[b->reached[i]]);
  forget(b);
}

static void grow_kernel(builder *b, int kernel) {
  const pgopt_kernel_layouts *l = &b->sets->layouts[kernel];
  int core = b->sets->kernels[kernel].core;
  const pgopt_op *op = &b->n->ops[core];
  pgopt_axes_role role = b->axes->ops[core].role;
  if (role < PGOPT_AXES_ALIAS)
    return;
  if (role == PGOPT_AXES_WINDOW) {
    grow_window(b, kernel);
    return;
  }
  bool combines =
      role == PGOPT_AXES_CONTRACT && is_stored(b, op->operands[0]) &&
      is_stored(b, op->operands[1]) && op->operands[0] != op->operands[1];
  for (size_t i = 0; i < l->operand_count + l->result_count; ++i) {
    int value = i < l->operand_count ? l->operands[i]
                                     : l->results[i - l->operand_count];
    for (size_t k = 0; k < b->sets->sets[value].count; ++k) {
      const seed one = {value, b->sets->sets[value].orders[k]};
      if (combines)
        offer(b, kernel, one.value, one.order);
      else
        grow(b, kernel, &one, 1);
    }
  }
  if (combines)
    grow_product(b, kernel);
}

static void append_value(int *values, size_t *count, int value) {
  for (size_t i = 0; i < *count; ++i)
    if (values[i] == value)
      return;
  values[(*count)++] = value;
}

static bool is_read_outside(const builder *b, int value, int kernel) {
  const pgopt_value *v = &b->n->values[value];
  for (size_t u = 0; u < v->user_count; ++u)
    if (!is_in(b, v->users[u], kernel))
      return true;
  return false;
}

/// What the kernel reads and writes.
static void find_edge(builder *b, int kernel) {
  const pgopt_layout_kernel *k = &b->sets->kernels[kernel];
  pgopt_kernel_layouts *l = &b->sets->layouts[kernel];
  size_t slots = 0;
  for (size_t i = 0; i < k->op_count; ++i)
    slots += pgopt_all_slot_count(&b->n->ops[k->ops[i]]);
  int *operands = pgopt_allocate(slots, sizeof *operands);
  int *results = pgopt_allocate(slots, sizeof *results);
  for (size_t i = 0; i < k->op_count; ++i) {
    const pgopt_op *op = &b->n->ops[k->ops[i]];
    for (size_t s = 0; s < pgopt_all_slot_count(op); ++s) {
      int value = pgopt_slot_value(op, s);
      if (!is_stored(b, value))
        continue;
      bool is_result = s >= op->operand_count && s < pgopt_slot_count(op);
      int producer = b->n->values[value].producer;
      if (is_result && is_read_outside(b, value, kernel))
        append_value(results, &l->result_count, value);
      else if (!is_result && (producer < 0 || !is_in(b, producer, kernel)))
        append_value(operands, &l->operand_count, value);
    }
  }
  pgopt_arena *arena = &b->sets->arena;
  l->operands =
      pgopt_arena_copy(arena, operands, l->operand_count * sizeof *operands);
  l->results =
      pgopt_arena_copy(arena, results, l->result_count * sizeof *results);
  free(operands);
  free(results);
}

/// What no kernel but something else reads.
static void find_returned(builder *b) {
  for (size_t i = 0; i < b->n->op_count; ++i) {
    const pgopt_op *op = &b->n->ops[i];
    for (size_t s = 0; b->owner[i] < 0 && s < pgopt_all_slot_count(op); ++s)
      if (pgopt_slot_value(op, s) >= 0)
        b->sets->is_returned[pgopt_slot_value(op, s)] = true;
  }
}

static void prepare(builder *b) {
  pgopt_layout_sets *s = b->sets;
  size_t ops = b->n->op_count, values = b->n->value_count;
  b->owner = pgopt_allocate(ops, sizeof *b->owner);
  b->known = pgopt_allocate(values, sizeof *b->known);
  memset(b->owner, 0xff, ops * sizeof *b->owner);
  pgopt_assignment_init(b->axes, (pgopt_image_layout){PGOPT_IMAGE_DECLARED, 0},
                        &b->declared);
  s->sets = pgopt_arena_allocate(&s->arena, values, sizeof *s->sets);
  s->is_returned =
      pgopt_arena_allocate(&s->arena, values, sizeof *s->is_returned);
  s->layouts =
      pgopt_arena_allocate(&s->arena, s->kernel_count, sizeof *s->layouts);
  b->candidates = pgopt_arena_allocate(
      &s->arena, s->kernel_count * PGOPT_MAX_LAYOUT_CANDIDATES,
      sizeof *b->candidates);
  for (size_t v = 0; v < values; ++v)
    if (is_stored(b, (int)v))
      add_order(b, (int)v, b->declared.orders[v]);
  for (size_t k = 0; k < s->kernel_count; ++k)
    for (size_t i = 0; i < s->kernels[k].op_count; ++i)
      if (b->owner[s->kernels[k].ops[i]] < 0)
        b->owner[s->kernels[k].ops[i]] = (int)k;
  find_returned(b);
  for (size_t k = 0; k < s->kernel_count; ++k) {
    find_edge(b, (int)k);
    s->layouts[k].candidates = b->candidates + k * PGOPT_MAX_LAYOUT_CANDIDATES;
    add_candidate(b, (int)k, false);
  }
}

void pgopt_layout_sets_find(const pgopt_axes *axes,
                            const pgopt_layout_kernel *kernels, size_t count,
                            pgopt_layout_sets *sets) {
  *sets = (pgopt_layout_sets){
      .axes = axes, .kernels = kernels, .kernel_count = count};
  builder b = {.sets = sets, .axes = axes, .n = axes->network};
  prepare(&b);
  b.has_grown = true;
  for (int sweep = 0; b.has_grown && sweep < MAX_SWEEPS; ++sweep) {
    b.has_grown = false;
    for (size_t i = 0; i < count; ++i)
      grow_kernel(&b, (int)(sweep % 2 ? count - 1 - i : i));
  }
  pgopt_assignment_free(&b.declared);
  free(b.owner);
  free(b.known);
  free(b.reached);
}

void pgopt_layout_sets_free(pgopt_layout_sets *sets) {
  pgopt_arena_free(&sets->arena);
  *sets = (pgopt_layout_sets){0};
}

void pgopt_order_append_name(const pgopt_axes *axes, int value,
                             const int *order, pgopt_text *text) {
  const pgopt_value_axes *v = &axes->values[value];
  for (size_t k = 0; k < v->count; ++k) {
    int axis = order[k], dim = v->dims[axis], factor = 0, factors = 0;
    for (size_t i = 0; i < v->count; ++i) {
      factors += v->dims[i] == dim;
      factor += v->dims[i] == dim && (int)i < axis;
    }
    pgopt_text_append(text, "%s%c", k ? "." : "", 'a' + dim % 26);
    if (factors > 1)
      pgopt_text_append(text, "%d", factor);
  }
  if (!v->count)
    pgopt_text_append(text, "scalar");
}
