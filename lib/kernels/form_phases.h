/// \file Kernels in phases: calls of a kernel that packs an operand while it
/// runs become calls that pack it, and calls that compute.
#ifndef PGOPT_KERNELS_FORM_PHASES_H
#define PGOPT_KERNELS_FORM_PHASES_H

#include "bridge/bridge.h"
#include "ir/timings.h"

/// Splits the kernels of a network of kernel calls whose plans have phases. The
/// first phase's function is new, with a range of its own; the kernel's
/// function becomes the second one's. As many calls of both as the layer has
/// parts.
/// \param timings where the Timing of phases may be on file; may be null.
/// \param[out] count kernels that have phases now.
/// \returns failure after one error.
MlirLogicalResult pgopt_form_phases(pgopt_pass *pass, MlirOperation module,
                                    MlirOperation entry, pgopt_timings *timings,
                                    int64_t *count);

#endif // PGOPT_KERNELS_FORM_PHASES_H
