/// \file Two modules made one.
#include "ir/join_modules.h"

#include "base/memory.h"
#include "base/pointer_map.h"
#include "ir/ir.h"
#include "ir/symbol_index.h"
#include "ir/symbol_names.h"

#include <stdlib.h>

typedef struct joiner {
  MlirContext context;
  pgopt_pointer_map renamed; ///< flat reference -> number in `references`
  MlirAttribute *references;
  size_t count, capacity;
} joiner;

static bool has_equal_attributes(MlirOperation a, MlirOperation b) {
  intptr_t count = mlirOperationGetNumAttributes(a);
  bool equal = count == mlirOperationGetNumAttributes(b);
  for (intptr_t i = 0; i < count && equal; ++i) {
    MlirNamedAttribute attribute = mlirOperationGetAttribute(a, i);
    MlirAttribute other =
        mlirOperationGetAttributeByName(b, mlirIdentifierStr(attribute.name));
    equal = !mlirAttributeIsNull(other) &&
            mlirAttributeEqual(attribute.attribute, other);
  }
  return equal;
}

/// Equal globals and declarations are the same thing.
static bool is_same(MlirOperation op, MlirOperation known) {
  bool has_body =
      pgopt_op_is(op, "func.func") && !mlirBlockIsNull(pgopt_function_body(op));
  return !has_body &&
         mlirStringRefEqual(pgopt_op_name(op), pgopt_op_name(known)) &&
         has_equal_attributes(op, known);
}

static void rename_symbol(joiner *j, MlirOperation op, const char *name) {
  MlirAttribute old =
      mlirFlatSymbolRefAttrGet(j->context, pgopt_symbol_name(op));
  MlirAttribute reference =
      mlirFlatSymbolRefAttrGet(j->context, pgopt_ref(name));
  PGOPT_APPEND(j->references, j->count, j->capacity, reference);
  pgopt_pointer_map_set(&j->renamed, old.ptr, (int)j->count - 1);
  mlirOperationSetAttributeByName(op, pgopt_ref("sym_name"),
                                  pgopt_text_attribute(j->context, name));
}

static MlirWalkResult rename_uses(MlirOperation op, void *data) {
  const joiner *j = data;
  const char *name = pgopt_op_is(op, "func.call")           ? "callee"
                     : pgopt_op_is(op, "memref.get_global") ? "name"
                     : pgopt_op_is(op, "func.constant")     ? "value"
                                                            : NULL;
  int number;
  if (name && pgopt_pointer_map_get(&j->renamed,
                                    pgopt_op_attribute(op, name).ptr, &number))
    mlirOperationSetAttributeByName(op, pgopt_ref(name), j->references[number]);
  return MlirWalkResultAdvance;
}

void pgopt_join_modules(MlirOperation module, MlirOperation other,
                        MlirOperation function, const char *name) {
  joiner j = {.context = mlirOperationGetContext(module)};
  pgopt_symbol_index index = pgopt_symbol_index_create(module);
  pgopt_symbol_names names = pgopt_symbol_names_create(module);
  if (!mlirOperationIsNull(function)) {
    pgopt_symbol_names_take(&names, name);
    rename_symbol(&j, function, name);
  }
  size_t count;
  MlirOperation *ops = pgopt_block_ops(pgopt_module_body(other), &count);
  MlirBlock body = pgopt_module_body(module);
  for (size_t i = 0; i < count; ++i) {
    char *symbol = pgopt_ref_duplicate(pgopt_symbol_name(ops[i]));
    MlirOperation known =
        pgopt_symbol_index_find(&index, j.context, pgopt_ref(symbol));
    mlirOperationRemoveFromParent(ops[i]);
    if (!mlirOperationIsNull(known) && is_same(ops[i], known)) {
      mlirOperationDestroy(ops[i]);
      ops[i] = (MlirOperation){NULL};
    } else if (!mlirOperationEqual(ops[i], function) && *symbol &&
               !pgopt_symbol_names_take(&names, symbol)) {
      char *made = pgopt_symbol_names_make(&names, symbol);
      rename_symbol(&j, ops[i], made);
      free(made);
    }
    free(symbol);
    if (!mlirOperationIsNull(ops[i]))
      mlirBlockAppendOwnedOperation(body, ops[i]);
  }
  for (size_t i = 0; i < count; ++i)
    if (!mlirOperationIsNull(ops[i]))
      mlirOperationWalk(ops[i], rename_uses, &j, MlirWalkPreOrder);
  free(ops);
  pgopt_symbol_names_free(&names);
  pgopt_symbol_index_free(&index);
  pgopt_pointer_map_free(&j.renamed);
  free(j.references);
}
