/// \file Groups operations into kernels.
///
/// Every operation gets a leader, the core of its group. Contractions go first,
/// last one first: an addition of two of them then belongs to the later one,
/// whose other operand is there already. Reductions follow, then elementwise
/// operations, consumers first.
#include "grouping/grouping.h"

#include "grouping/chains.h"
#include "grouping/given_groups.h"
#include "grouping/stem.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { ATTACHED_ELEMENTS = 16 };

typedef pgopt_group_analysis analysis;

static const pgopt_op *op_at(const analysis *a, int op) {
  return &a->network->ops[op];
}

static const pgopt_value *value_at(const analysis *a, int value) {
  return &a->network->values[value];
}

int pgopt_range_loop(const pgopt_op *op) {
  if (op->kind != PGOPT_OP_STRUCTURED)
    return -1;
  for (size_t l = 0; l < op->loop_count; ++l)
    if (!op->loop_is_reduction[l] && op->loop_extents[l] > 1)
      return (int)l;
  return -1;
}

int pgopt_map_dimension(const pgopt_op *op, size_t operand, int loop) {
  const pgopt_map *map = &op->maps[operand];
  for (size_t r = 0; r < map->result_count; ++r)
    if (pgopt_linear_single_loop(&map->results[r], op->loop_count) == loop)
      return (int)r;
  return -1;
}

bool pgopt_op_is_copy(const pgopt_op *op) {
  return op->kind == PGOPT_OP_STRUCTURED && op->body_count == 0 &&
         op->result_count == 1 && op->input_count == 1 &&
         op->yields[0].source == PGOPT_FROM_ARGUMENT &&
         op->yields[0].number == 0;
}

bool pgopt_op_reads_init(const pgopt_op *op, size_t init) {
  int argument = (int)(op->input_count + init);
  for (size_t i = 0; i < op->body_count; ++i)
    for (size_t k = 0; k < op->body[i].operand_count; ++k)
      if (op->body[i].operands[k].source == PGOPT_FROM_ARGUMENT &&
          op->body[i].operands[k].number == argument)
        return true;
  for (size_t r = 0; r < op->result_count; ++r)
    if (op->yields[r].source == PGOPT_FROM_ARGUMENT &&
        op->yields[r].number == argument)
      return true;
  return false;
}

bool pgopt_op_is_fill(const pgopt_network *network, const pgopt_op *op) {
  if (!pgopt_op_is_elementwise(op) || op->capture_count > 0)
    return false;
  for (size_t i = 0; i < op->input_count; ++i)
    if (network->values[op->operands[i]].type.is_shaped)
      return false;
  return op->body_count == 0 && op->yields[0].source == PGOPT_FROM_ARGUMENT &&
         (size_t)op->yields[0].number < op->input_count;
}

/// A fill whose users can all compute it themselves.
static bool is_attached_fill(const pgopt_network *network, const pgopt_op *op) {
  if (!pgopt_op_is_fill(network, op))
    return false;
  const pgopt_value *value = &network->values[op->results[0]];
  for (size_t u = 0; u < value->user_count; ++u) {
    pgopt_op_kind kind = network->ops[value->users[u]].kind;
    if (kind == PGOPT_OP_RETURN || kind == PGOPT_OP_VIEW)
      return false;
  }
  return true;
}

static size_t operand_number(const pgopt_op *op, int value) {
  for (size_t i = 0; i < op->operand_count; ++i)
    if (op->operands[i] == value)
      return i;
  return op->operand_count;
}

static bool uses_once(const pgopt_op *op, int value) {
  size_t uses = 0;
  for (size_t i = 0; i < op->operand_count; ++i)
    uses += op->operands[i] == value;
  for (size_t i = 0; i < op->capture_count; ++i)
    uses += op->captures[i] == value;
  return uses == 1;
}

/// True when the op reduces its operand `k` in a way that the constant does not
/// change: it adds zeros, or looks for the largest beside -inf.
static bool is_neutral(const pgopt_op *op, size_t k, double constant) {
  static const struct {
    const char *name;
    double neutral;
  } reductions[] = {{"arith.addf", 0},
                    {"arith.mulf", 1},
                    {"arith.maximumf", -INFINITY},
                    {"arith.minimumf", INFINITY}};
  if (pgopt_op_is_contraction(op))
    return op->input_count == 2 && constant == 0;
  if (!pgopt_op_is_reduction(op) || op->body_count != 1 ||
      op->body[0].operand_count != 2)
    return false;
  bool reads = false;
  for (size_t i = 0; i < 2; ++i)
    reads |= op->body[0].operands[i].source == PGOPT_FROM_ARGUMENT &&
             op->body[0].operands[i].number == (int)k;
  for (size_t i = 0; i < sizeof reductions / sizeof *reductions; ++i)
    if (!strcmp(op->body[0].name, reductions[i].name))
      return reads && constant == reductions[i].neutral;
  return false;
}

