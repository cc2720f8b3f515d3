/// \file What whole networks take that one trial run computes in turn.
#include "kernels/form_times.h"

#include "base/memory.h"

#include <stdlib.h>

size_t pgopt_form_runs(const pgopt_trial *trial) {
  size_t runs = trial->kernel_count ? SIZE_MAX : 0;
  for (size_t i = 0; i < trial->kernel_count; ++i) {
    if (trial->kernels[i].failure)
      return 0;
    if (trial->kernels[i].paired_count < runs)
      runs = trial->kernels[i].paired_count;
  }
  return runs;
}

void pgopt_form_add_samples(const pgopt_trial *trial, const int *form_of,
                            int form, size_t runs, int64_t *sums) {
  bool *is_disturbed = pgopt_allocate(runs, sizeof *is_disturbed);
  for (size_t i = 0; i < trial->kernel_count; ++i) {
    if (form_of[i] != form)
      continue;
    for (size_t r = 0; r < runs; ++r) {
      int64_t sample = trial->kernels[i].paired[r];
      sums[r] += llabs(sample);
      is_disturbed[r] = is_disturbed[r] || sample <= 0;
    }
  }
  for (size_t r = 0; r < runs; ++r)
    sums[r] = is_disturbed[r] ? -sums[r] : sums[r];
  free(is_disturbed);
}
