/// \file Reductions whose parts may be taken in any order: sums, products,
/// maxima, minima.
#ifndef PGOPT_KERNELS_COMBINE_H
#define PGOPT_KERNELS_COMBINE_H

#include "codegen/generic.h"
#include "kernels/vectors.h"

typedef struct pgopt_combine {
  const char *name;  ///< "arith.addf"; null for none
  const char *kind;  ///< of `vector.reduction`
  double identity;   ///< combining it with x gives x
  MlirValue reduced; ///< what the body combines with the destination
} pgopt_combine;

/// Reads what the body does with the destination's element, which it uses once.
/// \returns false when that is none of these.
bool pgopt_combine_read(const pgopt_generic *generic, pgopt_combine *combine);

/// Combines two vectors or two numbers. Of two zeros of either sign a maximum
/// or minimum may be either.
MlirValue pgopt_combine_emit(pgopt_emitter e, const pgopt_combine *combine,
                             MlirValue a, MlirValue b);

#endif // PGOPT_KERNELS_COMBINE_H
