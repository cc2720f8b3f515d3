/// \file Unit tests of the ranges that kernels are cut into.
#include "schedule/ranges.h"

#include "check.h"

/// Every iteration is in exactly one range, none of which is empty; all but the
/// last end at multiples of the step; the first one is the longest.
static void check_ranges(int64_t extent, int64_t tile, int64_t line,
                         int64_t parts) {
  pgopt_ranges ranges = pgopt_ranges_make(extent, tile, line, parts);
  int64_t end = 0;
  CHECK_EQ_I64(ranges.parts, parts < extent ? parts : extent);
  for (int64_t part = 0; part < ranges.parts; ++part) {
    int64_t begin = pgopt_ranges_begin(&ranges, part);
    CHECK_EQ_I64(begin, end);
    CHECK_EQ_I64(begin % ranges.step, 0);
    end = pgopt_ranges_begin(&ranges, part + 1);
    CHECK(end > begin && end - begin <= pgopt_ranges_longest(&ranges));
  }
  CHECK_EQ_I64(end, extent);
}

static void test_all(void) {
  static const int64_t tiles[] = {1, 2, 3, 4, 7};
  for (int64_t extent = 1; extent <= 67; ++extent)
    for (int64_t parts = 1; parts <= 9; ++parts)
      for (size_t t = 0; t < sizeof tiles / sizeof *tiles; ++t)
        for (int64_t line = 1; line <= 16; line *= 2)
          check_ranges(extent, tiles[t], line, parts);
}

static void check_begin(int64_t extent, int64_t tile, int64_t line,
                        int64_t parts, int64_t part, int64_t begin) {
  pgopt_ranges ranges = pgopt_ranges_make(extent, tile, line, parts);
  CHECK_EQ_I64(pgopt_ranges_begin(&ranges, part), begin);
}

static void test_steps(void) {
  check_begin(7, 1, 1, 2, 1, 4);
  // 7 tiles of 4 rows are 4 and 3, not 3.5 and 3.5.
  check_begin(28, 4, 1, 2, 1, 16);
  // 2 tiles for 3 cores: rows are dealt out alone.
  check_begin(7, 4, 1, 3, 1, 3);
  // 63 lines of 16 are 32 and 31: 512 of 1000 are not an eighth more than 500.
  check_begin(1000, 1, 16, 2, 1, 512);
  // 3 lines of 16 would be 2 and 1: 32 of 37 rows are too many.
  check_begin(37, 1, 16, 2, 1, 19);
  // 2 tiles and a rest of one.
  check_begin(INT64_MAX, INT64_MAX / 2, 16, 2, 1, INT64_MAX - 1);
}

static void test_lengths(void) {
  pgopt_ranges ranges = pgopt_ranges_make(28, 1, 1, 2);
  CHECK_EQ_I64(pgopt_ranges_length(&ranges), 14);
  ranges = pgopt_ranges_make(28, 4, 1, 2); // 16 and 12
  CHECK_EQ_I64(pgopt_ranges_length(&ranges), PGOPT_DYNAMIC);
  ranges = pgopt_ranges_make(7, 1, 1, 2);
  CHECK_EQ_I64(pgopt_ranges_length(&ranges), PGOPT_DYNAMIC);
}

static void test_costs(void) {
  const pgopt_sync_costs costs = {
      .latency_ns = 200, .hop_ns = 10, .byte_ns = 0.5};
  CHECK_NEAR(pgopt_ranges_cost(&costs, 1000, 60, 1), 1000, 0);
  // Two waits of 200 ns, and a hop a core at each.
  CHECK_NEAR(pgopt_ranges_cost(&costs, 500, 0, 2), 940, 1e-9);
  CHECK_NEAR(pgopt_ranges_cost(&costs, 250, 0, 4), 730, 1e-9);
  // Three of four parts of 60 bytes come from other cores.
  CHECK_NEAR(pgopt_ranges_cost(&costs, 250, 60, 4), 752.5, 1e-9);
  CHECK(pgopt_ranges_pay(940, 1000));
  CHECK(!pgopt_ranges_pay(981, 1000));
}

int main(void) {
  test_all();
  test_steps();
  test_lengths();
  test_costs();
  return check_result();
}
