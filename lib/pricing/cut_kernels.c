/// \file Some kernels of a network alone.
#include "pricing/cut_kernels.h"

#include "grouping/kernel_plan.h"
#include "ir/apply_layouts.h"
#include "ir/ir.h"

#include <stdlib.h>
#include <string.h>

int pgopt_labelled_kernel(const pgopt_network *n,
                          const pgopt_grouping *grouping, size_t number,
                          size_t count) {
  const pgopt_group *group = &grouping->groups[number];
  const char *label = n->ops[group->members[0]].group;
  size_t labelled = 0;
  char *end;
  if (!label || label[0] != 'k')
    return -1;
  unsigned long kernel = strtoul(label + 1, &end, 10);
  for (size_t i = 0; i < group->member_count; ++i) {
    const char *other = n->ops[group->members[i]].group;
    labelled += other && !strcmp(other, label);
  }
  /* Taken over, a group has all operations of its label. */
  return *end || kernel >= count || labelled != group->member_count ||
                 !grouping->groups_are_given
             ? -1
             : (int)kernel;
}

/// Everything that the group makes comes from outside instead.
static void replace_outputs(const pgopt_ir_network *ir,
                            const pgopt_kernel_plan *plan, MlirBlock body) {
  for (size_t i = 0; i < plan->output_count; ++i) {
    MlirValue old = ir->values[plan->outputs[i]];
    if (mlirOpOperandIsNull(mlirValueGetFirstUse(old)))
      continue;
    mlirValueReplaceAllUsesOfWith(
        old, mlirBlockAddArgument(
                 body, mlirValueGetType(old),
                 mlirOperationGetLocation(mlirOpResultGetOwner(old))));
  }
}

MlirLogicalResult pgopt_cut_kernels(MlirOperation function, const bool *keep,
                                    size_t count) {
  pgopt_ir_network ir;
  pgopt_grouping grouping;
  pgopt_error error = {0};
  pgopt_arena arena = {0};
  MlirValue *kept = NULL;
  size_t kept_count = 0, capacity = 0;
  if (mlirLogicalResultIsFailure(pgopt_read_network(function, &ir)))
    return mlirLogicalResultFailure();
  MlirLogicalResult status = mlirLogicalResultSuccess();
  MlirBlock body = pgopt_function_body(function);
  MlirOperation end = mlirBlockGetTerminator(body);
  if (pgopt_group_network(&ir.network, true, &grouping, &error))
    status = pgopt_emit_error(function, "%s", error.message);
  else
    mlirOperationSetOperands(end, 0, NULL);
  for (size_t g = 0; g < grouping.group_count; ++g) {
    pgopt_kernel_plan plan =
        pgopt_plan_kernel(&ir.network, &grouping, g, &arena);
    int kernel = pgopt_labelled_kernel(&ir.network, &grouping, g, count);
    if (kernel < 0 || !keep[kernel]) {
      replace_outputs(&ir, &plan, body);
      continue;
    }
    for (size_t i = 0; i < plan.output_count; ++i)
      PGOPT_APPEND(kept, kept_count, capacity, ir.values[plan.outputs[i]]);
  }
  if (mlirLogicalResultIsSuccess(status)) {
    mlirOperationSetOperands(end, (intptr_t)kept_count, kept);
    pgopt_remove_dead(&ir);
  }
  free(kept);
  pgopt_arena_free(&arena);
  pgopt_grouping_free(&grouping);
  pgopt_ir_network_free(&ir);
  return status;
}
