// A kernel that takes less time than it takes to wait for its result, and to
// read it, on another core, is computed on both. 120,000 bytes are 3,000 ns
// away, and a signal takes 200.

// RUN: pgopt-opt %s --schedule-list="count=2 check=true" -o %t.mlir --mlir-pass-statistics 2>%t.err
// RUN: FileCheck %s --input-file=%t.mlir
// RUN: FileCheck %s --check-prefix=REMARK < %t.err
// RUN: pgopt-opt %s --schedule-list="count=2" 2>/dev/null | cmp - %t.mlir
// RUN: pgopt-opt %s --schedule-auto="count=2 confirm=false check=true" 2>/dev/null | cmp - %t.mlir
// RUN: pgopt-runner %t.mlir --compare=%s
// RUN: pgopt-opt %t.mlir --pgopt-lower -o /dev/null
// RUN: pgopt-opt %s --schedule-report="count=2 report=json" -o /dev/null 2>&1 | FileCheck %s --check-prefix=REPORT
// RUN: pgopt-runner --simulate %t.mlir | FileCheck %s --check-prefix=SIMULATED
// RUN: pgopt-opt %t.mlir --profile-graph=output=%t.json -o /dev/null && FileCheck %s --check-prefix=GRAPH < %t.json

// Beside the sequential program: 11,000 ns and two signals against 21,000.
// RUN: pgopt-opt %s --schedule-auto="count=2 confirm=false distance=both check=true" -o %t.both.mlir 2>&1 | FileCheck %s --check-prefix=BOTH
// RUN: sed 's/constant 4999 : i64/constant 9223372036854775807 : i64/' %t.both.mlir > %t.near.mlir
// RUN: pgopt-runner %t.near.mlir --compare=%s
// RUN: pgopt-opt %t.both.mlir --pgopt-lower -o /dev/null
// BOTH: kept beside the sequential program, for signals of at most 4999 ns

// Not copied: what takes longer than to wait and to read. On one core, and dealt
// out, nothing is.
// RUN: sed s/1000\ :/4000\ :/g %s | pgopt-opt --schedule-list="count=2 check=true" 2>/dev/null | FileCheck %s --check-prefix=NONE
// RUN: pgopt-opt %s --schedule-list="count=1" 2>/dev/null | FileCheck %s --check-prefix=NONE
// RUN: pgopt-opt %s --schedule-rr="count=2" 2>/dev/null | FileCheck %s --check-prefix=NONE

// REMARK: remark: list schedule of 4 kernels on 2 cores: predicted makespan 11000 ns, sequential 21000 ns, {{.*}}, 0 bytes across cores, 1 of the kernels to spare waits
// REMARK: (S) 4 kernels -
// REMARK: (S) 1 kernels-copied -
// REPORT: "policy": "list"{{.*}}"makespan_ns": 11000
// GRAPH-COUNT-2: label="wide\n@widen
// SIMULATED: makespan 11.000 us

// CHECK-LABEL: func.func private @fork_core0(
// CHECK-NEXT: constant
// CHECK: call @widen(%arg0, %[[OWN:.*]], {{.*}}pg.layer = "wide"
// CHECK: call @narrow(%{{.*}}pg.layer = "{{left|right}}"
// CHECK-NOT: call
// CHECK-LABEL: func.func private @fork_core1(
// CHECK: call @widen(
// CHECK: call @narrow(
// CHECK-NOT: call @pgopt_rt
// CHECK: return

// NONE-COUNT-1: call @widen
// NONE-NOT: call @widen

module attributes {pg.machine = {latency_min_ns = 90 : i64, latency_max_ns = 200 : i64}} {
  func.func private @widen(%x: memref<30xf32> {pg.access = {mode = "read"}}, %y: memref<30x1000xf32> {pg.access = {mode = "write"}},
                           %lo: index, %hi: index) attributes {no_inline, pg.kernel = "widen"} {
    linalg.broadcast ins(%x : memref<30xf32>) outs(%y : memref<30x1000xf32>) dimensions = [1]
    return
  }
  func.func private @narrow(%x: memref<30000xf32> {pg.access = {mode = "read"}}, %y: memref<f32> {pg.access = {mode = "write"}},
                            %lo: index, %hi: index) attributes {no_inline, pg.kernel = "narrow"} {
    %zero = arith.constant 0.0 : f32
    linalg.fill ins(%zero : f32) outs(%y : memref<f32>)
    linalg.reduce { arith.addf } ins(%x : memref<30000xf32>) outs(%y : memref<f32>) dimensions = [0]
    return
  }
  func.func @fork(%in: memref<30xf32>) -> (memref<f32>, memref<f32>, memref<30x1000xf32>) {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %wide = memref.alloc() {alignment = 64 : i64} : memref<30x1000xf32>
    %flat = memref.collapse_shape %wide [[0, 1]] : memref<30x1000xf32> into memref<30000xf32>
    %left = memref.alloc() {alignment = 64 : i64} : memref<f32>
    %right = memref.alloc() {alignment = 64 : i64} : memref<f32>
    call @widen(%in, %wide, %c0, %c1) {pg.layer = "wide", pg.timing = {median_ns = 1000 : i64, min_ns = 1000 : i64, mad_ns = 0 : i64, runs = 9 : i64, source = "in-place"}} : (memref<30xf32>, memref<30x1000xf32>, index, index) -> ()
    call @narrow(%flat, %left, %c0, %c1) {pg.layer = "left", pg.timing = {median_ns = 10000 : i64, min_ns = 10000 : i64, mad_ns = 0 : i64, runs = 9 : i64, source = "in-place"}} : (memref<30000xf32>, memref<f32>, index, index) -> ()
    call @narrow(%flat, %right, %c0, %c1) {pg.layer = "right", pg.timing = {median_ns = 10000 : i64, min_ns = 10000 : i64, mad_ns = 0 : i64, runs = 9 : i64, source = "in-place"}} : (memref<30000xf32>, memref<f32>, index, index) -> ()
    return %left, %right, %wide : memref<f32>, memref<f32>, memref<30x1000xf32>
  }
}
