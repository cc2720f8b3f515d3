/// \file The launch of a scheduled program: one function a core.
#include "codegen/launch.h"

#include "base/memory.h"
#include "base/text.h"
#include "codegen/emit.h"
#include "mlir-c/Dialect/LLVM.h"

#include <stdlib.h>

/// The type that values of `type` have in the LLVM dialect; null for types that
/// a frame cannot hold.
static MlirType frame_type(MlirType type) {
  MlirContext context = mlirTypeGetContext(type);
  if (mlirTypeIsAIndex(type))
    return mlirIntegerTypeGet(context, 64);
  if (mlirTypeIsAInteger(type) || mlirTypeIsAFloat(type) ||
      mlirTypeIsALLVMPointerType(type))
    return type;
  if (!mlirTypeIsAMemRef(type))
    return (MlirType){NULL};
  MlirType pointer = pgopt_pointer_type(context);
  MlirType i64 = mlirIntegerTypeGet(context, 64);
  intptr_t rank = mlirShapedTypeGetRank(type);
  MlirType extents = mlirLLVMArrayTypeGet(i64, (unsigned)rank);
  MlirType fields[] = {pointer, pointer, i64, extents, extents};
  return mlirLLVMStructTypeLiteralGet(context, rank ? 5 : 3, fields, false);
}

static MlirValue emit_cast(pgopt_emitter emitter, MlirValue value,
                           MlirType type) {
  if (mlirTypeEqual(mlirValueGetType(value), type))
    return value;
  return pgopt_emit_op(emitter, "builtin.unrealized_conversion_cast", 1, &value,
                       type, 0, NULL);
}

/// Address of the frame's field `index`.
static MlirValue emit_field(pgopt_emitter emitter, MlirValue frame,
                            MlirType type, size_t index) {
  int32_t path[] = {0, (int32_t)index};
  MlirNamedAttribute attributes[] = {
      pgopt_named(emitter.context, "elem_type", mlirTypeAttrGet(type)),
      pgopt_named(emitter.context, "rawConstantIndices",
                  mlirDenseI32ArrayGet(emitter.context, 2, path))};
  return pgopt_emit_op(emitter, "llvm.getelementptr", 1, &frame,
                       pgopt_pointer_type(emitter.context), 2, attributes);
}

static MlirValue emit_frame(pgopt_emitter emitter, MlirType type) {
  MlirValue one = pgopt_emit_i64(emitter, 1);
  MlirNamedAttribute attribute =
      pgopt_named(emitter.context, "elem_type", mlirTypeAttrGet(type));
  return pgopt_emit_op(emitter, "llvm.alloca", 1, &one,
                       pgopt_pointer_type(emitter.context), 1, &attribute);
}

static bool constant_index(MlirValue value, int64_t *number) {
  if (mlirValueIsABlockArgument(value))
    return false;
  MlirOperation op = mlirOpResultGetOwner(value);
  if (!pgopt_op_is(op, "arith.constant"))
    return false;
  MlirAttribute attribute = pgopt_op_attribute(op, "value");
  if (!mlirAttributeIsAInteger(attribute))
    return false;
  *number = mlirIntegerAttrGetValueInt(attribute);
  return true;
}

/// Reads "0 to cores step 1" of a parallel loop with one variable and no
/// reductions.
static bool read_cores(MlirOperation parallel, int64_t *cores) {
  int64_t first, step;
  return mlirOperationGetNumOperands(parallel) == 3 &&
         mlirOperationGetNumResults(parallel) == 0 &&
         constant_index(mlirOperationGetOperand(parallel, 0), &first) &&
         constant_index(mlirOperationGetOperand(parallel, 1), cores) &&
         constant_index(mlirOperationGetOperand(parallel, 2), &step) &&
         first == 0 && step == 1 && *cores >= 1;
}

/// Moves the loop's body in front of the function's return, with its variable
/// replaced by `core`.
static void move_body(MlirOperation parallel, MlirValue core,
                      MlirOperation before) {
  MlirBlock block =
      mlirRegionGetFirstBlock(mlirOperationGetRegion(parallel, 0));
  mlirValueReplaceAllUsesOfWith(mlirBlockGetArgument(block, 0), core);
  size_t count;
  MlirOperation *ops = pgopt_block_ops(block, &count);
  for (size_t i = 0; i < count; ++i)
    if (!pgopt_op_is(ops[i], "scf.reduce"))
      mlirOperationMoveBefore(ops[i], before);
  free(ops);
}

/// Replaces uses of `value` inside `root` only.
typedef struct replacement {
  MlirValue value, with;
} replacement;

static MlirWalkResult replace_operands(MlirOperation op, void *data) {
  replacement *r = data;
  for (intptr_t i = 0; i < mlirOperationGetNumOperands(op); ++i)
    if (mlirValueEqual(mlirOperationGetOperand(op, i), r->value))
      mlirOperationSetOperand(op, i, r->with);
  return MlirWalkResultAdvance;
}

