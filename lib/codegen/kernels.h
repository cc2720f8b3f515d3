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

/// Lowers the body of every function of the module that has linalg ops, and
/// places the buffers of those that carry `pg.kernel`.
MlirLogicalResult pgopt_lower_kernels(pgopt_pass *pass, MlirOperation module);

#endif // PGOPT_CODEGEN_KERNELS_H
