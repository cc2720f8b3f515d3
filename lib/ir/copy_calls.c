/// \file Kernel calls that are made once more, into buffers of their own.
#include "ir/copy_calls.h"

#include "ir/ir.h"

#include <stdlib.h>

/// The alloc that a memref is, or is a view of.
static MlirOperation storage_of(MlirValue memref) {
  MlirOperation op = mlirOpResultGetOwner(memref);
  return pgopt_op_is(op, "memref.alloc")
             ? op
             : storage_of(mlirOperationGetOperand(op, 0));
}

/// The same view of other storage, in front of `before`.
static MlirValue view_of(MlirValue memref, MlirValue storage,
                         MlirOperation before) {
  MlirOperation op = mlirOpResultGetOwner(memref);
  if (pgopt_op_is(op, "memref.alloc"))
    return storage;
  MlirOperation view = mlirOperationClone(op);
  mlirOperationSetOperand(
      view, 0, view_of(mlirOperationGetOperand(op, 0), storage, before));
  mlirBlockInsertOwnedOperationBefore(mlirOperationGetBlock(before), before,
                                      view);
  return pgopt_result(view);
}

/// The call's operands in the buffer become views of `storage`.
static void redirect(const pgopt_call_program *program, MlirOperation call,
                     size_t buffer, MlirValue storage) {
  for (intptr_t i = 0; i < mlirOperationGetNumOperands(call); ++i) {
    MlirValue operand = mlirOperationGetOperand(call, i);
    int its_buffer;
    if (pgopt_pointer_map_get(&program->buffers, operand.ptr, &its_buffer) &&
        (size_t)its_buffer == buffer)
      mlirOperationSetOperand(call, i, view_of(operand, storage, call));
  }
}

/// Storage like that of the buffer that the call writes, behind it.
static MlirValue copy_storage(const pgopt_call_program *program,
                              MlirOperation call, size_t buffer) {
  for (intptr_t i = 0; i < mlirOperationGetNumOperands(call); ++i) {
    MlirValue operand = mlirOperationGetOperand(call, i);
    int its_buffer;
    if (!pgopt_pointer_map_get(&program->buffers, operand.ptr, &its_buffer) ||
        (size_t)its_buffer != buffer)
      continue;
    MlirOperation original = storage_of(operand);
    MlirOperation storage = mlirOperationClone(original);
    mlirBlockInsertOwnedOperationAfter(mlirOperationGetBlock(original),
                                       original, storage);
    return pgopt_result(storage);
  }
  return (MlirValue){NULL};
}

static void copy_call(const pgopt_call_program *program,
                      const pgopt_kernel_copy *copy, MlirOperation *behind,
                      MlirOperation call) {
  size_t buffer = 0;
  pgopt_node_copied_buffer(program->graph, copy->node, &buffer);
  MlirValue storage = copy_storage(program, program->ops[copy->node], buffer);
  mlirBlockInsertOwnedOperationAfter(mlirOperationGetBlock(*behind), *behind,
                                     call);
  *behind = call;
  redirect(program, call, buffer, storage);
  for (size_t u = 0; u < copy->user_count; ++u)
    redirect(program, program->ops[copy->users[u]], buffer, storage);
}

MlirLogicalResult pgopt_copy_calls(MlirOperation module,
                                   const pgopt_kernel_copies *copies,
                                   pgopt_call_program *program) {
  MlirOperation entry = program->entry;
  MlirOperation *calls = pgopt_allocate(copies->count, sizeof *calls);
  // Copies read what their originals read, not what other copies write.
  for (size_t i = 0; i < copies->count; ++i)
    calls[i] = mlirOperationClone(program->ops[copies->items[i].node]);
  for (size_t i = 0; i < copies->count;) {
    size_t node = copies->items[i].node;
    MlirOperation behind = program->ops[node];
    for (; i < copies->count && copies->items[i].node == node; ++i)
      copy_call(program, &copies->items[i], &behind, calls[i]);
  }
  free(calls);
  pgopt_call_program_free(program);
  return pgopt_read_calls(module, entry, program);
}
