// An unscheduled network is dealt out to workers first, at either stage.
// RUN: pgopt-runner %s --workers=1 --compare=%s 2>/dev/null | FileCheck %s
// RUN: pgopt-runner %s --workers=2 --compare=%s 2>/dev/null | FileCheck %s
// RUN: pgopt-opt --form-kernels %s -o %t.calls.mlir
// RUN: pgopt-runner %t.calls.mlir --workers=3 --compare=%s 2>/dev/null \
// RUN:   | FileCheck %s
// CHECK: result 0: error {{[0-9.e-]+}} at [
// CHECK-NEXT: result 1: error {{[0-9.e-]+}} at [
// CHECK-NOT: above

// A scheduled one runs as it is, and is not scheduled anew.
// RUN: pgopt-opt --schedule-rr="resources=threads count=2" %s -o %t.cores.mlir 2>/dev/null
// RUN: pgopt-runner %t.cores.mlir --compare=%s --bench=0.02 | FileCheck %s
// RUN: not pgopt-runner %t.cores.mlir --workers=2 2>&1 \
// RUN:   | FileCheck %s --check-prefix=SCHEDULED
// SCHEDULED: '{{.*}}cores.mlir' is scheduled already

// Both products are on a core of their own; each core has a row.
// RUN: pgopt-runner %t.cores.mlir --trace=%t.json
// RUN: FileCheck %s --check-prefix=TRACE < %t.json
// TRACE: "args":{"name":"core 0"}
// TRACE-SAME: "name":"matmul_{{[01]}}"{{[^}]*}}"tid":0,{{[^}]*}}"slot":0
// TRACE-SAME: "args":{"name":"core 1"}
// TRACE-SAME: "name":"matmul_{{[01]}}"{{[^}]*}}"tid":1,{{[^}]*}}"slot":0

func.func @f(%a: tensor<7x13xf32>, %b: tensor<13x11xf32>, %c: tensor<13x5xf32>)
    -> (tensor<7x11xf32>, tensor<7x5xf32>) {
  %zero = arith.constant 0.0 : f32
  %empty0 = tensor.empty() : tensor<7x11xf32>
  %init0 = linalg.fill ins(%zero : f32) outs(%empty0 : tensor<7x11xf32>)
      -> tensor<7x11xf32>
  %product0 = linalg.matmul ins(%a, %b : tensor<7x13xf32>, tensor<13x11xf32>)
      outs(%init0 : tensor<7x11xf32>) -> tensor<7x11xf32>
  %empty1 = tensor.empty() : tensor<7x5xf32>
  %init1 = linalg.fill ins(%zero : f32) outs(%empty1 : tensor<7x5xf32>)
      -> tensor<7x5xf32>
  %product1 = linalg.matmul ins(%a, %c : tensor<7x13xf32>, tensor<13x5xf32>)
      outs(%init1 : tensor<7x5xf32>) -> tensor<7x5xf32>
  return %product0, %product1 : tensor<7x11xf32>, tensor<7x5xf32>
}
