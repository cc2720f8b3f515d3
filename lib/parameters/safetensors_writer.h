/// \file Writing of parameter files: types and shapes first, then the data as a
/// stream. The file appears under its name when it is complete, never before.
#ifndef PGOPT_PARAMETERS_SAFETENSORS_WRITER_H
#define PGOPT_PARAMETERS_SAFETENSORS_WRITER_H

#include "base/status.h"
#include "parameters/safetensors.h"
#include "parameters/sha256.h"

/// What is known of a tensor before its data. Borrowed.
typedef struct pgopt_safetensors_entry {
  const char *name; ///< UTF-8, not "__metadata__", unlike all others
  const char *type; ///< as the format spells it
  const int64_t *shape;
  size_t rank;
} pgopt_safetensors_entry;

typedef struct pgopt_safetensors_writer pgopt_safetensors_writer;

/// Begins a file beside `path`. The data of the entries begins at a multiple of
/// 64 and follows in their order without gaps: entries of one element size are
/// aligned to it, mixed ones when wide elements come first.
/// \param[out] writer null on failure.
pgopt_status pgopt_safetensors_create(const char *path,
                                      const pgopt_safetensors_entry *entries,
                                      size_t count,
                                      pgopt_safetensors_writer **writer,
                                      pgopt_error *error);

/// Appends data of the entries in their order, in blocks of any size. After a
/// failure only `pgopt_safetensors_abandon` is allowed.
pgopt_status pgopt_safetensors_append(pgopt_safetensors_writer *writer,
                                      const void *data, int64_t bytes,
                                      pgopt_error *error);

/// Completes the file, replaces what was at its path, and destroys the writer,
/// also on failure; then the path is untouched. `sha256` (may be null) receives
/// the file's checksum. The system's buffers are not forced to disk.
pgopt_status pgopt_safetensors_finish(pgopt_safetensors_writer *writer,
                                      char sha256[PGOPT_SHA256_TEXT],
                                      pgopt_error *error);

/// Destroys the writer and what it has written. Null is allowed.
void pgopt_safetensors_abandon(pgopt_safetensors_writer *writer);

#endif // PGOPT_PARAMETERS_SAFETENSORS_WRITER_H
