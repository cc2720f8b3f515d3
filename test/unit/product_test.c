/// \file Generated products against f64, between guarded pages.
///
/// usage: product_test [CASES [SEED]]
#include "check.h"
#include "guarded.h"
#include "kernel_case.h"
#include "kernel_program.h"

#include <stdlib.h>

static MlirContext context;
static uint64_t state;

static uint64_t draw(uint64_t below) {
  state = state * 6364136223846793005u + 1442695040888963407u;
  return (state >> 33) % below;
}

static void fill(const kernel_case *c, void *data, int64_t elements) {
  for (int64_t i = 0; i < elements; ++i) {
    double value = ((double)draw(1 << 20) - (1 << 19)) / (1 << 18);
    if (c->is_double)
      ((double *)data)[i] = value;
    else
      ((float *)data)[i] = (float)value;
  }
}

/// Compiles the case for the target, runs it and compares.
static void check_case(const kernel_case *c, const char *options) {
  pgopt_text text = {0};
  case_write(c, &text);
  pgopt_program *program = kernel_program_load(context, text.data, options);
  int at_end = (int)draw(4) != 0;
  size_t bytes = c->is_double ? 8 : 4;
  int64_t elements[] = {
      case_elements(&c->operands[0]), case_elements(&c->operands[1]),
      case_elements(&c->operands[2]), c->operands[2].dims[c->bias_dim].extent,
      case_elements(&c->operands[2])};
  guarded buffers[5];
  const void *data[5];
  for (int i = 0; i < 5; ++i) {
    buffers[i] = guarded_create((size_t)elements[i] * bytes, at_end);
    data[i] = buffers[i].data;
    fill(c, buffers[i].data, elements[i]);
  }
  void *before = malloc((size_t)elements[2] * bytes);
  memcpy(before, data[2], (size_t)elements[2] * bytes);
  int64_t low = c->cut < 0 ? 0 : c->low, high = c->cut < 0 ? 0 : c->high;
  if (CHECK(program)) {
    for (size_t i = 0; i < 5; ++i)
      pgopt_program_bind(program, i, buffers[i].data);
    pgopt_program_bind(program, 5, &low);
    pgopt_program_bind(program, 6, &high);
    pgopt_program_run(program);
    double error = case_error(c, data, before, data[2]);
    if (!CHECK(error <= 1))
      fprintf(stderr, "  error %g of the bound, %s, range %lld to %lld:\n%s",
              error, options, (long long)low, (long long)high, text.data);
  } else {
    fprintf(stderr, "%s", text.data);
  }
  free(before);
  for (int i = 0; i < 5; ++i)
    guarded_destroy(&buffers[i]);
  pgopt_program_destroy(program);
  pgopt_text_free(&text);
}

/// Extents around the tiles.
static int64_t draw_extent(void) {
  static const int64_t extents[] = {1,  2,  3,  5,  7,  11, 13, 15,  16, 17,
                                    31, 33, 47, 63, 64, 65, 97, 113, 129};
  return extents[draw(sizeof extents / sizeof *extents)];
}

static void draw_surroundings(kernel_case *c) {
  c->start = (case_start)draw(3);
  c->bias_dim = (int)draw((uint64_t)c->operands[2].rank);
  c->has_clamp = draw(2);
  c->has_residual = draw(2);
  c->is_double = draw(3) == 0;
  for (int i = 0; i < 2; ++i)
    c->is_parameter[i] = draw(2);
  c->cut = -1;
  int loop = (int)draw((uint64_t)c->loops);
  if (draw(3) == 0 && !c->is_reduction[loop]) {
    // The bias would have to be cut, too.
    case_dim *bias = &c->operands[2].dims[c->bias_dim];
    for (int i = 0; i < 3; ++i)
      for (int d = 0; d < c->operands[i].rank; ++d)
        for (int l = 0; l < c->loops; ++l)
          if (c->operands[i].dims[d].coefficients[loop] && l != loop &&
              c->operands[i].dims[d].coefficients[l])
            return;
    if (bias->coefficients[loop])
      return;
    c->cut = loop;
    c->low = (int64_t)draw((uint64_t)c->extents[loop] + 1);
    c->high = c->low + (int64_t)draw((uint64_t)(c->extents[loop] - c->low) + 1);
  }
}

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

