/// \file A network on tensors as the search for layouts sees it.
#include "pricing/layout_network.h"

#include "dialect_c/attributes.h"
#include "grouping/kernel_plan.h"
#include "ir/apply_layouts.h"
#include "ir/ir.h"
#include "mlir-c/AffineExpr.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static MlirLogicalResult read_groups(MlirOperation entry,
                                     pgopt_layout_network *n) {
  pgopt_error error = {0};
  if (mlirLogicalResultIsFailure(pgopt_read_network(entry, &n->ir)))
    return mlirLogicalResultFailure();
  return pgopt_group_network(&n->ir.network, true, &n->grouping, &error)
             ? pgopt_emit_error(entry, "%s", error.message)
             : mlirLogicalResultSuccess();
}

/// True for an operation whose result has to be stored, though every kernel
/// that reads it makes it anew: zeros around an image, and views of them.
static bool is_made_anew(const pgopt_network *n, int op) {
  const pgopt_op *o = &n->ops[op];
  if (o->kind == PGOPT_OP_MOVE)
    return true;
  int source = o->kind == PGOPT_OP_VIEW && o->operands[0] >= 0
                   ? n->values[o->operands[0]].producer
                   : -1;
  return source >= 0 && is_made_anew(n, source);
}

/// Repeats such an operation in front of itself for one group.
static void repeat(pgopt_layout_network *n, const pgopt_group *group, int op) {
  MlirOperation copy = mlirOperationClone(n->ir.ops[op]);
  MlirValue old = pgopt_result(n->ir.ops[op]);
  mlirBlockInsertOwnedOperationAfter(mlirOperationGetBlock(n->ir.ops[op]),
                                     n->ir.ops[op], copy);
  for (int list = 0; list < 2; ++list) {
    const int *ops = list ? group->attached : group->members;
    size_t count = list ? group->attached_count : group->member_count;
    for (size_t i = 0; i < count; ++i)
      for (intptr_t k = 0; k < mlirOperationGetNumOperands(n->ir.ops[ops[i]]);
           ++k)
        if (mlirValueEqual(mlirOperationGetOperand(n->ir.ops[ops[i]], k), old))
          mlirOperationSetOperand(n->ir.ops[ops[i]], k, pgopt_result(copy));
  }
}

/// \returns whether anything was repeated: then the network is stale.
static bool split_shared(pgopt_layout_network *n) {
  int *first = pgopt_allocate(n->ir.network.op_count, sizeof *first);
  bool changed = false;
  for (size_t g = 0; g < n->grouping.group_count; ++g) {
    const pgopt_group *group = &n->grouping.groups[g];
    for (size_t i = 0; i < group->attached_count; ++i) {
      int op = group->attached[i];
      if (!is_made_anew(&n->ir.network, op) || first[op]++ == 0)
        continue;
      repeat(n, group, op);
      changed = true;
      break; /* a view behind it is of another one then */
    }
  }
  free(first);
  return changed;
}

/// Lists kernels and views in an order that respects dependencies.
typedef struct lister {
  pgopt_layout_network *n;
  bool *listed; ///< one an op: it is of a kernel that is listed
  int *groups;
  size_t capacity, group_capacity, group_count;
} lister;

static void append(lister *l, pgopt_layout_kernel kernel, int group) {
  PGOPT_APPEND(l->n->kernels, l->n->kernel_count, l->capacity, kernel);
  PGOPT_APPEND(l->groups, l->group_count, l->group_capacity, group);
}

static bool is_view_between(const pgopt_network *n, int op) {
  return n->ops[op].kind == PGOPT_OP_VIEW && pgopt_op_is_between(n, op);
}

static void list_view(lister *l, int op) {
  const pgopt_network *n = &l->n->ir.network;
  if (l->listed[op])
    return;
  l->listed[op] = true;
  int source = n->ops[op].operands[0] < 0
                   ? -1
                   : n->values[n->ops[op].operands[0]].producer;
  if (source >= 0 && is_view_between(n, source))
    list_view(l, source);
  append(l,
         (pgopt_layout_kernel){pgopt_arena_copy(&l->n->arena, &op, sizeof op),
                               1, op},
         -1);
}

