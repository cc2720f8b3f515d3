/// \file Rebuilds the network's function on memrefs.
#include "ir/build_entry.h"

#include "ir/adapt_callers.h"
#include "ir/ir.h"
#include "ir/tensor_ops.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

enum { BUFFER_ALIGNMENT = 64 };

typedef struct entry_builder {
  pgopt_builder b;
  MlirOperation module;
  const pgopt_ir_network *ir;
  MlirValue *values; ///< per value of the network; null while unknown
  pgopt_symbol_names *names;
  pgopt_pointer_map global_index; ///< constant -> index into `globals`
  MlirOperation *globals;
  size_t global_count, global_capacity;
} entry_builder;

MlirType pgopt_memref_of(MlirType type) {
  if (!mlirTypeIsARankedTensor(type))
    return type;
  size_t rank = (size_t)mlirShapedTypeGetRank(type);
  int64_t *shape = pgopt_allocate(rank, sizeof *shape);
  for (size_t i = 0; i < rank; ++i)
    shape[i] = mlirShapedTypeGetDimSize(type, (intptr_t)i);
  MlirType memref = mlirMemRefTypeContiguousGet(
      mlirShapedTypeGetElementType(type), (intptr_t)rank, shape,
      mlirAttributeGetNull());
  free(shape);
  return memref;
}

static MlirType memref_type(MlirContext context, MlirType function) {
  size_t inputs = (size_t)mlirFunctionTypeGetNumInputs(function);
  size_t results = (size_t)mlirFunctionTypeGetNumResults(function);
  MlirType *types = pgopt_allocate(inputs + results, sizeof *types);
  for (size_t i = 0; i < inputs; ++i)
    types[i] = pgopt_memref_of(mlirFunctionTypeGetInput(function, (intptr_t)i));
  for (size_t i = 0; i < results; ++i)
    types[inputs + i] =
        pgopt_memref_of(mlirFunctionTypeGetResult(function, (intptr_t)i));
  MlirType type = mlirFunctionTypeGet(context, (intptr_t)inputs, types,
                                      (intptr_t)results, types + inputs);
  free(types);
  return type;
}

/// The module's global that holds the constant; made on first use.
static MlirOperation global_for(entry_builder *e, MlirAttribute value,
                                MlirType type) {
  int known;
  if (pgopt_pointer_map_get(&e->global_index, value.ptr, &known))
    return e->globals[known];
  char name[32];
  size_t number = e->global_count;
  do
    snprintf(name, sizeof name, "const_%zu", number++);
  while (!pgopt_symbol_names_take(e->names, name));
  MlirContext c = e->b.context;
  MlirNamedAttribute attributes[] = {
      pgopt_named(c, "sym_name", pgopt_text_attribute(c, name)),
      pgopt_named(c, "sym_visibility", pgopt_text_attribute(c, "private")),
      pgopt_named(c, "type", mlirTypeAttrGet(type)),
      pgopt_named(c, "initial_value", value),
      pgopt_named(c, "constant", mlirUnitAttrGet(c)),
      pgopt_named(c, "alignment", pgopt_i64_attribute(c, BUFFER_ALIGNMENT)),
  };
  pgopt_op_spec spec = {.name = "memref.global",
                        .location = e->b.location,
                        .attribute_count = 6,
                        .attributes = attributes};
  MlirOperation first =
      mlirBlockGetFirstOperation(pgopt_module_body(e->module));
  MlirOperation global = pgopt_build_before(first, &spec);
  pgopt_pointer_map_set(&e->global_index, value.ptr, (int)e->global_count);
  PGOPT_APPEND(e->globals, e->global_count, e->global_capacity, global);
  return global;
}

