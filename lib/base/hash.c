/// \file Two FNV-1a hashes with different offsets.
/// Source: Fowler, Noll, Vo; draft-eastlake-fnv.
#include "base/hash.h"

#include <string.h>

static const uint64_t prime = UINT64_C(0x100000001B3);

pgopt_hash pgopt_hash_begin(const char *tag) {
  pgopt_hash hash = {UINT64_C(0xCBF29CE484222325),
                     UINT64_C(0x9E3779B97F4A7C15)};
  pgopt_hash_text(&hash, tag);
  return hash;
}

void pgopt_hash_bytes(pgopt_hash *hash, const void *bytes, size_t size) {
  const unsigned char *b = bytes;
  for (size_t i = 0; i < size; ++i) {
    hash->high = (hash->high ^ b[i]) * prime;
    hash->low = (hash->low ^ (unsigned char)~b[i]) * prime;
  }
}

void pgopt_hash_text(pgopt_hash *hash, const char *text) {
  pgopt_hash_bytes(hash, text, strlen(text) + 1);
}

void pgopt_hash_i64(pgopt_hash *hash, int64_t value) {
  unsigned char bytes[8];
  for (int i = 0; i < 8; ++i)
    bytes[i] = (unsigned char)((uint64_t)value >> (8 * i));
  pgopt_hash_bytes(hash, bytes, sizeof bytes);
}

void pgopt_hash_hash(pgopt_hash *hash, const pgopt_hash *value) {
  pgopt_hash_i64(hash, (int64_t)value->high);
  pgopt_hash_i64(hash, (int64_t)value->low);
}
