/// \file The table of attributes, its document, and the accessors.
#include "dialect_c/attributes.h"

#include "base/text.h"
#include "dialect_c/table.h"
#include "mlir-c/BuiltinAttributes.h"
#include "mlir-c/BuiltinTypes.h"

#include <stdio.h>
#include <string.h>

const pgopt_attribute_row pgopt_attribute_table[PGOPT_ATTRIBUTE_COUNT] = {
#define ON_OPERATION PGOPT_ON_OPERATION
#define ON_ARGUMENT PGOPT_ON_ARGUMENT
#define ON_RESULT PGOPT_ON_RESULT
#define PGOPT_ATTRIBUTE(name, spelling, kind, least, places, meaning)          \
  {spelling, PGOPT_KIND_##kind, least, places, meaning},
#include "dialect_c/attributes.def"
#undef PGOPT_ATTRIBUTE
};

const char *pgopt_attribute_spelling(pgopt_attribute attribute) {
  return pgopt_attribute_table[attribute].spelling;
}

static MlirStringRef spelling_of(pgopt_attribute attribute) {
  return mlirStringRefCreateFromCString(pgopt_attribute_spelling(attribute));
}

char *pgopt_attribute_document(void) {
  pgopt_text text = {0};
  pgopt_text_append(
      &text, "# Attributes of the `pg` dialect\n\n"
             "Generated from `dialect_c/attributes.def` by "
             "`pgopt-runner --document-attributes`. Any tool that loads pgopt "
             "verifies them; they are discardable everywhere.\n\n"
             "| attribute | kind | allowed on | meaning |\n"
             "|---|---|---|---|\n");
  for (int i = 0; i < PGOPT_ATTRIBUTE_COUNT; ++i) {
    const pgopt_attribute_row *row = &pgopt_attribute_table[i];
    pgopt_text_append(&text, "| `%s` | %s", row->spelling,
                      pgopt_attribute_kind_name(row->kind));
    if (row->kind == PGOPT_KIND_I64)
      pgopt_text_append(&text, " >= %lld", (long long)row->least);
    pgopt_text_append(&text, " |%s%s%s | ",
                      row->places & PGOPT_ON_OPERATION ? " op" : "",
                      row->places & PGOPT_ON_ARGUMENT ? " argument" : "",
                      row->places & PGOPT_ON_RESULT ? " result" : "");
    for (const char *c = row->meaning; *c; ++c)
      pgopt_text_append(&text, *c == '|' ? "\\|" : "%c", *c);
    pgopt_text_append(&text, " |\n");
  }
  return text.data;
}

MlirAttribute pgopt_get(MlirOperation op, pgopt_attribute attribute) {
  return mlirOperationGetDiscardableAttributeByName(op, spelling_of(attribute));
}

void pgopt_set(MlirOperation op, pgopt_attribute attribute,
               MlirAttribute value) {
  mlirOperationSetDiscardableAttributeByName(op, spelling_of(attribute), value);
}

void pgopt_remove(MlirOperation op, pgopt_attribute attribute) {
  mlirOperationRemoveDiscardableAttributeByName(op, spelling_of(attribute));
}

static MlirAttribute i64_attribute(MlirContext context, int64_t value) {
  return mlirIntegerAttrGet(mlirIntegerTypeGet(context, 64), value);
}

bool pgopt_get_i64(MlirOperation op, pgopt_attribute attribute,
                   int64_t *value) {
  MlirAttribute found = pgopt_get(op, attribute);
  if (mlirAttributeIsNull(found) || !mlirAttributeIsAInteger(found))
    return false;
  *value = mlirIntegerAttrGetValueInt(found);
  return true;
}

void pgopt_set_i64(MlirOperation op, pgopt_attribute attribute, int64_t value) {
  pgopt_set(op, attribute, i64_attribute(mlirOperationGetContext(op), value));
}

bool pgopt_get_text(MlirOperation op, pgopt_attribute attribute,
                    MlirStringRef *value) {
  MlirAttribute found = pgopt_get(op, attribute);
  if (mlirAttributeIsNull(found) || !mlirAttributeIsAString(found))
    return false;
  *value = mlirStringAttrGetValue(found);
  return true;
}

void pgopt_set_text(MlirOperation op, pgopt_attribute attribute,
                    const char *value) {
  pgopt_set(op, attribute,
            mlirStringAttrGet(mlirOperationGetContext(op),
                              mlirStringRefCreateFromCString(value)));
}

static MlirNamedAttribute named(MlirContext context, const char *name,
                                MlirAttribute value) {
  return mlirNamedAttributeGet(
      mlirIdentifierGet(context, mlirStringRefCreateFromCString(name)), value);
}

MlirAttribute pgopt_timing_to_attribute(MlirContext context,
                                        const pgopt_timing *value) {
  MlirNamedAttribute members[] = {
      named(context, "mad_ns", i64_attribute(context, value->mad_ns)),
      named(context, "median_ns", i64_attribute(context, value->median_ns)),
      named(context, "min_ns", i64_attribute(context, value->min_ns)),
      named(context, "runs", i64_attribute(context, value->runs)),
      named(context, "source",
            mlirStringAttrGet(context,
                              mlirStringRefCreateFromCString(value->source))),
  };
  return mlirDictionaryAttrGet(context, sizeof members / sizeof *members,
                               members);
}

bool pgopt_timing_from_attribute(MlirAttribute attribute, pgopt_timing *value) {
  if (mlirAttributeIsNull(attribute) || pgopt_timing_defect(attribute))
    return false;
  const struct {
    const char *name;
    int64_t *slot;
  } numbers[] = {{"median_ns", &value->median_ns},
                 {"min_ns", &value->min_ns},
                 {"mad_ns", &value->mad_ns},
                 {"runs", &value->runs}};
  for (size_t i = 0; i < sizeof numbers / sizeof *numbers; ++i)
    *numbers[i].slot =
        mlirIntegerAttrGetValueInt(mlirDictionaryAttrGetElementByName(
            attribute, mlirStringRefCreateFromCString(numbers[i].name)));
  MlirStringRef source =
      mlirStringAttrGetValue(mlirDictionaryAttrGetElementByName(
          attribute, mlirStringRefCreateFromCString("source")));
  snprintf(value->source, sizeof value->source, "%.*s", (int)source.length,
           source.data);
  return true;
}

bool pgopt_get_timing(MlirOperation op, pgopt_timing *value) {
  return pgopt_timing_from_attribute(pgopt_get(op, PGOPT_TIMING), value);
}

void pgopt_set_timing(MlirOperation op, const pgopt_timing *value) {
  pgopt_set(op, PGOPT_TIMING,
            pgopt_timing_to_attribute(mlirOperationGetContext(op), value));
}
