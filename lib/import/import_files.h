/// \file Imported networks as files: a module, and the parameters beside it.
#ifndef PGOPT_IMPORT_IMPORT_FILES_H
#define PGOPT_IMPORT_IMPORT_FILES_H

#include "tensor/tensor_program.h"

#include <stdbool.h>

typedef struct pgopt_import_files {
  const char *module;     ///< path to write; null: standard output
  const char *parameters; ///< path; null: the module's with .safetensors
  bool is_inline;         ///< no parameter file, all constants in the module
  bool is_bytecode;
} pgopt_import_files;

/// Writes a finished program as a module with one function of that name.
pgopt_status pgopt_import_write(const pgopt_tensor_program *program,
                                const char *function,
                                const pgopt_import_files *files,
                                pgopt_error *error);

/// Reads an ONNX model and writes it. `bindings` as for
/// `pgopt_onnx_read_bindings`; the message begins with the model's path.
pgopt_status pgopt_import_onnx(const char *path, const char *bindings,
                               const pgopt_import_files *files,
                               pgopt_error *error);

/// Index of the only argument of a command line that names an ONNX file, -1
/// when there is none.
int pgopt_find_onnx_argument(int argc, char **argv);

#endif // PGOPT_IMPORT_IMPORT_FILES_H
