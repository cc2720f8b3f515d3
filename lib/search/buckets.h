/// \file A search problem as variables with finite domains, eliminated one
/// after the other: dynamic programming, exact where its tables stay small, a
/// lower bound where they had to be split.
///
/// Every kernel is a variable (its candidates), and so is every value whose
/// layout is open (where it is stored, and which conversions of it there are).
/// Costs stand in functions of one variable or of a kernel and one of its
/// values. A bucket holds the functions of the variable that is eliminated
/// next; they are added, minimised over it, and what results, a message, goes
/// on to a later bucket. On chains and trees no message has more than one
/// variable; it grows with what has to be remembered at once, not with the
/// network. Where a table would have more entries than `limit`, the bucket's
/// functions are minimised apart, in mini-buckets.
///
/// Source: bucket elimination, Dechter, Artificial Intelligence 113, 1999;
/// mini-buckets as bounds, Kask and Dechter, Artificial Intelligence 129, 2001.
#ifndef PGOPT_SEARCH_BUCKETS_H
#define PGOPT_SEARCH_BUCKETS_H

#include "search/state.h"

typedef struct pgopt_buckets pgopt_buckets;

/// \param limit most entries of a table, >= 1; tables of single functions of
///   the problem may be larger.
/// \param interrupted asked now and then; null: never.
/// \returns null when interrupted.
pgopt_buckets *pgopt_buckets_create(const pgopt_search_state *state,
                                    int64_t limit,
                                    bool (*interrupted)(void *context),
                                    void *context);
void pgopt_buckets_free(pgopt_buckets *buckets);

/// Entries of all tables when none is split; what a limit that splits nothing
/// costs. Large numbers are rounded.
double pgopt_buckets_exact_entries(const pgopt_search_state *state);

/// No bucket was split and no domain cut: the bound is the optimum.
bool pgopt_buckets_are_exact(const pgopt_buckets *buckets);
/// The domains hold everything: a search through all of them is complete.
bool pgopt_buckets_are_complete(const pgopt_buckets *buckets);
/// No choice costs less, ties included.
double pgopt_buckets_bound(const pgopt_buckets *buckets);

/// Variables are assigned in the opposite order of their elimination: position
/// 0 first. `assigned` holds a value for every position before.
int pgopt_buckets_count(const pgopt_buckets *buckets);
int pgopt_buckets_domain(const pgopt_buckets *buckets, int position);
/// How much the bound of the cost rises when the variable at `position` takes
/// assigned[position]; about 0 for some value when the buckets are exact.
double pgopt_buckets_rise(const pgopt_buckets *buckets, int position,
                          const int *assigned);

/// The candidates of a whole assignment, one a kernel.
void pgopt_buckets_candidates(const pgopt_buckets *buckets, const int *assigned,
                              int *candidates);

#endif // PGOPT_SEARCH_BUCKETS_H
