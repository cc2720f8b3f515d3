/// \file The ranges that a layer's kernel is cut into, and their Timing.
#ifndef PGOPT_IR_KERNEL_RANGES_H
#define PGOPT_IR_KERNEL_RANGES_H

#include "ir/planned_network.h"
#include "ir/timings.h"
#include "schedule/ranges.h"

/// A layer's kernel, and what is known of its time. All is borrowed.
typedef struct pgopt_timed_kernel {
  MlirOperation module;
  pgopt_timings *timings; ///< may be null
  const pgopt_kernel_plan *plan;
  const char *plain_signature; ///< without the variant
  const char *variant;         ///< null for the model's
  const char *signature;       ///< with the variant
  const pgopt_timing *whole;   ///< null when it is not known
  int64_t tile; ///< iterations that are computed at once, rest or not; >= 1
} pgopt_timed_kernel;

/// Looks up what is known of a group's kernel: its Timing on its core, else by
/// signature. \param timings may be null.
/// \param ignores_variants the model's, whatever was measured.
pgopt_timed_kernel pgopt_time_kernel(MlirOperation module,
                                     pgopt_planned_network *network,
                                     size_t group, pgopt_timings *timings,
                                     bool ignores_variants);

/// What of `total` the iterations [low, high) of the range loop have; of all
/// ranges together it is the total.
int64_t pgopt_range_share(const pgopt_kernel_plan *plan, int64_t total,
                          int64_t low, int64_t high);

/// The Timing of [low, high): its own when it was measured, else its share of
/// the whole's, which must be known.
pgopt_timing pgopt_range_timing(const pgopt_timed_kernel *kernel, int64_t low,
                                int64_t high, pgopt_arena *arena);

/// Time of the range that takes longest, of a kernel whose Timing is known.
double pgopt_longest_range_ns(const pgopt_timed_kernel *kernel,
                              const pgopt_ranges *ranges, pgopt_arena *arena);

/// As many ranges as pay by Timing: each on a core of its own, their waits
/// included, they are done before any smaller number is. One where the kernel
/// cannot be cut, or its Timing is not known.
/// \param most ranges that may be made.
pgopt_ranges pgopt_choose_ranges(const pgopt_timed_kernel *kernel, int64_t most,
                                 const pgopt_sync_costs *costs,
                                 pgopt_arena *arena);

/// So many ranges, fewer where the kernel has fewer iterations.
pgopt_ranges pgopt_make_ranges(const pgopt_timed_kernel *kernel, int64_t parts);

/// Time until all ranges of the kernel, whose Timing is known, are done, each
/// on a core of its own, waits included.
double pgopt_cut_ns(const pgopt_timed_kernel *kernel,
                    const pgopt_ranges *ranges, const pgopt_sync_costs *costs,
                    pgopt_arena *arena);

#endif // PGOPT_IR_KERNEL_RANGES_H
