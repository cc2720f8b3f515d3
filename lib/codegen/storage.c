/// \file Where the buffers of a lowered program live.
#include "codegen/storage.h"

#include "base/checked_math.h"
#include "base/memory.h"
#include "codegen/object.h"
#include "dialect_c/attributes.h"
#include "mlir-c/Dialect/LLVM.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { ALIGNMENT = 64 };

static bool add_aligned(int64_t *total, int64_t bytes) {
  int64_t rounded;
  if (!pgopt_checked_add(bytes, ALIGNMENT - 1, &rounded))
    return false;
  return pgopt_checked_add(*total, rounded / ALIGNMENT * ALIGNMENT, total);
}

static bool is_contiguous(MlirType type) {
  MlirAttribute layout = mlirMemRefTypeGetLayout(type);
  return mlirAttributeIsAAffineMap(layout) &&
         mlirAffineMapIsIdentity(mlirAffineMapAttrGetValue(layout)) &&
         mlirAttributeIsNull(mlirMemRefTypeGetMemorySpace(type));
}

static void replace(MlirOperation op, MlirValue value) {
  mlirValueReplaceAllUsesOfWith(pgopt_result(op), value);
  mlirOperationDestroy(op);
}

static MlirValue emit_address(pgopt_emitter emitter, const char *symbol) {
  MlirNamedAttribute reference =
      pgopt_named(emitter.context, "global_name",
                  mlirFlatSymbolRefAttrGet(emitter.context, pgopt_ref(symbol)));
  return pgopt_emit_op(emitter, "llvm.mlir.addressof", 0, NULL,
                       pgopt_pointer_type(emitter.context), 1, &reference);
}

/// Address of a global of the LLVM dialect, which is made here.
static MlirValue emit_global(pgopt_emitter emitter, MlirOperation module,
                             const char *name, MlirType type,
                             MlirAttribute value, bool is_constant) {
  MlirContext context = emitter.context;
  char *symbol = pgopt_unique_symbol(module, name);
  MlirNamedAttribute attributes[] = {
      pgopt_named(context, "sym_name", pgopt_text_attribute(context, symbol)),
      pgopt_named(context, "global_type", mlirTypeAttrGet(type)),
      pgopt_named(context, "linkage",
                  pgopt_attribute_parse(context, "#llvm.linkage<internal>")),
      pgopt_named(context, "value", value),
      pgopt_named(context, "addr_space",
                  mlirIntegerAttrGet(mlirIntegerTypeGet(context, 32), 0)),
      pgopt_named(context, "constant", mlirUnitAttrGet(context)),
  };
  pgopt_op_spec spec = {.name = "llvm.mlir.global",
                        .location = emitter.location,
                        .attribute_count = is_constant ? 6 : 5,
                        .attributes = attributes,
                        .region_count = 1};
  pgopt_build(pgopt_module_body(module), &spec);
  MlirValue address = emit_address(emitter, symbol);
  free(symbol);
  return address;
}

static MlirValue emit_text(pgopt_emitter emitter, MlirOperation module,
                           const char *name, const char *bytes, size_t length) {
  char *terminated = pgopt_allocate(length + 1, 1);
  memcpy(terminated, bytes, length);
  MlirAttribute value = mlirStringAttrGet(
      emitter.context, mlirStringRefCreate(terminated, length + 1));
  MlirType type = mlirLLVMArrayTypeGet(mlirIntegerTypeGet(emitter.context, 8),
                                       (unsigned)length + 1);
  free(terminated);
  return emit_global(emitter, module, name, type, value, true);
}

MlirValue pgopt_emit_program_handle(pgopt_emitter emitter,
                                    MlirOperation module) {
  MlirType byte = mlirIntegerTypeGet(emitter.context, 8);
  MlirOperation known =
      pgopt_module_lookup(module, pgopt_ref(PGOPT_PROGRAM_HANDLE));
  if (mlirOperationIsNull(known) || !pgopt_op_is(known, "llvm.mlir.global"))
    return emit_global(emitter, module, PGOPT_PROGRAM_HANDLE, byte,
                       mlirIntegerAttrGet(byte, 0), false);
  return emit_address(emitter, PGOPT_PROGRAM_HANDLE);
}