static void build_constant(entry_builder *e, size_t number) {
  const pgopt_op *op = &e->ir->network.ops[number];
  MlirAttribute value = pgopt_op_attribute(e->ir->ops[number], "value");
  MlirType type =
      pgopt_memref_of(mlirValueGetType(e->ir->values[op->results[0]]));
  MlirOperation global = global_for(e, value, type);
  MlirContext c = e->b.context;
  MlirNamedAttribute name = pgopt_named(
      c, "name", mlirFlatSymbolRefAttrGet(c, pgopt_symbol_name(global)));
  pgopt_op_spec spec = {.name = "memref.get_global",
                        .location = e->b.location,
                        .result_count = 1,
                        .results = &type,
                        .attribute_count = 1,
                        .attributes = &name};
  e->values[op->results[0]] = pgopt_result(pgopt_build(e->b.block, &spec));
}

static MlirLogicalResult build_view(entry_builder *e, size_t number) {
  const pgopt_op *op = &e->ir->network.ops[number];
  MlirOperation handle = e->ir->ops[number];
  MlirType type =
      pgopt_memref_of(mlirValueGetType(e->ir->values[op->results[0]]));
  const char *name =
      pgopt_op_is(handle, "tensor.expand_shape")     ? "memref.expand_shape"
      : pgopt_op_is(handle, "tensor.collapse_shape") ? "memref.collapse_shape"
      : pgopt_op_is(handle, "tensor.cast")           ? "memref.cast"
                                                     : NULL;
  if (!name || !mlirShapedTypeHasStaticShape(type))
    return pgopt_emit_error(handle,
                            "'%s' between kernels needs a static "
                            "shape and a reassociation",
                            op->name);
  MlirNamedAttribute attributes[2];
  size_t count = 0;
  static const char *const kept[] = {"reassociation", "static_output_shape"};
  for (size_t i = 0; i < 2; ++i) {
    MlirAttribute attribute = pgopt_op_attribute(handle, kept[i]);
    if (!mlirAttributeIsNull(attribute))
      attributes[count++] = pgopt_named(e->b.context, kept[i], attribute);
  }
  pgopt_op_spec spec = {.name = name,
                        .location = e->b.location,
                        .operand_count = 1,
                        .operands = &e->values[op->operands[0]],
                        .result_count = 1,
                        .results = &type,
                        .attribute_count = count,
                        .attributes = attributes};
  e->values[op->results[0]] = pgopt_result(pgopt_build(e->b.block, &spec));
  return mlirLogicalResultSuccess();
}

/// The entry's value; a scalar or small constant that was attached to kernels
/// is computed here when something between them needs it.
static MlirLogicalResult need_value(entry_builder *e, int value,
                                    MlirOperation user) {
  if (value >= 0 && e->values[value].ptr)
    return mlirLogicalResultSuccess();
  int producer = value < 0 ? -1 : e->ir->network.values[value].producer;
  if (producer < 0)
    return pgopt_emit_error(user, "operand from outside the network");
  const pgopt_op *op = &e->ir->network.ops[producer];
  if (op->kind == PGOPT_OP_CONSTANT &&
      e->ir->network.values[value].type.is_shaped) {
    build_constant(e, (size_t)producer);
    return mlirLogicalResultSuccess();
  }
  if (op->kind == PGOPT_OP_VIEW) {
    if (mlirLogicalResultIsFailure(need_value(e, op->operands[0], user)))
      return mlirLogicalResultFailure();
    return build_view(e, (size_t)producer);
  }
  if ((op->kind != PGOPT_OP_CONSTANT && op->kind != PGOPT_OP_SCALAR) ||
      pgopt_op_is(e->ir->ops[producer], "tensor.extract"))
    return pgopt_emit_error(user, "operand '%s' has no value between kernels",
                            op->name);
  for (size_t i = 0; i < op->operand_count; ++i)
    if (mlirLogicalResultIsFailure(need_value(e, op->operands[i], user)))
      return mlirLogicalResultFailure();
  MlirOperation copy = mlirOperationClone(e->ir->ops[producer]);
  for (size_t i = 0; i < op->operand_count; ++i)
    mlirOperationSetOperand(copy, (intptr_t)i, e->values[op->operands[i]]);
  mlirBlockAppendOwnedOperation(e->b.block, copy);
  for (size_t r = 0; r < op->result_count; ++r)
    e->values[op->results[r]] = mlirOperationGetResult(copy, (intptr_t)r);
  return mlirLogicalResultSuccess();
}

