/// \file What a policy comes to on a graph: the schedule, its lists and the
/// prediction, and the plans of all policies side by side.
#ifndef PGOPT_SCHEDULE_PLAN_H
#define PGOPT_SCHEDULE_PLAN_H

#include "schedule/kernel_copies.h"
#include "schedule/predict.h"

typedef struct pgopt_schedule_plan {
  const pgopt_schedule_policy *policy;
  pgopt_kernel_copies copies; ///< kernels that it computes on several cores
  pgopt_profile_graph *graph; ///< with these; null when there are none
  pgopt_schedule schedule;    ///< of `graph`, or of the plan's
  pgopt_core_lists lists;     ///< of the schedule
  pgopt_prediction prediction;
} pgopt_schedule_plan;

/// With copies of cheap kernels (schedule/plan_copies.h), where the policy
/// makes them. \param graph connected, outlives the plan.
/// \param[out] plan freed with pgopt_schedule_plan_free; empty on failure.
/// \returns PGOPT_OUT_OF_RANGE for a number of resources that is not allowed.
pgopt_status pgopt_schedule_plan_create(const pgopt_profile_graph *graph,
                                        const pgopt_schedule_policy *policy,
                                        const pgopt_schedule_request *request,
                                        const pgopt_node_costs *costs,
                                        pgopt_schedule_plan *plan,
                                        pgopt_error *error);
void pgopt_schedule_plan_free(pgopt_schedule_plan *plan);

/// Lists and prediction of a plan that has its schedule.
/// \returns what `pgopt_predict` says.
pgopt_status pgopt_schedule_plan_finish(const pgopt_profile_graph *graph,
                                        const pgopt_schedule_request *request,
                                        const pgopt_node_costs *costs,
                                        pgopt_schedule_plan *plan,
                                        pgopt_error *error);

/// One plan a policy, in the order of `pgopt_schedule_policies`.
typedef struct pgopt_schedule_plans {
  pgopt_schedule_plan *plans;
  size_t count;
} pgopt_schedule_plans;

/// Plans by every policy. \param[out] plans freed with
///   pgopt_schedule_plans_free; empty on failure.
pgopt_status pgopt_schedule_plans_create(const pgopt_profile_graph *graph,
                                         const pgopt_schedule_request *request,
                                         const pgopt_node_costs *costs,
                                         pgopt_schedule_plans *plans,
                                         pgopt_error *error);
void pgopt_schedule_plans_free(pgopt_schedule_plans *plans);

/// The plan with the least predicted makespan, of several the first one: the
/// sequential one, unless another is predicted to be faster.
const pgopt_schedule_plan *
pgopt_schedule_plans_best(const pgopt_schedule_plans *plans);

/// No schedule of the graph can be shorter: the critical path, or all work
/// spread evenly over the resources.
double pgopt_schedule_bound_ns(const pgopt_prediction *prediction,
                               const pgopt_schedule_request *request);

#endif // PGOPT_SCHEDULE_PLAN_H
