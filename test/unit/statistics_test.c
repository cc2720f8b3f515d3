/// \file Summaries of samples and the test for "faster".
#include "base/statistics.h"
#include "check.h"

static void summary_of_odd_and_even_counts(void) {
  int64_t odd[] = {9, 1, 5};
  pgopt_summary s = pgopt_summarize(odd, 3);
  CHECK_EQ_I64(s.median_ns, 5);
  CHECK_EQ_I64(s.min_ns, 1);
  CHECK_EQ_I64(s.mad_ns, 4); // deviations 4, 4, 0
  CHECK_EQ_I64(s.runs, 3);
  CHECK_EQ_I64(odd[0], 9); // left in their order
  int64_t even[] = {10, 20, 40, 80};
  s = pgopt_summarize(even, 4);
  CHECK_EQ_I64(s.median_ns, 30);
  CHECK_EQ_I64(s.mad_ns, 15); // deviations 20, 10, 10, 50
  CHECK_EQ_I64(pgopt_summarize(even, 0).runs, 0);
  CHECK_EQ_I64(pgopt_summarize(even, 1).mad_ns, 0);
}

static void faster_needs_size_and_certainty(void) {
  int64_t a[12], b[12];
  for (int i = 0; i < 12; ++i) {
    a[i] = 90 + i;
    b[i] = 100 + i;
  }
  pgopt_pairing p = pgopt_pair_times(a, b, 12);
  // All 12 signs equal: p = 2 / 2^12.
  CHECK_NEAR(p.p_value, 2.0 / 4096, 1e-12);
  CHECK(p.a_is_faster && !p.b_is_faster);
  CHECK(pgopt_pair_times(b, a, 12).b_is_faster);
  // 7 equal signs: p = 2 / 2^7 = 0.0156, too likely by chance.
  p = pgopt_pair_times(a, b, 7);
  CHECK_NEAR(p.p_value, 2.0 / 128, 1e-12);
  CHECK(!p.a_is_faster && !p.b_is_faster);
}

static void small_gains_are_no_gains(void) {
  int64_t a[40], b[40];
  for (int i = 0; i < 40; ++i) {
    a[i] = 990;
    b[i] = 1000;
  }
  pgopt_pairing p = pgopt_pair_times(a, b, 40);
  CHECK_NEAR(p.ratio, 0.99, 1e-12);
  CHECK(p.p_value < 1e-9 && !p.a_is_faster);
}

static void ties_say_nothing(void) {
  int64_t a[] = {5, 5, 5}, b[] = {5, 5, 5};
  pgopt_pairing p = pgopt_pair_times(a, b, 3);
  CHECK(p.ratio == 1 && p.p_value == 1 && !p.a_is_faster && !p.b_is_faster);
  CHECK(pgopt_pair_times(a, b, 0).ratio == 1);
}

static void test_undisturbed(void) {
  size_t dropped;
  /* 9000 is too long, -4 is disturbed: 100, 102, 106 stay. */
  const int64_t some[] = {100, -4, 106, 9000, 102};
  pgopt_summary summary = pgopt_summarize_undisturbed(some, 5, &dropped);
  CHECK_EQ_I64(summary.median_ns, 102);
  CHECK_EQ_I64(summary.min_ns, 100);
  CHECK_EQ_I64(summary.runs, 3);
  CHECK_EQ_I64(dropped, 2);
  /* Short ones may take up to 1 us more than twice the median. */
  const int64_t brief[] = {100, 1200, 100};
  CHECK_EQ_I64(pgopt_summarize_undisturbed(brief, 3, &dropped).runs, 3);
  CHECK_EQ_I64(dropped, 0);
  const int64_t all[] = {-5000, -7000, -6000};
  summary = pgopt_summarize_undisturbed(all, 3, &dropped);
  CHECK_EQ_I64(summary.median_ns, 6000);
  CHECK_EQ_I64(summary.runs, 3);
  CHECK_EQ_I64(dropped, 0);
  CHECK_EQ_I64(pgopt_summarize_undisturbed(NULL, 0, &dropped).runs, 0);
  CHECK_EQ_I64(dropped, 0);
}

int main(void) {
  test_undisturbed();
  summary_of_odd_and_even_counts();
  faster_needs_size_and_certainty();
  small_gains_are_no_gains();
  ties_say_nothing();
  return check_result();
}
