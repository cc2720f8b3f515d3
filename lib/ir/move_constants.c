/// \file Large constants out of the module, into a parameter file.
#include "ir/move_constants.h"

#include "base/memory.h"
#include "dialect_c/attributes.h"
#include "ir/element_type.h"
#include "ir/ir.h"
#include "parameters/safetensors_writer.h"

#include <stdlib.h>
#include <string.h>

enum { SPLAT_BLOCK = 4096 };

typedef struct constant {
  MlirOperation global;
  MlirAttribute value;
  pgopt_array_type type;
} constant;

typedef struct constant_list {
  constant *items;
  size_t count, capacity;
} constant_list;

/// True for a constant whose bytes lie in memory as a file holds them.
static bool is_movable(MlirOperation op, constant *c) {
  if (!pgopt_op_is(op, "memref.global"))
    return false;
  *c = (constant){.global = op,
                  .value = pgopt_op_attribute(op, "initial_value")};
  if (mlirAttributeIsNull(c->value) ||
      !(mlirAttributeIsADenseElements(c->value) ||
        pgopt_resource_data(c->value).data))
    return false;
  MlirType type = mlirTypeAttrGetValue(pgopt_op_attribute(op, "type"));
  return !pgopt_array_type_read(type, &c->type) && c->type.element.bits >= 8 &&
         c->type.bytes > PGOPT_PARAMETER_BYTES;
}

static pgopt_status append_splat(pgopt_safetensors_writer *writer,
                                 const constant *c, const void *element,
                                 pgopt_error *error) {
  char block[SPLAT_BLOCK];
  int64_t size = pgopt_element_bytes(c->type.element);
  for (int64_t i = 0; i + size <= SPLAT_BLOCK; i += size)
    memcpy(block + i, element, (size_t)size);
  pgopt_status status = PGOPT_OK;
  for (int64_t left = c->type.bytes; left && !status;) {
    int64_t some = left < SPLAT_BLOCK ? left : SPLAT_BLOCK;
    status = pgopt_safetensors_append(writer, block, some, error);
    left -= some;
  }
  return status;
}

static pgopt_status append_constant(pgopt_safetensors_writer *writer,
                                    const constant *c, pgopt_error *error) {
  MlirStringRef resource = pgopt_resource_data(c->value);
  if (resource.data)
    return pgopt_safetensors_append(writer, resource.data, c->type.bytes,
                                    error);
  const void *data = mlirDenseElementsAttrGetRawData(c->value);
  if (mlirDenseElementsAttrIsSplat(c->value))
    return append_splat(writer, c, data, error);
  return pgopt_safetensors_append(writer, data, c->type.bytes, error);
}

/// Wide elements first, so that all are aligned in the file.
static int compare_width(const void *left, const void *right) {
  const constant *l = left, *r = right;
  if (l->type.element.bits != r->type.element.bits)
    return l->type.element.bits < r->type.element.bits ? 1 : -1;
  MlirStringRef a = pgopt_symbol_name(l->global);
  MlirStringRef b = pgopt_symbol_name(r->global);
  size_t length = a.length < b.length ? a.length : b.length;
  int order = memcmp(a.data, b.data, length);
  return order ? order : (a.length > b.length) - (a.length < b.length);
}

static pgopt_status write_file(const char *path, const constant_list *list,
                               char **names, char sha256[PGOPT_SHA256_TEXT],
                               pgopt_error *error) {
  pgopt_safetensors_entry *entries =
      pgopt_allocate(list->count, sizeof *entries);
  for (size_t i = 0; i < list->count; ++i)
    entries[i] = (pgopt_safetensors_entry){
        names[i], pgopt_safetensors_type(list->items[i].type.element),
        list->items[i].type.extents, list->items[i].type.rank};
  pgopt_safetensors_writer *writer;
  pgopt_status status =
      pgopt_safetensors_create(path, entries, list->count, &writer, error);
  for (size_t i = 0; i < list->count && !status; ++i)
    status = append_constant(writer, &list->items[i], error);
  if (status)
    pgopt_safetensors_abandon(writer);
  else
    status = pgopt_safetensors_finish(writer, sha256, error);
  free(entries);
  return status;
}

static void name_file(MlirOperation module, const char *path,
                      const char *sha256) {
  MlirContext c = mlirOperationGetContext(module);
  MlirNamedAttribute members[] = {
      pgopt_named(c, "path", pgopt_text_attribute(c, path)),
      pgopt_named(c, "sha256", pgopt_text_attribute(c, sha256)),
  };
  pgopt_set(module, PGOPT_PARAMETERS, mlirDictionaryAttrGet(c, 2, members));
}

MlirLogicalResult pgopt_move_constants(MlirOperation module, const char *path,
                                       int64_t *moved) {
  constant_list list = {0};
  MlirOperation op = mlirBlockGetFirstOperation(pgopt_module_body(module));
  for (; !mlirOperationIsNull(op); op = mlirOperationGetNextInBlock(op)) {
    constant c;
    if (is_movable(op, &c))
      PGOPT_APPEND(list.items, list.count, list.capacity, c);
  }
  *moved = (int64_t)list.count;
  if (!list.count)
    return mlirLogicalResultSuccess();
  qsort(list.items, list.count, sizeof *list.items, compare_width);
  char **names = pgopt_allocate(list.count, sizeof *names);
  for (size_t i = 0; i < list.count; ++i)
    names[i] = pgopt_ref_duplicate(pgopt_symbol_name(list.items[i].global));
  char sha256[PGOPT_SHA256_TEXT];
  pgopt_error error = {0};
  pgopt_status status = write_file(path, &list, names, sha256, &error);
  for (size_t i = 0; i < list.count && !status; ++i) {
    MlirOperation global = list.items[i].global;
    mlirOperationRemoveAttributeByName(global, pgopt_ref("initial_value"));
    mlirOperationRemoveAttributeByName(global, pgopt_ref("constant"));
    pgopt_set_text(global, PGOPT_PARAMETER, names[i]);
  }
  if (!status)
    name_file(module, path, sha256);
  for (size_t i = 0; i < list.count; ++i)
    free(names[i]);
  free(names);
  free(list.items);
  return status ? pgopt_emit_error(module, "parameters: %s", error.message)
                : mlirLogicalResultSuccess();
}
