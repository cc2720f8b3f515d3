/// \file What the kernel of a group looks like from outside: which values go in
/// and out, and which part of each a range of its outermost parallel loop
/// touches.
#ifndef PGOPT_GROUPING_KERNEL_PLAN_H
#define PGOPT_GROUPING_KERNEL_PLAN_H

#include "grouping/grouping.h"

/// The part of an array that the range [lo, hi) of a kernel touches:
/// [lo * scale, (hi - 1) * scale + window) of dimension `dim`, all of the
/// others. `dim` -1: all of the array.
typedef struct pgopt_cut {
  int dim;
  int64_t scale, window;
} pgopt_cut;

typedef struct pgopt_kernel_plan {
  const int *ops; ///< members and attached operations, ascending
  size_t op_count;
  const int *inputs; ///< values from outside, in the order of first use
  size_t input_count;
  const int *outputs; ///< values used outside, in the order of definition
  size_t output_count;
  bool has_contraction; ///< among `ops`
  bool can_cut;         ///< the core's range loop can be cut
  int64_t range_extent; ///< iterations of the range loop; 1 when it cannot
  /// When cut: iterations after which every result is at the begin of a cache
  /// line again.
  int64_t range_line;
  /// When cut: bytes that other operations compute and every range reads all
  /// of.
  int64_t shared_bytes;
  const int *cut_loops; ///< per op of `ops` the loop that the range cuts, or -1
  const pgopt_cut *input_cuts;  ///< when cut, one an input
  const pgopt_cut *output_cuts; ///< when cut, one an output
} pgopt_kernel_plan;

/// Plans the group's kernel; everything is allocated in `arena`.
pgopt_kernel_plan pgopt_plan_kernel(const pgopt_network *network,
                                    const pgopt_grouping *grouping,
                                    size_t group, pgopt_arena *arena);

/// What the range of loop `loop` touches of the operand; false when the map
/// does not allow a cut (constants, negative steps).
bool pgopt_operand_cut(const pgopt_op *op, size_t operand, int loop,
                       pgopt_cut *cut);

/// Begin of part `part` of `parts` near-equal ranges over `extent`.
int64_t pgopt_part_begin(int64_t extent, int64_t part, int64_t parts);

#endif // PGOPT_GROUPING_KERNEL_PLAN_H
