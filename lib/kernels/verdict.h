/// \file Verdicts on whole networks that a store keeps: a choice between forms
/// of one network, or between programs.
#ifndef PGOPT_KERNELS_VERDICT_H
#define PGOPT_KERNELS_VERDICT_H

#include "ir/timings.h"
#include "profile/choose.h"
#include "store/store.h"

/// A candidate as it is kept; its name is borrowed.
pgopt_store_candidate
pgopt_measured_candidate(const char *name, const pgopt_candidate_result *result,
                         size_t runs);

/// The verdict on so many candidates that this version has reached, or null.
const pgopt_store_choice *pgopt_verdict_find(const pgopt_timings *timings,
                                             const char *key, size_t count);

/// Files a verdict of now, unless a store cannot hold it.
/// \returns the choice; it borrows the key and the candidates.
pgopt_store_choice pgopt_verdict_file(pgopt_timings *timings, const char *key,
                                      const pgopt_store_candidate *candidates,
                                      size_t count, size_t chosen);

#endif // PGOPT_KERNELS_VERDICT_H
