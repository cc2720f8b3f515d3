/// \file What every operation means for the dimensions of its values.
#include "layout/classify_ops.h"

#include "layout/changes.h"

#include <stdlib.h>
#include <string.h>

const pgopt_axis_class *pgopt_classifier_dim(pgopt_classifier *c, int value,
                                             size_t dim) {
  int member = (int)(c->value_first[value] + dim);
  return &c->classes.members[pgopt_axis_find(&c->classes, member)];
}

const pgopt_axis_class *pgopt_classifier_loop(pgopt_classifier *c, size_t op,
                                              size_t loop) {
  int member = (int)(c->op_first[op] + loop);
  return &c->classes.members[pgopt_axis_find(&c->classes, member)];
}

void pgopt_classifier_fix(pgopt_classifier *c, size_t op) {
  const pgopt_op *o = &c->network->ops[op];
  c->roles[op] = PGOPT_AXES_FIXED;
  for (size_t i = 0; i < o->result_count; ++i)
    c->fixed[o->results[i]] = true;
}

bool pgopt_body_reads(const pgopt_op *op, size_t operand) {
  for (size_t i = 0; i < op->body_count; ++i)
    for (size_t k = 0; k < op->body[i].operand_count; ++k)
      if (op->body[i].operands[k].source == PGOPT_FROM_ARGUMENT &&
          op->body[i].operands[k].number == (int)operand)
        return true;
  for (size_t i = 0; i < op->result_count; ++i)
    if (op->yields[i].source == PGOPT_FROM_ARGUMENT &&
        op->yields[i].number == (int)operand)
      return true;
  return false;
}

static bool body_asks_for_indices(const pgopt_op *op) {
  for (size_t i = 0; i < op->body_count; ++i)
    if (!strcmp(op->body[i].name, "linalg.index"))
      return true;
  return false;
}

/// Every shaped operand and result can be taken apart.
static bool slots_are_usable(const pgopt_classifier *c, const pgopt_op *op) {
  for (size_t s = 0; s < op->operand_count + op->result_count; ++s) {
    int value = pgopt_slot_value(op, s);
    if (value < 0 ||
        (c->network->values[value].type.is_shaped && !c->usable[value]))
      return false;
  }
  return true;
}

/// Joins the dimensions of one operand with the loops they run over.
/// \param[out] window set when a dimension is more than one plain loop.
/// \returns false when the op cannot be re-ordered.
static bool join_operand(pgopt_classifier *c, size_t number, size_t operand,
                         bool *window) {
  const pgopt_op *op = &c->network->ops[number];
  int value = op->operands[operand];
  const pgopt_type *type = &c->network->values[value].type;
  if (!type->is_shaped)
    return operand < op->input_count;
  if (op->maps[operand].result_count != type->rank)
    return false;
  bool *seen = pgopt_allocate(op->loop_count, sizeof *seen);
  bool result = true;
  for (size_t d = 0; d < type->rank && result; ++d) {
    const pgopt_linear *form = &op->maps[operand].results[d];
    int member = (int)(c->value_first[value] + d);
    int loop = pgopt_dimension_loop(c->network, op, operand, d);
    if (!form->is_linear) {
      result = false;
      break;
    }
    if (type->extents[d] == 1)
      continue;
    result = loop >= 0 && !seen[loop]; /* else a constant or a diagonal */
    if (!result)
      break;
    seen[loop] = true;
    if (pgopt_linear_single_loop(form, op->loop_count) == loop &&
        op->loop_extents[loop] == type->extents[d]) {
      result =
          pgopt_axis_join(&c->classes, member, (int)c->op_first[number] + loop);
      continue;
    }
    *window = true;
    pgopt_axis_keep_whole(&c->classes, member);
  }
  free(seen);
  return result;
}

static bool is_copy(const pgopt_op *op) {
  if (op->input_count != 1 || op->body_count ||
      op->yields[0].source != PGOPT_FROM_ARGUMENT || op->yields[0].number)
    return false;
  /* Every loop indexes the input: nothing is broadcast. */
  for (size_t l = 0; l < op->loop_count; ++l) {
    bool used = op->loop_extents[l] == 1;
    for (size_t d = 0; d < op->maps[0].result_count; ++d)
      used = used || op->maps[0].results[d].coefficients[l];
    if (!used)
      return false;
  }
  return true;
}

static pgopt_axes_role structured_role(const pgopt_op *op, bool window,
                                       const pgopt_network *network) {
  if (pgopt_op_is_elementwise(op))
    return !window && is_copy(op) &&
                   network->values[op->operands[0]].type.is_shaped
               ? PGOPT_AXES_ALIAS
               : PGOPT_AXES_RIGID;
  if (!pgopt_op_is_reduction(op))
    return PGOPT_AXES_RIGID;
  if (!pgopt_op_is_contraction(op))
    return PGOPT_AXES_REDUCE;
  if (window)
    return PGOPT_AXES_WINDOW;
  return op->input_count == 2 ? PGOPT_AXES_CONTRACT : PGOPT_AXES_REDUCE;
}