MlirValue pgopt_build_entry_buffer(MlirBlock block, MlirOperation before,
                                   MlirLocation location, MlirType memref) {
  MlirContext context = mlirTypeGetContext(memref);
  int32_t segments[] = {0, 0};
  MlirNamedAttribute attributes[] = {
      pgopt_named(context, "alignment",
                  pgopt_i64_attribute(context, BUFFER_ALIGNMENT)),
      pgopt_named(context, "operandSegmentSizes",
                  mlirDenseI32ArrayGet(context, 2, segments)),
  };
  pgopt_op_spec spec = {.name = "memref.alloc",
                        .location = location,
                        .result_count = 1,
                        .results = &memref,
                        .attribute_count = 2,
                        .attributes = attributes};
  return pgopt_result(mlirOperationIsNull(before)
                          ? pgopt_build(block, &spec)
                          : pgopt_build_before(before, &spec));
}

static void build_buffer(entry_builder *e, int value) {
  MlirType type = pgopt_memref_of(mlirValueGetType(e->ir->values[value]));
  e->values[value] = pgopt_build_entry_buffer(e->b.block, (MlirOperation){NULL},
                                              e->b.location, type);
}

static MlirLogicalResult build_call(entry_builder *e,
                                    const pgopt_kernel_plan *plan,
                                    const pgopt_kernel_call *call,
                                    MlirOperation core) {
  e->b.location = mlirOperationGetLocation(core);
  for (size_t i = 0; i < plan->input_count; ++i)
    if (mlirLogicalResultIsFailure(need_value(e, plan->inputs[i], core)))
      return mlirLogicalResultFailure();
  for (size_t i = 0; i < plan->output_count; ++i)
    if (!e->values[plan->outputs[i]].ptr)
      build_buffer(e, plan->outputs[i]);
  size_t count = plan->input_count + plan->output_count + 2, n = 0;
  MlirValue *operands = pgopt_allocate(count, sizeof *operands);
  for (size_t i = 0; i < plan->input_count; ++i)
    operands[n++] = e->values[plan->inputs[i]];
  for (size_t i = 0; i < plan->output_count; ++i)
    operands[n++] = e->values[plan->outputs[i]];
  operands[n++] = pgopt_build_index(e->b.block, e->b.location, call->low);
  operands[n++] = pgopt_build_index(e->b.block, e->b.location, call->high);
  MlirNamedAttribute *attributes =
      pgopt_allocate(call->attribute_count + 1, sizeof *attributes);
  attributes[0] = pgopt_named(
      e->b.context, "callee",
      mlirFlatSymbolRefAttrGet(e->b.context, pgopt_ref(call->function)));
  for (size_t i = 0; i < call->attribute_count; ++i)
    attributes[i + 1] = call->attributes[i];
  pgopt_op_spec spec = {.name = "func.call",
                        .location = e->b.location,
                        .operand_count = count,
                        .operands = operands,
                        .attribute_count = call->attribute_count + 1,
                        .attributes = attributes};
  pgopt_build(e->b.block, &spec);
  free(attributes);
  free(operands);
  return mlirLogicalResultSuccess();
}

