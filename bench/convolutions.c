/// \file Generated convolutions against oneDNN's, one thread: f32, channels
/// last, bias and ReLU fused, weights HWIO and a parameter, batch 1.
///
/// usage: convolutions [--seconds S] [--options O] [--only TEXT]
///                     [IC OC SIZE KERNEL STRIDE PADDING [GROUPS]]
///
/// All run in turn in one process; each timed call follows an untimed one of
/// the same convolution. oneDNN gets images channels last and packs its weights
/// beforehand; its Winograd, in the layout it wants, is another column.
/// Operations count padded taps. `--options winograd=off` measures direct ones.
/// The error is the largest difference to oneDNN's direct one over its largest
/// value. Prints a table; without oneDNN the kernels alone.
#include "base/statistics.h"
#include "convolution_rival.h"
#include "kernel_case.h"
#include "kernel_program.h"
#include "pgopt/runtime.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_RUNS = 20000 };

typedef enum contender { OURS, DIRECT, WINOGRAD, CONTENDERS } contender;

typedef struct layer {
  const char *network;
  convolution shape;
} layer;

static const layer layers[] = {
#define LAYER(network, ...) {network, {__VA_ARGS__}},
#include "convolution_layers.def"
#undef LAYER
};

typedef struct bench {
  convolution_data data;
  pgopt_program *program;
  convolution_rival *rivals[2]; ///< direct, Winograd; null where there is none
} bench;

/// A dimension of the image with zeros on both sides.
static case_dim image_dim(const convolution *s, int output, int tap) {
  case_dim dim = {.extent = s->size, .low = s->padding, .high = s->padding};
  dim.coefficients[output] = s->stride;
  dim.coefficients[tap] = 1;
  return dim;
}

static void write_convolution(const convolution *s, pgopt_text *text) {
  int64_t size = convolution_output(s), groups = s->groups;
  // Loops: oh, ow, group, oc, kh, kw, ic.
  kernel_case c = {.loops = 7,
                   .extents = {size, size, groups, s->outputs / groups,
                               s->kernel, s->kernel, s->inputs / groups},
                   .is_reduction = {[4] = true, [5] = true, [6] = true},
                   .is_parameter = {false, true},
                   .start = START_ZERO,
                   .bias_dim = 3,
                   .has_clamp = true,
                   .cut = -1};
  c.operands[0] = (case_operand){4,
                                 {image_dim(s, 0, 4), image_dim(s, 1, 5),
                                  case_loop(&c, 2), case_loop(&c, 6)}};
  c.operands[1] =
      (case_operand){5,
                     {case_loop(&c, 4), case_loop(&c, 5), case_loop(&c, 6),
                      case_loop(&c, 2), case_loop(&c, 3)}};
  c.operands[2] = (case_operand){
      4,
      {case_loop(&c, 0), case_loop(&c, 1), case_loop(&c, 2), case_loop(&c, 3)}};
  case_write(&c, text);
}

static float *create_values(int64_t count, uint64_t *state) {
  size_t bytes = ((size_t)count * sizeof(float) + 4095) / 4096 * 4096;
  float *values = aligned_alloc(4096, bytes);
  for (int64_t i = 0; i < count; ++i) {
    *state = *state * 6364136223846793005u + 1442695040888963407u;
    values[i] = (float)((double)(*state >> 40) / (1 << 23) - 1);
  }
  return values;
}

static void run(bench *b, contender who) {
  if (who == OURS)
    pgopt_program_run(b->program);
  else
    convolution_rival_run(b->rivals[who - 1]);
}

static int64_t time_once(bench *b, contender who) {
  run(b, who);
  int64_t start = pgopt_rt_now_ns();
  run(b, who);
  return pgopt_rt_now_ns() - start;
}

/// Both compute once more; the largest difference over the largest value.
static double compare(bench *b, const convolution *s) {
  double largest = 0, worst = 0;
  if (!b->rivals[0])
    return NAN;
  int64_t count = convolution_output(s) * convolution_output(s) * s->outputs;
  convolution_rival_run(b->rivals[0]);
  for (int64_t i = 0; i < count; ++i) {
    double expected = b->data.rival_result[i];
    worst = fmax(worst, fabs(b->data.result[i] - expected));
    largest = fmax(largest, fabs(expected));
  }
  return worst / largest;
}

static void print_rival(const int64_t *ours, const int64_t *its, size_t count,
                        double operations, bool exists) {
  if (!exists)
    printf(" - | - |");
  else
    printf(" %.1f | %.3f |",
           operations / (double)pgopt_summarize(its, count).median_ns,
           1 / pgopt_pair_times(ours, its, count).ratio);
}

