/// \file The oracle: a network lowered by upstream's passes alone.
#include "codegen/naive.h"

#include "ir/decompose.h"
#include "ir/ir.h"
#include "ir/tensor_ops.h"

#include <stdlib.h>

static const char to_linalg[] =
    "builtin.module(symbol-dce,"
    "func.func(tosa-infer-shapes,tosa-make-broadcastable,"
    "tosa-to-linalg-named,canonicalize,tosa-to-linalg,"
    "tosa-to-arith{include-apply-rescale=true},tosa-to-tensor,tosa-to-scf),"
    "canonicalize)";

// A linalg.map that reads its outs loses the read in bufferization; generic ops
// do not.
static const char to_memrefs[] =
    "builtin.module(func.func(linalg-generalize-named-ops),"
    "one-shot-bufferize{bufferize-function-boundaries "
    "function-boundary-type-conversion=identity-layout-map "
    "unknown-type-conversion=identity-layout-map})";

MlirLogicalResult pgopt_bufferize(pgopt_pass *pass, MlirOperation module) {
  if (mlirLogicalResultIsFailure(
          pgopt_pass_run_pipeline(pass, to_linalg, module)) ||
      mlirLogicalResultIsFailure(pgopt_decompose(module)))
    return mlirLogicalResultFailure();
  return pgopt_pass_run_pipeline(pass, to_memrefs, module);
}

MlirLogicalResult pgopt_lower_naive(pgopt_pass *pass, MlirOperation module) {
  if (mlirLogicalResultIsFailure(pgopt_bufferize(pass, module)))
    return mlirLogicalResultFailure();
  pgopt_replace_memref_copies(module);
  return pgopt_pass_run_pipeline(
      pass, "builtin.module(func.func(convert-linalg-to-loops))", module);
}
