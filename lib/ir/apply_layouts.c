/// \file Rewrites a network so that every value is stored as assigned.
#include "ir/apply_layouts.h"

#include "ir/ir.h"
#include "ir/packed_parameters.h"
#include "ir/permute_constant.h"
#include "ir/reorder_ops.h"
#include "ir/stored_values.h"

#include <stdlib.h>
#include <string.h>

_Static_assert((int)PGOPT_MAX_PARAMETER_AXES == (int)PGOPT_MAX_PACKED_RANK,
               "what may be stored in any order can be packed");

bool *pgopt_unmovable_values(const pgopt_ir_network *ir) {
  const pgopt_network *n = &ir->network;
  bool *fixed = pgopt_allocate(n->value_count, sizeof *fixed);
  for (size_t v = 0; v < n->value_count; ++v) {
    MlirType type = mlirValueGetType(ir->values[v]);
    fixed[v] = n->values[v].type.rank > PGOPT_MAX_STORED_RANK / 2 ||
               (mlirTypeIsARankedTensor(type) &&
                !mlirAttributeIsNull(mlirRankedTensorTypeGetEncoding(type)));
  }
  for (size_t i = 0; i < n->op_count; ++i) {
    const pgopt_op *op = &n->ops[i];
    if (strcmp(op->name, "arith.constant") ||
        !n->values[op->results[0]].type.is_shaped)
      continue;
    MlirAttribute value = pgopt_op_attribute(ir->ops[i], "value");
    if (!pgopt_can_permute_constant(value))
      fixed[op->results[0]] = true;
  }
  return fixed;
}

typedef struct capture_walk {
  pgopt_rewriter *r;
  size_t number;
  MlirOperation parent;
  int last; ///< value that was moved last, -1 for none
  MlirValue moved;
} capture_walk;

/// The slot of a read along the op's loops, which can follow the array; -1 for
/// any other operation.
static int gather_slot(const capture_walk *walk, MlirOperation op, int value) {
  const pgopt_op *parent = &walk->r->ir->network.ops[walk->number];
  if (walk->r->axes->ops[walk->number].role < PGOPT_AXES_ALIAS ||
      !pgopt_op_is(op, "tensor.extract"))
    return -1;
  for (size_t s = pgopt_slot_count(parent); s < pgopt_all_slot_count(parent);
       ++s)
    if (pgopt_slot_value(parent, s) == value)
      return walk->r->axes->ops[walk->number].slots[s] ? (int)s : -1;
  return -1;
}

/// tensor.extract of the value as it is stored, one index a stored dimension.
/// Its dimensions are whole, and those of extent 1 are not stored.
static void move_extract(capture_walk *walk, MlirOperation extract, int value,
                         size_t slot) {
  pgopt_rewriter *r = walk->r;
  const pgopt_value_axes *v = &r->axes->values[value];
  const int *order = pgopt_read_order(r->assignment, walk->number, slot);
  pgopt_shape shape = {.rank = v->count};
  MlirValue operands[1 + PGOPT_MAX_AXES];
  for (size_t k = 0; k < v->count; ++k) {
    shape.sizes[k] = 1;
    operands[k + 1] = mlirOperationGetOperand(extract, 1 + v->dims[order[k]]);
  }
  if (walk->last != value)
    walk->moved = pgopt_fetch(r, value, order, &shape);
  walk->last = value;
  operands[0] = walk->moved;
  mlirOperationSetOperands(extract, (intptr_t)v->count + 1, operands);
}

/// Inside regions values are read as they are declared, or element by element.
static MlirWalkResult replace_captures(MlirOperation op, void *data) {
  capture_walk *walk = data;
  if (mlirOperationEqual(op, walk->parent))
    return MlirWalkResultAdvance;
  for (intptr_t i = 0; i < mlirOperationGetNumOperands(op); ++i) {
    int value =
        pgopt_ir_network_value(walk->r->ir, mlirOperationGetOperand(op, i));
    if (value < 0 || !walk->r->axes->values[value].extents)
      continue;
    int slot = i || walk->r->assignment->is_free[value]
                   ? -1
                   : gather_slot(walk, op, value);
    if (slot >= 0 && !pgopt_read_is_declared(walk->r->assignment, walk->number,
                                             (size_t)slot)) {
      move_extract(walk, op, value, (size_t)slot);
      return MlirWalkResultAdvance;
    }
    mlirOperationSetOperand(op, i, pgopt_fetch_declared(walk->r, value));
  }
  return MlirWalkResultAdvance;
}

/// A constant, a fill or empty storage itself, not a transpose of one.
static bool is_made_here(const pgopt_rewriter *r, int value) {
  int producer = r->ir->network.values[value].producer;
  return r->assignment->is_free[value] &&
         r->axes->ops[producer].role != PGOPT_AXES_ALIAS;
}

