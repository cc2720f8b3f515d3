/// \file ONNX test directories, one or a folder of many.
#ifndef PGOPT_RUNNER_ONNX_SUITE_H
#define PGOPT_RUNNER_ONNX_SUITE_H

#include "tools/pgopt-runner/options.h"

/// Runs --onnx-test-dir: DIR itself when it has a model, else every folder in
/// it that has one, each in a child process. With --expected=FILE a network
/// that fails must be listed there, and one that passes must not be.
/// \returns an exit code.
int run_onnx_suite(const runner_options *options);

#endif // PGOPT_RUNNER_ONNX_SUITE_H
