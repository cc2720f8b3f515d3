// Kernels that nothing is prepared for, each beside one that differs in what
// the function's name says.
// REQUIRES: x86_64
// RUN: split-file %s %t
// RUN: pgopt-opt %t/constant.mlir --pgopt-lower | FileCheck %s --check-prefix=PREPARED
// RUN: pgopt-opt %t/views.mlir --pgopt-lower | FileCheck %s --check-prefix=PREPARED
// RUN: pgopt-opt %t/public.mlir --pgopt-lower=entry=forward | FileCheck %s
// RUN: pgopt-opt %t/mixed.mlir --pgopt-lower | FileCheck %s
// RUN: pgopt-opt %t/part.mlir --pgopt-lower | FileCheck %s
// RUN: pgopt-opt %t/mutable.mlir --pgopt-lower | FileCheck %s
// PREPARED: llvm.call @pgopt_rt_prepared
// CHECK-NOT: pgopt_rt_prepared
// CHECK-NOT: constant_operands
// CHECK-NOT: prepared_block

//--- constant.mlir
memref.global "private" constant @w : memref<32x70xf32> = dense<1.5>
func.func private @k(%x: memref<19x70xf32>, %w: memref<32x70xf32>, %y: memref<19x32xf32>, %lo: index, %hi: index) attributes {pg.kernel = "k"} {
  linalg.matmul indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (n, k)>, affine_map<(m, n, k) -> (m, n)>] ins(%x, %w : memref<19x70xf32>, memref<32x70xf32>) outs(%y : memref<19x32xf32>)
  return
}
func.func @forward(%x: memref<19x70xf32>, %y: memref<19x32xf32>) {
  %w = memref.get_global @w : memref<32x70xf32>
  %c0 = arith.constant 0 : index
  call @k(%x, %w, %y, %c0, %c0) : (memref<19x70xf32>, memref<32x70xf32>, memref<19x32xf32>, index, index) -> ()
  return
}

//--- views.mlir
func.func private @k(%x: memref<19x70xf32>, %flat: memref<2240xf32>, %y: memref<19x32xf32>, %lo: index, %hi: index) attributes {pg.kernel = "k"} {
  %w = memref.expand_shape %flat [[0, 1]] output_shape [32, 70] : memref<2240xf32> into memref<32x70xf32>
  linalg.matmul indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (n, k)>, affine_map<(m, n, k) -> (m, n)>] ins(%x, %w : memref<19x70xf32>, memref<32x70xf32>) outs(%y : memref<19x32xf32>)
  return
}
func.func @forward(%x: memref<19x70xf32>, %y: memref<19x32xf32>, %w: memref<4x8x70xf32> {pg.parameter = "w"}) {
  %flat = memref.collapse_shape %w [[0, 1, 2]] : memref<4x8x70xf32> into memref<2240xf32>
  %c0 = arith.constant 0 : index
  call @k(%x, %flat, %y, %c0, %c0) : (memref<19x70xf32>, memref<2240xf32>, memref<19x32xf32>, index, index) -> ()
  return
}

//--- public.mlir
func.func @k(%x: memref<19x70xf32>, %w: memref<32x70xf32>, %y: memref<19x32xf32>, %lo: index, %hi: index) attributes {pg.kernel = "k"} {
  linalg.matmul indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (n, k)>, affine_map<(m, n, k) -> (m, n)>] ins(%x, %w : memref<19x70xf32>, memref<32x70xf32>) outs(%y : memref<19x32xf32>)
  return
}
func.func @forward(%x: memref<19x70xf32>, %y: memref<19x32xf32>, %w: memref<32x70xf32> {pg.parameter = "w"}) {
  %c0 = arith.constant 0 : index
  call @k(%x, %w, %y, %c0, %c0) : (memref<19x70xf32>, memref<32x70xf32>, memref<19x32xf32>, index, index) -> ()
  return
}

//--- mixed.mlir
func.func private @k(%x: memref<19x70xf32>, %w: memref<32x70xf32>, %y: memref<19x32xf32>, %lo: index, %hi: index) attributes {pg.kernel = "k"} {
  linalg.matmul indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (n, k)>, affine_map<(m, n, k) -> (m, n)>] ins(%x, %w : memref<19x70xf32>, memref<32x70xf32>) outs(%y : memref<19x32xf32>)
  return
}
func.func @forward(%x: memref<19x70xf32>, %y: memref<19x32xf32>, %w: memref<32x70xf32> {pg.parameter = "w"}, %v: memref<32x70xf32>) {
  %c0 = arith.constant 0 : index
  call @k(%x, %w, %y, %c0, %c0) : (memref<19x70xf32>, memref<32x70xf32>, memref<19x32xf32>, index, index) -> ()
  call @k(%x, %v, %y, %c0, %c0) : (memref<19x70xf32>, memref<32x70xf32>, memref<19x32xf32>, index, index) -> ()
  return
}

//--- part.mlir
func.func private @k(%x: memref<19x70xf32>, %all: memref<40x70xf32>, %y: memref<19x32xf32>, %lo: index, %hi: index) attributes {pg.kernel = "k"} {
  %w = memref.subview %all[%lo, 0] [32, 70] [1, 1] : memref<40x70xf32> to memref<32x70xf32, strided<[70, 1], offset: ?>>
  linalg.matmul indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (n, k)>, affine_map<(m, n, k) -> (m, n)>] ins(%x, %w : memref<19x70xf32>, memref<32x70xf32, strided<[70, 1], offset: ?>>) outs(%y : memref<19x32xf32>)
  return
}
func.func @forward(%x: memref<19x70xf32>, %y: memref<19x32xf32>, %w: memref<40x70xf32> {pg.parameter = "w"}, %lo: index) {
  call @k(%x, %w, %y, %lo, %lo) : (memref<19x70xf32>, memref<40x70xf32>, memref<19x32xf32>, index, index) -> ()
  return
}

//--- mutable.mlir
memref.global "private" @w : memref<32x70xf32> = dense<1.5>
func.func private @k(%x: memref<19x70xf32>, %w: memref<32x70xf32>, %y: memref<19x32xf32>, %lo: index, %hi: index) attributes {pg.kernel = "k"} {
  linalg.matmul indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (n, k)>, affine_map<(m, n, k) -> (m, n)>] ins(%x, %w : memref<19x70xf32>, memref<32x70xf32>) outs(%y : memref<19x32xf32>)
  return
}
func.func @forward(%x: memref<19x70xf32>, %y: memref<19x32xf32>) {
  %w = memref.get_global @w : memref<32x70xf32>
  %c0 = arith.constant 0 : index
  call @k(%x, %w, %y, %c0, %c0) : (memref<19x70xf32>, memref<32x70xf32>, memref<19x32xf32>, index, index) -> ()
  return
}
