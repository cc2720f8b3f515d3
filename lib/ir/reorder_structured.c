/// \file Structured operations rebuilt for another order of their operands and
/// results: the maps change, the body stays.
#include "ir/reorder_ops.h"

#include "ir/ir.h"
#include "ir/kept_attributes.h"
#include "ir/tensor_ops.h"
#include "mlir-c/AffineExpr.h"

#include <stdlib.h>
#include <string.h>

enum { ABSENT = -1 };

void pgopt_gather_groups(const pgopt_rewriter *r, size_t number, size_t slot,
                         const int *order, int *result) {
  const pgopt_op *op = &r->ir->network.ops[number];
  const int *groups = r->axes->ops[number].slots[slot];
  size_t count = r->axes->values[pgopt_slot_value(op, slot)].count, next = 0;
  bool taken[PGOPT_MAX_AXES] = {false};
  for (size_t k = 0; k < count; ++k)
    for (size_t j = 0; j < count; ++j)
      if (!taken[j] && groups[j] == groups[order[k]]) {
        result[next++] = (int)j;
        taken[j] = true;
      }
}

void pgopt_store_result(pgopt_rewriter *r, size_t number, size_t result,
                        MlirValue value, int *order, const pgopt_shape *shape) {
  int to = r->ir->network.ops[number].results[result];
  const int *assigned = r->assignment->orders[to];
  pgopt_copy stored = {.order = order, .shape = *shape, .value = value};
  if (!memcmp(order, assigned, r->axes->values[to].count * sizeof *order)) {
    r->stored[to] = (pgopt_stored){.value = value, .shape = *shape};
    return;
  }
  pgopt_copy copy = pgopt_copy_in_order(r, to, &stored, assigned);
  r->stored[to] = (pgopt_stored){.value = copy.value, .shape = copy.shape};
  free(copy.order);
}

void pgopt_find_cuts(const pgopt_rewriter *r, size_t number,
                     const int (*orders)[PGOPT_MAX_AXES], const int *groups,
                     bool *cuts) {
  const pgopt_op *op = &r->ir->network.ops[number];
  const pgopt_op_axes *axes = &r->axes->ops[number];
  for (size_t a = 0; a < axes->axis_count; ++a)
    cuts[a] = a == 0 || groups[a] != groups[a - 1];
  for (size_t s = 0; s < op->operand_count + op->result_count; ++s) {
    if (!axes->slots[s])
      continue;
    size_t count = r->axes->values[pgopt_slot_value(op, s)].count;
    int last = ABSENT;
    bool follows[PGOPT_MAX_AXES] = {false}, here[PGOPT_MAX_AXES] = {false};
    for (size_t k = 0; k < count; ++k) {
      int axis = axes->slots[s][orders[s][k]];
      if (axis == last) /* of a group */
        continue;
      here[axis] = true;
      follows[axis] = last == axis - 1 && last != ABSENT;
      last = axis;
    }
    for (size_t a = 1; a < axes->axis_count; ++a)
      cuts[a] = cuts[a] || (here[a] && !follows[a]);
  }
}

pgopt_shape pgopt_runs(const pgopt_rewriter *r, size_t number, size_t slot,
                       const int *order, const bool *cuts) {
  const pgopt_op *op = &r->ir->network.ops[number];
  const int *slot_axes = r->axes->ops[number].slots[slot];
  size_t count = r->axes->values[pgopt_slot_value(op, slot)].count;
  pgopt_shape shape = {.rank = 0};
  for (size_t k = 0; k < count; ++k) {
    if (k && (slot_axes[order[k]] == slot_axes[order[k - 1]] ||
              !cuts[slot_axes[order[k]]]))
      ++shape.sizes[shape.rank - 1];
    else
      shape.sizes[shape.rank++] = 1;
  }
  return shape;
}

/// One structured op on its way to its new form.
typedef struct rebuild {
  pgopt_rewriter *r;
  size_t number;
  const pgopt_op *op;
  const pgopt_op_axes *axes;
  size_t slot_count;
  int (*orders)[PGOPT_MAX_AXES]; ///< one a slot
  pgopt_shape *shapes;           ///< one a slot
  bool cuts[PGOPT_MAX_AXES];
  int axis_loop[PGOPT_MAX_AXES]; ///< new loop of an axis that begins one
  int *unit_loop; ///< new loop of an old one of extent 1; ABSENT: dropped
  int loop_count;
} rebuild;

