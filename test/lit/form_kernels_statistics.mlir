// RUN: pgopt-opt %s --form-kernels=split=2 --mlir-pass-statistics -o /dev/null 2>&1 | FileCheck %s
// RUN: not pgopt-opt %s --form-kernels=fill-elided=error 2>&1 | FileCheck %s --check-prefix=REFUSED
// RUN: pgopt-opt %s --form-kernels="fill-elided=seed seed=7" 2>&1 | FileCheck %s --check-prefix=SEED
// RUN: pgopt-opt %s --pgopt-normalize=seed=7 --mlir-pass-statistics -o /dev/null 2>&1 | FileCheck %s --check-prefix=NORMAL

// Two products of equal bodies, each in two ranges, and what feeds on nothing.
// CHECK-DAG: (S) 1 kernels -
// CHECK-DAG: (S) 1 kernels-shared -
// CHECK-DAG: (S) 4 calls -
// CHECK-DAG: (S) 2 layers-split -
// CHECK-DAG: (S) 1 layers-dead -
// REFUSED: error: {{.*}}elided
// SEED: warning: 1 elided constant{{s?}} filled with values from seed 7
// NORMAL: (S) 1 constants-filled
func.func @f(%a: tensor<7x11xf32>, %b: tensor<7x11xf32>) -> (tensor<7x13xf32>, tensor<7x13xf32>) {
  %w = arith.constant dense_resource<__elided__> : tensor<11x13xf32>
  %c = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<7x13xf32>
  %f = linalg.fill ins(%c : f32) outs(%e : tensor<7x13xf32>) -> tensor<7x13xf32>
  %0 = linalg.matmul ins(%a, %w : tensor<7x11xf32>, tensor<11x13xf32>) outs(%f : tensor<7x13xf32>) -> tensor<7x13xf32>
  %1 = linalg.matmul ins(%b, %w : tensor<7x11xf32>, tensor<11x13xf32>) outs(%f : tensor<7x13xf32>) -> tensor<7x13xf32>
  %e2 = tensor.empty() : tensor<7x11xf32>
  %dead = linalg.exp ins(%a : tensor<7x11xf32>) outs(%e2 : tensor<7x11xf32>) -> tensor<7x11xf32>
  return %0, %1 : tensor<7x13xf32>, tensor<7x13xf32>
}
