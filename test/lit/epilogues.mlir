// Elementwise operations behind a contraction that part and join again: one
// kernel, one store, no buffer in between.

// RUN: split-file %s %t
// RUN: pgopt-opt %t/joined.mlir --form-kernels | FileCheck %s --check-prefix=FORM
// RUN: pgopt-opt %t/joined.mlir --pgopt-lower="target-cpu=x86-64-v3" \
// RUN:   --mlir-print-ir-before=convert-scf-to-cf -o /dev/null 2>&1 | \
// RUN:   FileCheck %s --check-prefix=LOWER
// RUN: pgopt-opt %t/joined.mlir --pgopt-lower --mlir-pass-statistics \
// RUN:   -o /dev/null 2>&1 | FileCheck %s --check-prefix=COUNT
// RUN: pgopt-opt %t/apart.mlir --form-kernels | FileCheck %s --check-prefix=APART
// RUN: pgopt-opt %t/turned.mlir --form-kernels | \
// RUN:   FileCheck %s --check-prefix=TURNED

// The same numbers as operation by operation, whole and in parts, generated and
// through BLAS.
// RUN: pgopt-runner %t/joined.mlir --compare=%t/joined.mlir
// RUN: pgopt-opt %t/joined.mlir --form-kernels=split=3 -o %t/cut.mlir
// RUN: FileCheck %s --check-prefix=CUT --input-file=%t/cut.mlir
// RUN: pgopt-runner %t/cut.mlir --compare=%t/joined.mlir
// RUN: pgopt-opt %t/joined.mlir --pgopt-lower=kernels=blas -o %t/blas.mlir
// RUN: pgopt-runner %t/blas.mlir --compare=%t/joined.mlir
// RUN: pgopt-runner %t/apart.mlir --compare=%t/apart.mlir

// FORM-LABEL: func.func private @matmul_0(
// FORM-LABEL: func.func @forward(
// FORM-COUNT-3: call @matmul
// FORM-NOT: call @

// CUT-COUNT-9: call @matmul
// CUT-NOT: call @

// LOWER-LABEL: func.func private @matmul_0(
// LOWER-NOT: memref.alloc
// LOWER: return
// LOWER-LABEL: func.func @forward(

// COUNT: (S) 3 product
// COUNT: (S) 11 fused

// What another kernel reads as well is stored, and ends the group.
// APART-LABEL: func.func @other_user(
// APART: call @matmul_0(
// APART: call @mul
// APART: call @reduce_add
// APART-NOT: call @

// So does what it reads of another element.
// TURNED-LABEL: func.func @transposed(
// TURNED: call @matmul_0(
// TURNED: call @add_1(
// TURNED-NOT: call @

