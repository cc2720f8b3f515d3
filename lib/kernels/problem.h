/// \file A linalg op on memrefs as loops and strides.
#ifndef PGOPT_KERNELS_PROBLEM_H
#define PGOPT_KERNELS_PROBLEM_H

#include "codegen/generic.h"
#include "kernels/product_plan.h"

/// Reads the op's operands, inputs first, as operands of a problem with the
/// same numbers and loops. Scalars have strides of 0.
/// \param[out] offsets in elements, from the maps' constants.
/// \returns false when memrefs have dynamic strides or elements other than the
///   destination's, f32 or f64, or when there are too many.
bool pgopt_problem_read(const pgopt_generic *generic,
                        pgopt_product_problem *problem, int64_t *offsets);

/// Makes one loop of those that follow one another without a gap in every
/// operand; what the others were has an extent of 1.
void pgopt_problem_merge_loops(pgopt_product_problem *loops);

/// True when the body reads operand `number`.
bool pgopt_generic_reads(const pgopt_generic *generic, size_t number);

/// True when a memref that the op reads is in the buffer it writes.
bool pgopt_generic_aliases(const pgopt_generic *generic);

#endif // PGOPT_KERNELS_PROBLEM_H
