/// \file The code of a window: loops, tiles and borders.
#ifndef PGOPT_KERNELS_WINDOW_NEST_H
#define PGOPT_KERNELS_WINDOW_NEST_H

#include "kernels/combine.h"
#include "kernels/fuse.h"
#include "kernels/operand_places.h"
#include "kernels/padding.h"
#include "kernels/window_plan.h"

/// What the nest is made of; set by the caller.
typedef struct pgopt_window_nest {
  const pgopt_generic *generic;
  const pgopt_window_problem *problem;
  const pgopt_window_plan *plan;
  const pgopt_fusion *fusion;
  pgopt_vectors vectors;
  pgopt_combine combine;        ///< of a pool
  pgopt_fused_op body;          ///< of a pool
  const pgopt_padding *padding; ///< of the image, or null

  MlirValue extents[PGOPT_PRODUCT_MAX_LOOPS]; ///< of dynamic loops
  MlirValue views[PGOPT_PRODUCT_MAX_OPERANDS];
  pgopt_position outputs[PGOPT_WINDOW_MAX_AXES]; ///< of the loops around
  pgopt_position chunk;                          ///< where that at hand begins
} pgopt_window_nest;

void pgopt_window_emit(pgopt_emitter e, pgopt_window_nest *nest);

#endif // PGOPT_KERNELS_WINDOW_NEST_H
