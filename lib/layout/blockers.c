/// \file Why a layout change cannot be removed.
#include "layout/blockers.h"

#include <stdio.h>
#include <stdlib.h>

/// Values looked at: a reason is for a reader, who is near.
enum { MAX_VISITED = 2000 };

typedef struct visit {
  const pgopt_assignment *a;
  const pgopt_network *n;
  bool *seen;
  int *queue;
  size_t count, capacity;
  pgopt_blocker found;
} visit;

static void reach(visit *v, int value) {
  if (v->seen[value] || v->a->is_free[value])
    return;
  v->seen[value] = true;
  PGOPT_APPEND(v->queue, v->count, v->capacity, value);
}

static pgopt_blocker block(pgopt_blocker_kind kind, int op) {
  return (pgopt_blocker){kind, op};
}

/// What an op on the way does to the value: holds it, or passes the question on
/// to the values that move along.
static pgopt_blocker pass(visit *v, int value, int number) {
  const pgopt_op *op = &v->n->ops[number];
  pgopt_axes_role role = v->a->axes->ops[number].role;
  if (op->kind == PGOPT_OP_RETURN)
    return block(PGOPT_BLOCKED_BY_RESULT, number);
  if (role == PGOPT_AXES_FIXED)
    return block(op->kind == PGOPT_OP_VIEW ? PGOPT_BLOCKED_BY_RESHAPE
                                           : PGOPT_BLOCKED_BY_OP,
                 number);
  if (role == PGOPT_AXES_REGROUP)
    return block(PGOPT_BLOCKED_BY_RESHAPE, number);
  if (role == PGOPT_AXES_WINDOW)
    return block(PGOPT_BLOCKED_BY_WINDOW, number);
  pgopt_layout_tie *ties =
      pgopt_allocate(pgopt_all_slot_count(op), sizeof *ties);
  size_t count = pgopt_op_ties(v->a, (size_t)number, ties);
  for (size_t i = 0; i < count; ++i) {
    int left = pgopt_slot_value(op, ties[i].left);
    int right = pgopt_slot_value(op, ties[i].right);
    if ((left != value && right != value) ||
        !pgopt_tie_holds(v->a, (size_t)number, &ties[i], v->a->orders[left],
                         v->a->orders[right]))
      continue;
    reach(v, left);
    reach(v, right);
  }
  free(ties);
  return block(PGOPT_BLOCKED_BY_NOTHING, -1);
}

static pgopt_blocker look(visit *v, int value, int except) {
  const pgopt_value *info = &v->n->values[value];
  if (info->producer < 0 && v->a->axes->values[value].is_fixed)
    return block(PGOPT_BLOCKED_BY_ARGUMENT, -1);
  pgopt_blocker found = block(PGOPT_BLOCKED_BY_NOTHING, -1);
  if (info->producer >= 0 && info->producer != except)
    found = pass(v, value, info->producer);
  for (size_t i = 0; i < info->user_count && !found.kind; ++i)
    if (info->users[i] != except)
      found = pass(v, value, info->users[i]);
  return found;
}

pgopt_blocker pgopt_find_blocker(const pgopt_assignment *a, int value,
                                 int except) {
  visit v = {.a = a, .n = a->axes->network};
  v.seen = pgopt_allocate(v.n->value_count, sizeof *v.seen);
  reach(&v, value);
  pgopt_blocker found = block(PGOPT_BLOCKED_BY_NOTHING, -1);
  for (size_t i = 0; i < v.count && i < MAX_VISITED && !found.kind; ++i)
    found = look(&v, v.queue[i], except);
  free(v.queue);
  free(v.seen);
  return found;
}

void pgopt_blocker_describe(const pgopt_network *network, pgopt_blocker blocker,
                            char *text, size_t size) {
  switch (blocker.kind) {
  case PGOPT_BLOCKED_BY_NOTHING:
    snprintf(text, size, "values that cost more to move");
    break;
  case PGOPT_BLOCKED_BY_ARGUMENT:
    snprintf(text, size, "a function argument");
    break;
  case PGOPT_BLOCKED_BY_RESULT:
    snprintf(text, size, "a function result");
    break;
  case PGOPT_BLOCKED_BY_RESHAPE:
    snprintf(text, size, "reshape '%s'", network->ops[blocker.op].name);
    break;
  case PGOPT_BLOCKED_BY_WINDOW:
    snprintf(text, size, "convolution '%s'", network->ops[blocker.op].name);
    break;
  case PGOPT_BLOCKED_BY_OP:
    snprintf(text, size, "'%s'", network->ops[blocker.op].name);
    break;
  }
}
