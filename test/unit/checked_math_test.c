/// \file Sums and products at the edges of int64_t.
#include "base/checked_math.h"
#include "check.h"

int main(void) {
  int64_t value = 42;
  CHECK(pgopt_checked_add(INT64_MAX - 7, 7, &value));
  CHECK_EQ_I64(value, INT64_MAX);
  CHECK(!pgopt_checked_add(INT64_MAX - 7, 8, &value));
  CHECK(pgopt_checked_add(INT64_MIN + 3, -3, &value));
  CHECK_EQ_I64(value, INT64_MIN);
  CHECK(!pgopt_checked_add(INT64_MIN + 3, -4, &value));

  CHECK(
      pgopt_checked_multiply(INT64_C(3037000499), INT64_C(3037000499), &value));
  CHECK_EQ_I64(value, INT64_C(9223372030926249001));
  CHECK(!pgopt_checked_multiply(INT64_C(3037000500), INT64_C(3037000500),
                                &value));
  CHECK(!pgopt_checked_multiply(INT64_MIN, -1, &value));
  CHECK(pgopt_checked_multiply(0, INT64_MIN, &value));
  CHECK_EQ_I64(value, 0);

  CHECK(pgopt_checked_product(NULL, 0, &value));
  CHECK_EQ_I64(value, 1);
  CHECK(pgopt_checked_product((int64_t[]){3, 5, 7, 11}, 4, &value));
  CHECK_EQ_I64(value, 3 * 5 * 7 * 11);
  /* 2^62 fits, 2^63 does not, and a failure leaves the output alone. */
  CHECK(pgopt_checked_product((int64_t[]){INT64_C(1) << 31, INT64_C(1) << 31},
                              2, &value));
  CHECK_EQ_I64(value, INT64_C(1) << 62);
  CHECK(!pgopt_checked_product(
      (int64_t[]){INT64_C(1) << 31, INT64_C(1) << 31, 2}, 3, &value));
  CHECK_EQ_I64(value, INT64_C(1) << 62);
  return check_result();
}
