/// \file The functions of kernels, lowered: contractions generated or through
/// BLAS, the rest vectorized, what is left as loops.
#include "kernels/kernels.h"

#include "codegen/blas.h"
#include "codegen/emit.h"
#include "codegen/naive.h"
#include "codegen/storage.h"
#include "dialect_c/attributes.h"
#include "ir/tensor_ops.h"
#include "kernels/copies.h"
#include "kernels/functions.h"
#include "kernels/phase.h"
#include "kernels/product.h"
#include "kernels/reduce.h"
#include "kernels/row_gather.h"
#include "kernels/rows.h"
#include "kernels/variants.h"
#include "kernels/vectorize.h"
#include "kernels/window.h"
#include "kernels/winograd.h"

#include <stdlib.h>

static bool is_kernel(MlirOperation function) {
  return !mlirBlockIsNull(pgopt_function_body(function)) &&
         !mlirAttributeIsNull(pgopt_get(function, PGOPT_KERNEL));
}

/// A kernel being lowered.
typedef struct lowering {
  pgopt_pass *pass;
  const pgopt_target *target;
  pgopt_preparation *preparation;
  MlirOperation kernel;
  bool has_variant;
  MlirOperation *left; ///< operations that stay loops; owned
  size_t left_count;
} lowering;

static bool may_be(const pgopt_variant *variant, pgopt_algorithm algorithm) {
  return !variant || variant->algorithm == algorithm;
}

/// Generates the operation's code: as the variant says, or as the model has it.
static bool generate(const lowering *l, MlirOperation op,
                     const pgopt_variant *variant, MlirOperation *ops,
                     size_t count) {
  MlirOperation erased[PGOPT_FUSION_MAX_OPS];
  size_t erased_count = 0, kind = PGOPT_KERNEL_PRODUCT;
  int64_t size = variant ? variant->size : 0;
  if (may_be(variant, PGOPT_ALGORITHM_WINOGRAD) &&
      pgopt_generate_winograd(op, l->target, l->preparation, size, erased,
                              &erased_count))
    kind = PGOPT_KERNEL_WINOGRAD;
  else if (may_be(variant, PGOPT_ALGORITHM_WINDOW) &&
           pgopt_generate_window(op, l->target, size, erased, &erased_count))
    kind = PGOPT_KERNEL_WINDOW;
  else if (may_be(variant, PGOPT_ALGORITHM_REDUCE) &&
           pgopt_generate_reduction(op, l->target, size, erased, &erased_count))
    kind = PGOPT_KERNEL_REDUCTION;
  else if (may_be(variant, PGOPT_ALGORITHM_GATHER) &&
           pgopt_generate_row_gather(op, l->target, size))
    kind = PGOPT_KERNEL_ROW_GATHER;
  else if (!may_be(variant, PGOPT_ALGORITHM_PRODUCT) ||
           !pgopt_generate_product(op, l->target, l->preparation,
                                   variant ? &variant->shape : NULL, erased,
                                   &erased_count))
    return false;
  pgopt_pass_count(l->pass, kind, 1);
  pgopt_pass_count(l->pass, PGOPT_KERNEL_FUSED, (int64_t)erased_count);
  for (size_t k = 0; k < count; ++k)
    for (size_t x = 0; x < erased_count; ++x)
      if (mlirOperationEqual(ops[k], erased[x]))
        ops[k] = (MlirOperation){NULL};
  return true;
}

static bool is_left(const lowering *l, MlirOperation op) {
  for (size_t i = 0; i < l->left_count; ++i)
    if (mlirOperationEqual(op, l->left[i]))
      return true;
  return false;
}

/// The kernel's operations without those that are left.
static MlirOperation *collect(const lowering *l, size_t *count) {
  size_t all;
  MlirOperation *ops = pgopt_collect_ops(l->kernel, "linalg.generic", &all);
  *count = 0;
  for (size_t i = 0; i < all; ++i)
    if (!is_left(l, ops[i]))
      ops[(*count)++] = ops[i];
  return ops;
}

