#include "base/compare.h"

#include <math.h>

/// Two passes over b scaled by its largest magnitude, so that squares neither
/// overflow nor vanish.
static double root_mean_square(pgopt_element element, const void *b,
                               int64_t count) {
  double largest = 0;
  int64_t finite = 0;
  for (int64_t i = 0; i < count; ++i) {
    double value = fabs(pgopt_element_read(element, b, i));
    if (!isfinite(value))
      continue;
    ++finite;
    largest = fmax(largest, value);
  }
  if (largest == 0)
    return 0;
  double sum = 0;
  for (int64_t i = 0; i < count; ++i) {
    double value = pgopt_element_read(element, b, i) / largest;
    if (isfinite(value))
      sum += value * value;
  }
  return largest * sqrt(sum / (double)finite);
}

static double error_of(double a, double b, double rms) {
  if (isnan(a) || isnan(b))
    return isnan(a) && isnan(b) ? 0 : (double)INFINITY;
  if (isinf(a) || isinf(b))
    return a == b ? 0 : (double)INFINITY;
  double scale = fmax(fabs(b), rms);
  return fabs(a - b) / (scale > 0 ? scale : 1);
}

pgopt_difference pgopt_compare(pgopt_element element, const void *a,
                               const void *b, int64_t count) {
  pgopt_difference result = {0};
  double rms = root_mean_square(element, b, count);
  for (int64_t i = 0; i < count; ++i) {
    double left = pgopt_element_read(element, a, i);
    double right = pgopt_element_read(element, b, i);
    double error = error_of(left, right, rms);
    if (i == 0 || error > result.error)
      result = (pgopt_difference){error, i, left, right};
  }
  return result;
}

void pgopt_position(int64_t flat, const int64_t *extents, size_t rank,
                    int64_t *position) {
  for (size_t k = rank; k-- > 0;) {
    position[k] = flat % extents[k];
    flat /= extents[k];
  }
}
