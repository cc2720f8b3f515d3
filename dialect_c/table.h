/// \file Rows of the attribute table; private to this folder.
#ifndef PGOPT_DIALECT_C_TABLE_H
#define PGOPT_DIALECT_C_TABLE_H

#include "dialect_c/attributes.h"

typedef enum pgopt_attribute_kind {
  PGOPT_KIND_I64,
  PGOPT_KIND_TEXT,
  PGOPT_KIND_MAPS,
  PGOPT_KIND_TIMING,
  PGOPT_KIND_ACCESS,
  PGOPT_KIND_PROFILE,
  PGOPT_KIND_RESOURCES,
  PGOPT_KIND_DICTIONARY,
  PGOPT_KIND_TYPE,
} pgopt_attribute_kind;

typedef struct pgopt_attribute_row {
  const char *spelling;
  pgopt_attribute_kind kind;
  int64_t least;
  int places;
  const char *meaning;
} pgopt_attribute_row;

extern const pgopt_attribute_row pgopt_attribute_table[PGOPT_ATTRIBUTE_COUNT];

/// "i64", "string" and so on: how messages and the document call a kind.
const char *pgopt_attribute_kind_name(pgopt_attribute_kind kind);

/// What is wrong with a Timing dictionary, or null.
const char *pgopt_timing_defect(MlirAttribute attribute);

#endif // PGOPT_DIALECT_C_TABLE_H
