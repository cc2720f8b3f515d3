/// \file The oracle: a network lowered by upstream's passes alone.
#include "codegen/naive.h"

#include "codegen/copies.h"
#include "codegen/script.h"
#include "ir/ir.h"

#include <stdlib.h>

/// Ops that no bufferization exists for, taken apart by upstream's rewrites.
static const char decompose[] =
    "  %softmax = transform.structured.match ops{[\"linalg.softmax\"]} in %root"
    " : (!transform.any_op) -> !transform.any_op\n"
    "  transform.structured.decompose_interface %softmax"
    " : (!transform.any_op) -> !transform.any_op\n"
    "  %pack = transform.structured.match ops{[\"linalg.pack\"]} in %root"
    " : (!transform.any_op) -> !transform.op<\"linalg.pack\">\n"
    "  transform.structured.lower_pack %pack"
    " : (!transform.op<\"linalg.pack\">) -> (!transform.op<\"tensor.pad\">,"
    " !transform.op<\"tensor.expand_shape\">,"
    " !transform.op<\"linalg.transpose\">)\n"
    "  %unpack = transform.structured.match ops{[\"linalg.unpack\"]} in %root"
    " : (!transform.any_op) -> !transform.op<\"linalg.unpack\">\n"
    "  transform.structured.lower_unpack %unpack"
    " : (!transform.op<\"linalg.unpack\">) -> (!transform.op<\"tensor.empty\">,"
    " !transform.op<\"linalg.transpose\">,"
    " !transform.op<\"tensor.collapse_shape\">,"
    " !transform.op<\"tensor.extract_slice\">)\n"
    "  %functions = transform.structured.match ops{[\"func.func\"]} in %root"
    " : (!transform.any_op) -> !transform.any_op\n"
    "  transform.apply_patterns to %functions {\n"
    "    transform.apply_patterns.tensor.decompose_concat\n"
    "  } : !transform.any_op\n";

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
      mlirLogicalResultIsFailure(pgopt_apply_script(module, decompose)))
    return mlirLogicalResultFailure();
  return pgopt_pass_run_pipeline(pass, to_memrefs, module);
}

MlirLogicalResult pgopt_lower_naive(pgopt_pass *pass, MlirOperation module) {
  if (mlirLogicalResultIsFailure(pgopt_bufferize(pass, module)))
    return mlirLogicalResultFailure();
  pgopt_expand_copies(module);
  return pgopt_pass_run_pipeline(
      pass, "builtin.module(func.func(convert-linalg-to-loops))", module);
}
