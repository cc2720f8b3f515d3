/// \file Two modules made one.
#ifndef PGOPT_IR_JOIN_MODULES_H
#define PGOPT_IR_JOIN_MODULES_H

#include "mlir-c/IR.h"

/// Moves what is in `other` to the end of `module`. Globals and declarations
/// that the module has already, with the same attributes, are left behind;
/// other symbols that it has get new names, and so do their calls and uses.
/// \param function of `other`, or null; gets the name `name`, which the module
///   does not have.
void pgopt_join_modules(MlirOperation module, MlirOperation other,
                        MlirOperation function, const char *name);

#endif // PGOPT_IR_JOIN_MODULES_H