//--- joined.mlir
#id = affine_map<(i, j) -> (i, j)>
func.func @forward(%a: tensor<17x13xf32>, %b: tensor<13x35xf32>, %c: tensor<35x11xf32>, %d: tensor<11x19xf32>) -> tensor<17x19xf32> {
  %zero = arith.constant 0.0 : f32
  %0 = tensor.empty() : tensor<17x35xf32>
  %1 = linalg.fill ins(%zero : f32) outs(%0 : tensor<17x35xf32>) -> tensor<17x35xf32>
  %2 = linalg.matmul ins(%a, %b : tensor<17x13xf32>, tensor<13x35xf32>) outs(%1 : tensor<17x35xf32>) -> tensor<17x35xf32>

  // gelu: x * (1 + erf(x / sqrt 2)) / 2
  %3 = tensor.empty() : tensor<17x35xf32>
  %4 = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]} ins(%2 : tensor<17x35xf32>) outs(%3 : tensor<17x35xf32>) {
  ^bb0(%x: f32, %o: f32):
    %s = arith.constant 0.707106769 : f32
    %r = arith.mulf %x, %s : f32
    linalg.yield %r : f32
  } -> tensor<17x35xf32>
  %5 = tensor.empty() : tensor<17x35xf32>
  %6 = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]} ins(%4 : tensor<17x35xf32>) outs(%5 : tensor<17x35xf32>) {
  ^bb0(%x: f32, %o: f32):
    %r = math.erf %x : f32
    linalg.yield %r : f32
  } -> tensor<17x35xf32>
  %7 = tensor.empty() : tensor<17x35xf32>
  %8 = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]} ins(%6 : tensor<17x35xf32>) outs(%7 : tensor<17x35xf32>) {
  ^bb0(%x: f32, %o: f32):
    %one = arith.constant 1.0 : f32
    %r = arith.addf %x, %one : f32
    linalg.yield %r : f32
  } -> tensor<17x35xf32>
  %9 = tensor.empty() : tensor<17x35xf32>
  %10 = linalg.generic {indexing_maps = [#id, #id, #id], iterator_types = ["parallel", "parallel"]} ins(%2, %8 : tensor<17x35xf32>, tensor<17x35xf32>) outs(%9 : tensor<17x35xf32>) {
  ^bb0(%x: f32, %y: f32, %o: f32):
    %r = arith.mulf %x, %y : f32
    linalg.yield %r : f32
  } -> tensor<17x35xf32>
  %11 = tensor.empty() : tensor<17x35xf32>
  %12 = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]} ins(%10 : tensor<17x35xf32>) outs(%11 : tensor<17x35xf32>) {
  ^bb0(%x: f32, %o: f32):
    %half = arith.constant 0.5 : f32
    %r = arith.mulf %x, %half : f32
    linalg.yield %r : f32
  } -> tensor<17x35xf32>

  // h-swish: x * clamp(x + 3, 0, 6) / 6
  %13 = tensor.empty() : tensor<17x11xf32>
  %14 = linalg.fill ins(%zero : f32) outs(%13 : tensor<17x11xf32>) -> tensor<17x11xf32>
  %15 = linalg.matmul ins(%12, %c : tensor<17x35xf32>, tensor<35x11xf32>) outs(%14 : tensor<17x11xf32>) -> tensor<17x11xf32>
  %16 = tensor.empty() : tensor<17x11xf32>
  %17 = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]} ins(%15 : tensor<17x11xf32>) outs(%16 : tensor<17x11xf32>) {
  ^bb0(%x: f32, %o: f32):
    %three = arith.constant 3.0 : f32
    %six = arith.constant 6.0 : f32
    %low = arith.constant 0.0 : f32
    %s = arith.addf %x, %three : f32
    %m = arith.maximumf %s, %low : f32
    %r = arith.minimumf %m, %six : f32
    linalg.yield %r : f32
  } -> tensor<17x11xf32>
  %18 = tensor.empty() : tensor<17x11xf32>
  %19 = linalg.generic {indexing_maps = [#id, #id, #id], iterator_types = ["parallel", "parallel"]} ins(%17, %15 : tensor<17x11xf32>, tensor<17x11xf32>) outs(%18 : tensor<17x11xf32>) {
  ^bb0(%x: f32, %y: f32, %o: f32):
    %six = arith.constant 6.0 : f32
    %p = arith.mulf %x, %y : f32
    %r = arith.divf %p, %six : f32
    linalg.yield %r : f32
  } -> tensor<17x11xf32>

  // Both ways compute, then x * x.
  %20 = tensor.empty() : tensor<17x19xf32>
  %21 = linalg.fill ins(%zero : f32) outs(%20 : tensor<17x19xf32>) -> tensor<17x19xf32>
  %22 = linalg.matmul ins(%19, %d : tensor<17x11xf32>, tensor<11x19xf32>) outs(%21 : tensor<17x19xf32>) -> tensor<17x19xf32>
  %23 = tensor.empty() : tensor<17x19xf32>
  %24 = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]} ins(%22 : tensor<17x19xf32>) outs(%23 : tensor<17x19xf32>) {
  ^bb0(%x: f32, %o: f32):
    %r = math.tanh %x : f32
    linalg.yield %r : f32
  } -> tensor<17x19xf32>
  %25 = tensor.empty() : tensor<17x19xf32>
  %26 = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]} ins(%22 : tensor<17x19xf32>) outs(%25 : tensor<17x19xf32>) {
  ^bb0(%x: f32, %o: f32):
    %r = math.absf %x : f32
    linalg.yield %r : f32
  } -> tensor<17x19xf32>
  %27 = tensor.empty() : tensor<17x19xf32>
  %28 = linalg.generic {indexing_maps = [#id, #id, #id], iterator_types = ["parallel", "parallel"]} ins(%24, %26 : tensor<17x19xf32>, tensor<17x19xf32>) outs(%27 : tensor<17x19xf32>) {
  ^bb0(%x: f32, %y: f32, %o: f32):
    %r = arith.addf %x, %y : f32
    linalg.yield %r : f32
  } -> tensor<17x19xf32>
  %29 = tensor.empty() : tensor<17x19xf32>
  %30 = linalg.generic {indexing_maps = [#id, #id, #id], iterator_types = ["parallel", "parallel"]} ins(%28, %28 : tensor<17x19xf32>, tensor<17x19xf32>) outs(%29 : tensor<17x19xf32>) {
  ^bb0(%x: f32, %y: f32, %o: f32):
    %r = arith.mulf %x, %y : f32
    linalg.yield %r : f32
  } -> tensor<17x19xf32>
  return %30 : tensor<17x19xf32>
}

//--- apart.mlir
#id = affine_map<(i, j) -> (i, j)>
#row = affine_map<(i, j) -> (i)>
func.func @other_user(%a: tensor<17x13xf32>, %b: tensor<13x35xf32>) -> (tensor<17x35xf32>, tensor<17xf32>) {
  %zero = arith.constant 0.0 : f32
  %0 = tensor.empty() : tensor<17x35xf32>
  %1 = linalg.fill ins(%zero : f32) outs(%0 : tensor<17x35xf32>) -> tensor<17x35xf32>
  %2 = linalg.matmul ins(%a, %b : tensor<17x13xf32>, tensor<13x35xf32>) outs(%1 : tensor<17x35xf32>) -> tensor<17x35xf32>
  %3 = tensor.empty() : tensor<17x35xf32>
  %4 = linalg.generic {indexing_maps = [#id, #id, #id], iterator_types = ["parallel", "parallel"]} ins(%2, %2 : tensor<17x35xf32>, tensor<17x35xf32>) outs(%3 : tensor<17x35xf32>) {
  ^bb0(%x: f32, %y: f32, %o: f32):
    %r = arith.mulf %x, %y : f32
    linalg.yield %r : f32
  } -> tensor<17x35xf32>
  %5 = tensor.empty() : tensor<17xf32>
  %6 = linalg.fill ins(%zero : f32) outs(%5 : tensor<17xf32>) -> tensor<17xf32>
  %7 = linalg.generic {indexing_maps = [#id, #row], iterator_types = ["parallel", "reduction"]} ins(%2 : tensor<17x35xf32>) outs(%6 : tensor<17xf32>) {
  ^bb0(%x: f32, %o: f32):
    %r = arith.addf %o, %x : f32
    linalg.yield %r : f32
  } -> tensor<17xf32>
  return %4, %7 : tensor<17x35xf32>, tensor<17xf32>
}

//--- turned.mlir
#id = affine_map<(i, j) -> (i, j)>
#turned = affine_map<(i, j) -> (j, i)>
func.func @transposed(%a: tensor<17x13xf32>, %b: tensor<13x17xf32>) -> tensor<17x17xf32> {
  %zero = arith.constant 0.0 : f32
  %0 = tensor.empty() : tensor<17x17xf32>
  %1 = linalg.fill ins(%zero : f32) outs(%0 : tensor<17x17xf32>) -> tensor<17x17xf32>
  %2 = linalg.matmul ins(%a, %b : tensor<17x13xf32>, tensor<13x17xf32>) outs(%1 : tensor<17x17xf32>) -> tensor<17x17xf32>
  %3 = tensor.empty() : tensor<17x17xf32>
  %4 = linalg.generic {indexing_maps = [#id, #turned, #id], iterator_types = ["parallel", "parallel"]} ins(%2, %2 : tensor<17x17xf32>, tensor<17x17xf32>) outs(%3 : tensor<17x17xf32>) {
  ^bb0(%x: f32, %y: f32, %o: f32):
    %r = arith.addf %x, %y : f32
    linalg.yield %r : f32
  } -> tensor<17x17xf32>
  return %4 : tensor<17x17xf32>
}
