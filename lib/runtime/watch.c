/// \file What the marks of instrumented programs tell a watch.
///
/// Another process reads the watch while this one writes it, or after this one
/// has died: what it reads in time is written whole, by atomic stores.
///
/// Asking the system for the CPU time that the thread has used takes as long as
/// a small kernel. It is asked behind samples of 100 us and more only: where
/// losing the CPU does not make a sample that long, it has not cost much.
/// Wall-clock time since the last answer less CPU time is what was lost.
#include "runtime/watch.h"

#include <stdatomic.h>
#include <stdio.h>
#include <time.h>

#include "pgopt/runtime.h"

enum {
  ASK_FROM_NS = 100000,
  LOSS_NS = 5000, ///< and 2% of the sample, or else nothing was lost
};

static pgopt_rt_watch *current;

/// Remembers what the clocks show. \returns what was lost since the last time.
static int64_t ask(pgopt_rt_watch *watch) {
  struct timespec used;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &used);
  int64_t cpu_ns = (int64_t)used.tv_sec * 1000000000 + used.tv_nsec;
  int64_t now_ns = pgopt_rt_now_ns();
  int64_t lost_ns = now_ns - watch->asked_ns - (cpu_ns - watch->cpu_ns);
  watch->cpu_ns = cpu_ns;
  watch->asked_ns = now_ns;
  return lost_ns;
}

// NOLINTNEXTLINE(readability-non-const-parameter): it is written
static void store(int64_t *place, int64_t value) {
  atomic_store_explicit((_Atomic int64_t *)place, value, memory_order_release);
}

void pgopt_rt_set_watch(pgopt_rt_watch *watch) {
  __atomic_store_n(&current, watch, __ATOMIC_RELEASE);
  if (!watch)
    return;
  ask(watch);
}

void pgopt_watch_begin(void) {
  pgopt_rt_watch *watch = __atomic_load_n(&current, __ATOMIC_ACQUIRE);
  if (!watch)
    return;
  store(&watch->since_ns, pgopt_rt_now_ns());
  store(&watch->kernel, 0);
}

int64_t pgopt_watch_kernel(int64_t kernel, int64_t sample_ns, int64_t now_ns) {
  pgopt_rt_watch *watch = __atomic_load_n(&current, __ATOMIC_ACQUIRE);
  if (!watch || kernel >= watch->kernels)
    return now_ns;
  int64_t sample = sample_ns > 0 ? sample_ns : 1;
  if (sample_ns >= ASK_FROM_NS) {
    int64_t lost_ns = ask(watch);
    if (lost_ns > LOSS_NS + sample / 50)
      sample = lost_ns < sample ? lost_ns - sample : -1;
    now_ns = watch->asked_ns;
  }
  store(&watch->samples[kernel], sample);
  store(&watch->since_ns, now_ns);
  store(&watch->kernel, kernel + 1);
  return now_ns;
}

void pgopt_watch_last_words(const char *text) {
  pgopt_rt_watch *watch = __atomic_load_n(&current, __ATOMIC_ACQUIRE);
  if (watch)
    snprintf(watch->last_words, sizeof watch->last_words, "%s", text);
}

void pgopt_rt_out_of_memory(int64_t bytes) {
  char text[64];
  snprintf(text, sizeof text, "out of memory, asking for %lld bytes",
           (long long)bytes);
  pgopt_watch_last_words(text);
}
