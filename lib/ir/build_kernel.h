/// \file Builds the function of a kernel, on tensors and in destination-passing
/// style, from the operations of a group.
#ifndef PGOPT_IR_BUILD_KERNEL_H
#define PGOPT_IR_BUILD_KERNEL_H

#include "grouping/kernel_plan.h"
#include "ir/read_network.h"

/// Appends to `module` the private function `name`: its arguments are the
/// inputs, the destinations, and the range lo, hi; its results the
/// destinations, overwritten.
/// \param range iterations of [lo, hi) in every call: PGOPT_DYNAMIC where they
///   differ, 0 where the kernel is not cut, and computes all of it. Otherwise
///   the plan's `can_cut` must hold. Shapes are static where it is known.
/// \returns a null operation after one error at the operation that has no
///   place in a kernel.
MlirOperation pgopt_build_kernel(const pgopt_ir_network *ir,
                                 const pgopt_kernel_plan *plan, int64_t range,
                                 MlirOperation module, const char *name);

#endif // PGOPT_IR_BUILD_KERNEL_H
