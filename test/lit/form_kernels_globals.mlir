// Constants inside of kernels are numbered in the order of the kernels, though
// bufferization takes functions in an order of its own.

// RUN: pgopt-opt %s --form-kernels=store=none -o %t.0.mlir
// RUN: FileCheck %s < %t.0.mlir
// RUN: pgopt-opt %s --form-kernels=store=none -o %t.1.mlir
// RUN: cmp %t.0.mlir %t.1.mlir
// RUN: pgopt-opt %s --form-kernels=store=none -o %t.2.mlir
// RUN: cmp %t.0.mlir %t.2.mlir
// RUN: pgopt-opt %s --form-kernels=store=none -o %t.3.mlir
// RUN: cmp %t.0.mlir %t.3.mlir
// RUN: pgopt-runner %t.0.mlir --compare=%s

// CHECK-DAG: memref.global "private" constant @__constant_7xf32 : memref<7xf32> = dense<[1.000000e+00
// CHECK-DAG: memref.global "private" constant @__constant_7xf32_0 : memref<7xf32> = dense<[8.000000e+00
// CHECK-DAG: memref.global "private" constant @__constant_7xf32_1 : memref<7xf32> = dense<[1.500000e+01
// CHECK: func.func private @matmul_0(
// CHECK: memref.get_global @__constant_7xf32 :
// CHECK: func.func private @matmul_1(
// CHECK: memref.get_global @__constant_7xf32_0 :
// CHECK: func.func private @matmul_2(
// CHECK: memref.get_global @__constant_7xf32_1 :

#row = affine_map<(d0, d1) -> (d1)>
#all = affine_map<(d0, d1) -> (d0, d1)>
func.func @three(%x: tensor<5x7xf32>, %w: tensor<7x7xf32>) -> tensor<5x7xf32> {
  %zero = arith.constant 0.0 : f32
  %a = arith.constant dense<[1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0]> : tensor<7xf32>
  %b = arith.constant dense<[8.0, 9.0, 10.0, 11.0, 12.0, 13.0, 14.0]> : tensor<7xf32>
  %c = arith.constant dense<[15.0, 16.0, 17.0, 18.0, 19.0, 20.0, 21.0]> : tensor<7xf32>
  %empty = tensor.empty() : tensor<5x7xf32>
  %fill = linalg.fill ins(%zero : f32) outs(%empty : tensor<5x7xf32>) -> tensor<5x7xf32>
  %0 = linalg.matmul ins(%x, %w : tensor<5x7xf32>, tensor<7x7xf32>) outs(%fill : tensor<5x7xf32>) -> tensor<5x7xf32>
  %1 = linalg.generic {indexing_maps = [#all, #row, #all], iterator_types = ["parallel", "parallel"]}
      ins(%0, %a : tensor<5x7xf32>, tensor<7xf32>) outs(%empty : tensor<5x7xf32>) {
  ^bb0(%p: f32, %q: f32, %o: f32):
    %s = arith.addf %p, %q : f32
    linalg.yield %s : f32
  } -> tensor<5x7xf32>
  %2 = linalg.matmul ins(%1, %w : tensor<5x7xf32>, tensor<7x7xf32>) outs(%fill : tensor<5x7xf32>) -> tensor<5x7xf32>
  %3 = linalg.generic {indexing_maps = [#all, #row, #all], iterator_types = ["parallel", "parallel"]}
      ins(%2, %b : tensor<5x7xf32>, tensor<7xf32>) outs(%empty : tensor<5x7xf32>) {
  ^bb0(%p: f32, %q: f32, %o: f32):
    %s = arith.subf %p, %q : f32
    linalg.yield %s : f32
  } -> tensor<5x7xf32>
  %4 = linalg.matmul ins(%3, %w : tensor<5x7xf32>, tensor<7x7xf32>) outs(%fill : tensor<5x7xf32>) -> tensor<5x7xf32>
  %5 = linalg.generic {indexing_maps = [#all, #row, #all], iterator_types = ["parallel", "parallel"]}
      ins(%4, %c : tensor<5x7xf32>, tensor<7xf32>) outs(%empty : tensor<5x7xf32>) {
  ^bb0(%p: f32, %q: f32, %o: f32):
    %s = arith.mulf %p, %q : f32
    linalg.yield %s : f32
  } -> tensor<5x7xf32>
  return %5 : tensor<5x7xf32>
}
