/// \file Which linalg ops are multiply-accumulates that BLAS can compute.
#ifndef PGOPT_CODEGEN_CONTRACTION_H
#define PGOPT_CODEGEN_CONTRACTION_H

#include "codegen/gemm_plan.h"
#include "codegen/generic.h"

/// A multiply-accumulate on memrefs of f32 or f64 whose strides are static.
typedef struct pgopt_contraction {
  pgopt_gemm_problem problem;
  int64_t offsets[3]; ///< in elements, from the maps' constants
} pgopt_contraction;

/// Reads the op's loops as a problem. False when the body is not one product of
/// the two inputs and one sum with the destination, without casts, or when the
/// elements, strides or aliasing rule BLAS out.
/// \param scratch_bytes what a gathered operand may take at a time.
bool pgopt_read_contraction(const pgopt_generic *generic, int64_t scratch_bytes,
                            pgopt_contraction *contraction);

/// The op that sets the whole destination to 0 and that nothing between it and
/// the contraction reads or overwrites; null when there is none.
MlirOperation pgopt_find_zero_fill(const pgopt_generic *generic);

/// True for an op that sets every element of the memref to the constant.
bool pgopt_fills_with(MlirOperation op, MlirValue destination, double constant);

#endif // PGOPT_CODEGEN_CONTRACTION_H
