/// \file Chains of operations that are one kernel.
#include "grouping/chains.h"

#include "grouping/grouping.h"

enum { MAX_SEGMENT = 20 };

static const pgopt_op *op_at(const pgopt_group_analysis *a, int op) {
  return &a->network->ops[op];
}

static const pgopt_value *value_at(const pgopt_group_analysis *a, int value) {
  return &a->network->values[value];
}

/// True when the op reads the value nowhere but where it writes.
static bool reads_only_in_place(const pgopt_group_analysis *a, int op,
                                int value) {
  const pgopt_op *o = op_at(a, op);
  for (size_t k = 0; k < o->operand_count; ++k)
    if (o->operands[k] == value && !pgopt_op_reads_in_place(a->network, o, k))
      return false;
  return true;
}

/// Operations behind one place of a chain.
typedef struct segment {
  int ops[MAX_SEGMENT]; ///< ascending
  size_t count;
} segment;

static bool is_in_segment(const segment *s, int op) {
  for (size_t i = 0; i < s->count; ++i)
    if (s->ops[i] == op)
      return true;
  return false;
}

/// The first user of what the segment, or `last` before it, computes that is
/// not in it; -1 when there is none.
static int next_user(const pgopt_group_analysis *a, int last,
                     const segment *s) {
  int next = -1;
  for (size_t i = 0; i <= s->count; ++i) {
    int op = i ? s->ops[i - 1] : last;
    const pgopt_value *value = value_at(a, op_at(a, op)->results[0]);
    for (size_t u = 0; u < value->user_count; ++u) {
      int user = value->users[u];
      if (!is_in_segment(s, user) && (next < 0 || user < next))
        next = user;
    }
  }
  return next;
}

/// True when all that the segment, and `last` before it, computes is used in it
/// but for its last result.
static bool is_joined(const pgopt_group_analysis *a, int last,
                      const segment *s) {
  for (size_t i = 0; i < s->count; ++i) {
    int op = i ? s->ops[i - 1] : last;
    const pgopt_value *value = value_at(a, op_at(a, op)->results[0]);
    for (size_t u = 0; u < value->user_count; ++u)
      if (!is_in_segment(s, value->users[u]))
        return false;
  }
  return s->count > 0;
}

/// True when the op may follow in the contraction's kernel: elementwise, and
/// what it reads of the kernel it reads in place.
static bool may_follow_in_place(const pgopt_group_analysis *a, int op, int core,
                                int last, const segment *s) {
  if (op < 0 || !pgopt_may_join_cut(a, op, core))
    return false;
  for (size_t i = 0; i <= s->count; ++i) {
    int value = op_at(a, i ? s->ops[i - 1] : last)->results[0];
    if (!reads_only_in_place(a, op, value))
      return false;
  }
  return true;
}

/// Finds the next operations of a chain: one that follows, or several whose
/// ways part behind `last` and join again (x * sigmoid(x)).
static bool find_segment(const pgopt_group_analysis *a, int core, int last,
                         segment *s) {
  s->count = 0;
  if (op_at(a, last)->result_count != 1)
    return false;
  while (s->count < MAX_SEGMENT) {
    int next = next_user(a, last, s);
    if (!may_follow_in_place(a, next, core, last, s))
      return false;
    s->ops[s->count++] = next;
    if (is_joined(a, last, s))
      return true;
  }
  return false;
}

void pgopt_take_epilogues(pgopt_group_analysis *a, int core) {
  segment s;
  for (int last = core; find_segment(a, core, last, &s);) {
    for (size_t i = 0; i < s.count; ++i)
      a->leader[s.ops[i]] = core;
    last = s.ops[s.count - 1];
  }
}

/// What operations along the same rows have in common: loops over the rows,
/// then loops along a row.
typedef struct row_space {
  size_t rows, loops;
  const int64_t *extents;
} row_space;

/// True when the operand's first dimensions are the loops up to `loops`, and it
/// has no others.
static bool is_identity(const pgopt_op *op, size_t operand, size_t loops) {
  const pgopt_map *map = &op->maps[operand];
  if (map->result_count != loops)
    return false;
  for (size_t l = 0; l < loops; ++l)
    if (pgopt_linear_single_loop(&map->results[l], op->loop_count) != (int)l)
      return false;
  return true;
}

/// True when the operand has all loops along a row, as its last dimensions, or
/// none, and every other dimension is a loop or fixed.
static bool is_contiguous(const pgopt_op *op, size_t operand, size_t rows) {
  const pgopt_map *map = &op->maps[operand];
  size_t along = 0;
  for (size_t r = 0; r < map->result_count; ++r) {
    const pgopt_linear *e = &map->results[r];
    int loop = pgopt_linear_single_loop(e, op->loop_count);
    if (!e->is_linear)
      return false;
    if (loop < 0) {
      for (size_t l = 0; l < op->loop_count; ++l)
        if (e->coefficients[l])
          return false;
    } else if ((size_t)loop >= rows) {
      if ((size_t)loop != rows + along)
        return false;
      ++along;
    }
    if (along && (loop < 0 || (size_t)loop < rows))
      return false;
  }
  return !along || rows + along == op->loop_count;
}