static void keep(pgopt_rewriter *r, size_t number) {
  const pgopt_op *op = &r->ir->network.ops[number];
  for (size_t i = 0; i < op->operand_count; ++i)
    if (op->operands[i] >= 0 && !is_made_here(r, op->operands[i]))
      mlirOperationSetOperand(r->ir->ops[number], (intptr_t)i,
                              pgopt_fetch_declared(r, op->operands[i]));
}

static bool all_declared(const pgopt_rewriter *r, size_t number) {
  const pgopt_op *op = &r->ir->network.ops[number];
  for (size_t s = 0; s < op->operand_count + op->result_count; ++s) {
    int value = pgopt_slot_value(op, s);
    if (r->axes->ops[number].slots[s] && !r->assignment->is_free[value] &&
        !pgopt_read_is_declared(r->assignment, number, s))
      return false;
  }
  return true;
}

/// The result is the operand under another name, in the result's axes.
static void alias(pgopt_rewriter *r, size_t number) {
  const pgopt_op *op = &r->ir->network.ops[number];
  const pgopt_op_axes *axes = &r->axes->ops[number];
  int from = op->operands[0], to = op->results[0];
  const int *result_axes = axes->slots[op->operand_count];
  const int *order = r->assignment->orders[to];
  size_t count = r->axes->values[to].count;
  int wanted[PGOPT_MAX_AXES];
  for (size_t k = 0; k < count; ++k)
    for (size_t j = 0; j < count; ++j)
      if (axes->slots[0][j] == result_axes[order[k]])
        wanted[k] = (int)j;
  pgopt_shape shape = r->stored[from].shape;
  if (memcmp(wanted, r->assignment->orders[from], count * sizeof *wanted)) {
    /* A copy in the wanted order, of the fewest dimensions. */
    shape = (pgopt_shape){.rank = 0};
    for (size_t k = 0; k < count; ++k)
      shape.sizes[shape.rank++] = 1;
    if (pgopt_value_is_declared(r->assignment, to))
      shape = pgopt_declared_shape(r->axes, to);
  }
  r->stored[to] = (pgopt_stored){.value = pgopt_fetch(r, from, wanted, &shape),
                                 .shape = shape};
}

/// True when the axes of every group follow one another as declared.
static bool keeps_groups(const pgopt_rewriter *r, int value, const int *groups,
                         const int *order) {
  for (size_t k = 0; k < r->axes->values[value].count; ++k) {
    int axis = order[k];
    bool begins = axis == 0 || groups[axis - 1] != groups[axis];
    if (!begins && (k == 0 || order[k - 1] != axis - 1))
      return false;
  }
  return true;
}

/// The result is the operand under another name, in groups of its axes: one
/// dimension a group.
static void regroup(pgopt_rewriter *r, size_t number) {
  const pgopt_op *op = &r->ir->network.ops[number];
  const int *from_groups = r->axes->ops[number].slots[0];
  const int *to_groups = r->axes->ops[number].slots[op->operand_count];
  int from = op->operands[0], to = op->results[0];
  const int *order = r->assignment->orders[to];
  size_t from_count = r->axes->values[from].count;
  size_t to_count = r->axes->values[to].count;
  int wanted[PGOPT_MAX_AXES], whole[PGOPT_MAX_AXES];
  /* A result whose groups are apart is copied from one that has them together.
   */
  bool together = keeps_groups(r, to, to_groups, order);
  if (together)
    memcpy(whole, order, to_count * sizeof *order);
  else
    for (size_t k = 0; k < to_count; ++k)
      whole[k] = (int)k;
  pgopt_carry_order(r->assignment, number, op->operand_count, whole, 0, wanted);
  pgopt_shape shape = {.rank = 0};
  pgopt_copy view = {.order = whole};
  for (size_t k = 0; k < from_count; ++k) {
    if (!k || from_groups[wanted[k]] != from_groups[wanted[k - 1]])
      shape.sizes[shape.rank++] = 0;
    ++shape.sizes[shape.rank - 1];
  }
  for (size_t k = 0; k < to_count; ++k) {
    if (!k || to_groups[whole[k]] != to_groups[whole[k - 1]])
      view.shape.sizes[view.shape.rank++] = 0;
    ++view.shape.sizes[view.shape.rank - 1];
  }
  view.value = pgopt_fetch(r, from, wanted, &shape);
  if (together) {
    r->stored[to] = (pgopt_stored){.value = view.value, .shape = view.shape};
    return;
  }
  pgopt_copy copy = pgopt_copy_in_order(r, to, &view, order);
  r->stored[to] = (pgopt_stored){.value = copy.value, .shape = copy.shape};
  free(copy.order);
}

static bool stays_as_is(const pgopt_rewriter *r, size_t number) {
  const pgopt_op *op = &r->ir->network.ops[number];
  int from = op->operands[0], to = op->results[0];
  if (!all_declared(r, number) ||
      !mlirValueEqual(r->stored[from].value, r->ir->values[from]))
    return false;
  pgopt_layout_tie tie = {0, op->operand_count, false};
  return op->kind == PGOPT_OP_VIEW ||
         !pgopt_tie_holds(r->assignment, number, &tie,
                          r->assignment->orders[from],
                          r->assignment->orders[to]);
}

