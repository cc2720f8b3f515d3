/// \file Layout changes of a network, counted by what operations do.
#include "layout/changes.h"

#include "layout/gathers.h"

#include <stdlib.h>
#include <string.h>

typedef struct counter {
  const pgopt_network *network;
  const bool *constant;
  pgopt_layout_counts *report;
  size_t capacity;
  int *ids; ///< scratch of the orders of one operation
  size_t id_capacity;
} counter;

const char *pgopt_change_kind_text(pgopt_change_kind kind) {
  static const char *const texts[] = {
      [PGOPT_CHANGE_PERMUTE] = "permutes its operand",
      [PGOPT_CHANGE_OPERAND] = "reads an operand in another order",
      [PGOPT_CHANGE_REBLOCK] = "re-blocks its operand",
      [PGOPT_CHANGE_PACK] = "packs an operand",
  };
  return texts[kind];
}

bool *pgopt_constant_values(const pgopt_network *network) {
  bool *constant = pgopt_allocate(network->value_count, sizeof *constant);
  for (size_t v = 0; v < network->argument_count; ++v)
    constant[v] = network->values[v].is_parameter;
  for (size_t i = 0; i < network->op_count; ++i) {
    const pgopt_op *op = &network->ops[i];
    if (op->kind == PGOPT_OP_EFFECT || op->kind == PGOPT_OP_CALL)
      continue;
    bool all = true;
    for (size_t k = 0; k < op->operand_count; ++k)
      all = all && op->operands[k] >= 0 && constant[op->operands[k]];
    for (size_t k = 0; k < op->capture_count; ++k)
      all = all && constant[op->captures[k]];
    for (size_t k = 0; k < op->result_count; ++k)
      constant[op->results[k]] = all;
  }
  return constant;
}

static void add(counter *c, pgopt_change_kind kind, size_t op, int value) {
  pgopt_layout_counts *report = c->report;
  pgopt_layout_change change = {.kind = kind,
                                .op = (int)op,
                                .value = value,
                                .on_parameter = c->constant[value]};
  if (!pgopt_type_bytes(&c->network->values[value].type, &change.bytes))
    change.bytes = 0;
  PGOPT_APPEND(report->changes, report->count, c->capacity, change);
  if (kind == PGOPT_CHANGE_PACK) {
    *(change.on_parameter ? &report->parameter_packed_bytes
                          : &report->packed_bytes) += change.bytes;
    return;
  }
  ++*(change.on_parameter ? &report->parameter_changes : &report->changes_left);
  *(change.on_parameter ? &report->parameter_bytes : &report->bytes_moved) +=
      change.bytes;
}

/// The order of the operand's dimensions in loops, in the counter's scratch
/// from `start` on; its count is `none` when a map is no plain order.
static const size_t none = (size_t)-1;

static size_t read_order(counter *c, const pgopt_op *op, size_t operand,
                         size_t start) {
  const pgopt_map *map = &op->maps[operand];
  const pgopt_type *type = &c->network->values[op->operands[operand]].type;
  if (!type->is_ranked || type->rank != map->result_count)
    return none;
  pgopt_reserve((void **)&c->ids, &c->id_capacity, start + type->rank,
                sizeof *c->ids);
  size_t count = 0;
  for (size_t d = 0; d < type->rank; ++d) {
    if (!map->results[d].is_linear)
      return none;
    int loop = pgopt_dimension_loop(c->network, op, operand, d);
    if (loop < 0)
      continue;
    for (size_t k = 0; k < count; ++k)
      if (c->ids[start + k] == loop)
        return none; /* a diagonal */
    c->ids[start + count++] = loop;
  }
  return count;
}

static bool is_tensor(const counter *c, const pgopt_op *op, size_t operand) {
  int value = op->operands[operand];
  return value >= 0 && c->network->values[value].type.is_shaped;
}

