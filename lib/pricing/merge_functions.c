/// \file Functions on tensors made one.
#include "pricing/merge_functions.h"

#include "base/memory.h"
#include "dialect_c/attributes.h"
#include "ir/ir.h"

#include <stdio.h>
#include <stdlib.h>

typedef struct argument {
  MlirType type;
  MlirAttribute attributes;
  size_t taken_by; ///< number of the last function, from 1
} argument;

typedef struct merger {
  MlirContext context;
  MlirBlock body;
  argument *arguments;
  size_t argument_count, argument_capacity;
  MlirValue *results;
  size_t result_count, result_capacity;
} merger;

static MlirAttribute attributes_of(MlirContext c, MlirOperation function,
                                   intptr_t number) {
  MlirAttribute all = pgopt_op_attribute(function, "arg_attrs");
  return mlirAttributeIsNull(all) || mlirArrayAttrGetNumElements(all) <= number
             ? mlirDictionaryAttrGet(c, 0, NULL)
             : mlirArrayAttrGetElement(all, number);
}

/// The argument of the merged function that stands for one of the function.
static MlirValue find_argument(merger *m, MlirOperation function,
                               intptr_t number, size_t turn) {
  MlirValue old = mlirBlockGetArgument(pgopt_function_body(function), number);
  MlirType type = mlirValueGetType(old);
  MlirAttribute attributes = attributes_of(m->context, function, number);
  for (size_t i = 0; i < m->argument_count; ++i) {
    argument *a = &m->arguments[i];
    if (a->taken_by == turn || !mlirTypeEqual(a->type, type) ||
        !mlirAttributeEqual(a->attributes, attributes))
      continue;
    a->taken_by = turn;
    return mlirBlockGetArgument(m->body, (intptr_t)i);
  }
  argument added = {type, attributes, turn};
  PGOPT_APPEND(m->arguments, m->argument_count, m->argument_capacity, added);
  return mlirBlockAddArgument(m->body, type,
                              mlirOperationGetLocation(function));
}

static void relabel(MlirOperation op, size_t turn) {
  MlirStringRef label;
  if (!pgopt_get_text(op, PGOPT_KERNEL, &label))
    return;
  pgopt_text text = {0};
  pgopt_text_append(&text, "%zu.%.*s", turn, (int)label.length, label.data);
  pgopt_set_text(op, PGOPT_KERNEL, text.data);
  pgopt_text_free(&text);
}

static void take(merger *m, MlirOperation function, size_t turn) {
  MlirBlock body = pgopt_function_body(function);
  size_t count;
  for (intptr_t i = 0; i < mlirBlockGetNumArguments(body); ++i) {
    MlirValue old = mlirBlockGetArgument(body, i);
    if (!mlirOpOperandIsNull(mlirValueGetFirstUse(old)))
      mlirValueReplaceAllUsesOfWith(old, find_argument(m, function, i, turn));
  }
  MlirOperation *ops = pgopt_block_ops(body, &count);
  for (size_t i = 0; i + 1 < count; ++i) {
    mlirOperationRemoveFromParent(ops[i]);
    mlirBlockAppendOwnedOperation(m->body, ops[i]);
    relabel(ops[i], turn - 1);
  }
  for (intptr_t i = 0; i < mlirOperationGetNumOperands(ops[count - 1]); ++i)
    PGOPT_APPEND(m->results, m->result_count, m->result_capacity,
                 mlirOperationGetOperand(ops[count - 1], i));
  free(ops);
  mlirOperationDestroy(function);
}

static MlirOperation finish(merger *m, MlirOperation module, const char *name,
                            MlirLocation location) {
  MlirType *types =
      pgopt_allocate(m->argument_count + m->result_count + 1, sizeof *types);
  MlirAttribute *attributes =
      pgopt_allocate(m->argument_count + 1, sizeof *attributes);
  for (size_t i = 0; i < m->argument_count; ++i) {
    types[i] = m->arguments[i].type;
    attributes[i] = m->arguments[i].attributes;
  }
  for (size_t i = 0; i < m->result_count; ++i)
    types[m->argument_count + i] = mlirValueGetType(m->results[i]);
  MlirType type =
      mlirFunctionTypeGet(m->context, (intptr_t)m->argument_count, types,
                          (intptr_t)m->result_count, types + m->argument_count);
  MlirBlock empty;
  MlirOperation function =
      pgopt_build_function(module, name, type, false, location, &empty);
  for (size_t i = 0; i < m->argument_count; ++i)
    mlirValueReplaceAllUsesOfWith(mlirBlockGetArgument(m->body, (intptr_t)i),
                                  mlirBlockGetArgument(empty, (intptr_t)i));
  for (MlirOperation op = mlirBlockGetFirstOperation(m->body);
       !mlirOperationIsNull(op); op = mlirBlockGetFirstOperation(m->body)) {
    mlirOperationRemoveFromParent(op);
    mlirBlockAppendOwnedOperation(empty, op);
  }
  pgopt_op_spec spec = {.name = "func.return",
                        .location = location,
                        .operand_count = m->result_count,
                        .operands = m->results};
  pgopt_build(empty, &spec);
  mlirOperationSetAttributeByName(
      function, pgopt_ref("arg_attrs"),
      mlirArrayAttrGet(m->context, (intptr_t)m->argument_count, attributes));
  free(attributes);
  free(types);
  return function;
}

MlirOperation pgopt_merge_functions(MlirOperation module,
                                    const MlirOperation *functions,
                                    size_t count, const char *name) {
  merger m = {.context = mlirOperationGetContext(module),
              .body = mlirBlockCreate(0, NULL, NULL)};
  MlirLocation location = mlirOperationGetLocation(module);
  for (size_t i = 0; i < count; ++i)
    take(&m, functions[i], i + 1);
  MlirOperation merged = finish(&m, module, name, location);
  mlirBlockDestroy(m.body);
  free(m.arguments);
  free(m.results);
  return merged;
}
