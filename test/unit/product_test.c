/// \file Generated products against f64, between guarded pages.
///
/// usage: product_test [CASES [SEED]]
#include "kernel_check.h"

/// Puts the loops into the operand in random order.
static void shuffle_dims(kernel_case *c, case_operand *operand,
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

/// batch x M x N x K, each of A, B and C with its indices in any order.
static void draw_matmul(kernel_case *c) {
  *c = (kernel_case){.loops = 4, .is_reduction = {false, false, false, true}};
  c->extents[0] = draw(3) ? 1 : (int64_t)draw(4) + 1;
  for (int l = 1; l < 4; ++l)
    c->extents[l] = draw_extent();
  shuffle_dims(c, &c->operands[0], (int[]){0, 1, 3}, 3);
  shuffle_dims(c, &c->operands[1], (int[]){0, 3, 2}, 3);
  shuffle_dims(c, &c->operands[2], (int[]){0, 1, 2}, 3);
}

/// Two indices each for rows, columns and depth: those that follow one another
/// are merged.
static void draw_tensors(kernel_case *c) {
  *c = (kernel_case){.loops = 6,
                     .is_reduction = {false, false, false, false, true, true}};
  for (int l = 0; l < 6; ++l)
    c->extents[l] = (int64_t)draw(9) + 1;
  shuffle_dims(c, &c->operands[0], (int[]){0, 1, 4, 5}, 4);
  shuffle_dims(c, &c->operands[1], (int[]){4, 5, 2, 3}, 4);
  shuffle_dims(c, &c->operands[2], (int[]){0, 1, 2, 3}, 4);
}

/// A convolution, channels last or first.
static void draw_convolution(kernel_case *c) {
  // Loops: oh, ow, oc, kh, kw, ic.
  *c = (kernel_case){.loops = 6,
                     .is_reduction = {false, false, false, true, true, true}};
  bool is_last = draw(2);
  int64_t stride = (int64_t)draw(2) + 1, dilation = (int64_t)draw(2) + 1;
  c->extents[0] = (int64_t)draw(6) + 1;
  c->extents[1] = (int64_t)draw(20) + 1;
  c->extents[2] = draw(2) ? (int64_t)draw(70) + 1 : draw_extent();
  c->extents[3] = (int64_t)draw(4) + 1;
  c->extents[4] = draw(8) ? (int64_t)draw(4) + 1 : (int64_t)draw(12) + 1;
  c->extents[5] = (int64_t)draw(20) + 1;
  case_dim height = draw_image_dim(c, 0, 3, stride, dilation);
  case_dim width = draw_image_dim(c, 1, 4, stride, dilation);
  case_dim channel = case_loop(c, 5), output = case_loop(c, 2);
  case_operand image = {3, {height, width, channel}};
  case_operand result = {3, {case_loop(c, 0), case_loop(c, 1), output}};
  if (!is_last) {
    image = (case_operand){3, {channel, height, width}};
    result = (case_operand){3, {output, case_loop(c, 0), case_loop(c, 1)}};
  }
  c->operands[0] = image;
  shuffle_dims(c, &c->operands[1], (int[]){2, 3, 4, 5}, 4);
  c->operands[2] = result;
}

/// A convolution of channels in blocks, of a vector at times.
static void draw_blocked(kernel_case *c) {
  // Loops: oh, ow, oc, blocks of it, kh, kw, ic, blocks of it.
  static const int64_t blocks[] = {2, 4, 8, 16};
  *c =
      (kernel_case){.loops = 8, .is_reduction = {[4] = true, true, true, true}};
  int64_t stride = (int64_t)draw(2) + 1, dilation = (int64_t)draw(2) + 1;
  c->extents[0] = (int64_t)draw(6) + 1;
  c->extents[1] = (int64_t)draw(20) + 1;
  c->extents[2] = blocks[draw(4)];
  c->extents[3] = (int64_t)draw(6) + 1;
  c->extents[4] = (int64_t)draw(4) + 1;
  c->extents[5] = (int64_t)draw(4) + 1;
  c->extents[6] = draw(4) ? c->extents[2] : (int64_t)draw(20) + 1;
  c->extents[7] = (int64_t)draw(3) + 1;
  case_dim height = draw_image_dim(c, 0, 4, stride, dilation);
  case_dim width = draw_image_dim(c, 1, 5, stride, dilation);
  c->operands[0] =
      (case_operand){4, {case_loop(c, 7), height, width, case_loop(c, 6)}};
  c->operands[2] = (case_operand){
      4, {case_loop(c, 3), case_loop(c, 0), case_loop(c, 1), case_loop(c, 2)}};
  static const int filter[] = {4, 5, 7, 6, 3, 2};
  if (draw(3) == 0)
    shuffle_dims(c, &c->operands[1], filter, 6);
  else
    for (int d = 0; d < 6; ++d)
      c->operands[1].dims[c->operands[1].rank++] = case_loop(c, filter[d]);
}

/// A convolution of one to three dimensions of several images, in groups,
/// channels last or first.
static void draw_grouped(kernel_case *c) {
  // Loops: image, group, output channel, outputs, taps, input channel.
  int dims = (int)draw(3) + 1, first_tap = 3 + dims, channel = 3 + 2 * dims;
  *c = (kernel_case){.loops = channel + 1};
  bool is_last = draw(2);
  c->extents[0] = (int64_t)draw(3) + 1;
  c->extents[1] = (int64_t)draw(3) + 1;
  c->extents[2] = draw(2) ? (int64_t)draw(40) + 1 : draw_extent();
  c->extents[channel] = (int64_t)draw(9) + 1;
  for (int l = first_tap; l <= channel; ++l)
    c->is_reduction[l] = true;
  case_operand *image = &c->operands[0], *weights = &c->operands[1];
  case_operand *result = &c->operands[2];
  image->dims[image->rank++] = result->dims[result->rank++] = case_loop(c, 0);
  weights->dims[weights->rank++] = case_loop(c, 1);
  int channels = is_last ? 1 + dims : 1, window = is_last ? 1 : 3;
  image->dims[channels] = result->dims[channels] = case_loop(c, 1);
  image->dims[channels + 1] = case_loop(c, channel);
  result->dims[channels + 1] = case_loop(c, 2);
  image->rank = result->rank = 3 + dims;
  for (int d = 0; d < dims; ++d) {
    c->extents[3 + d] = (int64_t)draw(d + 1 == dims ? 20 : 4) + 1;
    c->extents[first_tap + d] = (int64_t)draw(dims == 3 ? 3 : 5) + 1;
    image->dims[window + d] = draw_image_dim(
        c, 3 + d, first_tap + d, (int64_t)draw(2) + 1, (int64_t)draw(3) + 1);
    result->dims[window + d] = case_loop(c, 3 + d);
    weights->dims[weights->rank++] = case_loop(c, first_tap + d);
  }
  weights->dims[weights->rank++] = case_loop(c, draw(2) ? channel : 2);
  int last = weights->dims[weights->rank - 1].coefficients[2] ? channel : 2;
  weights->dims[weights->rank++] = case_loop(c, last);
}

/// Depths and widths beyond a block of every level: 2500 x 8 bytes x 32 lanes
/// are more than half of any second cache.
static void check_blocks(const char *options) {
  static const int64_t sizes[][3] = {
      {7, 70, 2500}, {2500, 33, 40}, {9, 3000, 300}};
  for (size_t i = 0; i < sizeof sizes / sizeof *sizes; ++i)
    for (int way = 0; way < 4; ++way) {
      kernel_case c = {.loops = 3,
                       .is_reduction = {false, false, true},
                       .start = (case_start)(i % 3),
                       .bias_dim = 1,
                       .has_clamp = true,
                       .is_parameter = {way & 2, way & 2},
                       .cut = -1};
      memcpy(c.extents, sizes[i], sizeof sizes[i]);
      int order[] = {2, 1};
      if (way & 1) {
        order[0] = 1;
        order[1] = 2;
      }
      c.operands[0] = (case_operand){2, {case_loop(&c, 0), case_loop(&c, 2)}};
      c.operands[1] =
          (case_operand){2, {case_loop(&c, order[0]), case_loop(&c, order[1])}};
      c.operands[2] = (case_operand){2, {case_loop(&c, 0), case_loop(&c, 1)}};
      check_case(&c, options);
    }
}

/// Constant rows and few columns: tiles are turned before they are stored.
static void check_turned(const char *options) {
  static const int64_t sizes[][3] = {
      {65, 49, 200}, {130, 7, 1300}, {47, 19, 64}};
  for (int i = 0; i < 12; ++i) {
    kernel_case c = {.loops = 3,
                     .is_reduction = {false, false, true},
                     .start = (case_start)(i % 3),
                     .bias_dim = i & 1,
                     .has_clamp = true,
                     .has_residual = i & 2,
                     .is_double = i >= 9,
                     .is_parameter = {true, false},
                     .cut = -1};
    memcpy(c.extents, sizes[i % 3], sizeof sizes[0]);
    c.operands[0] = (case_operand){2, {case_loop(&c, 0), case_loop(&c, 2)}};
    c.operands[1] = (case_operand){2, {case_loop(&c, 2), case_loop(&c, 1)}};
    c.operands[2] = (case_operand){2, {case_loop(&c, 0), case_loop(&c, 1)}};
    check_case(&c, options);
  }
}

/// C[e][r][a] of A[a][k][e] and B[k][r]: A is contiguous along a loop that is
/// neither columns nor depth; its columns are packed in chunks of that loop.
static void check_beside(const char *options) {
  static const int64_t sizes[][4] = {
      {37, 67, 13, 19}, {5, 83, 61, 30}, {70, 35, 7, 300}};
  for (int i = 0; i < 5; ++i) {
    kernel_case c = {.loops = 4,
                     .is_reduction = {false, false, false, true},
                     .start = (case_start)(i % 3),
                     .bias_dim = 2,
                     .has_clamp = true,
                     .is_double = i == 3,
                     .cut = i & 1 ? 1 : -1,
                     .low = 2};
    memcpy(c.extents, sizes[i % 3], sizeof sizes[0]);
    c.high = c.extents[1] - 1;
    c.operands[0] = (case_operand){
        3, {case_loop(&c, 0), case_loop(&c, 3), case_loop(&c, 1)}};
    c.operands[1] = (case_operand){2, {case_loop(&c, 3), case_loop(&c, 2)}};
    c.operands[2] = (case_operand){
        3, {case_loop(&c, 1), case_loop(&c, 2), case_loop(&c, 0)}};
    check_case(&c, options);
  }
}

/// C[e][r][c][a] of A[a][k][c][e] and B[k][r]: several steps of c, each of all
/// of e, are packed together.
static void check_beside_outer(const char *options) {
  for (int i = 0; i < 3; ++i) {
    kernel_case c = {.loops = 5,
                     .extents = {37, 11, 13, 7, 19},
                     .is_reduction = {false, false, false, false, true},
                     .start = i ? START_ZERO : START_BIAS,
                     .bias_dim = 3,
                     .has_clamp = true,
                     .is_double = i == 2,
                     .cut = i == 1 ? 1 : -1,
                     .low = 2,
                     .high = 9};
    c.operands[0] = (case_operand){4,
                                   {case_loop(&c, 0), case_loop(&c, 4),
                                    case_loop(&c, 1), case_loop(&c, 2)}};
    c.operands[1] = (case_operand){2, {case_loop(&c, 4), case_loop(&c, 3)}};
    c.operands[2] = (case_operand){4,
                                   {case_loop(&c, 2), case_loop(&c, 3),
                                    case_loop(&c, 1), case_loop(&c, 0)}};
    check_case(&c, options);
  }
}

/// C[d][r][a] of A[d][k][a] and B[r][k], of which the second cache holds a
/// part: columns of several steps of d are packed together.
static void check_many_rows(const char *options) {
  for (int i = 0; i < 2; ++i) {
    kernel_case c = {.loops = 4,
                     .extents = {5, 7, 613, 901},
                     .is_reduction = {false, false, false, true},
                     .start = i ? START_ZERO : START_BIAS,
                     .bias_dim = 2,
                     .has_clamp = true,
                     .cut = i ? 1 : -1,
                     .low = 2,
                     .high = 6};
    c.operands[0] = (case_operand){
        3, {case_loop(&c, 1), case_loop(&c, 3), case_loop(&c, 0)}};
    c.operands[1] = (case_operand){2, {case_loop(&c, 2), case_loop(&c, 3)}};
    c.operands[2] = (case_operand){
        3, {case_loop(&c, 1), case_loop(&c, 2), case_loop(&c, 0)}};
    check_case(&c, options);
  }
}

/// C[r][a] of A[a][l][k] and B[r][k][l]: A is contiguous along the outer loop
/// of the depth.
static void check_outer_depth(const char *options) {
  kernel_case c = {.loops = 4,
                   .extents = {13, 70, 83, 23},
                   .is_reduction = {false, false, true, true},
                   .start = START_ZERO,
                   .cut = -1};
  c.operands[0] =
      (case_operand){3, {case_loop(&c, 1), case_loop(&c, 3), case_loop(&c, 2)}};
  c.operands[1] =
      (case_operand){3, {case_loop(&c, 0), case_loop(&c, 2), case_loop(&c, 3)}};
  c.operands[2] = (case_operand){2, {case_loop(&c, 0), case_loop(&c, 1)}};
  check_case(&c, options);
}

static void check_target(const char *options, int cases) {
  kernel_case c;
  for (int i = 0; i < cases; ++i) {
    static void (*const draws[])(kernel_case *) = {
        draw_matmul, draw_convolution, draw_tensors, draw_grouped,
        draw_blocked};
    draws[i % 5](&c);
    draw_surroundings(&c);
    check_case(&c, options);
  }
  check_blocks(options);
  check_turned(options);
  check_beside(options);
  check_beside_outer(options);
  check_many_rows(options);
  check_outer_depth(options);
}

int main(int argc, char **argv) {
  return check_targets(argc, argv, 60, check_target);
}
