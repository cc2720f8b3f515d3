/// \file The strided box copy against its definition.
#include <stdlib.h>

#include "check.h"
#include "death.h"
#include "pgopt/runtime.h"

enum { SOURCE_ELEMENTS = 1 << 16, MAX_RANK = 16 };

static unsigned char *source;

/// Copies element by element in the order of the index.
static void copy_plainly(int64_t rank, const int64_t *extents,
                         const int64_t *strides, int64_t size,
                         const unsigned char *from, unsigned char *to) {
  int64_t index[MAX_RANK] = {0}, count = 1;
  for (int64_t i = 0; i < rank; ++i)
    count *= extents[i];
  for (int64_t e = 0; e < count; ++e) {
    int64_t offset = 0;
    for (int64_t i = 0; i < rank; ++i)
      offset += index[i] * strides[i];
    memcpy(to + e * size, from + offset * size, (size_t)size);
    for (int64_t i = rank - 1; i >= 0 && ++index[i] == extents[i]; --i)
      index[i] = 0;
  }
}

/// `first` is the element of the source where the box begins. A byte behind the
/// destination must survive.
static void check_box(int64_t rank, const int64_t *extents,
                      const int64_t *strides, int64_t first) {
  int64_t count = 1;
  for (int64_t i = 0; i < rank; ++i)
    count *= extents[i];
  for (int64_t size = 1; size <= 8; size *= 2) {
    unsigned char *expected = malloc((size_t)(count * size) + 1);
    unsigned char *found = malloc((size_t)(count * size) + 1);
    found[count * size] = expected[count * size] = 0xa5;
    copy_plainly(rank, extents, strides, size, source + first * size, expected);
    pgopt_rt_gather(rank, extents, strides, size, source + first * size, found);
    CHECK(!memcmp(expected, found, (size_t)(count * size) + 1));
    free(expected);
    free(found);
  }
}

#define CHECK_BOX(first, extents, ...)                                         \
  check_box(sizeof(extents) / sizeof *(extents), extents,                      \
            (const int64_t[]){__VA_ARGS__}, first)

static void test_boxes(void) {
  const int64_t contiguous[] = {3, 5, 7};
  CHECK_BOX(2, contiguous, 35, 7, 1);
  // A window of a row-major 2-d array: rows of 7 in an array of width 11.
  CHECK_BOX(5, contiguous, 11 * 13, 11, 1);
  // Transpositions.
  const int64_t flat[] = {37, 53};
  CHECK_BOX(0, flat, 1, 37);
  CHECK_BOX(0, contiguous, 1, 3, 15);
  CHECK_BOX(0, contiguous, 7, 1, 35);
  const int64_t channels_last[] = {2, 19, 23, 17};
  CHECK_BOX(0, channels_last, 17 * 19 * 23, 23, 1, 19 * 23);
  // No contiguous dimension at all; repeated and reversed ones.
  CHECK_BOX(0, contiguous, 210, 42, 3);
  CHECK_BOX(0, contiguous, 1, 0, 3);
  CHECK_BOX(0, contiguous, 0, 1, 0);
  CHECK_BOX(200, contiguous, -7, 35, -1);
  // Windows of 3x3 over 13x11 pixels of 5 channels, stride 2: they overlap.
  const int64_t windows[] = {6, 5, 3, 3, 5};
  CHECK_BOX(0, windows, 2 * 11 * 5, 2 * 5, 11 * 5, 5, 1);
  // The same with dilation 2, channels first.
  const int64_t dilated[] = {5, 9, 3, 3, 3};
  CHECK_BOX(0, dilated, 13 * 17, 17, 2 * 17, 2, 3);
  const int64_t unit[] = {1, 1, 1};
  CHECK_BOX(3, unit, 1000, 0, -5);
  const int64_t one_row[] = {1, 11, 1};
  CHECK_BOX(3, one_row, 1000, 2, 7);
  const int64_t deep[] = {2, 1, 2, 1, 2, 1, 2, 1, 2, 1, 2, 1, 2, 1, 2, 3};
  CHECK_BOX(0, deep, 1, 9, 2, 9, 4, 9, 8, 9, 16, 9, 32, 9, 64, 9, 128, 300);
}

