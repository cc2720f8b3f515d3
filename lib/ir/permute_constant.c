/// \file Constants with their elements in another order.
#include "ir/permute_constant.h"

#include "base/memory.h"
#include "base/permute.h"
#include "bridge/bridge.h"
#include "mlir-c/BuiltinAttributes.h"
#include "mlir-c/BuiltinTypes.h"

#include <stdlib.h>

static size_t element_bits(MlirAttribute attribute) {
  MlirType element =
      mlirShapedTypeGetElementType(mlirAttributeGetType(attribute));
  if (mlirTypeIsAIndex(element))
    return 64;
  if (mlirTypeIsAInteger(element))
    return mlirIntegerTypeGetWidth(element);
  if (mlirTypeIsAFloat(element))
    return mlirFloatTypeGetWidth(element);
  return 0;
}

static bool is_splat(MlirAttribute attribute) {
  return mlirAttributeIsADenseElements(attribute) &&
         mlirDenseElementsAttrIsSplat(attribute);
}

/// The raw elements; null data when they are not there.
static MlirStringRef raw_data(MlirAttribute attribute) {
  if (mlirAttributeIsADenseResourceElements(attribute))
    return pgopt_resource_data(attribute);
  size_t bytes = element_bits(attribute) / 8 *
                 (size_t)mlirElementsAttrGetNumElements(attribute);
  return mlirStringRefCreate(mlirDenseElementsAttrGetRawData(attribute), bytes);
}

bool pgopt_can_permute_constant(MlirAttribute attribute) {
  bool resource = mlirAttributeIsADenseResourceElements(attribute);
  if (!resource && !mlirAttributeIsADenseElements(attribute))
    return false;
  size_t bits = element_bits(attribute);
  if (is_splat(attribute))
    return bits != 0;
  if (!bits || bits % 8)
    return false;
  if (!resource)
    return true;
  MlirStringRef data = pgopt_resource_data(attribute);
  return data.data &&
         data.length ==
             bits / 8 * (size_t)mlirElementsAttrGetNumElements(attribute);
}

MlirAttribute pgopt_permute_constant(MlirAttribute attribute, size_t rank,
                                     const int64_t *extents,
                                     const int *permutation, MlirType type) {
  if (is_splat(attribute))
    return mlirDenseElementsAttrReshapeGet(attribute, type);
  MlirStringRef data = raw_data(attribute);
  char *moved = pgopt_allocate(data.length, 1);
  pgopt_permute(data.data, moved, element_bits(attribute) / 8, rank, extents,
                permutation);
  MlirAttribute result =
      mlirDenseElementsAttrRawBufferGet(type, data.length, moved);
  free(moved);
  return result;
}