static bool is_shaped(const rebuild *b, size_t slot) {
  return b->axes->slots[slot] != NULL;
}

static void choose_orders(rebuild *b) {
  const pgopt_assignment *a = b->r->assignment;
  size_t result = b->op->operand_count;
  for (size_t s = 0; s < b->slot_count; ++s) {
    if (!is_shaped(b, s))
      continue;
    int value = pgopt_slot_value(b->op, s);
    bool is_init = s >= b->op->input_count && s < b->op->operand_count;
    if (is_init)
      value = b->op->results[s - b->op->input_count];
    if (a->is_free[value] && s < b->op->input_count)
      pgopt_carry_order(a, b->number, result, a->orders[b->op->results[0]], s,
                        b->orders[s]);
    else
      pgopt_gather_groups(b->r, b->number, s,
                          is_init ? a->orders[value]
                                  : pgopt_read_order(a, b->number, s),
                          b->orders[s]);
  }
}

/// True for the result of a contraction, and of elementwise ops behind it.
static bool continues_contraction(const rebuild *b, int value) {
  const pgopt_network *n = &b->r->ir->network;
  while (n->values[value].producer >= 0) {
    const pgopt_op *op = &n->ops[n->values[value].producer];
    bool passes = pgopt_op_is_elementwise(op) || op->kind == PGOPT_OP_VIEW;
    if (pgopt_op_is_contraction(op))
      return true;
    if (!passes || !op->operand_count || op->operands[0] < 0)
      return false;
    value = op->operands[0];
  }
  return false;
}

static bool is_read_as_stored(const rebuild *b, size_t slot) {
  int value = b->op->operands[slot];
  return !memcmp(b->orders[slot], b->r->assignment->orders[value],
                 b->r->axes->values[value].count * sizeof **b->orders);
}

/// An elementwise op keeps the dimensions of what a contraction wrote, so that
/// no reshape stands between the two and they become one kernel.
static void keep_dimensions(rebuild *b) {
  if (!pgopt_op_is_elementwise(b->op))
    return;
  for (size_t i = 0; i < b->op->input_count; ++i) {
    int value = b->op->operands[i];
    if (!is_shaped(b, i) || !continues_contraction(b, value) ||
        !is_read_as_stored(b, i))
      continue;
    const pgopt_shape *shape = &b->r->stored[value].shape;
    size_t next = 0;
    for (size_t d = 0; d < shape->rank; next += (size_t)shape->sizes[d++])
      if (shape->sizes[d])
        b->cuts[b->axes->slots[i][b->orders[i][next]]] = true;
  }
}

/// Loops of extent 1 that dimensions of the result run over, in order.
static size_t unit_loops(const rebuild *b, size_t result, int *loops) {
  const pgopt_map *map = &b->op->maps[b->op->input_count + result];
  size_t count = 0;
  for (size_t d = 0; d < map->result_count; ++d) {
    int loop = pgopt_linear_single_loop(&map->results[d], b->op->loop_count);
    if (loop >= 0 && b->op->loop_extents[loop] == 1 &&
        count < PGOPT_MAX_STORED_RANK)
      loops[count++] = loop;
  }
  return count;
}

static size_t count_units(const pgopt_shape *shape) {
  size_t units = 0;
  for (size_t d = 0; d < shape->rank; ++d)
    units += shape->sizes[d] == 0;
  return units;
}

/// True when an input is stored in the result's order and runs, so that the
/// result may take its shape, dimensions of extent 1 included.
static bool can_imitate(const rebuild *b, size_t input, size_t result_slot,
                        const pgopt_shape *runs) {
  int value = b->op->operands[input];
  size_t count = b->r->axes->values[value].count;
  if (!is_shaped(b, input) || b->r->assignment->is_free[value] ||
      !is_read_as_stored(b, input) ||
      count != b->r->axes->values[pgopt_slot_value(b->op, result_slot)].count)
    return false;
  for (size_t k = 0; k < count; ++k)
    if (b->axes->slots[input][b->orders[input][k]] !=
        b->axes->slots[result_slot][b->orders[result_slot][k]])
      return false;
  pgopt_shape compact = pgopt_shape_compact(&b->r->stored[value].shape);
  return pgopt_shape_equal(&compact, runs);
}

