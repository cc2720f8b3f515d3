/// \file Loop nests over tensors: what almost every operation of a network is.
///
/// A nest has parallel loops, which are the dimensions of its result in order,
/// and behind them reduction loops. Operand dimensions are linear in the loops.
/// The body computes one number from the operands' elements; with reduction
/// loops it also sees the result so far, which starts as `init`.
#ifndef PGOPT_TENSOR_NEST_H
#define PGOPT_TENSOR_NEST_H

#include "tensor/number.h"

#include <stddef.h>

enum { PGOPT_MAX_LOOPS = 64 };

/// Scalar operations. Integers wrap; DIV and REM truncate as C does and yield 0
/// for a zero divisor; MIN and MAX of floats propagate NaN.
typedef enum pgopt_scalar_kind {
  PGOPT_S_CONSTANT,
  PGOPT_S_OPERAND, ///< element of operand `a`
  PGOPT_S_INDEX,   ///< number of loop `a`'s iteration, as I64
  PGOPT_S_RESULT,  ///< the result so far
  PGOPT_S_LOAD,    ///< element of tensor `a` at `indices`, all within bounds
  PGOPT_S_CAST,
  PGOPT_S_SELECT, ///< a ? b : c
  PGOPT_S_ADD,
  PGOPT_S_SUB,
  PGOPT_S_MUL,
  PGOPT_S_DIV,
  PGOPT_S_REM,
  PGOPT_S_MIN,
  PGOPT_S_MAX,
  PGOPT_S_POW,
  PGOPT_S_AND,
  PGOPT_S_OR,
  PGOPT_S_XOR,
  PGOPT_S_SHIFT_LEFT,
  PGOPT_S_SHIFT_RIGHT, ///< logical
  PGOPT_S_EQ,
  PGOPT_S_NE,
  PGOPT_S_LT,
  PGOPT_S_LE,
  PGOPT_S_GT,
  PGOPT_S_GE,
  PGOPT_S_NEG,
  PGOPT_S_ABS,
  PGOPT_S_EXP,
  PGOPT_S_LOG,
  PGOPT_S_LOG1P,
  PGOPT_S_SQRT,
  PGOPT_S_SIN,
  PGOPT_S_COS,
  PGOPT_S_TAN,
  PGOPT_S_ASIN,
  PGOPT_S_ACOS,
  PGOPT_S_ATAN,
  PGOPT_S_SINH,
  PGOPT_S_COSH,
  PGOPT_S_TANH,
  PGOPT_S_ASINH,
  PGOPT_S_ACOSH,
  PGOPT_S_ATANH,
  PGOPT_S_ERF,
  PGOPT_S_FLOOR,
  PGOPT_S_CEIL,
  PGOPT_S_ROUND_EVEN,
  PGOPT_SCALAR_OP_COUNT
} pgopt_scalar_kind;

/// How many of a, b, c are other scalars.
int pgopt_scalar_arity(pgopt_scalar_kind op);

typedef struct pgopt_scalar {
  pgopt_scalar_kind op;
  pgopt_number type; ///< of what it yields
  int a, b, c;       ///< earlier scalars of the body, or as the op says
  int indices;       ///< of LOAD: first of its I64 scalars in the nest's list
  int index_count;
  pgopt_scalar_value value; ///< of CONSTANT
} pgopt_scalar;

/// `rank` rows of `loops + 1` numbers: coefficients, then the constant.
typedef struct pgopt_access {
  int tensor;
  int rank;
  const int64_t *rows;
} pgopt_access;

/// The named linalg operation that a nest is, for those who know it.
typedef enum pgopt_nest_form {
  PGOPT_FORM_GENERIC,
  PGOPT_FORM_TRANSPOSE,    ///< copy with permuted dimensions
  PGOPT_FORM_MATMUL,       ///< loops m, n, k
  PGOPT_FORM_BATCH_MATMUL, ///< loops b, m, n, k
  PGOPT_FORM_CONV,         ///< loops n, f, oh, ow, c, kh, kw; NCHW and FCHW
  PGOPT_FORM_POOL_MAX,     ///< loops n, c, oh, ow, kh, kw; NCHW
  PGOPT_FORM_POOL_SUM,
} pgopt_nest_form;

typedef struct pgopt_nest {
  pgopt_nest_form form;
  int loops, parallel;
  const int64_t *extents;
  const pgopt_access *operands;
  int operand_count;
  const pgopt_scalar *body;
  int body_count;
  const int *indices; ///< of all LOADs
  int yield;          ///< scalar of the result's computed type
  pgopt_scalar_value init;
  pgopt_number type; ///< of the result's elements
} pgopt_nest;

#endif // PGOPT_TENSOR_NEST_H
