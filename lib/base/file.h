/// \file Whole files in and out.
#ifndef PGOPT_BASE_FILE_H
#define PGOPT_BASE_FILE_H

#include "base/status.h"

#include <stddef.h>

/// Reads a regular file.
/// \param[out] data freed with `free`; null on failure.
pgopt_status pgopt_file_read(const char *path, void **data, size_t *size,
                             pgopt_error *error);

/// Writes a file through a temporary one beside it and a rename: `path` holds
/// its old content or all of the new one, also when the disk is full or the
/// process ends. A path that exists and is not a regular file (a pipe,
/// /dev/stdout) is written to directly.
pgopt_status pgopt_file_write(const char *path, const void *data, size_t size,
                              pgopt_error *error);

/// The same for what must outlive a crash of the machine: the content is on the
/// disk before the rename, and the rename before the function returns. Only for
/// regular files.
pgopt_status pgopt_file_replace(const char *path, const void *data, size_t size,
                                pgopt_error *error);

#endif // PGOPT_BASE_FILE_H
