/// \file The functions of kernels, from linalg on memrefs to generated loops
/// over vectors and calls of BLAS.
#ifndef PGOPT_KERNELS_KERNELS_H
#define PGOPT_KERNELS_KERNELS_H

#include "bridge/bridge.h"
#include "kernels/prepare.h"
#include "kernels/target.h"

/// Statistics of the lowering, which come first in the pass's table.
enum {
#define PGOPT_KERNEL_COUNTER(name, spelling, help) PGOPT_KERNEL_##name,
#include "kernels/counters.def"
#undef PGOPT_KERNEL_COUNTER
  PGOPT_KERNEL_COUNTERS
};

/// How kernels are computed.
typedef struct pgopt_kernel_options {
  pgopt_target target;
  bool use_generated;             ///< else contractions go through BLAS alone
  pgopt_preparation *preparation; ///< of the module's constants; may be null
} pgopt_kernel_options;

/// Makes generic ops of what the module's functions compute, all of it on
/// memrefs; the first step of `pgopt_lower_kernels`.
MlirLogicalResult pgopt_prepare_kernels(pgopt_pass *pass, MlirOperation module);

/// Lowers the bodies of the functions that carry `pg.kernel`, places their
/// buffers, and lowers what the entry computes outside of kernels. Ops of other
/// functions become plain loops. `pg.variant` on a kernel is obeyed, unless
/// BLAS alone is asked for; one that does not apply is an error. \param[in,out]
/// entry the network's function, which may be rebuilt. \param[out]
/// scratch_bytes of the largest block that a kernel works in, as far as sizes
/// are known.
MlirLogicalResult pgopt_lower_kernels(pgopt_pass *pass,
                                      const pgopt_kernel_options *options,
                                      MlirOperation module,
                                      MlirOperation *entry,
                                      int64_t *scratch_bytes);

#endif // PGOPT_KERNELS_KERNELS_H
