/// \file The ranges that a kernel is cut into: how many pay, and where each
/// begins.
#ifndef PGOPT_SCHEDULE_RANGES_H
#define PGOPT_SCHEDULE_RANGES_H

#include "network/network.h"
#include "schedule/schedule.h"

/// `parts` ranges over [0, extent), none of them empty. All but the last end at
/// multiples of `step`.
typedef struct pgopt_ranges {
  int64_t extent, step, parts;
} pgopt_ranges;

/// Ranges as equal as their steps allow.
/// \param extent iterations of the range loop, >= 1.
/// \param tile iterations that the kernel computes at once, a rest of which
///   takes as long as all of them; >= 1. Kept where there are as many tiles as
///   ranges.
/// \param line iterations after which a result is at the begin of a cache line
///   again, >= 1. Kept where no range gets more than an eighth longer for it.
/// \param parts wanted; no more than iterations are made.
pgopt_ranges pgopt_ranges_make(int64_t extent, int64_t tile, int64_t line,
                               int64_t parts);

/// Where range `part` begins; the extent for `part` = `parts`.
int64_t pgopt_ranges_begin(const pgopt_ranges *ranges, int64_t part);

/// Iterations of the longest range.
int64_t pgopt_ranges_longest(const pgopt_ranges *ranges);

/// Time until all ranges are done, from when their operands are: each waits for
/// what the others wrote before it begins, and what follows for all of them.
/// \param longest_ns the time of the range that takes longest.
/// \param shared_bytes that every range reads all of, written by all cores.
double pgopt_ranges_cost(const pgopt_sync_costs *costs, double longest_ns,
                         int64_t shared_bytes, int64_t parts);

/// True when ranges that take `cost_ns` are worth it where one way to compute
/// the kernel that takes `best_ns` is known: less by more than 2%.
bool pgopt_ranges_pay(double cost_ns, double best_ns);

/// Iterations of every range; PGOPT_DYNAMIC when they differ.
int64_t pgopt_ranges_length(const pgopt_ranges *ranges);

#endif // PGOPT_SCHEDULE_RANGES_H
