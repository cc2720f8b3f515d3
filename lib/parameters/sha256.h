/// \file SHA-256 checksums, as 64 lower-case hexadecimal digits.
#ifndef PGOPT_PARAMETERS_SHA256_H
#define PGOPT_PARAMETERS_SHA256_H

#include "base/status.h"

/// Digits and the final zero.
#define PGOPT_SHA256_TEXT 65

/// Checksum of a file's bytes. PGOPT_IO when it cannot be read.
pgopt_status pgopt_sha256_file(const char *path, char text[PGOPT_SHA256_TEXT],
                               pgopt_error *error);

struct sha256_ctx;

/// Text of a checksum that was gathered with nettle; the context starts anew.
void pgopt_sha256_finish(struct sha256_ctx *hash, char text[PGOPT_SHA256_TEXT]);

#endif // PGOPT_PARAMETERS_SHA256_H
