/// \file Reading, writing and rounding of element types.
#include "base/element.h"
#include "check.h"

static const pgopt_element f16 = {PGOPT_ELEMENT_FLOAT, 16};
static const pgopt_element bf16 = {PGOPT_ELEMENT_BFLOAT, 16};

static uint16_t round_to(pgopt_element element, double value) {
  uint16_t bits = 0;
  pgopt_element_write_float(element, &bits, 0, value);
  return bits;
}

static void every_half_survives_a_round_trip(void) {
  int changed = 0;
  for (uint32_t bits = 0; bits < 65536; ++bits) {
    uint16_t in = (uint16_t)bits;
    double half = pgopt_element_read(f16, &in, 0);
    double brain = pgopt_element_read(bf16, &in, 0);
    changed += !isnan(half) && round_to(f16, half) != in;
    changed += !isnan(brain) && round_to(bf16, brain) != in;
    changed +=
        isnan(half) &&
        !isnan(pgopt_element_read(f16, &(uint16_t){round_to(f16, half)}, 0));
  }
  CHECK_EQ_I64(changed, 0);
}

static void rounds_to_nearest_even(void) {
  CHECK_EQ_I64(round_to(f16, 1.0), 0x3c00);
  CHECK_EQ_I64(round_to(f16, 1.0 + 0x1p-11), 0x3c00); // tie, even below
  CHECK_EQ_I64(round_to(f16, 1.0 + 0x3p-11), 0x3c02); // tie, even above
  CHECK_EQ_I64(round_to(f16, 1.0 + 0x1.8p-11), 0x3c01);
  CHECK_EQ_I64(round_to(f16, 65504.0), 0x7bff);
  CHECK_EQ_I64(round_to(f16, 65519.0), 0x7bff);
  CHECK_EQ_I64(round_to(f16, 65520.0), 0x7c00); // half way to 65536
  CHECK_EQ_I64(round_to(f16, -1e300), 0xfc00);
  CHECK_EQ_I64(round_to(f16, 0x1p-24), 1);
  CHECK_EQ_I64(round_to(f16, 0x1p-25), 0); // tie with zero
  CHECK_EQ_I64(round_to(f16, 0x1.8p-25), 1);
  CHECK_EQ_I64(round_to(f16, -0.0), 0x8000);
  CHECK_EQ_I64(round_to(bf16, 1.0 + 0x1p-8), 0x3f80);
  CHECK_EQ_I64(round_to(bf16, 1.0 + 0x3p-8), 0x3f82);
  CHECK_EQ_I64(round_to(bf16, 3.4e38), 0x7f80);
  CHECK_EQ_I64(round_to(bf16, (double)INFINITY), 0x7f80);
}

static void integers_keep_their_sign_and_width(void) {
  uint32_t data[2] = {0};
  pgopt_element i8 = {PGOPT_ELEMENT_INTEGER, 8};
  pgopt_element_write_integer(i8, data, 1, -3);
  CHECK_EQ_I64(data[0], 0xfd00);
  CHECK_EQ_I64(pgopt_element_read_integer(i8, data, 1), -3);
  pgopt_element i4 = {PGOPT_ELEMENT_INTEGER, 4};
  pgopt_element_write_integer(i4, data, 0, 9);
  CHECK_EQ_I64(data[0] & 0xff, 9);
  CHECK_EQ_I64(pgopt_element_read_integer(i4, data, 0), -7);
  pgopt_element i1 = {PGOPT_ELEMENT_INTEGER, 1};
  pgopt_element_write_integer(i1, data, 0, 3);
  CHECK_EQ_I64(pgopt_element_read_integer(i1, data, 0), 1);
  int64_t wide[2] = {0};
  pgopt_element index = {PGOPT_ELEMENT_INDEX, 64};
  pgopt_element_write_integer(index, wide, 1, INT64_MIN);
  CHECK_EQ_I64(pgopt_element_read_integer(index, wide, 1), INT64_MIN);
}

static void sizes_are_checked(void) {
  int64_t bytes = -1;
  CHECK_EQ_I64(pgopt_element_bytes((pgopt_element){PGOPT_ELEMENT_INTEGER, 17}),
               4);
  CHECK(pgopt_element_total_bytes(f16, (int64_t[]){3, 5}, 2, &bytes));
  CHECK_EQ_I64(bytes, 30);
  CHECK(pgopt_element_total_bytes(f16, NULL, 0, &bytes));
  CHECK_EQ_I64(bytes, 2);
  CHECK(!pgopt_element_total_bytes(f16, (int64_t[]){-1, 5}, 2, &bytes));
  CHECK(!pgopt_element_total_bytes(f16, (int64_t[]){INT64_MAX / 2 + 1}, 1,
                                   &bytes));
}

int main(void) {
  every_half_survives_a_round_trip();
  rounds_to_nearest_even();
  integers_keep_their_sign_and_width();
  sizes_are_checked();
  return check_result();
}
