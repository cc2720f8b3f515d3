/// \file What whole networks take that one trial run computes in turn.
#ifndef PGOPT_KERNELS_FORM_TIMES_H
#define PGOPT_KERNELS_FORM_TIMES_H

#include "profile/trial.h"

/// Runs in which all kernels of a paired trial have a sample; 0 when one of
/// them failed.
size_t pgopt_form_runs(const pgopt_trial *trial);

/// What a form takes: the sum over its calls, one a run; below 0 where
/// something disturbed one of them.
/// \param form_of one a call of the trial: which form it is of.
/// \param[out] sums `runs` numbers that are 0.
void pgopt_form_add_samples(const pgopt_trial *trial, const int *form_of,
                            int form, size_t runs, int64_t *sums);

#endif // PGOPT_KERNELS_FORM_TIMES_H
