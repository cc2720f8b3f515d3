// Through every kind of operation: what carries axes is rebuilt with them in
// their new places. Each has a twin whose transpose stays.

// RUN: pgopt-opt %s --split-input-file --transpose-elim -o %t
// RUN: FileCheck %s < %t
// RUN: pgopt-opt %t --split-input-file --transpose-elim | diff %t -

// CHECK-LABEL: func.func @elementwise
// CHECK-NOT: linalg.transpose
// CHECK: return
func.func @elementwise(%a: tensor<3x5xf32>, %b: tensor<3x5xf32>) -> tensor<3x5xf32> {
  %0 = tosa.transpose %a {perms = array<i32: 1, 0>} : (tensor<3x5xf32>) -> tensor<5x3xf32>
  %1 = tosa.transpose %b {perms = array<i32: 1, 0>} : (tensor<3x5xf32>) -> tensor<5x3xf32>
  %2 = tosa.sub %0, %1 : (tensor<5x3xf32>, tensor<5x3xf32>) -> tensor<5x3xf32>
  %3 = tosa.transpose %2 {perms = array<i32: 1, 0>} : (tensor<5x3xf32>) -> tensor<3x5xf32>
  return %3 : tensor<3x5xf32>
}

// -----

// Only one of the two, both square.
// CHECK-LABEL: func.func @elementwise_twin
// CHECK-COUNT-1: linalg.transpose
// CHECK-NOT: linalg.transpose
// CHECK: return
func.func @elementwise_twin(%a: tensor<5x5xf32>, %b: tensor<5x5xf32>) -> tensor<5x5xf32> {
  %0 = tosa.transpose %a {perms = array<i32: 1, 0>} : (tensor<5x5xf32>) -> tensor<5x5xf32>
  %1 = tosa.sub %0, %b : (tensor<5x5xf32>, tensor<5x5xf32>) -> tensor<5x5xf32>
  return %1 : tensor<5x5xf32>
}

// -----

// CHECK-LABEL: func.func @broadcast
// CHECK-NOT: linalg.transpose
// CHECK: return
func.func @broadcast(%x: tensor<5x3xf32>) -> tensor<5x7x3xf32> {
  %e = tensor.empty() : tensor<3x5xf32>
  %0 = linalg.transpose ins(%x : tensor<5x3xf32>) outs(%e : tensor<3x5xf32>) permutation = [1, 0]
  %f = tensor.empty() : tensor<3x7x5xf32>
  %1 = linalg.broadcast ins(%0 : tensor<3x5xf32>) outs(%f : tensor<3x7x5xf32>) dimensions = [1]
  %g = tensor.empty() : tensor<5x7x3xf32>
  %2 = linalg.transpose ins(%1 : tensor<3x7x5xf32>) outs(%g : tensor<5x7x3xf32>) permutation = [2, 1, 0]
  return %2 : tensor<5x7x3xf32>
}

// -----

// The small side is the one to be read in another order: 60 bytes, not 420.
// CHECK-LABEL: func.func @broadcast_twin
// CHECK-NOT: linalg.transpose
// CHECK: linalg.generic {{.*}} ins(%arg0 : tensor<5x3xf32>) outs(%{{.*}} : tensor<3x7x5xf32>)
// CHECK: return
func.func @broadcast_twin(%x: tensor<5x3xf32>) -> tensor<3x7x5xf32> {
  %f = tensor.empty() : tensor<5x7x3xf32>
  %0 = linalg.broadcast ins(%x : tensor<5x3xf32>) outs(%f : tensor<5x7x3xf32>) dimensions = [1]
  %g = tensor.empty() : tensor<3x7x5xf32>
  %1 = linalg.transpose ins(%0 : tensor<5x7x3xf32>) outs(%g : tensor<3x7x5xf32>) permutation = [2, 1, 0]
  return %1 : tensor<3x7x5xf32>
}

// -----

