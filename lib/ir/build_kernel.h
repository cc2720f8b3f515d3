/// \file Builds the function of a kernel, on tensors and in destination-passing
/// style, from the operations of a group.
#ifndef PGOPT_IR_BUILD_KERNEL_H
#define PGOPT_IR_BUILD_KERNEL_H

#include "grouping/kernel_plan.h"
#include "ir/read_network.h"

/// Appends to `module` the private function `name`: its arguments are the
/// inputs, the destinations, and the range lo, hi; its results the
/// destinations, overwritten. \param cut whether [lo, hi) cuts the kernel (the
/// plan's `can_cut` must hold);
///   otherwise it computes all of it, with static shapes.
/// \returns a null operation after one error at the operation that has no
///   place in a kernel.
MlirOperation pgopt_build_kernel(const pgopt_ir_network *ir,
                                 const pgopt_kernel_plan *plan, bool cut,
                                 MlirOperation module, const char *name);

#endif // PGOPT_IR_BUILD_KERNEL_H
