// pgopt-opt is mlir-opt with pgopt in it: flags in their order are the
// pipeline, upstream's passes, --pass-pipeline, timing and statistics work.

// RUN: pgopt-opt %s --cse --canonicalize | FileCheck %s
// RUN: pgopt-opt %s --pass-pipeline='builtin.module(func.func(cse,canonicalize))' \
// RUN:   | FileCheck %s
// RUN: pgopt-opt %s --cse --mlir-timing --mlir-timing-display=list -o /dev/null 2>&1 \
// RUN:   | FileCheck %s --check-prefix=TIMING
// RUN: pgopt-opt %s --cse --mlir-pass-statistics --mlir-pass-statistics-display=list -o /dev/null 2>&1 \
// RUN:   | FileCheck %s --check-prefix=STATISTICS
// RUN: pgopt-opt %s --mlir-print-ir-after-all --cse -o /dev/null 2>&1 \
// RUN:   | FileCheck %s --check-prefix=AFTER
// RUN: pgopt-opt %s --convert-linalg-to-loops --one-shot-bufferize="bufferize-function-boundaries" \
// RUN:   | FileCheck %s --check-prefix=BUFFERS
// RUN: pgopt-opt --show-dialects | FileCheck %s --check-prefix=DIALECTS

// CHECK-LABEL: func.func @twice
// CHECK-COUNT-1: arith.mulf
// CHECK-NOT: arith.mulf
// CHECK: arith.addf %[[A:.*]], %[[A]]
func.func @twice(%a: f32, %b: f32) -> f32 {
  %0 = arith.mulf %a, %b : f32
  %1 = arith.mulf %a, %b : f32
  %2 = arith.addf %0, %1 : f32
  return %2 : f32
}

// BUFFERS-LABEL: func.func @product
// BUFFERS-SAME: memref<3x7xf32
// BUFFERS: linalg.matmul
func.func @product(%a: tensor<3x7xf32>, %b: tensor<7x5xf32>, %c: tensor<3x5xf32>) -> tensor<3x5xf32> {
  %0 = linalg.matmul ins(%a, %b : tensor<3x7xf32>, tensor<7x5xf32>)
    outs(%c : tensor<3x5xf32>) -> tensor<3x5xf32>
  return %0 : tensor<3x5xf32>
}

// TIMING: Execution time report
// TIMING: CSE

// STATISTICS: Pass statistics report

// AFTER: IR Dump After CSE (cse)

// DIALECTS: linalg
// DIALECTS: pg
// DIALECTS: tosa
