/// \file Builds small networks by hand: structured operations from equations.
#ifndef PGOPT_TEST_NETWORK_BUILDER_H
#define PGOPT_TEST_NETWORK_BUILDER_H

#include "base/text.h"
#include "network/network.h"

#include <stdlib.h>
#include <string.h>

typedef struct network_builder {
  pgopt_network network;
  size_t op_capacity, value_capacity;
} network_builder;

/// A tensor of f32; `extents` holds `rank` numbers.
static inline pgopt_type tensor_type(network_builder *b, size_t rank,
                                     const int64_t *extents) {
  pgopt_arena *arena = &b->network.arena;
  pgopt_text text = {0};
  pgopt_text_append(&text, "tensor<");
  for (size_t i = 0; i < rank; ++i)
    pgopt_text_append(&text, "%lldx", (long long)extents[i]);
  pgopt_text_append(&text, "f32>");
  pgopt_type type = {
      .element = PGOPT_FLOAT,
      .element_bits = 32,
      .is_shaped = true,
      .is_ranked = true,
      .rank = rank,
      .extents = pgopt_arena_copy(arena, extents, rank * sizeof *extents),
      .text = pgopt_arena_text(arena, text.data, text.size)};
  pgopt_text_free(&text);
  return type;
}

#define EXTENTS(...)                                                           \
  sizeof((int64_t[]){__VA_ARGS__}) / sizeof(int64_t), (int64_t[]) {            \
    __VA_ARGS__                                                                \
  }

static inline int add_value(network_builder *b, pgopt_type type, int producer) {
  pgopt_value value = {.type = type, .producer = producer};
  PGOPT_APPEND(b->network.values, b->network.value_count, b->value_capacity,
               value);
  return (int)b->network.value_count - 1;
}

static inline int add_argument(network_builder *b, size_t rank,
                               const int64_t *extents) {
  ++b->network.argument_count;
  return add_value(b, tensor_type(b, rank, extents), -1);
}

static inline int add_op(network_builder *b, pgopt_op op, size_t rank,
                         const int64_t *extents) {
  int number = (int)b->network.op_count;
  int *result = pgopt_arena_allocate(&b->network.arena, 1, sizeof *result);
  *result = add_value(b, tensor_type(b, rank, extents), number);
  op.results = result;
  op.result_count = 1;
  op.location = "";
  op.attributes = op.attributes ? op.attributes : "";
  op.trip_count = -1;
  PGOPT_APPEND(b->network.ops, b->network.op_count, b->op_capacity, op);
  return *result;
}

static inline int add_empty(network_builder *b, size_t rank,
                            const int64_t *extents) {
  return add_op(b, (pgopt_op){.kind = PGOPT_OP_EMPTY, .name = "tensor.empty"},
                rank, extents);
}

/// Any other operation on values, "tensor.pad" and so on.
static inline int add_plain(network_builder *b, pgopt_op_kind kind,
                            const char *name, const int *operands, size_t count,
                            size_t rank, const int64_t *extents) {
  return add_op(
      b,
      (pgopt_op){.kind = kind,
                 .name = name,
                 .operands = pgopt_arena_copy(&b->network.arena, operands,
                                              count * sizeof *operands),
                 .operand_count = count,
                 .input_count = count},
      rank, extents);
}

