/// \file What the kernel of a group looks like from outside.
#include "grouping/kernel_plan.h"

#include "base/checked_math.h"

#include <stdlib.h>

enum { LINE_BYTES = 64 };

typedef struct planner {
  const pgopt_network *network;
  const pgopt_grouping *grouping;
  size_t group;
  pgopt_kernel_plan plan;
  int *cut_loops;
} planner;

int64_t pgopt_part_begin(int64_t extent, int64_t part, int64_t parts) {
  return extent / parts * part +
         (part < extent % parts ? part : extent % parts);
}

static const pgopt_op *planned_op(const planner *p, size_t i) {
  return &p->network->ops[p->plan.ops[i]];
}

/// Position of an operation in `ops`; -1 when it is not in the kernel.
static int position_of(const planner *p, int op) {
  size_t low = 0, high = p->plan.op_count;
  while (low < high) {
    size_t middle = (low + high) / 2;
    if (p->plan.ops[middle] < op)
      low = middle + 1;
    else
      high = middle;
  }
  return low < p->plan.op_count && p->plan.ops[low] == op ? (int)low : -1;
}

static int producer_position(const planner *p, int value) {
  int producer = p->network->values[value].producer;
  return producer < 0 ? -1 : position_of(p, producer);
}

static void merge_ops(planner *p, pgopt_arena *arena) {
  const pgopt_group *g = &p->grouping->groups[p->group];
  size_t count = g->member_count + g->attached_count;
  int *ops = pgopt_arena_allocate(arena, count, sizeof *ops);
  for (size_t m = 0, a = 0, i = 0; i < count; ++i)
    ops[i] = a == g->attached_count ||
                     (m < g->member_count && g->members[m] < g->attached[a])
                 ? g->members[m++]
                 : g->attached[a++];
  p->plan.ops = ops;
  p->plan.op_count = count;
  for (size_t i = 0; i < count; ++i)
    p->plan.has_contraction |= pgopt_op_is_contraction(planned_op(p, i));
}

static bool contains(const int *values, size_t count, int value) {
  for (size_t i = 0; i < count; ++i)
    if (values[i] == value)
      return true;
  return false;
}

static void find_inputs(planner *p, pgopt_arena *arena) {
  int *inputs = NULL;
  size_t count = 0, capacity = 0;
  for (size_t i = 0; i < p->plan.op_count; ++i) {
    const pgopt_op *op = planned_op(p, i);
    for (size_t k = 0; k < op->operand_count + op->capture_count; ++k) {
      int value = k < op->operand_count ? op->operands[k]
                                        : op->captures[k - op->operand_count];
      if (value < 0 || producer_position(p, value) >= 0 ||
          contains(inputs, count, value))
        continue;
      PGOPT_APPEND(inputs, count, capacity, value);
    }
  }
  p->plan.inputs = pgopt_arena_copy(arena, inputs, count * sizeof *inputs);
  p->plan.input_count = count;
  free(inputs);
}

/// True when another kernel, or the network itself, uses the value. What is
/// attached (a border around it) uses it where its own users do.
static bool is_used_outside(const planner *p, int value) {
  const pgopt_value *v = &p->network->values[value];
  for (size_t u = 0; u < v->user_count; ++u) {
    int user = v->users[u];
    const pgopt_op *op = &p->network->ops[user];
    bool is_attached =
        op->kind == PGOPT_OP_MOVE && pgopt_op_is_attached(p->network, user);
    if (is_attached ? is_used_outside(p, op->results[0])
                    : p->grouping->group_of[user] != (int)p->group)
      return true;
  }
  return false;
}

static void find_outputs(planner *p, pgopt_arena *arena) {
  const pgopt_group *g = &p->grouping->groups[p->group];
  int *outputs = NULL;
  size_t count = 0, capacity = 0;
  for (size_t i = 0; i < g->member_count; ++i) {
    const pgopt_op *op = &p->network->ops[g->members[i]];
    for (size_t r = 0; r < op->result_count; ++r)
      if (is_used_outside(p, op->results[r]))
        PGOPT_APPEND(outputs, count, capacity, op->results[r]);
  }
  p->plan.outputs = pgopt_arena_copy(arena, outputs, count * sizeof *outputs);
  p->plan.output_count = count;
  free(outputs);
}

