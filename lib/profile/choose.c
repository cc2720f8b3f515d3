#include "profile/choose.h"

#include "base/memory.h"
#include "profile/trial.h"

#include <stdlib.h>

/// The samples of two candidates, or of one twice, in the runs that disturbed
/// neither; when these are too few to tell anything, in all runs, by what is
/// known of them. \returns how many.
static size_t select_pairs(const int64_t *a, const int64_t *b, size_t runs,
                           int64_t *kept_a, int64_t *kept_b) {
  size_t count = 0;
  for (size_t i = 0; i < runs; ++i)
    if (a[i] > 0 && b[i] > 0) {
      kept_a[count] = a[i];
      kept_b[count++] = b[i];
    }
  if (count >= PGOPT_PAIRED_RUNS)
    return count;
  count = 0;
  for (size_t i = 0; i < runs; ++i)
    if (a[i] && b[i]) {
      kept_a[count] = llabs(a[i]);
      kept_b[count++] = llabs(b[i]);
    }
  return count;
}

/// One candidate against the first one.
static pgopt_candidate_result compare(const pgopt_candidate_samples *own,
                                      const pgopt_candidate_samples *first,
                                      size_t runs) {
  int64_t *a = pgopt_allocate(runs, sizeof *a);
  int64_t *b = pgopt_allocate(runs, sizeof *b);
  pgopt_candidate_result result = {.pairing = {.ratio = 1, .p_value = 1}};
  size_t count = select_pairs(own->samples, own->samples, runs, a, b);
  result.time = pgopt_summarize(a, count);
  if (own != first && !first->has_failed) {
    count = select_pairs(own->samples, first->samples, runs, a, b);
    result.pairing = pgopt_pair_times(a, b, count);
  }
  free(a);
  free(b);
  return result;
}

static bool is_better(const pgopt_candidate_samples *candidates,
                      const pgopt_candidate_result *results, size_t c,
                      size_t chosen) {
  if (candidates[c].has_failed)
    return false;
  if (candidates[0].has_failed)
    return !chosen ||
           results[c].time.median_ns < results[chosen].time.median_ns;
  return results[c].pairing.a_is_faster &&
         (!chosen || results[c].pairing.ratio < results[chosen].pairing.ratio);
}

size_t pgopt_choose_candidate(const pgopt_candidate_samples *candidates,
                              size_t count, size_t runs,
                              pgopt_candidate_result *results) {
  size_t chosen = 0;
  for (size_t c = 0; c < count; ++c) {
    results[c] =
        (pgopt_candidate_result){.pairing = {.ratio = 1, .p_value = 1}};
    if (candidates[c].has_failed)
      continue;
    results[c] = compare(&candidates[c], &candidates[0], runs);
    if (c && is_better(candidates, results, c, chosen))
      chosen = c;
  }
  return chosen;
}