/// Buffers that were planned lie where `pg.offset` says, the others one behind
/// the other behind them.
static MlirLogicalResult choose_offsets(const MlirOperation *allocs,
                                        size_t count, int64_t *offsets,
                                        int64_t *arena_bytes) {
  *arena_bytes = 0;
  for (int is_planned = 1; is_planned >= 0; --is_planned)
    for (size_t i = 0; i < count; ++i) {
      MlirType type = mlirValueGetType(pgopt_result(allocs[i]));
      int64_t bytes, end = *arena_bytes;
      if (pgopt_get_i64(allocs[i], PGOPT_OFFSET, &end) != is_planned)
        continue;
      offsets[i] = end;
      if (!is_contiguous(type) || !pgopt_memref_bytes(type, &bytes) ||
          !add_aligned(&end, bytes))
        return pgopt_emit_error(
            allocs[i], "the network's buffers need a static shape, a "
                       "contiguous layout and elements of a fixed size");
      if (end > *arena_bytes)
        *arena_bytes = end;
    }
  return mlirLogicalResultSuccess();
}

MlirLogicalResult pgopt_place_entry_buffers(MlirOperation entry,
                                            int64_t *arena_bytes) {
  size_t count;
  MlirOperation *allocs = pgopt_collect_ops(entry, "memref.alloc", &count);
  int64_t *offsets = pgopt_allocate(count + 1, sizeof *offsets);
  MlirLogicalResult result =
      choose_offsets(allocs, count, offsets, arena_bytes);
  if (mlirLogicalResultIsFailure(result))
    goto done;
  if (!count)
    goto done;
  MlirOperation module = pgopt_parent_module(entry);
  pgopt_emitter emitter =
      pgopt_emitter_at_start(pgopt_function_body(entry), entry);
  // The first op may be one of those that are replaced.
  emitter.before = mlirOpResultGetOwner(pgopt_emit_index(emitter, 0));
  MlirValue arguments[] = {pgopt_emit_program_handle(emitter, module),
                           pgopt_emit_i64(emitter, *arena_bytes)};
  MlirValue arena = pgopt_emit_bytes(
      emitter,
      pgopt_emit_runtime_call(emitter, module, "pgopt_rt_arena", 2, arguments,
                              pgopt_pointer_type(emitter.context)),
      arguments[1]);
  for (size_t i = 0; i < count; ++i) {
    MlirType type = mlirValueGetType(pgopt_result(allocs[i]));
    MlirValue view = pgopt_emit_view(
        emitter, arena, pgopt_emit_index(emitter, offsets[i]), type, 0, NULL);
    replace(allocs[i], view);
  }
done:
  free(offsets);
  free(allocs);
  return result;
}

/// Moves the pure operations that compute `value` in front of `anchor`, so that
/// they come first in the function. False when one of them cannot move.
static bool hoist(MlirValue value, MlirOperation anchor) {
  MlirBlock block = mlirOperationGetBlock(anchor);
  if (mlirValueIsABlockArgument(value))
    return mlirBlockEqual(mlirBlockArgumentGetOwner(value), block);
  MlirOperation op = mlirOpResultGetOwner(value);
  if (!pgopt_op_in_dialect(op, "arith") && !pgopt_op_in_dialect(op, "affine") &&
      !pgopt_op_is(op, "memref.dim"))
    return false;
  for (intptr_t i = 0; i < mlirOperationGetNumOperands(op); ++i)
    if (!hoist(mlirOperationGetOperand(op, i), anchor))
      return false;
  if (!mlirBlockEqual(mlirOperationGetBlock(op), block) ||
      !mlirOperationIsBeforeInBlock(op, anchor))
    mlirOperationMoveBefore(op, anchor);
  return true;
}