static void measure(MlirContext context, const layer *l, const char *options,
                    double seconds, double peak) {
  static int64_t samples[CONTENDERS][MAX_RUNS];
  const convolution *s = &l->shape;
  int64_t size = convolution_output(s), groups = s->groups;
  int64_t depth = s->inputs / groups;
  pgopt_text text = {0};
  write_convolution(s, &text);
  bench b = {.program = kernel_program_load(context, text.data, options)};
  pgopt_text_free(&text);
  if (!b.program)
    exit(1);
  uint64_t state = 1;
  b.data = (convolution_data){
      create_values(s->size * s->size * s->inputs, &state),
      create_values(s->kernel * s->kernel * depth * s->outputs, &state),
      create_values(s->outputs, &state),
      create_values(size * size * s->outputs, &state),
      create_values(size * size * s->outputs, &state)};
  // One bias a group, for both.
  for (int64_t i = s->outputs / groups; i < s->outputs; ++i)
    b.data.bias[i] = b.data.bias[i - s->outputs / groups];
  static int64_t none;
  void *values[] = {b.data.image,  b.data.weights, b.data.result, b.data.bias,
                    b.data.result, &none,          &none};
  for (size_t i = 0; i < sizeof values / sizeof *values; ++i)
    pgopt_program_bind(b.program, i, values[i]);
  for (int w = 0; w < 2; ++w)
    b.rivals[w] = convolution_rival_create(s, &b.data, w);
  size_t count = 0;
  int64_t start = pgopt_rt_now_ns();
  while (count < 9 || (count < MAX_RUNS &&
                       (double)(pgopt_rt_now_ns() - start) < seconds * 1e9)) {
    for (int who = 0; who < CONTENDERS; ++who)
      if (who == OURS || b.rivals[who - 1])
        samples[who][count] = time_once(&b, (contender)who);
    ++count;
  }
  double operations = 2.0 * (double)(size * size * s->outputs) *
                      (double)(s->kernel * s->kernel * depth);
  pgopt_summary ours = pgopt_summarize(samples[OURS], count);
  printf("| %s | %lld>%lld %lldx%ds%d @%lld", l->network, (long long)s->inputs,
         (long long)s->outputs, (long long)s->kernel, (int)s->kernel,
         (int)s->stride, (long long)s->size);
  if (groups > 1)
    printf(" in %lld", (long long)groups);
  printf(" | %.1f | %.2f | %.1f%% |", operations / (double)ours.median_ns,
         operations / (double)ours.median_ns / peak,
         100.0 * (double)ours.mad_ns / (double)ours.median_ns);
  for (int w = 0; w < 2; ++w)
    print_rival(samples[OURS], samples[DIRECT + w], count, operations,
                b.rivals[w]);
  printf(" %.1e | %zu |\n", compare(&b, s), count);
  fflush(stdout);
  for (int w = 0; w < 2; ++w)
    convolution_rival_destroy(b.rivals[w]);
  pgopt_program_destroy(b.program);
  free(b.data.image);
  free(b.data.weights);
  free(b.data.bias);
  free(b.data.result);
  free(b.data.rival_result);
}

int main(int argc, char **argv) {
  double seconds = 1;
  char options[256] = "entry=forward";
  const char *only = "";
  int64_t given[7] = {[6] = 1};
  int count = 0;
  for (int i = 1; i < argc; ++i) {
    if (!strcmp(argv[i], "--seconds") && i + 1 < argc)
      seconds = atof(argv[++i]);
    else if (!strcmp(argv[i], "--options") && i + 1 < argc)
      snprintf(options, sizeof options, "entry=forward %s", argv[++i]);
    else if (!strcmp(argv[i], "--only") && i + 1 < argc)
      only = argv[++i];
    else if (count < 7)
      given[count++] = atoll(argv[i]);
    else
      count = 8;
  }
  layer one = {"", {0}};
  if (count == 6 || count == 7)
    one.shape = (convolution){given[0], given[1], given[2], given[3],
                              given[4], given[5], given[6]};
  int64_t groups = one.shape.groups;
  if (count &&
      (groups < 1 || one.shape.inputs % groups || one.shape.outputs % groups ||
       one.shape.inputs < 1 || one.shape.outputs < 1 || one.shape.kernel < 1 ||
       one.shape.stride < 1 || one.shape.padding < 0 ||
       convolution_output(&one.shape) < 1)) {
    fprintf(stderr,
            "usage: convolutions [--seconds S] [--options 'target-cpu=C'] "
            "[--only TEXT] [IC OC SIZE KERNEL STRIDE PADDING [GROUPS]]\n");
    return 2;
  }
  setenv("OMP_NUM_THREADS", "1", 1);
  MlirContext context = kernel_context_create();
  double peak = pgopt_rt_measure_peak_gflops(200);
  printf("peak %.1f GFLOP/s, %s\n\n", peak, options);
  printf(
      "| network | layer | GFLOP/s | of peak | spread | oneDNN direct | ours "
      "/ it | oneDNN Winograd | ours / it | error | runs |\n"
      "|---|---|---|---|---|---|---|---|---|---|---|\n");
  if (count)
    measure(context, &one, options, seconds, peak);
  for (size_t i = 0; !count && i < sizeof layers / sizeof *layers; ++i)
    if (strstr(layers[i].network, only))
      measure(context, &layers[i], options, seconds, peak);
  printf("\npeak %.1f GFLOP/s\n", pgopt_rt_measure_peak_gflops(200));
  mlirContextDestroy(context);
  return 0;
}