/// True when the op's result is its only input.
static bool is_copy(const pgopt_op *op) {
  return op->input_count == 1 && op->body_count == 0 &&
         op->yields[0].source == PGOPT_FROM_ARGUMENT &&
         op->yields[0].number == 0;
}

/// True when the op only stands a value's dimensions in another order without
/// changing what is stored.
static bool only_renames(const pgopt_op *op) {
  if (!is_copy(op) || strcmp(op->name, "linalg.transpose"))
    return false;
  for (size_t d = 0; d < op->maps[0].result_count; ++d)
    if (pgopt_linear_single_loop(&op->maps[0].results[d], op->loop_count) !=
        (int)d)
      return true;
  return false;
}

static void count_elementwise(counter *c, size_t number) {
  const pgopt_op *op = &c->network->ops[number];
  size_t out = read_order(c, op, op->input_count, 0);
  if (out == none)
    return;
  bool changed = false;
  for (size_t i = 0; i < op->input_count; ++i) {
    if (!is_tensor(c, op, i))
      continue;
    size_t in = read_order(c, op, i, out);
    if (in == none || pgopt_order_agrees((pgopt_order){c->ids, out},
                                         (pgopt_order){c->ids + out, in}))
      continue;
    add(c, is_copy(op) ? PGOPT_CHANGE_PERMUTE : PGOPT_CHANGE_OPERAND, number,
        op->operands[i]);
    changed = true;
  }
  if (!changed && only_renames(op))
    ++c->report->renamings;
}

bool pgopt_contraction_roles(const pgopt_op *op, pgopt_loop_role *roles) {
  if (!pgopt_op_is_contraction(op) || op->input_count != 2 ||
      op->operand_count != 3)
    return false;
  for (size_t l = 0; l < op->loop_count; ++l) {
    bool in[3] = {false};
    for (size_t i = 0; i < 3; ++i)
      for (size_t d = 0; d < op->maps[i].result_count; ++d)
        in[i] = in[i] || op->maps[i].results[d].coefficients[l] != 0;
    roles[l] = in[0] && in[1] && in[2]    ? PGOPT_LOOP_BATCH
               : in[0] && in[2]           ? PGOPT_LOOP_ROW
               : in[1] && in[2]           ? PGOPT_LOOP_COLUMN
               : in[0] && in[1] && !in[2] ? PGOPT_LOOP_DEPTH
                                          : PGOPT_LOOP_OTHER;
  }
  return true;
}

static void count_contraction(counter *c, size_t number) {
  const pgopt_op *op = &c->network->ops[number];
  pgopt_loop_role *roles = pgopt_allocate(op->loop_count, sizeof *roles);
  size_t counts[3] = {0}, start = 0;
  int64_t bytes[3] = {0};
  bool readable = pgopt_contraction_roles(op, roles);
  for (size_t i = 0; i < 3 && readable; ++i) {
    readable = is_tensor(c, op, i);
    if (!readable)
      break;
    counts[i] = read_order(c, op, i, start);
    readable =
        counts[i] != none &&
        pgopt_type_bytes(&c->network->values[op->operands[i]].type, &bytes[i]);
    start += readable ? counts[i] : 0;
  }
  if (readable) {
    pgopt_order orders[3] = {
        {c->ids, counts[0]},
        {c->ids + counts[0], counts[1]},
        {c->ids + counts[0] + counts[1], counts[2]},
    };
    unsigned copies = pgopt_contraction_copies(orders, roles, bytes);
    for (size_t i = 0; i < 3; ++i)
      if (copies & 1u << i)
        add(c, PGOPT_CHANGE_PACK, number, op->operands[i]);
  }
  free(roles);
}

