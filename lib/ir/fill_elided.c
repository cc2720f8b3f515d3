/// \file Walks first and collects the ops that hold elided data, then replaces
/// it. Equal attributes are one object in the context, so each is filled once.
#include "ir/fill_elided.h"

#include "base/fill.h"
#include "base/memory.h"
#include "ir/element_type.h"
#include "ir/ir.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

typedef struct filled_attribute {
  MlirAttribute elided, data;
} filled_attribute;

typedef struct filler {
  int64_t seed;
  bool is_distinct; ///< a key of its own for each attribute
  MlirOperation *ops;
  size_t op_count, op_capacity;
  filled_attribute *done; ///< unused when distinct
  size_t done_count, done_capacity;
  int64_t count, bytes, bytes_limit;
} filler;

/// An elided resource inside the attribute, itself included; null for none.
static MlirAttribute find_elided(MlirAttribute attribute) {
  MlirAttribute found = mlirAttributeGetNull();
  if (pgopt_resource_is_elided(attribute))
    return attribute;
  if (mlirAttributeIsAArray(attribute)) {
    intptr_t count = mlirArrayAttrGetNumElements(attribute);
    for (intptr_t i = 0; i < count && mlirAttributeIsNull(found); ++i)
      found = find_elided(mlirArrayAttrGetElement(attribute, i));
  } else if (mlirAttributeIsADictionary(attribute)) {
    intptr_t count = mlirDictionaryAttrGetNumElements(attribute);
    for (intptr_t i = 0; i < count && mlirAttributeIsNull(found); ++i)
      found = find_elided(mlirDictionaryAttrGetElement(attribute, i).attribute);
  }
  return found;
}

static MlirAttribute find_elided_in_op(MlirOperation op) {
  MlirAttribute found = mlirAttributeGetNull();
  intptr_t count = mlirOperationGetNumAttributes(op);
  for (intptr_t i = 0; i < count && mlirAttributeIsNull(found); ++i)
    found = find_elided(mlirOperationGetAttribute(op, i).attribute);
  return found;
}

static MlirWalkResult collect(MlirOperation op, void *data) {
  filler *fill = data;
  if (!mlirAttributeIsNull(find_elided_in_op(op)))
    PGOPT_APPEND(fill->ops, fill->op_count, fill->op_capacity, op);
  return MlirWalkResultAdvance;
}

/// Emits the error and returns a null attribute.
static MlirAttribute refuse_type(MlirOperation op, MlirType type,
                                 const char *reason) {
  pgopt_text text = {0};
  pgopt_print_type(type, &text);
  pgopt_emit(op, PGOPT_ERROR, "cannot fill an elided constant: '%s' %s",
             pgopt_text_get(&text), reason);
  pgopt_text_free(&text);
  return mlirAttributeGetNull();
}

/// i1 goes through the API that packs bits; a packed byte of all ones would
/// read as a splat otherwise.
static MlirAttribute make_elements(MlirType type, const pgopt_array_type *array,
                                   const void *data) {
  if (!array->elements)
    return mlirDenseElementsAttrGet(type, 0, NULL);
  if (array->element.bits > 1)
    return mlirDenseElementsAttrRawBufferGet(type, (size_t)array->bytes, data);
  int *bits = pgopt_allocate((size_t)array->elements, sizeof *bits);
  for (int64_t i = 0; i < array->elements; ++i)
    bits[i] = ((const unsigned char *)data)[i];
  MlirAttribute attribute =
      mlirDenseElementsAttrBoolGet(type, array->elements, bits);
  free(bits);
  return attribute;
}

/// Dense data for the elided resource; null after an error at `op`.
static MlirAttribute make_data(filler *fill, MlirOperation op,
                               MlirAttribute elided) {
  for (size_t i = 0; i < fill->done_count && !fill->is_distinct; ++i)
    if (mlirAttributeEqual(fill->done[i].elided, elided))
      return fill->done[i].data;
  MlirType type = mlirAttributeGetType(elided);
  pgopt_array_type array;
  const char *reason = pgopt_array_type_read(type, &array);
  if (reason)
    return refuse_type(op, type, reason);
  // MLIR stores an integer in as few bytes as hold it, not a power of two.
  if ((array.element.bits + 7) / 8 != pgopt_element_bytes(array.element))
    return refuse_type(op, type,
                       "has integers of a width other than 1 to 16, 25 to 32 "
                       "or 57 to 64 bits");
  if (array.bytes > fill->bytes_limit - fill->bytes)
    return refuse_type(op, type,
                       "and the elided constants before it need more memory "
                       "than this machine has");
  void *data = malloc(array.bytes ? (size_t)array.bytes : 1);
  if (!data)
    return refuse_type(op, type, "needs more memory than there is");
  fill->bytes += array.bytes;
  pgopt_fill_type fill_type = {array.element, array.rank, array.extents};
  MlirStringRef key = pgopt_resource_key(elided);
  pgopt_text own = {0};
  pgopt_text_append_bytes(&own, key.data, key.length);
  if (fill->is_distinct)
    pgopt_text_append(&own, "#%lld", (long long)fill->count);
  pgopt_fill((uint64_t)fill->seed, pgopt_text_get(&own), own.size, &fill_type,
             data);
  pgopt_text_free(&own);
  filled_attribute made = {elided, make_elements(type, &array, data)};
  free(data);
  if (!fill->is_distinct)
    PGOPT_APPEND(fill->done, fill->done_count, fill->done_capacity, made);
  return made.data;
}

