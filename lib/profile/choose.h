/// \file Which of several candidates is taken, from what they took in turn.
#ifndef PGOPT_PROFILE_CHOOSE_H
#define PGOPT_PROFILE_CHOOSE_H

#include "base/statistics.h"

/// A candidate's samples, one a run; something disturbed those below 0, which
/// are the time without what was lost, as far as it is known; 0: none.
typedef struct pgopt_candidate_samples {
  const int64_t *samples;
  bool has_failed; ///< it has none
} pgopt_candidate_samples;

/// What is known of it: `pairing` is against candidate 0, over the runs that
/// nothing disturbed in either, or all when these are fewer than
/// PGOPT_PAIRED_RUNS; so is `time`, of itself.
typedef struct pgopt_candidate_result {
  pgopt_summary time;
  pgopt_pairing pairing;
} pgopt_candidate_result;

/// Takes the first candidate, unless others are faster: then the one with the
/// least median of paired ratios. When the first one failed, the one with the
/// least median time.
/// \param count of candidates, at least 1.
/// \param[out] results one a candidate.
/// \returns its index; 0 when all failed.
size_t pgopt_choose_candidate(const pgopt_candidate_samples *candidates,
                              size_t count, size_t runs,
                              pgopt_candidate_result *results);

#endif // PGOPT_PROFILE_CHOOSE_H
