/// \file Pad, concat, slices and softmax rebuilt for another order of their
/// operands and results.
#include "ir/ir.h"
#include "ir/kept_attributes.h"
#include "ir/reorder_ops.h"
#include "layout/classify_ops.h"

#include <stdlib.h>
#include <string.h>

typedef struct move {
  pgopt_rewriter *r;
  size_t number;
  const pgopt_op *op;
  const pgopt_op_axes *axes;
  size_t slot_count, frame; ///< slot
  int (*orders)[PGOPT_MAX_AXES];
  pgopt_shape *shapes;
  bool cuts[PGOPT_MAX_AXES];
  int frame_dims[PGOPT_MAX_AXES]; ///< declared dimension of each axis
  size_t rank;                    ///< of every slot in the new form
  int dims[PGOPT_MAX_AXES];       ///< declared frame dimension of each new one
  /// Elements of the declared dimension that a step of each new one makes; 0
  /// where another new one has its outermost factor.
  int64_t steps[PGOPT_MAX_AXES];
} move;

/// The frame's axes are numbered along its dimensions.
static void read_frame(move *m) {
  int value = pgopt_slot_value(m->op, m->frame);
  const pgopt_value_axes *v = &m->r->axes->values[value];
  for (size_t a = 0; a < PGOPT_MAX_AXES; ++a)
    m->frame_dims[a] = -1 - (int)a; /* an axis of a dimension of extent 1 */
  for (size_t k = 0; k < v->count; ++k)
    m->frame_dims[m->axes->slots[m->frame][k]] = v->dims[k];
}

static void choose_orders(move *m) {
  const pgopt_assignment *a = m->r->assignment;
  size_t result = m->op->operand_count;
  int order[PGOPT_MAX_AXES];
  pgopt_gather_groups(m->r, m->number, result, a->orders[m->op->results[0]],
                      order);
  for (size_t s = 0; s < m->slot_count; ++s)
    if (m->axes->slots[s])
      pgopt_carry_order(a, m->number, result, order, s, m->orders[s]);
}

static bool in_run(int axis, int first, size_t run) {
  return axis >= first && axis < first + (int)run;
}

/// What a step of the run that begins with axis `first` makes, where that is
/// its dimension's outermost factor; else 0.
static int64_t step_of(const move *m, int first, size_t run) {
  const pgopt_value_axes *v =
      &m->r->axes->values[pgopt_slot_value(m->op, m->frame)];
  int dim = m->frame_dims[first];
  int64_t step = 1;
  for (size_t k = 0; k < v->count; ++k) {
    int axis = m->axes->slots[m->frame][k];
    if (v->dims[k] != dim || in_run(axis, first, run))
      continue;
    if (axis < first)
      return 0;
    step *= v->extents[k];
  }
  return step;
}

/// Every slot gets one dimension for each run of the frame's axes: the run, or
/// one of extent 1 where it has none of it.
static void choose_shapes(move *m) {
  int value = pgopt_slot_value(m->op, m->frame);
  size_t count = m->r->axes->values[value].count;
  for (size_t k = 0; k < count;) {
    int axis = m->axes->slots[m->frame][m->orders[m->frame][k]], last = axis;
    size_t run = 1; /* axes of the op: a group's are one */
    for (++k; k < count; ++k) {
      int next = m->axes->slots[m->frame][m->orders[m->frame][k]];
      if (next != last && m->cuts[next])
        break;
      run += next != last;
      last = next;
    }
    for (size_t s = 0; s < m->slot_count; ++s) {
      if (!m->axes->slots[s])
        continue;
      size_t axes = m->r->axes->values[pgopt_slot_value(m->op, s)].count;
      m->shapes[s].sizes[m->rank] = 0;
      for (size_t j = 0; j < axes; ++j)
        m->shapes[s].sizes[m->rank] += in_run(m->axes->slots[s][j], axis, run);
      m->shapes[s].rank = m->rank + 1;
    }
    m->steps[m->rank] = step_of(m, axis, run);
    m->dims[m->rank++] = m->frame_dims[axis];
  }
}

static MlirType slot_type(const move *m, size_t slot) {
  return pgopt_stored_type(m->r, pgopt_slot_value(m->op, slot), m->orders[slot],
                           &m->shapes[slot]);
}

/// The attribute's values for the new dimensions; those that stay whole take
/// `whole`, or the extent in `type` when it is negative.
static MlirNamedAttribute list_attribute(const move *m, const char *name,
                                         MlirType type, int64_t whole) {
  int64_t values[PGOPT_MAX_AXES];
  pgopt_integer_list old = pgopt_op_integers(m->op, name);
  for (size_t d = 0; d < m->rank; ++d) {
    bool moves = m->steps[d] && !pgopt_move_keeps(&m->r->ir->network, m->op,
                                                  (size_t)m->dims[d]);
    int64_t step = whole == 1 ? 1 : m->steps[d]; /* strides count steps */
    values[d] = moves       ? old.values[m->dims[d]] / step
                : whole < 0 ? mlirShapedTypeGetDimSize(type, (intptr_t)d)
                            : whole;
  }
  return pgopt_named(
      m->r->context, name,
      mlirDenseI64ArrayGet(m->r->context, (intptr_t)m->rank, values));
}

