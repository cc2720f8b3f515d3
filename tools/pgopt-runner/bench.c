#include "tools/pgopt-runner/bench.h"

#include "base/memory.h"
#include "pgopt/runtime.h"
#include "tools/pgopt-runner/terminal.h"

#include <stdio.h>
#include <stdlib.h>

enum { WARMUP_RUNS = 2, WARMUP_MOST_NS = 500000000, MAX_SAMPLES = 1000000 };

int64_t time_run(const loaded_program *loaded) {
  int64_t start = pgopt_rt_now_ns();
  pgopt_program_run(loaded->program);
  return pgopt_rt_now_ns() - start;
}

static void print_summary(const char *path, const pgopt_summary *summary) {
  printf("%s: median %.3f us, min %.3f us, mad %.3f us, %lld runs\n", path,
         (double)summary->median_ns / 1e3, (double)summary->min_ns / 1e3,
         (double)summary->mad_ns / 1e3, (long long)summary->runs);
}

int run_bench(const runner_options *options, const loaded_program *loaded,
              const loaded_program *other) {
  // Page faults, caches and workers: the first runs are not like the others.
  int64_t tenth_ns = (int64_t)(options->bench_seconds * 1e8);
  int64_t warm_until = pgopt_rt_now_ns() +
                       (tenth_ns < WARMUP_MOST_NS ? tenth_ns : WARMUP_MOST_NS);
  progress("measuring for %g s", options->bench_seconds);
  defer_interrupts();
  for (int i = 0; i < WARMUP_RUNS || pgopt_rt_now_ns() < warm_until; ++i) {
    time_run(loaded);
    if (other)
      time_run(other);
    if (is_interrupted())
      break;
  }
  int64_t *samples = pgopt_allocate(MAX_SAMPLES, sizeof *samples);
  int64_t *others = pgopt_allocate(MAX_SAMPLES, sizeof *others);
  int64_t end = pgopt_rt_now_ns() + 10 * tenth_ns;
  size_t count = 0;
  while (count < MAX_SAMPLES && !is_interrupted() &&
         (!count || pgopt_rt_now_ns() < end)) {
    samples[count] = time_run(loaded);
    others[count] = other ? time_run(other) : 0;
    ++count;
  }
  progress(NULL);
  pgopt_summary summary = pgopt_summarize(samples, count);
  if (count)
    print_summary(loaded->path, &summary);
  if (count && other) {
    summary = pgopt_summarize(others, count);
    print_summary(other->path, &summary);
    pgopt_pairing pairing = pgopt_pair_times(samples, others, count);
    printf("ratio %.3f (p = %.2g): %s\n", pairing.ratio, pairing.p_value,
           pairing.a_is_faster   ? "faster"
           : pairing.b_is_faster ? "slower"
                                 : "no clear difference");
  }
  fflush(stdout);
  free(samples);
  free(others);
  if (is_interrupted())
    complain("interrupted after %zu runs", count);
  resume_interrupts();
  return 0;
}
