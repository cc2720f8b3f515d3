/// \file Reductions that can be computed in parts: each part of the reduced
/// dimension gives a partial result, and a combine step folds these.
#ifndef PGOPT_GROUPING_PARTIAL_REDUCTION_H
#define PGOPT_GROUPING_PARTIAL_REDUCTION_H

#include "grouping/grouping.h"

/// Most partial results of one reduction.
enum { PGOPT_MAX_PARTIALS = 16 };

/// An operation that is computed in parts, and the loop that is cut.
typedef struct pgopt_cut_op {
  int op, loop;
} pgopt_cut_op;

/// What of a group is computed in parts: the elementwise operations that make
/// the reduction's operands, each behind what it reads of them, and last the
/// reduction.
typedef struct pgopt_partial_reduction {
  const pgopt_cut_op *ops;
  size_t op_count;
  int64_t partials; ///< a divisor of the loop's extent, 2 to
                    ///< PGOPT_MAX_PARTIALS
} pgopt_partial_reduction;

/// Into how many equal parts `extent` iterations are cut for `parts` cores: of
/// its divisors from `parts` on, at most half of it, the one that gives the
/// core with most of them the smallest share. 0 when there is none.
int64_t pgopt_partial_count(int64_t extent, int64_t parts);

/// Finds what of a group can be computed in parts: its core, when that is the
/// only reduction among its members, is of static shape, reads each operand
/// where its loops say (no windows), and ends in a combiner with a neutral
/// element. Of several reduction loops the first one with such a divisor is
/// cut.
/// \param parts cores that there are, >= 2.
/// \param[out] found allocated in `arena`; unset when false is returned.
bool pgopt_find_partials(const pgopt_network *network,
                         const pgopt_grouping *grouping, size_t group,
                         int64_t parts, pgopt_arena *arena,
                         pgopt_partial_reduction *found);

/// The element that the combiner leaves others unchanged with.
/// \param name "arith.addf" ...
/// \param bits width of the element: 32 or 64 of floats, 2 to 64 of integers.
/// \param[out] number of floats. \param[out] integer of integers.
/// \returns false for an operation that combines no partial results.
bool pgopt_neutral_element(const char *name, int bits, double *number,
                           int64_t *integer);

#endif // PGOPT_GROUPING_PARTIAL_REDUCTION_H
