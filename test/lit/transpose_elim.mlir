// Transposes disappear into the order that values are stored in.

// RUN: pgopt-opt %s --split-input-file --transpose-elim | FileCheck %s

// A permutation that is not its own inverse, undone by its inverse.
// CHECK-LABEL: func.func @inverse_pair
// CHECK-NOT: linalg.transpose
// CHECK: return
func.func @inverse_pair(%a: tensor<3x5x7xf32>) -> tensor<3x5x7xf32> {
  %e = tensor.empty() : tensor<7x3x5xf32>
  %0 = linalg.transpose ins(%a : tensor<3x5x7xf32>) outs(%e : tensor<7x3x5xf32>) permutation = [2, 0, 1]
  %1 = tensor.empty() : tensor<7x3x5xf32>
  %2 = linalg.exp ins(%0 : tensor<7x3x5xf32>) outs(%1 : tensor<7x3x5xf32>) -> tensor<7x3x5xf32>
  %f = tensor.empty() : tensor<3x5x7xf32>
  %3 = linalg.transpose ins(%2 : tensor<7x3x5xf32>) outs(%f : tensor<3x5x7xf32>) permutation = [1, 2, 0]
  return %3 : tensor<3x5x7xf32>
}

// -----

// The twin: the same permutation twice is another one, and one transpose stays.
// CHECK-LABEL: func.func @not_inverse
// CHECK-COUNT-1: linalg.transpose
// CHECK-NOT: linalg.transpose
// CHECK: return
func.func @not_inverse(%a: tensor<3x5x7xf32>) -> tensor<5x7x3xf32> {
  %e = tensor.empty() : tensor<7x3x5xf32>
  %0 = linalg.transpose ins(%a : tensor<3x5x7xf32>) outs(%e : tensor<7x3x5xf32>) permutation = [2, 0, 1]
  %f = tensor.empty() : tensor<5x7x3xf32>
  %1 = linalg.transpose ins(%0 : tensor<7x3x5xf32>) outs(%f : tensor<5x7x3xf32>) permutation = [2, 0, 1]
  return %1 : tensor<5x7x3xf32>
}

// -----

// Dimensions of extent 1 move for nothing: a view.
// CHECK-LABEL: func.func @unit
// CHECK-NOT: linalg.transpose
// CHECK: tensor.expand_shape
// CHECK: return
func.func @unit(%a: tensor<1x5x7xf32>) -> tensor<5x7x1xf32> {
  %e = tensor.empty() : tensor<5x7x1xf32>
  %0 = linalg.transpose ins(%a : tensor<1x5x7xf32>) outs(%e : tensor<5x7x1xf32>) permutation = [1, 2, 0]
  return %0 : tensor<5x7x1xf32>
}

// -----

// Into both operands and the result of a matrix product.
// CHECK-LABEL: func.func @product
// CHECK-NOT: linalg.transpose
// CHECK: linalg.generic
// CHECK-SAME: ins(%{{.*}}, %{{.*}} : tensor<5x3xf32>, tensor<7x5xf32>) outs(%{{.*}} : tensor<7x3xf32>)
// CHECK-NOT: linalg.transpose
// CHECK: return
func.func @product(%a: tensor<5x3xf32>, %b: tensor<7x5xf32>) -> tensor<7x3xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<3x5xf32>
  %0 = linalg.transpose ins(%a : tensor<5x3xf32>) outs(%e : tensor<3x5xf32>) permutation = [1, 0]
  %f = tensor.empty() : tensor<5x7xf32>
  %1 = linalg.transpose ins(%b : tensor<7x5xf32>) outs(%f : tensor<5x7xf32>) permutation = [1, 0]
  %g = tensor.empty() : tensor<3x7xf32>
  %2 = linalg.fill ins(%zero : f32) outs(%g : tensor<3x7xf32>) -> tensor<3x7xf32>
  %3 = linalg.matmul ins(%0, %1 : tensor<3x5xf32>, tensor<5x7xf32>) outs(%2 : tensor<3x7xf32>) -> tensor<3x7xf32>
  %h = tensor.empty() : tensor<7x3xf32>
  %4 = linalg.transpose ins(%3 : tensor<3x7xf32>) outs(%h : tensor<7x3xf32>) permutation = [1, 0]
  return %4 : tensor<7x3xf32>
}

// -----