/// Bytes of an element times the extents that are static; false when the
/// elements have no fixed size or the product does not fit.
static bool static_part(MlirType type, int64_t *bytes) {
  int64_t result = pgopt_element_storage(mlirShapedTypeGetElementType(type));
  for (intptr_t i = 0; i < mlirShapedTypeGetRank(type); ++i)
    if (!mlirShapedTypeIsDynamicDim(type, i) &&
        !pgopt_checked_multiply(result, mlirShapedTypeGetDimSize(type, i),
                                &result))
      return false;
  *bytes = result;
  return result > 0;
}

/// Bytes of a buffer of dynamic shape, rounded up to the alignment.
static MlirValue emit_dynamic_bytes(pgopt_emitter emitter,
                                    MlirOperation alloc) {
  MlirType type = mlirValueGetType(pgopt_result(alloc));
  int64_t fixed = 0;
  static_part(type, &fixed);
  MlirValue bytes = pgopt_emit_index(emitter, fixed);
  for (intptr_t i = 0; i < mlirOperationGetNumOperands(alloc); ++i)
    bytes = pgopt_emit_binary(emitter, "arith.muli", bytes,
                              mlirOperationGetOperand(alloc, i));
  MlirValue rounded = pgopt_emit_binary(
      emitter, "arith.addi", bytes, pgopt_emit_index(emitter, ALIGNMENT - 1));
  MlirValue lines = pgopt_emit_binary(emitter, "arith.divui", rounded,
                                      pgopt_emit_index(emitter, ALIGNMENT));
  return pgopt_emit_binary(emitter, "arith.muli", lines,
                           pgopt_emit_index(emitter, ALIGNMENT));
}

static bool is_loop(MlirOperation op) {
  return pgopt_op_is(op, "scf.for") || pgopt_op_is(op, "scf.while") ||
         pgopt_op_is(op, "scf.parallel") || pgopt_op_is(op, "scf.forall");
}

/// True when the next turn of a loop may still use the buffer of this one.
static bool outlives_turn(MlirOperation alloc) {
  MlirOperation parent = mlirOperationGetParentOperation(alloc);
  while (!is_loop(parent)) {
    if (pgopt_op_is(parent, "func.func"))
      return false;
    parent = mlirOperationGetParentOperation(parent);
  }
  MlirOpOperand use = mlirValueGetFirstUse(pgopt_result(alloc));
  for (; !mlirOpOperandIsNull(use); use = mlirOpOperandGetNextUse(use)) {
    MlirOperation user = mlirOpOperandGetOwner(use);
    // A view or a yield makes another name, which may leave the turn.
    if (pgopt_op_is(user, "scf.yield") || pgopt_op_is(user, "scf.condition") ||
        pgopt_op_is(user, "memref.cast"))
      return true;
  }
  return false;
}

static MlirLogicalResult check_kernel_buffer(MlirOperation alloc,
                                             MlirOperation anchor,
                                             int64_t *fixed_bytes) {
  MlirType type = mlirValueGetType(pgopt_result(alloc));
  int64_t bytes;
  if (outlives_turn(alloc))
    return pgopt_emit_error(alloc, "a buffer allocated in a loop leaves its "
                                   "turn; allocate it in front of the loop");
  if (is_contiguous(type) && pgopt_memref_bytes(type, &bytes) &&
      add_aligned(fixed_bytes, bytes))
    return mlirLogicalResultSuccess();
  if (!is_contiguous(type) || mlirShapedTypeHasStaticShape(type) ||
      !static_part(type, &bytes))
    return pgopt_emit_error(alloc, "a kernel's buffers need a contiguous "
                                   "layout and elements of a fixed size");
  for (intptr_t i = 0; i < mlirOperationGetNumOperands(alloc); ++i)
    if (!hoist(mlirOperationGetOperand(alloc, i), anchor))
      return pgopt_emit_error(alloc,
                              "the size of this buffer is not known when the "
                              "kernel begins; compute it from the kernel's "
                              "arguments alone");
  return mlirLogicalResultSuccess();
}