static void rewrite(pgopt_rewriter *r, size_t number, pgopt_applied *applied) {
  const pgopt_op *op = &r->ir->network.ops[number];
  pgopt_axes_role role = r->axes->ops[number].role;
  r->before = r->ir->ops[number];
  if (op->capture_count) {
    capture_walk walk = {
        .r = r, .number = number, .parent = r->before, .last = -1};
    mlirOperationWalk(r->before, replace_captures, &walk, MlirWalkPreOrder);
  }
  if (role == PGOPT_AXES_ALIAS) {
    if (!r->assignment->is_free[op->results[0]] && !stays_as_is(r, number))
      alias(r, number);
    return;
  }
  if (role == PGOPT_AXES_REGROUP) {
    if (!stays_as_is(r, number))
      regroup(r, number);
    return;
  }
  if (role == PGOPT_AXES_SOURCE)
    return;
  if (role <= PGOPT_AXES_FIXED || all_declared(r, number)) {
    keep(r, number);
    return;
  }
  ++applied->ops_rebuilt;
  if (role == PGOPT_AXES_MOVE)
    pgopt_reorder_move(r, number);
  else
    pgopt_reorder_structured(r, number);
}

static bool is_removable(const pgopt_op *op) {
  switch (op->kind) {
  case PGOPT_OP_STRUCTURED:
  case PGOPT_OP_MOVE:
  case PGOPT_OP_VIEW:
  case PGOPT_OP_CONSTANT:
  case PGOPT_OP_EMPTY:
    return op->result_count > 0;
  default:
    return !strcmp(op->name, "linalg.softmax") && op->result_count;
  }
}

int64_t pgopt_remove_dead(const pgopt_ir_network *ir) {
  int64_t removed = 0;
  for (size_t i = ir->network.op_count; i-- > 0;) {
    const pgopt_op *op = &ir->network.ops[i];
    bool used = false;
    for (size_t k = 0; k < op->result_count; ++k)
      used = used || !mlirOpOperandIsNull(
                         mlirValueGetFirstUse(ir->values[op->results[k]]));
    if (used || !is_removable(op))
      continue;
    mlirOperationDestroy(ir->ops[i]);
    ++removed;
  }
  return removed;
}

/// The function takes the parameter as it is stored: one dimension for each
/// factor of a declared one.
static void pack_parameter(MlirOperation function, pgopt_rewriter *r,
                           int value) {
  const pgopt_type *type = &r->ir->network.values[value].type;
  const pgopt_value_axes *v = &r->axes->values[value];
  const int *order = r->assignment->orders[value];
  int64_t steps[PGOPT_MAX_PARAMETER_AXES];
  pgopt_packing packing = {.rank = type->rank};
  pgopt_shape shape = {.rank = 0};
  for (size_t d = 0; d < type->rank; ++d)
    packing.extents[d] = type->extents[d];
  for (size_t k = v->count; k-- > 0;)
    steps[k] = k + 1 < v->count && v->dims[k + 1] == v->dims[k]
                   ? steps[k + 1] * v->extents[k + 1]
                   : 1;
  for (size_t k = 0; k < v->count; ++k) {
    int axis = order[k];
    pgopt_packed_axis *last = &packing.axes[packing.axis_count];
    if (k && order[k - 1] == axis - 1 && v->dims[axis - 1] == v->dims[axis]) {
      --last;
      last->step = steps[axis];
      last->extent *= v->extents[axis];
      ++shape.sizes[shape.rank - 1];
      continue;
    }
    *last = (pgopt_packed_axis){v->dims[axis], steps[axis], v->extents[axis]};
    ++packing.axis_count;
    shape.sizes[shape.rank++] = 1;
  }
  pgopt_pack_parameter(function, value, &packing);
  r->stored[value].shape = shape;
}

static int64_t pack_parameters(MlirOperation function, pgopt_rewriter *r) {
  int64_t packed = 0;
  for (size_t v = 0; v < r->ir->network.argument_count; ++v) {
    if (pgopt_value_is_declared(r->assignment, (int)v))
      continue;
    pack_parameter(function, r, (int)v);
    ++packed;
  }
  return packed;
}

void pgopt_apply_layouts(MlirOperation function, const pgopt_ir_network *ir,
                         const pgopt_assignment *assignment,
                         pgopt_applied *applied) {
  *applied = (pgopt_applied){0};
  pgopt_rewriter r;
  pgopt_rewriter_init(ir, assignment->axes, assignment, &r);
  applied->parameters_packed = pack_parameters(function, &r);
  for (size_t i = 0; i < ir->network.op_count; ++i) {
    r.context = mlirOperationGetContext(ir->ops[i]);
    rewrite(&r, i, applied);
  }
  applied->transposes_made = r.transposes;
  applied->constants_folded = r.constants;
  pgopt_rewriter_free(&r);
  applied->ops_removed = pgopt_remove_dead(ir);
}
