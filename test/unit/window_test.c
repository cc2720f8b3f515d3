/// \file Generated windows, depthwise convolutions and pools, against f64,
/// between guarded pages.
///
/// usage: window_test [CASES [SEED]]
#include "kernel_check.h"

/// A window over an image of so many dimensions, channels last or first.
static void draw_window(kernel_case *c, int dims, bool is_last) {
  // Loops: outputs, channels, window.
  *c = (kernel_case){.body = (case_body)draw(5), .loops = 2 * dims + 1};
  c->has_neutral_padding = draw(2);
  case_dim image[CASE_RANK], window[CASE_RANK], result[CASE_RANK];
  c->extents[dims] = is_last ? draw_extent() : (int64_t)draw(5) + 1;
  for (int d = 0; d < dims; ++d) {
    int64_t stride = (int64_t)draw(3) + 1, dilation = draw(4) ? 1 : 2;
    int taps = dims + 1 + d;
    bool is_row = !is_last && d == dims - 1;
    c->is_reduction[taps] = true;
    // Vectors run along rows of pixels that follow one another.
    stride = is_row ? 1 : stride;
    c->extents[d] = is_row ? draw_extent() : (int64_t)draw(30) + 1;
    c->extents[taps] = (int64_t)draw(dims == 3 ? 3 : 7) + 1;
    image[d] = draw_image_dim(c, d, taps, stride, dilation);
    window[d] = case_loop(c, taps);
    result[d] = case_loop(c, d);
  }
  case_dim channel = case_loop(c, dims);
  for (int i = 0; i < 3; ++i) {
    const case_dim *from = i == 0 ? image : i == 1 ? window : result;
    case_operand *operand = &c->operands[i];
    if (!is_last)
      operand->dims[operand->rank++] = channel;
    for (int d = 0; d < dims; ++d)
      operand->dims[operand->rank++] = from[d];
    if (is_last)
      operand->dims[operand->rank++] = channel;
  }
  // The weights may come first.
  if (c->body == BODY_PRODUCT && draw(2)) {
    case_operand kept = c->operands[0];
    c->operands[0] = c->operands[1];
    c->operands[1] = kept;
  }
}

/// A window along channels that are last, as in local response normalization.
static void draw_row(kernel_case *c) {
  *c = (kernel_case){.body = (case_body)draw(5),
                     .has_neutral_padding = draw(4) != 0,
                     .loops = 3,
                     .is_reduction = {false, false, true}};
  c->extents[0] = (int64_t)draw(5) + 1;
  c->extents[1] = draw_extent();
  c->extents[2] = (int64_t)draw(7) + 1;
  int64_t dilation = draw(4) ? 1 : 2;
  case_dim row = draw_image_dim(c, 1, 2, 1, dilation);
  c->operands[0] = (case_operand){2, {case_loop(c, 0), row}};
  c->operands[1] = (case_operand){1, {case_loop(c, 2)}};
  c->operands[2] = (case_operand){2, {case_loop(c, 0), case_loop(c, 1)}};
}

static void check_target(const char *options, int cases) {
  for (int i = 0; i < cases; ++i) {
    kernel_case c;
    if (i % 8 == 5)
      draw_row(&c);
    else
      draw_window(&c, i % 8 == 7 ? 3 : i % 4 == 3 ? 1 : 2, draw(3) != 0);
    draw_surroundings(&c);
    check_case(&c, options);
  }
}

int main(int argc, char **argv) {
  return check_targets(argc, argv, 48, check_target);
}
