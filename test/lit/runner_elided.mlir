// RUN: pgopt-runner %s --print-results > %t.out 2> %t.err
// RUN: FileCheck %s --check-prefix=WARNING < %t.err
// WARNING: runner_elided.mlir:{{[0-9]+}}:{{[0-9]+}}: warning: 2 elided constants filled with values from seed 0
// Equal keys and types give equal data, at every stage and on both sides.
// RUN: FileCheck %s --check-prefix=EQUAL < %t.out
// EQUAL: result 0: 5xf32, 0 to 0, mean 0
// RUN: pgopt-runner %s --compare=%s --seed=3

// RUN: not pgopt-runner %s --fill-elided=error 2>&1 \
// RUN:   | FileCheck %s --check-prefix=REFUSED
// REFUSED: runner_elided.mlir:[[#]]:{{[0-9]+}}: error: the data of the constant '__elided__' is elided

// Materialized, each constant has data of its own, and the file is complete.
// RUN: pgopt-runner --materialize-elided %s -o %t.mlir --seed=3 \
// RUN:   | FileCheck %s --check-prefix=COUNT
// COUNT: 2 elided constants given data
// RUN: pgopt-runner %t.mlir --fill-elided=error --print-results 2>&1 \
// RUN:   | FileCheck %s --check-prefix=OWN
// OWN-NOT: warning
// OWN: result 0: 5xf32, {{-?[0-9.e-]*[1-9]}} to {{-?[0-9.e-]*[1-9]}}
// To the standard output; equal seed, equal bytes.
// RUN: pgopt-runner --materialize-elided %s --seed=3 | cmp - %t.mlir
// RUN: pgopt-runner --materialize-elided %s --seed=4 | not cmp - %t.mlir
// RUN: not pgopt-runner --materialize-elided %s -o /nowhere/x 2>&1 \
// RUN:   | FileCheck %s --check-prefix=UNWRITABLE
// UNWRITABLE: cannot write '/nowhere/x'

func.func @f(%a: tensor<5xf32>) -> tensor<5xf32> {
  %w = arith.constant dense_resource<__elided__> : tensor<5xf32>
  %v = "tosa.const"() {values = dense_resource<__elided__> : tensor<5xf32>}
      : () -> tensor<5xf32>
  %empty = tensor.empty() : tensor<5xf32>
  %d = linalg.sub ins(%w, %v : tensor<5xf32>, tensor<5xf32>)
      outs(%empty : tensor<5xf32>) -> tensor<5xf32>
  return %d : tensor<5xf32>
}
