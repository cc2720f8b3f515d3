/// \file How a thread waits for a 64-bit atomic word to change: it polls for a
/// short while, then sleeps in the kernel until somebody wakes it.
#ifndef PGOPT_RUNTIME_WAITING_H
#define PGOPT_RUNTIME_WAITING_H

#include <linux/futex.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "pgopt/runtime.h"

/// The kernel compares 32 bits: the half of the word that changes with every
/// value, flags included.
static inline uint32_t *pgopt_futex_half(_Atomic uint64_t *word) {
  return (uint32_t *)word + (__BYTE_ORDER__ == __ORDER_BIG_ENDIAN__);
}

/// Sleeps if the low half of `*word` still is that of `seen`. May return early.
static inline void pgopt_futex_wait(_Atomic uint64_t *word, uint64_t seen) {
  syscall(SYS_futex, pgopt_futex_half(word), FUTEX_WAIT_PRIVATE, (uint32_t)seen,
          NULL, NULL, 0);
}

/// Wakes every sleeper of the word. The word itself is not read: the call is
/// harmless when its memory is gone already.
static inline void pgopt_futex_wake(_Atomic uint64_t *word) {
  syscall(SYS_futex, pgopt_futex_half(word), FUTEX_WAKE_PRIVATE, INT32_MAX,
          NULL, NULL, 0);
}

static inline void pgopt_cpu_relax(void) {
#if defined(__x86_64__) || defined(__i386__)
  __builtin_ia32_pause();
#elif defined(__aarch64__)
  __asm__ volatile("isb" ::: "memory");
#endif
}

/// One polling phase; zero-initialised.
typedef struct pgopt_spin {
  int64_t rounds, deadline_ns;
} pgopt_spin;

/// To be called after every failed poll: false when it is time to sleep, after
/// about `budget_ns`. Pauses, because polls in close succession slow down the
/// core that is about to write; looks at the clock only now and then.
static inline bool pgopt_spin_on(pgopt_spin *spin, int64_t budget_ns) {
  enum { BETWEEN_CLOCKS = 32 };
  pgopt_cpu_relax();
  if (++spin->rounds % BETWEEN_CLOCKS)
    return true;
  int64_t now = pgopt_rt_now_ns();
  if (!spin->deadline_ns)
    spin->deadline_ns = now + budget_ns;
  return now < spin->deadline_ns;
}

#endif // PGOPT_RUNTIME_WAITING_H