static MlirOperation build_slice(const move *m, const MlirValue *operands) {
  bool extract = m->frame == 0;
  MlirType small = extract ? slot_type(m, 1) : slot_type(m, 0);
  MlirType type = slot_type(m, m->op->operand_count);
  int32_t segments[] = {1, 1, 0, 0, 0};
  MlirNamedAttribute attributes[] = {
      list_attribute(m, "static_offsets", small, 0),
      list_attribute(m, "static_sizes", small, -1),
      list_attribute(m, "static_strides", small, 1),
      pgopt_named(m->r->context, "operandSegmentSizes",
                  extract ? mlirDenseI32ArrayGet(m->r->context, 4,
                                                 (int32_t[]){1, 0, 0, 0})
                          : mlirDenseI32ArrayGet(m->r->context, 5, segments)),
  };
  pgopt_op_spec spec = {.name = m->op->name,
                        .location = mlirOperationGetLocation(m->r->before),
                        .operand_count = m->op->operand_count,
                        .operands = operands,
                        .result_count = 1,
                        .results = &type,
                        .attribute_count = 4,
                        .attributes = attributes};
  return pgopt_build_before(m->r->before, &spec);
}

static MlirOperation build_pad(const move *m, const MlirValue *operands) {
  MlirType type = slot_type(m, 1);
  MlirNamedAttribute attributes[] = {
      list_attribute(m, "static_low", type, 0),
      list_attribute(m, "static_high", type, 0),
      pgopt_named(m->r->context, "operandSegmentSizes",
                  mlirDenseI32ArrayGet(m->r->context, 3, (int32_t[]){1, 0, 0})),
  };
  pgopt_op_spec spec = {.name = m->op->name,
                        .location = mlirOperationGetLocation(m->r->before),
                        .operand_count = 1,
                        .operands = operands,
                        .result_count = 1,
                        .results = &type,
                        .attribute_count = 3,
                        .attributes = attributes,
                        .region_count = 1};
  MlirOperation pad = pgopt_build_before(m->r->before, &spec);
  MlirOperation clone = mlirOperationClone(m->r->ir->ops[m->number]);
  MlirRegion region = mlirOperationGetRegion(pad, 0);
  mlirRegionTakeBody(region, mlirOperationGetRegion(clone, 0));
  mlirOperationDestroy(clone);
  MlirBlock body = mlirRegionGetFirstBlock(region);
  intptr_t rank = mlirBlockGetNumArguments(body);
  for (; rank > (intptr_t)m->rank; --rank)
    mlirBlockEraseArgument(body, (unsigned)rank - 1);
  for (; rank < (intptr_t)m->rank; ++rank)
    mlirBlockAddArgument(body, mlirIndexTypeGet(m->r->context),
                         mlirOperationGetLocation(pad));
  return pad;
}

/// Concat, along `dim`, and softmax, of `dimension`: the only attribute.
static MlirOperation build_along(const move *m, const char *name,
                                 const MlirValue *operands) {
  int64_t declared = pgopt_op_integers(m->op, name).values[0], dim = 0;
  while (m->dims[dim] != declared || !m->steps[dim])
    ++dim;
  MlirType type = slot_type(m, m->op->operand_count);
  MlirNamedAttribute attribute =
      pgopt_named(m->r->context, name, pgopt_i64_attribute(m->r->context, dim));
  pgopt_op_spec spec = {.name = m->op->name,
                        .location = mlirOperationGetLocation(m->r->before),
                        .operand_count = m->op->operand_count,
                        .operands = operands,
                        .result_count = 1,
                        .results = &type,
                        .attribute_count = 1,
                        .attributes = &attribute};
  return pgopt_build_before(m->r->before, &spec);
}

static MlirOperation build(const move *m, const MlirValue *operands) {
  if (!strcmp(m->op->name, "tensor.pad"))
    return build_pad(m, operands);
  if (!strcmp(m->op->name, "tensor.concat"))
    return build_along(m, "dim", operands);
  if (!strcmp(m->op->name, "linalg.softmax"))
    return build_along(m, "dimension", operands);
  return build_slice(m, operands);
}

void pgopt_reorder_move(pgopt_rewriter *r, size_t number) {
  const pgopt_op *op = &r->ir->network.ops[number];
  move m = {.r = r,
            .number = number,
            .op = op,
            .axes = &r->axes->ops[number],
            .slot_count = op->operand_count + op->result_count,
            .frame = pgopt_move_frame(op)};
  m.orders = pgopt_allocate(m.slot_count, sizeof *m.orders);
  m.shapes = pgopt_allocate(m.slot_count, sizeof *m.shapes);
  MlirValue *operands = pgopt_allocate(op->operand_count, sizeof *operands);
  read_frame(&m);
  choose_orders(&m);
  pgopt_find_cuts(r, number, (const int(*)[PGOPT_MAX_AXES])m.orders,
                  m.frame_dims, m.cuts);
  choose_shapes(&m);
  for (size_t i = 0; i < op->operand_count; ++i)
    operands[i] = pgopt_fetch(r, op->operands[i], m.orders[i], &m.shapes[i]);
  MlirOperation built = build(&m, operands);
  pgopt_keep_attributes(r->ir->ops[number], built, PGOPT_OTHER_ORDER);
  pgopt_store_result(r, number, 0, pgopt_result(built),
                     m.orders[op->operand_count], &m.shapes[op->operand_count]);
  free(operands);
  free(m.shapes);
  free(m.orders);
}
