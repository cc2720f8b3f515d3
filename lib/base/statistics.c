#include "base/statistics.h"

#include "base/memory.h"

#include <math.h>
#include <stdlib.h>

static int compare_i64(const void *a, const void *b) {
  int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
  return (x > y) - (x < y);
}

static int compare_doubles(const void *a, const void *b) {
  double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

static int64_t median_of_sorted(const int64_t *sorted, size_t count) {
  int64_t upper = sorted[count / 2];
  int64_t lower = sorted[(count - 1) / 2];
  return lower + (upper - lower) / 2;
}

pgopt_summary pgopt_summarize(const int64_t *samples, size_t count) {
  pgopt_summary summary = {0};
  if (!count)
    return summary;
  int64_t *sorted = pgopt_duplicate(samples, count * sizeof *sorted);
  qsort(sorted, count, sizeof *sorted, compare_i64);
  summary.runs = (int64_t)count;
  summary.min_ns = sorted[0];
  summary.median_ns = median_of_sorted(sorted, count);
  for (size_t i = 0; i < count; ++i)
    sorted[i] = llabs(sorted[i] - summary.median_ns);
  qsort(sorted, count, sizeof *sorted, compare_i64);
  summary.mad_ns = median_of_sorted(sorted, count);
  free(sorted);
  return summary;
}

pgopt_summary pgopt_summarize_undisturbed(const int64_t *samples, size_t count,
                                          size_t *dropped) {
  int64_t *kept = pgopt_allocate(count, sizeof *kept);
  size_t kept_count = 0, calm = 0;
  for (size_t i = 0; i < count; ++i)
    if (samples[i] >= 0)
      kept[kept_count++] = samples[i];
  for (size_t i = 0; i < count && !kept_count; ++i)
    kept[i] = llabs(samples[i]);
  if (!kept_count)
    kept_count = count;
  int64_t median_ns = pgopt_summarize(kept, kept_count).median_ns;
  for (size_t i = 0; i < kept_count; ++i)
    if (kept[i] - median_ns <= median_ns + 1000)
      kept[calm++] = kept[i];
  pgopt_summary summary = pgopt_summarize(kept, calm);
  *dropped = count - calm;
  free(kept);
  return summary;
}

/// lgamma writes a global; this does not.
static double log_factorial(double n) {
  int sign;
  return lgamma_r(n + 1, &sign);
}

/// Probability of `extreme` or more equal signs of `count` in either
/// direction, each sign being as likely as the other.
static double sign_test(size_t extreme, size_t count) {
  double tail = 0;
  double n = (double)count;
  for (size_t k = extreme; k <= count; ++k) {
    double log_choose = log_factorial(n) - log_factorial((double)k) -
                        log_factorial(n - (double)k);
    tail += exp(log_choose - n * log(2));
  }
  return fmin(1, 2 * tail);
}

pgopt_pairing pgopt_pair_times(const int64_t *a, const int64_t *b,
                               size_t count) {
  pgopt_pairing result = {.ratio = 1, .p_value = 1};
  if (!count)
    return result;
  double *ratios = pgopt_allocate(count, sizeof *ratios);
  size_t a_wins = 0, b_wins = 0;
  for (size_t i = 0; i < count; ++i) {
    ratios[i] = (double)a[i] / (double)b[i];
    a_wins += a[i] < b[i];
    b_wins += b[i] < a[i];
  }
  qsort(ratios, count, sizeof *ratios, compare_doubles);
  result.ratio = (ratios[count / 2] + ratios[(count - 1) / 2]) / 2;
  free(ratios);
  size_t wins = a_wins > b_wins ? a_wins : b_wins;
  if (wins) // ties say nothing
    result.p_value = sign_test(wins, a_wins + b_wins);
  bool is_sure = result.p_value < 0.01;
  result.a_is_faster = is_sure && a_wins > b_wins && result.ratio < 0.98;
  result.b_is_faster = is_sure && b_wins > a_wins && result.ratio > 1 / 0.98;
  return result;
}
