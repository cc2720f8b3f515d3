/// \file The verifier of `pg` attributes.
#include "base/text.h"
#include "bridge/bridge.h"
#include "dialect_c/table.h"
#include "mlir-c/AffineMap.h"
#include "mlir-c/BuiltinAttributes.h"
#include "mlir-c/BuiltinTypes.h"

#include <string.h>

const char *pgopt_attribute_kind_name(pgopt_attribute_kind kind) {
  static const char *const names[] = {
      [PGOPT_KIND_I64] = "i64",
      [PGOPT_KIND_TEXT] = "string",
      [PGOPT_KIND_MAPS] = "array of affine maps",
      [PGOPT_KIND_TIMING] = "Timing",
      [PGOPT_KIND_ACCESS] = "access",
      [PGOPT_KIND_PROFILE] = "dictionary of Timing",
      [PGOPT_KIND_RESOURCES] = "resources",
      [PGOPT_KIND_DICTIONARY] = "dictionary",
      [PGOPT_KIND_TYPE] = "type",
  };
  return names[kind];
}

static bool is_i64(MlirAttribute attribute) {
  if (mlirAttributeIsNull(attribute) || !mlirAttributeIsAInteger(attribute))
    return false;
  MlirType type = mlirAttributeGetType(attribute);
  return mlirTypeIsAInteger(type) && mlirIntegerTypeGetWidth(type) == 64 &&
         mlirIntegerTypeIsSignless(type);
}

static MlirAttribute member(MlirAttribute dictionary, const char *name) {
  return mlirDictionaryAttrGetElementByName(
      dictionary, mlirStringRefCreateFromCString(name));
}

static bool has_i64(MlirAttribute dictionary, const char *name, int64_t least) {
  MlirAttribute value = member(dictionary, name);
  return is_i64(value) && mlirIntegerAttrGetValueInt(value) >= least;
}

static bool has_word(MlirAttribute dictionary, const char *name,
                     const char *const *words) {
  MlirAttribute value = member(dictionary, name);
  if (mlirAttributeIsNull(value) || !mlirAttributeIsAString(value))
    return false;
  for (; *words; ++words)
    if (mlirStringRefEqual(mlirStringAttrGetValue(value),
                           mlirStringRefCreateFromCString(*words)))
      return true;
  return false;
}

const char *pgopt_timing_defect(MlirAttribute attribute) {
  static const char *const sources[] = {"in-place", "isolated", "store",
                                        "derived", NULL};
  if (!mlirAttributeIsADictionary(attribute) ||
      mlirDictionaryAttrGetNumElements(attribute) != 5)
    return "needs exactly median_ns, min_ns, mad_ns, runs and source";
  if (!has_i64(attribute, "median_ns", 0) || !has_i64(attribute, "min_ns", 0) ||
      !has_i64(attribute, "mad_ns", 0))
    return "needs median_ns, min_ns and mad_ns as i64 >= 0";
  if (!has_i64(attribute, "runs", 1))
    return "needs runs as i64 >= 1";
  if (!has_word(attribute, "source", sources))
    return "needs source as one of in-place, isolated, store, derived";
  return NULL;
}

static const char *profile_defect(MlirAttribute attribute) {
  if (!mlirAttributeIsADictionary(attribute))
    return "needs a dictionary from signature to Timing";
  intptr_t count = mlirDictionaryAttrGetNumElements(attribute);
  for (intptr_t i = 0; i < count; ++i) {
    const char *defect = pgopt_timing_defect(
        mlirDictionaryAttrGetElement(attribute, i).attribute);
    if (defect)
      return defect;
  }
  return NULL;
}

static const char *access_defect(MlirAttribute attribute) {
  static const char *const modes[] = {"read", "write", "none", NULL};
  if (!mlirAttributeIsADictionary(attribute) ||
      !has_word(attribute, "mode", modes))
    return "needs mode as one of read, write, none";
  intptr_t count = mlirDictionaryAttrGetNumElements(attribute);
  if (count == 1)
    return NULL;
  if (count != 4 || !has_i64(attribute, "dim", 0) ||
      !has_i64(attribute, "scale", 1) || !has_i64(attribute, "window", 1))
    return "needs dim >= 0, scale >= 1 and window >= 1 as i64, or mode alone";
  return NULL;
}

