/// \file The interpreter of tensor programs.
#ifndef PGOPT_TENSOR_EVALUATE_H
#define PGOPT_TENSOR_EVALUATE_H

#include "tensor/tensor_program.h"

/// Computes the result of a node of kind NEST to CONCAT, all of whose operands
/// have data.
void pgopt_evaluate_node(pgopt_tensor_program *program, const pgopt_node *node);

/// About how many scalar operations that takes.
double pgopt_node_work(const pgopt_tensor_program *program,
                       const pgopt_node *node);

#endif // PGOPT_TENSOR_EVALUATE_H