/// True when operations that the constant does not change, and views for them,
/// are all that reads the value.
static bool is_neutral_everywhere(const pgopt_network *network, int value,
                                  double constant) {
  const pgopt_value *v = &network->values[value];
  for (size_t u = 0; u < v->user_count; ++u) {
    const pgopt_op *user = &network->ops[v->users[u]];
    bool is_view = user->kind == PGOPT_OP_VIEW;
    size_t operand = operand_number(user, value);
    if (is_view ? !is_neutral_everywhere(network, user->results[0], constant)
                : !uses_once(user, value) || operand >= user->input_count ||
                      !is_neutral(user, operand, constant))
      return false;
  }
  return v->user_count > 0;
}

bool pgopt_op_is_attached(const pgopt_network *network, int number) {
  const pgopt_op *op = &network->ops[number];
  int64_t elements;
  int source;
  switch (op->kind) {
  case PGOPT_OP_CONSTANT:
    return pgopt_type_elements(&network->values[op->results[0]].type,
                               &elements) &&
           elements <= ATTACHED_ELEMENTS;
  case PGOPT_OP_EMPTY:
  case PGOPT_OP_SCALAR:
    return true;
  case PGOPT_OP_VIEW:
    source = network->values[op->operands[0]].producer;
    return source >= 0 && pgopt_op_is_attached(network, source);
  case PGOPT_OP_STRUCTURED:
    return is_attached_fill(network, op);
  case PGOPT_OP_MOVE:
    return op->is_padding &&
           is_neutral_everywhere(network, op->results[0], op->padding);
  default:
    return false;
  }
}

bool pgopt_op_is_between(const pgopt_network *network, int number) {
  switch (network->ops[number].kind) {
  case PGOPT_OP_CONSTANT:
  case PGOPT_OP_VIEW:
    return !pgopt_op_is_attached(network, number);
  case PGOPT_OP_EFFECT:
  case PGOPT_OP_RETURN:
    return true;
  default:
    return false;
  }
}

bool pgopt_op_is_free(const analysis *a, int op) {
  return a->leader[op] < 0 && !pgopt_op_is_attached(a->network, op) &&
         !pgopt_op_is_between(a->network, op);
}

/// The only operation that uses the only result of `op`; -1 for several.
static int single_user(const analysis *a, int op) {
  if (op_at(a, op)->result_count != 1)
    return -1;
  const pgopt_value *value = value_at(a, op_at(a, op)->results[0]);
  return value->user_count == 1 ? value->users[0] : -1;
}

static bool same_shape(const pgopt_type *a, const pgopt_type *b) {
  return a->is_ranked && b->is_ranked && a->rank == b->rank &&
         !memcmp(a->extents, b->extents, a->rank * sizeof *a->extents);
}

bool pgopt_op_reads_in_place(const pgopt_network *network, const pgopt_op *op,
                             size_t k) {
  const pgopt_type *in = &network->values[op->operands[k]].type;
  const pgopt_type *out = &network->values[op->operands[op->input_count]].type;
  const pgopt_map *from = &op->maps[k], *to = &op->maps[op->input_count];
  if (!same_shape(in, out) || from->result_count != to->result_count)
    return false;
  for (size_t r = 0; r < to->result_count; ++r) {
    int loop = pgopt_linear_single_loop(&to->results[r], op->loop_count);
    if (out->extents[r] != 1 &&
        (loop < 0 ||
         loop != pgopt_linear_single_loop(&from->results[r], op->loop_count)))
      return false;
  }
  int64_t elements, iterations = 1;
  for (size_t l = 0; l < op->loop_count; ++l)
    if (op->loop_extents[l] == PGOPT_DYNAMIC ||
        __builtin_mul_overflow(iterations, op->loop_extents[l], &iterations))
      return false;
  return pgopt_type_elements(out, &elements) && elements == iterations;
}

bool pgopt_op_uses_loop_index(const pgopt_op *op) {
  for (size_t i = 0; i < op->body_count; ++i)
    if (!strcmp(op->body[i].name, "linalg.index"))
      return true;
  return false;
}

static bool captures_arrays(const analysis *a, const pgopt_op *op) {
  for (size_t i = 0; i < op->capture_count; ++i)
    if (value_at(a, op->captures[i])->type.is_shaped)
      return true;
  return false;
}

/// Elementwise operations that may join the kernel of `core`.
static bool may_join(const analysis *a, int op, int core) {
  return pgopt_op_is_free(a, op) && pgopt_op_is_elementwise(op_at(a, op)) &&
         a->epoch[op] == a->epoch[core];
}

