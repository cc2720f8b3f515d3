/// \file Where a nest of loops is in each of its operands.
#ifndef PGOPT_KERNELS_OPERAND_PLACES_H
#define PGOPT_KERNELS_OPERAND_PLACES_H

#include "kernels/product_plan.h"
#include "kernels/vectors.h"

/// Offsets of the operands' current elements in their flat views.
typedef struct pgopt_operand_places {
  pgopt_position at[PGOPT_PRODUCT_MAX_OPERANDS];
} pgopt_operand_places;

/// The places after `steps` of the loop.
pgopt_operand_places
pgopt_operand_places_move(pgopt_emitter e, const pgopt_product_problem *loops,
                          int loop, pgopt_position steps,
                          pgopt_operand_places from);

#endif // PGOPT_KERNELS_OPERAND_PLACES_H
