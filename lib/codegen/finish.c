/// \file The last step of lowering: loops, vectors and buffers into LLVM.
#include "codegen/finish.h"

#include "codegen/emit.h"
#include "dialect_c/attributes.h"

#include <stdlib.h>

// Mathematical functions become LLVM's intrinsics where there is one and calls
// of the C library where there is none. What works on functions is nested in
// them, so that the context's threads share them.
static const char to_llvm[] =
    "builtin.module(func.func(expand-strided-metadata,lower-affine),"
    "convert-scf-to-cf,func.func(convert-math-to-llvm),convert-math-to-libm,"
    "func.func(convert-vector-to-llvm{reassociate-fp-reductions=true},"
    "convert-index-to-llvm),"
    "finalize-memref-to-llvm,convert-func-to-llvm,"
    "llvm.func(convert-arith-to-llvm),convert-cf-to-llvm,"
    "llvm.func(convert-ub-to-llvm,canonicalize),reconcile-unrealized-casts)";

/// An argument that is a memref becomes several of plain types, to which the
/// attributes of the memref do not apply.
static void strip_argument_attributes(MlirOperation module) {
  size_t count;
  MlirOperation *functions = pgopt_collect_ops(module, "func.func", &count);
  for (size_t i = 0; i < count; ++i)
    if (!mlirBlockIsNull(pgopt_function_body(functions[i]))) {
      mlirOperationRemoveAttributeByName(functions[i], pgopt_ref("arg_attrs"));
      mlirOperationRemoveAttributeByName(functions[i], pgopt_ref("res_attrs"));
    }
  free(functions);
}

MlirLogicalResult pgopt_finish_lowering(pgopt_pass *pass, MlirOperation module,
                                        MlirOperation entry) {
  MlirContext context = mlirOperationGetContext(module);
  char *name = pgopt_ref_duplicate(pgopt_symbol_name(entry));
  MlirAttribute type = mlirTypeAttrGet(pgopt_function_type(entry));
  mlirOperationSetDiscardableAttributeByName(
      entry, pgopt_ref("llvm.emit_c_interface"), mlirUnitAttrGet(context));
  strip_argument_attributes(module);
  MlirLogicalResult result = pgopt_pass_run_pipeline(pass, to_llvm, module);
  // Set last: the entry's attributes go to its C interface as well.
  if (mlirLogicalResultIsSuccess(result))
    pgopt_set(pgopt_module_lookup(module, pgopt_ref(name)), PGOPT_ENTRY, type);
  free(name);
  return result;
}