static void list_group(lister *l, int g) {
  const pgopt_network *n = &l->n->ir.network;
  pgopt_kernel_plan plan =
      pgopt_plan_kernel(n, &l->n->grouping, (size_t)g, &l->n->arena);
  for (size_t i = 0; i < plan.input_count; ++i) {
    int producer = n->values[plan.inputs[i]].producer;
    if (producer >= 0 && is_view_between(n, producer))
      list_view(l, producer);
  }
  append(l,
         (pgopt_layout_kernel){plan.ops, plan.op_count,
                               l->n->grouping.groups[g].core},
         g);
}

static void list_kernels(pgopt_layout_network *n) {
  lister l = {.n = n};
  l.listed = pgopt_allocate(n->ir.network.op_count, sizeof *l.listed);
  for (size_t g = 0; g < n->grouping.group_count; ++g)
    list_group(&l, (int)g);
  for (size_t i = 0; i < n->ir.network.op_count; ++i)
    if (is_view_between(&n->ir.network, (int)i))
      list_view(&l, (int)i);
  n->groups =
      pgopt_arena_copy(&n->arena, l.groups, l.group_count * sizeof *l.groups);
  free(l.groups);
  free(l.listed);
}

static void label_kernels(pgopt_layout_network *n) {
  char label[32];
  for (size_t k = 0; k < n->kernel_count; ++k) {
    if (n->groups[k] < 0)
      continue;
    const pgopt_group *group = &n->grouping.groups[n->groups[k]];
    snprintf(label, sizeof label, "k%zu", k);
    for (size_t i = 0; i < group->member_count; ++i)
      pgopt_set_text(n->ir.ops[group->members[i]], PGOPT_KERNEL, label);
  }
}

MlirLogicalResult pgopt_layout_network_open(MlirOperation entry,
                                            bool packs_parameters,
                                            int64_t block,
                                            pgopt_layout_network *n) {
  *n = (pgopt_layout_network){.entry = entry};
  if (mlirLogicalResultIsFailure(read_groups(entry, n)))
    return mlirLogicalResultFailure();
  while (split_shared(n)) {
    pgopt_grouping_free(&n->grouping);
    pgopt_ir_network_free(&n->ir);
    if (mlirLogicalResultIsFailure(read_groups(entry, n)))
      return mlirLogicalResultFailure();
  }
  list_kernels(n);
  label_kernels(n);
  n->unmovable = pgopt_unmovable_values(&n->ir);
  pgopt_axes_build(&n->ir.network, n->unmovable, packs_parameters, block,
                   &n->axes);
  pgopt_layout_sets_find(&n->axes, n->kernels, n->kernel_count, &n->sets);
  return mlirLogicalResultSuccess();
}

void pgopt_layout_network_close(pgopt_layout_network *n) {
  pgopt_layout_sets_free(&n->sets);
  pgopt_axes_free(&n->axes);
  pgopt_grouping_free(&n->grouping);
  pgopt_ir_network_free(&n->ir);
  pgopt_arena_free(&n->arena);
  free(n->unmovable);
  free(n->kernels);
  *n = (pgopt_layout_network){0};
}

void pgopt_label_changes(MlirOperation entry) {
  size_t count, next = 0;
  MlirOperation *ops = pgopt_block_ops(pgopt_function_body(entry), &count);
  for (size_t i = 0; i < count; ++i) {
    char label[32];
    if (!pgopt_op_is(ops[i], "linalg.transpose") ||
        !mlirAttributeIsNull(pgopt_get(ops[i], PGOPT_KERNEL)))
      continue;
    snprintf(label, sizeof label, "t%zu", next++);
    pgopt_set_text(ops[i], PGOPT_KERNEL, label);
  }
  free(ops);
}

