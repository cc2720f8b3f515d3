// Every stage of a network gives the same numbers, from a file that a fresh
// process reads.
// RUN: pgopt-runner %s --print-results | FileCheck %s
// RUN: pgopt-runner --naive %s --print-results | FileCheck %s
// RUN: pgopt-opt --form-kernels %s -o %t.calls.mlir
// RUN: pgopt-runner %t.calls.mlir --print-results | FileCheck %s
// RUN: pgopt-opt --pgopt-lower %s -o %t.lowered.mlir
// RUN: pgopt-runner %t.lowered.mlir --print-results | FileCheck %s
// RUN: pgopt-runner %t.lowered.mlir --no-cache --print-results | FileCheck %s
// RUN: pgopt-runner --entry=network %s --print-results | FileCheck %s

// Integers count along the last dimension: every row of %a is 0 1 2, %b's rows
// are 0 1 2 3 4. The product's column j is j * (0 + 1 + 2) = 3j.
// CHECK: result 0: 2x5xi32, 0 to 12, mean 6
// CHECK-NEXT: {{^  \[\[0, 3, 6, 9, 12\], \[0, 3, 6, 9, 12\]\]$}}
// A scalar among the results.
// CHECK-NEXT: result 1: i64, 7 to 7, mean 7
// CHECK-NEXT: {{^  7$}}
func.func @network(%a: tensor<2x3xi32>, %b: tensor<3x5xi32>)
    -> (tensor<2x5xi32>, i64) {
  %zero = arith.constant 0 : i32
  %empty = tensor.empty() : tensor<2x5xi32>
  %init = linalg.fill ins(%zero : i32) outs(%empty : tensor<2x5xi32>)
      -> tensor<2x5xi32>
  %product = linalg.matmul
      ins(%a, %b : tensor<2x3xi32>, tensor<3x5xi32>)
      outs(%init : tensor<2x5xi32>) -> tensor<2x5xi32>
  %seven = arith.constant 7 : i64
  return %product, %seven : tensor<2x5xi32>, i64
}
