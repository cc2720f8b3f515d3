/// \file Arithmetic on sizes, offsets and operation counts that reports
/// overflow instead of wrapping. Each returns true when the result fits.
#ifndef PGOPT_BASE_CHECKED_MATH_H
#define PGOPT_BASE_CHECKED_MATH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

static inline bool pgopt_checked_add(int64_t a, int64_t b, int64_t *sum) {
  return !__builtin_add_overflow(a, b, sum);
}

static inline bool pgopt_checked_multiply(int64_t a, int64_t b,
                                          int64_t *product) {
  return !__builtin_mul_overflow(a, b, product);
}

/// Product of `count` extents; 1 for none.
static inline bool pgopt_checked_product(const int64_t *extents, size_t count,
                                         int64_t *product) {
  int64_t result = 1;
  for (size_t i = 0; i < count; ++i)
    if (!pgopt_checked_multiply(result, extents[i], &result))
      return false;
  *product = result;
  return true;
}

#endif // PGOPT_BASE_CHECKED_MATH_H
