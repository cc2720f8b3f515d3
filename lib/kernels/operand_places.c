/// \file Where a nest of loops is in each of its operands.
#include "kernels/operand_places.h"

pgopt_operand_places
pgopt_operand_places_move(pgopt_emitter e, const pgopt_product_problem *loops,
                          int loop, pgopt_position steps,
                          pgopt_operand_places from) {
  for (size_t k = 0; k < loops->operand_count; ++k)
    from.at[k] = pgopt_position_add(
        e, from.at[k],
        pgopt_position_scale(e, steps, loops->loops[loop].strides[k]));
  return from;
}
