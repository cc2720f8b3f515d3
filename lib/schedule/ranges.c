/// \file The ranges that a kernel is cut into.
#include "schedule/ranges.h"

#include "base/checked_math.h"
#include "grouping/kernel_plan.h"

#include <assert.h>

static int64_t steps_of(int64_t extent, int64_t step) {
  return extent / step + (extent % step != 0);
}

/// The least common multiple; `a` where it is too large to matter.
static int64_t common_multiple(int64_t a, int64_t b) {
  int64_t x = a, y = b, multiple;
  while (y) {
    int64_t rest = x % y;
    x = y;
    y = rest;
  }
  return pgopt_checked_multiply(a / x, b, &multiple) && multiple > 0 ? multiple
                                                                     : a;
}

pgopt_ranges pgopt_ranges_make(int64_t extent, int64_t tile, int64_t line,
                               int64_t parts) {
  assert(tile > 0 && line > 0);
  pgopt_ranges ranges = {extent, 1, parts < extent ? parts : extent};
  if (steps_of(extent, tile) >= ranges.parts)
    ranges.step = tile;
  pgopt_ranges aligned = ranges;
  aligned.step = common_multiple(ranges.step, line);
  int64_t longest = pgopt_ranges_longest(&ranges);
  if (steps_of(extent, aligned.step) >= ranges.parts &&
      pgopt_ranges_longest(&aligned) - longest <= longest / 8)
    return aligned;
  return ranges;
}

int64_t pgopt_ranges_begin(const pgopt_ranges *ranges, int64_t part) {
  int64_t steps = steps_of(ranges->extent, ranges->step);
  int64_t begin = pgopt_part_begin(steps, part, ranges->parts) * ranges->step;
  return begin < ranges->extent ? begin : ranges->extent;
}

int64_t pgopt_ranges_longest(const pgopt_ranges *ranges) {
  return pgopt_ranges_begin(ranges, 1);
}

double pgopt_ranges_cost(const pgopt_sync_costs *costs, double longest_ns,
                         int64_t shared_bytes, int64_t parts) {
  if (parts < 2)
    return longest_ns;
  double share = (double)(parts - 1) / (double)parts;
  return longest_ns + share * (double)shared_bytes * costs->byte_ns +
         2 * (costs->latency_ns + (double)parts * costs->hop_ns);
}

bool pgopt_ranges_pay(double cost_ns, double best_ns) {
  return cost_ns < 0.98 * best_ns;
}

int64_t pgopt_ranges_length(const pgopt_ranges *ranges) {
  int64_t length = ranges->extent / ranges->parts;
  return length == pgopt_ranges_longest(ranges) &&
                 ranges->extent % ranges->parts == 0
             ? length
             : PGOPT_DYNAMIC;
}
