/// Packed parameters and permuted arrays in plain C.
#include "base/permute.h"
#include "check.h"
#include "parameters/packing.h"

#include <stdbool.h>
#include <string.h>

static void permute_sizes(void) {
  // 2 x 3 x 2 to (c a b), each element an array of `size` bytes.
  static const int64_t extents[] = {2, 3, 2};
  static const int permutation[] = {2, 0, 1};
  for (size_t size = 1; size <= 8; ++size) {
    unsigned char from[12 * 8], to[12 * 8];
    for (size_t i = 0; i < 12 * size; ++i)
      from[i] = (unsigned char)(i / size);
    pgopt_permute(from, to, size, 3, extents, permutation);
    for (size_t c = 0; c < 2; ++c)
      for (size_t a = 0; a < 2; ++a)
        for (size_t b = 0; b < 3; ++b)
          for (size_t k = 0; k < size; ++k)
            CHECK_EQ_I64(to[(((c * 2) + a) * 3 + b) * size + k],
                         (a * 3 + b) * 2 + c);
  }
}

static void permute_edges(void) {
  static const int64_t none[] = {3, 0};
  static const int swapped[] = {1, 0};
  int from = 7, to = 0;
  pgopt_permute(&from, &to, sizeof from, 0, NULL, NULL);
  CHECK_EQ_I64(to, 7);
  to = 1;
  pgopt_permute(&from, &to, sizeof from, 2, none, swapped);
  CHECK_EQ_I64(to, 1); // nothing to copy
}

/// (a b) of 6 x 5 to (a mod 3, b, a floordiv 3).
static const pgopt_packing blocked = {
    .rank = 2,
    .extents = {6, 5},
    .axis_count = 3,
    .axes = {{0, 1, 3}, {1, 1, 5}, {0, 3, 2}}};

static void pack_and_back(void) {
  int declared[30], packed[30], back[30];
  for (int i = 0; i < 30; ++i)
    declared[i] = i;
  CHECK(pgopt_packing_is_valid(&blocked));
  pgopt_packing_pack(&blocked, sizeof *packed, declared, packed);
  for (int a = 0; a < 6; ++a)
    for (int b = 0; b < 5; ++b)
      CHECK_EQ_I64(packed[((a % 3) * 5 + b) * 2 + a / 3], a * 5 + b);
  pgopt_packing_unpack(&blocked, sizeof *packed, packed, back);
  CHECK(!memcmp(declared, back, sizeof back));
}

static void names(void) {
  pgopt_text text = {0};
  pgopt_packing_append_name(&blocked, &text);
  CHECK(!strcmp(text.data, "a%3.b.a/3"));
  pgopt_text_free(&text);
  pgopt_packing middle = {.rank = 1,
                          .extents = {30},
                          .axis_count = 3,
                          .axes = {{0, 3, 2}, {0, 1, 3}, {0, 6, 5}}};
  CHECK(pgopt_packing_is_valid(&middle));
  pgopt_packing_append_name(&middle, &text);
  CHECK(!strcmp(text.data, "a/3%2.a%3.a/6"));
  pgopt_text_free(&text);
}

static void compose(void) {
  // First (a%3 b a/3), then its dimensions 5, 2, 3 outermost first.
  pgopt_packing second = {.rank = 3,
                          .extents = {3, 5, 2},
                          .axis_count = 3,
                          .axes = {{1, 1, 5}, {2, 1, 2}, {0, 1, 3}}};
  pgopt_packing both;
  pgopt_packing_compose(&blocked, &second, &both);
  CHECK(pgopt_packing_is_valid(&both));
  int declared[30], once[30], twice[30], at_once[30];
  for (int i = 0; i < 30; ++i)
    declared[i] = i * i;
  pgopt_packing_pack(&blocked, sizeof *once, declared, once);
  pgopt_packing_pack(&second, sizeof *once, once, twice);
  pgopt_packing_pack(&both, sizeof *once, declared, at_once);
  CHECK(!memcmp(twice, at_once, sizeof twice));
}

static bool valid(int64_t extent, pgopt_packed_axis outer,
                  pgopt_packed_axis inner) {
  pgopt_packing p = {
      .rank = 1, .extents = {extent}, .axis_count = 2, .axes = {outer, inner}};
  return pgopt_packing_is_valid(&p);
}

static void refusals(void) {
  CHECK(valid(6, (pgopt_packed_axis){0, 3, 2}, (pgopt_packed_axis){0, 1, 3}));
  CHECK(valid(6, (pgopt_packed_axis){0, 1, 3}, (pgopt_packed_axis){0, 3, 2}));
  CHECK(!valid(7, (pgopt_packed_axis){0, 3, 2}, (pgopt_packed_axis){0, 1, 3}));
  CHECK(!valid(6, (pgopt_packed_axis){0, 2, 2}, (pgopt_packed_axis){0, 1, 3}));
  CHECK(!valid(6, (pgopt_packed_axis){0, 1, 2}, (pgopt_packed_axis){0, 1, 3}));
  CHECK(!valid(6, (pgopt_packed_axis){1, 3, 2}, (pgopt_packed_axis){0, 1, 3}));
  CHECK(!valid(6, (pgopt_packed_axis){-1, 3, 2}, (pgopt_packed_axis){0, 1, 3}));
  CHECK(!valid(6, (pgopt_packed_axis){0, 0, 2}, (pgopt_packed_axis){0, 1, 3}));
  CHECK(!valid(6, (pgopt_packed_axis){0, 3, 0}, (pgopt_packed_axis){0, 1, 3}));
  // A product beyond 64 bits is not multiplied out.
  CHECK(!valid(INT64_MAX, (pgopt_packed_axis){0, INT64_MAX / 2, INT64_MAX},
               (pgopt_packed_axis){0, 1, INT64_MAX / 2}));
  pgopt_packing wide = {.rank = PGOPT_MAX_PACKED_RANK + 1};
  CHECK(!pgopt_packing_is_valid(&wide));
}

int main(void) {
  permute_sizes();
  permute_edges();
  pack_and_back();
  names();
  compose();
  refusals();
  return check_result();
}
