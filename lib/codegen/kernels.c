/// \file The functions of kernels, lowered to loops.
#include "codegen/kernels.h"

#include "codegen/copies.h"
#include "codegen/emit.h"
#include "codegen/storage.h"
#include "dialect_c/attributes.h"

#include <stdlib.h>

static bool is_kernel(MlirOperation function) {
  return !mlirBlockIsNull(pgopt_function_body(function)) &&
         !mlirAttributeIsNull(pgopt_get(function, PGOPT_KERNEL));
}

MlirLogicalResult pgopt_lower_kernels(pgopt_pass *pass, MlirOperation module) {
  MlirLogicalResult result = pgopt_pass_run_pipeline(
      pass,
      "builtin.module(func.func(linalg-generalize-named-ops,canonicalize,"
      "cse))",
      module);
  if (mlirLogicalResultIsFailure(result))
    return result;
  pgopt_expand_copies(module);
  size_t count;
  MlirOperation *functions = pgopt_collect_ops(module, "func.func", &count);
  for (size_t i = 0; i < count && mlirLogicalResultIsSuccess(result); ++i) {
    if (!is_kernel(functions[i]))
      continue;
    result = pgopt_place_kernel_buffers(functions[i]);
  }
  free(functions);
  if (mlirLogicalResultIsFailure(result))
    return result;
  return pgopt_pass_run_pipeline(
      pass,
      "builtin.module(func.func(convert-linalg-to-loops,canonicalize,cse))",
      module);
}
