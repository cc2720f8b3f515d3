/// \file The phases of a kernel that computes in two: what the first one makes
/// lies in a buffer that the second one reads.
///
/// The functions of both have the kernel's body and arguments, and the buffer
/// behind these: `pg.phase` says which half of its code is emitted. The first
/// half is "pack" or "transform", the second "main". What is not generated is
/// computed whole in "main", from the operands themselves, and "pack" does
/// nothing.
#ifndef PGOPT_KERNELS_PHASE_H
#define PGOPT_KERNELS_PHASE_H

#include "kernels/vectors.h"

typedef struct pgopt_phase {
  bool is_first;
  MlirValue buffer;         ///< memref of steps x elements of one step
  pgopt_position low, high; ///< the range of the function
} pgopt_phase;

/// Reads the phase that the function, or the one around the operation,
/// computes. \returns false when it is all of a kernel.
bool pgopt_phase_read(MlirOperation op, pgopt_phase *phase);

/// Whether the function computes the first of two phases.
bool pgopt_phase_is_first(MlirOperation function);

/// Whether the phase's buffer has so many steps of so many elements.
bool pgopt_phase_fits(const pgopt_phase *phase, int64_t steps, int64_t stride);

/// Whether a kernel can be computed in phases, as far as its operations go:
/// linalg, constants, and places in memory alone.
bool pgopt_phase_allows(MlirOperation function);

/// Removes from a first phase's function what its half does not need: all that
/// is linalg still, and what nothing uses.
void pgopt_phase_clean(MlirOperation function);

#endif // PGOPT_KERNELS_PHASE_H
