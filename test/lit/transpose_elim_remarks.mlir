// What stays is told with its reason, at the place, and counted.

// RUN: pgopt-opt %s --split-input-file --verify-diagnostics --transpose-elim \
// RUN:   -o /dev/null
// RUN: pgopt-opt %s --split-input-file --transpose-elim -o /dev/null \
// RUN:   --mlir-pass-statistics 2>&1 | FileCheck %s

// Of all three together: 420 + 48 + 420 bytes.
// CHECK: (S) 3 changes-before
// CHECK: (S) 3 changes-left
// CHECK: (S) 888 bytes-before
// CHECK: (S) 888 bytes-left
// CHECK: (S) 2 left-at-boundary
// CHECK: (S) 1 left-at-reshape

func.func @boundary(%a: tensor<3x5x7xf32>) -> tensor<7x3x5xf32> {
  %e = tensor.empty() : tensor<7x3x5xf32>
  // expected-remark @+1 {{layout change of 420 bytes, 1500 ns, stays between a function argument and a function result}}
  %0 = linalg.transpose ins(%a : tensor<3x5x7xf32>) outs(%e : tensor<7x3x5xf32>) permutation = [2, 0, 1]
      {pg.timing = {median_ns = 1500 : i64, min_ns = 1400 : i64, mad_ns = 10 : i64, runs = 100 : i64, source = "isolated"}}
  return %0 : tensor<7x3x5xf32>
}

// -----

func.func @reshape(%a: tensor<3x4xf32>) -> tensor<6x2xf32> {
  %e = tensor.empty() : tensor<4x3xf32>
  // expected-remark @+1 {{layout change of 48 bytes stays between a function argument and reshape 'tensor.expand_shape'}}
  %0 = linalg.transpose ins(%a : tensor<3x4xf32>) outs(%e : tensor<4x3xf32>) permutation = [1, 0]
  %1 = tensor.collapse_shape %0 [[0, 1]] : tensor<4x3xf32> into tensor<12xf32>
  %2 = tensor.expand_shape %1 [[0, 1]] output_shape [6, 2] : tensor<12xf32> into tensor<6x2xf32>
  return %2 : tensor<6x2xf32>
}

// -----

// The input of a convolution: 3 * 7 * 5 * 4 bytes, more than absorbing it would
// save.
func.func @convolution(%a: tensor<1x3x7x5xf32>, %k: tensor<3x3x3x11xf32>) -> tensor<1x5x3x11xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<1x7x5x3xf32>
  // expected-remark @+1 {{layout change of 420 bytes stays between a function argument and convolution 'linalg.conv_2d_nhwc_hwcf'}}
  %0 = linalg.transpose ins(%a : tensor<1x3x7x5xf32>) outs(%e : tensor<1x7x5x3xf32>) permutation = [0, 2, 3, 1]
  %f = tensor.empty() : tensor<1x5x3x11xf32>
  %1 = linalg.fill ins(%zero : f32) outs(%f : tensor<1x5x3x11xf32>) -> tensor<1x5x3x11xf32>
  %2 = linalg.conv_2d_nhwc_hwcf {dilations = dense<1> : tensor<2xi64>, strides = dense<1> : tensor<2xi64>} ins(%0, %k : tensor<1x7x5x3xf32>, tensor<3x3x3x11xf32>) outs(%1 : tensor<1x5x3x11xf32>) -> tensor<1x5x3x11xf32>
  return %2 : tensor<1x5x3x11xf32>
}
