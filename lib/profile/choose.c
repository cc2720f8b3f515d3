#include "profile/choose.h"

#include "base/memory.h"

#include <stdlib.h>

/// Candidate `c` against the first one.
static pgopt_pairing pair(const pgopt_candidate_samples *candidates, size_t c,
                          size_t runs) {
  int64_t *own = pgopt_allocate(runs, sizeof *own);
  int64_t *first = pgopt_allocate(runs, sizeof *first);
  size_t count = 0;
  for (size_t i = 0; i < runs; ++i) {
    own[count] = candidates[c].samples[i];
    first[count] = candidates[0].samples[i];
    count += own[count] > 0 && first[count] > 0;
  }
  pgopt_pairing pairing = pgopt_pair_times(own, first, count);
  free(own);
  free(first);
  return pairing;
}

/// Over the samples that nothing disturbed; over all when there are none.
static pgopt_summary summarize(const int64_t *samples, size_t runs) {
  int64_t *kept = pgopt_allocate(runs, sizeof *kept);
  size_t count = 0;
  for (size_t i = 0; i < runs; ++i)
    if (samples[i] > 0)
      kept[count++] = samples[i];
  for (size_t i = 0; i < runs && !count; ++i)
    kept[i] = llabs(samples[i]);
  pgopt_summary summary = pgopt_summarize(kept, count ? count : runs);
  free(kept);
  return summary;
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
    results[c].time = summarize(candidates[c].samples, runs);
    if (c && !candidates[0].has_failed)
      results[c].pairing = pair(candidates, c, runs);
    if (c && is_better(candidates, results, c, chosen))
      chosen = c;
  }
  return chosen;
}
