/// \file Round robin by Timing: resources take turns, and one that has more
/// work than others already is passed over.
///
/// Kernels are dealt in the order of the graph, as by round robin. Each goes to
/// the resource with the least time dealt to it so far; of several to the first
/// one from where the turn is, the resource behind the one that got the kernel
/// before. Kernels that all take equally long are dealt as round robin does.
#include "schedule/predict.h"

#include <stdlib.h>

static void assign(const pgopt_profile_graph *graph,
                   const pgopt_schedule_request *request, size_t *order,
                   int64_t *core) {
  pgopt_node_costs costs = pgopt_node_costs_create(graph);
  size_t resources = (size_t)request->resources, turn = 0;
  double *load_ns = pgopt_allocate(resources, sizeof *load_ns);
  for (size_t i = 0; i < graph->node_count; ++i) {
    order[i] = i;
    core[i] = 0;
    if (graph->nodes[i].kind == PGOPT_NODE_BARRIER)
      continue;
    size_t least = turn;
    for (size_t k = 1; k < resources; ++k) {
      size_t next = (turn + k) % resources;
      if (load_ns[next] < load_ns[least])
        least = next;
    }
    core[i] = (int64_t)least;
    load_ns[least] += pgopt_resource_time(request->costs.resources,
                                          (int64_t)least, costs.ns[i]);
    turn = (least + 1) % resources;
  }
  free(load_ns);
  pgopt_node_costs_free(&costs);
}

const pgopt_schedule_policy pgopt_timed_round_robin = {
    .name = "timed-round-robin",
    .summary = "deals the kernels of each layer to the resources in turn, "
               "each to the one with the least time so far",
    .assign = assign,
};