// An init that carries data goes along: it has to be transposed where the
// result was.
// CHECK-LABEL: func.func @accumulates
// CHECK: linalg.transpose ins(%arg2 : tensor<3x7xf32>)
// CHECK: linalg.generic {{.*}}outs(%{{transposed.*}} : tensor<7x3xf32>)
// CHECK: return
func.func @accumulates(%a: tensor<3x5xf32>, %b: tensor<5x7xf32>, %c: tensor<3x7xf32>) -> (tensor<7x3xf32>, tensor<7x3xf32>) {
  %0 = linalg.matmul ins(%a, %b : tensor<3x5xf32>, tensor<5x7xf32>) outs(%c : tensor<3x7xf32>) -> tensor<3x7xf32>
  %h = tensor.empty() : tensor<7x3xf32>
  %1 = linalg.transpose ins(%0 : tensor<3x7xf32>) outs(%h : tensor<7x3xf32>) permutation = [1, 0]
  %k = tensor.empty() : tensor<3x7xf32>
  %2 = linalg.exp ins(%0 : tensor<3x7xf32>) outs(%k : tensor<3x7xf32>) -> tensor<3x7xf32>
  %l = tensor.empty() : tensor<7x3xf32>
  %3 = linalg.transpose ins(%2 : tensor<3x7xf32>) outs(%l : tensor<7x3xf32>) permutation = [1, 0]
  return %1, %3 : tensor<7x3xf32>, tensor<7x3xf32>
}

// -----

// A transpose between expand and collapse moves data (a channel shuffle); a
// convolution on both sides needs its channels whole.
// CHECK-LABEL: func.func @channel_shuffle
// CHECK-COUNT-1: linalg.transpose
// CHECK-NOT: linalg.transpose
// CHECK: return
func.func @channel_shuffle(%x: tensor<1x5x7x6xf32>, %k: tensor<3x3x6xf32>) -> tensor<1x3x5x6xf32> {
  %0 = tensor.expand_shape %x [[0], [1], [2], [3, 4]] output_shape [1, 5, 7, 2, 3] : tensor<1x5x7x6xf32> into tensor<1x5x7x2x3xf32>
  %e = tensor.empty() : tensor<1x5x7x3x2xf32>
  %1 = linalg.transpose ins(%0 : tensor<1x5x7x2x3xf32>) outs(%e : tensor<1x5x7x3x2xf32>) permutation = [0, 1, 2, 4, 3]
  %2 = tensor.collapse_shape %1 [[0], [1], [2], [3, 4]] : tensor<1x5x7x3x2xf32> into tensor<1x5x7x6xf32>
  %zero = arith.constant 0.0 : f32
  %f = tensor.empty() : tensor<1x3x5x6xf32>
  %3 = linalg.fill ins(%zero : f32) outs(%f : tensor<1x3x5x6xf32>) -> tensor<1x3x5x6xf32>
  %4 = linalg.depthwise_conv_2d_nhwc_hwc {dilations = dense<1> : tensor<2xi64>, strides = dense<1> : tensor<2xi64>} ins(%2, %k : tensor<1x5x7x6xf32>, tensor<3x3x6xf32>) outs(%3 : tensor<1x3x5x6xf32>) -> tensor<1x3x5x6xf32>
  return %4 : tensor<1x3x5x6xf32>
}

// -----

// Reshape after transpose: the same number of elements, another rank; the
// factors (3, 4) and (4, 3) do not fit into each other, so it stays.
// CHECK-LABEL: func.func @blocked_by_reshape
// CHECK: linalg.transpose
// CHECK: tensor.collapse_shape
// CHECK: tensor.expand_shape
// CHECK: return
func.func @blocked_by_reshape(%x: tensor<3x4xf32>) -> tensor<6x2xf32> {
  %e = tensor.empty() : tensor<4x3xf32>
  %0 = linalg.transpose ins(%x : tensor<3x4xf32>) outs(%e : tensor<4x3xf32>) permutation = [1, 0]
  %1 = tensor.collapse_shape %0 [[0, 1]] : tensor<4x3xf32> into tensor<12xf32>
  %2 = tensor.expand_shape %1 [[0, 1]] output_shape [6, 2] : tensor<12xf32> into tensor<6x2xf32>
  return %2 : tensor<6x2xf32>
}

// -----