/// A side effect or the return, on the entry's values.
static MlirLogicalResult build_other(entry_builder *e, size_t number) {
  const pgopt_op *op = &e->ir->network.ops[number];
  for (size_t i = 0; i < op->operand_count; ++i)
    if (mlirLogicalResultIsFailure(
            need_value(e, op->operands[i], e->ir->ops[number])))
      return mlirLogicalResultFailure();
  MlirOperation copy = mlirOperationClone(e->ir->ops[number]);
  for (size_t i = 0; i < op->operand_count; ++i)
    mlirOperationSetOperand(copy, (intptr_t)i, e->values[op->operands[i]]);
  mlirBlockAppendOwnedOperation(e->b.block, copy);
  for (size_t r = 0; r < op->result_count; ++r)
    e->values[op->results[r]] = mlirOperationGetResult(copy, (intptr_t)r);
  return mlirLogicalResultSuccess();
}

static MlirLogicalResult build_body(entry_builder *e,
                                    const pgopt_grouping *grouping,
                                    const pgopt_kernel_plan *plans,
                                    const pgopt_kernel_call *calls,
                                    size_t call_count) {
  const pgopt_network *network = &e->ir->network;
  size_t next = 0;
  for (size_t i = 0; i < network->op_count; ++i) {
    e->b.location = mlirOperationGetLocation(e->ir->ops[i]);
    int g = grouping->group_of[i];
    MlirLogicalResult result = mlirLogicalResultSuccess();
    if (g >= 0) {
      const pgopt_group *group = &grouping->groups[g];
      if (group->members[group->member_count - 1] != (int)i)
        continue;
      for (; next < call_count && calls[next].group == (size_t)g &&
             mlirLogicalResultIsSuccess(result);
           ++next)
        result =
            build_call(e, &plans[g], &calls[next], e->ir->ops[group->core]);
    } else if (!pgopt_op_is_between(network, (int)i)) {
      continue;
    } else if (network->ops[i].kind == PGOPT_OP_CONSTANT ||
               network->ops[i].kind == PGOPT_OP_VIEW) {
      /* Made when something needs it. */
      continue;
    } else {
      result = build_other(e, i);
    }
    if (mlirLogicalResultIsFailure(result))
      return result;
  }
  return mlirLogicalResultSuccess();
}

MlirLogicalResult
pgopt_build_entry(MlirOperation module, MlirOperation function,
                  const pgopt_ir_network *ir, const pgopt_grouping *grouping,
                  const pgopt_kernel_plan *plans,
                  const pgopt_kernel_call *calls, size_t call_count,
                  pgopt_symbol_names *names, MlirOperation *entry) {
  entry_builder e = {.module = module, .ir = ir, .names = names};
  e.b.context = mlirOperationGetContext(module);
  e.b.location = mlirOperationGetLocation(function);
  e.values = pgopt_allocate(ir->network.value_count, sizeof *e.values);
  MlirType type = memref_type(e.b.context, pgopt_function_type(function));
  MlirOperation rebuilt = pgopt_build_function(module, ir->network.name, type,
                                               true, e.b.location, &e.b.block);
  for (size_t i = 0; i < ir->network.argument_count; ++i)
    e.values[i] = mlirBlockGetArgument(e.b.block, (intptr_t)i);
  MlirLogicalResult result = build_body(&e, grouping, plans, calls, call_count);
  free(e.values);
  free(e.globals);
  pgopt_pointer_map_free(&e.global_index);
  if (mlirLogicalResultIsFailure(result)) {
    mlirOperationDestroy(rebuilt);
    return result;
  }
  /* The function's own attributes, but for its type. */
  mlirOperationRemoveAttributeByName(rebuilt, pgopt_ref("sym_visibility"));
  for (intptr_t i = 0; i < mlirOperationGetNumAttributes(function); ++i) {
    MlirNamedAttribute a = mlirOperationGetAttribute(function, i);
    if (!pgopt_ref_is(mlirIdentifierStr(a.name), "function_type"))
      mlirOperationSetAttributeByName(rebuilt, mlirIdentifierStr(a.name),
                                      a.attribute);
  }
  mlirOperationMoveBefore(rebuilt, function);
  mlirOperationDestroy(function);
  pgopt_adapt_callers(module, rebuilt);
  *entry = rebuilt;
  return result;
}
