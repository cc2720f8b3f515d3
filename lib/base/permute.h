/// \file Array elements in another order of dimensions.
#ifndef PGOPT_BASE_PERMUTE_H
#define PGOPT_BASE_PERMUTE_H

#include <stddef.h>
#include <stdint.h>

enum { PGOPT_MAX_PERMUTED_RANK = 64 };

/// Copies the row-major array `from` of `extents` to `to`, whose dimension i is
/// dimension permutation[i] of `from`. The two must not overlap.
/// \param element_bytes of one element, >= 1.
/// \param rank at most PGOPT_MAX_PERMUTED_RANK; extents >= 0.
void pgopt_permute(const void *from, void *to, size_t element_bytes,
                   size_t rank, const int64_t *extents, const int *permutation);

#endif // PGOPT_BASE_PERMUTE_H
