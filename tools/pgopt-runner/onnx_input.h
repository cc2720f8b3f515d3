/// \file An ONNX model in place of a module.
#ifndef PGOPT_RUNNER_ONNX_INPUT_H
#define PGOPT_RUNNER_ONNX_INPUT_H

#include "tools/pgopt-runner/options.h"

/// Temporary files of an import; empty when there was none.
typedef struct onnx_input {
  char *folder, *module, *parameters;
} onnx_input;

/// Imports options->file when it is an ONNX model, and makes the options name
/// the imported module and, unless --parameters is given, its parameters.
/// \param[out] input freed with `close_onnx_input`, also after a failure.
/// \returns false after a message on stderr.
bool open_onnx_input(runner_options *options, onnx_input *input);

/// Removes the files.
void close_onnx_input(onnx_input *input);

#endif // PGOPT_RUNNER_ONNX_INPUT_H