// Two branches of a concat, in one other order.
// CHECK-LABEL: func.func @concat
// CHECK-NOT: linalg.transpose
// CHECK: tensor.concat dim(1)
// CHECK-NOT: linalg.transpose
// CHECK: return
func.func @concat(%a: tensor<3x5x7xf32>, %b: tensor<3x2x7xf32>) -> tensor<3x7x7xf32> {
  %0 = tosa.transpose %a {perms = array<i32: 2, 0, 1>} : (tensor<3x5x7xf32>) -> tensor<7x3x5xf32>
  %1 = tosa.transpose %b {perms = array<i32: 2, 0, 1>} : (tensor<3x2x7xf32>) -> tensor<7x3x2xf32>
  %2 = tensor.concat dim(2) %0, %1 : (tensor<7x3x5xf32>, tensor<7x3x2xf32>) -> tensor<7x3x7xf32>
  %3 = tosa.transpose %2 {perms = array<i32: 1, 2, 0>} : (tensor<7x3x7xf32>) -> tensor<3x7x7xf32>
  return %3 : tensor<3x7x7xf32>
}

// -----

// Two branches whose permutations differ (an inverse each of the other): one
// of them keeps its own.
// CHECK-LABEL: func.func @concat_twin
// CHECK: linalg.transpose
// CHECK: tensor.concat
// CHECK: return
func.func @concat_twin(%a: tensor<5x5x5xf32>, %b: tensor<5x5x5xf32>) -> tensor<5x5x10xf32> {
  %0 = tosa.transpose %a {perms = array<i32: 2, 0, 1>} : (tensor<5x5x5xf32>) -> tensor<5x5x5xf32>
  %1 = tosa.transpose %b {perms = array<i32: 1, 2, 0>} : (tensor<5x5x5xf32>) -> tensor<5x5x5xf32>
  %2 = tensor.concat dim(2) %0, %1 : (tensor<5x5x5xf32>, tensor<5x5x5xf32>) -> tensor<5x5x10xf32>
  return %2 : tensor<5x5x10xf32>
}

// -----

// A split: two slices of one transpose, transposed back each.
// CHECK-LABEL: func.func @split
// CHECK-NOT: linalg.transpose
// CHECK-DAG: tensor.extract_slice %arg0[0, 0] [5, 3] [1, 1]
// CHECK-DAG: tensor.extract_slice %arg0[0, 3] [5, 4] [1, 1]
// CHECK-NOT: linalg.transpose
// CHECK: return
func.func @split(%x: tensor<5x7xf32>) -> (tensor<5x3xf32>, tensor<5x4xf32>) {
  %e = tensor.empty() : tensor<7x5xf32>
  %0 = linalg.transpose ins(%x : tensor<5x7xf32>) outs(%e : tensor<7x5xf32>) permutation = [1, 0]
  %1 = tensor.extract_slice %0[0, 0] [3, 5] [1, 1] : tensor<7x5xf32> to tensor<3x5xf32>
  %2 = tensor.extract_slice %0[3, 0] [4, 5] [1, 1] : tensor<7x5xf32> to tensor<4x5xf32>
  %f = tensor.empty() : tensor<5x3xf32>
  %3 = linalg.transpose ins(%1 : tensor<3x5xf32>) outs(%f : tensor<5x3xf32>) permutation = [1, 0]
  %g = tensor.empty() : tensor<5x4xf32>
  %4 = linalg.transpose ins(%2 : tensor<4x5xf32>) outs(%g : tensor<5x4xf32>) permutation = [1, 0]
  return %3, %4 : tensor<5x3xf32>, tensor<5x4xf32>
}

// -----

// One of the slices is a result as it is: the smaller one is what moves.
// CHECK-LABEL: func.func @split_twin
// CHECK: linalg.transpose ins(%{{.*}} : tensor<5x3xf32>) outs(%{{.*}} : tensor<3x5xf32>)
// CHECK-NOT: linalg.transpose
// CHECK: return
func.func @split_twin(%x: tensor<5x7xf32>) -> (tensor<3x5xf32>, tensor<5x4xf32>) {
  %e = tensor.empty() : tensor<7x5xf32>
  %0 = linalg.transpose ins(%x : tensor<5x7xf32>) outs(%e : tensor<7x5xf32>) permutation = [1, 0]
  %1 = tensor.extract_slice %0[0, 0] [3, 5] [1, 1] : tensor<7x5xf32> to tensor<3x5xf32>
  %2 = tensor.extract_slice %0[3, 0] [4, 5] [1, 1] : tensor<7x5xf32> to tensor<4x5xf32>
  %g = tensor.empty() : tensor<5x4xf32>
  %4 = linalg.transpose ins(%2 : tensor<4x5xf32>) outs(%g : tensor<5x4xf32>) permutation = [1, 0]
  return %1, %4 : tensor<3x5xf32>, tensor<5x4xf32>
}

