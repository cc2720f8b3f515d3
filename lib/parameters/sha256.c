#include "parameters/sha256.h"

#include <errno.h>
#include <nettle/sha2.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

enum { BLOCK_BYTES = 256 * 1024 };

void pgopt_sha256_finish(struct sha256_ctx *hash,
                         char text[PGOPT_SHA256_TEXT]) {
  static const char digits[] = "0123456789abcdef";
  uint8_t digest[SHA256_DIGEST_SIZE];
  sha256_digest(hash, sizeof digest, digest);
  for (size_t i = 0; i < sizeof digest; ++i) {
    text[2 * i] = digits[digest[i] >> 4];
    text[2 * i + 1] = digits[digest[i] & 15];
  }
  text[2 * sizeof digest] = 0;
}

pgopt_status pgopt_sha256_file(const char *path, char text[PGOPT_SHA256_TEXT],
                               pgopt_error *error) {
  FILE *file = fopen(path, "rbe");
  if (!file)
    return pgopt_fail(error, PGOPT_IO, "%s: %s", path, strerror(errno));
  struct sha256_ctx hash;
  sha256_init(&hash);
  unsigned char *block = pgopt_allocate(BLOCK_BYTES, 1);
  size_t got;
  while ((got = fread(block, 1, BLOCK_BYTES, file)) > 0)
    sha256_update(&hash, got, block);
  pgopt_status status = PGOPT_OK;
  if (ferror(file))
    status = pgopt_fail(error, PGOPT_IO, "%s: %s", path, strerror(errno));
  else
    pgopt_sha256_finish(&hash, text);
  free(block);
  fclose(file);
  return status;
}
