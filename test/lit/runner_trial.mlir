// RUN: pgopt-opt --form-kernels %s -o %t.mlir
// RUN: pgopt-runner --trial=%t.mlir --budget-ms=20 --seed=1 | FileCheck %s
// Two kernels, and their numbers in the order of the calls.
// CHECK: {"format": 2, "interrupted": false, "kernels": [
// CHECK-SAME: {"median_ns": [[#]], "min_ns": [[#]], "mad_ns": [[#]], "runs": [[#]], "dropped": [[#]], "samples_ns": [{{.*}}], "cold_ns": [[#]]},
// CHECK-SAME: {"median_ns": [[#]], "min_ns": [[#]], "mad_ns": [[#]], "runs": [[#]], "dropped": [[#]], "samples_ns": [{{.*}}], "cold_ns": [[#]]}],
// CHECK-SAME: "end_to_end": {"median_ns": [[#]], "min_ns": [[#]], "mad_ns": [[#]], "runs": [[#]], "dropped": [[#]]},
// CHECK-SAME: "instrumented": {"median_ns": [[#]], "min_ns": [[#]], "mad_ns": [[#]], "runs": [[#]], "dropped": [[#]]},
// CHECK-SAME: "overhead": {{[^,]*}}, "cold": {"median_ns": [[#]], "min_ns": [[#]], "mad_ns": [[#]], "runs": [[#]], "dropped": [[#]]},
// CHECK-SAME: "rest": {"entry_ns": [[#]], "waits_ns": [[#]], "page_faults": [[#]], "page_fault_ns": [[#]]},
// CHECK-SAME: "timer_ns": {{[0-9.]+}}, "peak_gflops": {{[1-9][0-9.]*}},
// CHECK-SAME: "latency_ns": [{{[0-9.]+}}, {{[0-9.]+}}], "cpu": "{{.+}}",
// CHECK-SAME: "cores": [[#]], "blas": "OpenBLAS {{.*}}"}

// However short the budget, one run is measured.
// RUN: pgopt-runner --trial=%t.mlir --budget-ms=1 | FileCheck %s

// RUN: sh -c 'pgopt-runner --trial=%s || echo code $?' 2>&1 \
// RUN:   | FileCheck %s --check-prefix=STAGE
// STAGE: runner_trial.mlir' is not at the stage of sequential kernel calls
// STAGE: code 1
// RUN: not pgopt-runner --trial=%t.none.mlir 2>&1 \
// RUN:   | FileCheck %s --check-prefix=ABSENT
// ABSENT: cannot read '{{.*}}none.mlir'
// RUN: not pgopt-runner --trial=%t.mlir --input=0:%s 2>&1 \
// RUN:   | FileCheck %s --check-prefix=INPUT
// INPUT: --input=0: cannot read

func.func @f(%a: tensor<7x13xf32>, %b: tensor<13x11xf32>) -> tensor<11x7xf32> {
  %zero = arith.constant 0.0 : f32
  %empty = tensor.empty() : tensor<7x11xf32>
  %init = linalg.fill ins(%zero : f32) outs(%empty : tensor<7x11xf32>)
      -> tensor<7x11xf32>
  %product = linalg.matmul ins(%a, %b : tensor<7x13xf32>, tensor<13x11xf32>)
      outs(%init : tensor<7x11xf32>) -> tensor<7x11xf32>
  %turned = tensor.empty() : tensor<11x7xf32>
  %t = linalg.transpose ins(%product : tensor<7x11xf32>)
      outs(%turned : tensor<11x7xf32>) permutation = [1, 0]
  return %t : tensor<11x7xf32>
}
