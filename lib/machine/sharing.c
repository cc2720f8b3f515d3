/// \file What cores cost one another: bytes that pass between them, waking a
/// worker, and what each has left when all compute or read.
///
/// A cache line that another core has written comes from that core's cache. One
/// that another core has read since must be taken away from it before it is
/// written again, which some processors do one line after the other: writing
/// what was read elsewhere is then many times slower than reading it there.
#include "machine/machine.h"

#include "base/memory.h"
#include "base/statistics.h"
#include "pgopt/runtime.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

enum {
  ROUNDS = 101,
  VALUES = 9,
  PAUSE_NS = 2000000, ///< longer than workers poll
  MOST_CORES = 64,
  MOST_BYTES = 512 << 20, ///< that all cores read together
};

/// Two cores and a block. In every round the first one writes it twice, then
/// the second one reads it twice: what each takes the first time, it takes for
/// the other one's having had it.
typedef struct exchange {
  char *block;
  size_t bytes;
  int64_t reclaim_ns[ROUNDS], fetch_ns[ROUNDS]; ///< first minus second time
  volatile size_t found;
} exchange;

/// As kernels write: not by memset, which may take whole lines without reading
/// them.
static void write_block(exchange *e, int value) {
  typedef uint8_t vector __attribute__((vector_size(16)));
  vector values = (uint8_t)value + (vector){0};
  for (size_t i = 0; i < e->bytes; i += sizeof values) {
    *(vector *)(e->block + i) = values;
    __asm__ volatile("" ::: "memory");
  }
}

static void read_block(exchange *e, int value) {
  e->found = e->found + (memchr(e->block, value, e->bytes) != NULL);
}

static int64_t first_beyond_second(exchange *e, void access(exchange *, int),
                                   int value) {
  int64_t begin = pgopt_rt_now_ns();
  access(e, value);
  int64_t middle = pgopt_rt_now_ns();
  access(e, value);
  return middle - begin - (pgopt_rt_now_ns() - middle);
}

static void take_turns(void *frame, int64_t core) {
  exchange *e = frame;
  for (int64_t round = 0; round < ROUNDS; ++round) {
    if (core == 0) {
      e->reclaim_ns[round] =
          first_beyond_second(e, write_block, (int)(round % 100));
      pgopt_rt_signal(round + 1);
      pgopt_rt_wait(1, round + 1);
    } else {
      pgopt_rt_wait(0, round + 1);
      e->fetch_ns[round] = first_beyond_second(e, read_block, 100);
      pgopt_rt_signal(round + 1);
    }
  }
}

/// Picoseconds for a byte.
static int64_t per_byte(const int64_t *times_ns, size_t bytes) {
  int64_t median_ns = pgopt_summarize(times_ns, ROUNDS).median_ns;
  int64_t ps = llround((double)median_ns * 1e3 / (double)bytes);
  return ps > 0 ? ps : 1;
}

void pgopt_machine_measure_exchange(int64_t bytes, int64_t *fetch_ps,
                                    int64_t *reclaim_ps) {
  exchange *e = pgopt_allocate(1, sizeof *e);
  e->bytes = (size_t)bytes;
  e->block = pgopt_allocate(e->bytes, 1);
  pgopt_rt_launch(take_turns, e, 2);
  *fetch_ps = per_byte(e->fetch_ns, e->bytes);
  *reclaim_ps = per_byte(e->reclaim_ns, e->bytes);
  free(e->block);
  free(e);
}

/// When the two cores of a launch began.
typedef struct start {
  int64_t began_ns[2];
} start;

static void note_begin(void *frame, int64_t core) {
  ((start *)frame)->began_ns[core] = pgopt_rt_now_ns();
}

