/// \file Compiled objects kept between runs: one file an object, named by a
/// hash of everything the object was made from.
///
/// Files appear by rename, so a reader sees a whole one or none; each carries a
/// hash of its content, so a damaged one counts as absent. Failures to read or
/// write are no errors: the object is compiled again. The directory is kept
/// below a size by removing what was not used for longest.
#ifndef PGOPT_CODEGEN_OBJECT_CACHE_H
#define PGOPT_CODEGEN_OBJECT_CACHE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { PGOPT_HASH_BYTES = 32 };

typedef struct pgopt_hash {
  unsigned char bytes[PGOPT_HASH_BYTES];
} pgopt_hash;

typedef struct pgopt_hash_part {
  const void *data;
  size_t size;
} pgopt_hash_part;

/// BLAKE3 over the parts, each preceded by its size.
pgopt_hash pgopt_hash_parts(const pgopt_hash_part *parts, size_t count);

/// $PGOPT_CACHE, else $XDG_CACHE_HOME/pgopt, else $HOME/.cache/pgopt; null when
/// there is none or $PGOPT_CACHE is empty. Freed with `free`.
char *pgopt_object_cache_directory(void);

/// Reads the object of that key.
/// \param[out] data freed with `free`; untouched when the result is false.
bool pgopt_object_cache_read(const char *directory, const pgopt_hash *key,
                             void **data, size_t *size);

/// Writes the object, creating the directory (for the user alone) when it is
/// missing, and removes old objects beyond `limit_bytes`.
void pgopt_object_cache_write(const char *directory, const pgopt_hash *key,
                              const void *data, size_t size,
                              int64_t limit_bytes);

#endif // PGOPT_CODEGEN_OBJECT_CACHE_H
