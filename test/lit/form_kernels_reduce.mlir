// RUN: pgopt-opt %s --form-kernels | FileCheck %s
// RUN: pgopt-runner %s --compare=%s

// A reduction of two values at once has as many inits as inputs.
// CHECK-LABEL: func.func @two(
// CHECK: call @reduce_{{[a-z]+}}_0(
// CHECK-SAME: (memref<3x5xf32>, memref<3x5xf32>, memref<3xf32>, memref<3xf32>, index, index)
func.func @two(%a: tensor<3x5xf32>, %b: tensor<3x5xf32>) -> (tensor<3xf32>, tensor<3xf32>) {
  %z = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<3xf32>
  %f = linalg.fill ins(%z : f32) outs(%e : tensor<3xf32>) -> tensor<3xf32>
  %e1 = tensor.empty() : tensor<3xf32>
  %g = linalg.fill ins(%z : f32) outs(%e1 : tensor<3xf32>) -> tensor<3xf32>
  %0:2 = linalg.reduce ins(%a, %b : tensor<3x5xf32>, tensor<3x5xf32>) outs(%f, %g : tensor<3xf32>, tensor<3xf32>) dimensions = [1]
    (%x: f32, %y: f32, %s: f32, %t: f32) {
      %0 = arith.addf %x, %s : f32
      %1 = arith.maximumf %y, %t : f32
      linalg.yield %0, %1 : f32, f32
    }
  return %0#0, %0#1 : tensor<3xf32>, tensor<3xf32>
}
