/// \file Plain and instrumented runs alternate, so that a machine that becomes
/// slower or faster meanwhile does so for both. Nothing compiles meanwhile.
#include "tools/pgopt-runner/trial_child.h"

#include "base/statistics.h"
#include "profile/trial.h"
#include "tools/pgopt-runner/bench.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

enum {
  MARKS_A_BATCH = 1000,
  BATCHES = 15,
  FAULT_PAGES = 64,
  DEFAULT_CACHE_BYTES = 32 << 20,
  MOST_CACHE_BYTES = 128 << 20,
  LOSS_NS = 5000, ///< and 2% of the run, or else the CPU was not lost
};

int64_t *trial_row(const trial *t, size_t run) {
  return t->samples + run * t->kernels;
}

// NOLINTNEXTLINE(readability-non-const-parameter): it is written
static void store(int64_t *place, int64_t value) {
  atomic_store_explicit((_Atomic int64_t *)place, value, memory_order_release);
}

static void enter(trial *t, trial_phase phase) {
  store(&t->record->phase_since_ns, pgopt_rt_now_ns());
  store(&t->record->phase, phase);
}

static bool stops(const trial *t) {
  return __atomic_load_n(&t->record->stops, __ATOMIC_ACQUIRE);
}

static struct rusage thread_usage(void) {
  struct rusage usage = {0};
  getrusage(RUSAGE_THREAD, &usage);
  return usage;
}

static int64_t thread_cpu_ns(void) {
  struct timespec used;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &used);
  return (int64_t)used.tv_sec * 1000000000 + used.tv_nsec;
}

typedef struct watched {
  int64_t time_ns; ///< when the thread lost its CPU, minus the CPU time
  int64_t waited_ns, faults;
} watched;

static watched watch_run(const loaded_program *program) {
  struct rusage before = thread_usage();
  int64_t cpu_ns = thread_cpu_ns();
  int64_t time_ns = time_run(program);
  cpu_ns = thread_cpu_ns() - cpu_ns;
  struct rusage after = thread_usage();
  watched run = {.time_ns = time_ns > 0 ? time_ns : 1,
                 .waited_ns = time_ns > cpu_ns ? time_ns - cpu_ns : 0,
                 .faults = after.ru_minflt - before.ru_minflt +
                           after.ru_majflt - before.ru_majflt};
  if (run.waited_ns > LOSS_NS + time_ns / 50)
    run.time_ns = cpu_ns > 0 ? -cpu_ns : -1;
  return run;
}

static int64_t run_instrumented(trial *t, int64_t *row) {
  t->record->watch.samples = row;
  // What the entry does in front of its first mark counts from now.
  store(&t->record->watch.since_ns, pgopt_rt_now_ns());
  pgopt_rt_set_watch(&t->record->watch);
  enter(t, PHASE_INSTRUMENTED);
  int64_t time_ns = watch_run(&t->instrumented).time_ns;
  enter(t, PHASE_OTHER);
  if (llabs(time_ns) > t->record->longest_ns)
    t->record->longest_ns = llabs(time_ns);
  return time_ns;
}

static void run_plain(trial *t, size_t run) {
  if (t->plain_failure)
    return;
  enter(t, PHASE_PLAIN);
  watched one = watch_run(&t->plain);
  enter(t, PHASE_OTHER);
  t->plain_ns[run] = one.time_ns;
  t->waits_ns[run] = one.waited_ns;
  t->faults[run] = one.faults;
}

static void warm_up(trial *t) {
  int64_t start = pgopt_rt_now_ns();
  for (int i = 0; i < 2; ++i) {
    run_instrumented(t, trial_row(t, t->most));
    run_plain(t, 0);
    if (stops(t) || pgopt_rt_now_ns() - start >= t->budget_ns / 4)
      break;
  }
}

/// Memory that is larger than the caches, to push out what they hold.
typedef struct eviction {
  char *memory;
  size_t bytes;
} eviction;

static eviction make_eviction(void) {
  long cache = sysconf(_SC_LEVEL3_CACHE_SIZE);
  if (cache <= 0)
    cache = DEFAULT_CACHE_BYTES;
  eviction e = {.bytes = cache < MOST_CACHE_BYTES / 2 ? 2 * (size_t)cache
                                                      : MOST_CACHE_BYTES};
  e.memory = malloc(e.bytes);
  return e;
}

static void measure_cold(trial *t) {
  eviction e = make_eviction();
  int64_t start = pgopt_rt_now_ns();
  while (e.memory && t->record->cold_runs < TRIAL_COLD_RUNS && !stops(t)) {
    size_t run = (size_t)t->record->cold_runs;
    memset(e.memory, (int)run, e.bytes);
    t->cold_ns[run] = run_instrumented(t, trial_row(t, t->most + 1 + run));
    store(&t->record->cold_runs, (int64_t)run + 1);
    if (pgopt_rt_now_ns() - start > t->budget_ns / 10)
      break;
  }
  free(e.memory);
}

/// Median over batches of what one mark costs.
static void measure_timer(trial *t) {
  int64_t batches[BATCHES], sample;
  pgopt_rt_watch watch = {.kernels = 1, .samples = &sample};
  pgopt_rt_set_watch(&watch);
  for (int i = 0; i < BATCHES; ++i) {
    pgopt_rt_mark(-1);
    int64_t start = pgopt_rt_now_ns();
    for (int mark = 0; mark < MARKS_A_BATCH; ++mark)
      pgopt_rt_mark(0);
    batches[i] = pgopt_rt_now_ns() - start;
  }
  pgopt_rt_set_watch(NULL);
  t->record->timer_ps =
      pgopt_summarize(batches, BATCHES).median_ns * 1000 / MARKS_A_BATCH;
}

static void measure_fault(trial *t) {
  size_t page = (size_t)sysconf(_SC_PAGESIZE);
  char *memory = mmap(NULL, FAULT_PAGES * page, PROT_READ | PROT_WRITE,
                      MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED)
    return;
  madvise(memory, FAULT_PAGES * page, MADV_NOHUGEPAGE);
  int64_t samples[FAULT_PAGES];
  for (size_t i = 0; i < FAULT_PAGES; ++i) {
    int64_t begin = pgopt_rt_now_ns();
    ((volatile char *)memory)[i * page] = 1;
    samples[i] = pgopt_rt_now_ns() - begin;
  }
  t->record->fault_ns = pgopt_summarize(samples, FAULT_PAGES).median_ns;
  munmap(memory, FAULT_PAGES * page);
}

void run_trial_child(void *data) {
  trial *t = data;
  pgopt_rt_timers_reset(0);
  measure_timer(t);
  measure_fault(t);
  warm_up(t);
  int64_t start = pgopt_rt_now_ns();
  while ((size_t)t->record->runs < t->most && !stops(t)) {
    size_t run = (size_t)t->record->runs;
    run_plain(t, run);
    if (stops(t))
      break;
    t->instrumented_ns[run] = run_instrumented(t, trial_row(t, run));
    store(&t->record->runs, (int64_t)run + 1);
    if (pgopt_rt_now_ns() - start >= t->budget_ns &&
        (!t->options->is_paired || t->record->runs >= PGOPT_PAIRED_RUNS))
      break;
  }
  if (!t->options->is_paired)
    measure_cold(t);
}
