/// \file Writing a loop nest.
#include "tensor/nest_builder.h"

#include "base/checked_math.h"

#include <stdlib.h>
#include <string.h>

int pgopt_scalar_arity(pgopt_scalar_kind op) {
  if (op <= PGOPT_S_LOAD)
    return 0;
  if (op == PGOPT_S_SELECT)
    return 3;
  return op == PGOPT_S_CAST || op >= PGOPT_S_NEG ? 1 : 2;
}

void pgopt_nest_begin(pgopt_nest_builder *n, pgopt_tensor_program *program,
                      int loops, const int64_t *extents, int parallel,
                      pgopt_number type) {
  pgopt_number computed = pgopt_number_computed(type);
  *n = (pgopt_nest_builder){
      .program = program,
      .computed = pgopt_number_is_float(computed) ? computed : PGOPT_F32,
      .nest = {.loops = loops,
               .parallel = parallel,
               .type = type,
               .extents = pgopt_arena_copy(&program->arena, extents,
                                           (size_t)loops * sizeof *extents)}};
  n->failed = pgopt_tensors_failed(program);
  if (loops > PGOPT_MAX_LOOPS) {
    pgopt_tensors_fail(program, PGOPT_OUT_OF_RANGE, "more than %d loops",
                       PGOPT_MAX_LOOPS);
    n->failed = true;
  }
}

static int push(pgopt_nest_builder *n, pgopt_scalar scalar) {
  if (n->failed)
    return -1;
  PGOPT_APPEND(n->body, n->body_count, n->body_capacity, scalar);
  return (int)n->body_count - 1;
}

/// True when `row` stays within [0, extent) for all iterations.
static bool stays_within(const pgopt_nest *nest, const int64_t *row,
                         int64_t extent) {
  int64_t least = row[nest->loops], most = least;
  for (int l = 0; l < nest->loops; ++l) {
    int64_t reach;
    if (!nest->extents[l])
      return true;
    if (!row[l])
      continue;
    if (!pgopt_checked_multiply(row[l], nest->extents[l] - 1, &reach) ||
        !pgopt_checked_add(row[l] < 0 ? least : most, reach,
                           row[l] < 0 ? &least : &most))
      return false;
  }
  return least >= 0 && most < extent;
}

int pgopt_nest_read(pgopt_nest_builder *n, int tensor, const int64_t *rows) {
  if (tensor < 0)
    n->failed = true;
  if (n->failed)
    return -1;
  const pgopt_tensor *from = pgopt_tensors_tensor(n->program, tensor);
  for (int i = 0; i < from->rank; ++i)
    if (!stays_within(&n->nest, rows + i * (n->nest.loops + 1),
                      from->shape[i])) {
      n->failed = true;
      return pgopt_tensors_fail(n->program, PGOPT_INVALID,
                                "an input of extent %lld in dimension %d is "
                                "too short for the others",
                                (long long)from->shape[i], i);
    }
  // One number that is known becomes a constant of the expression.
  if (from->count == 1 && from->data)
    return pgopt_nest_constant(n, pgopt_number_computed(from->type),
                               pgopt_number_read(from->type, from->data, 0));
  size_t bytes =
      (size_t)from->rank * (size_t)(n->nest.loops + 1) * sizeof *rows;
  pgopt_access access = {tensor, from->rank,
                         pgopt_arena_copy(&n->program->arena, rows, bytes)};
  pgopt_scalar scalar = {.op = PGOPT_S_OPERAND,
                         .type = pgopt_number_computed(from->type),
                         .a = (int)n->operand_count};
  PGOPT_APPEND(n->operands, n->operand_count, n->operand_capacity, access);
  return push(n, scalar);
}

int pgopt_nest_read_loops(pgopt_nest_builder *n, int tensor, const int *loops) {
  const pgopt_tensor *from = pgopt_tensors_tensor(n->program, tensor);
  int64_t *rows = pgopt_allocate(
      (size_t)from->rank * ((size_t)n->nest.loops + 1), sizeof *rows);
  for (int i = 0; i < from->rank; ++i)
    if (loops[i] >= 0)
      rows[i * (n->nest.loops + 1) + loops[i]] = 1;
  int result = pgopt_nest_read(n, tensor, rows);
  free(rows);
  return result;
}