bool pgopt_operand_cut(const pgopt_op *op, size_t operand, int loop,
                       pgopt_cut *cut) {
  const pgopt_map *map = &op->maps[operand];
  *cut = (pgopt_cut){-1, 1, 1};
  for (size_t r = 0; r < map->result_count; ++r) {
    const pgopt_linear *e = &map->results[r];
    if (!e->is_linear)
      return false;
    if (!e->coefficients[loop])
      continue;
    if (cut->dim >= 0 || e->constant)
      return false;
    cut->dim = (int)r;
    cut->scale = e->coefficients[loop];
    for (size_t l = 0; l < op->loop_count; ++l) {
      if (e->coefficients[l] < 0 || op->loop_extents[l] < 1)
        return false;
      if ((int)l != loop)
        cut->window += e->coefficients[l] * (op->loop_extents[l] - 1);
    }
  }
  return true;
}

/// The dimension of operation `i`'s result that its cut loop runs over.
static int cut_dimension(const planner *p, size_t i) {
  const pgopt_op *op = planned_op(p, i);
  return p->cut_loops[i] < 0
             ? -1
             : pgopt_map_dimension(op, op->input_count, p->cut_loops[i]);
}

static int loop_of_dimension(const pgopt_op *op, size_t operand, int dim) {
  if (dim < 0 || (size_t)dim >= op->maps[operand].result_count)
    return -1;
  return pgopt_linear_single_loop(&op->maps[operand].results[dim],
                                  op->loop_count);
}

/// Spreads cut loops from operation to operation, along the values between
/// them, until nothing changes. False when two values disagree.
static bool spread_cuts(planner *p) {
  bool changed = true;
  while (changed) {
    changed = false;
    for (size_t i = 0; i < p->plan.op_count; ++i) {
      const pgopt_op *op = planned_op(p, i);
      if (op->kind != PGOPT_OP_STRUCTURED)
        continue;
      for (size_t k = 0; k < op->operand_count; ++k) {
        int from = producer_position(p, op->operands[k]);
        if (from < 0 ||
            planned_op(p, (size_t)from)->kind != PGOPT_OP_STRUCTURED)
          continue;
        const pgopt_op *producer = planned_op(p, (size_t)from);
        if (p->cut_loops[from] >= 0) {
          int loop = loop_of_dimension(op, k, cut_dimension(p, (size_t)from));
          if (loop < 0 || (p->cut_loops[i] >= 0 && p->cut_loops[i] != loop))
            return false;
          changed |= p->cut_loops[i] < 0;
          p->cut_loops[i] = loop;
        } else if (p->cut_loops[i] >= 0) {
          int dim = pgopt_map_dimension(op, k, p->cut_loops[i]);
          int loop = loop_of_dimension(producer, producer->input_count, dim);
          if (loop < 0)
            return false;
          p->cut_loops[from] = loop;
          changed = true;
        }
      }
    }
  }
  return true;
}

/// True when every operation of the kernel can be cut, every operand included.
static bool cuts_fit(const planner *p) {
  for (size_t i = 0; i < p->plan.op_count; ++i) {
    const pgopt_op *op = planned_op(p, i);
    if (op->kind != PGOPT_OP_STRUCTURED &&
        pgopt_op_is_attached(p->network, p->plan.ops[i]))
      continue;
    if (op->kind != PGOPT_OP_STRUCTURED || p->cut_loops[i] < 0 ||
        op->loop_is_reduction[p->cut_loops[i]] || cut_dimension(p, i) < 0 ||
        pgopt_op_uses_loop_index(op))
      return false;
    for (size_t k = 0; k < op->operand_count; ++k) {
      pgopt_cut cut;
      if (!pgopt_operand_cut(op, k, p->cut_loops[i], &cut))
        return false;
    }
  }
  return true;
}

/// The union of what all uses of the input touch: one cut, or all of it.
static pgopt_cut input_cut(const planner *p, int value) {
  pgopt_cut result = {-1, 1, 1};
  bool first = true;
  for (size_t i = 0; i < p->plan.op_count; ++i) {
    const pgopt_op *op = planned_op(p, i);
    for (size_t k = 0; k < op->operand_count; ++k) {
      pgopt_cut cut;
      if (op->operands[k] != value)
        continue;
      if (op->kind != PGOPT_OP_STRUCTURED)
        return (pgopt_cut){-1, 1, 1};
      pgopt_operand_cut(op, k, p->cut_loops[i], &cut);
      if (!first && (cut.dim != result.dim || cut.scale != result.scale ||
                     cut.window != result.window))
        return (pgopt_cut){-1, 1, 1};
      result = cut;
      first = false;
    }
    if (contains(op->captures, op->capture_count, value))
      return (pgopt_cut){-1, 1, 1};
  }
  return result;
}