/// Generates what pays off; elementwise ops behind it become part of it.
static void generate_all(const lowering *l) {
  size_t count;
  MlirOperation *ops = collect(l, &count);
  for (size_t i = 0; i < count; ++i)
    if (!mlirOperationIsNull(ops[i]))
      generate(l, ops[i], NULL, ops + i + 1, count - i - 1);
  free(ops);
}

static pgopt_blas_outcome lower_to_blas(const lowering *l, MlirOperation op) {
  pgopt_blas_outcome outcome = pgopt_lower_to_blas(op);
  if (outcome == PGOPT_BLAS_GEMM)
    pgopt_pass_count(l->pass, PGOPT_KERNEL_GEMM, 1);
  else if (outcome == PGOPT_BLAS_IM2COL)
    pgopt_pass_count(l->pass, PGOPT_KERNEL_IM2COL, 1);
  return outcome;
}

static bool copy(const lowering *l, MlirOperation op, int64_t turn) {
  bool done = pgopt_generate_copy(op, l->target, turn);
  pgopt_pass_count(l->pass, PGOPT_KERNEL_COPY, done);
  return done;
}

static int vectorize(const lowering *l, MlirOperation op) {
  int outcome = pgopt_vectorize(op);
  pgopt_pass_count(l->pass, (size_t)outcome, 1);
  return outcome;
}

static bool generate_rows(const lowering *l, int turn) {
  size_t count;
  if (!pgopt_generate_rows(l->kernel, l->target, turn, &count))
    return false;
  pgopt_pass_count(l->pass, PGOPT_KERNEL_ROWS, (int64_t)count);
  return true;
}

/// Computes an operation that the variant is of as it says. False when it
/// cannot.
static bool obey(const lowering *l, MlirOperation core,
                 const pgopt_variant *variant) {
  double cost;
  switch (variant->algorithm) {
  case PGOPT_ALGORITHM_COPY:
    return copy(l, core, variant->size);
  case PGOPT_ALGORITHM_BLAS:
    return pgopt_plan_blas(core, &cost) == PGOPT_BLAS_GEMM &&
           lower_to_blas(l, core);
  case PGOPT_ALGORITHM_IM2COL:
    return pgopt_plan_blas(core, &cost) == PGOPT_BLAS_IM2COL &&
           lower_to_blas(l, core);
  case PGOPT_ALGORITHM_VECTOR:
    return vectorize(l, core) == PGOPT_KERNEL_VECTORIZED;
  case PGOPT_ALGORITHM_LOOPS:
    return true;
  default:
    return generate(l, core, variant, NULL, 0);
  }
}

/// Computes what the kernel is about as the variant says. False when it cannot.
static bool obey_all(lowering *l, const pgopt_variant *variant) {
  size_t count;
  if (variant->algorithm == PGOPT_ALGORITHM_ROWS)
    return generate_rows(l, (int)variant->size);
  if (variant->algorithm == PGOPT_ALGORITHM_APART)
    return pgopt_is_rows(l->kernel, l->target, 0);
  MlirOperation *cores = pgopt_variant_cores(l->kernel, &count);
  bool obeyed = count > 0;
  for (size_t i = 0; i < count && obeyed; ++i)
    obeyed = obey(l, cores[i], variant);
  if (variant->algorithm == PGOPT_ALGORITHM_LOOPS) {
    l->left = cores;
    l->left_count = count;
  } else {
    free(cores);
  }
  return obeyed;
}

static MlirLogicalResult obey_attribute(lowering *l) {
  MlirStringRef text;
  pgopt_variant variant;
  if (!pgopt_get_text(l->kernel, PGOPT_VARIANT, &text))
    return mlirLogicalResultSuccess();
  char *name = pgopt_ref_duplicate(text);
  MlirLogicalResult result = mlirLogicalResultSuccess();
  l->has_variant = true;
  if (!pgopt_variant_parse(name, &variant))
    result = pgopt_emit_error(l->kernel,
                              "pg.variant is '%s', which is no variant; it "
                              "must be as in 'product:6x4 packed', "
                              "'winograd:f4', 'window:7', 'rows:4', 'apart', "
                              "'reduce:8', 'gather:4', 'copy:4', 'blas', "
                              "'im2col', 'vector' or 'loops'",
                              name);
  else if (!obey_all(l, &variant))
    result = pgopt_emit_error(l->kernel,
                              "pg.variant is '%s', in which this kernel cannot "
                              "be computed here; without the attribute the "
                              "default is taken",
                              name);
  free(name);
  return result;
}

