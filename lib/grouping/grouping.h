/// \file Which operations become one kernel: the one analysis behind profile,
/// kernels and schedule, so that all three agree.
///
/// - A contraction or convolution, with the elementwise operations that make
///   its init, those that follow it in place (epilogues), and those that make
///   an operand that the kernel's range cuts (so that no part computes it
///   twice).
/// - Any other reduction, and any elementwise operation left, with the
///   elementwise operations that feed it alone: what upstream's elementwise
///   fusion would make one operation is one kernel, fused or not.
/// - Else the operation alone; an operation with regions is one kernel with all
///   it contains.
///
/// A side effect between two operations keeps them in different kernels.
///
/// Small constants, empties, scalars and fills belong to their users: they are
/// attached to every group that uses them, and so are views of them. So are
/// zeros put around what only contractions and sums read, and -inf around what
/// is searched for its maximum: their kernels leave these out. Views of other
/// values and large constants stand between the kernels.
#ifndef PGOPT_GROUPING_GROUPING_H
#define PGOPT_GROUPING_GROUPING_H

#include "base/status.h"
#include "network/network.h"

typedef struct pgopt_group {
  const char *id;     ///< unique in the network, "conv_3"
  int core;           ///< the operation that the group's Timing stands on
  const int *members; ///< operations, ascending, the core among them
  size_t member_count;
  /// Operations that every execution of the group computes anew. Ascending.
  const int *attached;
  size_t attached_count;
} pgopt_group;

typedef struct pgopt_grouping {
  pgopt_arena arena;
  pgopt_group *groups; ///< in an order that respects dependencies
  size_t group_count;
  const int *group_of;   ///< per operation its group as a member, or -1
  bool groups_are_given; ///< taken over; ids are borrowed from the network
} pgopt_grouping;

/// Groups the network's operations. Where every operation that needs a group
/// has one already (`pgopt_op.group`), and the groups can be executed in the
/// order of their last operations, they are taken over.
/// \param fuse false: every operation is its own group.
/// \param[out] grouping freed with `pgopt_grouping_free`; empty on failure.
/// \returns PGOPT_UNSUPPORTED for a TOSA operation: normalise first.
pgopt_status pgopt_group_network(const pgopt_network *network, bool fuse,
                                 pgopt_grouping *grouping, pgopt_error *error);

void pgopt_grouping_free(pgopt_grouping *grouping);

/// True for an operation that belongs to its users, see above.
bool pgopt_op_is_attached(const pgopt_network *network, int op);

/// True for an operation that stands between the kernels: a view or a constant
/// that is not attached, a side effect, the return.
bool pgopt_op_is_between(const pgopt_network *network, int op);

/// The outermost parallel loop of the operation with more than one iteration:
/// the one that a kernel's range cuts. -1 when there is none.
int pgopt_range_loop(const pgopt_op *op);

/// The operand's dimension that a loop runs over alone; -1 when there is none.
int pgopt_map_dimension(const pgopt_op *op, size_t operand, int loop);

/// True for an operation that computes nothing but copies: its body yields an
/// input as it is (transposes and broadcasts among them).
bool pgopt_op_is_copy(const pgopt_op *op);

/// True when operand `k` and the init are read and written at the same place in
/// every iteration: same dimensions, counting a constant index into a dimension
/// of extent 1 as equal to the loop over it.
bool pgopt_op_reads_in_place(const pgopt_network *network, const pgopt_op *op,
                             size_t k);

/// True when the body reads what the init number `init` (from 0) holds.
bool pgopt_op_reads_init(const pgopt_op *op, size_t init);

/// True for a structured operation that fills its result with a scalar.
bool pgopt_op_is_fill(const pgopt_network *network, const pgopt_op *op);

/// True when the body reads the number of an iteration.
bool pgopt_op_uses_loop_index(const pgopt_op *op);

#endif // PGOPT_GROUPING_GROUPING_H
