// Declared functions with tensors may stand beside the network, called or not.

// RUN: pgopt-opt %s --pgopt-lower=entry=forward | FileCheck %s
// RUN: pgopt-opt %s --pgopt-lower="entry=forward kernels=naive" | FileCheck %s
// RUN: pgopt-opt %s --schedule-rr="entry=forward count=2 store=none" --pgopt-lower=entry=forward 2>/dev/null | FileCheck %s
// CHECK: llvm.func @forward

func.func private @print(%x: tensor<*xf32>)
func.func private @clock() -> f64

func.func @forward(%x: tensor<7x5xf32>) -> tensor<7x5xf32> {
  %e = tensor.empty() : tensor<7x5xf32>
  %r = linalg.exp ins(%x : tensor<7x5xf32>) outs(%e : tensor<7x5xf32>) -> tensor<7x5xf32>
  return %r : tensor<7x5xf32>
}

func.func @main(%x: tensor<7x5xf32>) {
  %r = call @forward(%x) : (tensor<7x5xf32>) -> tensor<7x5xf32>
  %u = tensor.cast %r : tensor<7x5xf32> to tensor<*xf32>
  call @print(%u) : (tensor<*xf32>) -> ()
  return
}