static void choose_result_shape(rebuild *b, size_t result) {
  size_t slot = b->op->operand_count + result;
  int value = b->op->results[result], loops[PGOPT_MAX_STORED_RANK];
  size_t units = unit_loops(b, result, loops);
  pgopt_shape runs =
      pgopt_runs(b->r, b->number, slot, b->orders[slot], b->cuts);
  pgopt_shape shape = pgopt_declared_shape(b->r->axes, value);
  pgopt_shape compact = pgopt_shape_compact(&shape);
  bool found = pgopt_value_is_declared(b->r->assignment, value) &&
               pgopt_shape_equal(&compact, &runs) &&
               count_units(&shape) == units;
  for (size_t i = 0; i < b->op->input_count && !found; ++i) {
    if (!can_imitate(b, i, slot, &runs))
      continue;
    shape = b->r->stored[b->op->operands[i]].shape;
    found = count_units(&shape) <= units;
  }
  if (!found) {
    shape = (pgopt_shape){.rank = 0};
    while (shape.rank < units && shape.rank + runs.rank < PGOPT_MAX_STORED_RANK)
      shape.sizes[shape.rank++] = 0;
    for (size_t d = 0; d < runs.rank; ++d)
      shape.sizes[shape.rank++] = runs.sizes[d];
  }
  b->shapes[slot] = b->shapes[b->op->input_count + result] = shape;
}

static void choose_operand_shape(rebuild *b, size_t slot) {
  pgopt_shape runs =
      pgopt_runs(b->r, b->number, slot, b->orders[slot], b->cuts);
  int value = b->op->operands[slot];
  pgopt_shape compact = pgopt_shape_compact(&b->r->stored[value].shape);
  bool as_is = !b->r->assignment->is_free[value] &&
               pgopt_shape_equal(&compact, &runs) && is_read_as_stored(b, slot);
  b->shapes[slot] = as_is ? b->r->stored[value].shape : runs;
}

/// New loops: one for each run of axes, in the old order, and those of extent 1
/// that a result needs.
static void number_loops(rebuild *b) {
  for (size_t l = 0; l < b->op->loop_count; ++l)
    b->unit_loop[l] = ABSENT;
  for (size_t i = 0; i < b->op->result_count; ++i) {
    int loops[PGOPT_MAX_STORED_RANK];
    unit_loops(b, i, loops);
    size_t units = count_units(&b->shapes[b->op->operand_count + i]);
    for (size_t k = 0; k < units; ++k)
      b->unit_loop[loops[k]] = 0;
  }
  size_t axis = 0;
  for (size_t l = 0; l < b->op->loop_count; ++l) {
    if (b->op->loop_extents[l] == 1) {
      if (b->unit_loop[l] != ABSENT)
        b->unit_loop[l] = b->loop_count++;
      continue;
    }
    for (; axis < b->axes->axis_count && b->axes->loops[axis] == (int)l; ++axis)
      b->axis_loop[axis] = b->cuts[axis] ? b->loop_count++ : ABSENT;
  }
}

/// The new loop of an old one that is not split; ABSENT when it is dropped.
static int new_loop(const rebuild *b, int old) {
  if (b->op->loop_extents[old] == 1)
    return b->unit_loop[old];
  for (size_t a = 0; a < b->axes->axis_count; ++a)
    if (b->axes->loops[a] == old)
      return b->axis_loop[a];
  return ABSENT;
}

/// A window's expression in the new loops.
static MlirAffineExpr window_expression(const rebuild *b,
                                        const pgopt_linear *form) {
  MlirContext c = b->r->context;
  MlirAffineExpr sum = mlirAffineConstantExprGet(c, form->constant);
  for (size_t l = 0; l < b->op->loop_count; ++l) {
    int loop = form->coefficients[l] ? new_loop(b, (int)l) : ABSENT;
    if (loop == ABSENT)
      continue;
    MlirAffineExpr term = mlirAffineMulExprGet(
        mlirAffineDimExprGet(c, loop),
        mlirAffineConstantExprGet(c, form->coefficients[l]));
    sum = mlirAffineAddExprGet(sum, term);
  }
  return sum;
}

