/// \file A function as a network, its groups, and a plan of each one's kernel.
#ifndef PGOPT_IR_PLANNED_NETWORK_H
#define PGOPT_IR_PLANNED_NETWORK_H

#include "grouping/kernel_plan.h"
#include "ir/read_network.h"

typedef struct pgopt_planned_network {
  pgopt_ir_network ir;
  pgopt_grouping grouping;
  pgopt_kernel_plan *plans; ///< one a group
  pgopt_arena arena;        ///< of the plans, and of what else is known of them
} pgopt_planned_network;

/// Reads the function, groups it and plans its kernels. Valid while the IR is
/// unchanged. \param fuse as of pgopt_group_network.
/// \param[out] planned freed with pgopt_planned_network_free; empty on failure.
/// \returns failure after one error at the function.
MlirLogicalResult pgopt_plan_network(MlirOperation function, bool fuse,
                                     pgopt_planned_network *planned);
void pgopt_planned_network_free(pgopt_planned_network *planned);

#endif // PGOPT_IR_PLANNED_NETWORK_H
