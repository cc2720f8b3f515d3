/// \file Winograd convolutions against f64, between guarded pages, and their
/// error next to the direct kernel's.
///
/// usage: winograd_test [CASES [SEED]]
#include "check.h"
#include "guarded.h"
#include "kernel_case.h"
#include "kernel_program.h"
#include "winograd_case.h"

#include <stdlib.h>
#include <string.h>

/// Compiles the case, runs it between guards. \returns the result, to be freed,
/// and what it was before; null when it did not compile.
static void *run_case(const kernel_case *c, const char *options,
                      guarded buffers[5], void **before) {
  pgopt_text text = {0};
  case_write(c, &text);
  pgopt_program *program = kernel_program_load(context, text.data, options);
  size_t bytes = c->is_double ? 8 : 4;
  int64_t elements[] = {
      case_elements(&c->operands[0]), case_elements(&c->operands[1]),
      case_elements(&c->operands[2]), c->operands[2].dims[c->bias_dim].extent,
      case_elements(&c->operands[2])};
  int64_t low = c->low, high = c->high;
  int at_end = (int)draw(4) != 0;
  for (int i = 0; i < 5; ++i) {
    buffers[i] = guarded_create((size_t)elements[i] * bytes, at_end);
    fill(c, buffers[i].data, elements[i]);
  }
  size_t size = (size_t)elements[2] * bytes;
  *before = malloc(size);
  memcpy(*before, buffers[2].data, size);
  if (!CHECK(program)) {
    fprintf(stderr, "%s", text.data);
    pgopt_text_free(&text);
    return NULL;
  }
  for (size_t i = 0; i < 5; ++i)
    pgopt_program_bind(program, i, buffers[i].data);
  pgopt_program_bind(program, 5, &low);
  pgopt_program_bind(program, 6, &high);
  pgopt_program_run(program);
  pgopt_program_destroy(program);
  pgopt_text_free(&text);
  return buffers[2].data;
}

static void check_case(const kernel_case *c, const char *options) {
  guarded buffers[5];
  void *before;
  void *result = run_case(c, options, buffers, &before);
  const void *data[5];
  for (int i = 0; i < 5; ++i)
    data[i] = buffers[i].data;
  if (result) {
    double error = case_error(c, data, before, result);
    if (!CHECK(error <= 1)) {
      pgopt_text text = {0};
      case_write(c, &text);
      fprintf(stderr, "  error %g of the bound, %s, range %lld to %lld:\n%s",
              error, options, (long long)c->low, (long long)c->high, text.data);
      pgopt_text_free(&text);
    }
  }
  free(before);
  free_buffers(buffers);
}

static void check_target(const char *cpu, int cases) {
  static const char *const sizes[] = {"f2", "f4"};
  for (int i = 0; i < cases; ++i) {
    kernel_case c;
    char options[96];
    draw_case(&c);
    snprintf(options, sizeof options, "entry=forward winograd=%s%s%s",
             sizes[i % 2], *cpu ? " target-cpu=" : "", cpu);
    check_case(&c, options);
  }
}

/// max|a - b| / max|b| over some rows of the result, b in f64.
static double layer_error(const kernel_case *c, guarded buffers[5]) {
  const float *image = buffers[0].data, *weights = buffers[1].data;
  const float *result = buffers[2].data;
  int64_t height = c->extents[HEIGHT], width = c->extents[WIDTH];
  int64_t inputs = c->extents[INPUT], outputs = c->extents[OUTPUT];
  int64_t step = height * width * inputs > 1 << 19 ? 17 : 3;
  double *sums = malloc((size_t)outputs * sizeof *sums);
  double largest = 0, difference = 0;
  for (int64_t y = 0; y < height; y += step)
    for (int64_t x = 0; x < width; ++x) {
      for (int64_t o = 0; o < outputs; ++o)
        sums[o] = 0;
      for (int64_t tap = 0; tap < 9; ++tap)
        for (int64_t i = 0; i < inputs; ++i) {
          double pixel =
              image[((y + tap / 3) * (width + 2) + x + tap % 3) * inputs + i];
          const float *w = &weights[(tap * inputs + i) * outputs];
          for (int64_t o = 0; o < outputs; ++o)
            sums[o] += pixel * w[o];
        }
      for (int64_t o = 0; o < outputs; ++o) {
        double error = fabs(sums[o] - result[(y * width + x) * outputs + o]);
        difference = error > difference ? error : difference;
        largest = fabs(sums[o]) > largest ? fabs(sums[o]) : largest;
      }
    }
  free(sums);
  return difference / largest;
}

/// A layer's error with the default is at most twice that of the direct kernel.
static void check_layer(int64_t channels, int64_t map) {
  static const char *const options[] = {"entry=forward winograd=off",
                                        "entry=forward"};
  double errors[2];
  for (int i = 0; i < 2; ++i) {
    kernel_case c = {.start = START_ZERO, .is_parameter = {false, true}};
    guarded buffers[5];
    void *before;
    c.extents[BATCH] = 1;
    c.extents[HEIGHT] = c.extents[WIDTH] = map;
    c.extents[INPUT] = c.extents[OUTPUT] = channels;
    make_convolution(&c, 0, false, 0);
    state = 7;
    run_case(&c, options[i], buffers, &before);
    errors[i] = layer_error(&c, buffers);
    free(before);
    free_buffers(buffers);
  }
  if (!CHECK(errors[1] <= 2 * errors[0]))
    fprintf(stderr, "  %lld channels: direct %.2g, Winograd %.2g\n",
            (long long)channels, errors[0], errors[1]);
}

int main(int argc, char **argv) {
  check_winograd_targets(argc, argv, check_target);
  static const int64_t layers[][2] = {{64, 56}, {128, 28}, {256, 14}, {256, 7},
                                      {512, 7}, {64, 224}, {512, 28}};
  for (size_t i = 0; i < sizeof layers / sizeof *layers; ++i)
    check_layer(layers[i][0], layers[i][1]);
  mlirContextDestroy(context);
  return check_result();
}
