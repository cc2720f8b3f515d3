// RUN: pgopt-opt --profile="mode=static report=none" --split-input-file %s | FileCheck %s

// 7*13 sums of products over 11; the fill needs no reading: A, B and the result.
// CHECK: module attributes {pg.lflops = 2002 : i64, pg.lflops_contraction = 2002 : i64}
// CHECK: func.func @matmul
// CHECK-SAME: pg.lflops = 2002 : i64, pg.lflops_contraction = 2002 : i64
// CHECK: linalg.fill {pg.bytes = 364 : i64,{{.*}} pg.lflops = 0 : i64}
// (7*11 + 11*13 + 7*13) * 4 = 1244
// CHECK: linalg.matmul {pg.bytes = 1244 : i64,{{.*}} pg.lflops = 2002 : i64}
func.func @matmul(%a: tensor<7x11xf32>, %b: tensor<11x13xf32>) -> tensor<7x13xf32> {
  %zero = arith.constant 0.0 : f32
  %empty = tensor.empty() : tensor<7x13xf32>
  %fill = linalg.fill ins(%zero : f32) outs(%empty : tensor<7x13xf32>) -> tensor<7x13xf32>
  %c = linalg.matmul ins(%a, %b : tensor<7x11xf32>, tensor<11x13xf32>) outs(%fill : tensor<7x13xf32>) -> tensor<7x13xf32>
  return %c : tensor<7x13xf32>
}

// -----

// The generic form counts the same; a real init is read: + 7*13*4 = 1608.
// CHECK: module attributes {pg.lflops = 2002 : i64, pg.lflops_contraction = 2002 : i64}
// CHECK: linalg.generic
// CHECK-SAME: attrs = {pg.bytes = 1608 : i64,{{.*}} pg.lflops = 2002 : i64}
func.func @generic_matmul(%a: tensor<7x11xf32>, %b: tensor<11x13xf32>, %c: tensor<7x13xf32>) -> tensor<7x13xf32> {
  %r = linalg.generic {
      indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (k, n)>, affine_map<(m, n, k) -> (m, n)>],
      iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%a, %b : tensor<7x11xf32>, tensor<11x13xf32>) outs(%c : tensor<7x13xf32>) {
  ^bb0(%x: f32, %y: f32, %acc: f32):
    %p = arith.mulf %x, %y : f32
    %s = arith.addf %acc, %p : f32
    linalg.yield %s : f32
  } -> tensor<7x13xf32>
  return %r : tensor<7x13xf32>
}

// -----

// A convolution: 2 * (1*5*9*3 outputs) * (3*3*2 taps) = 4860. The twin without
// the products, a window of sums, is no contraction: 135 * 9 = 1215.
// 4860 + 1215 = 6075.
// CHECK: module attributes {pg.lflops = 6075 : i64, pg.lflops_contraction = 4860 : i64}
// CHECK: linalg.conv_2d_nhwc_hwcf
// CHECK-SAME: pg.lflops = 4860 : i64
// CHECK: linalg.pooling_nhwc_sum
// CHECK-SAME: pg.lflops = 1215 : i64
func.func @convolution(%x: tensor<1x7x11x2xf32>, %w: tensor<3x3x2x3xf32>, %y: tensor<1x7x11x3xf32>, %init: tensor<1x5x9x3xf32>) -> (tensor<1x5x9x3xf32>, tensor<1x5x9x3xf32>) {
  %0 = linalg.conv_2d_nhwc_hwcf ins(%x, %w : tensor<1x7x11x2xf32>, tensor<3x3x2x3xf32>) outs(%init : tensor<1x5x9x3xf32>) -> tensor<1x5x9x3xf32>
  %window = tensor.empty() : tensor<3x3xf32>
  %1 = linalg.pooling_nhwc_sum ins(%y, %window : tensor<1x7x11x3xf32>, tensor<3x3xf32>) outs(%init : tensor<1x5x9x3xf32>) -> tensor<1x5x9x3xf32>
  return %0, %1 : tensor<1x5x9x3xf32>, tensor<1x5x9x3xf32>
}

// -----

// Quantized: two differences, product and sum, 4 * 7*13*11 = 4004; the
// contraction's part is 2 * 7*13*11.
// CHECK: module attributes {pg.lflops = 4004 : i64, pg.lflops_contraction = 2002 : i64}
func.func @quantized(%a: tensor<7x11xi8>, %b: tensor<11x13xi8>, %c: tensor<7x13xi32>, %za: i32, %zb: i32) -> tensor<7x13xi32> {
  %r = linalg.quantized_matmul ins(%a, %b, %za, %zb : tensor<7x11xi8>, tensor<11x13xi8>, i32, i32) outs(%c : tensor<7x13xi32>) -> tensor<7x13xi32>
  return %r : tensor<7x13xi32>
}

// -----