static bool is_float(const pgopt_group_analysis *a, const pgopt_op *op) {
  int bits = value_at(a, op->results[0])->type.element_bits;
  for (size_t k = 0; k < op->operand_count; ++k) {
    const pgopt_type *type = &value_at(a, op->operands[k])->type;
    if (type->element != PGOPT_FLOAT || type->element_bits != bits)
      return false;
  }
  return bits == 32 || bits == 64;
}

/// True when the op computes rows of the space: elements of them, numbers of
/// them, or a reduction along them.
static bool is_along_rows(const pgopt_group_analysis *a, int number,
                          const row_space *s) {
  const pgopt_op *op = op_at(a, number);
  if (op->kind != PGOPT_OP_STRUCTURED || op->result_count != 1 ||
      (op->loop_count != s->loops && op->loop_count != s->rows) ||
      !is_float(a, op) || pgopt_op_uses_loop_index(op))
    return false;
  for (size_t i = 0; i < op->capture_count; ++i)
    if (value_at(a, op->captures[i])->type.is_shaped)
      return false;
  size_t out = s->rows;
  for (size_t l = 0; l < op->loop_count; ++l) {
    if (op->loop_extents[l] != s->extents[l] ||
        (op->loop_is_reduction[l] &&
         (l < s->rows || !op->loop_is_reduction[s->rows])))
      return false;
    if (!op->loop_is_reduction[l])
      out = l + 1;
  }
  bool reduces = op->loop_count == s->loops && out == s->rows;
  if ((!reduces && out != op->loop_count) ||
      !is_identity(op, op->input_count, out) ||
      reduces != pgopt_op_reads_init(op, 0))
    return false;
  for (size_t k = 0; k < op->input_count; ++k)
    if (!is_contiguous(op, k, s->rows))
      return false;
  int init = value_at(a, op->operands[op->input_count])->producer;
  return !reduces || (init >= 0 && pgopt_op_is_attached(a->network, init) &&
                      pgopt_op_is_fill(a->network, op_at(a, init)));
}

/// True when the op reads what the other one computes on its own row only.
static bool reads_own_row(const pgopt_group_analysis *a, int op, int other,
                          const row_space *s) {
  const pgopt_op *o = op_at(a, op);
  int value = op_at(a, other)->results[0];
  size_t rank = value_at(a, value)->type.rank;
  for (size_t k = 0; k < o->operand_count; ++k)
    if (o->operands[k] == value &&
        (k >= o->input_count || (rank != s->rows && rank != s->loops) ||
         !is_identity(o, k, rank)))
      return false;
  return true;
}

static bool may_follow_along(const pgopt_group_analysis *a, int op, int first,
                             const segment *members, const row_space *s) {
  if (op < 0 || !pgopt_op_is_free(a, op) || a->epoch[op] != a->epoch[first] ||
      pgopt_op_is_contraction(op_at(a, op)) || !is_along_rows(a, op, s))
    return false;
  for (size_t i = 0; i <= members->count; ++i)
    if (!reads_own_row(a, op, i ? members->ops[i - 1] : first, s))
      return false;
  return true;
}

/// Elementwise operations that only the group reads, in front of it.
static void take_along_producers(pgopt_group_analysis *a, int op, int core,
                                 const row_space *s) {
  const pgopt_op *o = op_at(a, op);
  for (size_t k = 0; k < o->input_count; ++k) {
    int producer = value_at(a, o->operands[k])->producer;
    if (producer < 0 || !pgopt_may_join_cut(a, producer, core) ||
        !is_along_rows(a, producer, s))
      continue;
    const pgopt_value *value = value_at(a, o->operands[k]);
    bool inside = true;
    for (size_t u = 0; u < value->user_count && inside; ++u)
      inside = a->leader[value->users[u]] == core &&
               reads_own_row(a, value->users[u], producer, s);
    if (!inside)
      continue;
    a->leader[producer] = core;
    take_along_producers(a, producer, core, s);
  }
}

bool pgopt_take_rows(pgopt_group_analysis *a, int reduction) {
  const pgopt_op *op = op_at(a, reduction);
  row_space s = {.loops = op->loop_count, .extents = op->loop_extents};
  while (s.rows < s.loops && !op->loop_is_reduction[s.rows])
    ++s.rows;
  for (size_t l = 0; l < s.loops; ++l)
    if (s.extents[l] == PGOPT_DYNAMIC)
      return false;
  segment members = {.count = 0};
  if (!s.rows || pgopt_op_is_contraction(op) ||
      !is_along_rows(a, reduction, &s))
    return false;
  size_t taken = 0;
  bool has_rows = false; // not only numbers
  while (members.count < MAX_SEGMENT) {
    int next = next_user(a, reduction, &members);
    if (!may_follow_along(a, next, reduction, &members, &s))
      break;
    members.ops[members.count++] = next;
    has_rows |= op_at(a, next)->loop_count == s.loops;
    if (has_rows && is_joined(a, reduction, &members))
      taken = members.count;
  }
  if (!taken)
    return false;
  a->leader[reduction] = reduction;
  for (size_t i = 0; i < taken; ++i)
    a->leader[members.ops[i]] = reduction;
  for (size_t i = taken; i-- > 0;)
    take_along_producers(a, members.ops[i], reduction, &s);
  take_along_producers(a, reduction, reduction, &s);
  return true;
}
