/// \file What cores cost one another: bytes that pass between two of them, by
/// the size of the block, and the rates of one core and of all at once.
///
/// usage: cross_core
#include <inttypes.h>
#include <stdio.h>

#include "machine/machine.h"

static double share(int64_t together, int64_t alone) {
  return alone ? (double)together / (double)alone : 0;
}

int main(void) {
  pgopt_machine machine;
  pgopt_machine_describe("", &machine);
  pgopt_machine_measure_rates(&machine);
  pgopt_machine_measure_cores(&machine, 50);
  pgopt_machine_measure_sharing(&machine);
  printf("latency %" PRId64 " to %" PRId64 " ns\n", machine.latency_min_ns,
         machine.latency_max_ns);
  for (int64_t bytes = 16 << 10; bytes <= 16 << 20; bytes *= 4) {
    int64_t fetch_ps, reclaim_ps;
    pgopt_machine_measure_exchange(bytes, &fetch_ps, &reclaim_ps);
    printf("%6" PRId64 " KiB: %.3f ns a byte to read what the other core "
           "wrote, %.3f to write what it has read\n",
           bytes >> 10, (double)fetch_ps / 1e3, (double)reclaim_ps / 1e3);
  }
  const pgopt_sharing *s = &machine.sharing;
  printf("each core has %.3f of its own peak while all compute\n",
         share(s->peak_mflops, machine.peak_mflops));
  if (machine.rate_count)
    printf("all cores read %" PRId64 " MB/s out of memory, one alone %" PRId64
           "\n",
           s->read_mb_s, machine.rates[machine.rate_count - 1].read_mb_s);
  return 0;
}