MlirLogicalResult pgopt_place_kernel_buffers(MlirOperation kernel,
                                             int64_t *most_bytes) {
  size_t count, dealloc_count;
  MlirOperation *allocs = pgopt_collect_ops(kernel, "memref.alloc", &count);
  if (!count)
    return mlirLogicalResultSuccess();
  MlirOperation *deallocs =
      pgopt_collect_ops(kernel, "memref.dealloc", &dealloc_count);
  MlirLogicalResult result = mlirLogicalResultSuccess();
  pgopt_emitter emitter =
      pgopt_emitter_at_start(pgopt_function_body(kernel), kernel);
  MlirOperation anchor = mlirOpResultGetOwner(pgopt_emit_index(emitter, 0));
  emitter.before = anchor;
  int64_t fixed_bytes = 0;
  for (size_t i = 0; i < count; ++i) {
    result = check_kernel_buffer(allocs[i], anchor, &fixed_bytes);
    if (mlirLogicalResultIsFailure(result))
      goto done;
  }
  if (fixed_bytes > *most_bytes)
    *most_bytes = fixed_bytes;
  for (size_t i = 0; i < dealloc_count; ++i)
    mlirOperationDestroy(deallocs[i]);

  // Static buffers first, so that their offsets are constants.
  MlirValue *offsets = pgopt_allocate(count, sizeof *offsets);
  MlirValue total = pgopt_emit_index(emitter, fixed_bytes);
  int64_t offset = 0;
  for (size_t i = 0; i < count; ++i) {
    MlirType type = mlirValueGetType(pgopt_result(allocs[i]));
    int64_t bytes;
    if (pgopt_memref_bytes(type, &bytes)) {
      offsets[i] = pgopt_emit_index(emitter, offset);
      add_aligned(&offset, bytes);
    } else {
      offsets[i] = total;
      total = pgopt_emit_binary(emitter, "arith.addi", total,
                                emit_dynamic_bytes(emitter, allocs[i]));
    }
  }
  MlirValue size = pgopt_emit_to_i64(emitter, total);
  MlirValue pointer = pgopt_emit_runtime_call(
      emitter, pgopt_parent_module(kernel), "pgopt_rt_scratch", 1, &size,
      pgopt_pointer_type(emitter.context));
  MlirValue block = pgopt_emit_bytes(emitter, pointer, size);
  for (size_t i = 0; i < count; ++i) {
    MlirType type = mlirValueGetType(pgopt_result(allocs[i]));
    size_t size_count = (size_t)mlirOperationGetNumOperands(allocs[i]);
    MlirValue *sizes = pgopt_allocate(size_count, sizeof *sizes);
    for (size_t k = 0; k < size_count; ++k)
      sizes[k] = mlirOperationGetOperand(allocs[i], (intptr_t)k);
    MlirValue view =
        pgopt_emit_view(emitter, block, offsets[i], type, size_count, sizes);
    free(sizes);
    replace(allocs[i], view);
  }
  free(offsets);
done:
  free(deallocs);
  free(allocs);
  return result;
}

/// The parameter file's path: as written when absolute, else relative to the
/// folder of the module's source file, or, when there is no such file (the
/// module was not saved since it was made), to the working directory. Null when
/// the module names none.
static char *parameter_path(MlirOperation module) {
  MlirAttribute parameters = pgopt_get(module, PGOPT_PARAMETERS);
  if (mlirAttributeIsNull(parameters))
    return NULL;
  MlirAttribute path =
      mlirDictionaryAttrGetElementByName(parameters, pgopt_ref("path"));
  if (mlirAttributeIsNull(path) || !mlirAttributeIsAString(path))
    return NULL;
  MlirStringRef name = mlirStringAttrGetValue(path);
  MlirLocation location = mlirOperationGetLocation(module);
  MlirStringRef folder = {NULL, 0};
  if (name.length && name.data[0] != '/' &&
      mlirLocationIsAFileLineColRange(location)) {
    folder =
        mlirIdentifierStr(mlirLocationFileLineColRangeGetFilename(location));
    while (folder.length && folder.data[folder.length - 1] != '/')
      --folder.length;
  }
  pgopt_text text = {0};
  pgopt_text_append_bytes(&text, folder.data, folder.length);
  pgopt_text_append_bytes(&text, name.data, name.length);
  if (folder.length && access(text.data, F_OK)) {
    text.size = 0;
    pgopt_text_append_bytes(&text, name.data, name.length);
  }
  return text.data;
}

