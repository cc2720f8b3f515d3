/// \file Reads the loops, maps and body of linalg operations.
#ifndef PGOPT_IR_READ_STRUCTURED_H
#define PGOPT_IR_READ_STRUCTURED_H

#include "ir/read_network.h"
#include "mlir-c/AffineMap.h"

/// True for ops with linalg's structure (not linalg.softmax, linalg.pack ...).
bool pgopt_is_structured(MlirOperation op);

/// Fills the structured members of `op`, whose operands, captures and results
/// are set already.
void pgopt_read_structured(pgopt_ir_network *ir, MlirOperation handle,
                           pgopt_op *op);

/// The map as plain data, allocated in the arena.
pgopt_map pgopt_read_map(pgopt_arena *arena, MlirAffineMap map);

/// name = value of every attribute of the op but `pg.` ones and large ones.
const char *pgopt_read_attributes(pgopt_ir_network *ir, MlirOperation op);

#endif // PGOPT_IR_READ_STRUCTURED_H
