// Multiply-accumulates become Einsums in canonical form.

// RUN: pgopt-opt %s --split-input-file --einsum-raise | FileCheck %s
// RUN: pgopt-opt %s --split-input-file --einsum-raise --einsum-raise \
// RUN:   | FileCheck %s

// CHECK-DAG: #[[MK:.*]] = affine_map<(d0, d1, d2) -> (d0, d2)>
// CHECK-DAG: #[[KN:.*]] = affine_map<(d0, d1, d2) -> (d2, d1)>
// CHECK-DAG: #[[MN:.*]] = affine_map<(d0, d1, d2) -> (d0, d1)>
// CHECK-LABEL: func.func @matmul
// CHECK: linalg.contract indexing_maps = [#[[MK]], #[[KN]], #[[MN]]] ins(%arg0, %arg1
func.func @matmul(%a: tensor<3x5xf32>, %b: tensor<5x7xf32>, %c: tensor<3x7xf32>) -> tensor<3x7xf32> {
  %0 = linalg.matmul ins(%a, %b : tensor<3x5xf32>, tensor<5x7xf32>) outs(%c : tensor<3x7xf32>) -> tensor<3x7xf32>
  return %0 : tensor<3x7xf32>
}

// -----

// A generic with its loops in another order and a result whose first dimension
// is the second operand's: the operands change places.
// CHECK-DAG: #[[A:.*]] = affine_map<(d0, d1, d2) -> (d2, d0)>
// CHECK-DAG: #[[B:.*]] = affine_map<(d0, d1, d2) -> (d1, d2)>
// CHECK-DAG: #[[C:.*]] = affine_map<(d0, d1, d2) -> (d0, d1)>
// CHECK-LABEL: func.func @swapped
// CHECK: linalg.contract indexing_maps = [#[[A]], #[[B]], #[[C]]] ins(%arg1, %arg0 : tensor<5x7xf32>, tensor<3x5xf32>) outs(%{{.*}} : tensor<7x3xf32>)
func.func @swapped(%a: tensor<3x5xf32>, %b: tensor<5x7xf32>, %c: tensor<7x3xf32>) -> tensor<7x3xf32> {
  %0 = linalg.generic {indexing_maps = [affine_map<(k, n, m) -> (m, k)>, affine_map<(k, n, m) -> (k, n)>, affine_map<(k, n, m) -> (n, m)>], iterator_types = ["reduction", "parallel", "parallel"]}
      ins(%a, %b : tensor<3x5xf32>, tensor<5x7xf32>) outs(%c : tensor<7x3xf32>) {
  ^bb0(%x: f32, %y: f32, %o: f32):
    %p = arith.mulf %x, %y : f32
    %s = arith.addf %p, %o : f32
    linalg.yield %s : f32
  } -> tensor<7x3xf32>
  return %0 : tensor<7x3xf32>
}

// -----

// A convolution: windows as sums, the result's loops first.
// CHECK-DAG: #[[IMAGE:.*]] = affine_map<(d0, d1, d2, d3, d4, d5, d6) -> (d0, d1 * 2 + d4, d2 * 2 + d5, d6)>
// CHECK-DAG: #[[FILTER:.*]] = affine_map<(d0, d1, d2, d3, d4, d5, d6) -> (d4, d5, d6, d3)>
// CHECK-LABEL: func.func @convolution
// CHECK-NOT: linalg.conv
// CHECK: linalg.generic {indexing_maps = [#[[IMAGE]], #[[FILTER]], #{{.*}}], iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction", "reduction", "reduction"]}
func.func @convolution(%x: tensor<2x7x11x3xf32>, %k: tensor<3x3x3x5xf32>, %c: tensor<2x3x5x5xf32>) -> tensor<2x3x5x5xf32> {
  %0 = linalg.conv_2d_nhwc_hwcf {dilations = dense<1> : tensor<2xi64>, strides = dense<2> : tensor<2xi64>} ins(%x, %k : tensor<2x7x11x3xf32>, tensor<3x3x3x5xf32>) outs(%c : tensor<2x3x5x5xf32>) -> tensor<2x3x5x5xf32>
  return %0 : tensor<2x3x5x5xf32>
}

// -----

// Casts have no place in linalg.contract: a generic, canonical.
// CHECK-LABEL: func.func @casts
// CHECK-NOT: linalg.contract
// CHECK: linalg.generic
// CHECK: arith.extf
func.func @casts(%a: tensor<3x5xf16>, %b: tensor<5x7xf16>, %c: tensor<3x7xf32>) -> tensor<3x7xf32> {
  %0 = linalg.matmul ins(%a, %b : tensor<3x5xf16>, tensor<5x7xf16>) outs(%c : tensor<3x7xf32>) -> tensor<3x7xf32>
  return %0 : tensor<3x7xf32>
}

// -----

// A chain of three factors, in steps. (2x3 3x5) 5x7 takes 2*3*5 + 2*5*7 = 100
// products, 2x3 (3x5 5x7) 2*3*7 + 3*5*7 = 147.
// CHECK-LABEL: func.func @chain
// CHECK: %[[FIRST:.*]] = linalg.contract {{.*}} ins(%arg0, %arg1 : tensor<2x3xf32>, tensor<3x5xf32>) outs(%{{.*}} : tensor<2x5xf32>)
// CHECK: linalg.contract {{.*}} ins(%[[FIRST]], %arg2 : tensor<2x5xf32>, tensor<5x7xf32>) outs(%arg3 : tensor<2x7xf32>)
func.func @chain(%a: tensor<2x3xf32>, %b: tensor<3x5xf32>, %c: tensor<5x7xf32>, %o: tensor<2x7xf32>) -> tensor<2x7xf32> {
  %0 = linalg.generic {indexing_maps = [affine_map<(i, j, k, l) -> (i, j)>, affine_map<(i, j, k, l) -> (j, k)>, affine_map<(i, j, k, l) -> (k, l)>, affine_map<(i, j, k, l) -> (i, l)>], iterator_types = ["parallel", "reduction", "reduction", "parallel"]}
      ins(%a, %b, %c : tensor<2x3xf32>, tensor<3x5xf32>, tensor<5x7xf32>) outs(%o : tensor<2x7xf32>) {
  ^bb0(%x: f32, %y: f32, %z: f32, %s: f32):
    %p = arith.mulf %x, %y : f32
    %q = arith.mulf %p, %z : f32
    %r = arith.addf %s, %q : f32
    linalg.yield %r : f32
  } -> tensor<2x7xf32>
  return %0 : tensor<2x7xf32>
}

// -----

// No multiply-accumulate: a maximum is left alone.
// CHECK-LABEL: func.func @maximum
// CHECK-NOT: linalg.contract
// CHECK: arith.maximumf
func.func @maximum(%a: tensor<3x5xf32>, %b: tensor<5x7xf32>, %c: tensor<3x7xf32>) -> tensor<3x7xf32> {
  %0 = linalg.generic {indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (k, n)>, affine_map<(m, n, k) -> (m, n)>], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%a, %b : tensor<3x5xf32>, tensor<5x7xf32>) outs(%c : tensor<3x7xf32>) {
  ^bb0(%x: f32, %y: f32, %o: f32):
    %p = arith.mulf %x, %y : f32
    %s = arith.maximumf %p, %o : f32
    linalg.yield %s : f32
  } -> tensor<3x7xf32>
  return %0 : tensor<3x7xf32>
}