/// Medians over launches after pauses that workers sleep in.
static void measure_waking(pgopt_sharing *sharing) {
  int64_t wake_ns[VALUES], call_ns[VALUES];
  for (int i = 0; i < VALUES; ++i) {
    start s;
    int64_t pause_ns = pgopt_rt_now_ns();
    while (pgopt_rt_now_ns() - pause_ns < PAUSE_NS)
      continue;
    int64_t begin_ns = pgopt_rt_now_ns();
    pgopt_rt_launch(note_begin, &s, 2);
    call_ns[i] = s.began_ns[0] - begin_ns;
    wake_ns[i] = s.began_ns[1] - begin_ns;
  }
  sharing->call_ns = pgopt_summarize(call_ns, VALUES).median_ns;
  sharing->wake_ns = pgopt_summarize(wake_ns, VALUES).median_ns;
}

/// What all cores do at once. Each finds several values, of which the median
/// counts: the first and the last may not have had all others beside them.
typedef struct crowd {
  int64_t cores;
  char *data;
  int64_t slice_bytes;
  int64_t values[MOST_CORES][VALUES];
  volatile size_t found[MOST_CORES];
} crowd;

/// Waits until all have begun.
static void meet(const crowd *c, int64_t core) {
  pgopt_rt_signal(1);
  for (int64_t other = 0; other < c->cores; ++other)
    if (other != core)
      pgopt_rt_wait(other, 1);
}

static void compute(void *frame, int64_t core) {
  crowd *c = frame;
  meet(c, core);
  for (int i = 0; i < VALUES; ++i)
    c->values[core][i] = llround(1e3 * pgopt_rt_measure_peak_gflops(0));
}

static void read_slice(void *frame, int64_t core) {
  crowd *c = frame;
  char *slice = c->data + core * c->slice_bytes;
  memset(slice, 0, (size_t)c->slice_bytes);
  meet(c, core);
  for (int i = 0; i < VALUES; ++i) {
    int64_t begin = pgopt_rt_now_ns();
    c->found[core] += memchr(slice, 1, (size_t)c->slice_bytes) != NULL;
    int64_t time_ns = pgopt_rt_now_ns() - begin;
    c->values[core][i] = llround((double)c->slice_bytes * 1e3 /
                                 (double)(time_ns > 0 ? time_ns : 1));
  }
}

/// The sum of the cores' medians.
static int64_t run_together(crowd *c, pgopt_rt_core_function function) {
  int64_t sum = 0;
  pgopt_rt_launch(function, c, c->cores);
  for (int64_t core = 0; core < c->cores; ++core)
    sum += pgopt_summarize(c->values[core], VALUES).median_ns;
  return sum;
}

/// Every core reads memory of its own, as much as the largest working set whose
/// rate is known, or its share of what is allowed.
static int64_t measure_reading(crowd *c, const pgopt_machine *machine) {
  if (!machine->rate_count)
    return 0;
  c->slice_bytes = machine->rates[machine->rate_count - 1].working_set_bytes;
  if (c->slice_bytes > MOST_BYTES / c->cores)
    c->slice_bytes = MOST_BYTES / c->cores / 4096 * 4096;
  size_t bytes = (size_t)(c->slice_bytes * c->cores);
  c->data = mmap(NULL, bytes, PROT_READ | PROT_WRITE,
                 MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (c->data == MAP_FAILED)
    return 0;
  int64_t rate = run_together(c, read_slice);
  munmap(c->data, bytes);
  return rate;
}

void pgopt_machine_measure_sharing(pgopt_machine *machine) {
  int64_t second, last;
  if (machine->cores < 2)
    return;
  pgopt_machine_find_caches(machine, &second, &last);
  pgopt_sharing seen;
  pgopt_machine_measure_exchange(second / 2, &seen.fetch_ps, &seen.reclaim_ps);
  measure_waking(&seen);
  crowd *c = pgopt_allocate(1, sizeof *c);
  c->cores = machine->cores < MOST_CORES ? machine->cores : MOST_CORES;
  seen.peak_mflops = run_together(c, compute) / c->cores;
  seen.read_mb_s = measure_reading(c, machine);
  free(c);
  machine->sharing = seen;
}
