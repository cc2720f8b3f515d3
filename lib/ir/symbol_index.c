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

MlirOperation pgopt_symbol_index_resolve(const pgopt_symbol_index *index,
                                         MlirOperation op, const char *name) {
  MlirAttribute symbol = pgopt_op_attribute(op, name);
  int found;
  if (mlirAttributeIsNull(symbol) ||
      !pgopt_pointer_map_get(&index->by_reference, symbol.ptr, &found))
    return (MlirOperation){NULL};
  return index->ops[found];
}
