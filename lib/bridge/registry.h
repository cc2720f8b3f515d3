/// \file What the C++ files of the seam share.
#ifndef PGOPT_BRIDGE_REGISTRY_H
#define PGOPT_BRIDGE_REGISTRY_H

#include "mlir/IR/DialectRegistry.h"

/// Interfaces that upstream's passes find on ops of the dialects above:
/// bufferization, tiling, transform ops, translation to LLVM IR.
void pgopt_register_interfaces(mlir::DialectRegistry &registry);

#endif // PGOPT_BRIDGE_REGISTRY_H
