/// \file Timers of instrumented programs.
///
/// A run is one row of samples. The thread that runs writes its own row; rows
/// are collected in a list under the guard when the run begins, outside of what
/// is measured.
#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>

#include "base/memory.h"
#include "pgopt/runtime.h"
#include "runtime/fatal.h"
#include "runtime/guard.h"
#include "runtime/watch.h"

/// A sample that no mark has ended.
enum { NO_SAMPLE = -1 };

typedef _Atomic int64_t sample;

static struct {
  sample **runs;
  size_t run_count, run_capacity;
  int64_t kernels;
  _Atomic uint64_t resets;
} timers;

/// The run in progress on this thread; void when there was a reset since.
static _Thread_local struct {
  sample *row;
  int64_t kernels, last_ns;
  uint64_t resets;
} current_run;

void pgopt_rt_timers_reset(int64_t kernels) {
  if (kernels < 0)
    pgopt_runtime_fatal("timers for %lld kernels", (long long)kernels);
  pgopt_guard_lock();
  for (size_t i = 0; i < timers.run_count; ++i)
    free(timers.runs[i]);
  free(timers.runs);
  timers.runs = NULL;
  timers.run_count = timers.run_capacity = 0;
  timers.kernels = kernels;
  atomic_fetch_add_explicit(&timers.resets, 1, memory_order_release);
  pgopt_guard_unlock();
}

static void begin_run(void) {
  pgopt_guard_lock();
  current_run.row = NULL;
  current_run.kernels = timers.kernels;
  current_run.resets =
      atomic_load_explicit(&timers.resets, memory_order_relaxed);
  if (timers.kernels) {
    sample *row = pgopt_allocate((size_t)timers.kernels, sizeof *row);
    for (int64_t i = 0; i < timers.kernels; ++i)
      atomic_init(&row[i], NO_SAMPLE);
    PGOPT_APPEND(timers.runs, timers.run_count, timers.run_capacity, row);
    current_run.row = row;
  }
  pgopt_guard_unlock();
  pgopt_watch_begin();
  current_run.last_ns = pgopt_rt_now_ns();
}

void pgopt_rt_mark(int64_t kernel) {
  if (kernel < 0) {
    begin_run();
    return;
  }
  int64_t now = pgopt_rt_now_ns();
  if (current_run.row && kernel < current_run.kernels &&
      atomic_load_explicit(&timers.resets, memory_order_acquire) ==
          current_run.resets)
    atomic_store_explicit(&current_run.row[kernel], now - current_run.last_ns,
                          memory_order_relaxed);
  current_run.last_ns =
      pgopt_watch_kernel(kernel, now - current_run.last_ns, now);
}

int64_t pgopt_rt_timers_runs(void) {
  pgopt_guard_lock();
  int64_t count = (int64_t)timers.run_count;
  pgopt_guard_unlock();
  return count;
}

int64_t pgopt_rt_timers_sample(int64_t run, int64_t kernel) {
  pgopt_guard_lock();
  int64_t value = NO_SAMPLE;
  if (run >= 0 && (size_t)run < timers.run_count && kernel >= 0 &&
      kernel < timers.kernels)
    value =
        atomic_load_explicit(&timers.runs[run][kernel], memory_order_relaxed);
  pgopt_guard_unlock();
  return value;
}
