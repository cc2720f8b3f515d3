/// \file A product being planned: what the steps of planning share.
#ifndef PGOPT_KERNELS_PRODUCT_PLANNING_H
#define PGOPT_KERNELS_PRODUCT_PLANNING_H

#include "kernels/product_plan.h"

/// What is being planned; `used` marks the loops that have a place.
typedef struct pgopt_planning {
  const pgopt_product_problem *problem;
  const pgopt_target *target;
  pgopt_product_plan *plan;
  bool used[PGOPT_PRODUCT_MAX_LOOPS];
} pgopt_planning;

/// The extent; 1024 when it is not known before the program runs.
static inline int64_t pgopt_likely_extent(int64_t extent) {
  return extent == INT64_MAX ? 1024 : extent;
}

/// Sets the operands' parts; false when C is not contiguous along a loop of one
/// operand, or of both in which these are contiguous too, or when a reduction
/// does not index both.
bool pgopt_axes_assign(pgopt_planning *s, bool is_swapped, size_t *column_loop);

/// True when what the bounds leave out can be left out: a loop moves in one of
/// them at most and forward, one depth moves in each; and the bounded operand
/// has the rows, or its columns are gathered.
bool pgopt_axes_bounds_fit(const pgopt_planning *s);

/// Bytes of what the loops of the rows' operand reach.
double pgopt_rows_bytes(const pgopt_planning *s);

/// True when the rows' operand is bounded.
bool pgopt_axes_have_bounded_rows(const pgopt_planning *s);

/// True when a loop of `lanes` steps and `outer` around it are the channels of
/// a blocked layout: the steps lie side by side in every operand that they move
/// in, and a block of vectors apart; in operand `whole` nothing is between the
/// blocks. Vectors along both then move by `outer` over `lanes` a step.
bool pgopt_is_block_of(const pgopt_product_problem *problem,
                       const int64_t *inner, const int64_t *outer,
                       int64_t lanes, int whole);

/// Place the loops of each role; in this order.
void pgopt_axes_place_columns(pgopt_planning *s, size_t column_loop);
void pgopt_axes_place_rows(pgopt_planning *s);
void pgopt_axes_place_depth(pgopt_planning *s);
void pgopt_axes_place_beside(pgopt_planning *s);
void pgopt_axes_place_shared(pgopt_planning *s);

/// Makes the tile's loops over the depth, which is in blocks by now.
void pgopt_axes_join_depth(pgopt_planning *s);

/// Cycles of all tiles over so much depth, and of copying one element of the
/// columns.
double pgopt_cost_tiles(const pgopt_planning *s, double depth);
double pgopt_cost_copies(const pgopt_planning *s);

/// Cycles of fetching rows anew for every chunk of columns.
double pgopt_cost_rows(const pgopt_planning *s);

#endif // PGOPT_KERNELS_PRODUCT_PLANNING_H
