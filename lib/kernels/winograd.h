/// \file 3x3 convolutions by Winograd's F(2x2, 3x3) and F(4x4, 3x3).
#ifndef PGOPT_KERNELS_WINOGRAD_H
#define PGOPT_KERNELS_WINOGRAD_H

#include "kernels/fuse.h"
#include "kernels/prepare.h"
#include "kernels/target.h"
#include "kernels/winograd_plan.h"

/// Replaces a `linalg.generic` on memrefs that is a convolution of 3x3 windows
/// with steps of 1, channels last, together with what sets its destination
/// before and with the elementwise operations on it behind.
/// \param preparation of the weights, where they are a constant.
/// \param size of the tiles, 2 or 4; 0: as the model has it, if it pays off.
/// \param[out] erased operations behind it that are part of it now.
/// \returns false, with nothing changed, when it is no such convolution or
///   not to be computed so, as `pg.winograd` says.
bool pgopt_generate_winograd(MlirOperation op, const pgopt_target *target,
                             pgopt_preparation *preparation, int64_t size,
                             MlirOperation erased[PGOPT_FUSION_MAX_OPS],
                             size_t *erased_count);

/// Whether `pgopt_generate_winograd` would replace the operation.
/// \param[out] plan how; may be null.
bool pgopt_is_winograd(MlirOperation op, const pgopt_target *target,
                       pgopt_preparation *preparation, int64_t size,
                       pgopt_winograd_plan *plan);

/// A convolution whose image is transformed in a phase of its own.
typedef struct pgopt_winograd_phases {
  int64_t size;       ///< of the tiles
  MlirValue operand;  ///< the argument that is transformed
  bool is_cut;        ///< by the kernel's range
  int64_t iterations; ///< of that range, a step of both phases' ranges
  int64_t steps;      ///< of both ranges; 1 when they are not cut
  int64_t elements;   ///< of the transformed image, an iteration
} pgopt_winograd_phases;

/// Plans the phases of a convolution whose image is an argument of its kernel.
/// A step is a row of tiles, several rows, or an image. \param size of the
/// tiles in one phase; 0: as the model has it. \param extent of the kernel's
/// range. \param parts that it is cut into. \returns false when it is no such
/// convolution, or has fewer steps than parts.
bool pgopt_plan_winograd_phases(MlirOperation op, const pgopt_target *target,
                                pgopt_preparation *preparation, int64_t size,
                                int64_t extent, int64_t parts,
                                pgopt_winograd_phases *phases);

#endif // PGOPT_KERNELS_WINOGRAD_H
