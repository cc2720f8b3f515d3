// Constants that kernels read in another form: the entry asks the runtime for
// them, kernels get them as their last arguments.
// REQUIRES: x86_64

// RUN: pgopt-opt %s --pgopt-lower=target-cpu=x86-64-v4 -o %t.mlir --mlir-pass-statistics 2>&1 | FileCheck %s --check-prefix=COUNT
// Two panels of 17 + 15 columns padded to 2 x 16, of 70 depths: 2 x 16 x 70 x 4.
// COUNT: (S) 8960 prepared-bytes
// RUN: FileCheck %s --input-file=%t.mlir
// CHECK-LABEL: llvm.func @forward(
// CHECK-DAG: %[[NUMBER:.+]] = llvm.mlir.constant(1 : i64)
// CHECK-DAG: %[[BYTES:.+]] = llvm.mlir.constant(8960 : i64)
// CHECK-DAG: %[[PREPARE:.+]] = llvm.mlir.addressof @pgopt_prepare
// CHECK-DAG: %[[PROGRAM:.+]] = llvm.mlir.addressof @pgopt_program
// CHECK: %[[ADDRESSES:.+]] = llvm.alloca %[[NUMBER]] x !llvm.ptr
// CHECK: llvm.store %{{.+}}, %[[ADDRESSES]]
// CHECK: %[[BLOCK:.+]] = llvm.call @pgopt_rt_prepared(%[[PROGRAM]], %[[PREPARE]], %[[ADDRESSES]], %[[NUMBER]], %[[BYTES]])
// CHECK: llvm.call @matmul_0(
// CHECK: llvm.func @matmul_0_prepare(
// CHECK-SAME: pg.phase = "prepare"
// CHECK: llvm.func @pgopt_prepare(%{{.+}}: !llvm.ptr, %{{.+}}: !llvm.ptr)
// CHECK: llvm.call @matmul_0_prepare(

// Both layers have the same weights in the same form: one buffer.
// RUN: pgopt-opt %s --pgopt-lower=target-cpu=x86-64-v4 --mlir-print-ir-before=convert-scf-to-cf -o /dev/null 2>&1 | FileCheck %s --check-prefix=CALLS
// CALLS-LABEL: func.func @forward(
// CALLS-COUNT-2: call @{{matmul_[01]}}({{.*}}memref<2240xf32>) -> ()
// CALLS: func.func private @pgopt_prepare(
// CALLS-COUNT-1: call @matmul_0_prepare(
// CALLS-NOT: _prepare(

// Nothing is prepared for BLAS, and not what is no constant.
// RUN: pgopt-opt %s --pgopt-lower=kernels=blas | FileCheck %s --check-prefix=NONE
// RUN: sed 's/{pg.parameter = "w"}//' %s | pgopt-opt --pgopt-lower | FileCheck %s --check-prefix=NONE
// NONE-NOT: pgopt_rt_prepared

// The trace begins with it.
// RUN: pgopt-runner %s --trace=%t.json
// RUN: FileCheck %s --check-prefix=TRACE --input-file=%t.json
// TRACE: {"name":"prepare","cat":"kernel","ph":"X","pid":1,"tid":0,
// TRACE-SAME: "args":{"slot":-1}}
// TRACE-SAME: "name":"matmul_0"

#row = affine_map<(m, n, k) -> (m, k)>
#column = affine_map<(m, n, k) -> (n, k)>
#result = affine_map<(m, n, k) -> (m, n)>
func.func @forward(%x: tensor<19x70xf32>, %y: tensor<7x70xf32>, %w: tensor<32x70xf32> {pg.parameter = "w"}) -> (tensor<19x32xf32>, tensor<7x32xf32>) {
  %z = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<19x32xf32>
  %f = linalg.fill ins(%z : f32) outs(%e : tensor<19x32xf32>) -> tensor<19x32xf32>
  %0 = linalg.contract indexing_maps = [#row, #column, #result]
    ins(%x, %w : tensor<19x70xf32>, tensor<32x70xf32>) outs(%f : tensor<19x32xf32>) -> tensor<19x32xf32>
  %e1 = tensor.empty() : tensor<7x32xf32>
  %f1 = linalg.fill ins(%z : f32) outs(%e1 : tensor<7x32xf32>) -> tensor<7x32xf32>
  %1 = linalg.contract indexing_maps = [#row, #column, #result]
    ins(%y, %w : tensor<7x70xf32>, tensor<32x70xf32>) outs(%f1 : tensor<7x32xf32>) -> tensor<7x32xf32>
  return %0, %1 : tensor<19x32xf32>, tensor<7x32xf32>
}