bool pgopt_may_join_cut(const analysis *a, int op, int core) {
  const pgopt_op *o = op_at(a, op);
  return may_join(a, op, core) && !pgopt_op_uses_loop_index(o) &&
         !captures_arrays(a, o);
}

static int producer_of(const analysis *a, const pgopt_op *op, size_t operand) {
  return value_at(a, op->operands[operand])->producer;
}

/// Producers of the init, as long as they compute in place.
static void take_init(analysis *a, int core) {
  int producer = producer_of(a, op_at(a, core), op_at(a, core)->input_count);
  if (producer >= 0 && single_user(a, producer) == core &&
      pgopt_may_join_cut(a, producer, core))
    a->leader[producer] = core;
}

static void take_cut_operands(analysis *a, int core) {
  const pgopt_op *op = op_at(a, core);
  int loop = pgopt_range_loop(op);
  for (size_t i = 0; loop >= 0 && i < op->input_count; ++i) {
    int producer = producer_of(a, op, i);
    int dimension = pgopt_map_dimension(op, i, loop);
    if (producer < 0 || dimension < 0 || single_user(a, producer) != core ||
        !pgopt_may_join_cut(a, producer, core) ||
        pgopt_op_is_copy(op_at(a, producer)))
      continue;
    const pgopt_op *p = op_at(a, producer);
    const pgopt_map *out = &p->maps[p->input_count];
    if (pgopt_linear_single_loop(&out->results[dimension], p->loop_count) >= 0)
      a->leader[producer] = core;
  }
}

/// Elementwise operations that feed `user` and nothing else, transitively.
static void take_producers(analysis *a, int core, int user) {
  const pgopt_op *op = op_at(a, user);
  for (size_t i = 0; i < op->input_count; ++i) {
    int producer = producer_of(a, op, i);
    if (producer < 0 || single_user(a, producer) != user ||
        !may_join(a, producer, core))
      continue;
    a->leader[producer] = core;
    take_producers(a, core, producer);
  }
}

/// True for a reduction that slides a window over an operand.
static bool is_window(const pgopt_op *op) {
  if (!pgopt_op_is_reduction(op))
    return false;
  for (size_t k = 0; k < op->input_count; ++k)
    for (size_t r = 0; r < op->maps[k].result_count; ++r) {
      size_t loops = 0;
      for (size_t l = 0; l < op->loop_count; ++l)
        loops += op->maps[k].results[r].coefficients[l] != 0;
      if (loops > 1)
        return true;
    }
  return false;
}

/// The elementwise operation that alone makes what the window slides over,
/// behind the border around it.
static void take_producers_around(analysis *a, int core) {
  const pgopt_op *op = op_at(a, core);
  for (size_t k = 0; k < op->input_count; ++k) {
    int pad = producer_of(a, op, k);
    if (pad < 0 || op_at(a, pad)->kind != PGOPT_OP_MOVE ||
        !pgopt_op_is_attached(a->network, pad) || single_user(a, pad) != core)
      continue;
    int producer = producer_of(a, op_at(a, pad), 0);
    if (producer >= 0 && single_user(a, producer) == pad &&
        pgopt_may_join_cut(a, producer, core))
      a->leader[producer] = core;
  }
}

static void fuse(analysis *a) {
  int count = (int)a->network->op_count;
  for (int i = 0; i < count; ++i)
    if (pgopt_op_is_contraction(op_at(a, i)))
      a->leader[i] = i;
  for (int i = count - 1; i >= 0; --i)
    if (pgopt_op_is_contraction(op_at(a, i)))
      pgopt_take_epilogues(a, i);
  for (int i = 0; i < count; ++i)
    if (pgopt_op_is_free(a, i) && pgopt_op_is_reduction(op_at(a, i)))
      pgopt_take_rows(a, i);
  for (int i = 0; i < count; ++i)
    if (pgopt_op_is_contraction(op_at(a, i))) {
      take_init(a, i);
      take_cut_operands(a, i);
    }
  for (int reductions = 1; reductions >= 0; --reductions)
    for (int i = count - 1; i >= 0; --i)
      if (pgopt_op_is_free(a, i) &&
          (reductions ? pgopt_op_is_reduction(op_at(a, i))
                      : may_join(a, i, i))) {
        a->leader[i] = i;
        if (is_window(op_at(a, i))) {
          pgopt_take_epilogues(a, i);
          take_producers_around(a, i);
        }
        take_producers(a, i, i);
      }
}

static int compare_numbers(const void *left, const void *right) {
  int l = *(const int *)left, r = *(const int *)right;
  return (l > r) - (l < r);
}

