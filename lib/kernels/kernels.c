/// \file The functions of kernels, lowered: contractions generated or through
/// BLAS, the rest vectorized, what is left as loops.
#include "kernels/kernels.h"

#include "codegen/blas.h"
#include "codegen/emit.h"
#include "codegen/naive.h"
#include "codegen/storage.h"
#include "dialect_c/attributes.h"
#include "ir/tensor_ops.h"
#include "kernels/functions.h"
#include "kernels/product.h"
#include "kernels/vectorize.h"

#include <stdlib.h>

static bool is_kernel(MlirOperation function) {
  return !mlirBlockIsNull(pgopt_function_body(function)) &&
         !mlirAttributeIsNull(pgopt_get(function, PGOPT_KERNEL));
}

/// Generates what pays off; elementwise ops behind a product become part of it.
static void generate(pgopt_pass *pass, const pgopt_target *target,
                     MlirOperation kernel) {
  size_t count;
  MlirOperation *ops = pgopt_collect_ops(kernel, "linalg.generic", &count);
  for (size_t i = 0; i < count; ++i) {
    MlirOperation erased[PGOPT_FUSION_MAX_OPS];
    size_t erased_count;
    if (mlirOperationIsNull(ops[i]) ||
        !pgopt_generate_product(ops[i], target, erased, &erased_count))
      continue;
    pgopt_pass_count(pass, PGOPT_KERNEL_PRODUCT, 1);
    pgopt_pass_count(pass, PGOPT_KERNEL_FUSED, (int64_t)erased_count);
    for (size_t k = i + 1; k < count; ++k)
      for (size_t x = 0; x < erased_count; ++x)
        if (mlirOperationEqual(ops[k], erased[x]))
          ops[k] = (MlirOperation){NULL};
  }
  free(ops);
}

static void lower_ops(pgopt_pass *pass, const pgopt_kernel_options *options,
                      MlirOperation kernel) {
  if (options->use_generated)
    generate(pass, &options->target, kernel);
  size_t count;
  MlirOperation *ops = pgopt_collect_ops(kernel, "linalg.generic", &count);
  for (size_t i = 0; i < count; ++i) {
    pgopt_blas_outcome outcome = pgopt_lower_to_blas(ops[i]);
    if (outcome == PGOPT_BLAS_GEMM)
      pgopt_pass_count(pass, PGOPT_KERNEL_GEMM, 1);
    else if (outcome == PGOPT_BLAS_IM2COL)
      pgopt_pass_count(pass, PGOPT_KERNEL_IM2COL, 1);
  }
  free(ops);
  // Fills that a product overwrites are gone by now.
  ops = pgopt_collect_ops(kernel, "linalg.generic", &count);
  for (size_t i = 0; i < count; ++i)
    pgopt_pass_count(pass, (size_t)pgopt_vectorize(ops[i]), 1);
  free(ops);
}

static MlirWalkResult find_tensor(MlirOperation op, void *found) {
  for (intptr_t i = 0; i < mlirOperationGetNumResults(op); ++i)
    if (mlirTypeIsATensor(mlirValueGetType(mlirOperationGetResult(op, i)))) {
      *(bool *)found = true;
      return MlirWalkResultInterrupt;
    }
  return MlirWalkResultAdvance;
}

/// A function beside the network (a `main` that calls it and prints) may still
/// be on tensors. Bufferization rebuilds functions.
static MlirLogicalResult bufferize_rest(pgopt_pass *pass, MlirOperation module,
                                        MlirOperation *entry) {
  bool found = false;
  mlirOperationWalk(module, find_tensor, &found, MlirWalkPreOrder);
  if (!found)
    return mlirLogicalResultSuccess();
  char *name = pgopt_ref_duplicate(pgopt_symbol_name(*entry));
  MlirLogicalResult result = pgopt_bufferize(pass, module);
  *entry = pgopt_module_lookup(module, pgopt_ref(name));
  free(name);
  return result;
}

MlirLogicalResult pgopt_lower_kernels(pgopt_pass *pass,
                                      const pgopt_kernel_options *options,
                                      MlirOperation module,
                                      MlirOperation *entry) {
  MlirLogicalResult result = bufferize_rest(pass, module, entry);
  if (mlirLogicalResultIsFailure(result))
    return result;
  pgopt_replace_memref_copies(module);
  result = pgopt_pass_run_pipeline(
      pass,
      "builtin.module(symbol-dce,func.func(linalg-generalize-named-ops,"
      "math-expand-ops{ops=fpowi},canonicalize,cse))",
      module);
  if (mlirLogicalResultIsFailure(result))
    return result;
  size_t count;
  MlirOperation *functions = pgopt_collect_ops(module, "func.func", &count);
  for (size_t i = 0; i < count && mlirLogicalResultIsSuccess(result); ++i) {
    if (is_kernel(functions[i])) {
      lower_ops(pass, options, functions[i]);
      result = pgopt_place_kernel_buffers(functions[i]);
    } else if (mlirOperationEqual(functions[i], *entry)) {
      lower_ops(pass, options, *entry);
    }
  }
  free(functions);
  if (mlirLogicalResultIsFailure(result))
    return result;
  result = pgopt_pass_run_pipeline(
      pass,
      "builtin.module(func.func(convert-linalg-to-loops,canonicalize,cse))",
      module);
  if (mlirLogicalResultIsSuccess(result) && options->use_generated)
    pgopt_pass_count(pass, PGOPT_KERNEL_FUNCTIONS,
                     pgopt_expand_functions(module, options->target.has_fma));
  return result;
}
