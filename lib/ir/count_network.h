/// \file Counts the operations of a function and writes the counts onto it.
#ifndef PGOPT_IR_COUNT_NETWORK_H
#define PGOPT_IR_COUNT_NETWORK_H

#include "flops/flops.h"
#include "ir/read_network.h"
#include "mlir-c/IR.h"

/// The counts of every op of one function, in the order of its network.
typedef struct pgopt_function_counts {
  pgopt_count *ops; ///< one a network op; unset where it is not counted
  pgopt_total total;
} pgopt_function_counts;

/// Counts the ops of a network read from a function of `module`. Calls count
/// what the called function performs; calls of functions without a body, with
/// several blocks, or of themselves are unknown.
/// \param[out] counts freed with `pgopt_function_counts_free`.
void pgopt_count_function(MlirOperation module, const pgopt_ir_network *network,
                          pgopt_function_counts *counts);

void pgopt_function_counts_free(pgopt_function_counts *counts);

/// Writes pg.lflops or pg.lflops_unknown, and pg.bytes, in place of what the op
/// carries of them.
void pgopt_write_count(MlirOperation op, const pgopt_count *count);

/// Writes the totals on a function or module.
void pgopt_write_total(MlirOperation op, const pgopt_total *total);

#endif // PGOPT_IR_COUNT_NETWORK_H