// Through a reshape whose groups stay together: heads of an attention.
// CHECK-LABEL: func.func @heads
// CHECK-NOT: linalg.transpose
// CHECK: linalg.generic
// CHECK-SAME: ins(%{{.*}}, %{{.*}} : tensor<5x7xf32>, tensor<7x2x3xf32>) outs(%{{.*}} : tensor<2x5x3xf32>)
// CHECK-NOT: linalg.transpose
// CHECK: return
func.func @heads(%x: tensor<5x7xf32>, %w: tensor<7x6xf32>) -> tensor<2x5x3xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<5x6xf32>
  %0 = linalg.fill ins(%zero : f32) outs(%e : tensor<5x6xf32>) -> tensor<5x6xf32>
  %1 = linalg.matmul ins(%x, %w : tensor<5x7xf32>, tensor<7x6xf32>) outs(%0 : tensor<5x6xf32>) -> tensor<5x6xf32>
  %2 = tensor.expand_shape %1 [[0], [1, 2]] output_shape [5, 2, 3] : tensor<5x6xf32> into tensor<5x2x3xf32>
  %f = tensor.empty() : tensor<2x5x3xf32>
  %3 = linalg.transpose ins(%2 : tensor<5x2x3xf32>) outs(%f : tensor<2x5x3xf32>) permutation = [1, 0, 2]
  return %3 : tensor<2x5x3xf32>
}

// -----

// Axis-carrying attributes follow: concat along 7 + 7, pad of 5, slice of 3,
// reduction of the innermost.
// CHECK-LABEL: func.func @axes
// CHECK-NOT: linalg.transpose
// CHECK: tensor.concat dim(0) %arg0, %arg0 : (tensor<7x3x5xf32>, tensor<7x3x5xf32>) -> tensor<14x3x5xf32>
// CHECK: tensor.pad %{{.*}} low[0, 0, 1] high[0, 0, 2]
// CHECK: tensor<14x3x5xf32> to tensor<14x3x8xf32>
// CHECK: tensor.extract_slice %{{.*}}[0, 1, 0] [14, 2, 8] [1, 1, 1] : tensor<14x3x8xf32> to tensor<14x2x8xf32>
// CHECK-NOT: linalg.transpose
// CHECK: return
func.func @axes(%x: tensor<7x3x5xf32>) -> tensor<14x2x8xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<3x5x7xf32>
  %0 = linalg.transpose ins(%x : tensor<7x3x5xf32>) outs(%e : tensor<3x5x7xf32>) permutation = [1, 2, 0]
  %1 = tensor.concat dim(2) %0, %0 : (tensor<3x5x7xf32>, tensor<3x5x7xf32>) -> tensor<3x5x14xf32>
  %2 = tensor.pad %1 low[0, 1, 0] high[0, 2, 0] {
  ^bb0(%i: index, %j: index, %k: index):
    tensor.yield %zero : f32
  } : tensor<3x5x14xf32> to tensor<3x8x14xf32>
  %3 = tensor.extract_slice %2[1, 0, 0] [2, 8, 14] [1, 1, 1] : tensor<3x8x14xf32> to tensor<2x8x14xf32>
  %f = tensor.empty() : tensor<14x2x8xf32>
  %4 = linalg.transpose ins(%3 : tensor<2x8x14xf32>) outs(%f : tensor<14x2x8xf32>) permutation = [2, 0, 1]
  return %4 : tensor<14x2x8xf32>
}

// -----

// A constant is folded, once for each of two users whose axes differ.
// CHECK-LABEL: func.func @constant
// CHECK-NOT: linalg.transpose
// CHECK-DAG: dense<{{\[\[}}1.000000e+00, 4.000000e+00], [2.000000e+00, 5.000000e+00], [3.000000e+00, 6.000000e+00]]>
// CHECK-DAG: dense<{{\[\[}}1.000000e+00, 2.000000e+00, 3.000000e+00], [4.000000e+00, 5.000000e+00, 6.000000e+00]]>
// CHECK-NOT: linalg.transpose
// CHECK: return
func.func @constant(%a: tensor<3x2xf32>, %b: tensor<2x3xf32>) -> (tensor<3x2xf32>, tensor<2x3xf32>) {
  %c = arith.constant dense<[[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]]> : tensor<2x3xf32>
  %e = tensor.empty() : tensor<3x2xf32>
  %0 = linalg.transpose ins(%c : tensor<2x3xf32>) outs(%e : tensor<3x2xf32>) permutation = [1, 0]
  %f = tensor.empty() : tensor<3x2xf32>
  %1 = linalg.add ins(%0, %a : tensor<3x2xf32>, tensor<3x2xf32>) outs(%f : tensor<3x2xf32>) -> tensor<3x2xf32>
  %g = tensor.empty() : tensor<2x3xf32>
  %2 = linalg.add ins(%c, %b : tensor<2x3xf32>, tensor<2x3xf32>) outs(%g : tensor<2x3xf32>) -> tensor<2x3xf32>
  return %1, %2 : tensor<3x2xf32>, tensor<2x3xf32>
}