/// The attribute with all elided data in it replaced; null after an error.
static MlirAttribute replace(filler *fill, MlirOperation op,
                             MlirAttribute attribute) {
  if (pgopt_resource_is_elided(attribute)) {
    MlirAttribute data = make_data(fill, op, attribute);
    fill->count += !mlirAttributeIsNull(data);
    return data;
  }
  if (mlirAttributeIsNull(find_elided(attribute)))
    return attribute;
  MlirContext context = mlirOperationGetContext(op);
  MlirAttribute result = mlirAttributeGetNull();
  intptr_t done = 0;
  if (mlirAttributeIsAArray(attribute)) {
    intptr_t count = mlirArrayAttrGetNumElements(attribute);
    MlirAttribute *items = pgopt_allocate((size_t)count, sizeof *items);
    for (; done < count; ++done) {
      items[done] = replace(fill, op, mlirArrayAttrGetElement(attribute, done));
      if (mlirAttributeIsNull(items[done]))
        break;
    }
    if (done == count)
      result = mlirArrayAttrGet(context, count, items);
    free(items);
  } else {
    intptr_t count = mlirDictionaryAttrGetNumElements(attribute);
    MlirNamedAttribute *items = pgopt_allocate((size_t)count, sizeof *items);
    for (; done < count; ++done) {
      items[done] = mlirDictionaryAttrGetElement(attribute, done);
      items[done].attribute = replace(fill, op, items[done].attribute);
      if (mlirAttributeIsNull(items[done].attribute))
        break;
    }
    if (done == count)
      result = mlirDictionaryAttrGet(context, count, items);
    free(items);
  }
  return result;
}

static MlirLogicalResult fill_op(filler *fill, MlirOperation op) {
  intptr_t count = mlirOperationGetNumAttributes(op);
  for (intptr_t i = 0; i < count; ++i) {
    MlirNamedAttribute named = mlirOperationGetAttribute(op, i);
    MlirAttribute replaced = replace(fill, op, named.attribute);
    if (mlirAttributeIsNull(replaced))
      return mlirLogicalResultFailure();
    if (!mlirAttributeEqual(replaced, named.attribute))
      mlirOperationSetAttributeByName(op, mlirIdentifierStr(named.name),
                                      replaced);
  }
  return mlirLogicalResultSuccess();
}

static MlirLogicalResult refuse_op(MlirOperation op) {
  MlirStringRef key = pgopt_resource_key(find_elided_in_op(op));
  return pgopt_emit_error(op,
                          "the data of the constant '%.*s' is elided; use the "
                          "file with its data, or fill-elided=seed to make "
                          "some up",
                          (int)key.length, key.data);
}

static MlirLogicalResult fill_all(MlirOperation module, filler *fill,
                                  bool refuse) {
  fill->bytes_limit =
      (int64_t)sysconf(_SC_PHYS_PAGES) * (int64_t)sysconf(_SC_PAGESIZE);
  mlirOperationWalk(module, collect, fill, MlirWalkPreOrder);
  MlirLogicalResult result = mlirLogicalResultSuccess();
  if (refuse && fill->op_count)
    result = refuse_op(fill->ops[0]);
  for (size_t i = 0; i < fill->op_count && mlirLogicalResultIsSuccess(result);
       ++i)
    result = fill_op(fill, fill->ops[i]);
  free(fill->ops);
  free(fill->done);
  return result;
}

MlirLogicalResult pgopt_fill_elided(MlirOperation module, int64_t seed,
                                    bool refuse, int64_t *filled) {
  filler fill = {.seed = seed};
  MlirLogicalResult result = fill_all(module, &fill, refuse);
  if (filled)
    *filled = fill.count;
  if (mlirLogicalResultIsSuccess(result) && fill.count)
    pgopt_emit(module, PGOPT_WARNING,
               "%lld elided constant%s filled with values from seed %lld",
               (long long)fill.count, fill.count == 1 ? "" : "s",
               (long long)seed);
  return result;
}

MlirLogicalResult pgopt_materialize_elided(MlirOperation module, int64_t seed,
                                           int64_t *filled) {
  filler fill = {.seed = seed, .is_distinct = true};
  MlirLogicalResult result = fill_all(module, &fill, false);
  if (filled)
    *filled = fill.count;
  return result;
}

MlirLogicalResult pgopt_fill_elided_by(MlirOperation module, const char *policy,
                                       int64_t seed, int64_t *filled) {
  bool refuse = !strcmp(policy, "error");
  if (!refuse && strcmp(policy, "seed"))
    return pgopt_emit_error(
        module, "fill-elided is '%s'; it must be seed or error", policy);
  return pgopt_fill_elided(module, seed, refuse, filled);
}
