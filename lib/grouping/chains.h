/// \file Chains of operations that are one kernel: behind a contraction, and
/// along rows. Parts of the analysis in `grouping.c`.
#ifndef PGOPT_GROUPING_CHAINS_H
#define PGOPT_GROUPING_CHAINS_H

#include "network/network.h"

typedef struct pgopt_group_analysis {
  const pgopt_network *network;
  int *leader; ///< per operation: core of its group, or -1
  int *epoch; ///< per operation: side effects before it, which it must not pass
} pgopt_group_analysis;

/// True for an operation that needs a group and has none yet.
bool pgopt_op_is_free(const pgopt_group_analysis *a, int op);

/// True for an elementwise operation that may join the kernel of `core`, which
/// is cut.
bool pgopt_may_join_cut(const pgopt_group_analysis *a, int op, int core);

/// Takes the elementwise operations that follow the contraction in place: one
/// after the other, or several whose ways part and join again.
void pgopt_take_epilogues(pgopt_group_analysis *a, int core);

/// Takes operations along the same rows: a reduction along each row, what uses
/// its numbers on the same row, further reductions of that, and the elementwise
/// operations in front that nothing else reads. All but the last are used in
/// the group alone.
/// \returns false, having taken nothing, when nothing along its rows follows
///   the reduction.
bool pgopt_take_rows(pgopt_group_analysis *a, int reduction);

#endif // PGOPT_GROUPING_CHAINS_H
