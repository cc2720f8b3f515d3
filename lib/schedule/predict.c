/// \file What a schedule will cost: simulated with the profile's times.
#include "schedule/predict.h"

#include "base/checked_math.h"
#include "schedule/simulate.h"

#include <stdlib.h>
#include <string.h>

/// Assumed when nothing of a network is measured.
#define COUNTED_NS_PER_OPERATION 1.0
#define UNIT_NS 1000.0

const char *pgopt_cost_basis_name(pgopt_cost_basis basis) {
  static const char *const names[] = {"measured", "derived", "counted", "unit"};
  return names[basis];
}

/// Nanoseconds an operation over all kernels that have both numbers; 0 when
/// there is none.
static double measured_rate(const pgopt_profile_graph *graph) {
  double time_ns = 0, operations = 0;
  for (size_t i = 0; i < graph->node_count; ++i) {
    const pgopt_graph_node *node = &graph->nodes[i];
    if (!node->timing.runs || !node->has_lflops || !node->lflops)
      continue;
    time_ns += (double)node->timing.median_ns;
    operations += (double)node->lflops;
  }
  return operations > 0 ? time_ns / operations : 0;
}

static double node_cost(const pgopt_graph_node *node, double rate,
                        pgopt_cost_basis *basis) {
  if (node->timing.runs) {
    *basis = strcmp(node->timing.source, "derived") ? PGOPT_COST_MEASURED
                                                    : PGOPT_COST_DERIVED;
    return (double)node->timing.median_ns;
  }
  if (!node->has_lflops) {
    *basis = PGOPT_COST_UNIT;
    return UNIT_NS;
  }
  *basis = rate > 0 ? PGOPT_COST_DERIVED : PGOPT_COST_COUNTED;
  return (double)node->lflops * (rate > 0 ? rate : COUNTED_NS_PER_OPERATION);
}

pgopt_node_costs pgopt_node_costs_create(const pgopt_profile_graph *graph) {
  pgopt_node_costs costs = {
      .ns = pgopt_allocate(graph->node_count, sizeof *costs.ns)};
  double rate = measured_rate(graph);
  for (size_t i = 0; i < graph->node_count; ++i) {
    if (graph->nodes[i].kind == PGOPT_NODE_BARRIER)
      continue;
    pgopt_cost_basis basis;
    costs.ns[i] = node_cost(&graph->nodes[i], rate, &basis);
    ++costs.counts[basis];
  }
  return costs;
}

void pgopt_node_costs_free(pgopt_node_costs *costs) {
  free(costs->ns);
  *costs = (pgopt_node_costs){0};
}

/// What does not depend on the order of events.
static void sum_up(const pgopt_profile_graph *graph,
                   const pgopt_schedule *schedule,
                   const pgopt_node_costs *costs, const pgopt_sync_costs *sync,
                   pgopt_prediction *p) {
  double *finish = pgopt_allocate(graph->node_count, sizeof *finish);
  for (size_t i = 0; i < graph->node_count; ++i) {
    const pgopt_graph_node *node = &graph->nodes[i];
    double begin = 0;
    for (size_t k = 0; k < node->in_count; ++k) {
      double before = finish[graph->edges[node->first_in + k].from];
      begin = before > begin ? before : begin;
    }
    finish[i] =
        begin + pgopt_resource_time(sync->resources,
                                    pgopt_resource_fastest(sync->resources),
                                    costs->ns[i]);
    if (finish[i] > p->critical_path_ns)
      p->critical_path_ns = finish[i];
    p->sequential_ns += costs->ns[i];
    int64_t core = schedule->core[i];
    if (core != PGOPT_NO_CORE)
      p->load_ns[core] += pgopt_resource_time(
          sync->resources, schedule->resource[core], costs->ns[i]);
  }
  free(finish);
  for (size_t i = 0; i < graph->edge_count; ++i) {
    const pgopt_graph_edge *edge = &graph->edges[i];
    int64_t from = schedule->core[edge->from], to = schedule->core[edge->to];
    if (from == to || from == PGOPT_NO_CORE || to == PGOPT_NO_CORE)
      continue;
    ++p->edges_across;
    if (!pgopt_checked_add(p->bytes_across, edge->bytes, &p->bytes_across))
      p->bytes_across = INT64_MAX;
  }
}

pgopt_status pgopt_predict(const pgopt_profile_graph *graph,
                           const pgopt_schedule *schedule,
                           const pgopt_core_lists *lists,
                           const pgopt_node_costs *costs,
                           const pgopt_sync_costs *sync,
                           pgopt_prediction *prediction, pgopt_error *error) {
  pgopt_simulation simulation;
  *prediction = (pgopt_prediction){0};
  pgopt_status status =
      pgopt_simulate(graph, lists, sync->resources ? schedule->resource : NULL,
                     costs, sync, &simulation, error);
  if (status)
    return status;
  prediction->makespan_ns = simulation.makespan_ns;
  prediction->cores = lists->count;
  prediction->load_ns =
      pgopt_allocate(lists->count, sizeof *prediction->load_ns);
  sum_up(graph, schedule, costs, sync, prediction);
  pgopt_simulation_free(&simulation);
  return PGOPT_OK;
}

void pgopt_prediction_free(pgopt_prediction *prediction) {
  free(prediction->load_ns);
  *prediction = (pgopt_prediction){0};
}
