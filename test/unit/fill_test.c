/// \file Made-up data: range, spread, and what it depends on.
#include "base/fill.h"
#include "check.h"

#define COUNT (7 * 121)

static const pgopt_element f32 = {PGOPT_ELEMENT_FLOAT, 32};

static void fill_key(uint64_t seed, const char *key, const int64_t extents[2],
                     float data[COUNT]) {
  pgopt_fill_type type = {f32, 2, extents};
  pgopt_fill(seed, key, strlen(key), &type, data);
}

static void depends_on_seed_key_and_type_alone(void) {
  static float a[COUNT], b[COUNT];
  int64_t extents[] = {7, 121}, transposed[] = {121, 7};
  fill_key(1, "w", extents, a);
  fill_key(1, "w", extents, b);
  CHECK(!memcmp(a, b, sizeof a));
  fill_key(2, "w", extents, b);
  CHECK(memcmp(a, b, sizeof a));
  fill_key(1, "v", extents, b);
  CHECK(memcmp(a, b, sizeof a));
  fill_key(1, "w", transposed, b);
  CHECK(memcmp(a, b, sizeof a));
}

static void floats_are_uniform_in_their_range(void) {
  static float data[COUNT];
  int64_t extents[] = {7, 121};
  fill_key(3, "weights", extents, data);
  double sum = 0, least = 1, most = -1;
  for (int i = 0; i < COUNT; ++i) {
    sum += data[i];
    least = fmin(least, data[i]);
    most = fmax(most, data[i]);
  }
  // +-1/sqrt(121) = +-1/11; 847 draws come within 2% of both ends.
  CHECK(least >= -1.0 / 11 && least < -0.98 / 11);
  CHECK(most <= 1.0 / 11 && most > 0.98 / 11);
  // Standard deviation of the mean: (2/11) / sqrt(12 * 847) = 0.0018.
  CHECK_NEAR(sum / COUNT, 0, 4 * 0.0018);
}

static void inputs_are_in_minus_one_to_one(void) {
  static uint16_t data[4096];
  int64_t extents[] = {4096};
  pgopt_fill_type type = {{PGOPT_ELEMENT_BFLOAT, 16}, 1, extents};
  pgopt_fill_input(5, 0, &type, data);
  int outside = 0, at_lower_end = 0;
  for (int i = 0; i < 4096; ++i) {
    double value = pgopt_element_read(type.element, data, i);
    outside += !(value >= -1 && value < 1);
    at_lower_end += value == -1;
  }
  CHECK_EQ_I64(outside, 0);
  CHECK(at_lower_end > 0 && at_lower_end < 64); // 4096 / 256 = 16 expected
  static uint16_t other[4096];
  pgopt_fill_input(5, 1, &type, other);
  CHECK(memcmp(data, other, sizeof data));
}

static void integers_count_along_the_last_dimension(void) {
  int32_t data[6];
  int64_t extents[] = {2, 3};
  pgopt_fill_type type = {{PGOPT_ELEMENT_INTEGER, 32}, 2, extents};
  pgopt_fill(9, "k", 1, &type, data);
  for (int i = 0; i < 6; ++i)
    CHECK_EQ_I64(data[i], i % 3);
  uint8_t bits[6];
  type.element.bits = 1;
  pgopt_fill(9, "k", 1, &type, bits);
  for (int i = 0; i < 6; ++i)
    CHECK_EQ_I64(bits[i], i % 3 % 2);
}

static void empty_and_scalar_arrays_work(void) {
  float value = 2;
  int64_t extents[] = {3, 0};
  pgopt_fill_type empty = {f32, 2, extents};
  pgopt_fill(1, "", 0, &empty, &value);
  CHECK(value == 2);
  pgopt_fill_type scalar = {f32, 0, NULL};
  pgopt_fill(1, "", 0, &scalar, &value);
  CHECK(value >= -1 && value < 1);
}

int main(void) {
  depends_on_seed_key_and_type_alone();
  floats_are_uniform_in_their_range();
  inputs_are_in_minus_one_to_one();
  integers_count_along_the_last_dimension();
  empty_and_scalar_arrays_work();
  return check_result();
}