// -----

// Offsets, sizes and steps of a slice, and of one that writes.
// CHECK-LABEL: func.func @slice
// CHECK-NOT: linalg.transpose
// CHECK: tensor.extract_slice %arg0[2, 0, 1] [3, 3, 2] [1, 2, 3]
// CHECK: tensor.insert_slice %{{.*}} into %arg1[0, 4, 1] [3, 3, 2] [1, 1, 1]
// CHECK-NOT: linalg.transpose
// CHECK: return
func.func @slice(%x: tensor<5x7x5xf32>, %y: tensor<3x7x5xf32>) -> tensor<3x7x5xf32> {
  %0 = tosa.transpose %x {perms = array<i32: 1, 2, 0>} : (tensor<5x7x5xf32>) -> tensor<7x5x5xf32>
  %1 = tosa.transpose %y {perms = array<i32: 1, 2, 0>} : (tensor<3x7x5xf32>) -> tensor<7x5x3xf32>
  %2 = tensor.extract_slice %0[0, 1, 2] [3, 2, 3] [2, 3, 1] : tensor<7x5x5xf32> to tensor<3x2x3xf32>
  %3 = tensor.insert_slice %2 into %1[4, 1, 0] [3, 2, 3] [1, 1, 1] : tensor<3x2x3xf32> into tensor<7x5x3xf32>
  %4 = tosa.transpose %3 {perms = array<i32: 2, 0, 1>} : (tensor<7x5x3xf32>) -> tensor<3x7x5xf32>
  return %4 : tensor<3x7x5xf32>
}

// -----

// An offset that is known at run time only: the slice takes what it declares.
// CHECK-LABEL: func.func @slice_twin
// CHECK-COUNT-2: linalg.transpose
// CHECK: return
func.func @slice_twin(%x: tensor<5x7xf32>, %o: index) -> tensor<5x3xf32> {
  %e = tensor.empty() : tensor<7x5xf32>
  %0 = linalg.transpose ins(%x : tensor<5x7xf32>) outs(%e : tensor<7x5xf32>) permutation = [1, 0]
  %1 = tensor.extract_slice %0[%o, 0] [3, 5] [1, 1] : tensor<7x5xf32> to tensor<3x5xf32>
  %f = tensor.empty() : tensor<5x3xf32>
  %2 = linalg.transpose ins(%1 : tensor<3x5xf32>) outs(%f : tensor<5x3xf32>) permutation = [1, 0]
  return %2 : tensor<5x3xf32>
}

// -----

// CHECK-LABEL: func.func @pad
// CHECK-NOT: linalg.transpose
// CHECK: tensor.pad %arg0 low[0, 1] high[2, 0]
// CHECK-NOT: linalg.transpose
// CHECK: return
func.func @pad(%x: tensor<5x7xf32>) -> tensor<7x8xf32> {
  %v = arith.constant -2.0 : f32
  %e = tensor.empty() : tensor<7x5xf32>
  %0 = linalg.transpose ins(%x : tensor<5x7xf32>) outs(%e : tensor<7x5xf32>) permutation = [1, 0]
  %1 = tensor.pad %0 low[1, 0] high[0, 2] {
  ^bb0(%i: index, %j: index):
    tensor.yield %v : f32
  } : tensor<7x5xf32> to tensor<8x7xf32>
  %f = tensor.empty() : tensor<7x8xf32>
  %2 = linalg.transpose ins(%1 : tensor<8x7xf32>) outs(%f : tensor<7x8xf32>) permutation = [1, 0]
  return %2 : tensor<7x8xf32>
}

// -----

