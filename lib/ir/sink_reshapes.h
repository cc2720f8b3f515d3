/// \file Reshapes moved behind the operations that read them.
#ifndef PGOPT_IR_SINK_RESHAPES_H
#define PGOPT_IR_SINK_RESHAPES_H

#include "mlir-c/IR.h"

#include <stdbool.h>
#include <stdint.h>

/// An elementwise `linalg.generic`, or a reduction of one operand, that reads
/// all of a `tensor.expand_shape` of what a linalg op computed runs over the
/// shape in front of the reshape instead, and its result is expanded. What else
/// it reads is collapsed, or taken from in front of its own reshape. Operations
/// then follow their producers without a reshape in between, and can join their
/// kernels. A row's number that got dimensions of extent 1, to be read along
/// the row, is read without them. Static shapes only; reshapes that undo or
/// follow each other become one.
/// \returns how many operations were rebuilt.
int64_t pgopt_sink_reshapes(MlirOperation root);

/// True when it would change something.
bool pgopt_has_reshapes_to_sink(MlirOperation root);

#endif // PGOPT_IR_SINK_RESHAPES_H
