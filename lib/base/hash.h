/// \file A 128-bit hash of a sequence of texts and numbers, the same on every
/// machine. For keys and content, not against adversaries.
#ifndef PGOPT_BASE_HASH_H
#define PGOPT_BASE_HASH_H

#include <stddef.h>
#include <stdint.h>

typedef struct pgopt_hash {
  uint64_t high, low;
} pgopt_hash;

/// A new hash that begins with `tag`.
pgopt_hash pgopt_hash_begin(const char *tag);
void pgopt_hash_bytes(pgopt_hash *hash, const void *bytes, size_t size);
/// The text's bytes and an end mark: "a", "b" and "ab" differ.
void pgopt_hash_text(pgopt_hash *hash, const char *text);
void pgopt_hash_i64(pgopt_hash *hash, int64_t value);
void pgopt_hash_hash(pgopt_hash *hash, const pgopt_hash *value);

#endif // PGOPT_BASE_HASH_H