// A value that depends on where it stands: the pad takes what it declares.
// CHECK-LABEL: func.func @pad_twin
// CHECK-COUNT-2: linalg.transpose
// CHECK: return
func.func @pad_twin(%x: tensor<5x7xf32>) -> tensor<7x8xf32> {
  %e = tensor.empty() : tensor<7x5xf32>
  %0 = linalg.transpose ins(%x : tensor<5x7xf32>) outs(%e : tensor<7x5xf32>) permutation = [1, 0]
  %1 = tensor.pad %0 low[1, 0] high[0, 2] {
  ^bb0(%i: index, %j: index):
    %n = arith.index_cast %i : index to i32
    %y = arith.sitofp %n : i32 to f32
    tensor.yield %y : f32
  } : tensor<7x5xf32> to tensor<8x7xf32>
  %f = tensor.empty() : tensor<7x8xf32>
  %2 = linalg.transpose ins(%1 : tensor<8x7xf32>) outs(%f : tensor<7x8xf32>) permutation = [1, 0]
  return %2 : tensor<7x8xf32>
}

// -----

// The innermost dimension is summed up, then the outermost of the argument.
// CHECK-LABEL: func.func @reduce
// CHECK-NOT: linalg.transpose
// CHECK: return
func.func @reduce(%x: tensor<5x3x7xf32>) -> tensor<3x7xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<3x7x5xf32>
  %0 = linalg.transpose ins(%x : tensor<5x3x7xf32>) outs(%e : tensor<3x7x5xf32>) permutation = [1, 2, 0]
  %f = tensor.empty() : tensor<3x7xf32>
  %1 = linalg.fill ins(%zero : f32) outs(%f : tensor<3x7xf32>) -> tensor<3x7xf32>
  %2 = linalg.reduce { arith.addf } ins(%0 : tensor<3x7x5xf32>) outs(%1 : tensor<3x7xf32>) dimensions = [2]
  return %2 : tensor<3x7xf32>
}

// -----

// The result's dimensions stand in another order than the argument's: the
// result is the cheaper one to move, 2,108 of 111,724 bytes.
// CHECK-LABEL: func.func @reduce_twin
// CHECK: linalg.transpose ins(%{{.*}} : tensor<31x17xf32>) outs(%{{.*}} : tensor<17x31xf32>)
// CHECK-NOT: linalg.transpose
// CHECK: return
func.func @reduce_twin(%x: tensor<53x31x17xf32>) -> tensor<17x31xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<17x31x53xf32>
  %0 = linalg.transpose ins(%x : tensor<53x31x17xf32>) outs(%e : tensor<17x31x53xf32>) permutation = [2, 1, 0]
  %f = tensor.empty() : tensor<17x31xf32>
  %1 = linalg.fill ins(%zero : f32) outs(%f : tensor<17x31xf32>) -> tensor<17x31xf32>
  %2 = linalg.reduce { arith.addf } ins(%0 : tensor<17x31x53xf32>) outs(%1 : tensor<17x31xf32>) dimensions = [2]
  return %2 : tensor<17x31xf32>
}

// -----

// The index that is counted is that of the reduced dimension, wherever it
// stands.
// CHECK-LABEL: func.func @arg_reduce
// CHECK-NOT: linalg.transpose
// CHECK: linalg.generic {{.*}}["parallel", "reduction", "parallel"]{{.*}} ins(%arg0 : tensor<5x3x7xf32>)
// CHECK: linalg.index 1
// CHECK-NOT: linalg.transpose
// CHECK: return
func.func @arg_reduce(%x: tensor<5x3x7xf32>) -> tensor<5x3xi32> {
  %0 = tosa.transpose %x {perms = array<i32: 1, 2, 0>} : (tensor<5x3x7xf32>) -> tensor<3x7x5xf32>
  %1 = tosa.argmax %0 {axis = 1 : i32} : (tensor<3x7x5xf32>) -> tensor<3x5xi32>
  %2 = tosa.transpose %1 {perms = array<i32: 1, 0>} : (tensor<3x5xi32>) -> tensor<5x3xi32>
  return %2 : tensor<5x3xi32>
}

// -----

