/// \file What reading costs that another core has just written.
///
/// usage: cross_core
/// Two cores take turns with a block of memory: one writes it, then either the
/// other one or the writer itself reads it. Prints nanoseconds per byte of
/// both, medians over rounds, and the difference, which is what
/// lib/ir/resources.c adds for bytes across cores.
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/statistics.h"
#include "pgopt/runtime.h"

enum { ROUNDS = 401 };

/// What both cores work on.
typedef struct exchange {
  char *block;
  size_t bytes;
  bool by_other; ///< the other core reads
  int64_t times_ns[ROUNDS];
  volatile size_t found;
} exchange;

static void read_block(exchange *e, int64_t round) {
  int64_t begin = pgopt_rt_now_ns();
  e->found = e->found + (memchr(e->block, -1, e->bytes) != NULL);
  e->times_ns[round] = pgopt_rt_now_ns() - begin;
}

static void take_turns(void *frame, int64_t core) {
  exchange *e = frame;
  for (int64_t round = 0; round < ROUNDS; ++round) {
    if (core == 0) {
      memset(e->block, (int)(round % 100), e->bytes);
      if (!e->by_other)
        read_block(e, round);
      pgopt_rt_signal(round + 1);
      pgopt_rt_wait(1, round + 1);
    } else {
      pgopt_rt_wait(0, round + 1);
      if (e->by_other)
        read_block(e, round);
      pgopt_rt_signal(round + 1);
    }
  }
}

/// Nanoseconds per byte.
static double measure(exchange *e, bool by_other) {
  e->by_other = by_other;
  pgopt_rt_launch(take_turns, e, 2);
  return (double)pgopt_summarize(e->times_ns, ROUNDS).median_ns /
         (double)e->bytes;
}

int main(void) {
  double least_ns, most_ns;
  exchange *e = calloc(1, sizeof *e);
  pgopt_rt_measure_latency(50, &least_ns, &most_ns);
  printf("latency %.0f to %.0f ns\n", least_ns, most_ns);
  for (size_t bytes = 16 << 10; bytes <= 16 << 20; bytes *= 4) {
    e->bytes = bytes;
    e->block = malloc(bytes);
    double own = measure(e, false), other = measure(e, true);
    printf("%6zu KiB: own %.4f ns/byte, other's %.4f, difference %.4f\n",
           bytes >> 10, own, other, other - own);
    free(e->block);
  }
  free(e);
  return 0;
}
