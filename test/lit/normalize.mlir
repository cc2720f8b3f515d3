// RUN: pgopt-opt %s --split-input-file --pgopt-normalize | FileCheck %s
// RUN: pgopt-opt %s --split-input-file --pgopt-normalize --pgopt-normalize | FileCheck %s
// RUN: pgopt-opt %s --split-input-file --pgopt-normalize --mlir-pass-statistics -o /dev/null 2>&1 | FileCheck %s --check-prefix=STATS
// RUN: mlir-opt %s --split-input-file --load-pass-plugin=%pgopt_plugin --pass-pipeline='builtin.module(pgopt-normalize{seed=1})' | FileCheck %s

// STATS: (S) 3 tosa-ops
// CHECK-LABEL: func.func @tosa(
// CHECK-NOT: tosa.
// CHECK: linalg.batch_matmul
// CHECK-NOT: tosa.
func.func @tosa(%a: tensor<1x3x5xf32>, %b: tensor<1x5x7xf32>) -> tensor<1x3x7xf32> {
  %z = "tosa.const"() <{values = dense<0.0> : tensor<1xf32>}> : () -> tensor<1xf32>
  %0 = tosa.matmul %a, %b, %z, %z : (tensor<1x3x5xf32>, tensor<1x5x7xf32>, tensor<1xf32>, tensor<1xf32>) -> tensor<1x3x7xf32>
  %1 = tosa.exp %0 : (tensor<1x3x7xf32>) -> tensor<1x3x7xf32>
  return %1 : tensor<1x3x7xf32>
}

// -----

// STATS: (S) 1 empties-split
// CHECK-LABEL: func.func @shared_empty(
// CHECK: %[[A:.+]] = tensor.empty
// CHECK: %[[B:.+]] = tensor.empty
// CHECK: linalg.exp ins(%{{.+}}) outs(%[[X:.+]] : tensor<3x5xf32>)
// CHECK-NOT: outs(%[[X]]
// CHECK: return
func.func @shared_empty(%a: tensor<3x5xf32>) -> (tensor<3x5xf32>, tensor<3x5xf32>) {
  %e = tensor.empty() : tensor<3x5xf32>
  %0 = linalg.exp ins(%a : tensor<3x5xf32>) outs(%e : tensor<3x5xf32>) -> tensor<3x5xf32>
  %1 = linalg.tanh ins(%a : tensor<3x5xf32>) outs(%e : tensor<3x5xf32>) -> tensor<3x5xf32>
  return %0, %1 : tensor<3x5xf32>, tensor<3x5xf32>
}

// -----

// STATS: (S) 1 calls-inlined
// CHECK-LABEL: func.func @calls(
// CHECK-NOT: call
// CHECK: linalg.exp
func.func private @layer(%a: tensor<3x5xf32>) -> tensor<3x5xf32> {
  %e = tensor.empty() : tensor<3x5xf32>
  %0 = linalg.exp ins(%a : tensor<3x5xf32>) outs(%e : tensor<3x5xf32>) -> tensor<3x5xf32>
  return %0 : tensor<3x5xf32>
}
func.func @calls(%a: tensor<3x5xf32>) -> tensor<3x5xf32> {
  %0 = call @layer(%a) : (tensor<3x5xf32>) -> tensor<3x5xf32>
  return %0 : tensor<3x5xf32>
}

// -----

// An annotated network that is normal already does not change at all.
// CHECK-LABEL: func.func @untouched(
// CHECK: linalg.exp {pg.kernel = "exp_0", pg.lflops = 15 : i64}
// CHECK: call @clock() : () -> f64
func.func private @clock() -> f64
func.func @untouched(%a: tensor<3x5xf32>) -> tensor<3x5xf32> {
  %e = tensor.empty() : tensor<3x5xf32>
  %0 = linalg.exp {pg.kernel = "exp_0", pg.lflops = 15 : i64} ins(%a : tensor<3x5xf32>) outs(%e : tensor<3x5xf32>) -> tensor<3x5xf32>
  %1 = call @clock() : () -> f64
  return %0 : tensor<3x5xf32>
}

// -----

// STATS: (S) 1 inits-filled
// CHECK-LABEL: func.func @constant_init(
// CHECK: %[[F:.+]] = linalg.fill
// CHECK: linalg.matmul {{.*}} outs(%[[F]] : tensor<3x7xf32>)
// A constant that is not the same everywhere is data: it stays.
// CHECK: linalg.matmul {{.*}} outs(%cst{{.*}} : tensor<3x2xf32>)
func.func @constant_init(%a: tensor<3x5xf32>, %b: tensor<5x7xf32>, %c: tensor<5x2xf32>) -> (tensor<3x7xf32>, tensor<3x2xf32>) {
  %z = arith.constant dense<0.0> : tensor<3x7xf32>
  %y = arith.constant dense<[[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]]> : tensor<3x2xf32>
  %0 = linalg.matmul ins(%a, %b : tensor<3x5xf32>, tensor<5x7xf32>) outs(%z : tensor<3x7xf32>) -> tensor<3x7xf32>
  %1 = linalg.matmul ins(%a, %c : tensor<3x5xf32>, tensor<5x2xf32>) outs(%y : tensor<3x2xf32>) -> tensor<3x2xf32>
  return %0, %1 : tensor<3x7xf32>, tensor<3x2xf32>
}
