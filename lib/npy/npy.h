/// \file NumPy's array files: versions 1.0, 2.0 and 3.0 are read, 1.0 is
/// written.
///
/// Types: f2 f4 f8, i1 to i8, u1 to u8 (their bits are taken as they are), b1
/// as i1, and V2, which NumPy makes of bfloat16, as bf16. Big-endian and
/// Fortran-ordered arrays are converted.
/// Source: numpy.lib.format, "Format specification".
#ifndef PGOPT_NPY_NPY_H
#define PGOPT_NPY_NPY_H

#include "base/element.h"
#include "base/status.h"

enum { PGOPT_NPY_MAX_RANK = 32 };

/// Row-major, little-endian.
typedef struct pgopt_npy {
  pgopt_element element;
  size_t rank;
  int64_t extents[PGOPT_NPY_MAX_RANK];
  int64_t bytes;
  void *data; ///< owned; freed by `pgopt_npy_free`
} pgopt_npy;

/// Parses the bytes of a whole file, which may be hostile.
/// \param[out] array empty on failure.
/// \returns PGOPT_INVALID when they break the format (truncated, bytes left
///   over, a size that is not the shape's), PGOPT_UNSUPPORTED for other types,
///   PGOPT_NO_MEMORY.
pgopt_status pgopt_npy_parse(const void *bytes, size_t size, pgopt_npy *array,
                             pgopt_error *error);

/// Reads a file; the error names it.
pgopt_status pgopt_npy_read(const char *path, pgopt_npy *array,
                            pgopt_error *error);

/// Writes an array atomically. The element is a float of any kind, an index,
/// or an integer of 1, 8, 16, 32 or 64 bits.
pgopt_status pgopt_npy_write(const char *path, pgopt_element element,
                             const int64_t *extents, size_t rank,
                             const void *data, pgopt_error *error);

void pgopt_npy_free(pgopt_npy *array);

#endif // PGOPT_NPY_NPY_H
