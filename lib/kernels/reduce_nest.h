/// \file The code of a reduction.
#ifndef PGOPT_KERNELS_REDUCE_NEST_H
#define PGOPT_KERNELS_REDUCE_NEST_H

#include "kernels/combine.h"
#include "kernels/fuse.h"
#include "kernels/operand_places.h"

enum { PGOPT_REDUCTION_MAX_BLOCK = 8 };

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
  bool is_row; ///< it is reduced; else results lie along it
  int batch;   ///< rows: the loop of results that a vector holds; or -1
  /// Columns: vectors of results that are reduced at a time; rows: vectors of a
  /// row that are, as a sum has to wait for the one before it.
  int64_t block;

  MlirValue extents[PGOPT_PRODUCT_MAX_LOOPS]; ///< of dynamic loops
  MlirValue views[PGOPT_PRODUCT_MAX_OPERANDS];
} pgopt_reduction_nest;

/// Sums that are kept apart: the largest power of two that is at most `limit`
/// and the `count` of what goes into them.
int64_t pgopt_reduction_side_by_side(int64_t limit, int64_t count);

void pgopt_reduction_emit(pgopt_emitter e, pgopt_reduction_nest *nest);

#endif // PGOPT_KERNELS_REDUCE_NEST_H
