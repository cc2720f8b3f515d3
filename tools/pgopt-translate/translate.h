/// \file What pgopt-translate does, one function a direction. Each prints its
/// own messages and returns the exit code.
#ifndef PGOPT_TRANSLATE_TRANSLATE_H
#define PGOPT_TRANSLATE_TRANSLATE_H

#include "tensor/tensor_program.h"
#include "tools/pgopt-translate/options.h"

int import_einsum(const translate_options *options);
int import_onnx(const translate_options *options);
int list_operators(void);

/// Writes a finished program as a module with the function `name`, to the
/// output the options name, with its parameter file.
int write_program(const translate_options *options,
                  const pgopt_tensor_program *program, const char *name);

#endif // PGOPT_TRANSLATE_TRANSLATE_H