// Square: the wrong axis would go unnoticed. The result moves, not the input.
// CHECK-LABEL: func.func @arg_reduce_twin
// CHECK: linalg.transpose ins(%{{.*}} : tensor<53x53xi32>)
// CHECK-NOT: linalg.transpose
// CHECK: return
func.func @arg_reduce_twin(%x: tensor<53x53x53xf32>) -> tensor<53x53xi32> {
  %0 = tosa.transpose %x {perms = array<i32: 1, 2, 0>} : (tensor<53x53x53xf32>) -> tensor<53x53x53xf32>
  %1 = tosa.argmax %0 {axis = 1 : i32} : (tensor<53x53x53xf32>) -> tensor<53x53xi32>
  return %1 : tensor<53x53xi32>
}

// -----

// CHECK-LABEL: func.func @softmax
// CHECK-NOT: linalg.transpose
// CHECK: linalg.softmax dimension(2) ins(%arg0
// CHECK-NOT: linalg.transpose
// CHECK: return
func.func @softmax(%x: tensor<5x3x7xf32>) -> tensor<5x3x7xf32> {
  %e = tensor.empty() : tensor<3x7x5xf32>
  %0 = linalg.transpose ins(%x : tensor<5x3x7xf32>) outs(%e : tensor<3x7x5xf32>) permutation = [1, 2, 0]
  %f = tensor.empty() : tensor<3x7x5xf32>
  %1 = linalg.softmax dimension(1) ins(%0 : tensor<3x7x5xf32>) outs(%f : tensor<3x7x5xf32>) -> tensor<3x7x5xf32>
  %g = tensor.empty() : tensor<5x3x7xf32>
  %2 = linalg.transpose ins(%1 : tensor<3x7x5xf32>) outs(%g : tensor<5x3x7xf32>) permutation = [2, 0, 1]
  return %2 : tensor<5x3x7xf32>
}

// -----

// Over a dimension that a reshape would cut: a barrier.
// CHECK-LABEL: func.func @softmax_twin
// CHECK: linalg.transpose
// CHECK: linalg.softmax dimension(0)
// CHECK: return
func.func @softmax_twin(%x: tensor<5x3x2xf32>) -> tensor<6x5xf32> {
  %e = tensor.empty() : tensor<2x3x5xf32>
  %0 = linalg.transpose ins(%x : tensor<5x3x2xf32>) outs(%e : tensor<2x3x5xf32>) permutation = [2, 1, 0]
  %1 = tensor.collapse_shape %0 [[0, 1], [2]] : tensor<2x3x5xf32> into tensor<6x5xf32>
  %f = tensor.empty() : tensor<6x5xf32>
  %2 = linalg.softmax dimension(0) ins(%1 : tensor<6x5xf32>) outs(%f : tensor<6x5xf32>) -> tensor<6x5xf32>
  return %2 : tensor<6x5xf32>
}

// -----

// Windows over the dimensions in their new places.
// CHECK-DAG: #[[IMAGE:.*]] = affine_map<(d0, d1, d2, d3, d4, d5) -> (0, d3, d1 * 2 + d4, d2 + d5)>
// CHECK-LABEL: func.func @pooling
// CHECK-NOT: linalg.transpose
// CHECK: linalg.generic {indexing_maps = [#[[IMAGE]],
// CHECK-NOT: linalg.transpose
// CHECK: return
func.func @pooling(%x: tensor<1x3x7x11xf32>) -> tensor<1x3x3x9xf32> {
  %0 = tosa.transpose %x {perms = array<i32: 0, 2, 3, 1>} : (tensor<1x3x7x11xf32>) -> tensor<1x7x11x3xf32>
  %1 = tosa.max_pool2d %0 {kernel = array<i64: 3, 3>, stride = array<i64: 2, 1>, pad = array<i64: 0, 0, 0, 0>} : (tensor<1x7x11x3xf32>) -> tensor<1x3x9x3xf32>
  %2 = tosa.transpose %1 {perms = array<i32: 0, 3, 1, 2>} : (tensor<1x3x9x3xf32>) -> tensor<1x3x3x9xf32>
  return %2 : tensor<1x3x3x9xf32>
}

// -----

