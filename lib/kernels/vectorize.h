/// \file Linalg ops as vector code, through upstream's transform dialect: tiled
/// so that a tile is a vector or two, vectorized, lowered to loads and stores.
#ifndef PGOPT_KERNELS_VECTORIZE_H
#define PGOPT_KERNELS_VECTORIZE_H

#include "kernels/kernels.h"

/// Replaces a `linalg.generic` on memrefs by loops over vectors, or leaves it
/// as it is.
/// \returns the counter of what happened: PGOPT_KERNEL_VECTORIZED or one of the
///   PGOPT_KERNEL_LOOPS_ reasons.
int pgopt_vectorize(MlirOperation op);

#endif // PGOPT_KERNELS_VECTORIZE_H
