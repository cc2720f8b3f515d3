/// \file Runs a kernel between guarded pages and compares it with f64.
#ifndef PGOPT_TEST_KERNEL_CHECK_H
#define PGOPT_TEST_KERNEL_CHECK_H

#include "check.h"
#include "guarded.h"
#include "kernel_case.h"
#include "kernel_program.h"

#include <stdlib.h>

static MlirContext context;
static uint64_t state;

static inline uint64_t draw(uint64_t below) {
  state = state * 6364136223846793005u + 1442695040888963407u;
  return (state >> 33) % below;
}

static inline void fill(const kernel_case *c, void *data, int64_t elements) {
  for (int64_t i = 0; i < elements; ++i) {
    double value = ((double)draw(1 << 20) - (1 << 19)) / (1 << 18);
    if (c->is_double)
      ((double *)data)[i] = value;
    else
      ((float *)data)[i] = (float)value;
  }
}

/// Replaces one of 16 elements.
static inline void fill_special(const kernel_case *c, void *data,
                                int64_t elements) {
  static const double special[] = {NAN, INFINITY, -INFINITY};
  for (int64_t i = 0; i < elements; ++i) {
    double value = special[draw(3)];
    if (draw(16))
      continue;
    if (c->is_double)
      ((double *)data)[i] = value;
    else
      ((float *)data)[i] = (float)value;
  }
}

/// Compiles the case for the target, runs it and compares.
static inline void check_case(const kernel_case *c, const char *options) {
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
    if (i == 0 && c->has_special)
      fill_special(c, buffers[i].data, elements[i]);
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
static inline int64_t draw_extent(void) {
  static const int64_t extents[] = {1,  2,  3,  5,  7,  11, 13, 15,  16, 17,
                                    31, 33, 47, 63, 64, 65, 97, 113, 129};
  return extents[draw(sizeof extents / sizeof *extents)];
}

/// A window's dimension of the image: so many outputs, and taps; at times with
/// zeros around it.
static inline case_dim draw_image_dim(const kernel_case *c, int output, int tap,
                                      int64_t stride, int64_t dilation) {
  int64_t extent =
      (c->extents[output] - 1) * stride + (c->extents[tap] - 1) * dilation + 1;
  case_dim dim = {.extent = extent};
  dim.coefficients[output] = stride;
  dim.coefficients[tap] = dilation;
  // As many as the window reaches, or more than that.
  if (draw(3)) {
    dim.low = (int64_t)draw((uint64_t)c->extents[tap] + 2);
    dim.high = (int64_t)draw((uint64_t)c->extents[tap] + 2);
    if (draw(4) == 0)
      dim.low = (int64_t)draw((uint64_t)extent);
    if (dim.low + dim.high >= extent)
      dim.low = dim.high = (extent - 1) / 2;
    dim.extent -= dim.low + dim.high;
  }
  return dim;
}

/// What is fused with the case, and its range.
static inline void draw_surroundings(kernel_case *c) {
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
    if (c->operands[2].dims[c->bias_dim].coefficients[loop])
      return;
    c->cut = loop;
    c->low = (int64_t)draw((uint64_t)c->extents[loop] + 1);
    c->high = c->low + (int64_t)draw((uint64_t)(c->extents[loop] - c->low) + 1);
    c->has_static_range = draw(2) && c->low < c->high;
  }
}

/// main of such a test, with the arguments [CASES [SEED]]: checks `cases` cases
/// for every target.
static inline int check_targets(int argc, char **argv, int cases,
                                void (*check)(const char *options, int cases)) {
  cases = argc > 1 ? atoi(argv[1]) : cases;
  state = argc > 2 ? strtoull(argv[2], NULL, 10) : 1;
  context = kernel_context_create();
  check("entry=forward", cases);
#if defined(__x86_64__)
  if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma"))
    check("entry=forward target-cpu=x86-64-v3", cases);
  check("entry=forward target-cpu=x86-64", cases / 3);
#endif
  mlirContextDestroy(context);
  return check_result();
}

#endif // PGOPT_TEST_KERNEL_CHECK_H