/// A window op or reduction gathers when its result's dimensions stand in
/// another order than its first input's.
static void count_reduction(counter *c, size_t number) {
  const pgopt_op *op = &c->network->ops[number];
  if (!op->input_count || !is_tensor(c, op, 0) || op->result_count != 1)
    return;
  size_t out = read_order(c, op, op->input_count, 0);
  if (out == none)
    return;
  size_t in = read_order(c, op, 0, out);
  if (in != none && !pgopt_order_agrees((pgopt_order){c->ids, out},
                                        (pgopt_order){c->ids + out, in}))
    add(c, PGOPT_CHANGE_PACK, number, op->operands[0]);
}

/// An array that the body reads element by element, in another order than the
/// result is written in.
static void count_gather(counter *c, size_t number, size_t capture) {
  const pgopt_op *op = &c->network->ops[number];
  int value = op->captures[capture];
  size_t rank = c->network->values[value].type.rank;
  int *loops = pgopt_allocate(rank, sizeof *loops);
  size_t out = op->result_count ? read_order(c, op, op->input_count, 0) : none;
  if (out != none && pgopt_gather_loops(c->network, op, capture, loops)) {
    size_t in = 0;
    for (size_t d = 0; d < rank; ++d)
      if (loops[d] >= 0)
        loops[in++] = loops[d];
    if (!pgopt_order_agrees((pgopt_order){c->ids, out},
                            (pgopt_order){loops, in}))
      add(c,
          pgopt_op_is_elementwise(op) ? PGOPT_CHANGE_OPERAND
                                      : PGOPT_CHANGE_PACK,
          number, value);
  }
  free(loops);
}

static void count_structured(counter *c, size_t number) {
  const pgopt_op *op = &c->network->ops[number];
  if (op->result_count && op->operands[op->input_count] < 0)
    return;
  for (size_t i = 0; i < op->capture_count; ++i)
    count_gather(c, number, i);
  if (pgopt_op_is_elementwise(op))
    count_elementwise(c, number);
  else if (pgopt_op_is_contraction(op) && !pgopt_op_is_convolution(op))
    count_contraction(c, number);
  else if (pgopt_op_is_reduction(op))
    count_reduction(c, number);
}

static void count_tosa_transpose(counter *c, size_t number) {
  const pgopt_op *op = &c->network->ops[number];
  pgopt_integer_list perms = pgopt_op_integers(op, "perms");
  const pgopt_type *type = &c->network->values[op->operands[0]].type;
  if (!type->is_ranked || perms.count != type->rank)
    return;
  int64_t last = -1;
  bool moves = false, renames = false;
  for (size_t d = 0; d < type->rank; ++d) {
    int64_t from = perms.values[d];
    if (from < 0 || from >= (int64_t)type->rank)
      return;
    renames = renames || from != (int64_t)d;
    if (type->extents[from] == 1)
      continue;
    moves = moves || from < last;
    last = from;
  }
  if (moves)
    add(c, PGOPT_CHANGE_PERMUTE, number, op->operands[0]);
  else if (renames)
    ++c->report->renamings;
}

void pgopt_layout_count(const pgopt_network *network,
                        pgopt_layout_counts *report) {
  *report = (pgopt_layout_counts){0};
  bool *constant = pgopt_constant_values(network);
  counter c = {.network = network, .constant = constant, .report = report};
  for (size_t i = 0; i < network->op_count; ++i) {
    const pgopt_op *op = &network->ops[i];
    if (op->kind == PGOPT_OP_STRUCTURED)
      count_structured(&c, i);
    else if (!strcmp(op->name, "tosa.transpose") && op->operands[0] >= 0)
      count_tosa_transpose(&c, i);
    else if ((!strcmp(op->name, "linalg.pack") ||
              !strcmp(op->name, "linalg.unpack")) &&
             op->operands[0] >= 0)
      add(&c, PGOPT_CHANGE_REBLOCK, i, op->operands[0]);
  }
  free(c.ids);
  free(constant);
}

void pgopt_layout_counts_free(pgopt_layout_counts *report) {
  free(report->changes);
  *report = (pgopt_layout_counts){0};
}
