/// \file The ranges that a layer's kernel is cut into, and their Timing.
#include "ir/kernel_ranges.h"

#include "grouping/signature.h"
#include "ir/kernel_signature.h"

#include <string.h>

/// Iterations of the range loop that the group's kernel computes at once: rows
/// of an image in Winograd's tiles.
static int64_t range_tile(MlirOperation module, const pgopt_network *network,
                          const pgopt_group *group) {
  const pgopt_op *core = &network->ops[group->core];
  int64_t size =
      pgopt_group_winograd(network, group, pgopt_winograd_of(module));
  int loop = size ? pgopt_range_loop(core) : -1;
  return loop >= 0 && pgopt_map_dimension(core, 0, loop) < 0 &&
                 pgopt_map_dimension(core, 1, loop) < 0
             ? size
             : 1;
}

pgopt_timed_kernel pgopt_time_kernel(MlirOperation module,
                                     pgopt_planned_network *network,
                                     size_t group_number,
                                     pgopt_timings *timings,
                                     bool ignores_variants) {
  const pgopt_network *n = &network->ir.network;
  const pgopt_group *group = &network->grouping.groups[group_number];
  pgopt_arena *arena = &network->arena;
  pgopt_timed_kernel kernel = {
      .module = module,
      .timings = timings,
      .plan = &network->plans[group_number],
      .plain_signature = pgopt_kernel_signature(module, n, group, arena),
      .tile = range_tile(module, n, group)};
  if (!ignores_variants)
    kernel.variant =
        pgopt_timings_variant(timings, module, kernel.plain_signature, arena);
  kernel.signature = kernel.variant
                         ? pgopt_variant_signature(kernel.plain_signature,
                                                   kernel.variant, arena)
                         : kernel.plain_signature;
  pgopt_timing timing;
  if (pgopt_get_timing(network->ir.ops[group->core], &timing) ||
      pgopt_timings_find(timings, module, kernel.signature, &timing))
    kernel.whole = pgopt_arena_copy(arena, &timing, sizeof timing);
  return kernel;
}

/// The differences of consecutive ends sum to the total.
static int64_t share_until(int64_t total, int64_t end, int64_t extent) {
  return (int64_t)((__int128)total * end / extent);
}

int64_t pgopt_range_share(const pgopt_kernel_plan *plan, int64_t total,
                          int64_t low, int64_t high) {
  return share_until(total, high, plan->range_extent) -
         share_until(total, low, plan->range_extent);
}

pgopt_timing pgopt_range_timing(const pgopt_timed_kernel *kernel, int64_t low,
                                int64_t high, pgopt_arena *arena) {
  const pgopt_timing *whole = kernel->whole;
  pgopt_timing timing = *whole;
  if (high - low == kernel->plan->range_extent ||
      pgopt_timings_find(
          kernel->timings, kernel->module,
          pgopt_part_signature(kernel->signature, low, high, arena), &timing))
    return timing;
  timing.median_ns =
      pgopt_range_share(kernel->plan, whole->median_ns, low, high);
  timing.min_ns = pgopt_range_share(kernel->plan, whole->min_ns, low, high);
  timing.mad_ns = pgopt_range_share(kernel->plan, whole->mad_ns, low, high);
  strcpy(timing.source, "derived");
  return timing;
}

pgopt_ranges pgopt_make_ranges(const pgopt_timed_kernel *kernel,
                               int64_t parts) {
  return pgopt_ranges_make(kernel->plan->range_extent, kernel->tile,
                           kernel->plan->range_line,
                           kernel->plan->can_cut ? parts : 1);
}

/// Time of the range that takes longest. The first one has most iterations: it
/// alone counts where it was not measured.
double pgopt_longest_range_ns(const pgopt_timed_kernel *kernel,
                              const pgopt_ranges *ranges, pgopt_arena *arena) {
  int64_t longest = 0;
  for (int64_t part = 0; part < ranges->parts; ++part) {
    pgopt_timing timing =
        pgopt_range_timing(kernel, pgopt_ranges_begin(ranges, part),
                           pgopt_ranges_begin(ranges, part + 1), arena);
    longest = timing.median_ns > longest ? timing.median_ns : longest;
    if (!part && !strcmp(timing.source, "derived"))
      break;
  }
  return (double)longest;
}

double pgopt_cut_ns(const pgopt_timed_kernel *kernel,
                    const pgopt_ranges *ranges, const pgopt_sync_costs *costs,
                    pgopt_arena *arena) {
  return pgopt_ranges_cost(costs, pgopt_longest_range_ns(kernel, ranges, arena),
                           kernel->plan->shared_bytes, ranges->parts);
}

pgopt_ranges pgopt_choose_ranges(const pgopt_timed_kernel *kernel, int64_t most,
                                 const pgopt_sync_costs *costs,
                                 pgopt_arena *arena) {
  pgopt_ranges best = pgopt_make_ranges(kernel, 1);
  if (!kernel->whole || !kernel->plan->can_cut)
    return best;
  double best_ns = (double)kernel->whole->median_ns;
  int64_t shared = kernel->plan->shared_bytes;
  if (most > kernel->plan->range_extent)
    most = kernel->plan->range_extent;
  for (int64_t parts = 2; parts <= most; ++parts) {
    // What no range can be faster than: from here on waits alone take longer.
    double least = pgopt_ranges_cost(costs, 0, shared, parts);
    if (!pgopt_ranges_pay(least, best_ns))
      break;
    pgopt_ranges ranges = pgopt_make_ranges(kernel, parts);
    double ns = pgopt_cut_ns(kernel, &ranges, costs, arena);
    if (pgopt_ranges_pay(ns, best_ns)) {
      best = ranges;
      best_ns = ns;
    }
  }
  return best;
}
