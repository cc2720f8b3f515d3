// Parameters are taken in the order that serves best: packed once, when the
// program is loaded.

// RUN: pgopt-opt %s --split-input-file --transpose-elim -o %t
// RUN: FileCheck %s < %t
// RUN: pgopt-opt %t --split-input-file --transpose-elim | diff %t -
// RUN: pgopt-opt %s --split-input-file --transpose-elim=pack-parameters=false \
// RUN:   | FileCheck %s --check-prefix=KEEP
// KEEP-NOT: pg.layout = [affine_map<(d0, d1, d2, d3)
// RUN: pgopt-opt %s --split-input-file --transpose-elim -o /dev/null \
// RUN:   --mlir-pass-statistics 2>&1 | FileCheck %s --check-prefix=COUNT
// COUNT: (S) 4 parameter-changes-left
// COUNT: (S) 0 parameter-bytes-packed
// COUNT: (S) 6 parameters-packed
// COUNT: (S) 4 left-at-parameter

// A filter in another order than the convolution was written for would be read
// in steps; packed, the convolution stays what it is.
// CHECK-LABEL: func.func @filter
// CHECK-SAME: tensor<3x2x5x11xf32> {pg.layout = [affine_map<(d0, d1, d2, d3) -> (d2, d3, d1, d0)>], pg.parameter = "w@c.d.b.a"}
// CHECK-NOT: linalg.transpose
// CHECK: linalg.conv_2d_nhwc_hwcf {{.*}} ins(%arg0, %arg1
// CHECK: return
func.func @filter(%x: tensor<1x7x13x5xf32>, %w: tensor<11x5x3x2xf32> {pg.parameter = "w"}) -> tensor<1x5x12x11xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<3x2x5x11xf32>
  %0 = linalg.transpose ins(%w : tensor<11x5x3x2xf32>) outs(%e : tensor<3x2x5x11xf32>) permutation = [2, 3, 1, 0]
  %f = tensor.empty() : tensor<1x5x12x11xf32>
  %1 = linalg.fill ins(%zero : f32) outs(%f : tensor<1x5x12x11xf32>) -> tensor<1x5x12x11xf32>
  %2 = linalg.conv_2d_nhwc_hwcf {dilations = dense<1> : tensor<2xi64>, strides = dense<1> : tensor<2xi64>} ins(%x, %0 : tensor<1x7x13x5xf32>, tensor<3x2x5x11xf32>) outs(%1 : tensor<1x5x12x11xf32>) -> tensor<1x5x12x11xf32>
  return %2 : tensor<1x5x12x11xf32>
}

// -----

// The twin: a matrix product reads either order as well, and the parameter
// stays as the file has it.
// CHECK-LABEL: func.func @matrix
// CHECK-SAME: tensor<7x5xf32> {pg.parameter = "w"}
// CHECK-NOT: linalg.transpose
// CHECK: return
func.func @matrix(%x: tensor<3x5xf32>, %w: tensor<7x5xf32> {pg.parameter = "w"}, %c: tensor<3x7xf32>) -> tensor<3x7xf32> {
  %e = tensor.empty() : tensor<5x7xf32>
  %0 = linalg.transpose ins(%w : tensor<7x5xf32>) outs(%e : tensor<5x7xf32>) permutation = [1, 0]
  %1 = linalg.matmul ins(%x, %0 : tensor<3x5xf32>, tensor<5x7xf32>) outs(%c : tensor<3x7xf32>) -> tensor<3x7xf32>
  return %1 : tensor<3x7xf32>
}

// -----

