/// \file Generated depthwise convolutions and pools against oneDNN, one thread.
///
/// usage: memory [--seconds S] [--options O] [--only TEXT]
///
/// All run in turn in one process; each timed call follows an untimed one of
/// the same kernel. oneDNN takes its own layout for convolutions, channels last
/// for pools. Prints a table.
#include "memory_cases.h"

#include "base/statistics.h"
#include "kernel_program.h"
#include "pgopt/runtime.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_RUNS = 20000 };

typedef struct contender {
  const char *name;
  void (*run)(void *data);
  void *data;
} contender;

static void run_program(void *program) { pgopt_program_run(program); }

static int64_t time_once(const contender *c) {
  c->run(c->data);
  int64_t start = pgopt_rt_now_ns();
  c->run(c->data);
  return pgopt_rt_now_ns() - start;
}

static float *create_buffer(int64_t elements, float scale) {
  size_t bytes = ((size_t)elements * sizeof(float) + 4095) / 4096 * 4096;
  float *buffer = aligned_alloc(4096, bytes);
  for (int64_t i = 0; i < elements; ++i)
    buffer[i] = ((float)(i % 1021) / 1021 - 0.5f) * scale;
  return buffer;
}

/// The largest difference, relative to the largest value.
static double error_of(const float *a, const float *b, int64_t count) {
  double difference = 0, size = 0;
  for (int64_t i = 0; i < count; ++i) {
    double d = fabs((double)a[i] - b[i]);
    difference = d > difference || d != d ? d : difference;
    size = fabs(b[i]) > size ? fabs(b[i]) : size;
  }
  return difference / (size + 1e-30);
}

static void measure(MlirContext context, const memory_case *c,
                    const char *options, double seconds) {
  static int64_t samples[2][MAX_RUNS];
  pgopt_text text = {0};
  memory_case_write(c, &text);
  pgopt_program *program = kernel_program_load(context, text.data, options);
  pgopt_text_free(&text);
  if (!program)
    exit(1);
  memory_buffers b = {.count = memory_case_sizes(c, b.elements)};
  for (size_t i = 0; i < b.count; ++i) {
    b.data[i] = create_buffer(b.elements[i], 4);
    pgopt_program_bind(program, i, b.data[i]);
  }
  size_t last = b.count - 1;
  contender contenders[2] = {{"ours", run_program, program}};
  size_t count = 1;
  memory_rival rival;
  if (memory_rival_create(c, &b, &rival))
    contenders[count++] = (contender){rival.name, rival.run, rival.data};
  // The rival writes the last buffer, too: what it gives is compared with ours.
  double error = 0;
  float *result = create_buffer(b.elements[last], 0);
  run_program(program);
  memcpy(result, b.data[last], (size_t)b.elements[last] * sizeof *result);
  for (size_t i = 1; i < count; ++i) {
    contenders[i].run(contenders[i].data);
    const float *theirs = memory_rival_result(contenders[i].data, &b);
    double e = theirs ? error_of(result, theirs, b.elements[last]) : 0;
    error = e > error || e != e ? e : error;
  }
  free(result);
  size_t runs = 0;
  int64_t start = pgopt_rt_now_ns();
  while (runs < 9 || (runs < MAX_RUNS &&
                      (double)(pgopt_rt_now_ns() - start) < seconds * 1e9)) {
    for (size_t i = 0; i < count; ++i)
      samples[i][runs] = time_once(&contenders[i]);
    ++runs;
  }
  pgopt_summary ours = pgopt_summarize(samples[0], runs);
  printf("| %s | %.2f | %.1f | %.1f | %.1f%% |", c->name,
         (double)ours.median_ns / 1e3,
         memory_case_bytes(c) / (double)ours.median_ns,
         memory_case_flops(c) / (double)ours.median_ns,
         100.0 * (double)ours.mad_ns / (double)ours.median_ns);
  for (size_t i = 1; i < count; ++i)
    printf(" %s %.3f |", contenders[i].name,
           1 / pgopt_pair_times(samples[0], samples[i], runs).ratio);
  printf(" %.1e | %zu |\n", error, runs);
  fflush(stdout);
  for (size_t i = 1; i < count; ++i)
    memory_rival_destroy(contenders[i].data);
  for (size_t i = 0; i < b.count; ++i)
    free(b.data[i]);
  pgopt_program_destroy(program);
}

int main(int argc, char **argv) {
  double seconds = 0.3;
  char options[256] = "entry=forward";
  const char *only = "";
  for (int i = 1; i < argc; ++i) {
    if (!strcmp(argv[i], "--seconds") && i + 1 < argc)
      seconds = atof(argv[++i]);
    else if (!strcmp(argv[i], "--options") && i + 1 < argc)
      snprintf(options, sizeof options, "entry=forward %s", argv[++i]);
    else if (!strcmp(argv[i], "--only") && i + 1 < argc)
      only = argv[++i];
    else {
      fprintf(stderr, "usage: memory [--seconds S] [--options 'target-cpu=C'] "
                      "[--only TEXT]\n");
      return 2;
    }
  }
  MlirContext context = kernel_context_create();
  printf("peak %.1f GFLOP/s, %s\n\n", pgopt_rt_measure_peak_gflops(200),
         options);
  printf("| kernel | us | GB/s | GFLOP/s | spread | rival's time / ours | "
         "error | runs |\n|---|---|---|---|---|---|---|---|\n");
  for (size_t i = 0; i < memory_case_count; ++i)
    if (strstr(memory_cases[i].name, only))
      measure(context, &memory_cases[i], options, seconds);
  printf("\npeak %.1f GFLOP/s\n", pgopt_rt_measure_peak_gflops(200));
  mlirContextDestroy(context);
  return 0;
}
