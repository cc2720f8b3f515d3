/// \file In which order a product of several operands is contracted, two at a
/// time.
#ifndef PGOPT_EINSUM_CONTRACTION_PATH_H
#define PGOPT_EINSUM_CONTRACTION_PATH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { PGOPT_PATH_EXACT = 8, PGOPT_PATH_MAX_LOOPS = 64 };

/// One step: operands `left` and `right` (inputs first, then the results of
/// steps) become operand `input_count` + the step's number, which keeps the
/// loops of `loops`.
typedef struct pgopt_path_step {
  int left, right;
  uint64_t loops; ///< a bit a loop
} pgopt_path_step;

/// Finds a path with few multiplications: the best for up to PGOPT_PATH_EXACT
/// operands (dynamic programming over subsets), a greedy one above (the pair
/// whose result is smallest against its operands).
/// \param operands loops of each input, a bit a loop; at least two inputs.
/// \param result loops of the result.
/// \param extents of the loops, each >= 1.
/// \param max_elements intermediate results above it are avoided where another
///   path exists; 0 for no limit.
/// \param[out] steps input_count - 1 of them.
/// \returns the number of multiplications, as a double: it may exceed int64_t.
double pgopt_contraction_path(size_t input_count, const uint64_t *operands,
                              uint64_t result, size_t loop_count,
                              const int64_t *extents, int64_t max_elements,
                              pgopt_path_step *steps);

#endif // PGOPT_EINSUM_CONTRACTION_PATH_H
