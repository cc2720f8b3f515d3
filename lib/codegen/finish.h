/// \file The last step of lowering: loops, vectors and buffers into LLVM.
#ifndef PGOPT_CODEGEN_FINISH_H
#define PGOPT_CODEGEN_FINISH_H

#include "bridge/bridge.h"

/// Takes a module of memrefs, loops, vectors and calls to the LLVM dialect.
/// The entry gets a C interface (`_mlir_ciface_<entry>`) and its type before
/// lowering as `pg.entry`; every function keeps its name.
MlirLogicalResult pgopt_finish_lowering(pgopt_pass *pass, MlirOperation module,
                                        MlirOperation entry);

#endif // PGOPT_CODEGEN_FINISH_H
