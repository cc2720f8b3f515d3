/// \file How a layout search plans its time, from made-up batches.
#include "pricing/price_budget.h"

#include "check.h"

/// 30 s from 1000 ms on, 75 kernels and 2 s of runs to be compared.
static pgopt_price_budget plan(void) {
  return (pgopt_price_budget){.budget_ms = 30000,
                              .started_ms = 1000,
                              .compared_kernels = 75,
                              .compared_ms = 2000};
}

static void test_reserve(void) {
  pgopt_price_budget b = plan();
  CHECK_EQ_I64(pgopt_price_budget_left_ms(&b, 4000), 27000);
  /* 1000 + 75 * 200 / 2 + 2000, with 200 ms a kernel as long as none is known
   */
  CHECK_EQ_I64(pgopt_price_budget_reserve_ms(&b), 10500);
  /* 40 prices in two variants: (9000 - 1000) / 40 = 200 ms, 100 a kernel */
  b.variants = 2;
  b.batches = 1;
  b.prices = 40;
  b.spent_ms = 9000;
  CHECK_EQ_I64(pgopt_price_budget_reserve_ms(&b), 1000 + 3750 + 2000);
  b.compared_ms = 40000;
  CHECK_EQ_I64(pgopt_price_budget_reserve_ms(&b), 15000);
  b.compared_kernels = 0;
  CHECK_EQ_I64(pgopt_price_budget_reserve_ms(&b), 0);
}

static void test_variants(void) {
  pgopt_price_budget b = plan();
  /* 30000 - 10500 - 1000 = 18500 ms, 200 ms a kernel */
  CHECK_EQ_I64(pgopt_price_budget_variants(&b, 200), 1);
  CHECK_EQ_I64(pgopt_price_budget_variants(&b, 45), 2);
  CHECK_EQ_I64(pgopt_price_budget_variants(&b, 29), 3);
  CHECK_EQ_I64(pgopt_price_budget_variants(&b, 1), 3);
  b.budget_ms = 1;
  CHECK_EQ_I64(pgopt_price_budget_variants(&b, 1), 1);
}

static void test_batches(void) {
  pgopt_price_budget b = plan();
  int64_t runs_ms;
  b.variants = 2;
  /* The first one has 32 kernels, whatever time there is. */
  CHECK_EQ_I64(pgopt_price_budget_next(&b, 1000, 100, &runs_ms), 16);
  CHECK_EQ_I64(pgopt_price_budget_next(&b, 1000, 5, &runs_ms), 5);
  CHECK_EQ_I64(pgopt_price_budget_next(&b, 90000, 100, &runs_ms), 16);
  CHECK_EQ_I64(runs_ms, 1);
  CHECK_EQ_I64(pgopt_price_budget_next(&b, 1000, 0, &runs_ms), 0);
  b.batches = 1;
  b.prices = 16;
  b.spent_ms = 1000 + 16 * 150;
  /* 150 ms a price, 75 a kernel: 1000 + 75 * 75 / 2 + 2000 are kept, 24000 -
     5812 left: (18188 - 1000) / 150 = 114 prices fit. Up to three quarters of
     these are one batch, of more half of them are the next. */
  CHECK_EQ_I64(pgopt_price_budget_reserve_ms(&b), 5812);
  CHECK_EQ_I64(pgopt_price_budget_next(&b, 7000, 85, &runs_ms), 85);
  CHECK_EQ_I64(runs_ms, 1 + 18188 / 8);
  CHECK_EQ_I64(pgopt_price_budget_next(&b, 7000, 86, &runs_ms), 57);
  /* 1600 ms are enough for 4 prices, 1599 are not, but are for 3. */
  int64_t end = 31000 - 5812;
  CHECK_EQ_I64(pgopt_price_budget_next(&b, end - 1600, 100, &runs_ms), 4);
  CHECK_EQ_I64(pgopt_price_budget_next(&b, end - 1599, 100, &runs_ms), 0);
  CHECK_EQ_I64(pgopt_price_budget_next(&b, end - 1599, 3, &runs_ms), 3);
  CHECK_EQ_I64(pgopt_price_budget_next(&b, end + 1, 3, &runs_ms), 0);
}

static void test_compare(void) {
  pgopt_price_budget b = plan();
  /* What its runs take at least, and an eighth of the budget. */
  CHECK_EQ_I64(pgopt_price_budget_compare_ms(&b, 10000), 2000 + 3750);
  /* 31000 - 20000 - 8500 for compilation */
  CHECK_EQ_I64(pgopt_price_budget_compare_ms(&b, 20000), 2500);
  /* a twentieth of the budget */
  CHECK_EQ_I64(pgopt_price_budget_compare_ms(&b, 31000), 1501);
}

int main(void) {
  test_reserve();
  test_variants();
  test_batches();
  test_compare();
  return check_result();
}