// Each element: compare 1, select 0, exp 20, division 1.
// 22 * 7*11 = 1694
// CHECK: linalg.generic
// CHECK-SAME: attrs = {pg.bytes = 616 : i64,{{.*}} pg.lflops = 1694 : i64}
// Transposes move 2 * 7*11 * 4 = 616 bytes and compute nothing.
// CHECK: linalg.transpose
// CHECK-SAME: {pg.bytes = 616 : i64,{{.*}} pg.lflops = 0 : i64}
func.func @elementwise(%a: tensor<7x11xf32>) -> tensor<11x7xf32> {
  %zero = arith.constant 0.0 : f32
  %empty = tensor.empty() : tensor<7x11xf32>
  %0 = linalg.generic {
      indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>],
      iterator_types = ["parallel", "parallel"]}
      ins(%a : tensor<7x11xf32>) outs(%empty : tensor<7x11xf32>) {
  ^bb0(%x: f32, %out: f32):
    %c = arith.cmpf ogt, %x, %zero : f32
    %s = arith.select %c, %x, %zero : f32
    %e = math.exp %s : f32
    %d = arith.divf %e, %x : f32
    linalg.yield %d : f32
  } -> tensor<7x11xf32>
  %empty2 = tensor.empty() : tensor<11x7xf32>
  %1 = linalg.transpose ins(%0 : tensor<7x11xf32>) outs(%empty2 : tensor<11x7xf32>) permutation = [1, 0]
  return %1 : tensor<11x7xf32>
}

// -----

// Moves: a slice reads what it selects, 2 * 3*5 * 4 = 120; a pad reads 7*11 and
// writes 9*13, (77 + 117) * 4 = 776; two slices of 3*5 side by side, 15 read once
// and 30 written, 45 * 4 = 180; views are not annotated.
// CHECK: tensor.extract_slice
// CHECK-SAME: {pg.bytes = 120 : i64,{{.*}} pg.lflops = 0 : i64}
// CHECK: tensor.pad
// CHECK: {pg.bytes = 776 : i64,{{.*}} pg.lflops = 0 : i64}
// CHECK: tensor.concat
// CHECK-SAME: {pg.bytes = 180 : i64,{{.*}} pg.lflops = 0 : i64}
// CHECK: tensor.collapse_shape
// CHECK-NOT: pg.
// CHECK: return
func.func @moves(%a: tensor<7x11xf32>) -> (tensor<9x13xf32>, tensor<30xf32>) {
  %zero = arith.constant 0.0 : f32
  %s = tensor.extract_slice %a[1, 2] [3, 5] [1, 1] : tensor<7x11xf32> to tensor<3x5xf32>
  %p = tensor.pad %a low[1, 1] high[1, 1] {
  ^bb0(%i: index, %j: index):
    tensor.yield %zero : f32
  } : tensor<7x11xf32> to tensor<9x13xf32>
  %c = tensor.concat dim(0) %s, %s : (tensor<3x5xf32>, tensor<3x5xf32>) -> tensor<6x5xf32>
  %v = tensor.collapse_shape %c [[0, 1]] : tensor<6x5xf32> into tensor<30xf32>
  return %p, %v : tensor<9x13xf32>, tensor<30xf32>
}

// -----

// TOSA as it stands: conv2d 2 * (1*7*11*5) * (3*3*3) = 20790, clamp 2 * 385.
// CHECK: module attributes {pg.lflops = 21560 : i64, pg.lflops_contraction = 20790 : i64}
// CHECK: tosa.conv2d
// CHECK-SAME: pg.lflops = 20790 : i64
// CHECK: tosa.clamp
// CHECK-SAME: pg.lflops = 770 : i64
func.func @tosa(%x: tensor<1x7x11x3xf32>, %w: tensor<5x3x3x3xf32>, %b: tensor<5xf32>) -> tensor<1x7x11x5xf32> {
  %z = "tosa.const"() <{values = dense<0.0> : tensor<1xf32>}> : () -> tensor<1xf32>
  %0 = tosa.conv2d %x, %w, %b, %z, %z {acc_type = f32, dilation = array<i64: 1, 1>, pad = array<i64: 1, 1, 1, 1>, stride = array<i64: 1, 1>} : (tensor<1x7x11x3xf32>, tensor<5x3x3x3xf32>, tensor<5xf32>, tensor<1xf32>, tensor<1xf32>) -> tensor<1x7x11x5xf32>
  %1 = tosa.clamp %0 {min_val = 0.0 : f32, max_val = 6.0 : f32} : (tensor<1x7x11x5xf32>) -> tensor<1x7x11x5xf32>
  return %1 : tensor<1x7x11x5xf32>
}

// -----

// 7 iterations of a 3x5 addition; scalars in the loop count, its index does not.
// 7 * (15 + 1) = 112
// CHECK: scf.for
// CHECK: } {pg.bytes = 180 : i64,{{.*}} pg.lflops = 112 : i64}
func.func @loop(%a: tensor<3x5xf32>, %b: tensor<3x5xf32>, %x: f32) -> (tensor<3x5xf32>, f32) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c7 = arith.constant 7 : index
  %r:2 = scf.for %i = %c0 to %c7 step %c1 iter_args(%acc = %a, %s = %x) -> (tensor<3x5xf32>, f32) {
    %j = arith.addi %i, %c1 : index
    %0 = linalg.add ins(%acc, %b : tensor<3x5xf32>, tensor<3x5xf32>) outs(%acc : tensor<3x5xf32>) -> tensor<3x5xf32>
    %1 = arith.mulf %s, %x : f32
    scf.yield %0, %1 : tensor<3x5xf32>, f32
  }
  return %r#0, %r#1 : tensor<3x5xf32>, f32
}

