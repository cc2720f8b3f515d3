/// \file What the marks of instrumented programs tell a watch.
///
/// Another process reads the watch while this one writes it, or after this one
/// has died: what it reads in time is written whole, by atomic stores.
///
/// Asking the system whether the thread lost its CPU takes as long as a small
/// kernel. It is asked behind samples of 100 us and more only: where a loss
/// does not make a sample that long, it has not cost much. The CPU time that
/// the thread has used since the last answer then says what the kernel took.
#include "runtime/watch.h"

#include <stdio.h>
#include <string.h>
#include <sys/resource.h>

#include "pgopt/runtime.h"

enum { ASK_FROM_NS = 100000 };

static pgopt_rt_watch *current;

/// How often the thread lost its CPU, and the CPU time that it has used.
static int64_t count_losses(int64_t *cpu_ns) {
  struct rusage usage;
  *cpu_ns = 0;
  if (getrusage(RUSAGE_THREAD, &usage))
    return 0;
  *cpu_ns =
      ((int64_t)usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) * 1000000000 +
      ((int64_t)usage.ru_utime.tv_usec + usage.ru_stime.tv_usec) * 1000;
  return usage.ru_nivcsw;
}

static void store(int64_t *place, int64_t value) {
  __atomic_store_n(place, value, __ATOMIC_RELEASE);
}

void pgopt_rt_set_watch(pgopt_rt_watch *watch) {
  __atomic_store_n(&current, watch, __ATOMIC_RELEASE);
  if (!watch)
    return;
  watch->losses = count_losses(&watch->cpu_ns);
  watch->short_ns = 0;
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
  if (sample_ns < ASK_FROM_NS) {
    watch->short_ns += sample_ns;
  } else {
    int64_t cpu_ns, losses = count_losses(&cpu_ns);
    if (losses != watch->losses) {
      int64_t used_ns = cpu_ns - watch->cpu_ns - watch->short_ns;
      sample = used_ns < 1 ? -1 : used_ns < sample ? -used_ns : -sample;
    }
    watch->losses = losses;
    watch->cpu_ns = cpu_ns;
    watch->short_ns = 0;
    now_ns = pgopt_rt_now_ns();
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
