/// \file The sequential program as a policy: everything on one resource, the
/// fastest, in the order of the graph.
#include "schedule/schedule.h"

static void assign(const pgopt_profile_graph *graph,
                   const pgopt_schedule_request *request, size_t *order,
                   int64_t *core) {
  int64_t fastest = pgopt_resource_fastest(request->costs.resources);
  for (size_t i = 0; i < graph->node_count; ++i) {
    order[i] = i;
    core[i] = fastest;
  }
}

const pgopt_schedule_policy pgopt_sequential = {
    .name = "sequential",
    .summary = "everything on one resource",
    .assign = assign,
};
