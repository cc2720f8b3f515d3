/// \file Layout changes on their own.
#ifndef PGOPT_PRICING_CONVERSIONS_H
#define PGOPT_PRICING_CONVERSIONS_H

#include "ir/read_network.h"
#include "layout/axes.h"

/// A value that is stored in one order of its axes, wanted in another one.
typedef struct pgopt_conversion {
  int value;
  const int *from, *to;
} pgopt_conversion;

/// A function of the module that makes the changes, each from an argument of
/// its own to a result; change i is the kernel "k<i>".
MlirOperation pgopt_build_conversions(MlirOperation module,
                                      const pgopt_ir_network *ir,
                                      const pgopt_axes *axes,
                                      const pgopt_conversion *conversions,
                                      size_t count);

/// Tells changes apart: element type, extents and permutation; in `arena`.
const char *pgopt_conversion_key(const pgopt_axes *axes, int value,
                                 const int *from, const int *to,
                                 pgopt_arena *arena);

#endif // PGOPT_PRICING_CONVERSIONS_H
