/// \file What is noted on an operation, when another takes its place.
#include "ir/kept_attributes.h"

#include "dialect_c/attributes.h"
#include "ir/ir.h"

#include <string.h>

static bool is(MlirStringRef name, pgopt_attribute attribute) {
  return pgopt_ref_is(name, pgopt_attribute_spelling(attribute));
}

static bool holds(MlirStringRef name, pgopt_replacement replacement) {
  /* linalg keeps notes of its own about an operation's maps. */
  static const char linalg[] = "linalg.";
  if (name.length >= sizeof linalg - 1 &&
      !memcmp(name.data, linalg, sizeof linalg - 1))
    return false;
  if (is(name, PGOPT_TIMING) || is(name, PGOPT_SIGNATURE) ||
      is(name, PGOPT_LAYOUT))
    return replacement == PGOPT_SAME_COMPUTATION;
  if (is(name, PGOPT_LFLOPS) || is(name, PGOPT_LFLOPS_UNKNOWN) ||
      is(name, PGOPT_BYTES))
    return replacement != PGOPT_PART_OF_IT;
  return true;
}

void pgopt_keep_attributes(MlirOperation from, MlirOperation to,
                           pgopt_replacement replacement) {
  intptr_t count = mlirOperationGetNumDiscardableAttributes(from);
  for (intptr_t i = 0; i < count; ++i) {
    MlirNamedAttribute a = mlirOperationGetDiscardableAttribute(from, i);
    MlirStringRef name = mlirIdentifierStr(a.name);
    if (holds(name, replacement))
      mlirOperationSetDiscardableAttributeByName(to, name, a.attribute);
  }
}
