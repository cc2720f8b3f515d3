/// \file A batch costs what every program does, and as much again for each
/// kernel that it compiles. The former is a constant, the latter what it was
/// until now.
#include "pricing/price_budget.h"

#include <time.h>

enum {
  BATCH_MS = 1000,    ///< to start a program's process and link it
  KERNEL_MS = 200,    ///< to lower and compile a kernel, before it is known
  FIRST_KERNELS = 32, ///< compiled to find out
  LEAST_PRICES = 4,   ///< worth a batch
  RUN_SHARE = 8,      ///< runs may take one part of so many of the time left
  COMPARE_SHARE = 20, ///< those of the comparison, of the budget, at least
};

int64_t pgopt_price_budget_now_ms(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (int64_t)t.tv_sec * 1000 + t.tv_nsec / 1000000;
}

static int64_t price_ms(const pgopt_price_budget *b) {
  if (!b->prices)
    return KERNEL_MS * (int64_t)(b->variants ? b->variants : 1);
  int64_t ms = (b->spent_ms - b->batches * BATCH_MS) / b->prices;
  return ms > 1 ? ms : 1;
}

int64_t pgopt_price_budget_left_ms(const pgopt_price_budget *b,
                                   int64_t now_ms) {
  return b->started_ms + b->budget_ms - now_ms;
}

int64_t pgopt_price_budget_reserve_ms(const pgopt_price_budget *b) {
  if (!b->compared_kernels)
    return 0;
  // Half of them are those of prices, whose objects are in the cache.
  int64_t kernel_ms = price_ms(b) / (int64_t)(b->variants ? b->variants : 1);
  int64_t ms = BATCH_MS + b->compared_kernels * kernel_ms / 2 + b->compared_ms;
  return ms < b->budget_ms / 2 ? ms : b->budget_ms / 2;
}

int64_t pgopt_price_budget_compare_ms(const pgopt_price_budget *b,
                                      int64_t now_ms) {
  int64_t most_ms = b->compared_ms + b->budget_ms / 8;
  int64_t left_ms = pgopt_price_budget_left_ms(b, now_ms) -
                    pgopt_price_budget_reserve_ms(b) + b->compared_ms;
  // Nine runs of a small network, which cost nothing, would decide nothing.
  int64_t least_ms = b->budget_ms / COMPARE_SHARE + 1;
  left_ms = left_ms < most_ms ? left_ms : most_ms;
  return left_ms > least_ms ? left_ms : least_ms;
}

size_t pgopt_price_budget_variants(const pgopt_price_budget *b, size_t wanted) {
  int64_t left_ms = b->budget_ms - pgopt_price_budget_reserve_ms(b) - BATCH_MS;
  int64_t variants = left_ms / (KERNEL_MS * ((int64_t)wanted + 1));
  return variants < 1                      ? 1
         : variants > PGOPT_PRICE_VARIANTS ? PGOPT_PRICE_VARIANTS
                                           : (size_t)variants;
}

static size_t count_that_fits(const pgopt_price_budget *b, int64_t left_ms,
                              size_t wanted) {
  int64_t fits = (left_ms - BATCH_MS) / price_ms(b);
  if (!b->batches) {
    int64_t first = FIRST_KERNELS / (int64_t)(b->variants ? b->variants : 1);
    return wanted < (size_t)first ? wanted : (size_t)first;
  }
  if (fits < LEAST_PRICES && fits < (int64_t)wanted)
    return 0;
  // Where not all fit, half of them: what they tell changes what is wanted.
  size_t most = (size_t)(fits * 3 / 4 >= (int64_t)wanted ? fits : fits / 2);
  most = most < LEAST_PRICES ? LEAST_PRICES : most;
  return wanted < most ? wanted : most;
}

size_t pgopt_price_budget_next(const pgopt_price_budget *b, int64_t now_ms,
                               size_t wanted, int64_t *runs_ms) {
  int64_t left_ms =
      pgopt_price_budget_left_ms(b, now_ms) - pgopt_price_budget_reserve_ms(b);
  size_t count = wanted ? count_that_fits(b, left_ms, wanted) : 0;
  *runs_ms = 1;
  if (count && left_ms > 0)
    *runs_ms += left_ms / RUN_SHARE * (int64_t)count / (int64_t)wanted;
  return count;
}