int pgopt_nest_read_broadcast(pgopt_nest_builder *n, int tensor) {
  const pgopt_tensor *from = pgopt_tensors_tensor(n->program, tensor);
  int loops[PGOPT_MAX_TENSOR_RANK], shift = n->nest.parallel - from->rank;
  for (int i = 0; i < from->rank; ++i) {
    bool fits = shift + i >= 0 && from->shape[i] == n->nest.extents[shift + i];
    if (!fits && from->shape[i] != 1) {
      pgopt_tensors_fail(n->program, PGOPT_INVALID,
                         "an operand of extent %lld in dimension %d cannot be "
                         "broadcast",
                         (long long)from->shape[i], i);
      n->failed = true;
    }
    loops[i] = fits && from->shape[i] != 1 ? shift + i : -1;
    if (fits && from->shape[i] == 1)
      loops[i] = shift + i;
  }
  // Leading extents of 1 beyond the result's rank are dropped.
  if (shift < 0 && !n->failed) {
    tensor = pgopt_tensors_reshape(n->program, tensor, n->nest.parallel,
                                   from->shape - shift);
    return pgopt_nest_read_loops(n, tensor, loops - shift);
  }
  return pgopt_nest_read_loops(n, tensor, loops);
}

int pgopt_nest_load(pgopt_nest_builder *n, int tensor, const int *indices) {
  if (tensor < 0)
    n->failed = true;
  if (n->failed)
    return -1;
  const pgopt_tensor *from = pgopt_tensors_tensor(n->program, tensor);
  int clamped[PGOPT_MAX_TENSOR_RANK];
  for (int i = 0; i < from->rank; ++i) {
    if (!from->shape[i]) {
      n->failed = true;
      return pgopt_tensors_fail(n->program, PGOPT_INVALID,
                                "indices into a tensor without elements");
    }
    clamped[i] = s_max(n, s_min(n, indices[i], s_i64(n, from->shape[i] - 1)),
                       s_i64(n, 0));
  }
  pgopt_scalar scalar = {.op = PGOPT_S_LOAD,
                         .type = pgopt_number_computed(from->type),
                         .a = tensor,
                         .indices = (int)n->index_count,
                         .index_count = from->rank};
  for (int i = 0; i < from->rank; ++i)
    PGOPT_APPEND(n->indices, n->index_count, n->index_capacity, clamped[i]);
  return push(n, scalar);
}

int pgopt_nest_init(pgopt_nest_builder *n, pgopt_scalar_value init) {
  n->nest.init = init;
  return push(n, (pgopt_scalar){.op = PGOPT_S_RESULT,
                                .type = pgopt_number_computed(n->nest.type)});
}

int pgopt_nest_constant(pgopt_nest_builder *n, pgopt_number type,
                        pgopt_scalar_value value) {
  pgopt_scalar scalar = {.op = PGOPT_S_CONSTANT, .type = type, .value = value};
  if (type == PGOPT_F32)
    scalar.value.f = (float)value.f;
  return push(n, scalar);
}

int pgopt_nest_index(pgopt_nest_builder *n, int loop) {
  return push(
      n, (pgopt_scalar){.op = PGOPT_S_INDEX, .type = PGOPT_I64, .a = loop});
}

int pgopt_nest_scalar(pgopt_nest_builder *n, pgopt_scalar_kind op, int a, int b,
                      int c) {
  int arity = pgopt_scalar_arity(op);
  if (n->failed || a < 0 || (arity > 1 && b < 0) || (arity > 2 && c < 0)) {
    n->failed = true;
    return -1;
  }
  pgopt_number type = n->body[a].type;
  pgopt_number other = arity == 3 ? n->body[c].type : type;
  if (arity == 3)
    type = n->body[b].type;
  else if (arity == 2)
    other = n->body[b].type;
  if (type != other) {
    n->failed = true;
    return pgopt_tensors_fail(
        n->program, PGOPT_INVALID, "operands have the types %s and %s",
        pgopt_number_name(type), pgopt_number_name(other));
  }
  if (op >= PGOPT_S_EQ && op <= PGOPT_S_GE)
    type = PGOPT_BOOL;
  return push(n,
              (pgopt_scalar){.op = op, .type = type, .a = a, .b = b, .c = c});
}

int pgopt_nest_cast(pgopt_nest_builder *n, int a, pgopt_number type) {
  if (a < 0 || n->failed) {
    n->failed = true;
    return -1;
  }
  type = pgopt_number_computed(type);
  if (n->body[a].type == type)
    return a;
  return push(n, (pgopt_scalar){.op = PGOPT_S_CAST, .type = type, .a = a});
}