/// True for a value that the network computes; views of one count as it.
static bool is_computed(const planner *p, int value) {
  for (;;) {
    int producer = p->network->values[value].producer;
    if (producer < 0)
      return false;
    const pgopt_op *op = &p->network->ops[producer];
    if (op->kind != PGOPT_OP_VIEW || !op->operand_count)
      return op->kind != PGOPT_OP_CONSTANT;
    value = op->operands[0];
  }
}

/// True when zeros are put around the value: of these, ranges read their rows.
static bool is_padded(const planner *p, int value) {
  for (size_t i = 0; i < p->plan.op_count; ++i)
    if (planned_op(p, i)->is_padding &&
        contains(planned_op(p, i)->operands, planned_op(p, i)->operand_count,
                 value))
      return true;
  return false;
}

/// Bytes of the input that all ranges read.
static int64_t shared_bytes(const planner *p, size_t input) {
  int value = p->plan.inputs[input];
  int64_t bytes = 0;
  if (p->plan.input_cuts[input].dim >= 0 || !is_computed(p, value) ||
      is_padded(p, value) ||
      !pgopt_type_bytes(&p->network->values[value].type, &bytes))
    return 0;
  return bytes;
}

/// Iterations after which a result, cut along `dim`, is at the begin of a line
/// again: a power of 2, as is the line.
static int64_t line_of(const pgopt_type *type, int dim) {
  int64_t inner = type->element_bits < 8 ? 1 : type->element_bits / 8, step = 1;
  for (size_t d = (size_t)dim + 1; d < type->rank; ++d)
    inner = inner * (type->extents[d] % LINE_BYTES) % LINE_BYTES;
  for (; inner % LINE_BYTES; inner = inner * 2 % LINE_BYTES)
    step *= 2;
  return step;
}

static void plan_cuts(planner *p, pgopt_arena *arena) {
  pgopt_kernel_plan *plan = &p->plan;
  const pgopt_group *g = &p->grouping->groups[p->group];
  const pgopt_op *core = &p->network->ops[g->core];
  p->cut_loops =
      pgopt_arena_allocate(arena, plan->op_count, sizeof *p->cut_loops);
  for (size_t i = 0; i < plan->op_count; ++i)
    p->cut_loops[i] = -1;
  plan->cut_loops = p->cut_loops;
  plan->range_extent = plan->range_line = 1;
  int loop = pgopt_range_loop(core);
  if (loop < 0)
    return;
  p->cut_loops[position_of(p, g->core)] = loop;
  plan->can_cut = spread_cuts(p) && cuts_fit(p);
  if (!plan->can_cut)
    return;
  plan->range_extent = core->loop_extents[loop];
  pgopt_cut *inputs =
      pgopt_arena_allocate(arena, plan->input_count, sizeof *inputs);
  for (size_t i = 0; i < plan->input_count; ++i)
    inputs[i] = input_cut(p, plan->inputs[i]);
  pgopt_cut *outputs =
      pgopt_arena_allocate(arena, plan->output_count, sizeof *outputs);
  for (size_t i = 0; i < plan->output_count; ++i) {
    int position = producer_position(p, plan->outputs[i]);
    outputs[i] = (pgopt_cut){cut_dimension(p, (size_t)position), 1, 1};
    int64_t line =
        line_of(&p->network->values[plan->outputs[i]].type, outputs[i].dim);
    plan->range_line = line > plan->range_line ? line : plan->range_line;
  }
  plan->input_cuts = inputs;
  plan->output_cuts = outputs;
  for (size_t i = 0; i < plan->input_count; ++i)
    if (!pgopt_checked_add(plan->shared_bytes, shared_bytes(p, i),
                           &plan->shared_bytes))
      plan->shared_bytes = INT64_MAX;
}

pgopt_kernel_plan pgopt_plan_kernel(const pgopt_network *network,
                                    const pgopt_grouping *grouping,
                                    size_t group, pgopt_arena *arena) {
  planner p = {.network = network, .grouping = grouping, .group = group};
  merge_ops(&p, arena);
  find_inputs(&p, arena);
  find_outputs(&p, arena);
  plan_cuts(&p, arena);
  return p.plan;
}
