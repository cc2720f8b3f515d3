/// \file Memory-bound kernels against loops of AVX-512 intrinsics and oneDNN,
/// one thread: depthwise convolutions and pools, elementwise operations,
/// reductions, norms, copies, transposes.
///
/// usage: memory [--seconds S] [--options O] [--only TEXT]
///
/// All run in turn in one process; each timed call follows an untimed one of
/// the same kernel. oneDNN takes its own layout for convolutions, channels last
/// for pools. GB/s count every array once. Prints a table.
#include "memory_streams.h"

#include "base/statistics.h"
#include "kernel_program.h"
#include "pgopt/runtime.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_RUNS = 20000, MAX_CONTENDERS = 3 };

typedef struct contender {
  const char *name;
  void (*run)(void *data);
  void *data;
} contender;

static void run_program(void *program) { pgopt_program_run(program); }

/// A loop of intrinsics with what it runs on.
typedef struct stream_run {
  const memory_stream *stream;
  const memory_buffers *buffers;
} stream_run;

static void run_loop(void *data) {
  const stream_run *r = data;
  r->stream->loop(r->stream, r->buffers->data);
}

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
    double value = fabs((double)b[i]);
    size = value > size ? value : size;
  }
  return difference / (size + 1e-30);
}

/// Ours, and the loop of intrinsics and oneDNN's kernel where there are.
typedef struct race {
  const char *name;
  double bytes, flops;
  pgopt_program *program;
  memory_buffers buffers;
  size_t count;
  contender contenders[MAX_CONTENDERS];
} race;

static void enter(race *r, const memory_rival *rival) {
  r->contenders[r->count++] = (contender){rival->name, rival->run, rival->data};
}

/// Loads the program and binds its arguments to random data.
static void prepare(race *r, MlirContext context, const char *text,
                    const char *passes) {
  r->program = kernel_program_pipeline(context, text, passes);
  if (!r->program)
    exit(1);
  for (size_t i = 0; i < r->buffers.count; ++i) {
    r->buffers.data[i] = create_buffer(r->buffers.elements[i], 4);
    if (i < pgopt_program_argument_count(r->program))
      pgopt_program_bind(r->program, i, r->buffers.data[i]);
  }
  r->contenders[r->count++] = (contender){"ours", run_program, r->program};
}

/// The largest difference of the others' results to ours. Rivals write the last
/// buffer, and so does a program that returns nothing.
static double compare(const race *r) {
  size_t last = r->buffers.count - 1;
  int64_t elements = r->buffers.elements[last];
  float *result = create_buffer(elements, 0);
  double error = 0;
  run_program(r->program);
  if (pgopt_program_result_count(r->program))
    pgopt_program_read(r->program, 0, result);
  else
    memcpy(result, r->buffers.data[last], (size_t)elements * sizeof *result);
  for (size_t i = 1; i < r->count; ++i) {
    const contender *c = &r->contenders[i];
    c->run(c->data);
    const float *theirs = c->run == run_loop
                              ? r->buffers.data[last]
                              : memory_rival_result(c->data, &r->buffers);
    double e = theirs ? error_of(result, theirs, elements) : 0;
    error = e > error || e != e ? e : error;
  }
  free(result);
  return error;
}

/// What the others take by what we take.
static void print_ratio(const race *r, void (*run)(void *), const int64_t *ours,
                        int64_t (*samples)[MAX_RUNS], size_t runs) {
  for (size_t i = 1; i < r->count; ++i)
    if ((r->contenders[i].run == run_loop) == (run == run_loop)) {
      printf(" %.3f |", 1 / pgopt_pair_times(ours, samples[i], runs).ratio);
      return;
    }
  printf(" |");
}

static void hold(race *r, double seconds) {
  static int64_t samples[MAX_CONTENDERS][MAX_RUNS];
  double error = compare(r);
  size_t runs = 0;
  int64_t start = pgopt_rt_now_ns();
  while (runs < 9 || (runs < MAX_RUNS &&
                      (double)(pgopt_rt_now_ns() - start) < seconds * 1e9)) {
    for (size_t i = 0; i < r->count; ++i)
      samples[i][runs] = time_once(&r->contenders[i]);
    ++runs;
  }
  pgopt_summary ours = pgopt_summarize(samples[0], runs);
  printf("| %s | %.2f | %.1f | %.1f | %.1f%% |", r->name,
         (double)ours.median_ns / 1e3, r->bytes / (double)ours.median_ns,
         r->flops / (double)ours.median_ns,
         100.0 * (double)ours.mad_ns / (double)ours.median_ns);
  print_ratio(r, run_loop, samples[0], samples, runs);
  print_ratio(r, NULL, samples[0], samples, runs);
  printf(" %.1e | %zu |\n", error, runs);
  fflush(stdout);
  for (size_t i = 1; i < r->count; ++i)
    if (r->contenders[i].run != run_loop)
      memory_rival_destroy(r->contenders[i].data);
  for (size_t i = 0; i < r->buffers.count; ++i)
    free(r->buffers.data[i]);
  pgopt_program_destroy(r->program);
}

static void measure_window(MlirContext context, const memory_case *c,
                           const char *options, double seconds) {
  pgopt_text text = {0}, passes = {0};
  memory_rival rival;
  race r = {.name = c->name,
            .bytes = memory_case_bytes(c),
            .flops = memory_case_flops(c)};
  r.buffers.count = memory_case_sizes(c, r.buffers.elements);
  memory_case_write(c, &text);
  pgopt_text_append(&passes, "pgopt-lower{%s}", options);
  prepare(&r, context, text.data, passes.data);
  if (memory_rival_create(c, &r.buffers, &rival))
    enter(&r, &rival);
  hold(&r, seconds);
  pgopt_text_free(&passes);
  pgopt_text_free(&text);
}

static void measure_stream(MlirContext context, const memory_stream *s,
                           const char *options, double seconds) {
  pgopt_text text = {0}, passes = {0};
  memory_rival rival;
  race r = {.name = s->name};
  r.buffers.count = memory_stream_sizes(s, r.buffers.elements);
  r.bytes = memory_stream_bytes(s);
  memory_stream_write(s, &text);
  pgopt_text_append(&passes, "form-kernels,pgopt-lower{%s}", options);
  prepare(&r, context, text.data, passes.data);
  memory_stream_fill(s, &r.buffers);
  stream_run own = {s, &r.buffers};
  if (memory_loops_run())
    enter(&r, &(memory_rival){"intrinsics", run_loop, &own});
  if (memory_stream_rival_create(s, &r.buffers, &rival))
    enter(&r, &rival);
  hold(&r, seconds);
  pgopt_text_free(&passes);
  pgopt_text_free(&text);
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
  printf("| kernel | us | GB/s | GFLOP/s | spread | intrinsics / ours | "
         "oneDNN / ours | error | runs |\n|---|---|---|---|---|---|---|---|---|"
         "\n");
  for (size_t i = 0; i < memory_case_count; ++i)
    if (strstr(memory_cases[i].name, only))
      measure_window(context, &memory_cases[i], options, seconds);
  for (size_t i = 0; i < memory_stream_count; ++i)
    if (strstr(memory_streams[i].name, only))
      measure_stream(context, &memory_streams[i], options, seconds);
  printf("\npeak %.1f GFLOP/s\n", pgopt_rt_measure_peak_gflops(200));
  mlirContextDestroy(context);
  return 0;
}