/// Finds what the group computes anew, backwards from its members. `stamp`
/// holds per operation the last group that found it.
static void attach(const analysis *a, pgopt_arena *arena, pgopt_group *group,
                   int *stamp, int number) {
  int *found = NULL;
  size_t count = 0, capacity = 0;
  for (size_t next = 0; next < group->member_count + count; ++next) {
    const pgopt_op *op = op_at(a, next < group->member_count
                                      ? group->members[next]
                                      : found[next - group->member_count]);
    for (size_t k = 0; k < op->operand_count + op->capture_count; ++k) {
      int value = k < op->operand_count ? op->operands[k]
                                        : op->captures[k - op->operand_count];
      int producer = value < 0 ? -1 : value_at(a, value)->producer;
      if (producer < 0 || stamp[producer] == number ||
          !pgopt_op_is_attached(a->network, producer))
        continue;
      stamp[producer] = number;
      PGOPT_APPEND(found, count, capacity, producer);
    }
  }
  if (count)
    qsort(found, count, sizeof *found, compare_numbers);
  group->attached = pgopt_arena_copy(arena, found, count * sizeof *found);
  group->attached_count = count;
  free(found);
}

static void collect(const analysis *a, pgopt_grouping *grouping) {
  size_t count = a->network->op_count;
  pgopt_arena *arena = &grouping->arena;
  int *place = pgopt_group_places(a);
  int *sizes = pgopt_allocate(count, sizeof *sizes);
  int *stamp = pgopt_allocate(count, sizeof *stamp);
  int *number_of_core = pgopt_allocate(count, sizeof *number_of_core);
  int *group_of = pgopt_arena_allocate(arena, count, sizeof *group_of);
  for (size_t i = 0; i < count; ++i)
    if (a->leader[i] >= 0)
      ++sizes[a->leader[i]];
  for (size_t i = 0; i < count; ++i)
    grouping->group_count += sizes[i] > 0;
  grouping->groups = pgopt_arena_allocate(arena, grouping->group_count,
                                          sizeof *grouping->groups);
  /* Groups in the order of their last members. */
  int number = 0;
  for (size_t i = 0; i < count; ++i) {
    int core = a->leader[i];
    if (core < 0 || place[core] != (int)i)
      continue;
    number_of_core[core] = number;
    pgopt_group *group = &grouping->groups[number++];
    group->core = core;
    group->members = pgopt_arena_allocate(arena, (size_t)sizes[core],
                                          sizeof *group->members);
  }
  for (size_t i = 0; i < count; ++i) {
    stamp[i] = group_of[i] = -1;
    if (a->leader[i] < 0)
      continue;
    group_of[i] = number_of_core[a->leader[i]];
    pgopt_group *group = &grouping->groups[group_of[i]];
    ((int *)group->members)[group->member_count++] = (int)i;
  }
  for (int g = 0; g < number; ++g) {
    pgopt_group *group = &grouping->groups[g];
    const pgopt_op *core = op_at(a, group->core);
    group->id =
        grouping->groups_are_given
            ? core->group
            : pgopt_arena_format(arena, "%s_%d", pgopt_op_stem(core), g);
    attach(a, arena, group, stamp, g);
  }
  grouping->group_of = group_of;
  free(number_of_core);
  free(stamp);
  free(sizes);
  free(place);
}

pgopt_status pgopt_group_network(const pgopt_network *network, bool fuse_ops,
                                 pgopt_grouping *grouping, pgopt_error *error) {
  *grouping = (pgopt_grouping){0};
  for (size_t i = 0; i < network->op_count; ++i)
    if (network->ops[i].kind == PGOPT_OP_TOSA ||
        !strncmp(network->ops[i].name, "tosa.", 5))
      return pgopt_fail(error, PGOPT_UNSUPPORTED,
                        "'%s' cannot be grouped before it is lowered to "
                        "linalg; run --pgopt-normalize first",
                        network->ops[i].name);
  analysis a = {network, pgopt_allocate(network->op_count, sizeof *a.leader),
                pgopt_allocate(network->op_count, sizeof *a.epoch)};
  int effects = 0;
  for (size_t i = 0; i < network->op_count; ++i) {
    a.leader[i] = -1;
    effects += network->ops[i].kind == PGOPT_OP_EFFECT;
    a.epoch[i] = effects;
  }
  bool taken = pgopt_take_given_groups(&a);
  if (!taken) {
    if (fuse_ops)
      fuse(&a);
    for (int i = 0; i < (int)network->op_count; ++i)
      if (pgopt_op_is_free(&a, i))
        a.leader[i] = i;
  }
  grouping->groups_are_given = taken;
  collect(&a, grouping);
  free(a.epoch);
  free(a.leader);
  return PGOPT_OK;
}

void pgopt_grouping_free(pgopt_grouping *grouping) {
  pgopt_arena_free(&grouping->arena);
  *grouping = (pgopt_grouping){0};
}
