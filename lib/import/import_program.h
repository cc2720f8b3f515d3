/// \file A tensor program as MLIR: linalg on tensors, one function.
#ifndef PGOPT_IMPORT_IMPORT_PROGRAM_H
#define PGOPT_IMPORT_IMPORT_PROGRAM_H

#include "mlir-c/IR.h"
#include "tensor/tensor_program.h"

/// A constant that became an argument of the function.
typedef struct pgopt_import_parameter {
  int tensor;
  char *name; ///< unlike all others
} pgopt_import_parameter;

typedef struct pgopt_imported {
  MlirModule module;
  pgopt_import_parameter *parameters; ///< in the order of their arguments
  size_t parameter_count;
} pgopt_imported;

/// Constants of more elements become parameters.
#define PGOPT_INLINE_ELEMENTS 16

/// Builds a module with one public function that takes the program's inputs,
/// then its parameters (with pg.parameter), and returns its outputs.
/// \param program finished; not changed.
/// \param parameters false: all constants are written inline.
/// \param[out] imported freed with `pgopt_imported_free`, also after a failure;
///   the module is valid (not verified).
void pgopt_import_program(MlirContext context,
                          const pgopt_tensor_program *program,
                          const char *function, bool parameters,
                          pgopt_imported *imported);

void pgopt_imported_free(pgopt_imported *imported);

/// Writes the parameters' data as a safetensors file and names it, as
/// `reference`, in the module attribute pg.parameters. Nothing without
/// parameters.
pgopt_status pgopt_import_write_parameters(const pgopt_tensor_program *program,
                                           const pgopt_imported *imported,
                                           const char *path,
                                           const char *reference,
                                           pgopt_error *error);

#endif // PGOPT_IMPORT_IMPORT_PROGRAM_H
