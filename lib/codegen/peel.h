/// \file Loops taken out of a linalg op: what is left is an op over one or two
/// of its loops, on slices that have these loops' dimensions and no others.
#ifndef PGOPT_CODEGEN_PEEL_H
#define PGOPT_CODEGEN_PEEL_H

#include "codegen/generic.h"

/// True when all loops but those with `is_kept` can be taken out: of the loops
/// that share a dimension (`oh * 2 + kh`) at most one is kept, it does not run
/// backwards, and the operands' strides are static.
bool pgopt_can_peel(const pgopt_generic *generic, const bool *is_kept);

/// Replaces the op by loops, parallel ones outside of reductions, around an op
/// over the loops that are kept, in their order. Every dimension of its
/// operands is one of its loops. \returns the new op.
MlirOperation pgopt_peel(const pgopt_generic *generic, const bool *is_kept);

#endif // PGOPT_CODEGEN_PEEL_H
