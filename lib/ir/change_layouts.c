/// \file Layouts of a network's values chosen and applied, until nothing moves.
#include "ir/change_layouts.h"

#include "ir/ir.h"
#include "ir/packed_parameters.h"

#include <stdlib.h>

enum { MAX_SWEEPS = 8 };

static MlirLogicalResult sweep(MlirOperation function,
                               const pgopt_layout_wishes *wishes,
                               pgopt_applied *applied, bool *again) {
  pgopt_ir_network ir;
  if (mlirLogicalResultIsFailure(pgopt_read_network(function, &ir)))
    return mlirLogicalResultFailure();
  /* What nobody uses must not pull others into its order. */
  bool stale = pgopt_remove_dead(&ir) > 0;
  if (stale) {
    pgopt_ir_network_free(&ir);
    if (mlirLogicalResultIsFailure(pgopt_read_network(function, &ir)))
      return mlirLogicalResultFailure();
  }
  pgopt_axes axes;
  pgopt_assignment assignment;
  bool *fixed = pgopt_unmovable_values(&ir);
  pgopt_axes_build(&ir.network, fixed, wishes->packs_parameters,
                   wishes->images.block, &axes);
  pgopt_assignment_init(&axes, wishes->images, &assignment);
  *again = pgopt_assignment_improve(&assignment, wishes->work);
  pgopt_applied now;
  pgopt_apply_layouts(function, &ir, &assignment, &now);
  applied->transposes_made += now.transposes_made;
  applied->constants_folded += now.constants_folded;
  applied->ops_rebuilt += now.ops_rebuilt;
  applied->ops_removed += now.ops_removed;
  applied->parameters_packed += now.parameters_packed;
  *again = *again || now.ops_removed > 0;
  pgopt_assignment_free(&assignment);
  pgopt_axes_free(&axes);
  free(fixed);
  pgopt_ir_network_free(&ir);
  return mlirLogicalResultSuccess();
}

MlirLogicalResult pgopt_change_layouts(MlirOperation function,
                                       const pgopt_layout_wishes *wishes,
                                       pgopt_applied *applied) {
  MlirLogicalResult result = mlirLogicalResultSuccess();
  bool again = true;
  *applied = (pgopt_applied){0};
  for (int i = 0; i < MAX_SWEEPS && again && mlirLogicalResultIsSuccess(result);
       ++i)
    result = sweep(function, wishes, applied, &again);
  return result;
}

MlirLogicalResult pgopt_check_parameters(MlirOperation function) {
  intptr_t count = mlirFunctionTypeGetNumInputs(pgopt_function_type(function));
  for (intptr_t i = 0; i < count; ++i) {
    pgopt_parameter parameter;
    if (mlirLogicalResultIsFailure(
            pgopt_read_parameter(function, i, &parameter)))
      return mlirLogicalResultFailure();
    pgopt_parameter_free(&parameter);
  }
  return mlirLogicalResultSuccess();
}
