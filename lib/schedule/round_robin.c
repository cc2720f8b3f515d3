/// \file The round robin policy: the n-th kernel goes to resource n modulo
/// their number.
///
/// Kernels are dealt in the order of the graph, in which the ranges and phases
/// of one layer stand together, so the kernels of every layer are spread over
/// as many resources as it has kernels. One counter runs over all layers:
/// restarting it for each one would give every chain to resource 0.
#include "schedule/schedule.h"

static void assign(const pgopt_profile_graph *graph,
                   const pgopt_schedule_request *request, size_t *order,
                   int64_t *core) {
  int64_t dealt = 0;
  for (size_t i = 0; i < graph->node_count; ++i) {
    order[i] = i;
    core[i] = graph->nodes[i].kind == PGOPT_NODE_BARRIER
                  ? 0
                  : dealt++ % request->resources;
  }
}

const pgopt_schedule_policy pgopt_round_robin = {
    .name = "round-robin",
    .summary = "deals the kernels of each layer to the resources in turn",
    .assign = assign,
};
