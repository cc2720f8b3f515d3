// Kernels of every class in ranges: pools, sums along rows and columns,
// elementwise chains, transposes, a sum over everything in parts. What cannot be
// cut is one call.

// RUN: pgopt-opt %s --form-kernels=split=3 -o %t.mlir
// RUN: FileCheck %s --input-file=%t.mlir

// The same numbers, in any number of ranges, on cores of their own.
// RUN: pgopt-runner %t.mlir --compare=%s
// RUN: pgopt-opt %s --form-kernels=split=64 --schedule-rr="count=5 check=true" -o %t.mlir 2>/dev/null
// RUN: pgopt-runner %t.mlir --compare=%s
// RUN: pgopt-opt %s --form-kernels=split=2 --pgopt-lower --mlir-pass-statistics \
// RUN:   -o /dev/null 2>&1 | FileCheck %s --check-prefix=COUNT

// A part of a pool reads the rows that its windows lie in, and all of an image
// with borders.
// CHECK-LABEL: func.func private @pool_0(
// CHECK-SAME: memref<1x15x13x7xf32> {pg.access = {dim = 1 : i64, mode = "read", scale = 2 : i64, window = 3 : i64}}
// CHECK-SAME: memref<1x7x6x7xf32> {pg.access = {dim = 1 : i64, mode = "write", scale = 1 : i64, window = 1 : i64}}
// CHECK-LABEL: func.func private @pool_1(
// CHECK-SAME: memref<1x15x13x7xf32> {pg.access = {mode = "read"}}
// CHECK-SAME: memref<1x15x13x7xf32> {pg.access = {dim = 1 : i64, mode = "write", scale = 1 : i64, window = 1 : i64}}

// Where all ranges are of one length, its slices are static: 15 rows are 3 x 5,
// each of which reads 5 - 1 + 3 rows.
// CHECK: memref.subview {{.*}} [1, 7, 15, 7]
// CHECK: memref.subview {{.*}} [1, 5, 13, 7]

// What is computed in front of a sum disappears in its loops, cut or not.
// CHECK-LABEL: func.func private @reduce_add_2(
// CHECK-NOT: memref.alloc
// CHECK: linalg.generic
// CHECK: math.exp
// CHECK-NEXT: arith.addf
// CHECK-NOT: linalg.generic
// CHECK: return
// CHECK-LABEL: func.func private @sqrt_4(
// CHECK-NOT: memref.alloc
// CHECK: math.sqrt
// CHECK-NOT: linalg.generic
// CHECK: return

// CHECK-LABEL: func.func @net(
// CHECK: call @pool_0({{.*}}, %c0{{.*}}, %c3{{.*}}) {{.*}}pg.part = 0 : i64, pg.parts = 3 : i64
// CHECK: call @pool_0({{.*}}, %c3{{.*}}, %c5{{.*}}) {{.*}}pg.part = 1 : i64, pg.parts = 3 : i64
// CHECK: call @pool_0({{.*}}, %c5{{.*}}, %c7{{.*}}) {{.*}}pg.part = 2 : i64, pg.parts = 3 : i64
// CHECK-COUNT-3: call @pool_1(
// CHECK-COUNT-3: call @reduce_add_2(
// CHECK-COUNT-3: call @reduce_add_3(
// CHECK-COUNT-3: call @sqrt_4(
// CHECK-COUNT-3: call @transpose_5(
// CHECK-COUNT-1: call @extract_slice_6(
// CHECK-COUNT-3: call @mul_7(
// CHECK-COUNT-3: call @reduce_add_8(
// CHECK-COUNT-1: call @add_9(
// CHECK-NOT: call

// Pools and sums along rows are generated for ranges as for a whole.
// COUNT-DAG: (S) 2 window -
// COUNT-DAG: (S) 1 reduction -

