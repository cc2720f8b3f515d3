/// \file Comparing functions by what they compute, without printing them.
#ifndef PGOPT_IR_STRUCTURE_H
#define PGOPT_IR_STRUCTURE_H

#include "mlir-c/IR.h"

#include <stdbool.h>
#include <stdint.h>

/// Hash of a function's type and body: operations, attributes, types and which
/// operand is which value. Names of functions and locations do not count.
/// Differs from process to process.
uint64_t pgopt_function_hash(MlirOperation function);

/// True when the types are the same and the bodies the same operation by
/// operation. False, to be on the safe side, for branches between blocks.
bool pgopt_functions_equal(MlirOperation a, MlirOperation b);

/// True when both have the same attributes, of the same names and values.
bool pgopt_attributes_equal(MlirOperation a, MlirOperation b);

#endif // PGOPT_IR_STRUCTURE_H
