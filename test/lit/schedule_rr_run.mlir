// Scheduled programs compute what the sequential one does: whole layers and
// ranges, on one core, on as many as there are, on more cores than kernels.

// RUN: pgopt-opt %s --schedule-rr="entry=forward count=1 check=true" -o %t.1.mlir 2>/dev/null
// RUN: pgopt-runner %t.1.mlir --entry=forward --compare=%s | FileCheck %s
// RUN: pgopt-opt %s --schedule-rr="entry=forward count=2 check=true" -o %t.2.mlir 2>/dev/null
// RUN: pgopt-runner %t.2.mlir --entry=forward --compare=%s | FileCheck %s
// RUN: pgopt-opt %s --form-kernels="entry=forward fuse=none split=3" --schedule-rr="entry=forward count=3 check=true" -o %t.3.mlir 2>/dev/null
// RUN: pgopt-runner %t.3.mlir --entry=forward --compare=%s | FileCheck %s
// RUN: pgopt-opt %s --form-kernels="entry=forward fuse=none split=13" --schedule-rr="entry=forward count=64 check=true" -o %t.64.mlir 2>/dev/null
// RUN: pgopt-runner %t.64.mlir --entry=forward --compare=%s | FileCheck %s

// CHECK: result 0: error {{[0-9.]+(e-[0-9]+)?}} at
// CHECK: result 1: error {{[0-9.]+(e-[0-9]+)?}} at
// CHECK: result 2: error 0 at

// In stock mlir-runner. a is i - j, b and w are constant; row i of a x b holds
// (7 i - 21) / 2 everywhere, of its product with w 11/4 of that. The branch
// negates it, the sum doubles what is left: 0 + the first product. All of its
// 13 x 5 elements: 5 * 11/8 * (7 * 78 - 13 * 21) = 1876.875. The caller, which
// is not pgopt's to lower, never frees its own buffers.
// RUN: pgopt-opt %t.2.mlir --pgopt-lower=entry=forward | env ASAN_OPTIONS=detect_leaks=0 mlir-runner -e main --entry-point-result=f32 --shared-libs=%pgopt_runtime | FileCheck %s --check-prefix=SUM
// RUN: pgopt-opt %t.64.mlir --pgopt-lower=entry=forward | env ASAN_OPTIONS=detect_leaks=0 mlir-runner -e main --entry-point-result=f32 --shared-libs=%pgopt_runtime | FileCheck %s --check-prefix=SUM
// SUM: 1.876875e+03

#id = affine_map<(i, j) -> (i, j)>

func.func private @pgopt_rt_now_ns() -> i64

// Two branches behind one matmul, joined; a clock between layers.
func.func @forward(%a: tensor<13x7xf32>, %b: tensor<7x11xf32>, %w: tensor<11x5xf32>)
    -> (tensor<13x5xf32>, tensor<13x5xf32>, i64) {
  %zero = arith.constant 0.0 : f32
  %two = arith.constant 2 : i64
  %0 = tensor.empty() : tensor<13x11xf32>
  %1 = linalg.fill ins(%zero : f32) outs(%0 : tensor<13x11xf32>) -> tensor<13x11xf32>
  %2 = linalg.matmul ins(%a, %b : tensor<13x7xf32>, tensor<7x11xf32>) outs(%1 : tensor<13x11xf32>) -> tensor<13x11xf32>
  %now = func.call @pgopt_rt_now_ns() : () -> i64
  %none = arith.subi %now, %now : i64
  %ticks = arith.addi %none, %two : i64
  %3 = tensor.empty() : tensor<13x5xf32>
  %4 = linalg.fill ins(%zero : f32) outs(%3 : tensor<13x5xf32>) -> tensor<13x5xf32>
  %5 = linalg.matmul ins(%2, %w : tensor<13x11xf32>, tensor<11x5xf32>) outs(%4 : tensor<13x5xf32>) -> tensor<13x5xf32>
  %6 = tensor.empty() : tensor<13x5xf32>
  %7 = linalg.negf ins(%5 : tensor<13x5xf32>) outs(%6 : tensor<13x5xf32>) -> tensor<13x5xf32>
  %8 = tensor.empty() : tensor<13x5xf32>
  %9 = linalg.add ins(%5, %5 : tensor<13x5xf32>, tensor<13x5xf32>) outs(%8 : tensor<13x5xf32>) -> tensor<13x5xf32>
  %10 = tensor.empty() : tensor<13x5xf32>
  %11 = linalg.add ins(%7, %9 : tensor<13x5xf32>, tensor<13x5xf32>) outs(%10 : tensor<13x5xf32>) -> tensor<13x5xf32>
  return %11, %7, %ticks : tensor<13x5xf32>, tensor<13x5xf32>, i64
}

func.func @main() -> f32 {
  %zero = arith.constant 0.0 : f32
  %ea = tensor.empty() : tensor<13x7xf32>
  %a = linalg.generic {indexing_maps = [#id], iterator_types = ["parallel", "parallel"]} outs(%ea : tensor<13x7xf32>) {
  ^bb0(%o: f32):
    %i = linalg.index 0 : index
    %j = linalg.index 1 : index
    %s = arith.subi %i, %j : index
    %n = arith.index_cast %s : index to i32
    %f = arith.sitofp %n : i32 to f32
    linalg.yield %f : f32
  } -> tensor<13x7xf32>
  %b = arith.constant dense<0.5> : tensor<7x11xf32>
  %w = arith.constant dense<0.25> : tensor<11x5xf32>
  %r, %n, %t = call @forward(%a, %b, %w) : (tensor<13x7xf32>, tensor<7x11xf32>, tensor<11x5xf32>) -> (tensor<13x5xf32>, tensor<13x5xf32>, i64)
  %e = tensor.empty() : tensor<f32>
  %init = linalg.fill ins(%zero : f32) outs(%e : tensor<f32>) -> tensor<f32>
  %sum = linalg.reduce {arith.addf} ins(%r : tensor<13x5xf32>) outs(%init : tensor<f32>) dimensions = [0, 1]
  %x = tensor.extract %sum[] : tensor<f32>
  return %x : f32
}