// Its depths in another order than the other matrix has them: no one product.
// CHECK-LABEL: func.func @depths
// CHECK-SAME: tensor<5x2x7xf32> {pg.layout = [affine_map<(d0, d1, d2) -> (d1, d0, d2)>], pg.parameter = "w@b.a.c"}
// CHECK: return
#a = affine_map<(m, n, k, l) -> (m, k, l)>
#b = affine_map<(m, n, k, l) -> (l, k, n)>
#c = affine_map<(m, n, k, l) -> (m, n)>
func.func @depths(%x: tensor<3x5x2xf32>, %w: tensor<2x5x7xf32> {pg.parameter = "w"}, %c: tensor<3x7xf32>) -> tensor<3x7xf32> {
  %0 = linalg.contract indexing_maps = [#a, #b, #c] ins(%x, %w : tensor<3x5x2xf32>, tensor<2x5x7xf32>) outs(%c : tensor<3x7xf32>) -> tensor<3x7xf32>
  return %0 : tensor<3x7xf32>
}

// -----

// A batch innermost would be packed in every inference.
// CHECK-LABEL: func.func @batch
// CHECK-SAME: tensor<2x5x7xf32> {pg.layout = [affine_map<(d0, d1, d2) -> (d2, d0, d1)>], pg.parameter = "w@c.a.b"}
// CHECK: return
#a = affine_map<(b, m, n, k) -> (b, m, k)>
#b = affine_map<(b, m, n, k) -> (k, n, b)>
#c = affine_map<(b, m, n, k) -> (b, m, n)>
func.func @batch(%x: tensor<2x3x5xf32>, %w: tensor<5x7x2xf32> {pg.parameter = "w"}, %c: tensor<2x3x7xf32>) -> tensor<2x3x7xf32> {
  %0 = linalg.contract indexing_maps = [#a, #b, #c] ins(%x, %w : tensor<2x3x5xf32>, tensor<5x7x2xf32>) outs(%c : tensor<2x3x7xf32>) -> tensor<2x3x7xf32>
  return %0 : tensor<2x3x7xf32>
}

// -----

// Added to data: factors of a dimension change places, square though it is.
// CHECK-LABEL: func.func @factors
// CHECK-SAME: tensor<3x3x7xf32> {pg.layout = [affine_map<(d0, d1) -> (d0 mod 3, d0 floordiv 3, d1)>], pg.parameter = "w@a%3.a/3.b"}
// CHECK-NOT: linalg.transpose
// CHECK: linalg.add ins(%arg0, %arg1
func.func @factors(%x: tensor<3x3x7xf32>, %w: tensor<9x7xf32> {pg.parameter = "w"}) -> tensor<3x3x7xf32> {
  %0 = tensor.expand_shape %w [[0, 1], [2]] output_shape [3, 3, 7] : tensor<9x7xf32> into tensor<3x3x7xf32>
  %e = tensor.empty() : tensor<3x3x7xf32>
  %1 = linalg.transpose ins(%0 : tensor<3x3x7xf32>) outs(%e : tensor<3x3x7xf32>) permutation = [1, 0, 2]
  %f = tensor.empty() : tensor<3x3x7xf32>
  %2 = linalg.add ins(%x, %1 : tensor<3x3x7xf32>, tensor<3x3x7xf32>) outs(%f : tensor<3x3x7xf32>) -> tensor<3x3x7xf32>
  return %2 : tensor<3x3x7xf32>
}

// -----

// Two users, who want the same: one packed form serves both.
// CHECK-LABEL: func.func @two_users
// CHECK-SAME: pg.parameter = "w@b.a"
// CHECK-NOT: linalg.transpose
// CHECK: return
func.func @two_users(%x: tensor<3x5xf32>, %y: tensor<3x5xf32>, %w: tensor<5x3xf32> {pg.parameter = "w"}) -> (tensor<3x5xf32>, tensor<3x5xf32>) {
  %e = tensor.empty() : tensor<3x5xf32>
  %0 = linalg.transpose ins(%w : tensor<5x3xf32>) outs(%e : tensor<3x5xf32>) permutation = [1, 0]
  %1 = linalg.add ins(%x, %0 : tensor<3x5xf32>, tensor<3x5xf32>) outs(%e : tensor<3x5xf32>) -> tensor<3x5xf32>
  %2 = linalg.mul ins(%y, %0 : tensor<3x5xf32>, tensor<3x5xf32>) outs(%e : tensor<3x5xf32>) -> tensor<3x5xf32>
  return %1, %2 : tensor<3x5xf32>, tensor<3x5xf32>
}

// -----

// The twin: one of them wants it as it is; the other's transpose stays.
// CHECK-LABEL: func.func @two_wishes
// CHECK-SAME: pg.parameter = "w"}
// CHECK-COUNT-1: linalg.transpose
// CHECK: return
func.func @two_wishes(%x: tensor<3x5xf32>, %y: tensor<5x3xf32>, %w: tensor<5x3xf32> {pg.parameter = "w"}) -> (tensor<3x5xf32>, tensor<5x3xf32>) {
  %e = tensor.empty() : tensor<3x5xf32>
  %0 = linalg.transpose ins(%w : tensor<5x3xf32>) outs(%e : tensor<3x5xf32>) permutation = [1, 0]
  %1 = linalg.add ins(%x, %0 : tensor<3x5xf32>, tensor<3x5xf32>) outs(%e : tensor<3x5xf32>) -> tensor<3x5xf32>
  %f = tensor.empty() : tensor<5x3xf32>
  %2 = linalg.mul ins(%y, %w : tensor<5x3xf32>, tensor<5x3xf32>) outs(%f : tensor<5x3xf32>) -> tensor<5x3xf32>
  return %1, %2 : tensor<3x5xf32>, tensor<5x3xf32>
}

// -----

// One user is the result, which keeps its layout.
// CHECK-LABEL: func.func @returned
// CHECK-SAME: pg.parameter = "w"}
// CHECK: linalg.transpose
// CHECK: return %{{.*}}, %arg1
func.func @returned(%x: tensor<3x5xf32>, %w: tensor<5x3xf32> {pg.parameter = "w"}) -> (tensor<3x5xf32>, tensor<5x3xf32>) {
  %e = tensor.empty() : tensor<3x5xf32>
  %0 = linalg.transpose ins(%w : tensor<5x3xf32>) outs(%e : tensor<3x5xf32>) permutation = [1, 0]
  %1 = linalg.add ins(%x, %0 : tensor<3x5xf32>, tensor<3x5xf32>) outs(%e : tensor<3x5xf32>) -> tensor<3x5xf32>
  return %1, %w : tensor<3x5xf32>, tensor<5x3xf32>
}

// -----

// The argument of a function that others call is theirs as well.
// CHECK-LABEL: func.func @called
// CHECK-SAME: tensor<5x3xf32> {pg.parameter = "w"}
// CHECK: linalg.transpose
func.func @called(%x: tensor<3x5xf32>, %w: tensor<5x3xf32> {pg.parameter = "w"}) -> tensor<3x5xf32> {
  %e = tensor.empty() : tensor<3x5xf32>
  %0 = linalg.transpose ins(%w : tensor<5x3xf32>) outs(%e : tensor<3x5xf32>) permutation = [1, 0]
  %1 = linalg.add ins(%x, %0 : tensor<3x5xf32>, tensor<3x5xf32>) outs(%e : tensor<3x5xf32>) -> tensor<3x5xf32>
  return %1 : tensor<3x5xf32>
}
func.func private @caller(%x: tensor<3x5xf32>, %w: tensor<5x3xf32>) -> tensor<3x5xf32> {
  %0 = call @called(%x, %w) : (tensor<3x5xf32>, tensor<5x3xf32>) -> tensor<3x5xf32>
  return %0 : tensor<3x5xf32>
}

// -----

// An argument that is no parameter comes anew with every inference.
// CHECK-LABEL: func.func @data
// CHECK-SAME: %arg1: tensor<5x3xf32>)
// CHECK: linalg.transpose
func.func @data(%x: tensor<3x5xf32>, %y: tensor<5x3xf32>) -> tensor<3x5xf32> {
  %e = tensor.empty() : tensor<3x5xf32>
  %0 = linalg.transpose ins(%y : tensor<5x3xf32>) outs(%e : tensor<3x5xf32>) permutation = [1, 0]
  %1 = linalg.add ins(%x, %0 : tensor<3x5xf32>, tensor<3x5xf32>) outs(%e : tensor<3x5xf32>) -> tensor<3x5xf32>
  return %1 : tensor<3x5xf32>
}

// -----

// Packed once more: the permutations are composed, (a b c) to (c a b) to
// (b c a), neither of which undoes the other.
// CHECK-LABEL: func.func @again
// CHECK-SAME: tensor<5x7x3xf32> {pg.layout = [affine_map<(d0, d1, d2) -> (d1, d2, d0)>], pg.parameter = "w@b.c.a"}
// CHECK-NOT: linalg.transpose
// CHECK: return
func.func @again(%x: tensor<5x7x3xf32>, %w: tensor<7x3x5xf32> {pg.parameter = "w@c.a.b", pg.layout = [affine_map<(a, b, c) -> (c, a, b)>]}) -> tensor<5x7x3xf32> {
  %e = tensor.empty() : tensor<5x7x3xf32>
  %0 = linalg.transpose ins(%w : tensor<7x3x5xf32>) outs(%e : tensor<5x7x3xf32>) permutation = [2, 0, 1]
  %f = tensor.empty() : tensor<5x7x3xf32>
  %1 = linalg.sub ins(%x, %0 : tensor<5x7x3xf32>, tensor<5x7x3xf32>) outs(%f : tensor<5x7x3xf32>) -> tensor<5x7x3xf32>
  return %1 : tensor<5x7x3xf32>
}

// -----

// Inside a branch values are read as declared.
// CHECK-LABEL: func.func @captured
// CHECK: linalg.transpose
// CHECK: scf.if
func.func @captured(%c: i1, %x: tensor<3x5xf32>, %w: tensor<5x3xf32> {pg.parameter = "w"}) -> (tensor<3x5xf32>, tensor<5x3xf32>) {
  %e = tensor.empty() : tensor<3x5xf32>
  %0 = linalg.transpose ins(%w : tensor<5x3xf32>) outs(%e : tensor<3x5xf32>) permutation = [1, 0]
  %1 = linalg.add ins(%x, %0 : tensor<3x5xf32>, tensor<3x5xf32>) outs(%e : tensor<3x5xf32>) -> tensor<3x5xf32>
  %f = tensor.empty() : tensor<5x3xf32>
  %2 = scf.if %c -> tensor<5x3xf32> {
    %3 = linalg.exp ins(%w : tensor<5x3xf32>) outs(%f : tensor<5x3xf32>) -> tensor<5x3xf32>
    scf.yield %3 : tensor<5x3xf32>
  } else {
    scf.yield %w : tensor<5x3xf32>
  }
  return %1, %2 : tensor<3x5xf32>, tensor<5x3xf32>
}
