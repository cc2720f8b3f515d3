/// \file `pg.machine`: a machine as a dictionary on the module, and back.
/// docs/machine.md lists its keys.
#ifndef PGOPT_IR_MACHINE_ATTRIBUTE_H
#define PGOPT_IR_MACHINE_ATTRIBUTE_H

#include "machine/machine.h"
#include "mlir-c/IR.h"

/// What is not known has no key.
MlirAttribute pgopt_machine_to_attribute(MlirContext context,
                                         const pgopt_machine *machine);

/// Reads `pg.machine` of a module; keys that are absent or of another kind are
/// not known. \returns false when there is none, it names no CPU, or it is none
/// that pgopt writes (`pgopt_machine_check`).
bool pgopt_machine_of_module(MlirOperation module, pgopt_machine *machine);

#endif // PGOPT_IR_MACHINE_ATTRIBUTE_H
