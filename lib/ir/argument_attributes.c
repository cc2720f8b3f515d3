/// \file Attributes of a function's arguments: one dictionary each in
/// `arg_attrs`, which is absent when all are empty.
#include "ir/argument_attributes.h"

#include "base/memory.h"
#include "ir/ir.h"

#include <stdlib.h>

MlirAttribute pgopt_argument_attribute(MlirOperation function, intptr_t number,
                                       pgopt_attribute attribute) {
  MlirAttribute all = pgopt_op_attribute(function, "arg_attrs");
  if (mlirAttributeIsNull(all) || !mlirAttributeIsAArray(all) ||
      mlirArrayAttrGetNumElements(all) <= number)
    return mlirAttributeGetNull();
  MlirAttribute dictionary = mlirArrayAttrGetElement(all, number);
  return mlirAttributeIsADictionary(dictionary)
             ? mlirDictionaryAttrGetElementByName(
                   dictionary, pgopt_ref(pgopt_attribute_spelling(attribute)))
             : mlirAttributeGetNull();
}

static MlirAttribute replace(MlirContext c, MlirAttribute old,
                             const char *spelling, MlirAttribute value) {
  intptr_t count = mlirDictionaryAttrGetNumElements(old);
  MlirNamedAttribute *members =
      pgopt_allocate((size_t)count + 1, sizeof *members);
  intptr_t kept = 0;
  for (intptr_t i = 0; i < count; ++i) {
    MlirNamedAttribute a = mlirDictionaryAttrGetElement(old, i);
    if (!pgopt_ref_is(mlirIdentifierStr(a.name), spelling))
      members[kept++] = a;
  }
  if (!mlirAttributeIsNull(value))
    members[kept++] = pgopt_named(c, spelling, value);
  MlirAttribute result = mlirDictionaryAttrGet(c, kept, members);
  free(members);
  return result;
}

void pgopt_set_argument_attribute(MlirOperation function, intptr_t number,
                                  pgopt_attribute attribute,
                                  MlirAttribute value) {
  MlirContext c = mlirOperationGetContext(function);
  intptr_t count = mlirFunctionTypeGetNumInputs(pgopt_function_type(function));
  MlirAttribute old = pgopt_op_attribute(function, "arg_attrs");
  MlirAttribute *all = pgopt_allocate((size_t)count, sizeof *all);
  for (intptr_t i = 0; i < count; ++i)
    all[i] = mlirAttributeIsNull(old) ? mlirDictionaryAttrGet(c, 0, NULL)
                                      : mlirArrayAttrGetElement(old, i);
  all[number] =
      replace(c, all[number], pgopt_attribute_spelling(attribute), value);
  mlirOperationSetAttributeByName(function, pgopt_ref("arg_attrs"),
                                  mlirArrayAttrGet(c, count, all));
  free(all);
}
