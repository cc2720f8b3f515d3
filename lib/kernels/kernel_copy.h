/// \file A copy of a network of kernel calls as the lowering sees it before it
/// generates anything: what plans are made on.
#ifndef PGOPT_KERNELS_KERNEL_COPY_H
#define PGOPT_KERNELS_KERNEL_COPY_H

#include "kernels/kernels.h"

typedef struct pgopt_kernel_copy {
  MlirOperation module; ///< the last one of the copied module's body
  pgopt_preparation *constants;
} pgopt_kernel_copy;

/// To be closed also after a failure.
MlirLogicalResult pgopt_kernel_copy_open(pgopt_pass *pass, MlirOperation module,
                                         MlirOperation entry,
                                         pgopt_kernel_copy *copy);
void pgopt_kernel_copy_close(pgopt_kernel_copy *copy);

/// The function of that name in the copy; null when it has none.
MlirOperation pgopt_kernel_copy_find(const pgopt_kernel_copy *copy,
                                     MlirStringRef name);

#endif // PGOPT_KERNELS_KERNEL_COPY_H
