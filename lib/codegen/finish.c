/// \file The last step of lowering: loops, vectors and buffers into LLVM.
#include "codegen/finish.h"

#include "codegen/emit.h"
#include "dialect_c/attributes.h"
#include "ir/element_type.h"

#include <stdlib.h>

// Mathematical functions become LLVM's intrinsics where there is one and calls
// of the C library where there is none.
// Conversions to bf16 become integer arithmetic: not every libgcc has them.
static const char to_llvm[] =
    "builtin.module(arith-expand{include-bf16=true},expand-strided-metadata,"
    "lower-affine,convert-scf-to-cf,"
    "convert-math-to-llvm,convert-math-to-libm,"
    "convert-vector-to-llvm{reassociate-fp-reductions=true},"
    "convert-index-to-llvm,"
    "finalize-memref-to-llvm,convert-func-to-llvm,convert-arith-to-llvm,"
    "convert-cf-to-llvm,convert-ub-to-llvm,canonicalize,"
    "reconcile-unrealized-casts)";

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

/// f64 to bf16 goes by way of f32, as in most frameworks: MLIR expands the
/// second step, and no library call is left.
static void truncate_by_way_of_f32(MlirOperation module) {
  size_t count;
  MlirOperation *ops = pgopt_collect_ops(module, "arith.truncf", &count);
  MlirType f32 = mlirF32TypeGet(mlirOperationGetContext(module));
  for (size_t i = 0; i < count; ++i) {
    MlirValue operand = mlirOperationGetOperand(ops[i], 0);
    MlirType from = mlirValueGetType(operand);
    MlirType to = mlirValueGetType(pgopt_result(ops[i])), between = f32;
    if (mlirTypeIsAVector(to)) {
      int64_t extents[PGOPT_MAX_ARRAY_RANK];
      intptr_t rank = mlirShapedTypeGetRank(from);
      for (intptr_t d = 0; d < rank; ++d)
        extents[d] = mlirShapedTypeGetDimSize(from, d);
      between = mlirVectorTypeGet(rank, extents, f32);
      from = mlirShapedTypeGetElementType(from);
      to = mlirShapedTypeGetElementType(to);
    }
    if (!mlirTypeIsAF64(from) || !mlirTypeIsABF16(to))
      continue;
    MlirOperation first = pgopt_build_before(
        ops[i], &(pgopt_op_spec){.name = "arith.truncf",
                                 .location = mlirOperationGetLocation(ops[i]),
                                 .operand_count = 1,
                                 .operands = &operand,
                                 .result_count = 1,
                                 .results = &between});
    mlirOperationSetOperand(ops[i], 0, pgopt_result(first));
  }
  free(ops);
}

MlirLogicalResult pgopt_finish_lowering(pgopt_pass *pass, MlirOperation module,
                                        MlirOperation entry) {
  MlirContext context = mlirOperationGetContext(module);
  char *name = pgopt_ref_duplicate(pgopt_symbol_name(entry));
  MlirAttribute type = mlirTypeAttrGet(pgopt_function_type(entry));
  mlirOperationSetDiscardableAttributeByName(
      entry, pgopt_ref("llvm.emit_c_interface"), mlirUnitAttrGet(context));
  strip_argument_attributes(module);
  truncate_by_way_of_f32(module);
  MlirLogicalResult result = pgopt_pass_run_pipeline(pass, to_llvm, module);
  // Set last: the entry's attributes go to its C interface as well.
  if (mlirLogicalResultIsSuccess(result))
    pgopt_set(pgopt_module_lookup(module, pgopt_ref(name)), PGOPT_ENTRY, type);
  free(name);
  return result;
}
