/// \file How a layout search spends its time: on batches of prices, compiled
/// and run together, and on the comparison of whole networks at its end.
#ifndef PGOPT_PRICING_PRICE_BUDGET_H
#define PGOPT_PRICING_PRICE_BUDGET_H

#include <stddef.h>
#include <stdint.h>

enum { PGOPT_PRICE_VARIANTS = 3 }; ///< of a kernel, measured for its price

/// All times are in milliseconds. Zeroed members mean: nothing is known.
typedef struct pgopt_price_budget {
  int64_t budget_ms, started_ms; ///< of everything; when it began
  int64_t spent_ms;              ///< on batches
  int64_t batches, prices;       ///< measured in that time
  size_t variants;               ///< of a kernel; chosen once
  int64_t compared_kernels;      ///< that the comparison compiles; 0: none
  int64_t compared_ms;           ///< and what its runs take at least
} pgopt_price_budget;

/// A clock that only goes on.
int64_t pgopt_price_budget_now_ms(void);

/// What is left, below 0 when it is over.
int64_t pgopt_price_budget_left_ms(const pgopt_price_budget *budget,
                                   int64_t now_ms);

/// What the comparison is supposed to take, compilation included: judged by
/// what prices took, at most half of the budget; 0 without a comparison.
int64_t pgopt_price_budget_reserve_ms(const pgopt_price_budget *budget);

/// What the comparison's runs may take now: a twentieth of the budget at least,
/// at most an eighth of it beyond what they are supposed to take.
int64_t pgopt_price_budget_compare_ms(const pgopt_price_budget *budget,
                                      int64_t now_ms);

/// How many variants of every kernel a search that wants so many prices at
/// first can have measured: 1 .. PGOPT_PRICE_VARIANTS. It follows from the
/// budget alone, so that all prices of a search are of the same kind.
size_t pgopt_price_budget_variants(const pgopt_price_budget *budget,
                                   size_t wanted);

/// How many of the wanted prices to measure in the next batch; 0 when what is
/// left does not do for one. There is always time for a first one.
/// \param[out] runs_ms what its runs may take, 1 or more.
size_t pgopt_price_budget_next(const pgopt_price_budget *budget, int64_t now_ms,
                               size_t wanted, int64_t *runs_ms);

#endif // PGOPT_PRICING_PRICE_BUDGET_H
