/// \file Some kernels of a network alone.
#ifndef PGOPT_PRICING_CUT_KERNELS_H
#define PGOPT_PRICING_CUT_KERNELS_H

#include "base/memory.h"
#include "grouping/grouping.h"
#include "ir/read_network.h"

#include <stdbool.h>

/// The kernel whose label, its number, is the `pg.kernel` of group `number`,
/// when the group is all of it; else -1. \param count of kernels.
int pgopt_labelled_kernel(const pgopt_network *network,
                          const pgopt_grouping *grouping, size_t number,
                          size_t count);

/// Leaves only the kernels that are to be kept in a function whose operations
/// are labelled (`pgopt_layout_network_open`): what others computed becomes an
/// argument, and what is left is returned. The function's declared type is
/// stale then.
/// \param keep one flag a kernel.
/// \returns failure after one error.
MlirLogicalResult pgopt_cut_kernels(MlirOperation function, const bool *keep,
                                    size_t count);

#endif // PGOPT_PRICING_CUT_KERNELS_H
