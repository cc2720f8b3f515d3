/// \file Any bytes as a parameter file.
#include "fuzz.h"

#include "parameters/safetensors.h"

#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  pgopt_safetensors file;
  pgopt_error error = {0};
  if (pgopt_safetensors_parse(data, size, &file, &error)) {
    FUZZ_CHECK(*error.message && !file.count);
    pgopt_safetensors_close(&file);
    return 0;
  }
  unsigned sum = 0;
  int64_t next = 0;
  for (size_t i = 0; i < file.count; ++i) {
    const pgopt_safetensor *t = &file.tensors[i];
    int64_t bytes = t->element_bytes;
    for (size_t d = 0; d < t->rank; ++d)
      FUZZ_CHECK(!__builtin_mul_overflow(bytes, t->shape[d], &bytes) ||
                 t->bytes == 0);
    FUZZ_CHECK(t->bytes == 0 || bytes == t->bytes);
    FUZZ_CHECK(t->offset >= next && t->bytes >= 0 &&
               t->offset <= (int64_t)size &&
               t->bytes <= (int64_t)size - t->offset);
    next = t->offset + t->bytes;
    for (int64_t b = 0; b < t->bytes; ++b)
      sum += ((const uint8_t *)t->data)[b];
    const pgopt_safetensor *found = pgopt_safetensors_find(&file, t->name);
    FUZZ_CHECK(found == t);
    FUZZ_CHECK(file.by_name[i] < file.count);
  }
  FUZZ_CHECK(sum < UINT32_MAX);
  FUZZ_CHECK(!pgopt_safetensors_find(&file, "\001 no such name"));
  pgopt_safetensors_close(&file);
  return 0;
}
