/// \file What the runtime itself costs: launches, hops between cores, timers.
///
/// usage: launch_latency
/// Prints medians over batches. One hop is one signal and one wait, core to
/// core and back, to be compared with the latency that a bare ping-pong of one
/// cache line shows.
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "pgopt/runtime.h"

enum {
  BATCHES = 101,
  LAUNCHES = 200,
  HOPS = 1000,
  CALLS = 1000,
  KERNELS = 100,
};

static void nothing(void *frame, int64_t core) { (void)frame, (void)core; }

static void pass_to_and_fro(void *frame, int64_t core) {
  (void)frame;
  for (int64_t i = 1; i <= HOPS; ++i) {
    if (core == 1)
      pgopt_rt_wait(0, i);
    pgopt_rt_signal(i);
    if (core == 0)
      pgopt_rt_wait(1, i);
  }
}

/// Each kernel waits for the one before it, on the other core.
static void run_chain(void *frame, int64_t core) {
  for (int64_t i = 0; i < KERNELS / 2; ++i) {
    if (core || i)
      pgopt_rt_wait(!core, core ? i + 1 : i);
    nothing(frame, core);
    pgopt_rt_signal(i + 1);
  }
}

static void run_apart(void *frame, int64_t core) {
  for (int64_t i = 0; i < KERNELS / 2; ++i)
    nothing(frame, core);
}

static void launch_chain(int64_t cores) {
  for (int i = 0; i < LAUNCHES; ++i)
    pgopt_rt_launch(run_chain, NULL, cores);
}

static void launch_apart(int64_t cores) {
  for (int i = 0; i < LAUNCHES; ++i)
    pgopt_rt_launch(run_apart, NULL, cores);
}

static void launch_nothing(int64_t cores) {
  for (int i = 0; i < LAUNCHES; ++i)
    pgopt_rt_launch(nothing, NULL, cores);
}

static void launch_hops(int64_t cores) {
  pgopt_rt_launch(pass_to_and_fro, NULL, cores);
}

/// Long enough for the workers to fall asleep.
static void sleep_and_launch(int64_t cores) {
  nanosleep(&(struct timespec){0, 2000000}, NULL);
  int64_t begin = pgopt_rt_now_ns();
  pgopt_rt_launch(nothing, NULL, cores);
  printf(" %.1f", (double)(pgopt_rt_now_ns() - begin) / 1000);
}

/// The ping-pong of an entry with two schedules: counts for a second.
static void measure_core_latency(void) {
  printf("core latency, measured anew [us (ns)]:");
  for (int i = 0; i < 5; ++i) {
    nanosleep(&(struct timespec){1, 10000000}, NULL);
    int64_t begin = pgopt_rt_now_ns();
    int64_t latency_ns = pgopt_rt_core_latency();
    printf(" %.1f (%lld)", (double)(pgopt_rt_now_ns() - begin) / 1000,
           (long long)latency_ns);
  }
  printf("\n");
}

static void ask_core_latency(int64_t unused) {
  (void)unused;
  for (int i = 0; i < CALLS; ++i)
    pgopt_rt_core_latency();
}

static void mark(int64_t unused) {
  (void)unused;
  pgopt_rt_mark(-1);
  for (int i = 0; i < CALLS; ++i)
    pgopt_rt_mark(i);
}

static void record_spans(int64_t core) {
  for (int i = 0; i < CALLS; ++i)
    pgopt_rt_span(core, i, 1);
}

static void get_arena(int64_t unused) {
  (void)unused;
  static const char program;
  for (int i = 0; i < CALLS; ++i)
    pgopt_rt_arena(&program, 1024);
}

static int compare(const void *left, const void *right) {
  double a = *(const double *)left, b = *(const double *)right;
  return (a > b) - (a < b);
}

static void report(const char *what, void (*run)(int64_t), int64_t argument,
                   int64_t repetitions) {
  double times[BATCHES];
  for (int i = 0; i < BATCHES; ++i) {
    int64_t begin = pgopt_rt_now_ns();
    run(argument);
    times[i] = (double)(pgopt_rt_now_ns() - begin) / (double)repetitions;
  }
  qsort(times, BATCHES, sizeof *times, compare);
  printf("%-34s %9.1f ns  (%.1f to %.1f)\n", what, times[BATCHES / 2],
         times[BATCHES / 10], times[BATCHES - 1 - BATCHES / 10]);
}

static void report_latency(void) {
  double smallest, largest;
  pgopt_rt_measure_latency(15, &smallest, &largest);
  printf("%-34s %9.1f to %.1f ns\n", "one-way latency", smallest, largest);
}

int main(void) {
  printf("CPUs %lld, cores %lld, peak %.1f GFLOP/s\n",
         (long long)pgopt_rt_cpu_count(0), (long long)pgopt_rt_cpu_count(1),
         pgopt_rt_measure_peak_gflops(50));
  report_latency();
  report("signal and wait, one hop", launch_hops, 2, 2 * HOPS);
  report_latency();
  report("empty launch, 1 core", launch_nothing, 1, LAUNCHES);
  report("empty launch, 2 cores", launch_nothing, 2, LAUNCHES);
  report("empty launch, 3 cores", launch_nothing, 3, LAUNCHES);
  report("empty launch, 8 cores", launch_nothing, 8, LAUNCHES);
  report("100 empty kernels, none waits", launch_apart, 2, LAUNCHES);
  report("100 empty kernels, each waits", launch_chain, 2, LAUNCHES);
  printf("empty launch, 2 cores, after 2 ms [us]:");
  for (int i = 0; i < 10; ++i)
    sleep_and_launch(2);
  printf("\n");
  report("core latency, known", ask_core_latency, 0, CALLS);
  measure_core_latency();
  pgopt_rt_timers_reset(CALLS);
  report("mark", mark, 0, CALLS);
  pgopt_rt_timers_reset(0);
  report("span, not recording", record_spans, 0, CALLS);
  pgopt_rt_trace_start(BATCHES * CALLS);
  report("span, recording", record_spans, 0, CALLS);
  report("arena", get_arena, 0, CALLS);
  return 0;
}
