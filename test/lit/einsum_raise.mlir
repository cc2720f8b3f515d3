// Multiply-accumulates become Einsums in canonical form.

// RUN: pgopt-opt %s --split-input-file --einsum-raise | FileCheck %s
// RUN: pgopt-opt %s --split-input-file --einsum-raise --einsum-raise \
// RUN:   | FileCheck %s
// RUN: pgopt-opt %s --split-input-file --einsum-raise=max-elements=100 \
// RUN:   | FileCheck %s --check-prefix=CAP

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

// -----

// With room for 120 elements between the steps, 2 x 9 by 9 x 60 comes first;
// with room for 100, 9 x 60 by 60 x 9, though it is more work.
// CHECK-LABEL: func.func @room
// CHECK: linalg.contract {{.*}} outs(%{{.*}} : tensor<2x60xf32>)
// CHECK: linalg.contract {{.*}} outs(%arg3 : tensor<2x9xf32>)
// CAP-LABEL: func.func @room
// CAP: linalg.contract {{.*}} outs(%{{.*}} : tensor<9x9xf32>)
// CAP: linalg.contract {{.*}} outs(%arg3 : tensor<2x9xf32>)
func.func @room(%a: tensor<2x9xf32>, %b: tensor<9x60xf32>, %c: tensor<60x9xf32>, %o: tensor<2x9xf32>) -> tensor<2x9xf32> {
  %0 = linalg.generic {indexing_maps = [affine_map<(i, j, k, l) -> (i, j)>, affine_map<(i, j, k, l) -> (j, k)>, affine_map<(i, j, k, l) -> (k, l)>, affine_map<(i, j, k, l) -> (i, l)>], iterator_types = ["parallel", "reduction", "reduction", "parallel"]}
      ins(%a, %b, %c : tensor<2x9xf32>, tensor<9x60xf32>, tensor<60x9xf32>) outs(%o : tensor<2x9xf32>) {
  ^bb0(%x: f32, %y: f32, %z: f32, %s: f32):
    %p = arith.mulf %x, %y : f32
    %q = arith.mulf %p, %z : f32
    %r = arith.addf %s, %q : f32
    linalg.yield %r : f32
  } -> tensor<2x9xf32>
  return %0 : tensor<2x9xf32>
}

// -----

// Nine factors take the greedy way: eight steps, some without a sum.
// CHECK-LABEL: func.func @nine
// CHECK-COUNT-8: {{linalg\.(contract|generic)}}
// CHECK-NOT: {{linalg\.(contract|generic)}}
// CHECK: return
#i = affine_map<(i, j) -> (i)>
#ij = affine_map<(i, j) -> (i, j)>
#j = affine_map<(i, j) -> (j)>
func.func @nine(%a: tensor<3xf32>, %b: tensor<3x5xf32>, %c: tensor<5xf32>, %o: tensor<3xf32>) -> tensor<3xf32> {
  %0 = linalg.generic {indexing_maps = [#i, #ij, #j, #j, #ij, #i, #j, #i, #ij, #i], iterator_types = ["parallel", "reduction"]}
      ins(%a, %b, %c, %c, %b, %a, %c, %a, %b : tensor<3xf32>, tensor<3x5xf32>, tensor<5xf32>, tensor<5xf32>, tensor<3x5xf32>, tensor<3xf32>, tensor<5xf32>, tensor<3xf32>, tensor<3x5xf32>) outs(%o : tensor<3xf32>) {
  ^bb0(%x0: f32, %x1: f32, %x2: f32, %x3: f32, %x4: f32, %x5: f32, %x6: f32, %x7: f32, %x8: f32, %s: f32):
    %p0 = arith.mulf %x0, %x1 : f32
    %p1 = arith.mulf %p0, %x2 : f32
    %p2 = arith.mulf %p1, %x3 : f32
    %p3 = arith.mulf %p2, %x4 : f32
    %p4 = arith.mulf %p3, %x5 : f32
    %p5 = arith.mulf %p4, %x6 : f32
    %p6 = arith.mulf %p5, %x7 : f32
    %p7 = arith.mulf %p6, %x8 : f32
    %r = arith.addf %s, %p7 : f32
    linalg.yield %r : f32
  } -> tensor<3xf32>
  return %0 : tensor<3xf32>
}

// -----

// What is noted stays, Timing included: the same computation on the same
// layouts. Steps of a product are each a part of it only.
// CHECK-LABEL: func.func @notes
// CHECK: linalg.contract {{.*}}{my.note = "one", pg.kernel = "k0", pg.lflops = 210 : i64, pg.timing = {{.*}}}
// CHECK-COUNT-2: linalg.contract {{.*}}{my.note = "steps", pg.kernel = "k1"}
func.func @notes(%a: tensor<3x5xf32>, %b: tensor<5x7xf32>, %c: tensor<7x2xf32>, %o: tensor<3x7xf32>, %q: tensor<3x2xf32>) -> (tensor<3x7xf32>, tensor<3x2xf32>) {
  %0 = linalg.matmul {my.note = "one", pg.kernel = "k0", pg.lflops = 210 : i64, pg.timing = {median_ns = 1500 : i64, min_ns = 1400 : i64, mad_ns = 10 : i64, runs = 100 : i64, source = "isolated"}}
      ins(%a, %b : tensor<3x5xf32>, tensor<5x7xf32>) outs(%o : tensor<3x7xf32>) -> tensor<3x7xf32>
  %1 = linalg.generic {indexing_maps = [affine_map<(i, j, k, l) -> (i, j)>, affine_map<(i, j, k, l) -> (j, k)>, affine_map<(i, j, k, l) -> (k, l)>, affine_map<(i, j, k, l) -> (i, l)>], iterator_types = ["parallel", "reduction", "reduction", "parallel"]}
      ins(%a, %b, %c : tensor<3x5xf32>, tensor<5x7xf32>, tensor<7x2xf32>) outs(%q : tensor<3x2xf32>)
      attrs = {my.note = "steps", pg.kernel = "k1", pg.lflops = 630 : i64, pg.bytes = 280 : i64} {
  ^bb0(%x: f32, %y: f32, %z: f32, %s: f32):
    %p = arith.mulf %x, %y : f32
    %t = arith.mulf %p, %z : f32
    %r = arith.addf %s, %t : f32
    linalg.yield %r : f32
  } -> tensor<3x2xf32>
  return %0, %1 : tensor<3x7xf32>, tensor<3x2xf32>
}
