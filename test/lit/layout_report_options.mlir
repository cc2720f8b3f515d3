// Options and statistics.

// RUN: pgopt-opt %s --layout-report=entry=f --mlir-pass-statistics -o /dev/null 2>&1 | FileCheck %s
// RUN: pgopt-opt %s --layout-report='entry=f list=false' -o /dev/null 2>&1 | FileCheck %s --check-prefix=TOTALS
// RUN: pgopt-opt %s --layout-report=entry=g -o /dev/null 2>&1 | FileCheck %s --check-prefix=OTHER
// RUN: not pgopt-opt %s --layout-report -o /dev/null 2>&1 | FileCheck %s --check-prefix=SEVERAL
// RUN: not pgopt-opt %s --layout-report=entry=h -o /dev/null 2>&1 | FileCheck %s --check-prefix=NONE
// SEVERAL: error: several functions may be the network: 'f', 'g'
// NONE: error: entry 'h' is not a function with a body in this module

// A transpose of data, 3 * 5 * 4 bytes, and of a parameter, 5 * 7 * 4; a
// product whose operands both have a batch innermost: 3 * 5 * 2 * 4 bytes of
// data, 5 * 7 * 2 * 4 of a parameter; a unit dimension that changes its place.
// CHECK: remark: 'linalg.transpose' permutes its operand: tensor<3x5xf32>, 60 bytes
// CHECK: remark: 'linalg.contract' packs an operand: tensor<5x7x2xf32>, 280 bytes, of constants and parameters alone
// CHECK: remark: 1 layout changes move 60 bytes; 1 of parameters and constants move 140; kernels pack 120 bytes; 1 transposes move nothing
// CHECK: (S) 1 changes
// CHECK: (S) 60 bytes-moved
// CHECK: (S) 1 parameter-changes
// CHECK: (S) 140 parameter-bytes
// CHECK: (S) 120 bytes-packed
// CHECK: (S) 280 parameter-bytes-packed
// CHECK: (S) 1 renamings
// TOTALS-NOT: 'linalg.
// TOTALS: remark: 1 layout changes move 60 bytes
// OTHER: remark: 0 layout changes move 0 bytes
#a = affine_map<(b, m, n, k) -> (m, k, b)>
#b = affine_map<(b, m, n, k) -> (k, n, b)>
#c = affine_map<(b, m, n, k) -> (b, m, n)>
func.func @f(%x: tensor<3x5xf32>, %w: tensor<5x7xf32> {pg.parameter = "w"}, %y: tensor<3x5x2xf32>, %v: tensor<5x7x2xf32> {pg.parameter = "v"}, %o: tensor<2x3x7xf32>, %u: tensor<1x3xf32>) -> (tensor<5x3xf32>, tensor<7x5xf32>, tensor<2x3x7xf32>, tensor<3x1xf32>) {
  %e = tensor.empty() : tensor<5x3xf32>
  %0 = linalg.transpose ins(%x : tensor<3x5xf32>) outs(%e : tensor<5x3xf32>) permutation = [1, 0]
  %f = tensor.empty() : tensor<7x5xf32>
  %1 = linalg.transpose ins(%w : tensor<5x7xf32>) outs(%f : tensor<7x5xf32>) permutation = [1, 0]
  %2 = linalg.contract indexing_maps = [#a, #b, #c] ins(%y, %v : tensor<3x5x2xf32>, tensor<5x7x2xf32>) outs(%o : tensor<2x3x7xf32>) -> tensor<2x3x7xf32>
  %g = tensor.empty() : tensor<3x1xf32>
  %3 = linalg.transpose ins(%u : tensor<1x3xf32>) outs(%g : tensor<3x1xf32>) permutation = [1, 0]
  return %0, %1, %2, %3 : tensor<5x3xf32>, tensor<7x5xf32>, tensor<2x3x7xf32>, tensor<3x1xf32>
}
func.func @g(%x: tensor<3xf32>) -> tensor<3xf32> {
  return %x : tensor<3xf32>
}
