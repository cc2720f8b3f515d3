/// \file Constants with their elements in another order.
#include "ir/permute_constant.h"

#include "base/memory.h"
#include "bridge/bridge.h"
#include "mlir-c/BuiltinAttributes.h"
#include "mlir-c/BuiltinTypes.h"

#include <stdlib.h>
#include <string.h>

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

static void permute(const char *from, char *to, size_t size, size_t rank,
                    const int64_t *extents, const int *permutation) {
  int64_t strides[64], at[64] = {0}, steps[64], ends[64];
  int64_t stride = (int64_t)size;
  for (size_t d = rank; d-- > 0; stride *= extents[d])
    strides[d] = stride;
  for (size_t d = 0; d < rank; ++d) {
    steps[d] = strides[permutation[d]];
    ends[d] = extents[permutation[d]];
  }
  for (;;) {
    memcpy(to, from, size);
    to += size;
    size_t d = rank;
    while (d > 0 && at[d - 1] + 1 == ends[d - 1]) {
      --d;
      from -= steps[d] * at[d];
      at[d] = 0;
    }
    if (!d)
      return;
    ++at[d - 1];
    from += steps[d - 1];
  }
}

MlirAttribute pgopt_permute_constant(MlirAttribute attribute, size_t rank,
                                     const int64_t *extents,
                                     const int *permutation, MlirType type) {
  if (is_splat(attribute))
    return mlirDenseElementsAttrReshapeGet(attribute, type);
  MlirStringRef data = raw_data(attribute);
  char *moved = pgopt_allocate(data.length, 1);
  permute(data.data, moved, element_bits(attribute) / 8, rank, extents,
          permutation);
  MlirAttribute result =
      mlirDenseElementsAttrRawBufferGet(type, data.length, moved);
  free(moved);
  return result;
}
