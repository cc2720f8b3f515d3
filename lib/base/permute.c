/// \file Array elements in another order of dimensions: the result is written
/// from front to back, its innermost dimension in a loop of its own.
#include "base/permute.h"

#include <string.h>

/// `count` elements that stand `step` bytes apart.
static void gather(const char *from, char *to, size_t element_bytes,
                   int64_t count, int64_t step) {
  if (step == (int64_t)element_bytes) {
    memcpy(to, from, (size_t)count * element_bytes);
    return;
  }
  switch (element_bytes) { /* sizes that the compiler knows become moves */
  case 4:
    for (int64_t i = 0; i < count; ++i)
      memcpy(to + i * 4, from + i * step, 4);
    return;
  case 2:
    for (int64_t i = 0; i < count; ++i)
      memcpy(to + i * 2, from + i * step, 2);
    return;
  default:
    for (int64_t i = 0; i < count; ++i, to += element_bytes)
      memcpy(to, from + i * step, element_bytes);
  }
}

void pgopt_permute(const void *from_data, void *to_data, size_t element_bytes,
                   size_t rank, const int64_t *extents,
                   const int *permutation) {
  const char *from = from_data;
  char *to = to_data;
  int64_t strides[PGOPT_MAX_PERMUTED_RANK], steps[PGOPT_MAX_PERMUTED_RANK];
  int64_t ends[PGOPT_MAX_PERMUTED_RANK], at[PGOPT_MAX_PERMUTED_RANK] = {0};
  int64_t stride = (int64_t)element_bytes;
  for (size_t d = rank; d-- > 0; stride *= extents[d]) {
    if (!extents[d])
      return;
    strides[d] = stride;
  }
  for (size_t d = 0; d < rank; ++d) {
    steps[d] = strides[permutation[d]];
    ends[d] = extents[permutation[d]];
  }
  int64_t row = rank ? ends[rank - 1] : 1;
  int64_t row_step = rank ? steps[rank - 1] : (int64_t)element_bytes;
  size_t outer = rank ? rank - 1 : 0;
  for (;;) {
    gather(from, to, element_bytes, row, row_step);
    to += (size_t)row * element_bytes;
    size_t d = outer;
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
