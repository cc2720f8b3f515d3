// RUN: pgopt-runner %s --bench=0.02 | FileCheck %s
// CHECK: result 0
// CHECK-NEXT: {{.*}}runner_bench.mlir: median {{[0-9.]+}} us, min {{[0-9.]+}} us, mad {{[0-9.]+}} us, {{[1-9][0-9]*}} runs
// CHECK-NOT: ratio
// RUN: pgopt-runner %s --compare=%s --bench=0.02 | FileCheck %s --check-prefix=PAIR
// PAIR: result 0: error
// PAIR-NEXT: runner_bench.mlir: median
// PAIR-NEXT: runner_bench.mlir: median
// PAIR-NEXT: ratio {{[0-9.]+}} (p = {{[0-9.e-]+}}): {{faster|slower|no clear difference}}
// RUN: pgopt-runner %s --blas-threads=2 --bench=0.01

func.func @f(%a: tensor<7x13xf32>, %b: tensor<13x11xf32>) -> tensor<7x11xf32> {
  %zero = arith.constant 0.0 : f32
  %empty = tensor.empty() : tensor<7x11xf32>
  %init = linalg.fill ins(%zero : f32) outs(%empty : tensor<7x11xf32>)
      -> tensor<7x11xf32>
  %product = linalg.matmul ins(%a, %b : tensor<7x13xf32>, tensor<13x11xf32>)
      outs(%init : tensor<7x11xf32>) -> tensor<7x11xf32>
  return %product : tensor<7x11xf32>
}
