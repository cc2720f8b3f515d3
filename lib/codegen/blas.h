/// \file Contractions and convolutions as calls of BLAS.
#ifndef PGOPT_CODEGEN_BLAS_H
#define PGOPT_CODEGEN_BLAS_H

#include "mlir-c/IR.h"

typedef enum pgopt_blas_outcome {
  PGOPT_BLAS_NONE,   ///< left as it is
  PGOPT_BLAS_GEMM,   ///< replaced by products on the operands themselves
  PGOPT_BLAS_IM2COL, ///< replaced by gathers and products
} pgopt_blas_outcome;

/// Replaces a `linalg.generic` on memrefs that multiplies and accumulates by
/// loops around `pgopt_rt_gemm_f32` or `_f64`, when there is a plan that pays
/// off. A fill of the destination with 0 that precedes it is erased when the
/// product can overwrite instead. Scratch is a `memref.alloc`.
pgopt_blas_outcome pgopt_lower_to_blas(MlirOperation op);

/// What `pgopt_lower_to_blas` would do.
/// \param[out] cost a guess, in multiply-adds of a large product.
pgopt_blas_outcome pgopt_plan_blas(MlirOperation op, double *cost);

#endif // PGOPT_CODEGEN_BLAS_H
