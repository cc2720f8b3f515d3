/// \file Which candidate is taken, from made-up times.
#include "profile/choose.h"

#include "check.h"

enum { RUNS = 20, MOST = 4 };

/// Samples of `base` that go up and down by less than 1%.
static void fill(int64_t *samples, int64_t base, int phase) {
  for (int i = 0; i < RUNS; ++i)
    samples[i] = base + (i + phase) % 3 * (base / 400);
}

static size_t choose(int64_t samples[][RUNS], const bool *failed, size_t count,
                     pgopt_candidate_result *results) {
  pgopt_candidate_samples candidates[MOST];
  for (size_t i = 0; i < count; ++i)
    candidates[i] = (pgopt_candidate_samples){samples[i], failed && failed[i]};
  return pgopt_choose_candidate(candidates, count, RUNS, results);
}

static void test_fastest(void) {
  int64_t samples[MOST][RUNS];
  pgopt_candidate_result results[MOST];
  fill(samples[0], 10000, 0);
  fill(samples[1], 9000, 1);
  fill(samples[2], 8000, 2);
  fill(samples[3], 8500, 0);
  CHECK_EQ_I64(choose(samples, NULL, 4, results), 2);
  CHECK_NEAR(results[2].pairing.ratio, 0.8, 0.01);
  CHECK_NEAR(results[0].pairing.ratio, 1, 0);
  CHECK_EQ_I64(results[1].time.runs, RUNS);
  CHECK_EQ_I64(results[1].time.min_ns, 9000);
  CHECK_EQ_I64(choose(samples, NULL, 1, results), 0);
}

/// 1.5% is not enough, nor is half of the runs.
static void test_default_stays(void) {
  int64_t samples[MOST][RUNS];
  pgopt_candidate_result results[MOST];
  fill(samples[0], 10000, 0);
  fill(samples[1], 9850, 0);
  fill(samples[2], 10000, 0);
  for (int i = 0; i < RUNS; ++i)
    samples[2][i] = i % 2 ? 5000 : 10500;
  CHECK_EQ_I64(choose(samples, NULL, 3, results), 0);
  CHECK(results[1].pairing.p_value < 0.01);
  CHECK(results[2].pairing.p_value > 0.5);
}

/// What disturbed one of two runs of a pair does not count for either.
static void test_disturbed(void) {
  int64_t samples[MOST][RUNS];
  pgopt_candidate_result results[MOST];
  fill(samples[0], 10000, 0);
  fill(samples[1], 9000, 0);
  for (int i = 0; i < RUNS; ++i)
    if (i % 2)
      samples[0][i] = i % 4 == 1 ? 0 : -20000;
  CHECK_EQ_I64(choose(samples, NULL, 2, results), 1); // 10 pairs: p = 0.002
  CHECK_EQ_I64(results[0].time.runs, RUNS / 2);
  CHECK_EQ_I64(results[0].time.min_ns, 10000);
  for (int i = 8; i < RUNS; ++i)
    samples[1][i] = 0;
  CHECK_EQ_I64(choose(samples, NULL, 2, results), 0); // 6 pairs: p = 0.03
  // Where too few are calm, all count by what is known of them.
  for (int i = 0; i < RUNS; ++i)
    samples[1][i] = i < 4 ? 9000 : -9100;
  CHECK_EQ_I64(choose(samples, NULL, 2, results), 1);
  CHECK_EQ_I64(results[1].time.median_ns, 9100);
  CHECK_EQ_I64(results[1].time.runs, RUNS);
}

static void test_failed(void) {
  int64_t samples[MOST][RUNS];
  pgopt_candidate_result results[MOST];
  fill(samples[0], 10000, 0);
  fill(samples[1], 5000, 0);
  fill(samples[2], 11000, 0);
  fill(samples[3], 12000, 0);
  const bool second[] = {false, true, false, false};
  CHECK_EQ_I64(choose(samples, second, 4, results), 0);
  CHECK_EQ_I64(results[1].time.runs, 0);
  const bool first[] = {true, true, false, false};
  CHECK_EQ_I64(choose(samples, first, 4, results), 2);
  const bool all[] = {true, true, true, true};
  CHECK_EQ_I64(choose(samples, all, 4, results), 0);
}

int main(void) {
  test_fastest();
  test_default_stays();
  test_disturbed();
  test_failed();
  return check_result();
}
