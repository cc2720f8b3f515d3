/// \file Reductions whose parts may be taken in any order: sums, products,
/// maxima, minima.
#ifndef PGOPT_KERNELS_COMBINE_H
#define PGOPT_KERNELS_COMBINE_H

#include "codegen/generic.h"
#include "kernels/vectors.h"

typedef struct pgopt_combine {
  const char *name;  ///< "arith.addf"; null for none
  int order;         ///< `arith.cmpf` of a maximum or minimum; 0 for others
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

/// The same where NaN are watched for: one of `value` leaves `sum` as it is,
/// which is one instruction instead of three.
MlirValue pgopt_combine_emit_watched(pgopt_emitter e,
                                     const pgopt_combine *combine,
                                     MlirValue value, MlirValue sum);

/// Watches for NaN in two vectors: in their lanes `watch` becomes one, which is
/// 0 at first. Added to what was combined it makes the result.
MlirValue pgopt_combine_emit_watch(pgopt_emitter e, const pgopt_vectors *v,
                                   MlirValue first, MlirValue second,
                                   MlirValue watch);

#endif // PGOPT_KERNELS_COMBINE_H
