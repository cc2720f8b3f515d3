#include "machine/roofline.h"

/// The rates of data of which `bytes` are in use: of the cache that they fit
/// into, or of the next one whose rates were measured. Null without any.
static const pgopt_rate *rate_of(const pgopt_machine *machine, int64_t bytes) {
  int64_t second, last;
  pgopt_machine_find_caches(machine, &second, &last);
  for (size_t i = 0; i < machine->rate_count; ++i) {
    int64_t set = machine->rates[i].working_set_bytes;
    if (bytes <= (set <= second ? second : set <= last ? last : INT64_MAX))
      return &machine->rates[i];
  }
  return machine->rate_count ? &machine->rates[machine->rate_count - 1] : NULL;
}

/// Nanoseconds to read so many bytes.
static double read_ns(const pgopt_rate *rate, int64_t bytes) {
  return (double)bytes * 1e3 / (double)rate->read_mb_s;
}

/// To write them: what a copy takes beyond reading.
static double write_ns(const pgopt_rate *rate, int64_t bytes) {
  double ns = (double)bytes * 1e3 / (double)rate->copy_mb_s;
  return rate->copy_mb_s < rate->read_mb_s ? ns - read_ns(rate, bytes) : 0;
}

pgopt_roofline pgopt_machine_roofline(const pgopt_machine *machine,
                                      const pgopt_kernel_work *work,
                                      int64_t all_constant_bytes) {
  pgopt_roofline roofline = {0};
  if (work->lflops > 0 && machine->peak_mflops > 0)
    roofline.compute_ns =
        (double)work->lflops * 1e3 / (double)machine->peak_mflops;
  const pgopt_rate *values = rate_of(machine, work->bytes);
  const pgopt_rate *constants = rate_of(machine, all_constant_bytes);
  if (work->bytes > 0 && values && values->read_mb_s > 0 &&
      values->copy_mb_s > 0 && constants->read_mb_s > 0) {
    int64_t read = work->bytes - work->written_bytes - work->constant_bytes;
    roofline.memory_ns = read_ns(constants, work->constant_bytes) +
                         read_ns(values, read > 0 ? read : 0) +
                         write_ns(values, work->written_bytes);
  }
  return roofline;
}