// The smaller side of a pooling moves, here its result: 9,126 of 19,721 elements.
// CHECK-LABEL: func.func @pooling_twin
// CHECK: linalg.transpose ins(%{{.*}} : tensor<{{.*}}18x39x13xf32>)
// CHECK-NOT: linalg.transpose
// CHECK: return
func.func @pooling_twin(%x: tensor<1x37x41x13xf32>) -> tensor<1x13x18x39xf32> {
  %1 = tosa.max_pool2d %x {kernel = array<i64: 3, 3>, stride = array<i64: 2, 1>, pad = array<i64: 0, 0, 0, 0>} : (tensor<1x37x41x13xf32>) -> tensor<1x18x39x13xf32>
  %2 = tosa.transpose %1 {perms = array<i32: 0, 3, 1, 2>} : (tensor<1x18x39x13xf32>) -> tensor<1x13x18x39xf32>
  return %2 : tensor<1x13x18x39xf32>
}

// -----

// Between two convolutions, which stay what they are.
// CHECK-LABEL: func.func @convolution
// CHECK-NOT: linalg.transpose
// CHECK: linalg.conv_2d_nhwc_hwcf
// CHECK-NOT: linalg.transpose
// CHECK: linalg.conv_2d_nhwc_hwcf
// CHECK-NOT: linalg.transpose
// CHECK: return
func.func @convolution(%x: tensor<1x7x7x3xf32>, %k: tensor<3x3x3x5xf32>, %l: tensor<3x3x5x2xf32>, %c: tensor<1x5x5x5xf32>, %d: tensor<1x3x3x2xf32>) -> tensor<1x3x3x2xf32> {
  %0 = linalg.conv_2d_nhwc_hwcf {dilations = dense<1> : tensor<2xi64>, strides = dense<1> : tensor<2xi64>} ins(%x, %k : tensor<1x7x7x3xf32>, tensor<3x3x3x5xf32>) outs(%c : tensor<1x5x5x5xf32>) -> tensor<1x5x5x5xf32>
  %1 = tosa.transpose %0 {perms = array<i32: 0, 3, 1, 2>} : (tensor<1x5x5x5xf32>) -> tensor<1x5x5x5xf32>
  %2 = tosa.tanh %1 : (tensor<1x5x5x5xf32>) -> tensor<1x5x5x5xf32>
  %3 = tosa.transpose %2 {perms = array<i32: 0, 2, 3, 1>} : (tensor<1x5x5x5xf32>) -> tensor<1x5x5x5xf32>
  %4 = linalg.conv_2d_nhwc_hwcf {dilations = dense<1> : tensor<2xi64>, strides = dense<1> : tensor<2xi64>} ins(%3, %l : tensor<1x5x5x5xf32>, tensor<3x3x5x2xf32>) outs(%d : tensor<1x3x3x2xf32>) -> tensor<1x3x3x2xf32>
  return %4 : tensor<1x3x3x2xf32>
}

// -----

// The same permutation twice, which is not its inverse: one stays, square
// though everything is.
// CHECK-LABEL: func.func @convolution_twin
// CHECK: linalg.conv_2d_nhwc_hwcf
// CHECK: linalg.transpose
// CHECK-NOT: linalg.transpose
// CHECK: linalg.conv_2d_nhwc_hwcf
// CHECK: return
func.func @convolution_twin(%x: tensor<1x7x7x3xf32>, %k: tensor<3x3x3x5xf32>, %l: tensor<3x3x5x2xf32>, %c: tensor<1x5x5x5xf32>, %d: tensor<1x3x3x2xf32>) -> tensor<1x3x3x2xf32> {
  %0 = linalg.conv_2d_nhwc_hwcf {dilations = dense<1> : tensor<2xi64>, strides = dense<1> : tensor<2xi64>} ins(%x, %k : tensor<1x7x7x3xf32>, tensor<3x3x3x5xf32>) outs(%c : tensor<1x5x5x5xf32>) -> tensor<1x5x5x5xf32>
  %1 = tosa.transpose %0 {perms = array<i32: 0, 3, 1, 2>} : (tensor<1x5x5x5xf32>) -> tensor<1x5x5x5xf32>
  %2 = tosa.tanh %1 : (tensor<1x5x5x5xf32>) -> tensor<1x5x5x5xf32>
  %3 = tosa.transpose %2 {perms = array<i32: 0, 3, 1, 2>} : (tensor<1x5x5x5xf32>) -> tensor<1x5x5x5xf32>
  %4 = linalg.conv_2d_nhwc_hwcf {dilations = dense<1> : tensor<2xi64>, strides = dense<1> : tensor<2xi64>} ins(%3, %l : tensor<1x5x5x5xf32>, tensor<3x3x5x2xf32>) outs(%d : tensor<1x3x3x2xf32>) -> tensor<1x3x3x2xf32>
  return %4 : tensor<1x3x3x2xf32>
}