// -----

// Two branches of a concat, of which only one is transposed: nothing is gained
// by moving the other, larger one.
// CHECK-LABEL: func.func @one_branch
// CHECK-COUNT-1: linalg.transpose
// CHECK-NOT: linalg.transpose
// CHECK: return
func.func @one_branch(%a: tensor<3x5xf32>, %b: tensor<11x3xf32>) -> tensor<16x3xf32> {
  %e = tensor.empty() : tensor<5x3xf32>
  %0 = linalg.transpose ins(%a : tensor<3x5xf32>) outs(%e : tensor<5x3xf32>) permutation = [1, 0]
  %1 = tensor.concat dim(0) %0, %b : (tensor<5x3xf32>, tensor<11x3xf32>) -> tensor<16x3xf32>
  return %1 : tensor<16x3xf32>
}

// -----

// Several users, one of them the result, which keeps its declared layout.
// CHECK-LABEL: func.func @several_users
// CHECK-COUNT-1: linalg.transpose
// CHECK-NOT: linalg.transpose
// CHECK: return
func.func @several_users(%a: tensor<3x5xf32>) -> (tensor<5x3xf32>, tensor<3x5xf32>) {
  %e = tensor.empty() : tensor<5x3xf32>
  %0 = linalg.transpose ins(%a : tensor<3x5xf32>) outs(%e : tensor<5x3xf32>) permutation = [1, 0]
  %f = tensor.empty() : tensor<5x3xf32>
  %1 = linalg.exp ins(%0 : tensor<5x3xf32>) outs(%f : tensor<5x3xf32>) -> tensor<5x3xf32>
  %g = tensor.empty() : tensor<3x5xf32>
  %2 = linalg.transpose ins(%1 : tensor<5x3xf32>) outs(%g : tensor<3x5xf32>) permutation = [1, 0]
  return %0, %2 : tensor<5x3xf32>, tensor<3x5xf32>
}

// -----

// scf.if takes and gives what is declared.
// CHECK-LABEL: func.func @branches
// CHECK-COUNT-2: linalg.transpose
// CHECK-NOT: linalg.transpose
// CHECK: return
func.func @branches(%c: i1, %a: tensor<3x5xf32>, %b: tensor<5x3xf32>) -> tensor<3x5xf32> {
  %e = tensor.empty() : tensor<5x3xf32>
  %0 = linalg.transpose ins(%a : tensor<3x5xf32>) outs(%e : tensor<5x3xf32>) permutation = [1, 0]
  %1 = scf.if %c -> (tensor<5x3xf32>) {
    scf.yield %0 : tensor<5x3xf32>
  } else {
    scf.yield %b : tensor<5x3xf32>
  }
  %f = tensor.empty() : tensor<3x5xf32>
  %2 = linalg.transpose ins(%1 : tensor<5x3xf32>) outs(%f : tensor<3x5xf32>) permutation = [1, 0]
  return %2 : tensor<3x5xf32>
}

// -----

