/// \file Finding the ops of a module by symbol.
#include "ir/symbol_index.h"

#include "base/memory.h"
#include "ir/ir.h"

#include <stdlib.h>

pgopt_symbol_index pgopt_symbol_index_create(MlirOperation module) {
  pgopt_symbol_index index = {0};
  MlirContext context = mlirOperationGetContext(module);
  MlirOperation op = mlirBlockGetFirstOperation(pgopt_module_body(module));
  for (; !mlirOperationIsNull(op); op = mlirOperationGetNextInBlock(op)) {
    MlirStringRef name = pgopt_symbol_name(op);
    if (!name.length)
      continue;
    PGOPT_APPEND(index.ops, index.count, index.capacity, op);
    pgopt_pointer_map_set(&index.by_reference,
                          mlirFlatSymbolRefAttrGet(context, name).ptr,
                          (int)index.count - 1);
  }
  return index;
}

void pgopt_symbol_index_free(pgopt_symbol_index *index) {
  pgopt_pointer_map_free(&index->by_reference);
  free(index->ops);
  *index = (pgopt_symbol_index){0};
}

static MlirOperation find(const pgopt_symbol_index *index,
                          MlirAttribute reference) {
  int found;
  if (mlirAttributeIsNull(reference) ||
      !pgopt_pointer_map_get(&index->by_reference, reference.ptr, &found))
    return (MlirOperation){NULL};
  return index->ops[found];
}

MlirOperation pgopt_symbol_index_resolve(const pgopt_symbol_index *index,
                                         MlirOperation op, const char *name) {
  return find(index, pgopt_op_attribute(op, name));
}

MlirOperation pgopt_symbol_index_find(const pgopt_symbol_index *index,
                                      MlirContext context, MlirStringRef name) {
  return find(index, mlirFlatSymbolRefAttrGet(context, name));
}