/// Joins all dimensions of two values of the same shape.
static bool join_values(pgopt_classifier *c, int left, int right) {
  size_t rank = c->network->values[left].type.rank;
  if (c->network->values[right].type.rank != rank)
    return false;
  for (size_t d = 0; d < rank; ++d)
    if (!pgopt_axis_join(&c->classes, (int)(c->value_first[left] + d),
                         (int)(c->value_first[right] + d)))
      return false;
  return true;
}

/// Indices are numbers of whole dimensions.
static void keep_gathers_whole(pgopt_classifier *c, const pgopt_op *op) {
  for (size_t i = 0; i < op->capture_count; ++i) {
    int value = op->captures[i];
    for (size_t d = 0; d < c->network->values[value].type.rank; ++d)
      pgopt_axis_keep_whole(&c->classes, (int)(c->value_first[value] + d));
  }
}

static bool is_in_window(const pgopt_op *op, size_t loop) {
  for (size_t i = 0; i < op->operand_count; ++i)
    for (size_t d = 0; d < op->maps[i].result_count; ++d) {
      const pgopt_linear *form = &op->maps[i].results[d];
      if (form->coefficients[loop] &&
          pgopt_linear_single_loop(form, op->loop_count) < 0)
        return true;
    }
  return false;
}

bool pgopt_loop_is_whole(const pgopt_op *op, size_t loop) {
  return body_asks_for_indices(op) || is_in_window(op, loop);
}

static pgopt_axes_role classify_structured(pgopt_classifier *c, size_t number) {
  const pgopt_op *op = &c->network->ops[number];
  bool window = false, window_result = false;
  if (!op->result_count || !slots_are_usable(c, op))
    return PGOPT_AXES_FIXED;
  for (size_t l = 0; l < op->loop_count; ++l)
    if (op->loop_extents[l] == PGOPT_DYNAMIC || op->loop_extents[l] == 0)
      return PGOPT_AXES_FIXED;
  for (size_t i = 0; i < op->operand_count; ++i)
    if (!join_operand(c, number, i,
                      i < op->input_count ? &window : &window_result) ||
        window_result)
      return PGOPT_AXES_FIXED;
  for (size_t i = 0; i < op->result_count; ++i)
    if (!join_values(c, op->operands[op->input_count + i], op->results[i]))
      return PGOPT_AXES_FIXED;
  keep_gathers_whole(c, op);
  for (size_t l = 0; l < op->loop_count; ++l)
    if (pgopt_loop_is_whole(op, l))
      pgopt_axis_keep_whole(&c->classes, (int)(c->op_first[number] + l));
  return structured_role(op, window, c->network);
}

/// True when a pad's value is the same everywhere.
static bool pads_with_scalar(const pgopt_op *op) {
  if (op->region_count != 1 || op->regions[0].op_count == 0)
    return false;
  const pgopt_region *region = &op->regions[0];
  const pgopt_op *yield = &region->ops[region->op_count - 1];
  if (yield->operand_count != 1)
    return false;
  for (size_t i = 0; i < op->capture_count; ++i)
    if (op->captures[i] == yield->operands[0])
      return region->op_count == 1;
  return region->op_count == 2 && region->ops[0].kind == PGOPT_OP_CONSTANT &&
         region->ops[0].results[0] == yield->operands[0];
}

static pgopt_axes_role classify_move(pgopt_classifier *c, size_t number) {
  const pgopt_network *n = c->network;
  const pgopt_op *op = &n->ops[number];
  if (!slots_are_usable(c, op) || op->result_count != 1 || !op->operand_count ||
      (!strcmp(op->name, "tensor.pad") && !pads_with_scalar(op)))
    return PGOPT_AXES_FIXED;
  int frame = pgopt_slot_value(op, pgopt_move_frame(op));
  for (size_t s = 0; s < op->operand_count + op->result_count; ++s) {
    int value = pgopt_slot_value(op, s);
    size_t rank = n->values[value].type.rank;
    int *dims = pgopt_allocate(rank, sizeof *dims);
    bool known = pgopt_move_dims(n, op, s, dims);
    for (size_t d = 0; d < rank && known; ++d) {
      if (dims[d] < 0)
        continue;
      int member = (int)(c->value_first[value] + d);
      int other = (int)c->value_first[frame] + dims[d];
      if (pgopt_move_keeps(n, op, (size_t)dims[d])) {
        known = pgopt_axis_join(&c->classes, member, other);
      } else {
        pgopt_axis_keep_whole(&c->classes, member);
        pgopt_axis_keep_whole(&c->classes, other);
      }
    }
    free(dims);
    if (!known)
      return PGOPT_AXES_FIXED;
  }
  return PGOPT_AXES_MOVE;
}

static bool same_elements(const pgopt_network *n, const pgopt_op *op) {
  int64_t left, right;
  return op->operand_count >= 1 && op->result_count == 1 &&
         pgopt_type_elements(&n->values[op->operands[0]].type, &left) &&
         pgopt_type_elements(&n->values[op->results[0]].type, &right) &&
         left == right;
}