/// Lowers what no variant has taken care of.
static void lower_rest(const lowering *l, bool use_generated) {
  size_t count;
  if (use_generated && !l->has_variant)
    generate_rows(l, 0);
  if (use_generated)
    generate_all(l);
  MlirOperation *ops = collect(l, &count);
  for (size_t i = 0; i < count; ++i)
    lower_to_blas(l, ops[i]);
  free(ops);
  // Copies around an image, and fills that a product overwrites, are gone by
  // now.
  ops = collect(l, &count);
  for (size_t i = 0; use_generated && i < count; ++i)
    copy(l, ops[i], 0);
  free(ops);
  ops = collect(l, &count);
  for (size_t i = 0; i < count; ++i)
    vectorize(l, ops[i]);
  free(ops);
}

static MlirLogicalResult lower_ops(pgopt_pass *pass,
                                   const pgopt_kernel_options *options,
                                   MlirOperation kernel) {
  lowering l = {.pass = pass,
                .target = &options->target,
                .preparation = options->preparation,
                .kernel = kernel};
  MlirLogicalResult result = mlirLogicalResultSuccess();
  if (options->use_generated)
    result = obey_attribute(&l);
  if (mlirLogicalResultIsSuccess(result)) {
    if (pgopt_phase_is_first(kernel))
      pgopt_phase_clean(kernel);
    else
      lower_rest(&l, options->use_generated);
  }
  free(l.left);
  return result;
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

MlirLogicalResult pgopt_prepare_kernels(pgopt_pass *pass,
                                        MlirOperation module) {
  pgopt_replace_memref_copies(module);
  return pgopt_pass_run_pipeline(
      pass,
      "builtin.module(symbol-dce,func.func(linalg-generalize-named-ops,"
      "math-expand-ops{ops=fpowi},canonicalize,cse))",
      module);
}

MlirLogicalResult pgopt_lower_kernels(pgopt_pass *pass,
                                      const pgopt_kernel_options *options,
                                      MlirOperation module,
                                      MlirOperation *entry,
                                      int64_t *scratch_bytes) {
  *scratch_bytes = 0;
  MlirLogicalResult result = bufferize_rest(pass, module, entry);
  if (mlirLogicalResultIsFailure(result))
    return result;
  result = pgopt_prepare_kernels(pass, module);
  if (mlirLogicalResultIsFailure(result))
    return result;
  size_t count;
  MlirOperation *functions = pgopt_collect_ops(module, "func.func", &count);
  for (size_t i = 0; i < count && mlirLogicalResultIsSuccess(result); ++i) {
    if (is_kernel(functions[i])) {
      result = lower_ops(pass, options, functions[i]);
      if (mlirLogicalResultIsSuccess(result))
        result = pgopt_place_kernel_buffers(functions[i], scratch_bytes);
    } else if (mlirOperationEqual(functions[i], *entry)) {
      result = lower_ops(pass, options, *entry);
    }
  }
  free(functions);
  if (mlirLogicalResultIsFailure(result))
    return result;
  result = pgopt_pass_run_pipeline(
      pass,
      "builtin.module(func.func(convert-linalg-to-loops,canonicalize,cse))",
      module);
  if (mlirLogicalResultIsSuccess(result) && options->use_generated) {
    pgopt_simplify_maxima(module);
    pgopt_pass_count(pass, PGOPT_KERNEL_FUNCTIONS,
                     pgopt_expand_functions(module, &options->target));
  }
  return result;
}