/// A convolution without padding, channels last or first.
static void draw_convolution(kernel_case *c) {
  // Loops: oh, ow, oc, kh, kw, ic.
  *c = (kernel_case){.loops = 6,
                     .is_reduction = {false, false, false, true, true, true}};
  bool is_last = draw(2);
  int64_t stride = (int64_t)draw(2) + 1, dilation = (int64_t)draw(2) + 1;
  c->extents[0] = (int64_t)draw(6) + 1;
  c->extents[1] = (int64_t)draw(20) + 1;
  c->extents[2] = draw(2) ? (int64_t)draw(70) + 1 : draw_extent();
  c->extents[3] = c->extents[4] = (int64_t)draw(4) + 1;
  c->extents[5] = (int64_t)draw(20) + 1;
  case_dim height = {.extent = (c->extents[0] - 1) * stride +
                               (c->extents[3] - 1) * dilation + 1};
  height.coefficients[0] = stride;
  height.coefficients[3] = dilation;
  case_dim width = {.extent = (c->extents[1] - 1) * stride +
                              (c->extents[4] - 1) * dilation + 1};
  width.coefficients[1] = stride;
  width.coefficients[4] = dilation;
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

/// A depthwise convolution, channels last.
static void draw_depthwise(kernel_case *c) {
  // Loops: oh, ow, c, kh, kw.
  *c = (kernel_case){.loops = 5,
                     .is_reduction = {false, false, false, true, true}};
  int64_t stride = (int64_t)draw(2) + 1, dilation = (int64_t)draw(2) + 1;
  c->extents[0] = (int64_t)draw(6) + 1;
  c->extents[1] = (int64_t)draw(20) + 1;
  c->extents[2] = draw_extent();
  c->extents[3] = (int64_t)draw(5) + 1;
  c->extents[4] = (int64_t)draw(5) + 1;
  case_dim dims[2];
  for (int d = 0; d < 2; ++d) {
    dims[d] = (case_dim){.extent = (c->extents[d] - 1) * stride +
                                   (c->extents[3 + d] - 1) * dilation + 1};
    dims[d].coefficients[d] = stride;
    dims[d].coefficients[3 + d] = dilation;
  }
  int image = (int)draw(2);
  c->operands[image] = (case_operand){3, {dims[0], dims[1], case_loop(c, 2)}};
  c->operands[1 - image] =
      (case_operand){3, {case_loop(c, 3), case_loop(c, 4), case_loop(c, 2)}};
  c->operands[2] =
      (case_operand){3, {case_loop(c, 0), case_loop(c, 1), case_loop(c, 2)}};
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

static void check_target(const char *options, int cases) {
  kernel_case c;
  for (int i = 0; i < cases; ++i) {
    static void (*const draws[])(kernel_case *) = {
        draw_matmul, draw_convolution, draw_tensors, draw_depthwise};
    draws[i % 4](&c);
    draw_surroundings(&c);
    check_case(&c, options);
  }
  check_blocks(options);
}

int main(int argc, char **argv) {
  int cases = argc > 1 ? atoi(argv[1]) : 48;
  state = argc > 2 ? strtoull(argv[2], NULL, 10) : 1;
  context = kernel_context_create();
  check_target("entry=forward", cases);
#if defined(__x86_64__)
  if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma"))
    check_target("entry=forward target-cpu=x86-64-v3", cases);
  check_target("entry=forward target-cpu=x86-64", cases / 3);
#endif
  mlirContextDestroy(context);
  return check_result();
}
