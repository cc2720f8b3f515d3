/// \file Buffers inside a kernel that generated code does without.
#ifndef PGOPT_KERNELS_BUFFERS_H
#define PGOPT_KERNELS_BUFFERS_H

#include "ir/ir.h"

/// True for operations that read and write no element of a buffer.
bool pgopt_touches_no_element(MlirOperation op);

/// True when the kernel allocates the buffer of the memref, and these
/// operations are all that use it.
bool pgopt_buffer_is_private(MlirValue memref, const MlirOperation *ops,
                             size_t count);

/// Erases a view that nothing uses, and what it is a view of.
void pgopt_buffer_erase_unused(MlirValue memref);

#endif // PGOPT_KERNELS_BUFFERS_H
