/// \file What is said about repeated time measurements, and when one program
/// counts as faster than another.
#ifndef PGOPT_BASE_STATISTICS_H
#define PGOPT_BASE_STATISTICS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/// `mad_ns` is the median absolute deviation from the median.
typedef struct pgopt_summary {
  int64_t median_ns, min_ns, mad_ns, runs;
} pgopt_summary;

/// Summarises `count` samples, all of them; all zero when there are none.
pgopt_summary pgopt_summarize(const int64_t *samples, size_t count);

/// Summarises samples of which those are negative that something disturbed:
/// they are left out, and so are those above twice the median of the others and
/// 1 us. When all are negative, all count by their size.
/// \param[out] dropped how many were left out.
pgopt_summary pgopt_summarize_undisturbed(const int64_t *samples, size_t count,
                                          size_t *dropped);

/// Two programs measured in turn.
typedef struct pgopt_pairing {
  double ratio;   ///< median of a[i] / b[i]; below 1: a is faster
  double p_value; ///< two-sided sign test: how likely are these signs by chance
  bool a_is_faster, b_is_faster;
} pgopt_pairing;

/// Pairs sample i of both. One is faster when the median ratio is beyond 2%
/// and the sign test gives p < 0.01. Samples >= 1; `count` 0 gives ratio 1.
pgopt_pairing pgopt_pair_times(const int64_t *a, const int64_t *b,
                               size_t count);

#endif // PGOPT_BASE_STATISTICS_H
