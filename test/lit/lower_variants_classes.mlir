// Variants of kernels without a multiply-accumulate, and of windows: each
// obeyed or refused, and equal to plain loops.
// DEFINE: %{variant} = window:3
// DEFINE: %{kernel} = pool
// DEFINE: %{put} = pgopt-opt %s --form-kernels="fuse=none target-cpu=x86-64-v3" | sed '/private @%{kernel}/s/pg.kernel/pg.variant = "%{variant}", &/'
// DEFINE: %{lower} = pgopt-opt %t.mlir --pgopt-lower --mlir-pass-statistics -o /dev/null
// DEFINE: %{same} = pgopt-runner %t.mlir --compare=%s

// RUN: %{put} > %t.mlir
// RUN: %{lower} 2>&1 | FileCheck %s --check-prefix=WINDOW
// RUN: %{same}
// WINDOW: 1 window
// REDEFINE: %{variant} = vector
// RUN: %{put} > %t.mlir
// RUN: %{lower} 2>&1 | FileCheck %s --check-prefix=NONE
// RUN: %{same}
// NONE: 0 window
// REDEFINE: %{variant} = loops
// RUN: %{put} > %t.mlir
// RUN: %{lower} 2>&1 | FileCheck %s --check-prefix=NONE
// RUN: %{same}

// No tile has so many outputs.
// REDEFINE: %{variant} = window:15
// RUN: %{put} > %t.mlir
// RUN: not %{lower} 2>&1 | FileCheck %s --check-prefix=REFUSED
// REFUSED: pg.variant is 'window:15', in which this kernel cannot be computed here

// REDEFINE: %{kernel} = exp
// REDEFINE: %{variant} = loops
// RUN: %{put} > %t.mlir
// RUN: %{same}
// REDEFINE: %{variant} = vector
// RUN: %{put} > %t.mlir
// RUN: %{same}
// REDEFINE: %{variant} = window:1
// RUN: %{put} > %t.mlir
// RUN: not %{lower} 2>&1 | FileCheck %s --check-prefix=ELEMENTWISE
// ELEMENTWISE: pg.variant is 'window:1', in which this kernel cannot be computed here

// Every class is measured, and what was chosen is found again.
// RUN: rm -rf %t.store
// RUN: pgopt-opt %s --profile="variants=measure store=%t.store budget=30ms report=none fuse=none" -o /dev/null
// RUN: pgopt-runner --show-store=%t.store | FileCheck %s --check-prefix=STORE
// STORE-DAG: "variant": "window:
// STORE-DAG: "variant": "vector"
// STORE-DAG: "variant": "loops"
// RUN: pgopt-opt %s --form-kernels="store=%t.store fuse=none" -o %t.chosen.mlir
// RUN: pgopt-runner %t.chosen.mlir --compare=%s
func.func @net(%a: tensor<1x13x17x31xf32>) -> tensor<1x11x15x31xf32> {
  %least = arith.constant 0xFF800000 : f32
  %w = tensor.empty() : tensor<3x3xf32>
  %e = tensor.empty() : tensor<1x11x15x31xf32>
  %f = linalg.fill ins(%least : f32) outs(%e : tensor<1x11x15x31xf32>) -> tensor<1x11x15x31xf32>
  %0 = linalg.pooling_nhwc_max ins(%a, %w : tensor<1x13x17x31xf32>, tensor<3x3xf32>) outs(%f : tensor<1x11x15x31xf32>) -> tensor<1x11x15x31xf32>
  %1 = linalg.exp ins(%0 : tensor<1x11x15x31xf32>) outs(%e : tensor<1x11x15x31xf32>) -> tensor<1x11x15x31xf32>
  return %1 : tensor<1x11x15x31xf32>
}
