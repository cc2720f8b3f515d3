/// \file Plans of windows: how wide tiles are, and chunks of channels.
#include "check.h"
#include "kernels/window_plan.h"

static const pgopt_target avx512 = {.vector_bytes = 64,
                                    .vector_registers = 32,
                                    .has_fma = true,
                                    .l1_bytes = 48 << 10,
                                    .l2_bytes = 1 << 20,
                                    .l3_bytes = 32 << 20};

/// A depthwise convolution of a square of outputs, channels last; loops: rows,
/// columns, channels, window.
static pgopt_window_problem depthwise(int64_t size, int64_t channels,
                                      int64_t taps, int64_t step) {
  int64_t pixels = (size - 1) * step + taps;
  int64_t row = pixels * channels;
  return (pgopt_window_problem){
      .loops = {.loop_count = 5,
                .operand_count = 3,
                .element_bytes = 4,
                .loops = {{.extent = size,
                           .strides = {step * row, 0, size * channels}},
                          {.extent = size,
                           .strides = {step * channels, 0, channels}},
                          {.extent = channels, .strides = {1, 1, 1}},
                          {.extent = taps,
                           .is_reduction = true,
                           .strides = {row, taps * channels, 0}},
                          {.extent = taps,
                           .is_reduction = true,
                           .strides = {channels, channels, 0}}}},
      .image = 0,
      .weights = 1,
      .destination = 2,
      .read_count = 2,
      .reads = {0, 1},
      .axis_count = 2,
      .axes = {{.dimension = 0,
                .output = 0,
                .taps = 3,
                .step = step,
                .dilation = 1,
                .pixels = pixels},
               {.dimension = 1,
                .output = 1,
                .taps = 4,
                .step = step,
                .dilation = 1,
                .pixels = pixels}}};
}

static void check(int64_t size, int64_t channels, int64_t taps, int64_t step,
                  int64_t width, int64_t chunk) {
  pgopt_window_problem problem = depthwise(size, channels, taps, step);
  pgopt_window_plan plan;
  if (!CHECK(pgopt_window_plan_make(&problem, &avx512, 0, &plan)))
    return;
  CHECK_EQ_I64(plan.across, 2);
  CHECK_EQ_I64(plan.tiled, 1);
  CHECK_EQ_I64(plan.steps[0].width, width);
  CHECK_EQ_I64(plan.chunk, chunk);
}

int main(void) {
  // 3 x 30 + 28 - 3 pixels of 64 bytes: three vectors are half of 48 KiB.
  check(28, 192, 3, 1, 14, 48);
  // 7 vectors fit, and 24 are dealt out evenly.
  check(14, 384, 3, 1, 14, 96);
  // 67 channels are 5 vectors, of which the last chunk has the rest.
  check(28, 67, 3, 1, 14, 48);
  // All pixels lie in two sets: narrow tiles, and nothing stays.
  check(14, 512, 3, 1, 2, 512);
  // Rows that do not fit, windows that do not overlap.
  check(112, 32, 3, 1, 14, 32);
  check(28, 192, 2, 2, 7, 192);
  return check_result();
}
