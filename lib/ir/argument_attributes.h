/// \file Attributes of a function's arguments.
#ifndef PGOPT_IR_ARGUMENT_ATTRIBUTES_H
#define PGOPT_IR_ARGUMENT_ATTRIBUTES_H

#include "dialect_c/attributes.h"
#include "mlir-c/IR.h"

/// The attribute of argument `number`; null when it has none.
MlirAttribute pgopt_argument_attribute(MlirOperation function, intptr_t number,
                                       pgopt_attribute attribute);

/// Sets or replaces it; a null value removes it.
void pgopt_set_argument_attribute(MlirOperation function, intptr_t number,
                                  pgopt_attribute attribute,
                                  MlirAttribute value);

#endif // PGOPT_IR_ARGUMENT_ATTRIBUTES_H
