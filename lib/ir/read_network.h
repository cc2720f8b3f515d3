/// \file Reads a function into plain data.
#ifndef PGOPT_IR_READ_NETWORK_H
#define PGOPT_IR_READ_NETWORK_H

#include "base/pointer_map.h"
#include "ir/read_memo.h"
#include "mlir-c/IR.h"
#include "mlir-c/Support.h"
#include "network/network.h"

/// A network and the IR it was read from: `ops[i]` and `values[i]` are the
/// handles of the network's operation and value i. Valid while the IR is
/// unchanged.
typedef struct pgopt_ir_network {
  pgopt_network network;
  MlirOperation *ops;
  MlirValue *values;
  pgopt_pointer_map value_index; ///< MlirValue.ptr -> value
  pgopt_read_memo memo;          ///< for the time of reading
} pgopt_ir_network;

/// Reads the function's only block. On memrefs every write makes a new value of
/// the buffer, so that the network is the one the tensors described; writes
/// through a view do not show in what the view is of.
/// \param[out] result freed with `pgopt_ir_network_free`; empty on failure.
/// \returns failure after one error at the function when it has no body or
///   several blocks.
MlirLogicalResult pgopt_read_network(MlirOperation function,
                                     pgopt_ir_network *result);

void pgopt_ir_network_free(pgopt_ir_network *network);

/// The value's index, -1 for a value from outside the function's block.
int pgopt_ir_network_value(const pgopt_ir_network *network, MlirValue value);

#endif // PGOPT_IR_READ_NETWORK_H