// -----

// A call counts what the function performs; the totals count it once. 15
// CHECK: module attributes {pg.lflops = 15 : i64
// CHECK: call @inner
// CHECK-SAME: pg.lflops = 15 : i64
func.func private @inner(%a: tensor<3x5xf32>) -> tensor<3x5xf32> {
  %0 = linalg.add ins(%a, %a : tensor<3x5xf32>, tensor<3x5xf32>) outs(%a : tensor<3x5xf32>) -> tensor<3x5xf32>
  return %0 : tensor<3x5xf32>
}
func.func @outer(%a: tensor<3x5xf32>) -> tensor<3x5xf32> {
  %0 = call @inner(%a) : (tensor<3x5xf32>) -> tensor<3x5xf32>
  return %0 : tensor<3x5xf32>
}

// -----

// Every reason for not knowing; the totals say how many.
// CHECK: module attributes {pg.lflops = 0 : i64, pg.lflops_contraction = 0 : i64, pg.lflops_unknown = "6 operations"}
// CHECK: linalg.add
// CHECK-SAME: {pg.lflops_unknown = "dynamic extent"}
// CHECK: scf.if
// CHECK: pg.lflops_unknown = "branch"
// CHECK: scf.while
// CHECK: pg.lflops_unknown = "loop"
// CHECK: call @outside
// CHECK-SAME: pg.lflops_unknown = "call of a function without a body"
// CHECK: call @again
// CHECK-SAME: pg.lflops_unknown = "call of a function with unknown operations"
// CHECK: tosa.custom
// CHECK-SAME: pg.lflops_unknown = "no operation count for 'tosa.custom'"
func.func private @outside(tensor<3x5xf32>) -> tensor<3x5xf32>
func.func private @again(%a: tensor<3x5xf32>) -> tensor<3x5xf32> {
  %0 = call @again(%a) : (tensor<3x5xf32>) -> tensor<3x5xf32>
  return %0 : tensor<3x5xf32>
}
func.func @unknown(%d: tensor<?x5xf32>, %a: tensor<3x5xf32>, %cond: i1) -> tensor<3x5xf32> {
  %0 = linalg.add ins(%d, %d : tensor<?x5xf32>, tensor<?x5xf32>) outs(%d : tensor<?x5xf32>) -> tensor<?x5xf32>
  %1 = scf.if %cond -> tensor<3x5xf32> {
    %t = linalg.add ins(%a, %a : tensor<3x5xf32>, tensor<3x5xf32>) outs(%a : tensor<3x5xf32>) -> tensor<3x5xf32>
    scf.yield %t : tensor<3x5xf32>
  } else {
    scf.yield %a : tensor<3x5xf32>
  }
  %2 = scf.while (%x = %a) : (tensor<3x5xf32>) -> tensor<3x5xf32> {
    scf.condition(%cond) %x : tensor<3x5xf32>
  } do {
  ^bb0(%y: tensor<3x5xf32>):
    scf.yield %y : tensor<3x5xf32>
  }
  %3 = call @outside(%1) : (tensor<3x5xf32>) -> tensor<3x5xf32>
  %4 = call @again(%2) : (tensor<3x5xf32>) -> tensor<3x5xf32>
  %5 = tosa.custom %3 {operator_name = "x", domain_name = "y", implementation_attrs = ""} : (tensor<3x5xf32>) -> tensor<3x5xf32>
  return %5 : tensor<3x5xf32>
}

// -----

// 2^21 * 2^21 * 2^20 points times 2 do not fit: 2^63.
// CHECK: linalg.matmul
// CHECK-SAME: pg.lflops_unknown = "overflow"
func.func @overflow(%a: tensor<2097152x1048576xf32>, %b: tensor<1048576x2097152xf32>, %c: tensor<2097152x2097152xf32>) -> tensor<2097152x2097152xf32> {
  %r = linalg.matmul ins(%a, %b : tensor<2097152x1048576xf32>, tensor<1048576x2097152xf32>) outs(%c : tensor<2097152x2097152xf32>) -> tensor<2097152x2097152xf32>
  return %r : tensor<2097152x2097152xf32>
}

// -----

// What was written before is replaced, not added to.
// CHECK: linalg.add {pg.bytes = 120 : i64,{{.*}} pg.lflops = 15 : i64}
func.func @again_profiled(%a: tensor<3x5xf32>) -> tensor<3x5xf32> {
  %e = tensor.empty() : tensor<3x5xf32>
  %0 = linalg.add {pg.lflops_unknown = "branch", pg.bytes = 3 : i64} ins(%a, %a : tensor<3x5xf32>, tensor<3x5xf32>) outs(%e : tensor<3x5xf32>) -> tensor<3x5xf32>
  return %0 : tensor<3x5xf32>
}