/// Made anew in another order wherever it is needed.
static bool is_source(const pgopt_op *op) {
  return !op->operand_count && (!strcmp(op->name, "arith.constant") ||
                                !strcmp(op->name, "tensor.empty"));
}

static pgopt_axes_role classify(pgopt_classifier *c, size_t number) {
  const pgopt_op *op = &c->network->ops[number];
  switch (op->kind) {
  case PGOPT_OP_STRUCTURED:
    return classify_structured(c, number);
  case PGOPT_OP_MOVE:
    return classify_move(c, number);
  case PGOPT_OP_VIEW:
    return slots_are_usable(c, op) && same_elements(c->network, op) &&
                   op->operand_count == 1
               ? PGOPT_AXES_ALIAS
               : PGOPT_AXES_FIXED;
  case PGOPT_OP_CONSTANT:
  case PGOPT_OP_EMPTY:
    return slots_are_usable(c, op) && is_source(op) ? PGOPT_AXES_SOURCE
                                                    : PGOPT_AXES_FIXED;
  default:
    return strcmp(op->name, "linalg.softmax") ? PGOPT_AXES_FIXED
                                              : classify_move(c, number);
  }
}

static bool value_is_usable(const pgopt_type *type) {
  int64_t bytes;
  if (!type->is_shaped || !type->is_ranked ||
      strncmp(type->text, "tensor", 6) || !pgopt_type_bytes(type, &bytes))
    return false;
  for (size_t d = 0; d < type->rank; ++d)
    if (type->extents[d] <= 0)
      return false;
  return true;
}

static void number_members(pgopt_classifier *c) {
  const pgopt_network *n = c->network;
  size_t count = 0;
  for (size_t v = 0; v < n->value_count; ++v) {
    c->value_first[v] = count;
    count += n->values[v].type.rank;
  }
  for (size_t i = 0; i < n->op_count; ++i) {
    c->op_first[i] = count;
    count += n->ops[i].loop_count;
  }
  c->classes.members = pgopt_allocate(count, sizeof *c->classes.members);
  c->classes.count = count;
  for (size_t m = 0; m < count; ++m)
    c->classes.members[m].parent = (int)m;
  for (size_t v = 0; v < n->value_count; ++v)
    for (size_t d = 0; d < n->values[v].type.rank; ++d)
      c->classes.members[c->value_first[v] + d].extent =
          n->values[v].type.extents[d];
  for (size_t i = 0; i < n->op_count; ++i)
    for (size_t l = 0; l < n->ops[i].loop_count; ++l)
      c->classes.members[c->op_first[i] + l].extent = n->ops[i].loop_extents[l];
}

void pgopt_classifier_init(const pgopt_network *network, const bool *fixed,
                           bool packs_parameters, pgopt_classifier *c) {
  *c = (pgopt_classifier){.network = network};
  size_t values = network->value_count, ops = network->op_count;
  c->value_first = pgopt_allocate(values, sizeof *c->value_first);
  c->op_first = pgopt_allocate(ops, sizeof *c->op_first);
  c->usable = pgopt_allocate(values, sizeof *c->usable);
  c->fixed = pgopt_allocate(values, sizeof *c->fixed);
  c->roles = pgopt_allocate(ops, sizeof *c->roles);
  c->constant = pgopt_constant_values(network);
  number_members(c);
  for (size_t v = 0; v < values; ++v) {
    const pgopt_value *value = &network->values[v];
    c->usable[v] = !(fixed && fixed[v]) && value_is_usable(&value->type);
    c->fixed[v] = !c->usable[v] || (value->producer < 0 &&
                                    !(packs_parameters && value->is_parameter));
  }
  for (size_t i = 0; i < ops; ++i) {
    c->roles[i] = classify(c, i);
    if (c->roles[i] == PGOPT_AXES_FIXED)
      pgopt_classifier_fix(c, i);
  }
}

bool pgopt_classifier_cut_reshape(pgopt_classifier *c, size_t number,
                                  bool *changed) {
  const pgopt_op *op = &c->network->ops[number];
  int members[2][2 * PGOPT_MAX_AXES];
  size_t counts[2];
  for (int side = 0; side < 2; ++side) {
    int value = side ? op->results[0] : op->operands[0];
    counts[side] = c->network->values[value].type.rank;
    if (counts[side] > 2 * PGOPT_MAX_AXES)
      return false;
    for (size_t d = 0; d < counts[side]; ++d)
      members[side][d] = (int)(c->value_first[value] + d);
  }
  return pgopt_axis_refine(&c->classes, members[0], counts[0], members[1],
                           counts[1], changed);
}

void pgopt_classifier_free(pgopt_classifier *c) {
  free(c->classes.members);
  free(c->value_first);
  free(c->op_first);
  free(c->usable);
  free(c->fixed);
  free(c->constant);
  free(c->roles);
}