// -----

// Mean and variance over a dimension, scaled along it.
// CHECK-LABEL: func.func @normalisation
// CHECK-NOT: linalg.transpose
// CHECK: return
func.func @normalisation(%x: tensor<5x7x3xf32>, %scale: tensor<1x7x1xf32>) -> tensor<5x7x3xf32> {
  %shift = "tosa.const"() <{values = dense<0> : tensor<1xi8>}> : () -> tensor<1xi8>
  %n = "tosa.const"() <{values = dense<0.142857> : tensor<1x1x1xf32>}> : () -> tensor<1x1x1xf32>
  %0 = tosa.transpose %x {perms = array<i32: 2, 1, 0>} : (tensor<5x7x3xf32>) -> tensor<3x7x5xf32>
  %1 = tosa.reduce_sum %0 {axis = 1 : i32} : (tensor<3x7x5xf32>) -> tensor<3x1x5xf32>
  %2 = tosa.mul %1, %n, %shift : (tensor<3x1x5xf32>, tensor<1x1x1xf32>, tensor<1xi8>) -> tensor<3x1x5xf32>
  %3 = tosa.sub %0, %2 : (tensor<3x7x5xf32>, tensor<3x1x5xf32>) -> tensor<3x7x5xf32>
  %4 = tosa.mul %3, %3, %shift : (tensor<3x7x5xf32>, tensor<3x7x5xf32>, tensor<1xi8>) -> tensor<3x7x5xf32>
  %5 = tosa.reduce_sum %4 {axis = 1 : i32} : (tensor<3x7x5xf32>) -> tensor<3x1x5xf32>
  %6 = tosa.mul %5, %n, %shift : (tensor<3x1x5xf32>, tensor<1x1x1xf32>, tensor<1xi8>) -> tensor<3x1x5xf32>
  %7 = tosa.rsqrt %6 : (tensor<3x1x5xf32>) -> tensor<3x1x5xf32>
  %8 = tosa.mul %3, %7, %shift : (tensor<3x7x5xf32>, tensor<3x1x5xf32>, tensor<1xi8>) -> tensor<3x7x5xf32>
  %9 = tosa.mul %8, %scale, %shift : (tensor<3x7x5xf32>, tensor<1x7x1xf32>, tensor<1xi8>) -> tensor<3x7x5xf32>
  %10 = tosa.transpose %9 {perms = array<i32: 2, 1, 0>} : (tensor<3x7x5xf32>) -> tensor<5x7x3xf32>
  return %10 : tensor<5x7x3xf32>
}

// -----

// The normalised value is needed in both orders: one transpose, of either.
// CHECK-LABEL: func.func @normalisation_twin
// CHECK-COUNT-1: linalg.transpose
// CHECK-NOT: linalg.transpose
// CHECK: return
func.func @normalisation_twin(%x: tensor<7x3xf32>) -> (tensor<7x3xf32>, tensor<3x7xf32>) {
  %0 = tosa.transpose %x {perms = array<i32: 1, 0>} : (tensor<7x3xf32>) -> tensor<3x7xf32>
  %1 = tosa.reduce_sum %0 {axis = 1 : i32} : (tensor<3x7xf32>) -> tensor<3x1xf32>
  %2 = tosa.sub %0, %1 : (tensor<3x7xf32>, tensor<3x1xf32>) -> tensor<3x7xf32>
  %3 = tosa.transpose %2 {perms = array<i32: 1, 0>} : (tensor<3x7xf32>) -> tensor<7x3xf32>
  return %3, %2 : tensor<7x3xf32>, tensor<3x7xf32>
}

// -----

