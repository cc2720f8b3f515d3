// RUN: pgopt-opt %s --pgopt-lower --mlir-pass-statistics -o /dev/null 2>&1 | FileCheck %s

// Two values of 3 x 5 x 4 = 60 bytes, each on a multiple of 64: the arena ends
// at 64 + 60, rounded up to 128.
// CHECK: (S) 128 arena-bytes
func.func @f(%a: tensor<3x5xf32>) -> (tensor<3x5xf32>, tensor<3x5xf32>) {
  %e = tensor.empty() : tensor<3x5xf32>
  %0 = linalg.exp ins(%a : tensor<3x5xf32>) outs(%e : tensor<3x5xf32>) -> tensor<3x5xf32>
  %1 = linalg.tanh ins(%0 : tensor<3x5xf32>) outs(%e : tensor<3x5xf32>) -> tensor<3x5xf32>
  return %0, %1 : tensor<3x5xf32>, tensor<3x5xf32>
}
