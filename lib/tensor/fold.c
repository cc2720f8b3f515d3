/// \file What of a tensor program remains: data of known tensors on demand,
/// dead nodes, and nodes that are cheap to compute once and for all.
#include "tensor/evaluate.h"

#include <stdlib.h>

/// Scalar operations that one node may cost an importer: about a second.
static const double max_work = 3e7;
/// Elements that moving or rearranging data may make at import: this many, or a
/// few times what the model brings along, so that small files stay cheap.
static const double max_moved = 1 << 22;
enum { GROWTH = 4 };

static bool is_cheap(const pgopt_tensor_program *p, const pgopt_node *node) {
  double work = pgopt_node_work(p, node), most = max_moved;
  if (node->kind == PGOPT_NODE_NEST && node->nest->body_count > 1)
    return work <= max_work;
  for (int i = 0; i < node->operand_count; ++i) {
    const pgopt_tensor *t = p->tensors[node->operands[i]];
    if (!t->is_splat && (double)t->count * GROWTH > most)
      most = (double)t->count * GROWTH;
  }
  return work <= most;
}

/// Computes `tensor` and, before it, what it needs. Depth first on a stack of
/// our own: networks may be long chains.
static bool compute(pgopt_tensor_program *p, int tensor) {
  int *stack = NULL;
  size_t count = 0, capacity = 0;
  bool done = true;
  PGOPT_APPEND(stack, count, capacity, tensor);
  while (count && done) {
    const pgopt_tensor *top = p->tensors[stack[count - 1]];
    if (top->data) {
      --count;
      continue;
    }
    const pgopt_node *node = &p->nodes[top->node];
    size_t before = count;
    for (int i = 0; i < node->operand_count; ++i)
      if (!p->tensors[node->operands[i]]->data)
        PGOPT_APPEND(stack, count, capacity, node->operands[i]);
    if (count > before)
      continue;
    if (!is_cheap(p, node)) {
      done = false;
      break;
    }
    pgopt_evaluate_node(p, node);
    --count;
  }
  free(stack);
  return done;
}

const void *pgopt_tensors_data(pgopt_tensor_program *p, int tensor,
                               bool *is_splat) {
  if (tensor < 0 || !p->tensors[tensor]->is_known || !compute(p, tensor))
    return NULL;
  *is_splat = p->tensors[tensor]->is_splat;
  return p->tensors[tensor]->data;
}

const int64_t *pgopt_tensors_read_integers(pgopt_tensor_program *p,
                                           int tensor) {
  bool is_splat;
  const void *data = pgopt_tensors_data(p, tensor, &is_splat);
  if (!data)
    return NULL;
  const pgopt_tensor *t = p->tensors[tensor];
  // A list of parameters, not a tensor that one computes with.
  if (pgopt_number_is_float(t->type) || t->count > 1 << 20)
    return NULL;
  int64_t *values =
      pgopt_arena_allocate(&p->arena, (size_t)t->count + 1, sizeof *values);
  for (int64_t i = 0; i < t->count; ++i)
    values[i] = pgopt_number_read(t->type, data, is_splat ? 0 : i).i;
  return values;
}

void pgopt_tensors_want(pgopt_tensor_program *p, int tensor) {
  char *seen = pgopt_allocate(p->tensor_count, 1);
  int *stack = NULL;
  size_t count = 0, capacity = 0;
  PGOPT_APPEND(stack, count, capacity, tensor);
  seen[tensor] = 1;
  while (count) {
    int at = stack[--count];
    const pgopt_node *node = &p->nodes[p->tensors[at]->node];
    if (node->kind == PGOPT_NODE_INPUT)
      PGOPT_APPEND(p->wanted, p->wanted_count, p->wanted_capacity, at);
    for (int i = 0; i < node->operand_count; ++i)
      if (!seen[node->operands[i]]) {
        seen[node->operands[i]] = 1;
        PGOPT_APPEND(stack, count, capacity, node->operands[i]);
      }
  }
  free(seen);
  free(stack);
}

typedef struct mark_list {
  int *tensors;
  size_t count, capacity;
} mark_list;

static void mark(pgopt_tensor_program *p, mark_list *list, int tensor) {
  if (p->tensors[tensor]->is_live)
    return;
  p->tensors[tensor]->is_live = true;
  PGOPT_APPEND(list->tensors, list->count, list->capacity, tensor);
}

static void mark_yields(pgopt_tensor_program *p, mark_list *list, int block) {
  for (int i = 0; i < p->blocks[block].yield_count; ++i)
    mark(p, list, p->blocks[block].yields[i]);
}

/// A tensor that is only a view of a constant stays one.
static bool is_worth_folding(const pgopt_tensor_program *p, int tensor) {
  const pgopt_tensor *t = p->tensors[tensor];
  if (!t->is_known || t->data)
    return false;
  return p->nodes[t->node].kind != PGOPT_NODE_RESHAPE || t->count <= 16;
}

void pgopt_tensor_program_finish(pgopt_tensor_program *p) {
  if (pgopt_tensors_failed(p))
    return;
  mark_list list = {0};
  for (size_t i = 0; i < p->output_count; ++i)
    mark(p, &list, p->outputs[i]);
  while (list.count) {
    int tensor = list.tensors[--list.count];
    if (is_worth_folding(p, tensor))
      compute(p, tensor);
    if (p->tensors[tensor]->data)
      continue;
    pgopt_node *node = &p->nodes[p->tensors[tensor]->node];
    if (node->is_live)
      continue;
    node->is_live = true;
    for (int i = 0; i < node->operand_count; ++i)
      mark(p, &list, node->operands[i]);
    if (node->kind == PGOPT_NODE_IF || node->kind == PGOPT_NODE_LOOP)
      mark_yields(p, &list, node->blocks[0]);
    if (node->kind == PGOPT_NODE_IF)
      mark_yields(p, &list, node->blocks[1]);
  }
  free(list.tensors);
}
