#include "ir/element_type.h"

#include "mlir-c/BuiltinTypes.h"

bool pgopt_element_from_type(MlirType type, pgopt_element *element) {
  if (mlirTypeIsAIndex(type))
    *element = (pgopt_element){PGOPT_ELEMENT_INDEX, 64};
  else if (mlirTypeIsAInteger(type))
    *element = (pgopt_element){PGOPT_ELEMENT_INTEGER,
                               (int)mlirIntegerTypeGetWidth(type)};
  else if (mlirTypeIsABF16(type))
    *element = (pgopt_element){PGOPT_ELEMENT_BFLOAT, 16};
  else if (mlirTypeIsAF16(type) || mlirTypeIsAF32(type) || mlirTypeIsAF64(type))
    *element =
        (pgopt_element){PGOPT_ELEMENT_FLOAT, (int)mlirFloatTypeGetWidth(type)};
  else
    return false;
  return pgopt_element_is_valid(*element);
}

const char *pgopt_array_type_read(MlirType type, pgopt_array_type *array) {
  MlirType element = type;
  array->rank = 0;
  if (mlirTypeIsAShaped(type)) {
    if (!mlirShapedTypeHasRank(type))
      return "has no rank";
    if (!mlirShapedTypeHasStaticShape(type))
      return "has a dynamic extent";
    int64_t rank = mlirShapedTypeGetRank(type);
    if (rank > PGOPT_MAX_ARRAY_RANK)
      return "has more than 32 dimensions";
    array->rank = (size_t)rank;
    for (int64_t i = 0; i < rank; ++i)
      array->extents[i] = mlirShapedTypeGetDimSize(type, i);
    element = mlirShapedTypeGetElementType(type);
  }
  if (!pgopt_element_from_type(element, &array->element))
    return "has elements that are not plain numbers (f16, bf16, f32, f64, i1 "
           "to i64, index)";
  if (!pgopt_element_total_bytes(array->element, array->extents, array->rank,
                                 &array->bytes))
    return "is too large";
  array->elements = array->bytes / pgopt_element_bytes(array->element);
  return NULL;
}
