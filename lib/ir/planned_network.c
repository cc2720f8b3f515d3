#include "ir/planned_network.h"

#include "ir/ir.h"

#include <stdlib.h>

MlirLogicalResult pgopt_plan_network(MlirOperation function, bool fuse,
                                     pgopt_planned_network *planned) {
  pgopt_error error = {0};
  *planned = (pgopt_planned_network){0};
  if (mlirLogicalResultIsFailure(pgopt_read_network(function, &planned->ir)))
    return mlirLogicalResultFailure();
  const pgopt_network *network = &planned->ir.network;
  pgopt_grouping *grouping = &planned->grouping;
  if (pgopt_group_network(network, fuse, grouping, &error)) {
    pgopt_planned_network_free(planned);
    return pgopt_emit_error(function, "%s", error.message);
  }
  planned->plans =
      pgopt_allocate(grouping->group_count, sizeof *planned->plans);
  for (size_t g = 0; g < grouping->group_count; ++g)
    planned->plans[g] =
        pgopt_plan_kernel(network, grouping, g, &planned->arena);
  return mlirLogicalResultSuccess();
}

void pgopt_planned_network_free(pgopt_planned_network *planned) {
  free(planned->plans);
  pgopt_arena_free(&planned->arena);
  pgopt_grouping_free(&planned->grouping);
  pgopt_ir_network_free(&planned->ir);
  *planned = (pgopt_planned_network){0};
}
