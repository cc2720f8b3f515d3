/// \file Any bytes as a store, and as what its checksum protects.
#include "fuzz.h"

#include "store/store_internal.h"

#include <string.h>

/// What was read is written as bytes that are read as the same, in both forms.
static void check_round_trip(const pgopt_store *store) {
  for (int as_text = 0; as_text < 2; ++as_text) {
    pgopt_text bytes = {0}, again = {0};
    pgopt_store other;
    pgopt_error error = {0};
    bool is_text;
    pgopt_store_write(store, as_text, &bytes);
    FUZZ_CHECK(
        !pgopt_store_parse(bytes.data, bytes.size, &other, &is_text, &error));
    FUZZ_CHECK(is_text == as_text);
    pgopt_store_write(&other, as_text, &again);
    FUZZ_CHECK(again.size == bytes.size &&
               !memcmp(again.data, bytes.data, bytes.size));
    pgopt_store_free(&other);
    pgopt_text_free(&bytes);
    pgopt_text_free(&again);
  }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  pgopt_store store;
  pgopt_error error = {0};
  bool is_text;
  if (!pgopt_store_parse(data, size, &store, &is_text, &error))
    check_round_trip(&store);
  else
    FUZZ_CHECK(*error.message && !store.profile_count);
  pgopt_store_free(&store);
  error = (pgopt_error){0};
  if (!pgopt_store_parse_content(data, size, &store, &error)) {
    pgopt_store_sort(&store);
    check_round_trip(&store);
  } else {
    FUZZ_CHECK(*error.message);
  }
  pgopt_store_free(&store);
  return 0;
}