#ij = affine_map<(i, j) -> (i, j)>
#i = affine_map<(i, j) -> (i)>
#j = affine_map<(i, j) -> (j)>
func.func @net(%image: tensor<1x15x13x7xf32>, %a: tensor<17x39xf32>, %d: tensor<11x21xf64>)
    -> (tensor<1x7x6x7xf32>, tensor<1x15x13x7xf32>, tensor<17xf32>, tensor<39xf32>, tensor<17x39xf32>, tensor<21x11xf64>, tensor<23xf32>, tensor<f32>) {
  %zero = arith.constant 0.0 : f32
  %low = arith.constant 0xFF800000 : f32
  %w = tensor.empty() : tensor<3x3xf32>
  %pe = tensor.empty() : tensor<1x7x6x7xf32>
  %pf = linalg.fill ins(%low : f32) outs(%pe : tensor<1x7x6x7xf32>) -> tensor<1x7x6x7xf32>
  %pool = linalg.pooling_nhwc_max {strides = dense<2> : tensor<2xi64>} ins(%image, %w : tensor<1x15x13x7xf32>, tensor<3x3xf32>) outs(%pf : tensor<1x7x6x7xf32>) -> tensor<1x7x6x7xf32>

  %padded = tensor.pad %image low[0, 1, 1, 0] high[0, 1, 1, 0] {
  ^bb0(%0: index, %1: index, %2: index, %3: index):
    tensor.yield %low : f32
  } : tensor<1x15x13x7xf32> to tensor<1x17x15x7xf32>
  %se = tensor.empty() : tensor<1x15x13x7xf32>
  %sf = linalg.fill ins(%low : f32) outs(%se : tensor<1x15x13x7xf32>) -> tensor<1x15x13x7xf32>
  %same = linalg.pooling_nhwc_max ins(%padded, %w : tensor<1x17x15x7xf32>, tensor<3x3xf32>) outs(%sf : tensor<1x15x13x7xf32>) -> tensor<1x15x13x7xf32>

  %ae = tensor.empty() : tensor<17x39xf32>
  %exp = linalg.exp ins(%a : tensor<17x39xf32>) outs(%ae : tensor<17x39xf32>) -> tensor<17x39xf32>
  %re = tensor.empty() : tensor<17xf32>
  %rf = linalg.fill ins(%zero : f32) outs(%re : tensor<17xf32>) -> tensor<17xf32>
  %rows = linalg.reduce { arith.addf } ins(%exp : tensor<17x39xf32>) outs(%rf : tensor<17xf32>) dimensions = [1]

  %ce = tensor.empty() : tensor<39xf32>
  %cf = linalg.fill ins(%zero : f32) outs(%ce : tensor<39xf32>) -> tensor<39xf32>
  %columns = linalg.reduce { arith.addf } ins(%a : tensor<17x39xf32>) outs(%cf : tensor<39xf32>) dimensions = [0]

  %scaled = linalg.generic {indexing_maps = [#ij, #i, #j, #ij], iterator_types = ["parallel", "parallel"]} ins(%a, %rows, %columns : tensor<17x39xf32>, tensor<17xf32>, tensor<39xf32>) outs(%ae : tensor<17x39xf32>) {
  ^bb0(%x: f32, %r: f32, %c: f32, %o: f32):
    %m = arith.mulf %x, %r : f32
    %s = arith.addf %m, %c : f32
    linalg.yield %s : f32
  } -> tensor<17x39xf32>
  %squared = linalg.mul ins(%scaled, %scaled : tensor<17x39xf32>, tensor<17x39xf32>) outs(%ae : tensor<17x39xf32>) -> tensor<17x39xf32>
  %root = linalg.sqrt ins(%squared : tensor<17x39xf32>) outs(%ae : tensor<17x39xf32>) -> tensor<17x39xf32>

  %te = tensor.empty() : tensor<21x11xf64>
  %turned = linalg.transpose ins(%d : tensor<11x21xf64>) outs(%te : tensor<21x11xf64>) permutation = [1, 0]

  %v = tensor.extract_slice %columns[7] [23] [1] : tensor<39xf32> to tensor<23xf32>
  %ve = tensor.empty() : tensor<23xf32>
  %double = linalg.mul ins(%v, %v : tensor<23xf32>, tensor<23xf32>) outs(%ve : tensor<23xf32>) -> tensor<23xf32>

  %one = tensor.empty() : tensor<f32>
  %of = linalg.fill ins(%zero : f32) outs(%one : tensor<f32>) -> tensor<f32>
  %sum = linalg.reduce { arith.addf } ins(%a : tensor<17x39xf32>) outs(%of : tensor<f32>) dimensions = [0, 1]
  return %pool, %same, %rows, %columns, %root, %turned, %double, %sum : tensor<1x7x6x7xf32>, tensor<1x15x13x7xf32>, tensor<17xf32>, tensor<39xf32>, tensor<17x39xf32>, tensor<21x11xf64>, tensor<23xf32>, tensor<f32>
}
