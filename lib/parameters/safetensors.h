/// \file Parameter files in the safetensors format: 8 bytes with the length of
/// the header (little-endian), a JSON header that gives every tensor a type, a
/// shape and a range of the data, and the data without gaps.
#ifndef PGOPT_PARAMETERS_SAFETENSORS_H
#define PGOPT_PARAMETERS_SAFETENSORS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/element.h"
#include "base/memory.h"
#include "base/status.h"

/// Longest header that is read or written: above 100,000 tensors.
#define PGOPT_SAFETENSORS_MAX_HEADER (16 * 1024 * 1024)

/// How the format spells a type of ours: "F32", "BF16", "I8", "BOOL" for i1,
/// "I64" for index; integers of other widths as the type that has their bytes.
const char *pgopt_safetensors_type(pgopt_element element);

/// Our type for one of the format's; false for a type that we have none for
/// (F8_E5M2, C64 ...). Unsigned integers become integers of their width.
bool pgopt_safetensors_element(const char *type, pgopt_element *element);

/// Bytes of one element; 0 for an unknown type.
int64_t pgopt_safetensors_type_bytes(const char *type);

typedef struct pgopt_safetensor {
  const char *name;
  const char *type; ///< as the format spells it
  int64_t element_bytes;
  const int64_t *shape; ///< row-major extents, each >= 0
  size_t rank;
  const void *data; ///< as aligned as the file happens to be
  int64_t offset;   ///< of the data, from the start of the file
  int64_t bytes;
} pgopt_safetensor;

/// A file that was read. Tensors are in the order of their data.
typedef struct pgopt_safetensors {
  const pgopt_safetensor *tensors;
  size_t count;
  const size_t *by_name; ///< indices, sorted by name
  pgopt_arena arena;
  void *mapping; ///< null when the bytes belong to somebody else
  size_t mapping_bytes;
} pgopt_safetensors;

/// Maps the file and checks all of it: nothing that a header says is believed.
/// The data is mapped, not read, and shared with other processes; a file that
/// somebody truncates afterwards ends its readers.
/// \param[out] file empty on failure.
/// \returns PGOPT_IO, PGOPT_INVALID or, for types and header lengths that are
/// not known, PGOPT_UNSUPPORTED; the message begins with the path.
pgopt_status pgopt_safetensors_open(const char *path, pgopt_safetensors *file,
                                    pgopt_error *error);

/// The same for bytes in memory, which are borrowed.
pgopt_status pgopt_safetensors_parse(const void *bytes, size_t size,
                                     pgopt_safetensors *file,
                                     pgopt_error *error);

/// Null when there is no tensor of that name.
const pgopt_safetensor *pgopt_safetensors_find(const pgopt_safetensors *file,
                                               const char *name);

/// Everything that came from the file is gone afterwards.
void pgopt_safetensors_close(pgopt_safetensors *file);

#endif // PGOPT_PARAMETERS_SAFETENSORS_H