static MlirLogicalResult bind_parameter(MlirOperation module,
                                        MlirOperation global, const char *path,
                                        MlirOperation *uses, size_t count) {
  MlirStringRef name, symbol = pgopt_symbol_name(global);
  MlirType type = mlirTypeAttrGetValue(pgopt_op_attribute(global, "type"));
  int64_t bytes;
  pgopt_get_text(global, PGOPT_PARAMETER, &name);
  if (!is_contiguous(type) || !pgopt_memref_bytes(type, &bytes))
    return pgopt_emit_error(global, "a parameter needs a static shape, a "
                                    "contiguous layout and elements of a "
                                    "fixed size");
  for (size_t i = 0; i < count; ++i) {
    MlirAttribute used = pgopt_op_attribute(uses[i], "name");
    if (!mlirStringRefEqual(mlirFlatSymbolRefAttrGetValue(used), symbol))
      continue;
    pgopt_emitter emitter = pgopt_emitter_before(uses[i]);
    MlirValue arguments[] = {
        emit_text(emitter, module, "pgopt_path", path, strlen(path)),
        emit_text(emitter, module, "pgopt_name", name.data, name.length),
        pgopt_emit_i64(emitter, bytes)};
    MlirValue pointer =
        pgopt_emit_runtime_call(emitter, module, "pgopt_rt_parameter", 3,
                                arguments, pgopt_pointer_type(emitter.context));
    MlirValue block = pgopt_emit_bytes(emitter, pointer, arguments[2]);
    MlirValue view = pgopt_emit_view(
        emitter, block, pgopt_emit_index(emitter, 0), type, 0, NULL);
    mlirValueReplaceAllUsesOfWith(pgopt_result(uses[i]), view);
  }
  return mlirLogicalResultSuccess();
}

MlirLogicalResult pgopt_bind_parameters(MlirOperation module, int64_t *count) {
  size_t global_count, use_count;
  MlirOperation *globals =
      pgopt_collect_ops(module, "memref.global", &global_count);
  MlirOperation *uses =
      pgopt_collect_ops(module, "memref.get_global", &use_count);
  char *path = parameter_path(module);
  MlirLogicalResult result = mlirLogicalResultSuccess();
  bool *bound = pgopt_allocate(use_count + 1, sizeof *bound);
  *count = 0;
  for (size_t i = 0; i < global_count; ++i) {
    if (mlirAttributeIsNull(pgopt_get(globals[i], PGOPT_PARAMETER)))
      continue;
    if (!path) {
      result =
          pgopt_emit_error(globals[i], "a parameter, but the module names no "
                                       "parameter file in pg.parameters");
      goto done;
    }
    result = bind_parameter(module, globals[i], path, uses, use_count);
    if (mlirLogicalResultIsFailure(result))
      goto done;
    MlirStringRef symbol = pgopt_symbol_name(globals[i]);
    for (size_t k = 0; k < use_count; ++k)
      bound[k] |= mlirStringRefEqual(
          mlirFlatSymbolRefAttrGetValue(pgopt_op_attribute(uses[k], "name")),
          symbol);
    mlirOperationDestroy(globals[i]);
    ++*count;
  }
  for (size_t k = 0; k < use_count; ++k)
    if (bound[k])
      mlirOperationDestroy(uses[k]);
done:
  free(bound);
  free(path);
  free(uses);
  free(globals);
  return result;
}