// What the body reads element by element follows by its indices.
// CHECK-LABEL: func.func @resize
// CHECK-NOT: linalg.transpose
// CHECK: %[[X:.*]] = tensor.collapse_shape %arg0 {{.*}} : tensor<1x3x5x7xf32> into tensor<3x5x7xf32>
// CHECK: %[[CHANNEL:.*]] = linalg.index 3
// CHECK-COUNT-4: tensor.extract %[[X]][%[[CHANNEL]],
// CHECK-NOT: linalg.transpose
// CHECK: return
func.func @resize(%x: tensor<1x3x5x7xf32>) -> tensor<1x3x10x14xf32> {
  %scale = tosa.const_shape {values = dense<[4, 2, 4, 2]> : tensor<4xindex>} : () -> !tosa.shape<4>
  %offset = tosa.const_shape {values = dense<[-1, -1]> : tensor<2xindex>} : () -> !tosa.shape<2>
  %border = tosa.const_shape {values = dense<[1, 1]> : tensor<2xindex>} : () -> !tosa.shape<2>
  %0 = tosa.transpose %x {perms = array<i32: 0, 2, 3, 1>} : (tensor<1x3x5x7xf32>) -> tensor<1x5x7x3xf32>
  %1 = tosa.resize %0, %scale, %offset, %border {mode = BILINEAR} : (tensor<1x5x7x3xf32>, !tosa.shape<4>, !tosa.shape<2>, !tosa.shape<2>) -> tensor<1x10x14x3xf32>
  %2 = tosa.transpose %1 {perms = array<i32: 0, 3, 1, 2>} : (tensor<1x10x14x3xf32>) -> tensor<1x3x10x14xf32>
  return %2 : tensor<1x3x10x14xf32>
}

// -----

// Enlarged: the smaller side is what is read in another order.
// CHECK-LABEL: func.func @resize_twin
// CHECK-NOT: linalg.transpose
// CHECK: outs(%{{.*}} : tensor<1x7x74x82xf32>)
// CHECK-COUNT-4: tensor.extract %arg0
// CHECK-NOT: linalg.transpose
// CHECK: return
func.func @resize_twin(%x: tensor<1x37x41x7xf32>) -> tensor<1x7x74x82xf32> {
  %scale = tosa.const_shape {values = dense<[4, 2, 4, 2]> : tensor<4xindex>} : () -> !tosa.shape<4>
  %offset = tosa.const_shape {values = dense<[-1, -1]> : tensor<2xindex>} : () -> !tosa.shape<2>
  %border = tosa.const_shape {values = dense<[1, 1]> : tensor<2xindex>} : () -> !tosa.shape<2>
  %1 = tosa.resize %x, %scale, %offset, %border {mode = BILINEAR} : (tensor<1x37x41x7xf32>, !tosa.shape<4>, !tosa.shape<2>, !tosa.shape<2>) -> tensor<1x74x82x7xf32>
  %2 = tosa.transpose %1 {perms = array<i32: 0, 3, 1, 2>} : (tensor<1x74x82x7xf32>) -> tensor<1x7x74x82xf32>
  return %2 : tensor<1x7x74x82xf32>
}

// -----

// An index that is data (a table that is looked up): the table stays.
// CHECK-LABEL: func.func @lookup
// CHECK: linalg.transpose
// CHECK: tensor.extract
// CHECK: return
#id = affine_map<(i, j) -> (i, j)>
#row = affine_map<(i, j) -> (i)>
func.func @lookup(%table: tensor<3x7xf32>, %index: tensor<5xi32>) -> tensor<5x3xf32> {
  %e = tensor.empty() : tensor<7x3xf32>
  %0 = linalg.transpose ins(%table : tensor<3x7xf32>) outs(%e : tensor<7x3xf32>) permutation = [1, 0]
  %f = tensor.empty() : tensor<5x3xf32>
  %1 = linalg.generic {indexing_maps = [#row, #id], iterator_types = ["parallel", "parallel"]} ins(%index : tensor<5xi32>) outs(%f : tensor<5x3xf32>) {
  ^bb0(%n: i32, %o: f32):
    %i = arith.index_cast %n : i32 to index
    %j = linalg.index 1 : index
    %v = tensor.extract %0[%i, %j] : tensor<7x3xf32>
    linalg.yield %v : f32
  } -> tensor<5x3xf32>
  return %1 : tensor<5x3xf32>
}
