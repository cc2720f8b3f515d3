// RUN: pgopt-opt %s --split-input-file --verify-diagnostics
// RUN: not pgopt-opt %s --split-input-file 2>&1 | FileCheck %s
// RUN: not pgopt-opt %s --no-such-pass 2>&1 | FileCheck %s --check-prefix=FLAG
// RUN: not pgopt-opt --pass-pipeline='builtin.module(no-such-pass)' /dev/null 2>&1 \
// RUN:   | FileCheck %s --check-prefix=PIPELINE

// CHECK: tool_invalid.mlir:[[#@LINE+4]]:{{.*}}error: use of undeclared SSA value name
// FLAG: no-such-pass
// PIPELINE: 'no-such-pass' does not refer to a registered pass or pass pipeline
// expected-error @+1 {{use of undeclared SSA value name}}
func.func @f() -> f32 { return %a : f32 }

// -----

// The split goes on behind an error.
func.func @wrong(%a: tensor<3x5xf32>) -> tensor<5x3xf32> {
  // expected-error @+1 {{type of return operand 0 ('tensor<3x5xf32>') doesn't match function result type ('tensor<5x3xf32>')}}
  return %a : tensor<3x5xf32>
}
