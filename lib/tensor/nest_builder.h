/// \file Writing a loop nest: begin, read operands, combine scalars, end.
///
/// Scalars are named by their index in the body. All failures go to the
/// program; -1 stands for what failed and is accepted everywhere.
///
///     pgopt_nest_builder n;
///     pgopt_nest_begin(&n, program, rank, shape, rank, PGOPT_F32);
///     int x = pgopt_nest_read_broadcast(&n, tensor);
///     return pgopt_nest_end(&n, s_max(&n, x, s_float(&n, 0)));
#ifndef PGOPT_TENSOR_NEST_BUILDER_H
#define PGOPT_TENSOR_NEST_BUILDER_H

#include "tensor/tensor_program.h"

typedef struct pgopt_nest_builder {
  pgopt_tensor_program *program;
  pgopt_nest nest;
  pgopt_number computed; ///< type that float constants take
  pgopt_access *operands;
  size_t operand_count, operand_capacity;
  pgopt_scalar *body;
  size_t body_count, body_capacity;
  int *indices;
  size_t index_count, index_capacity;
  bool failed;
} pgopt_nest_builder;

/// `parallel` of the `loops` are the result's dimensions; `type` is that of the
/// result's elements. A nest with reduction loops needs `pgopt_nest_init`.
void pgopt_nest_begin(pgopt_nest_builder *n, pgopt_tensor_program *program,
                      int loops, const int64_t *extents, int parallel,
                      pgopt_number type);

/// The element at rows of `loops + 1` numbers, one row a dimension. Fails when
/// an iteration would read outside of the tensor.
int pgopt_nest_read(pgopt_nest_builder *n, int tensor, const int64_t *rows);
/// Dimension i of the tensor is loop loops[i], or 0 where that is -1.
int pgopt_nest_read_loops(pgopt_nest_builder *n, int tensor, const int *loops);
/// The last dimension is the last parallel loop and so on; extents of 1 are
/// broadcast.
int pgopt_nest_read_broadcast(pgopt_nest_builder *n, int tensor);
/// The element at computed I64 indices, which are clamped into the tensor.
int pgopt_nest_load(pgopt_nest_builder *n, int tensor, const int *indices);

/// The result so far, which begins as `init` (of the result's type).
int pgopt_nest_init(pgopt_nest_builder *n, pgopt_scalar_value init);

int pgopt_nest_constant(pgopt_nest_builder *n, pgopt_number type,
                        pgopt_scalar_value value);
/// a op b; the result has a's type, BOOL for comparisons, b's for SELECT.
int pgopt_nest_scalar(pgopt_nest_builder *n, pgopt_scalar_kind op, int a, int b,
                      int c);
int pgopt_nest_index(pgopt_nest_builder *n, int loop);
int pgopt_nest_cast(pgopt_nest_builder *n, int a, pgopt_number type);
pgopt_number pgopt_nest_type(const pgopt_nest_builder *n, int scalar);

/// Adds the nest to the program; `yield` is cast to the result's type.
int pgopt_nest_end(pgopt_nest_builder *n, int yield);

#define PGOPT_SCALAR_1(name, op)                                               \
  static inline int s_##name(pgopt_nest_builder *n, int a) {                   \
    return pgopt_nest_scalar(n, PGOPT_S_##op, a, -1, -1);                      \
  }
#define PGOPT_SCALAR_2(name, op)                                               \
  static inline int s_##name(pgopt_nest_builder *n, int a, int b) {            \
    return pgopt_nest_scalar(n, PGOPT_S_##op, a, b, -1);                       \
  }
PGOPT_SCALAR_2(add, ADD)
PGOPT_SCALAR_2(sub, SUB)
PGOPT_SCALAR_2(mul, MUL)
PGOPT_SCALAR_2(div, DIV)
PGOPT_SCALAR_2(rem, REM)
PGOPT_SCALAR_2(min, MIN)
PGOPT_SCALAR_2(max, MAX)
PGOPT_SCALAR_2(pow, POW)
PGOPT_SCALAR_2(and, AND)
PGOPT_SCALAR_2(or, OR)
PGOPT_SCALAR_2(xor, XOR)
PGOPT_SCALAR_2(eq, EQ)
PGOPT_SCALAR_2(ne, NE)
PGOPT_SCALAR_2(lt, LT)
PGOPT_SCALAR_2(le, LE)
PGOPT_SCALAR_2(gt, GT)
PGOPT_SCALAR_2(ge, GE)
PGOPT_SCALAR_1(neg, NEG)
PGOPT_SCALAR_1(abs, ABS)
PGOPT_SCALAR_1(exp, EXP)
PGOPT_SCALAR_1(log, LOG)
PGOPT_SCALAR_1(log1p, LOG1P)
PGOPT_SCALAR_1(sqrt, SQRT)
PGOPT_SCALAR_1(tanh, TANH)
PGOPT_SCALAR_1(erf, ERF)
PGOPT_SCALAR_1(floor, FLOOR)
PGOPT_SCALAR_1(ceil, CEIL)
PGOPT_SCALAR_1(round_even, ROUND_EVEN)
#undef PGOPT_SCALAR_1
#undef PGOPT_SCALAR_2

static inline int s_select(pgopt_nest_builder *n, int condition, int a, int b) {
  return pgopt_nest_scalar(n, PGOPT_S_SELECT, condition, a, b);
}
/// A float constant of the nest's computed type.
static inline int s_float(pgopt_nest_builder *n, double value) {
  return pgopt_nest_constant(n, n->computed, (pgopt_scalar_value){.f = value});
}
static inline int s_i64(pgopt_nest_builder *n, int64_t value) {
  return pgopt_nest_constant(n, PGOPT_I64, (pgopt_scalar_value){.i = value});
}
/// The number in the type of the scalar `like`.
static inline int s_like(pgopt_nest_builder *n, int like, double value) {
  return pgopt_nest_constant(n, pgopt_nest_type(n, like),
                             pgopt_number_of(value));
}
static inline int s_not(pgopt_nest_builder *n, int a) {
  return s_xor(n, a, s_like(n, a, 1));
}

#endif // PGOPT_TENSOR_NEST_BUILDER_H