static void outline(MlirOperation entry, MlirOperation parallel, int64_t cores,
                    const MlirValue *captured, const MlirType *fields,
                    size_t count) {
  MlirContext context = mlirOperationGetContext(entry);
  MlirOperation module = pgopt_parent_module(entry);
  MlirType frame_struct =
      mlirLLVMStructTypeLiteralGet(context, (intptr_t)count, fields, false);
  MlirType inputs[] = {pgopt_pointer_type(context),
                       mlirIntegerTypeGet(context, 64)};
  MlirType type = mlirFunctionTypeGet(context, 2, inputs, 0, NULL);
  pgopt_text wanted = {0};
  MlirStringRef entry_name = pgopt_symbol_name(entry);
  pgopt_text_append(&wanted, "%.*s_launch", (int)entry_name.length,
                    entry_name.data);
  char *name = pgopt_unique_symbol(module, wanted.data);
  pgopt_text_free(&wanted);

  MlirBlock body;
  MlirOperation function = pgopt_build_function(
      module, name, type, true, mlirOperationGetLocation(parallel), &body);
  pgopt_op_spec end = {.name = "func.return",
                       .location = mlirOperationGetLocation(parallel)};
  pgopt_emitter inside = pgopt_emitter_before(pgopt_build(body, &end));
  MlirOperation end_op = inside.before;
  MlirValue core = pgopt_emit_to_index(inside, mlirBlockGetArgument(body, 1));
  MlirValue *loaded = pgopt_allocate(count + 1, sizeof *loaded);
  for (size_t i = 0; i < count; ++i) {
    MlirValue field =
        emit_field(inside, mlirBlockGetArgument(body, 0), frame_struct, i);
    MlirValue value =
        pgopt_emit_op(inside, "llvm.load", 1, &field, fields[i], 0, NULL);
    loaded[i] = emit_cast(inside, value, mlirValueGetType(captured[i]));
  }
  move_body(parallel, core, end_op);
  for (size_t i = 0; i < count; ++i) {
    replacement r = {captured[i], loaded[i]};
    mlirOperationWalk(function, replace_operands, &r, MlirWalkPreOrder);
  }
  free(loaded);

  pgopt_emitter emitter = pgopt_emitter_before(parallel);
  MlirValue frame =
      emit_frame(pgopt_emitter_at_start(pgopt_function_body(entry), parallel),
                 frame_struct);
  for (size_t i = 0; i < count; ++i) {
    MlirValue operands[] = {emit_cast(emitter, captured[i], fields[i]),
                            emit_field(emitter, frame, frame_struct, i)};
    pgopt_emit_op(emitter, "llvm.store", 2, operands, (MlirType){NULL}, 0,
                  NULL);
  }
  MlirNamedAttribute reference = pgopt_named(
      context, "value", mlirFlatSymbolRefAttrGet(context, pgopt_ref(name)));
  free(name);
  MlirValue arguments[] = {
      pgopt_emit_op(emitter, "func.constant", 0, NULL, type, 1, &reference),
      frame, pgopt_emit_i64(emitter, cores)};
  pgopt_emit_runtime_call(emitter, module, "pgopt_rt_launch", 3, arguments,
                          (MlirType){NULL});
  mlirOperationDestroy(parallel);
}

static MlirLogicalResult lower(MlirOperation entry, MlirOperation parallel) {
  int64_t cores;
  if (!read_cores(parallel, &cores))
    return pgopt_emit_error(parallel,
                            "a loop over cores goes from 0 to a constant in "
                            "steps of 1 and has no results");
  size_t count;
  MlirValue *captured = pgopt_captured_values(parallel, &count);
  MlirType *fields = pgopt_allocate(count + 1, sizeof *fields);
  MlirLogicalResult result = mlirLogicalResultSuccess();
  for (size_t i = 0; i < count; ++i) {
    fields[i] = frame_type(mlirValueGetType(captured[i]));
    if (mlirTypeIsNull(fields[i])) {
      result = pgopt_emit_error(parallel, "the functions of the cores use a "
                                          "value that is no memref, number or "
                                          "pointer");
      goto done;
    }
  }
  outline(entry, parallel, cores, captured, fields, count);
done:
  free(fields);
  free(captured);
  return result;
}

MlirLogicalResult pgopt_lower_launch(MlirOperation entry) {
  size_t count;
  MlirOperation *loops = pgopt_collect_ops(entry, "scf.parallel", &count);
  MlirLogicalResult result = mlirLogicalResultSuccess();
  for (size_t i = 0; i < count && mlirLogicalResultIsSuccess(result); ++i)
    result = lower(entry, loops[i]);
  free(loops);
  return result;
}