/// A structured operation: loops are letters, upper case for reductions. The
/// equation has a group a operand, the last one the init: "iK,Kj,ij". A letter
/// pair "xR" joined by '+' is a window: "x+R". The body is a chain of binary
/// scalar operations over the inputs and then, for reductions, the init.
static inline int add_structured(network_builder *b, const char *name,
                                 const char *equation, const int *operands,
                                 size_t count, const char *const *body,
                                 size_t body_count) {
  pgopt_arena *arena = &b->network.arena;
  char letters[16];
  size_t loops = 0;
  for (const char *c = equation; *c; ++c)
    if (*c != ',' && *c != '+' && !memchr(letters, *c, loops))
      letters[loops++] = *c;
  bool *reduction = pgopt_arena_allocate(arena, loops, sizeof *reduction);
  int64_t *extents = pgopt_arena_allocate(arena, loops, sizeof *extents);
  bool any_reduction = false;
  for (size_t l = 0; l < loops; ++l) {
    reduction[l] = letters[l] >= 'A' && letters[l] <= 'Z';
    any_reduction |= reduction[l];
    extents[l] = PGOPT_DYNAMIC;
  }
  pgopt_map *maps = pgopt_arena_allocate(arena, count, sizeof *maps);
  const char *c = equation;
  for (size_t i = 0; i < count; ++i) {
    const pgopt_type *type = &b->network.values[operands[i]].type;
    pgopt_linear *results =
        pgopt_arena_allocate(arena, type->rank, sizeof *results);
    for (size_t r = 0; r < type->rank; ++r) {
      int64_t *k = pgopt_arena_allocate(arena, loops, sizeof *k);
      size_t terms = 0, loop = 0;
      do {
        loop = (size_t)((char *)memchr(letters, *c, loops) - letters);
        k[loop] += 1;
        ++terms;
      } while (*++c == '+' && *++c);
      if (terms == 1)
        extents[loop] = type->extents[r];
      results[r] = (pgopt_linear){.is_linear = true, .coefficients = k};
    }
    maps[i] = (pgopt_map){results, type->rank};
    c += *c == ',';
  }
  pgopt_scalar_op *scalars =
      pgopt_arena_allocate(arena, body_count, sizeof *scalars);
  for (size_t i = 0; i < body_count; ++i) {
    pgopt_scalar_operand *o = pgopt_arena_allocate(arena, 2, sizeof *o);
    o[0] = i ? (pgopt_scalar_operand){PGOPT_FROM_BODY, (int)i - 1}
             : (pgopt_scalar_operand){PGOPT_FROM_ARGUMENT, 0};
    bool last = i + 1 == body_count && any_reduction;
    size_t inputs = count - 1;
    o[1] = (pgopt_scalar_operand){PGOPT_FROM_ARGUMENT,
                                  (int)(last             ? inputs
                                        : i + 1 < inputs ? i + 1
                                                         : inputs - 1)};
    scalars[i] = (pgopt_scalar_op){.name = body[i],
                                   .attributes = "",
                                   .type = "f32",
                                   .operands = o,
                                   .operand_count = 2};
  }
  pgopt_scalar_operand *yield = pgopt_arena_allocate(arena, 1, sizeof *yield);
  *yield = body_count
               ? (pgopt_scalar_operand){PGOPT_FROM_BODY, (int)body_count - 1}
               : (pgopt_scalar_operand){PGOPT_FROM_ARGUMENT, 0};
  const pgopt_type *out = &b->network.values[operands[count - 1]].type;
  return add_op(b,
                (pgopt_op){.kind = PGOPT_OP_STRUCTURED,
                           .name = name,
                           .operands = pgopt_arena_copy(
                               arena, operands, count * sizeof *operands),
                           .operand_count = count,
                           .input_count = count - 1,
                           .loop_count = loops,
                           .loop_extents = extents,
                           .loop_is_reduction = reduction,
                           .maps = maps,
                           .body = scalars,
                           .body_count = body_count,
                           .yields = yield},
                out->rank, out->extents);
}

/// Ends the function with these results, and lists every value's users.
static inline void finish_network(network_builder *b, const int *results,
                                  size_t count) {
  pgopt_arena *arena = &b->network.arena;
  pgopt_op op = {.kind = PGOPT_OP_RETURN,
                 .name = "func.return",
                 .location = "",
                 .attributes = "",
                 .operands =
                     pgopt_arena_copy(arena, results, count * sizeof *results),
                 .operand_count = count,
                 .input_count = count,
                 .trip_count = -1};
  PGOPT_APPEND(b->network.ops, b->network.op_count, b->op_capacity, op);
  for (size_t v = 0; v < b->network.value_count; ++v) {
    int *users =
        pgopt_arena_allocate(arena, b->network.op_count, sizeof *users);
    size_t found = 0;
    for (size_t i = 0; i < b->network.op_count; ++i)
      for (size_t k = 0; k < b->network.ops[i].operand_count; ++k)
        if (b->network.ops[i].operands[k] == (int)v &&
            (!found || users[found - 1] != (int)i))
          users[found++] = (int)i;
    b->network.values[v].users = users;
    b->network.values[v].user_count = found;
  }
}

#endif // PGOPT_TEST_NETWORK_BUILDER_H
