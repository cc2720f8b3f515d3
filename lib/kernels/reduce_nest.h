/// \file The code of a reduction.
#ifndef PGOPT_KERNELS_REDUCE_NEST_H
#define PGOPT_KERNELS_REDUCE_NEST_H

#include "kernels/combine.h"
#include "kernels/fuse.h"
#include "kernels/operand_places.h"

/// What the nest is made of; set by the caller. Operand number `destination` is
/// the last of the op; those behind it are of what is fused.
typedef struct pgopt_reduction_nest {
  const pgopt_generic *generic;
  const pgopt_product_problem *loops;
  const pgopt_fusion *fusion;
  pgopt_combine combine;
  pgopt_fused_op body;
  pgopt_vectors vectors;
  int destination;
  size_t read_count;
  int reads[PGOPT_PRODUCT_MAX_OPERANDS]; ///< operands that the body reads
  int across;                            ///< the loop that vectors run along
  bool is_row;   ///< it is reduced; else results lie along it
  int batch;     ///< rows: the loop of results that a vector holds; or -1
  int64_t block; ///< columns: vectors of results that are reduced at a time

  MlirValue extents[PGOPT_PRODUCT_MAX_LOOPS]; ///< of dynamic loops
  MlirValue views[PGOPT_PRODUCT_MAX_OPERANDS];
} pgopt_reduction_nest;

void pgopt_reduction_emit(pgopt_emitter e, pgopt_reduction_nest *nest);

#endif // PGOPT_KERNELS_REDUCE_NEST_H
