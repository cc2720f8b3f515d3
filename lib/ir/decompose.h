/// \file Ops on tensors that no bufferization exists for, taken apart.
#ifndef PGOPT_IR_DECOMPOSE_H
#define PGOPT_IR_DECOMPOSE_H

#include "mlir-c/IR.h"
#include "mlir-c/Support.h"

/// Replaces `linalg.softmax`, `linalg.pack`, `linalg.unpack` and
/// `tensor.concat` below `root` by ops that upstream bufferizes.
MlirLogicalResult pgopt_decompose(MlirOperation root);

#endif // PGOPT_IR_DECOMPOSE_H
