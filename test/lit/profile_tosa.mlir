// RUN: pgopt-opt --profile="mode=static report-output=%t.txt" %s | FileCheck %s
// RUN: FileCheck %s --check-prefix=TABLE < %t.txt

// Kernels exist on the normalised form; their names come back to the TOSA ops.
// The convolution is a pad and a convolution there: it belongs to the latter.
// CHECK: tosa.conv2d
// CHECK-SAME: pg.kernel = "[[CONV:conv_[0-9]+]]"
// CHECK: tosa.clamp
// CHECK-SAME: pg.kernel = "[[CONV]]"
// CHECK: tosa.reshape
// CHECK-NOT: pg.kernel
// CHECK: tosa.reduce_sum
// CHECK-SAME: pg.kernel = "reduce_add_

// TABLE-NOT: pad_
// TABLE: conv_{{[0-9]+}} {{ *}}tosa.conv2d
// TABLE-NEXT: + tosa.clamp {{ *}}770
// TABLE: reduce_add_{{[0-9]+}} {{ *}}tosa.reduce_sum {{ *}}385
func.func @tosa(%x: tensor<1x7x11x3xf32>, %w: tensor<5x3x3x3xf32>, %b: tensor<5xf32>) -> tensor<1x77xf32> {
  %z = "tosa.const"() <{values = dense<0.0> : tensor<1xf32>}> : () -> tensor<1xf32>
  %0 = tosa.conv2d %x, %w, %b, %z, %z {acc_type = f32, dilation = array<i64: 1, 1>, pad = array<i64: 1, 1, 1, 1>, stride = array<i64: 1, 1>} : (tensor<1x7x11x3xf32>, tensor<5x3x3x3xf32>, tensor<5xf32>, tensor<1xf32>, tensor<1xf32>) -> tensor<1x7x11x5xf32>
  %1 = tosa.clamp %0 {min_val = 0.0 : f32, max_val = 6.0 : f32} : (tensor<1x7x11x5xf32>) -> tensor<1x7x11x5xf32>
  %s = tosa.const_shape {values = dense<[77, 5]> : tensor<2xindex>} : () -> !tosa.shape<2>
  %2 = tosa.reshape %1, %s : (tensor<1x7x11x5xf32>, !tosa.shape<2>) -> tensor<77x5xf32>
  %3 = tosa.reduce_sum %2 {axis = 1 : i32} : (tensor<77x5xf32>) -> tensor<77x1xf32>
  %s1 = tosa.const_shape {values = dense<[1, 77]> : tensor<2xindex>} : () -> !tosa.shape<2>
  %4 = tosa.reshape %3, %s1 : (tensor<77x1xf32>, !tosa.shape<2>) -> tensor<1x77xf32>
  return %4 : tensor<1x77xf32>
}
