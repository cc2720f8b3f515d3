#include "schedule/plan_copies.h"

#include <stdlib.h>

pgopt_status pgopt_schedule_plan_create(const pgopt_profile_graph *graph,
                                        const pgopt_schedule_policy *policy,
                                        const pgopt_schedule_request *request,
                                        const pgopt_node_costs *costs,
                                        pgopt_schedule_plan *plan,
                                        pgopt_error *error) {
  *plan = (pgopt_schedule_plan){.policy = policy};
  pgopt_status status =
      pgopt_schedule_create(graph, policy, request, &plan->schedule, error);
  if (status == PGOPT_OK)
    status = pgopt_schedule_plan_finish(graph, request, costs, plan, error);
  if (status == PGOPT_OK && policy->copies)
    status = pgopt_plan_copies(graph, request, costs, plan, error);
  if (status != PGOPT_OK)
    pgopt_schedule_plan_free(plan);
  return status;
}

pgopt_status pgopt_schedule_plan_finish(const pgopt_profile_graph *graph,
                                        const pgopt_schedule_request *request,
                                        const pgopt_node_costs *costs,
                                        pgopt_schedule_plan *plan,
                                        pgopt_error *error) {
  plan->lists = pgopt_schedule_lists(graph, &plan->schedule);
  return pgopt_predict(graph, &plan->schedule, &plan->lists, costs,
                       &request->costs, &plan->prediction, error);
}

void pgopt_schedule_plan_free(pgopt_schedule_plan *plan) {
  pgopt_kernel_copies_free(&plan->copies);
  pgopt_profile_graph_destroy(plan->graph);
  pgopt_schedule_free(&plan->schedule);
  pgopt_core_lists_free(&plan->lists);
  pgopt_prediction_free(&plan->prediction);
  *plan = (pgopt_schedule_plan){0};
}

pgopt_status pgopt_schedule_plans_create(const pgopt_profile_graph *graph,
                                         const pgopt_schedule_request *request,
                                         const pgopt_node_costs *costs,
                                         pgopt_schedule_plans *plans,
                                         pgopt_error *error) {
  size_t policies = 0;
  while (pgopt_schedule_policies[policies])
    ++policies;
  *plans = (pgopt_schedule_plans){
      .plans = pgopt_allocate(policies, sizeof *plans->plans)};
  pgopt_status status = PGOPT_OK;
  while (plans->count < policies && status == PGOPT_OK) {
    status = pgopt_schedule_plan_create(
        graph, pgopt_schedule_policies[plans->count], request, costs,
        &plans->plans[plans->count], error);
    plans->count += status == PGOPT_OK;
  }
  if (status != PGOPT_OK)
    pgopt_schedule_plans_free(plans);
  return status;
}

void pgopt_schedule_plans_free(pgopt_schedule_plans *plans) {
  for (size_t i = 0; i < plans->count; ++i)
    pgopt_schedule_plan_free(&plans->plans[i]);
  free(plans->plans);
  *plans = (pgopt_schedule_plans){0};
}

const pgopt_schedule_plan *
pgopt_schedule_plans_best(const pgopt_schedule_plans *plans) {
  const pgopt_schedule_plan *best = &plans->plans[0];
  for (size_t i = 1; i < plans->count; ++i)
    if (plans->plans[i].prediction.makespan_ns < best->prediction.makespan_ns)
      best = &plans->plans[i];
  return best;
}

double pgopt_schedule_bound_ns(const pgopt_prediction *prediction,
                               const pgopt_schedule_request *request) {
  double spread_ns =
      prediction->sequential_ns /
      pgopt_resource_power(request->costs.resources, request->resources);
  return spread_ns > prediction->critical_path_ns
             ? spread_ns
             : prediction->critical_path_ns;
}