static MlirAttribute slot_map(const rebuild *b, size_t slot) {
  MlirContext c = b->r->context;
  MlirAffineExpr results[PGOPT_MAX_STORED_RANK];
  size_t rank = 0;
  if (is_shaped(b, slot)) {
    const pgopt_shape *shape = &b->shapes[slot];
    bool is_init = slot >= b->op->input_count;
    int loops[PGOPT_MAX_STORED_RANK];
    size_t next = 0, next_unit = 0;
    if (is_init)
      unit_loops(b, slot - b->op->input_count, loops);
    for (rank = 0; rank < shape->rank; ++rank) {
      if (!shape->sizes[rank]) {
        results[rank] =
            is_init ? mlirAffineDimExprGet(c, b->unit_loop[loops[next_unit++]])
                    : mlirAffineConstantExprGet(c, 0);
        continue;
      }
      int atom = b->orders[slot][next];
      int dim = b->r->axes->values[b->op->operands[slot]].dims[atom];
      const pgopt_linear *form = &b->op->maps[slot].results[dim];
      int axis = b->axes->slots[slot][atom];
      results[rank] = pgopt_linear_single_loop(form, b->op->loop_count) >= 0
                          ? mlirAffineDimExprGet(c, b->axis_loop[axis])
                          : window_expression(b, form);
      next += (size_t)shape->sizes[rank];
    }
  }
  return mlirAffineMapAttrGet(
      mlirAffineMapGet(c, b->loop_count, 0, (intptr_t)rank, results));
}

static MlirAttribute iterators(const rebuild *b) {
  MlirAttribute *list = pgopt_allocate((size_t)b->loop_count + 1, sizeof *list);
  for (size_t l = 0; l < b->op->loop_count; ++l)
    if (b->unit_loop[l] != ABSENT)
      list[b->unit_loop[l]] =
          pgopt_iterator_attribute(b->r->context, b->op->loop_is_reduction[l]);
  for (size_t a = 0; a < b->axes->axis_count; ++a)
    if (b->axis_loop[a] != ABSENT)
      list[b->axis_loop[a]] = pgopt_iterator_attribute(
          b->r->context, b->op->loop_is_reduction[b->axes->loops[a]]);
  MlirAttribute result = mlirArrayAttrGet(b->r->context, b->loop_count, list);
  free(list);
  return result;
}

typedef struct index_walk {
  const rebuild *b;
  MlirOperation *ops;
  size_t count, capacity;
} index_walk;

static MlirWalkResult collect_index(MlirOperation op, void *data) {
  index_walk *walk = data;
  if (pgopt_op_is(op, "linalg.index"))
    PGOPT_APPEND(walk->ops, walk->count, walk->capacity, op);
  return MlirWalkResultAdvance;
}

/// linalg.index of a loop that got another number; of a dropped one it is 0.
static void renumber_indices(const rebuild *b, MlirOperation generic) {
  index_walk walk = {.b = b};
  mlirOperationWalk(generic, collect_index, &walk, MlirWalkPreOrder);
  for (size_t i = 0; i < walk.count; ++i) {
    int loop = new_loop(b, (int)pgopt_op_i64(walk.ops[i], "dim", 0));
    if (loop != ABSENT) {
      mlirOperationSetAttributeByName(walk.ops[i], pgopt_ref("dim"),
                                      pgopt_i64_attribute(b->r->context, loop));
      continue;
    }
    MlirType type = mlirIndexTypeGet(b->r->context);
    MlirNamedAttribute zero =
        pgopt_named(b->r->context, "value", mlirIntegerAttrGet(type, 0));
    pgopt_op_spec spec = {.name = "arith.constant",
                          .location = mlirOperationGetLocation(walk.ops[i]),
                          .result_count = 1,
                          .results = &type,
                          .attribute_count = 1,
                          .attributes = &zero};
    MlirOperation constant = pgopt_build_before(walk.ops[i], &spec);
    mlirValueReplaceAllUsesOfWith(pgopt_result(walk.ops[i]),
                                  pgopt_result(constant));
    mlirOperationDestroy(walk.ops[i]);
  }
  free(walk.ops);
}

/// Gives the new op the old one's body. Named ops may lack the block argument
/// of an init that they do not read.
static void copy_body(const rebuild *b, MlirOperation generic) {
  MlirOperation clone = mlirOperationClone(b->r->ir->ops[b->number]);
  MlirRegion region = mlirOperationGetRegion(generic, 0);
  mlirRegionTakeBody(region, mlirOperationGetRegion(clone, 0));
  mlirOperationDestroy(clone);
  MlirBlock body = mlirRegionGetFirstBlock(region);
  for (size_t i = (size_t)mlirBlockGetNumArguments(body);
       i < b->op->operand_count; ++i) {
    MlirType type = mlirValueGetType(b->r->ir->values[b->op->operands[i]]);
    mlirBlockAddArgument(
        body,
        mlirTypeIsAShaped(type) ? mlirShapedTypeGetElementType(type) : type,
        mlirOperationGetLocation(generic));
  }
}

