/// \file Convolutions of 3x3 windows drawn at random, as cases of kernels.
#ifndef PGOPT_TEST_WINOGRAD_CASE_H
#define PGOPT_TEST_WINOGRAD_CASE_H

#include "guarded.h"
#include "kernel_case.h"
#include "kernel_program.h"

static uint64_t state;
static MlirContext context;

static inline uint64_t draw(uint64_t below) {
  state = state * 6364136223846793005u + 1442695040888963407u;
  return (state >> 33) % below;
}

static inline int64_t draw_from(const int64_t *numbers, size_t count) {
  return numbers[draw(count)];
}

static inline double draw_uniform(void) {
  return ((double)draw(1 << 20) - (1 << 19)) / (1 << 19);
}

static inline void fill(const kernel_case *c, void *data, int64_t elements) {
  for (int64_t i = 0; i < elements; ++i)
    if (c->is_double)
      ((double *)data)[i] = draw_uniform();
    else
      ((float *)data)[i] = (float)draw_uniform();
}

enum {
  BATCH,
  HEIGHT,
  WIDTH,
  OUTPUT,
  ROW,
  COLUMN,
  INPUT,
  INPUT_BLOCKS,
  OUTPUT_BLOCKS,
};

/// Puts the loops into the operand in random order.
static inline void shuffle_dims(kernel_case *c, case_operand *operand,
                                const int *loops, int count) {
  operand->rank = count;
  for (int d = 0; d < count; ++d)
    operand->dims[d] = case_loop(c, loops[d]);
  for (int d = count - 1; d > 0; --d) {
    int other = (int)draw((uint64_t)d + 1);
    case_dim kept = operand->dims[d];
    operand->dims[d] = operand->dims[other];
    operand->dims[other] = kept;
  }
}

/// A dimension of pixels, with up to so many zeros before and behind them: at
/// most 2, since the error of an output that is 0 is relative to its tile's.
static inline case_dim window(const kernel_case *c, int pixel, int tap,
                              int zeros) {
  int64_t extent = c->extents[pixel] + 2;
  case_dim dim = {.low = (int64_t)draw((uint64_t)zeros + 1),
                  .high = (int64_t)draw((uint64_t)zeros + 1)};
  if (dim.low + dim.high >= extent)
    dim.low = dim.high = 0;
  dim.extent = extent - dim.low - dim.high;
  dim.coefficients[pixel] = dim.coefficients[tap] = 1;
  return dim;
}

/// A 3x3 convolution with channels last; operand `image` is the image.
static inline void make_convolution(kernel_case *c, int image, bool shuffle,
                                    int zeros) {
  c->loops = 7;
  c->is_reduction[ROW] = c->is_reduction[COLUMN] = c->is_reduction[INPUT] =
      true;
  c->extents[ROW] = c->extents[COLUMN] = 3;
  c->bias_dim = 3;
  c->cut = -1;
  c->operands[image] =
      (case_operand){4,
                     {case_loop(c, BATCH), window(c, HEIGHT, ROW, zeros),
                      window(c, WIDTH, COLUMN, zeros), case_loop(c, INPUT)}};
  static const int weights[] = {ROW, COLUMN, INPUT, OUTPUT};
  case_operand *w = &c->operands[1 - image];
  if (shuffle)
    shuffle_dims(c, w, weights, 4);
  else
    for (w->rank = 0; w->rank < 4; ++w->rank)
      w->dims[w->rank] = case_loop(c, weights[w->rank]);
  c->operands[2] = (case_operand){4,
                                  {case_loop(c, BATCH), case_loop(c, HEIGHT),
                                   case_loop(c, WIDTH), case_loop(c, OUTPUT)}};
}

