/// \file One of ONNX's test directories: a model, inputs and expected outputs.
#ifndef PGOPT_RUNNER_ONNX_CASE_H
#define PGOPT_RUNNER_ONNX_CASE_H

#include "tools/pgopt-runner/options.h"

#include <stdbool.h>
#include <stddef.h>

/// Runs DIR/model.onnx on every DIR/test_data_set_*. A network passes when all
/// outputs have the expected types and shapes and every element is within
/// atol + rtol |expected|: 1e-7 and 1e-3, unless DIR/data.json says otherwise.
/// \param[out] message why not, when it fails.
bool run_onnx_case(const runner_options *options, const char *directory,
                   char *message, size_t message_size);

#endif // PGOPT_RUNNER_ONNX_CASE_H
