/// \file Depthwise convolutions and pools as generated kernels.
#ifndef PGOPT_KERNELS_WINDOW_H
#define PGOPT_KERNELS_WINDOW_H

#include "kernels/fuse.h"
#include "kernels/target.h"

/// Replaces a `linalg.generic` on memrefs that slides a window over an image,
/// multiplying by weights of the same channels or reducing, by loops around
/// register tiles, together with what sets its destination before and with the
/// elementwise operations on it behind.
/// \param width outputs of a tile at most; 0: as the model has it.
/// \param[out] erased operations behind it that are part of it now.
/// \returns false, with nothing changed, when it is none or has no plan.
bool pgopt_generate_window(MlirOperation op, const pgopt_target *target,
                           int64_t width,
                           MlirOperation erased[PGOPT_FUSION_MAX_OPS],
                           size_t *erased_count);

/// True when the op is one that is generated so.
/// \param[out] widest outputs of its largest tile; may be null.
bool pgopt_is_window(MlirOperation op, const pgopt_target *target,
                     int64_t width, int64_t *widest);

#endif // PGOPT_KERNELS_WINDOW_H
