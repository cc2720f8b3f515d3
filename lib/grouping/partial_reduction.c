/// \file Reductions that can be computed in parts.
#include "grouping/partial_reduction.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

int64_t pgopt_partial_count(int64_t extent, int64_t parts) {
  int64_t best = 0, best_rounds = 0;
  for (int64_t count = parts;
       count <= PGOPT_MAX_PARTIALS && count <= extent / 2; ++count) {
    int64_t rounds = (count + parts - 1) / parts;
    if (extent % count ||
        (best && rounds * best >= best_rounds * count)) // rounds / count
      continue;
    best = count;
    best_rounds = rounds;
  }
  return best;
}

bool pgopt_neutral_element(const char *name, int bits, double *number,
                           int64_t *integer) {
  int64_t lowest = (int64_t)(UINT64_MAX << (bits - 1));
  const struct {
    const char *name;
    double number;
    int64_t integer;
  } combiners[] = {
      {"arith.addf", 0, 0},
      {"arith.mulf", 1, 0},
      {"arith.maximumf", -INFINITY, 0},
      {"arith.minimumf", INFINITY, 0},
      {"arith.maxnumf", NAN, 0}, // of a number and NaN the number
      {"arith.minnumf", NAN, 0},
      {"arith.addi", 0, 0},
      {"arith.muli", 0, 1},
      {"arith.maxsi", 0, lowest},
      {"arith.minsi", 0, ~lowest},
      {"arith.maxui", 0, 0},
      {"arith.minui", 0, -1},
      {"arith.andi", 0, -1},
      {"arith.ori", 0, 0},
      {"arith.xori", 0, 0},
  };
  for (size_t i = 0; i < sizeof combiners / sizeof *combiners; ++i)
    if (!strcmp(name, combiners[i].name)) {
      *number = combiners[i].number;
      *integer = combiners[i].integer;
      return true;
    }
  return false;
}

typedef struct finder {
  const pgopt_network *network;
  const pgopt_grouping *grouping;
  int group;
  pgopt_cut_op *ops;
  size_t count, capacity;
} finder;

static bool is_element(const pgopt_type *type) {
  return type->element == PGOPT_FLOAT
             ? type->element_bits == 32 || type->element_bits == 64
             : type->element == PGOPT_INTEGER && type->element_bits > 1 &&
                   type->element_bits <= 64;
}

static bool is_init(const pgopt_op *op, const pgopt_scalar_operand *operand) {
  return operand->source == PGOPT_FROM_ARGUMENT &&
         (size_t)operand->number == op->input_count;
}

/// True when the body ends in a known combiner of what the init holds, which is
/// read nowhere else, and of a number.
static bool has_combiner(const pgopt_network *network, const pgopt_op *op) {
  const pgopt_type *type = &network->values[op->results[0]].type;
  double number;
  int64_t integer;
  size_t reads = is_init(op, &op->yields[0]);
  if (op->yields[0].source != PGOPT_FROM_BODY || !is_element(type))
    return false;
  for (size_t i = 0; i < op->body_count; ++i)
    for (size_t k = 0; k < op->body[i].operand_count; ++k)
      reads += is_init(op, &op->body[i].operands[k]);
  const pgopt_scalar_op *last = &op->body[op->yields[0].number];
  return reads == 1 && last->operand_count == 2 &&
         (is_init(op, &last->operands[0]) || is_init(op, &last->operands[1])) &&
         pgopt_neutral_element(last->name, type->element_bits, &number,
                               &integer);
}

static bool captures_arrays(const pgopt_network *network, const pgopt_op *op) {
  for (size_t i = 0; i < op->capture_count; ++i)
    if (network->values[op->captures[i]].type.is_shaped)
      return true;
  return false;
}

/// True for an operation of static shape that can be computed in parts of one
/// of its loops.
static bool can_cut(const finder *f, const pgopt_op *op) {
  int64_t elements;
  if (op->kind != PGOPT_OP_STRUCTURED || op->result_count != 1 ||
      pgopt_op_uses_loop_index(op) || captures_arrays(f->network, op))
    return false;
  for (size_t k = 0; k < op->operand_count; ++k) {
    const pgopt_type *type = &f->network->values[op->operands[k]].type;
    if (type->is_shaped && !pgopt_type_elements(type, &elements))
      return false;
  }
  return true;
}