// A size-1 operand that broadcasts does not care.
// CHECK-LABEL: func.func @broadcast
// CHECK-NOT: linalg.transpose
// CHECK: return
#id = affine_map<(n, c, h, w) -> (n, c, h, w)>
#channel = affine_map<(n, c, h, w) -> (0, c, 0, 0)>
func.func @broadcast(%x: tensor<2x5x7x3xf32>, %s: tensor<1x3x1x1xf32>) -> tensor<2x5x7x3xf32> {
  %e = tensor.empty() : tensor<2x3x5x7xf32>
  %0 = linalg.transpose ins(%x : tensor<2x5x7x3xf32>) outs(%e : tensor<2x3x5x7xf32>) permutation = [0, 3, 1, 2]
  %f = tensor.empty() : tensor<2x3x5x7xf32>
  %1 = linalg.generic {indexing_maps = [#id, #channel, #id], iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
      ins(%0, %s : tensor<2x3x5x7xf32>, tensor<1x3x1x1xf32>) outs(%f : tensor<2x3x5x7xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %2 = arith.subf %a, %b : f32
    linalg.yield %2 : f32
  } -> tensor<2x3x5x7xf32>
  %g = tensor.empty() : tensor<2x5x7x3xf32>
  %3 = linalg.transpose ins(%1 : tensor<2x3x5x7xf32>) outs(%g : tensor<2x5x7x3xf32>) permutation = [0, 2, 3, 1]
  return %3 : tensor<2x5x7x3xf32>
}

// -----

// The index of a loop follows it to its new place.
// CHECK-LABEL: func.func @indices
// CHECK-NOT: linalg.transpose
// CHECK: linalg.index
// CHECK: return
#id = affine_map<(i, j) -> (i, j)>
func.func @indices(%x: tensor<5x3xf32>) -> tensor<5x3xf32> {
  %e = tensor.empty() : tensor<3x5xf32>
  %0 = linalg.transpose ins(%x : tensor<5x3xf32>) outs(%e : tensor<3x5xf32>) permutation = [1, 0]
  %f = tensor.empty() : tensor<3x5xf32>
  %1 = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]} ins(%0 : tensor<3x5xf32>) outs(%f : tensor<3x5xf32>) {
  ^bb0(%a: f32, %o: f32):
    %i = linalg.index 1 : index
    %n = arith.index_cast %i : index to i32
    %y = arith.sitofp %n : i32 to f32
    %z = arith.addf %a, %y : f32
    linalg.yield %z : f32
  } -> tensor<3x5xf32>
  %g = tensor.empty() : tensor<5x3xf32>
  %2 = linalg.transpose ins(%1 : tensor<3x5xf32>) outs(%g : tensor<5x3xf32>) permutation = [1, 0]
  return %2 : tensor<5x3xf32>
}

// -----

// Dynamic extents are left alone.
// CHECK-LABEL: func.func @dynamic
// CHECK-COUNT-2: linalg.transpose
// CHECK: return
func.func @dynamic(%x: tensor<?x3xf32>, %e: tensor<3x?xf32>, %f: tensor<?x3xf32>) -> tensor<?x3xf32> {
  %0 = linalg.transpose ins(%x : tensor<?x3xf32>) outs(%e : tensor<3x?xf32>) permutation = [1, 0]
  %1 = linalg.transpose ins(%0 : tensor<3x?xf32>) outs(%f : tensor<?x3xf32>) permutation = [1, 0]
  return %1 : tensor<?x3xf32>
}

// -----

