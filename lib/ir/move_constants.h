/// \file Large constants out of the module, into a parameter file.
#ifndef PGOPT_IR_MOVE_CONSTANTS_H
#define PGOPT_IR_MOVE_CONSTANTS_H

#include "mlir-c/IR.h"
#include "mlir-c/Support.h"

#include <stdint.h>

/// Constants of more bytes than this go into the parameter file.
#define PGOPT_PARAMETER_BYTES (64 * 1024)

/// Writes the data of the module's large constant globals into a safetensors
/// file, makes the globals declarations with `pg.parameter`, and names the file
/// in the module's `pg.parameters`. The file appears when it is complete.
/// \param path relative to the working directory; kept in the attribute as it
///   is, where it means: relative to the folder of the module's file.
/// \param[out] moved how many globals.
/// \returns failure after one error at the module when the file cannot be
///   written; the module is then unchanged.
MlirLogicalResult pgopt_move_constants(MlirOperation module, const char *path,
                                       int64_t *moved);

#endif // PGOPT_IR_MOVE_CONSTANTS_H
