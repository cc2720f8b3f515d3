/// \file The network's function in a module.
#ifndef PGOPT_IR_ENTRY_H
#define PGOPT_IR_ENTRY_H

#include "mlir-c/IR.h"
#include "mlir-c/Support.h"

/// Finds the function that is the network.
/// \param name its symbol name; "" or null for the default: the only public
///   function with a body that takes or returns tensors or memrefs.
/// \param[out] entry the func.func.
/// \returns failure after one error at the module: no such function, none that
///   qualifies, or several (all are listed).
MlirLogicalResult pgopt_find_entry(MlirOperation module, const char *name,
                                   MlirOperation *entry);

/// How far a network has come.
typedef enum pgopt_stage {
  PGOPT_STAGE_TENSORS, ///< computes on tensors (linalg, TOSA ...)
  PGOPT_STAGE_CALLS,   ///< kernel calls on memrefs
  PGOPT_STAGE_CORES,   ///< one function a core
  PGOPT_STAGE_CHOICE,  ///< chooses one of two functions at PGOPT_STAGE_CORES
  PGOPT_STAGE_LOWERED, ///< LLVM dialect
  PGOPT_STAGE_BUFFERS, ///< computes on memrefs, bufferized by others
} pgopt_stage;

/// The stage of the module whose entry is `entry`. A lowered module's entry is
/// the llvm.func that carries pg.entry.
pgopt_stage pgopt_stage_of(MlirOperation entry);

#endif // PGOPT_IR_ENTRY_H
