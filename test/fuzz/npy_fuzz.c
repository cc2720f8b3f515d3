/// \file Any bytes as a .npy file.
#include "fuzz.h"

#include "npy/npy.h"

#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  pgopt_npy array;
  pgopt_error error = {0};
  if (pgopt_npy_parse(data, size, &array, &error)) {
    FUZZ_CHECK(*error.message && !array.data);
  } else {
    unsigned sum = 0;
    FUZZ_CHECK(array.rank <= PGOPT_NPY_MAX_RANK && array.bytes >= 0 &&
               array.bytes <= (int64_t)size);
    for (size_t d = 0; d < array.rank; ++d)
      FUZZ_CHECK(array.extents[d] >= 0);
    for (int64_t b = 0; b < array.bytes; ++b)
      sum += ((const uint8_t *)array.data)[b];
    FUZZ_CHECK(sum < UINT32_MAX);
  }
  pgopt_npy_free(&array);
  return 0;
}