static MlirOperation build(const rebuild *b, const MlirValue *operands) {
  MlirContext c = b->r->context;
  const pgopt_op *op = b->op;
  MlirAttribute *maps = pgopt_allocate(op->operand_count, sizeof *maps);
  MlirType *types = pgopt_allocate(op->result_count, sizeof *types);
  for (size_t i = 0; i < op->operand_count; ++i)
    maps[i] = slot_map(b, i);
  for (size_t i = 0; i < op->result_count; ++i)
    types[i] = mlirValueGetType(operands[op->input_count + i]);
  int32_t segments[] = {(int32_t)op->input_count,
                        (int32_t)(op->operand_count - op->input_count)};
  MlirNamedAttribute attributes[] = {
      pgopt_named(c, "indexing_maps",
                  mlirArrayAttrGet(c, (intptr_t)op->operand_count, maps)),
      pgopt_named(c, "iterator_types", iterators(b)),
      pgopt_named(c, "operandSegmentSizes",
                  mlirDenseI32ArrayGet(c, 2, segments)),
  };
  pgopt_op_spec spec = {.name = "linalg.generic",
                        .location =
                            mlirOperationGetLocation(b->r->ir->ops[b->number]),
                        .operand_count = op->operand_count,
                        .operands = operands,
                        .result_count = op->result_count,
                        .results = types,
                        .attribute_count = 3,
                        .attributes = attributes,
                        .region_count = 1};
  MlirOperation generic = pgopt_build_before(b->r->before, &spec);
  pgopt_keep_attributes(b->r->ir->ops[b->number], generic, PGOPT_OTHER_ORDER);
  copy_body(b, generic);
  renumber_indices(b, generic);
  free(types);
  free(maps);
  return generic;
}

static MlirValue fetch_operand(const rebuild *b, size_t slot) {
  int value = b->op->operands[slot];
  if (!is_shaped(b, slot))
    return b->r->ir->values[value];
  bool is_init = slot >= b->op->input_count;
  if (is_init && !pgopt_body_reads(b->op, slot))
    return pgopt_make_empty(
        b->r, pgopt_stored_type(b->r, b->op->results[slot - b->op->input_count],
                                b->orders[slot], &b->shapes[slot]));
  return pgopt_fetch(b->r, value, b->orders[slot], &b->shapes[slot]);
}

void pgopt_reorder_structured(pgopt_rewriter *r, size_t number) {
  const pgopt_op *op = &r->ir->network.ops[number];
  rebuild b = {.r = r,
               .number = number,
               .op = op,
               .axes = &r->axes->ops[number],
               .slot_count = op->operand_count + op->result_count};
  b.orders = pgopt_allocate(b.slot_count, sizeof *b.orders);
  b.shapes = pgopt_allocate(b.slot_count, sizeof *b.shapes);
  b.unit_loop = pgopt_allocate(op->loop_count, sizeof *b.unit_loop);
  MlirValue *operands = pgopt_allocate(op->operand_count, sizeof *operands);
  choose_orders(&b);
  pgopt_find_cuts(r, number, (const int(*)[PGOPT_MAX_AXES])b.orders,
                  b.axes->loops, b.cuts);
  keep_dimensions(&b);
  for (size_t i = 0; i < op->result_count; ++i)
    choose_result_shape(&b, i);
  for (size_t i = 0; i < op->input_count; ++i)
    if (is_shaped(&b, i))
      choose_operand_shape(&b, i);
  number_loops(&b);
  for (size_t i = 0; i < op->operand_count; ++i)
    operands[i] = fetch_operand(&b, i);
  MlirOperation generic = build(&b, operands);
  for (size_t i = 0; i < op->result_count; ++i)
    pgopt_store_result(
        r, number, i, mlirOperationGetResult(generic, (intptr_t)i),
        b.orders[op->operand_count + i], &b.shapes[op->operand_count + i]);
  free(operands);
  free(b.unit_loop);
  free(b.shapes);
  free(b.orders);
}
