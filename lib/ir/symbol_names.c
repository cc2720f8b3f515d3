#include "ir/symbol_names.h"

#include "ir/ir.h"

static const void *key_of(const pgopt_symbol_names *names, const char *name) {
  return pgopt_text_attribute(names->context, name).ptr;
}

pgopt_symbol_names pgopt_symbol_names_create(MlirOperation module) {
  pgopt_symbol_names names = {.context = mlirOperationGetContext(module)};
  MlirOperation op = mlirBlockGetFirstOperation(pgopt_module_body(module));
  for (; !mlirOperationIsNull(op); op = mlirOperationGetNextInBlock(op))
    if (pgopt_symbol_name(op).length)
      pgopt_pointer_map_set(
          &names.taken,
          mlirStringAttrGet(names.context, pgopt_symbol_name(op)).ptr, 0);
  return names;
}

void pgopt_symbol_names_free(pgopt_symbol_names *names) {
  pgopt_pointer_map_free(&names->taken);
}

bool pgopt_symbol_names_take(pgopt_symbol_names *names, const char *name) {
  const void *key = key_of(names, name);
  int unused;
  if (pgopt_pointer_map_get(&names->taken, key, &unused))
    return false;
  pgopt_pointer_map_set(&names->taken, key, 0);
  return true;
}

char *pgopt_symbol_names_make(pgopt_symbol_names *names, const char *wanted) {
  pgopt_text name = {0};
  pgopt_text_append(&name, "%s", wanted);
  if (pgopt_symbol_names_take(names, pgopt_text_get(&name)))
    return name.data;
  const void *key = key_of(names, wanted);
  size_t length = name.size;
  int next = 0;
  pgopt_pointer_map_get(&names->taken, key, &next);
  do {
    name.size = length;
    pgopt_text_append(&name, "_%d", next++);
  } while (!pgopt_symbol_names_take(names, name.data));
  pgopt_pointer_map_set(&names->taken, key, next);
  return name.data;
}
