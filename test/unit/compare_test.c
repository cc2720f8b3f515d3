/// \file The error of a result and where it is.
#include "base/compare.h"
#include "check.h"

static const pgopt_element f32 = {PGOPT_ELEMENT_FLOAT, 32};

static void error_is_relative_to_the_larger_of_value_and_rms(void) {
  // rms(b) = sqrt((9 + 16 + 0 + 0) / 4) = 2.5
  float b[] = {3, -4, 0, 0};
  float a[] = {3.3f, -4, 0.5f, 0};
  pgopt_difference d = pgopt_compare(f32, a, b, 4);
  // |0.3| / max(3, 2.5) = 0.1; |0.5| / max(0, 2.5) = 0.2 is the worst.
  CHECK_NEAR(d.error, 0.2, 1e-7);
  CHECK_EQ_I64(d.worst, 2);
  CHECK(d.a == 0.5 && d.b == 0);
}

static void first_of_equal_errors_is_reported(void) {
  float b[] = {1, 1, 1}, a[] = {1, 1.5f, 0.5f};
  CHECK_EQ_I64(pgopt_compare(f32, a, b, 3).worst, 1);
}

static void nan_and_infinity(void) {
  float nan = (float)NAN, inf = (float)INFINITY;
  float b[] = {1, nan, inf, -inf}, same[] = {1, nan, inf, -inf};
  CHECK(pgopt_compare(f32, same, b, 4).error == 0);
  float number_for_nan[] = {1, 7, inf, -inf};
  CHECK(isinf(pgopt_compare(f32, number_for_nan, b, 4).error));
  CHECK_EQ_I64(pgopt_compare(f32, number_for_nan, b, 4).worst, 1);
  float nan_for_number[] = {nan, nan, inf, -inf};
  CHECK_EQ_I64(pgopt_compare(f32, nan_for_number, b, 4).worst, 0);
  CHECK(isinf(pgopt_compare(f32, nan_for_number, b, 4).error));
  float other_sign[] = {1, nan, inf, inf};
  CHECK(isinf(pgopt_compare(f32, other_sign, b, 4).error));
  float finite[] = {1, nan, 3e38f, -inf};
  CHECK_EQ_I64(pgopt_compare(f32, finite, b, 4).worst, 2);
}

static void infinities_do_not_hide_other_errors(void) {
  float inf = (float)INFINITY;
  float b[] = {inf, 1, 1}, a[] = {inf, 1, 3};
  // rms of the finite elements is 1.
  pgopt_difference d = pgopt_compare(f32, a, b, 3);
  CHECK_NEAR(d.error, 2, 1e-12);
  CHECK_EQ_I64(d.worst, 2);
}

static void zero_reference_is_absolute(void) {
  float b[] = {0, 0}, a[] = {0, 0.25f};
  CHECK_NEAR(pgopt_compare(f32, a, b, 2).error, 0.25, 0);
  CHECK(pgopt_compare(f32, b, b, 2).error == 0);
  CHECK(pgopt_compare(f32, b, b, 0).error == 0);
}

static void large_and_small_values_neither_overflow_nor_vanish(void) {
  pgopt_element f64 = {PGOPT_ELEMENT_FLOAT, 64};
  double b[] = {1e300, 1e300}, a[] = {1e300, 1.5e300};
  CHECK_NEAR(pgopt_compare(f64, a, b, 2).error, 0.5, 1e-12);
  double tiny[] = {1e-300, 1e-300}, off[] = {1e-300, 2e-300};
  CHECK_NEAR(pgopt_compare(f64, off, tiny, 2).error, 1, 1e-12);
}

static void integers_compare_too(void) {
  pgopt_element i8 = {PGOPT_ELEMENT_INTEGER, 8};
  int8_t b[] = {-4, 4}, a[] = {-4, 2};
  CHECK_NEAR(pgopt_compare(i8, a, b, 2).error, 0.5, 0);
}

static void positions_are_row_major(void) {
  int64_t extents[] = {3, 5, 7}, position[3];
  pgopt_position((2 * 5 + 4) * 7 + 6, extents, 3, position);
  CHECK(position[0] == 2 && position[1] == 4 && position[2] == 6);
}

int main(void) {
  error_is_relative_to_the_larger_of_value_and_rms();
  first_of_equal_errors_is_reported();
  nan_and_infinity();
  infinities_do_not_hide_other_errors();
  zero_reference_is_absolute();
  large_and_small_values_neither_overflow_nor_vanish();
  integers_compare_too();
  positions_are_row_major();
  return check_result();
}
