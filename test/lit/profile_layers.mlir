// RUN: pgopt-opt --profile="mode=static report-output=%t.txt" %s | FileCheck %s
// RUN: FileCheck %s --check-prefix=TABLE < %t.txt
// RUN: pgopt-opt --profile="mode=static report=json report-output=%t.json" %s -o /dev/null
// RUN: FileCheck %s --check-prefix=JSON < %t.json
// RUN: pgopt-opt --profile="mode=static report=json" %s -o /dev/null 2>&1 | diff - %t.json
// RUN: pgopt-opt --profile="mode=static report=none" %s 2>&1 | FileCheck %s --check-prefix=NONE
// RUN: pgopt-opt --profile="mode=static fuse=none report-output=%t.txt" %s | FileCheck %s --check-prefix=ALONE
// RUN: pgopt-opt --profile="mode=static report=none" --mlir-pass-statistics %s -o /dev/null 2>&1 | FileCheck %s --check-prefix=COUNT

// The bias and the clamp belong to the matmul's kernel; what follows the
// transpose does not. Without pg.profile the Timing that is there stays: 2002
// operations and 2 * 7*13 = 182 more in 546 ns are 4 GFLOP/s, half of a peak of
// 8; of the sum of 546 + 1638 ns that is a quarter.
// CHECK: linalg.matmul
// CHECK-SAME: pg.kernel = "matmul_0", pg.lflops = 2002 : i64, pg.timing = {{{.*}}median_ns = 546
// CHECK: linalg.add
// CHECK-SAME: pg.kernel = "matmul_0", pg.lflops = 91 : i64}
// CHECK: linalg.max
// CHECK-SAME: pg.kernel = "matmul_0", pg.lflops = 91 : i64}
// CHECK: linalg.transpose
// CHECK-SAME: pg.kernel = "transpose_1", pg.lflops = 0 : i64, pg.timing

// TABLE: profile of @layers on a CPU, one core's measured peak 8.0 GFLOP/s
// TABLE: matmul_0 {{ *}}linalg.matmul {{ *}}2184 {{ *}}[[#]] {{ *}}546 ns {{ *}}25.0% {{ *}}4.00 {{ *}}50.0%
// TABLE-NEXT: + linalg.add {{ *}}91
// TABLE-NEXT: + linalg.max {{ *}}91
// TABLE-NEXT: transpose_1 {{ *}}linalg.transpose {{ *}}0 {{ *}}728 {{ *}}1.64 us {{ *}}75.0% {{ *}}- {{ *}}-
// TABLE: operations: 2184, in contractions 2002 (1001 multiply-accumulates; 1 FMA = 2 operations)
// TABLE-NOT: layers without a time
// TABLE: layers whose time is derived: 1
// TABLE: sum of layers: 2.18 us; measured before, not in this run

// JSON: "lflops": 2184,
// JSON: "sum_of_layers_ns": 2184,
// JSON: {"layer": "matmul_0", "op": "linalg.matmul", "signature": "{{[^"]*}}", "lflops": 2184, "bytes": {{[0-9]+}}, "timing": {"median_ns": 546, "min_ns": 500, "mad_ns": 3, "runs": 11, "source": "in-place"}, "share": 0.250000, "gflops": 4.000000, "of_peak": 0.500000, "of_roofline": null, "members": [{"op": "linalg.add", "lflops": 91}, {"op": "linalg.max", "lflops": 91}]},
// JSON-NEXT: {"layer": "transpose_1", "op": "linalg.transpose",

// NONE-NOT: profile of
// NONE: module

// ALONE: linalg.matmul
// ALONE-SAME: pg.kernel = "matmul_0"
// ALONE: linalg.add
// ALONE-SAME: pg.kernel = "add_1"
// ALONE: linalg.max
// ALONE-SAME: pg.kernel = "max_2"

// COUNT-DAG: 5 counted
// COUNT-DAG: 0 unknown
// COUNT-DAG: 2 layers
// COUNT-DAG: 0 layers-measured
// COUNT-DAG: 2 layers-looked-up
// COUNT-DAG: 0 layers-without-timing
module attributes {pg.machine = {cpu = "a CPU", peak_gflops = 8.0 : f64}} {
  func.func @layers(%a: tensor<7x11xf32>, %b: tensor<11x13xf32>, %bias: tensor<7x13xf32>, %low: tensor<7x13xf32>) -> tensor<13x7xf32> {
    %zero = arith.constant 0.0 : f32
    %e0 = tensor.empty() : tensor<7x13xf32>
    %fill = linalg.fill ins(%zero : f32) outs(%e0 : tensor<7x13xf32>) -> tensor<7x13xf32>
    %0 = linalg.matmul {pg.timing = {median_ns = 546 : i64, min_ns = 500 : i64, mad_ns = 3 : i64, runs = 11 : i64, source = "in-place"}}
        ins(%a, %b : tensor<7x11xf32>, tensor<11x13xf32>) outs(%fill : tensor<7x13xf32>) -> tensor<7x13xf32>
    %e1 = tensor.empty() : tensor<7x13xf32>
    %1 = linalg.add ins(%0, %bias : tensor<7x13xf32>, tensor<7x13xf32>) outs(%e1 : tensor<7x13xf32>) -> tensor<7x13xf32>
    %e2 = tensor.empty() : tensor<7x13xf32>
    %2 = linalg.max ins(%1, %low : tensor<7x13xf32>, tensor<7x13xf32>) outs(%e2 : tensor<7x13xf32>) -> tensor<7x13xf32>
    %e3 = tensor.empty() : tensor<13x7xf32>
    %3 = linalg.transpose ins(%2 : tensor<7x13xf32>) outs(%e3 : tensor<13x7xf32>) permutation = [1, 0]
        {pg.timing = {median_ns = 1638 : i64, min_ns = 1600 : i64, mad_ns = 3 : i64, runs = 11 : i64, source = "derived"}}
    return %3 : tensor<13x7xf32>
  }
}
