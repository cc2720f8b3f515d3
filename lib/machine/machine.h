/// \file The machine that Timing is measured on: what it is, what it can do,
/// and the key that says which Timing is comparable.
#ifndef PGOPT_MACHINE_MACHINE_H
#define PGOPT_MACHINE_MACHINE_H

#include "base/status.h"
#include "base/text.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
  PGOPT_MACHINE_TEXT = 256,
  PGOPT_MACHINE_MAX_CACHES = 8,
  PGOPT_MACHINE_MAX_RATES = 8
};

/// A data or unified cache as one core sees it.
typedef struct pgopt_cache {
  int64_t level; ///< 1 is nearest to the core
  int64_t bytes;
  int64_t cpus; ///< logical CPUs that share it
} pgopt_cache;

/// How fast one core moves data that it has just moved before.
typedef struct pgopt_rate {
  int64_t working_set_bytes;
  int64_t read_mb_s; ///< 10^6 bytes a second, read
  int64_t copy_mb_s; ///< 10^6 bytes a second, read once and written once
} pgopt_rate;

/// What cores cost one another. 0: not known.
typedef struct pgopt_sharing {
  /// Picoseconds for each byte read that another core wrote, beyond reading a
  /// byte of one's own.
  int64_t fetch_ps;
  /// The same for each byte written that another core has read since it was
  /// written the last time.
  int64_t reclaim_ps;
  /// From a launch until a worker that slept runs, and until the caller does,
  /// which wakes it.
  int64_t wake_ns, call_ns;
  int64_t peak_mflops; ///< f32, one core, while all compute
  int64_t read_mb_s;   ///< out of memory, all cores together
} pgopt_sharing;

/// 0 and "" stand for "not known". Copied by assignment.
typedef struct pgopt_machine {
  char cpu[PGOPT_MACHINE_TEXT];
  char isa[PGOPT_MACHINE_TEXT]; ///< vector extensions, separated by blanks
  char blas[PGOPT_MACHINE_TEXT];
  int64_t cores; ///< physical, within affinity and quota; >= 1
  int64_t cpus;  ///< logical, within affinity and quota; >= 1
  pgopt_cache caches[PGOPT_MACHINE_MAX_CACHES]; ///< ascending by level
  size_t cache_count;
  pgopt_rate rates[PGOPT_MACHINE_MAX_RATES]; ///< ascending by working set
  size_t rate_count;
  int64_t peak_mflops; ///< f32, one core; 10^6 operations a second
  /// One-way latency of a cache line between two CPUs: smallest and largest
  /// ever seen. Both 0 when not known, or with one CPU.
  int64_t latency_min_ns, latency_max_ns;
  pgopt_sharing sharing;
  int64_t date_s; ///< last measured; seconds since 1970-01-01 UTC
} pgopt_machine;

/// What the system tells about this machine. Nothing is measured: peak, rates,
/// latencies and date stay 0. Takes below a millisecond.
/// \param root put before "/proc" and "/sys": "" except in tests.
void pgopt_machine_describe(const char *root, pgopt_machine *machine);

/// The second and the last cache's bytes; where the machine does not tell, what
/// is common: 1 MiB and 32 MiB.
void pgopt_machine_find_caches(const pgopt_machine *machine, int64_t *second,
                               int64_t *last);

/// Measures `rates` for working sets in the second cache, the last one and
/// memory (as far as memory is free), in about a quarter of a second.
void pgopt_machine_measure_rates(pgopt_machine *machine);

/// Measures peak and latencies for about `budget_ms` each and widens what is
/// known; sets the date.
void pgopt_machine_measure_cores(pgopt_machine *machine, int64_t budget_ms);

/// Measures `sharing` on all cores, at most 64, in about 0.2 s; reading out of
/// memory where the rates are known. Not from inside a launch. With one core it
/// stays unknown.
void pgopt_machine_measure_sharing(pgopt_machine *machine);

/// What moving a block between two cores costs.
/// \param bytes of the block.
/// \param[out] fetch_ps, reclaim_ps as in pgopt_sharing, >= 1.
void pgopt_machine_measure_exchange(int64_t bytes, int64_t *fetch_ps,
                                    int64_t *reclaim_ps);

/// True when nothing of it is known.
static inline bool pgopt_sharing_is_unknown(const pgopt_sharing *sharing) {
  return !sharing->fetch_ps && !sharing->reclaim_ps && !sharing->wake_ns &&
         !sharing->call_ns && !sharing->peak_mflops && !sharing->read_mb_s;
}

/// Appends the key: CPU, vector extensions, cores and BLAS, which is what makes
/// Timing comparable; not what is measured, nor the date.
void pgopt_machine_key(const pgopt_machine *machine, pgopt_text *key);

/// Adds what another description of the same machine knows: the range of
/// latencies becomes wider, the best peak and rates stay (what else ran only
/// slowed a measurement down), of what cores cost one another the least, and
/// of rates for other working sets, or of caches, the longer list. Neither
/// order nor repetition changes the result.
void pgopt_machine_merge(pgopt_machine *machine, const pgopt_machine *other);

/// Refuses a description that no pgopt writes.
pgopt_status pgopt_machine_check(const pgopt_machine *machine,
                                 pgopt_error *error);

/// UTF-8 without control characters. \param limit longest size allowed, bytes.
bool pgopt_text_is_plain(const char *text, size_t limit);

#endif // PGOPT_MACHINE_MACHINE_H
