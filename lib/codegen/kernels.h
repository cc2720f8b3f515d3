/// \file The functions of kernels, from linalg on memrefs to loops, vectors and
/// calls of BLAS.
#ifndef PGOPT_CODEGEN_KERNELS_H
#define PGOPT_CODEGEN_KERNELS_H

#include "bridge/bridge.h"

/// Statistics of the lowering, which come first in the pass's table.
enum {
#define PGOPT_KERNEL_COUNTER(name, spelling, help) PGOPT_KERNEL_##name,
#include "codegen/counters.def"
#undef PGOPT_KERNEL_COUNTER
  PGOPT_KERNEL_COUNTERS
};

/// Lowers the bodies of the functions that carry `pg.kernel`, places their
/// buffers, and lowers what the entry computes outside of kernels. Ops of other
/// functions become plain loops.
/// \param[in,out] entry the network's function, which may be rebuilt.
MlirLogicalResult pgopt_lower_kernels(pgopt_pass *pass, MlirOperation module,
                                      MlirOperation *entry);

#endif // PGOPT_CODEGEN_KERNELS_H
