/// \file The oracle: a network lowered by upstream's passes alone.
#include "codegen/naive.h"

#include "ir/decompose.h"
#include "ir/ir.h"
#include "ir/strided_slices.h"
#include "ir/tensor_ops.h"
#include "mlir-c/Dialect/Func.h"

#include <stdlib.h>

static const char to_linalg[] =
    "builtin.module(symbol-dce,"
    "func.func(tosa-optional-decompositions,tosa-infer-shapes,tosa-make-"
    "broadcastable,"
    "tosa-to-linalg-named,canonicalize,tosa-to-linalg,"
    "tosa-to-arith{include-apply-rescale=true},tosa-to-tensor,tosa-to-scf,"
    "convert-elementwise-to-linalg),"
    "canonicalize)";

// A linalg.map that reads its outs loses the read in bufferization; generic ops
// do not.
static const char to_memrefs[] =
    "builtin.module(func.func(linalg-generalize-named-ops),"
    "one-shot-bufferize{bufferize-function-boundaries "
    "allow-return-allocs-from-loops "
    "function-boundary-type-conversion=identity-layout-map "
    "unknown-type-conversion=identity-layout-map})";

/// Tensors are values: no function may write into its arguments. Declarations
/// cannot carry the attribute.
static void protect_arguments(MlirOperation module) {
  MlirContext context = mlirOperationGetContext(module);
  MlirNamedAttribute protection = pgopt_named(context, "bufferization.writable",
                                              mlirBoolAttrGet(context, false));
  MlirOperation op = mlirBlockGetFirstOperation(pgopt_module_body(module));
  for (; !mlirOperationIsNull(op); op = mlirOperationGetNextInBlock(op)) {
    if (!pgopt_op_is(op, "func.func") ||
        mlirBlockIsNull(mlirRegionGetFirstBlock(mlirOperationGetRegion(op, 0))))
      continue;
    MlirType type = pgopt_function_type(op);
    for (intptr_t i = 0; i < mlirFunctionTypeGetNumInputs(type); ++i)
      if (mlirTypeIsATensor(mlirFunctionTypeGetInput(type, i)))
        mlirFuncSetArgAttr(op, i, mlirIdentifierStr(protection.name),
                           protection.attribute);
  }
}

MlirLogicalResult pgopt_bufferize(pgopt_pass *pass, MlirOperation module) {
  if (mlirLogicalResultIsFailure(
          pgopt_pass_run_pipeline(pass, to_linalg, module)) ||
      mlirLogicalResultIsFailure(pgopt_decompose(module)))
    return mlirLogicalResultFailure();
  pgopt_keep_strided_dimensions(module);
  protect_arguments(module);
  return pgopt_pass_run_pipeline(pass, to_memrefs, module);
}

MlirLogicalResult pgopt_lower_naive(pgopt_pass *pass, MlirOperation module) {
  if (mlirLogicalResultIsFailure(pgopt_bufferize(pass, module)))
    return mlirLogicalResultFailure();
  pgopt_replace_memref_copies(module);
  return pgopt_pass_run_pipeline(
      pass,
      "builtin.module(func.func(math-expand-ops{ops=fpowi},"
      "convert-linalg-to-loops))",
      module);
}