/// The same with channels in blocks of `block`.
static inline void make_blocked(kernel_case *c, int image, int64_t block,
                                int zeros) {
  static const int weights[] = {ROW,   COLUMN,        INPUT_BLOCKS,
                                INPUT, OUTPUT_BLOCKS, OUTPUT};
  c->loops = 9;
  c->is_reduction[ROW] = c->is_reduction[COLUMN] = c->is_reduction[INPUT] =
      c->is_reduction[INPUT_BLOCKS] = true;
  c->extents[ROW] = c->extents[COLUMN] = 3;
  c->extents[INPUT] = c->extents[OUTPUT] = block;
  c->extents[INPUT_BLOCKS] = (int64_t)draw(5) + 1;
  c->extents[OUTPUT_BLOCKS] = (int64_t)draw(5) + 1;
  c->bias_dim = 4;
  c->cut = -1;
  c->operands[image] =
      (case_operand){5,
                     {case_loop(c, BATCH), case_loop(c, INPUT_BLOCKS),
                      window(c, HEIGHT, ROW, zeros),
                      window(c, WIDTH, COLUMN, zeros), case_loop(c, INPUT)}};
  case_operand *w = &c->operands[1 - image];
  for (w->rank = 0; w->rank < 6; ++w->rank)
    w->dims[w->rank] = case_loop(c, weights[w->rank]);
  c->operands[2] = (case_operand){
      5,
      {case_loop(c, BATCH), case_loop(c, OUTPUT_BLOCKS), case_loop(c, HEIGHT),
       case_loop(c, WIDTH), case_loop(c, OUTPUT)}};
}

static inline void draw_case(kernel_case *c) {
  static const int64_t channels[] = {16, 17, 19, 23, 31, 32, 33,
                                     37, 47, 48, 53, 64, 65, 67};
  static const int64_t pixels[] = {1, 2, 3, 4, 5, 6, 7, 8, 11, 13};
  const size_t channel_count = sizeof channels / sizeof *channels;
  const size_t pixel_count = sizeof pixels / sizeof *pixels;
  *c = (kernel_case){.start = (case_start)draw(3),
                     .has_clamp = draw(2),
                     .has_residual = draw(2),
                     .is_double = draw(4) == 0};
  c->extents[BATCH] = draw(2) ? 1 : (int64_t)draw(4) + 1;
  c->extents[HEIGHT] = draw_from(pixels, pixel_count);
  c->extents[WIDTH] = draw_from(pixels, pixel_count);
  c->extents[OUTPUT] = draw_from(channels, channel_count);
  c->extents[INPUT] = draw_from(channels, channel_count);
  int image = (int)draw(2);
  if (draw(3)) {
    make_convolution(c, image, true, (int)draw(3));
  } else {
    static const int64_t blocks[] = {4, 8, 16};
    make_blocked(c, image, draw_from(blocks, 3), (int)draw(3));
    c->start = (case_start)draw(2);
  }
  c->is_parameter[1 - image] = draw(2);
  if (draw(2)) {
    c->cut = draw(2) ? BATCH : HEIGHT;
    int64_t extent = c->extents[c->cut];
    c->low = (int64_t)draw((uint64_t)extent + 1);
    c->high = c->low + (int64_t)draw((uint64_t)(extent - c->low) + 1);
  }
}

static inline void free_buffers(guarded buffers[5]) {
  for (int i = 0; i < 5; ++i)
    guarded_destroy(&buffers[i]);
}

/// Begins main of such a test, with the arguments [CASES [SEED]]: makes the
/// context and checks cases for every target, fewer where no choice is wide.
static inline void check_winograd_targets(int argc, char **argv,
                                          void (*check)(const char *cpu,
                                                        int cases)) {
  int cases = argc > 1 ? atoi(argv[1]) : 48;
  state = argc > 2 ? strtoull(argv[2], NULL, 10) : 1;
  context = kernel_context_create();
  check("", cases);
#if defined(__x86_64__)
  if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma"))
    check("x86-64-v3", cases / 2);
  check("x86-64", cases / 4);
#endif
}

#endif // PGOPT_TEST_WINOGRAD_CASE_H
