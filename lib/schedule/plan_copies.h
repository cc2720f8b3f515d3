/// \file Plans in which cheap kernels are computed on several cores.
#ifndef PGOPT_SCHEDULE_PLAN_COPIES_H
#define PGOPT_SCHEDULE_PLAN_COPIES_H

#include "schedule/plan.h"

/// Replaces the plan by one with copies of kernels, when that has a smaller
/// predicted makespan. A kernel is copied to a core where something reads its
/// result, when it takes less time than to wait for it and to read it there,
/// and what it reads itself was not computed on another core.
/// \param plan without copies.
/// \returns PGOPT_OK, or what `pgopt_predict` says.
pgopt_status pgopt_plan_copies(const pgopt_profile_graph *graph,
                               const pgopt_schedule_request *request,
                               const pgopt_node_costs *costs,
                               pgopt_schedule_plan *plan, pgopt_error *error);

#endif // PGOPT_SCHEDULE_PLAN_COPIES_H
