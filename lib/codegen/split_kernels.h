/// \file A lowered program in pieces: one module a kernel and a function that
/// fills a constant's buffer, one for the rest.
#ifndef PGOPT_CODEGEN_SPLIT_KERNELS_H
#define PGOPT_CODEGEN_SPLIT_KERNELS_H

#include "mlir-c/IR.h"

#include <stddef.h>

/// Name of a kernel in its module, whatever it is called in the program: equal
/// kernels are equal modules.
#define PGOPT_KERNEL_SYMBOL "pgopt_kernel"

typedef struct pgopt_kernel_piece {
  MlirModule module;      ///< the function PGOPT_KERNEL_SYMBOL and what it uses
  MlirOperation function; ///< in the rest
} pgopt_kernel_piece;

typedef struct pgopt_split {
  MlirOperation rest; ///< a copy of the program
  pgopt_kernel_piece *kernels;
  size_t count, capacity;
} pgopt_split;

/// Takes the kernels of a module in the LLVM dialect apart, and the functions
/// with the phase "prepare". One that uses more than constants and functions
/// from elsewhere stays with the rest. \param[out] split freed with
/// `pgopt_split_free`.
void pgopt_split_kernels(MlirOperation module, pgopt_split *split);

/// Makes the rest call kernels by the names that they have got: each kernel's
/// function becomes a declaration. \param names one a kernel.
void pgopt_split_link(pgopt_split *split, const char *const *names);

void pgopt_split_free(pgopt_split *split);

#endif // PGOPT_CODEGEN_SPLIT_KERNELS_H
