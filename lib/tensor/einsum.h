/// \file Einsum equations: numpy's notation over tensors of a program.
#ifndef PGOPT_TENSOR_EINSUM_H
#define PGOPT_TENSOR_EINSUM_H

#include "tensor/tensor_program.h"

/// Adds the equation's result, as contractions of two operands each, in the
/// order that keeps intermediate results small.
/// \param text the equation, "ij,jk->ik": letters, "..." with broadcasting,
///   letters twice in a term (diagonals); without "->" the result has the
///   letters that occur once, in alphabetical order, behind the broadcast
///   dimensions. Blanks are ignored.
/// \returns -1 after the program failed: malformed, or extents that disagree.
int pgopt_tensors_einsum(pgopt_tensor_program *program, const char *text,
                         int count, const int *tensors);

/// A batch of matrix products, numpy's `matmul`: ranks of 1 and more, leading
/// dimensions broadcast.
int pgopt_tensors_matmul(pgopt_tensor_program *program, int left, int right);

#endif // PGOPT_TENSOR_EINSUM_H