pgopt_number pgopt_nest_type(const pgopt_nest_builder *n, int scalar) {
  return n->failed || scalar < 0 ? PGOPT_F32 : n->body[scalar].type;
}

/// The scalars that `s` is made of, in order; at most one at a time is asked
/// for: number `k`, or -1 behind the last.
static int nth_part(const pgopt_nest_builder *n, const pgopt_scalar *s, int k) {
  if (s->op == PGOPT_S_LOAD)
    return k < s->index_count ? n->indices[s->indices + k] : -1;
  const int parts[] = {s->a, s->b, s->c};
  return k < pgopt_scalar_arity(s->op) ? parts[k] : -1;
}

/// Brings scalars and operands in the order in which the yielded expression
/// reads from left to right, and drops what it does not use: the result does
/// not depend on the order of calls that built it. Depth first on a stack of
/// our own.
static void order_body(pgopt_nest_builder *n, int *yield) {
  size_t count = n->body_count, top = 0, kept = 0, operands = 0;
  int *number = pgopt_allocate(count, sizeof *number); // -1: not placed yet
  int *stack = pgopt_allocate(count + 1, sizeof *stack);
  int *part = pgopt_allocate(count, sizeof *part);
  int *operand_number = pgopt_allocate(n->operand_count, sizeof *number);
  pgopt_scalar *body = pgopt_allocate(count, sizeof *body);
  pgopt_access *accesses = pgopt_allocate(n->operand_count, sizeof *accesses);
  memset(number, -1, count * sizeof *number);
  memset(operand_number, -1, n->operand_count * sizeof *number);
  stack[top++] = *yield;
  while (top) {
    int at = stack[top - 1];
    int next = nth_part(n, &n->body[at], part[at]++);
    if (next >= 0) {
      if (number[next] < 0)
        stack[top++] = next;
      continue;
    }
    --top;
    pgopt_scalar s = n->body[at];
    int *const parts[] = {&s.a, &s.b, &s.c};
    for (int k = 0; k < pgopt_scalar_arity(s.op); ++k)
      *parts[k] = number[*parts[k]];
    for (int k = 0; s.op == PGOPT_S_LOAD && k < s.index_count; ++k)
      n->indices[s.indices + k] = number[n->indices[s.indices + k]];
    if (s.op == PGOPT_S_OPERAND) {
      if (operand_number[s.a] < 0) {
        operand_number[s.a] = (int)operands;
        accesses[operands++] = n->operands[s.a];
      }
      s.a = operand_number[s.a];
    }
    number[at] = (int)kept;
    body[kept++] = s;
  }
  *yield = number[*yield];
  free(number);
  free(stack);
  free(part);
  free(operand_number);
  free(n->body);
  free(n->operands);
  n->body = body;
  n->body_count = kept;
  n->operands = accesses;
  n->operand_count = operands;
}

int pgopt_nest_end(pgopt_nest_builder *n, int yield) {
  int result = -1;
  yield = pgopt_nest_cast(n, yield, n->nest.type);
  if (!n->failed) {
    order_body(n, &yield);
    pgopt_arena *arena = &n->program->arena;
    pgopt_nest nest = n->nest;
    nest.yield = yield;
    nest.operand_count = (int)n->operand_count;
    nest.operands = pgopt_arena_copy(arena, n->operands,
                                     n->operand_count * sizeof *n->operands);
    nest.body_count = (int)n->body_count;
    nest.body =
        pgopt_arena_copy(arena, n->body, n->body_count * sizeof *n->body);
    nest.indices = pgopt_arena_copy(arena, n->indices,
                                    n->index_count * sizeof *n->indices);
    result = pgopt_tensors_nest(n->program, &nest);
  } else {
    pgopt_tensors_fail(n->program, PGOPT_INVALID,
                       "the operation has no "
                       "meaning for these inputs");
  }
  free(n->operands);
  free(n->body);
  free(n->indices);
  n->operands = NULL;
  n->body = NULL;
  n->indices = NULL;
  return result;
}

int pgopt_tensors_cast(pgopt_tensor_program *p, int tensor, pgopt_number type) {
  if (tensor < 0)
    return -1;
  const pgopt_tensor *from = pgopt_tensors_tensor(p, tensor);
  if (from->type == type)
    return tensor;
  pgopt_nest_builder n;
  pgopt_nest_begin(&n, p, from->rank, from->shape, from->rank, type);
  return pgopt_nest_end(&n, pgopt_nest_read_broadcast(&n, tensor));
}