/// The operand's dimension that the loop runs over; -1 when it has none, -2
/// when it takes part in an index in any other way.
static int dimension_of(const pgopt_op *op, size_t operand, int loop) {
  const pgopt_map *map = &op->maps[operand];
  int dimension = -1;
  for (size_t r = 0; r < map->result_count; ++r) {
    const pgopt_linear *e = &map->results[r];
    if (!e->is_linear)
      return -2;
    if (!e->coefficients[loop])
      continue;
    if (dimension >= 0 || pgopt_linear_single_loop(e, op->loop_count) != loop)
      return -2;
    dimension = (int)r;
  }
  return dimension;
}

static bool add(finder *f, int number, int loop);

/// Adds what makes operand `k` in the group; false when that cannot be cut as
/// loop `loop` of its user is.
static bool add_producer(finder *f, const pgopt_op *op, size_t k, int loop) {
  const pgopt_value *value = &f->network->values[op->operands[k]];
  int dimension = dimension_of(op, k, loop);
  if (dimension == -2)
    return false;
  if (value->producer < 0)
    return true;
  const pgopt_op *producer = &f->network->ops[value->producer];
  if (f->grouping->group_of[value->producer] != f->group)
    // A border around the operand would be part of the kernel.
    return producer->kind != PGOPT_OP_MOVE ||
           !pgopt_op_is_attached(f->network, value->producer);
  if (dimension < 0 || value->user_count != 1 ||
      !pgopt_op_is_elementwise(producer) || !can_cut(f, producer) ||
      pgopt_op_reads_init(producer, 0))
    return false;
  int its_loop = pgopt_linear_single_loop(
      &producer->maps[producer->input_count].results[dimension],
      producer->loop_count);
  return its_loop >= 0 && add(f, value->producer, its_loop);
}

/// Adds an operation behind those that make its operands in the group; false
/// when one of them cannot be cut.
static bool add(finder *f, int number, int loop) {
  const pgopt_op *op = &f->network->ops[number];
  for (size_t i = 0; i < f->count; ++i)
    if (f->ops[i].op == number)
      return f->ops[i].loop == loop;
  for (size_t k = 0; k < op->input_count; ++k)
    if (!add_producer(f, op, k, loop))
      return false;
  pgopt_cut_op cut = {number, loop};
  PGOPT_APPEND(f->ops, f->count, f->capacity, cut);
  return true;
}

/// True when the core is the group's only reduction.
static bool reduces_once(const finder *f) {
  const pgopt_group *group = &f->grouping->groups[f->group];
  for (size_t i = 0; i < group->member_count; ++i)
    if (group->members[i] != group->core &&
        !pgopt_op_is_elementwise(&f->network->ops[group->members[i]]))
      return false;
  return pgopt_op_is_reduction(&f->network->ops[group->core]);
}

/// True when every dimension of every operand is one of the loops.
static bool has_no_windows(const pgopt_op *op) {
  for (size_t k = 0; k < op->operand_count; ++k)
    for (size_t r = 0; r < op->maps[k].result_count; ++r)
      if (pgopt_linear_single_loop(&op->maps[k].results[r], op->loop_count) < 0)
        return false;
  return true;
}

bool pgopt_find_partials(const pgopt_network *network,
                         const pgopt_grouping *grouping, size_t group,
                         int64_t parts, pgopt_arena *arena,
                         pgopt_partial_reduction *found) {
  finder f = {.network = network, .grouping = grouping, .group = (int)group};
  int core = grouping->groups[group].core;
  const pgopt_op *op = &network->ops[core];
  if (!reduces_once(&f) || !can_cut(&f, op) || !has_no_windows(op) ||
      !has_combiner(network, op))
    return false;
  bool is_found = false;
  for (size_t l = 0; l < op->loop_count && !is_found; ++l) {
    int64_t partials = op->loop_is_reduction[l]
                           ? pgopt_partial_count(op->loop_extents[l], parts)
                           : 0;
    f.count = 0;
    is_found = partials && add(&f, core, (int)l);
    if (is_found)
      *found = (pgopt_partial_reduction){
          pgopt_arena_copy(arena, f.ops, f.count * sizeof *f.ops), f.count,
          partials};
  }
  free(f.ops);
  return is_found;
}
