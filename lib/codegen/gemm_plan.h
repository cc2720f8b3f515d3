/// \file How a multiply-accumulate becomes calls of a matrix product.
///
/// The problem is C[c . i] += A[a . i] * B[b . i] for all i of a box, with one
/// element stride a loop and operand: a matmul in any order of indices, batched
/// or not, or a convolution, whose window loops have a stride in the image too.
/// The plan is a row-major GEMM (as cblas has it: unit stride in one index of
/// each matrix, leading dimensions, transposes by flags) inside loops. Where
/// the image's overlapping windows rule that out, one operand is gathered into
/// scratch first (im2col).
#ifndef PGOPT_CODEGEN_GEMM_PLAN_H
#define PGOPT_CODEGEN_GEMM_PLAN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define PGOPT_GEMM_MAX_LOOPS 16

typedef enum pgopt_gemm_operand {
  PGOPT_GEMM_A,
  PGOPT_GEMM_B,
  PGOPT_GEMM_C,
  PGOPT_GEMM_NONE,
} pgopt_gemm_operand;

typedef struct pgopt_gemm_loop {
  bool is_dynamic; ///< parallel loops only
  int64_t extent;  ///< >= 1; of a dynamic loop: the largest it can be, or
                   ///< INT64_MAX when unknown
  bool is_reduction;
  int64_t strides[3]; ///< in elements, of A, B and C; 0 where it is no index
} pgopt_gemm_loop;

typedef struct pgopt_gemm_problem {
  size_t loop_count; ///< at most PGOPT_GEMM_MAX_LOOPS
  pgopt_gemm_loop loops[PGOPT_GEMM_MAX_LOOPS];
  int64_t scratch_elements; ///< what a gathered operand may take at a time
} pgopt_gemm_problem;

/// One index of the matrices: loops that follow one another without a gap,
/// outermost first; none for an extent of 1. Only the first may be dynamic.
typedef struct pgopt_gemm_axis {
  size_t count;
  size_t loops[PGOPT_GEMM_MAX_LOOPS];
} pgopt_gemm_axis;

typedef struct pgopt_gemm_plan {
  /// Loops around the product, outermost first. Those before `gather_depth`
  /// move the gathered operand, which is gathered inside them.
  size_t outer_count;
  size_t outer[PGOPT_GEMM_MAX_LOOPS];
  size_t gather_depth;
  bool accumulates; ///< an outer loop is a reduction: C must be added to

  pgopt_gemm_axis rows, columns, depth;
  pgopt_gemm_operand left;  ///< A or B: the operand that has the rows
  pgopt_gemm_operand right; ///< the other one
  bool transpose_left, transpose_right;
  /// Leading dimensions; 0 of a gathered operand stands for the extent that its
  /// rows or columns have at run time.
  int64_t ld_left, ld_right, ld_c;

  pgopt_gemm_operand gathered; ///< A, B or NONE
  /// The scratch's inner index: depth, or the operand's own axis.
  bool depth_is_inner;
  /// The first loop of the gathered operand's own axis runs in steps of `chunk`
  /// (the last may be shorter); 0 when it is whole.
  int64_t chunk;

  double cost; ///< a guess, in multiply-adds of a large product
} pgopt_gemm_plan;

/// Plans the product.
/// \returns false when it is none: a destination that is not indexed by exactly
///   the parallel loops, no GEMM that pays off (depthwise convolutions), no
///   unit strides, or extents of unknown bound where one is needed.
bool pgopt_gemm_plan_make(const pgopt_gemm_problem *problem,
                          pgopt_gemm_plan *plan);

/// Loops that are the gathered operand's own axis, not the depth: the plan's
/// rows or columns.
const pgopt_gemm_axis *pgopt_gemm_gathered_axis(const pgopt_gemm_plan *plan);

#endif // PGOPT_CODEGEN_GEMM_PLAN_H
