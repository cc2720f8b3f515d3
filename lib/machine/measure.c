/// \file What one core can do: rates of reading and copying, multiply-adds, and
/// how far other CPUs are.
///
/// Reading is `memchr` for a byte that is not there, copying is `memcpy`: the C
/// library has both for every processor at the full width of its vectors, and
/// copying is what it is in programs.
#include "machine/machine.h"

#include "pgopt/runtime.h"

#include <math.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

enum {
  LEAST_PASSES = 2,
  RATE_BUDGET_NS = 10000000,      ///< for each rate
  MEMORY_SET_BYTES = 256 << 20,   ///< largest working set
  DEFAULT_SECOND_BYTES = 1 << 20, ///< second cache, when it is not known
  DEFAULT_LAST_BYTES = 32 << 20,  ///< last cache, when it is not known
};

void pgopt_machine_find_caches(const pgopt_machine *machine, int64_t *second,
                               int64_t *last) {
  *second = DEFAULT_SECOND_BYTES;
  *last = DEFAULT_LAST_BYTES;
  for (size_t i = 0; i < machine->cache_count; ++i) {
    const pgopt_cache *cache = &machine->caches[i];
    if (cache->level == 2)
      *second = cache->bytes;
    if (cache->level >= 2)
      *last = cache->bytes;
  }
}

/// Working sets, ascending: half the second cache, four times it (in the last
/// one), and twice the last one, or what is free, for memory.
static size_t choose_sets(const pgopt_machine *machine, int64_t *sets) {
  int64_t second, last, largest = MEMORY_SET_BYTES;
  pgopt_machine_find_caches(machine, &second, &last);
  int64_t pages = sysconf(_SC_AVPHYS_PAGES), page = sysconf(_SC_PAGESIZE);
  if (pages > 0 && page > 0 && pages < largest / page * 8)
    largest = pages * page / 8;
  const int64_t wanted[] = {second / 2, 4 * second < last ? 4 * second : 0,
                            2 * last < largest ? 2 * last : largest};
  size_t count = 0;
  for (size_t i = 0; i < 3; ++i) {
    int64_t bytes = wanted[i] / 4096 * 4096;
    if (bytes && bytes <= largest && (!count || bytes > sets[count - 1]))
      sets[count++] = bytes;
  }
  return count;
}

/// 10^6 bytes a second of the fastest pass of `bytes`.
static int64_t measure_rate(char *data, int64_t bytes, bool copies) {
  int64_t begin = pgopt_rt_now_ns(), now = begin, shortest = INT64_MAX;
  int64_t moved = copies ? bytes / 2 : bytes;
  volatile size_t found = 0;
  for (int pass = 0; pass <= LEAST_PASSES || now - begin < RATE_BUDGET_NS;
       ++pass) {
    if (copies)
      memcpy(data + moved, data, (size_t)moved);
    else
      found = found + (memchr(data, 1, (size_t)bytes) != NULL);
    // The copy is looked at, so that it has to be made.
    found = found + (size_t)((volatile char *)data)[bytes - 1];
    int64_t end = pgopt_rt_now_ns();
    if (pass && end - now < shortest) // the first one warms up
      shortest = end - now;
    now = end;
  }
  return (int64_t)((double)moved * 1e3 / (double)(shortest ? shortest : 1));
}

void pgopt_machine_measure_rates(pgopt_machine *machine) {
  int64_t sets[3];
  size_t count = choose_sets(machine, sets);
  machine->rate_count = 0;
  if (!count)
    return;
  size_t bytes = (size_t)sets[count - 1];
  char *data = mmap(NULL, bytes, PROT_READ | PROT_WRITE,
                    MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (data == MAP_FAILED)
    return;
  memset(data, 0, bytes); // pages that were never written are all one page
  for (size_t i = 0; i < count; ++i)
    machine->rates[machine->rate_count++] =
        (pgopt_rate){sets[i], measure_rate(data, sets[i], false),
                     measure_rate(data, sets[i], true)};
  munmap(data, bytes);
}

void pgopt_machine_measure_cores(pgopt_machine *machine, int64_t budget_ms) {
  double least_ns = 0, most_ns = 0;
  pgopt_machine seen = *machine;
  seen.peak_mflops = llround(1e3 * pgopt_rt_measure_peak_gflops(budget_ms));
  pgopt_rt_measure_latency(budget_ms, &least_ns, &most_ns);
  seen.latency_min_ns = llround(least_ns);
  seen.latency_max_ns = llround(most_ns);
  seen.date_s = time(NULL);
  pgopt_machine_merge(machine, &seen);
}
