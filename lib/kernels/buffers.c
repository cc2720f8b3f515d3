/// \file Buffers inside a kernel that generated code does without.
#include "kernels/buffers.h"

#include "codegen/emit.h"

bool pgopt_touches_no_element(MlirOperation op) {
  return pgopt_op_is_memref_view(op) || pgopt_op_is(op, "memref.dim") ||
         pgopt_op_is(op, "memref.alloc") ||
         pgopt_op_is(op, "memref.get_global") ||
         pgopt_op_in_dialect(op, "arith") || pgopt_op_in_dialect(op, "affine");
}

static bool is_used_by(MlirValue memref, const MlirOperation *ops,
                       size_t count) {
  MlirOpOperand use = mlirValueGetFirstUse(memref);
  for (; !mlirOpOperandIsNull(use); use = mlirOpOperandGetNextUse(use)) {
    MlirOperation user = mlirOpOperandGetOwner(use);
    bool inside = pgopt_op_is(user, "memref.dim") ||
                  (pgopt_op_is(user, "memref.subview") &&
                   is_used_by(pgopt_result(user), ops, count));
    for (size_t i = 0; i < count && !inside; ++i)
      inside = mlirOperationEqual(user, ops[i]);
    if (!inside)
      return false;
  }
  return true;
}

bool pgopt_buffer_is_private(MlirValue memref, const MlirOperation *ops,
                             size_t count) {
  MlirValue buffer = pgopt_root_buffer(memref);
  return mlirValueIsAOpResult(buffer) &&
         pgopt_op_is(mlirOpResultGetOwner(buffer), "memref.alloc") &&
         is_used_by(buffer, ops, count);
}

void pgopt_buffer_erase_unused(MlirValue memref) {
  while (mlirValueIsAOpResult(memref) &&
         mlirOpOperandIsNull(mlirValueGetFirstUse(memref))) {
    MlirOperation op = mlirOpResultGetOwner(memref);
    bool is_view = pgopt_op_is(op, "memref.subview");
    if (!is_view && !pgopt_op_is(op, "memref.alloc"))
      return;
    MlirValue source = is_view ? mlirOperationGetOperand(op, 0) : memref;
    mlirOperationDestroy(op);
    if (!is_view)
      return;
    memref = source;
  }
}
