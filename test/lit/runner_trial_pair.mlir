// Two programs in turn: what both took, run by run, and the distance between
// cores before and after that.
// RUN: pgopt-opt %s --form-kernels -o %t.mlir
// RUN: pgopt-opt %s --schedule-rr=count=2 -o %t.cores.mlir 2>/dev/null
// RUN: pgopt-runner --trial=%t.cores.mlir --compare=%t.mlir --budget-ms=5 --seed=1 | FileCheck %s
// CHECK: {"format": 1, "interrupted": false, "latency_before_ns": [{{[0-9.]+}}, {{[0-9.]+}}],
// CHECK-SAME: "latency_after_ns": [{{[0-9.]+}}, {{[0-9.]+}}],
// Nine pairs at least.
// CHECK-SAME: "first_ns": [[[#]], [[#]], [[#]], [[#]], [[#]], [[#]], [[#]], [[#]], [[#]]
// CHECK-SAME: "second_ns": [[[#]], [[#]], [[#]], [[#]], [[#]], [[#]], [[#]], [[#]], [[#]]
// CHECK-NOT: failure

// A program that traps is told of: among integer inputs are zeros.
// RUN: sed 's/linalg.[a]dd/linalg.div/' %s | pgopt-opt --form-kernels -o %t.trap.mlir
// RUN: pgopt-runner --trial=%t.mlir --compare=%t.trap.mlir | FileCheck %s --check-prefix=TRAP
// TRAP: "first_ns": [], "second_ns": [], "failure": "a run ended by SIGFPE"}

// RUN: not pgopt-runner --trial=%t.mlir --compare=%t.none.mlir 2>&1 | FileCheck %s --check-prefix=ABSENT
// ABSENT: cannot read '{{.*}}none.mlir'

func.func @f(%a: tensor<7x13xi32>, %b: tensor<7x13xi32>) -> (tensor<7x13xi32>, tensor<7x13xi32>) {
  %empty = tensor.empty() : tensor<7x13xi32>
  %0 = linalg.add ins(%a, %b : tensor<7x13xi32>, tensor<7x13xi32>) outs(%empty : tensor<7x13xi32>) -> tensor<7x13xi32>
  %1 = linalg.mul ins(%a, %b : tensor<7x13xi32>, tensor<7x13xi32>) outs(%empty : tensor<7x13xi32>) -> tensor<7x13xi32>
  return %0, %1 : tensor<7x13xi32>, tensor<7x13xi32>
}