static const char *resources_defect(MlirAttribute attribute) {
  static const char *const kinds[] = {"cores", "threads", "pes", NULL};
  if (!mlirAttributeIsADictionary(attribute) ||
      !has_word(attribute, "kind", kinds))
    return "needs kind as one of cores, threads, pes";
  if (!has_i64(attribute, "count", 1) ||
      mlirIntegerAttrGetValueInt(member(attribute, "count")) > 4096)
    return "needs count as i64 from 1 to 4096";
  static const char *const numbers[] = {"nodes", "node_latency_ns", "rows",
                                        "columns", "hop_latency_ns"};
  for (size_t i = 0; i < sizeof numbers / sizeof *numbers; ++i)
    if (!mlirAttributeIsNull(member(attribute, numbers[i])) &&
        !has_i64(attribute, numbers[i], 0))
      return "needs nodes, node_latency_ns, rows, columns and hop_latency_ns, "
             "where given, as i64 of at least 0";
  MlirAttribute speeds = member(attribute, "speeds");
  if (!mlirAttributeIsNull(speeds) && !mlirAttributeIsADenseI64Array(speeds))
    return "needs speeds, where given, as array<i64>";
  return NULL;
}

static const char *maps_defect(MlirAttribute attribute) {
  if (!mlirAttributeIsAArray(attribute))
    return "needs an array of affine maps";
  intptr_t count = mlirArrayAttrGetNumElements(attribute);
  for (intptr_t i = 0; i < count; ++i)
    if (!mlirAttributeIsAAffineMap(mlirArrayAttrGetElement(attribute, i)))
      return "needs an array of affine maps";
  return NULL;
}

/// What is wrong with the value, or null.
static const char *defect_of(const pgopt_attribute_row *row,
                             MlirAttribute value) {
  switch (row->kind) {
  case PGOPT_KIND_I64:
    if (!is_i64(value))
      return "needs an i64";
    if (mlirIntegerAttrGetValueInt(value) < row->least)
      return row->least ? "needs a value of at least 1"
                        : "needs a value that is not negative";
    return NULL;
  case PGOPT_KIND_TEXT:
    return mlirAttributeIsAString(value) && mlirStringAttrGetValue(value).length
               ? NULL
               : "needs a string that is not empty";
  case PGOPT_KIND_MAPS:
    return maps_defect(value);
  case PGOPT_KIND_TIMING:
    return pgopt_timing_defect(value);
  case PGOPT_KIND_ACCESS:
    return access_defect(value);
  case PGOPT_KIND_PROFILE:
    return profile_defect(value);
  case PGOPT_KIND_RESOURCES:
    return resources_defect(value);
  case PGOPT_KIND_DICTIONARY:
    return mlirAttributeIsADictionary(value) ? NULL : "needs a dictionary";
  case PGOPT_KIND_TYPE:
    return mlirAttributeIsAType(value) ? NULL : "needs a type";
  }
  return NULL;
}

static void append_callback(MlirStringRef part, void *text) {
  pgopt_text_append_bytes(text, part.data, part.length);
}

MlirLogicalResult pgopt_attribute_verify(MlirOperation op, MlirStringRef name,
                                         MlirAttribute value, int place) {
  const pgopt_attribute_row *row = NULL;
  for (int i = 0; i < PGOPT_ATTRIBUTE_COUNT && !row; ++i)
    if (mlirStringRefEqual(name, mlirStringRefCreateFromCString(
                                     pgopt_attribute_table[i].spelling)))
      row = &pgopt_attribute_table[i];
  const char *defect = !row ? "is not an attribute of the pg dialect"
                       : !(row->places & place) ? "is not allowed at this place"
                                                : defect_of(row, value);
  if (!defect)
    return mlirLogicalResultSuccess();
  pgopt_text message = {0};
  pgopt_text_append(&message, "'%.*s' %s", (int)name.length, name.data, defect);
  if (row && (row->places & place)) {
    pgopt_text_append(&message, ", found ");
    mlirAttributePrint(value, append_callback, &message);
  }
  pgopt_diagnose(mlirOperationGetLocation(op), PGOPT_ERROR, message.data);
  pgopt_text_free(&message);
  return mlirLogicalResultFailure();
}
