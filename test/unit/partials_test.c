/// \file Unit tests of reductions in parts.
#include "grouping/partial_reduction.h"

#include "check.h"

#include <math.h>

/// The divisor of any extent gives equal parts of at least two iterations, and
/// the core with most of them no more than any other divisor would.
static void check_partials(int64_t extent, int64_t parts) {
  int64_t count = pgopt_partial_count(extent, parts);
  CHECK(!count || (count >= parts && count <= PGOPT_MAX_PARTIALS &&
                   count <= extent / 2 && extent % count == 0));
  for (int64_t other = parts; other <= PGOPT_MAX_PARTIALS; ++other) {
    if (extent % other || other > extent / 2)
      continue;
    int64_t its_share = (other + parts - 1) / parts * (extent / other);
    CHECK(count && (count + parts - 1) / parts * (extent / count) <= its_share);
  }
}

static void test_counts(void) {
  for (int64_t extent = 1; extent <= 2310; ++extent)
    for (int64_t parts = 2; parts <= 20; ++parts)
      check_partials(extent, parts);
  CHECK_EQ_I64(pgopt_partial_count(4096, 2), 2);
  CHECK_EQ_I64(pgopt_partial_count(15, 2), 5);      // 3/5 on one core, not 2/3
  CHECK_EQ_I64(pgopt_partial_count(1 << 20, 5), 8); // 2/8, as 4/16
  CHECK_EQ_I64(pgopt_partial_count(1009, 2), 0);
  CHECK_EQ_I64(pgopt_partial_count(3, 2), 0);
  CHECK_EQ_I64(pgopt_partial_count(INT64_MAX, 7), 7);
}

static void check_integer(const char *name, int bits, int64_t expected) {
  double number;
  int64_t integer;
  CHECK(pgopt_neutral_element(name, bits, &number, &integer));
  CHECK_EQ_I64(integer, expected);
}

static void test_elements(void) {
  double number;
  int64_t integer;
  check_integer("arith.addi", 8, 0);
  check_integer("arith.muli", 32, 1);
  check_integer("arith.maxsi", 8, INT8_MIN);
  check_integer("arith.minsi", 8, INT8_MAX);
  check_integer("arith.maxsi", 64, INT64_MIN);
  check_integer("arith.minsi", 64, INT64_MAX);
  check_integer("arith.minui", 16, -1);
  CHECK(pgopt_neutral_element("arith.mulf", 32, &number, &integer) &&
        number == 1);
  CHECK(pgopt_neutral_element("arith.minimumf", 32, &number, &integer) &&
        number == INFINITY);
  CHECK(pgopt_neutral_element("arith.maxnumf", 64, &number, &integer) &&
        isnan(number));
  CHECK(!pgopt_neutral_element("arith.subf", 32, &number, &integer));
}

int main(void) {
  test_counts();
  test_elements();
  return check_result();
}