static void test_row_lengths(void) {
  // Rows of every length around the cuts of the short copies.
  for (int64_t columns = 1; columns < 140; ++columns) {
    const int64_t extents[] = {3, columns};
    CHECK_BOX(1, extents, columns + 3, 1);
  }
}

static void test_empty_box_writes_nothing(void) {
  const int64_t extents[] = {3, 0, 5}, strides[] = {15, 5, 1};
  unsigned char untouched = 0x5a;
  pgopt_rt_gather(3, extents, strides, 4, source, &untouched);
  CHECK_EQ_I64(untouched, 0x5a);
}

static const int64_t one = 1;
static void die_rank(void) {
  pgopt_rt_gather(17, &one, &one, 4, source, source);
}
static void die_size(void) {
  pgopt_rt_gather(1, &one, &one, 3, source, source);
}

/// Windows of 3x2 over an image of 5x7 pixels of 2 channels, channels first,
/// with zeros around it; rows begin before it and end behind it.
static void test_padded(void) {
  enum { CHANNELS = 2, HEIGHT = 5, WIDTH = 7, ROWS = 4, COLUMNS = 6 };
  static const struct {
    int64_t low[2], stride[2], dilation[2];
  } windows[] = {{{1, 1}, {1, 1}, {1, 1}},
                 {{0, 2}, {2, 1}, {1, 2}},
                 {{9, 0}, {1, 2}, {2, 1}},
                 {{2, 3}, {2, 3}, {3, 2}}};
  float image[CHANNELS * HEIGHT * WIDTH];
  for (size_t i = 0; i < sizeof image / sizeof *image; ++i)
    image[i] = (float)(i + 1);
  for (size_t w = 0; w < sizeof windows / sizeof *windows; ++w) {
    const int64_t *low = windows[w].low, *stride = windows[w].stride;
    const int64_t *dilation = windows[w].dilation;
    const int64_t extents[] = {CHANNELS, 3, 2, ROWS, COLUMNS};
    const int64_t strides[] = {HEIGHT * WIDTH, dilation[0] * WIDTH, dilation[1],
                               stride[0] * WIDTH, stride[1]};
    const int64_t bounds[] = {
        -low[0], HEIGHT, 0, dilation[0], 0,           stride[0], 0, //
        -low[1], WIDTH,  0, 0,           dilation[1], 0,         stride[1]};
    float found[CHANNELS * 3 * 2 * ROWS * COLUMNS + 1], *at = found;
    found[CHANNELS * 3 * 2 * ROWS * COLUMNS] = -1;
    pgopt_rt_gather_padded(5, extents, strides, 4, image,
                           -low[0] * WIDTH - low[1], found, 2, bounds);
    for (int64_t c = 0; c < CHANNELS; ++c)
      for (int64_t k = 0; k < 6; ++k)
        for (int64_t i = 0; i < ROWS; ++i)
          for (int64_t j = 0; j < COLUMNS; ++j) {
            int64_t y = i * stride[0] + k / 2 * dilation[0] - low[0];
            int64_t x = j * stride[1] + k % 2 * dilation[1] - low[1];
            bool inside = y >= 0 && y < HEIGHT && x >= 0 && x < WIDTH;
            CHECK(*at++ == (inside ? image[(c * HEIGHT + y) * WIDTH + x] : 0));
          }
    CHECK(*at == -1);
  }
}

int main(void) {
  CHECK_DIES(die_rank, "rank 17; 1 to 16 are allowed");
  CHECK_DIES(die_size, "elements of 3 bytes");
  source = malloc(8 * SOURCE_ELEMENTS);
  for (int64_t i = 0; i < 8 * SOURCE_ELEMENTS; ++i)
    source[i] = (unsigned char)(i * 2654435761u >> 13);
  test_boxes();
  test_padded();
  test_row_lengths();
  test_empty_box_writes_nothing();
  free(source);
  return check_result();
}
