/// \file The phases of a kernel that computes in two: what the first one makes
/// lies in a buffer that the second one reads.
///
/// The functions of both have the kernel's body and arguments, and the buffer
/// behind these: `pg.phase` says which half of its code is emitted. The first
/// half is "pack" or "transform", the second "main". What is not generated is
/// computed whole in "main", from the operands themselves, and the first half
/// does nothing.
#ifndef PGOPT_KERNELS_PHASE_H
#define PGOPT_KERNELS_PHASE_H

#include "kernels/vectors.h"

typedef struct pgopt_phase {
  bool is_first;
  /// memref of steps x elements of one step, or, where a step of both
  /// functions' ranges is several iterations of the kernel's range, of steps x
  /// iterations x elements of one
  MlirValue buffer;
  pgopt_position low, high; ///< the range of the function
} pgopt_phase;

/// Reads the phase that the function, or the one around the operation,
/// computes. \returns false when it is all of a kernel, as in a second phase
/// without `pg.variant`: then there is no first one.
bool pgopt_phase_read(MlirOperation op, pgopt_phase *phase);

/// Whether the function computes the first of two phases.
bool pgopt_phase_is_first(MlirOperation function);

/// Iterations of the kernel's range in a step of the functions'; 0: the first
/// phase has a range of its own.
int64_t pgopt_phase_iterations(const pgopt_phase *phase);

/// Whether the phase's buffer has so many steps of so many elements.
bool pgopt_phase_fits(const pgopt_phase *phase, int64_t steps, int64_t stride);

/// Whether a kernel can be computed in phases, as far as its operations go:
/// linalg, constants, and places in memory alone.
bool pgopt_phase_allows(MlirOperation function);

/// Removes from a first phase's function what its half does not need: all that
/// is linalg still, and what nothing uses.
void pgopt_phase_clean(MlirOperation function);

#endif // PGOPT_KERNELS_PHASE_H