// What is noted on an operation stays with it in another order, but its
// Timing: the same amount of computation, on other layouts. What nobody
// rebuilds keeps that, too.
// CHECK-LABEL: func.func @notes
// CHECK-NOT: pg.timing
// CHECK: linalg.generic
// CHECK-SAME: attrs = {my.note = "first", pg.bytes = 236 : i64, pg.kernel = "k0", pg.lflops = 210 : i64}
// CHECK-NOT: pg.timing
// CHECK: tensor.concat dim(1) {{.*}}{my.note = "second", pg.lflops = 0 : i64}
// CHECK: linalg.exp {my.note = "third", pg.timing
// CHECK: return
func.func @notes(%a: tensor<5x3xf32>, %b: tensor<5x7xf32>, %c: tensor<7x2xf32>) -> (tensor<7x5xf32>, tensor<3x5xf32>) {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<3x5xf32>
  %0 = linalg.transpose ins(%a : tensor<5x3xf32>) outs(%e : tensor<3x5xf32>) permutation = [1, 0]
  %f = tensor.empty() : tensor<3x7xf32>
  %1 = linalg.fill ins(%zero : f32) outs(%f : tensor<3x7xf32>) -> tensor<3x7xf32>
  %2 = linalg.matmul {pg.lflops = 210 : i64, pg.bytes = 236 : i64, pg.kernel = "k0", my.note = "first", pg.timing = {median_ns = 1500 : i64, min_ns = 1400 : i64, mad_ns = 10 : i64, runs = 100 : i64, source = "isolated"}}
      ins(%0, %b : tensor<3x5xf32>, tensor<5x7xf32>) outs(%1 : tensor<3x7xf32>) -> tensor<3x7xf32>
  %g = tensor.empty() : tensor<7x3xf32>
  %3 = linalg.transpose ins(%2 : tensor<3x7xf32>) outs(%g : tensor<7x3xf32>) permutation = [1, 0]
  %h = tensor.empty() : tensor<2x7xf32>
  %4 = linalg.transpose ins(%c : tensor<7x2xf32>) outs(%h : tensor<2x7xf32>) permutation = [1, 0]
  %i = tensor.empty() : tensor<3x7xf32>
  %5 = linalg.transpose ins(%3 : tensor<7x3xf32>) outs(%i : tensor<3x7xf32>) permutation = [1, 0]
  %6 = tensor.concat dim(0) %5, %4 {my.note = "second", pg.lflops = 0 : i64, pg.timing = {median_ns = 1500 : i64, min_ns = 1400 : i64, mad_ns = 10 : i64, runs = 100 : i64, source = "isolated"}} : (tensor<3x7xf32>, tensor<2x7xf32>) -> tensor<5x7xf32>
  %k = tensor.empty() : tensor<7x5xf32>
  %7 = linalg.transpose ins(%6 : tensor<5x7xf32>) outs(%k : tensor<7x5xf32>) permutation = [1, 0]
  %l = tensor.empty() : tensor<5x3xf32>
  %8 = linalg.exp {my.note = "third", pg.timing = {median_ns = 900 : i64, min_ns = 800 : i64, mad_ns = 10 : i64, runs = 100 : i64, source = "isolated"}}
      ins(%a : tensor<5x3xf32>) outs(%l : tensor<5x3xf32>) -> tensor<5x3xf32>
  %m = tensor.empty() : tensor<3x5xf32>
  %9 = linalg.transpose ins(%8 : tensor<5x3xf32>) outs(%m : tensor<3x5xf32>) permutation = [1, 0]
  return %7, %9 : tensor<7x5xf32>, tensor<3x5xf32>
}

// -----

// An identity permutation is no transpose at all.
// CHECK-LABEL: func.func @identity
// CHECK-NEXT: return %arg0
func.func @identity(%a: tensor<5x5xf32>) -> tensor<5x5xf32> {
  %e = tensor.empty() : tensor<5x5xf32>
  %0 = linalg.transpose ins(%a : tensor<5x5xf32>) outs(%e : tensor<5x5xf32>) permutation = [0, 1]
  return %0 : tensor<5x5xf32>
}

// -----

// Results keep their layout, and their type, square ones too.
// CHECK-LABEL: func.func @result
// CHECK: %[[T:.*]] = linalg.transpose ins(%arg0
// CHECK: return %[[T]]
func.func @result(%a: tensor<5x5xf32>) -> tensor<5x5xf32> {
  %e = tensor.empty() : tensor<5x5xf32>
  %0 = linalg.transpose ins(%a : tensor<5x5xf32>) outs(%e : tensor<5x5xf32>) permutation = [1, 0]
  return %0 : tensor<5x5xf32>
}

// -----

// A function that is called is a part of the network: transposes vanish across
// the call.
// CHECK-LABEL: func.func @call
// CHECK-NOT: linalg.transpose
// CHECK-NOT: call @inner
// CHECK: return
func.func @call(%a: tensor<3x5xf32>) -> tensor<3x5xf32> {
  %e = tensor.empty() : tensor<5x3xf32>
  %0 = linalg.transpose ins(%a : tensor<3x5xf32>) outs(%e : tensor<5x3xf32>) permutation = [1, 0]
  %1 = call @inner(%0) : (tensor<5x3xf32>) -> tensor<5x3xf32>
  %f = tensor.empty() : tensor<3x5xf32>
  %2 = linalg.transpose ins(%1 : tensor<5x3xf32>) outs(%f : tensor<3x5xf32>) permutation = [1, 0]
  return %2 : tensor<3x5xf32>
}
func.func private @inner(%a: tensor<5x3xf32>) -> tensor<5x3xf32> {
  %e = tensor.empty() : tensor<5x3xf32>
  %0 = linalg.exp ins(%a : tensor<5x3xf32>) outs(%e : tensor<5x3xf32>) -> tensor<5x3xf32>
  return %0 : tensor<5x3xf32>
}
