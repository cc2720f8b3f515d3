/// \file How far one result is from another: the one measure of error that
/// runner, tests and benchmarks share.
#ifndef PGOPT_BASE_COMPARE_H
#define PGOPT_BASE_COMPARE_H

#include "base/element.h"

typedef struct pgopt_difference {
  /// max |a - b| / max(|b|, rms(b)) over all elements, where b is the
  /// reference and rms(b) the root of the mean square of its finite elements.
  /// Infinite when NaN or an infinity stands against something else.
  double error;
  int64_t worst; ///< flat index of the element with that error; 0 when equal
  double a, b;   ///< its two values
} pgopt_difference;

/// Compares `count` elements of equal type and shape. NaN equals NaN and an
/// infinity the same infinity; where the reference is all zeros, rms(b) counts
/// as 1, so the error is absolute. Integers compare like floats.
pgopt_difference pgopt_compare(pgopt_element element, const void *a,
                               const void *b, int64_t count);

/// Writes a flat row-major index as positions in `extents`.
void pgopt_position(int64_t flat, const int64_t *extents, size_t rank,
                    int64_t *position);

#endif // PGOPT_BASE_COMPARE_H
