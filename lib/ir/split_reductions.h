/// \file Reductions that are computed in parts: which ones, and the rewrite.
#ifndef PGOPT_IR_SPLIT_REDUCTIONS_H
#define PGOPT_IR_SPLIT_REDUCTIONS_H

#include "ir/form_calls.h"
#include "schedule/schedule.h"

/// Rewrites reductions of a normalised entry into partial results, which
/// form-kernels cuts into ranges, and combine steps. By Timing: where that is
/// known to be done before any number of ranges of the reduction is. With a
/// number of ranges in the options: where the kernel's parallel loop has fewer
/// iterations.
/// \param resources cores that there are.
/// \param[out] split reductions rewritten.
/// \returns failure after one error at the entry.
MlirLogicalResult
pgopt_split_reductions(MlirOperation module, MlirOperation entry,
                       const pgopt_form_options *options, int64_t resources,
                       const pgopt_sync_costs *costs, int64_t *split);

#endif // PGOPT_IR_SPLIT_REDUCTIONS_H
