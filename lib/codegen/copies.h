/// \file Copies of buffers as linalg ops.
#ifndef PGOPT_CODEGEN_COPIES_H
#define PGOPT_CODEGEN_COPIES_H

#include "mlir-c/IR.h"

/// Replaces every `memref.copy` below `root` by an identity `linalg.generic`,
/// which is vectorized or becomes loops like any other op: upstream lowers
/// strided copies to a call of a library that a program need not have. Copies
/// of a buffer onto itself are erased.
void pgopt_expand_copies(MlirOperation root);

#endif // PGOPT_CODEGEN_COPIES_H