/// The kernel reads the value in that order, wherever it does.
static void assign_reads(const pgopt_layout_network *n,
                         const pgopt_layout_kernel *kernel, int value,
                         const int *order, pgopt_arena *arena,
                         const int ***reads) {
  for (size_t i = 0; i < kernel->op_count; ++i) {
    const pgopt_op *op = &n->ir.network.ops[kernel->ops[i]];
    const int ***of_op = &reads[kernel->ops[i]];
    for (size_t s = 0; s < pgopt_all_slot_count(op); ++s) {
      bool is_result = s >= op->operand_count && s < pgopt_slot_count(op);
      if (is_result || pgopt_slot_value(op, s) != value)
        continue;
      if (!*of_op)
        *of_op = pgopt_arena_allocate(arena, pgopt_all_slot_count(op),
                                      sizeof **of_op);
      (*of_op)[s] = order;
    }
  }
}

void pgopt_choice_assign(const pgopt_layout_network *n, const int *choice,
                         pgopt_arena *arena, pgopt_assignment *a) {
  pgopt_assignment_init(&n->axes, (pgopt_image_layout){PGOPT_IMAGE_DECLARED, 0},
                        a);
  const int ***reads =
      pgopt_arena_allocate(arena, n->ir.network.op_count, sizeof *reads);
  for (size_t k = 0; k < n->kernel_count; ++k) {
    const pgopt_kernel_layouts *l = &n->sets.layouts[k];
    const pgopt_layout_candidate *c = &l->candidates[choice[k]];
    for (size_t i = 0; i < c->placed_count; ++i)
      memcpy(a->orders[c->placed[i].value], c->placed[i].order,
             n->axes.values[c->placed[i].value].count *
                 sizeof *c->placed[i].order);
    for (size_t i = 0; i < l->operand_count; ++i)
      assign_reads(n, &n->kernels[k], l->operands[i],
                   n->sets.sets[l->operands[i]].orders[c->layouts[i]], arena,
                   reads);
  }
  a->reads = (const int *const **)reads;
}

MlirAttribute pgopt_order_map(const pgopt_layout_network *n, int value,
                              const int *order) {
  MlirContext c = mlirOperationGetContext(n->entry);
  const pgopt_value_axes *v = &n->axes.values[value];
  const pgopt_type *type = &n->ir.network.values[value].type;
  MlirAffineExpr results[PGOPT_MAX_AXES];
  for (size_t k = 0; k < v->count; ++k) {
    int axis = order[k];
    int64_t step = 1;
    for (size_t i = (size_t)axis + 1; i < v->count; ++i)
      step *= v->dims[i] == v->dims[axis] ? v->extents[i] : 1;
    MlirAffineExpr e = mlirAffineDimExprGet(c, v->dims[axis]);
    if (step > 1)
      e = mlirAffineFloorDivExprGet(e, mlirAffineConstantExprGet(c, step));
    if (step * v->extents[axis] < type->extents[v->dims[axis]])
      e = mlirAffineModExprGet(e,
                               mlirAffineConstantExprGet(c, v->extents[axis]));
    results[k] = e;
  }
  return mlirAffineMapAttrGet(mlirAffineMapGet(c, (intptr_t)type->rank, 0,
                                               (intptr_t)v->count, results));
}

MlirLogicalResult pgopt_choice_apply(const pgopt_layout_network *n,
                                     const int *choice,
                                     MlirOperation function) {
  pgopt_ir_network ir;
  pgopt_assignment assignment;
  pgopt_arena arena = {0};
  pgopt_applied applied;
  if (mlirLogicalResultIsFailure(pgopt_read_network(function, &ir)))
    return mlirLogicalResultFailure();
  pgopt_choice_assign(n, choice, &arena, &assignment);
  pgopt_apply_layouts(function, &ir, &assignment, &applied);
  pgopt_assignment_free(&assignment);
  pgopt_arena_free(&arena);
  pgopt_ir_network_free(&ir);
  pgopt_label_changes(function);
  return mlirLogicalResultSuccess();
}
