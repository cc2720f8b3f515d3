// All policies on two chains, a signal as far as was ever seen or near. The
// chains have 3 x 50 us and 2 x 20 us; all work is 190 us, so the bound is the
// critical path, 150 us.

// RUN: pgopt-opt %s --schedule-report="count=2 report-output=%t.far" -o %t.out.mlir
// RUN: FileCheck %s --check-prefix=FAR < %t.far
// RUN: pgopt-opt %s -o %t.in.mlir && cmp %t.in.mlir %t.out.mlir
// RUN: pgopt-opt %s --schedule-report="count=2 distance=near" -o /dev/null 2>&1 | FileCheck %s --check-prefix=NEAR
// RUN: pgopt-opt %s --schedule-report="count=2 report=json report-output=%t.one" -o /dev/null
// RUN: pgopt-opt %s --schedule-report="count=2 report=json report-output=%t.two" -o /dev/null
// RUN: cmp %t.one %t.two
// RUN: FileCheck %s --check-prefix=JSON < %t.one
// RUN: python3 -m json.tool %t.one > /dev/null
// RUN: not pgopt-opt %s --schedule-report="report=text" -o /dev/null 2>&1 | FileCheck %s --check-prefix=FORM
// RUN: not pgopt-opt %s --schedule-report="distance=2" -o /dev/null 2>&1 | FileCheck %s --check-prefix=DISTANCE
// RUN: not pgopt-opt %s --schedule-list="distance=" -o /dev/null 2>&1 | FileCheck %s --check-prefix=NOWHERE
// RUN: pgopt-opt %s --schedule-list="count=2 distance=near" -o /dev/null

// On tensors kernels are formed on a copy.
// RUN: pgopt-opt %S/../networks/branching-cnn.mlir --schedule-report="count=2 store=none report-output=%t.net" -o %t.net.mlir 2>/dev/null
// RUN: pgopt-opt %S/../networks/branching-cnn.mlir -o %t.net.in.mlir && cmp %t.net.in.mlir %t.net.mlir
// RUN: FileCheck %s --check-prefix=NETWORK < %t.net

// FAR: schedules of @two_chains: 5 kernels on 2 cores, distance far: a signal 7000 ns, a wait or signal its core 10 ns, 1000 bytes across 25 ns
// FAR-NEXT: policy cores makespan, us of bound waits signals bytes across memory load per core, us
// FAR-NEXT: sequential 1 190.00 1.267 0 0 0 {{[0-9]+}} 190.00
// Round robin: b0 and b1 stay on core 0, a0 is on core 1 and a1 too, a2 on core
// 0: 100 + a signal 10 + 7000 + a wait 10 + 140 bytes 3.5 ns + 50 us.
// FAR-NEXT: round-robin 2 157.02 1.047 1 1 140 {{[0-9]+}} 90.00 100.00
// By Timing: b0 core 0, a0 core 1, b1 core 0, a1 core 0 (40 against 50), a2 core 1.
// FAR-NEXT: timed-round-robin 2 {{[0-9.]+}} {{[0-9.]+}} 2 2 280 {{[0-9]+}} 90.00 100.00
// FAR-NEXT: list 2 150.00 1.000 0 0 0 {{[0-9]+}} 150.00 40.00
// FAR-NEXT: bound: 150.00 us, the larger of the critical path, 150.00 us, and all work, 190.00 us, by 2
// FAR-NEXT: memory: bytes of the values between kernels in one arena, {{[0-9]+}} with memory of their own
// FAR-NEXT: best: list

// NEAR: distance near: a signal 90 ns
// NEAR: round-robin 2 150.11

// JSON:      "distance": "far",
// JSON:      "schedules": [
// JSON-NEXT: {"policy": "sequential", "cores": 1, "makespan_ns": 190000.000, "of_bound": 1.266667, "waits": 0, "signals": 0, "edges_across": 0, "bytes_across": 0, "arena_bytes": {{[0-9]+}}, "load_ns": [190000.000]},
// JSON-NEXT: {"policy": "round-robin", {{.*}}},
// JSON-NEXT: {"policy": "timed-round-robin", {{.*}}},
// JSON-NEXT: {"policy": "list", {{.*}}}
// JSON-NEXT: ],
// JSON-NEXT: "best": "list"

// FORM: error: report is 'text'; it must be table or json
// DISTANCE: error: distance is '2'; it must be far or near
// NOWHERE: error: distance is ''; it must be far or near

// NETWORK: schedules of @{{.*}} kernels on 2 cores
// NETWORK: kernels without measured Timing:

module attributes {pg.machine = {latency_min_ns = 90 : i64, latency_max_ns = 7000 : i64}} {
  func.func private @step(%x: memref<7x5xf32> {pg.access = {mode = "read"}}, %y: memref<7x5xf32> {pg.access = {mode = "write"}},
                          %lo: index, %hi: index) attributes {no_inline, pg.kernel = "step"} {
    return
  }
  func.func @two_chains(%in: memref<7x5xf32>) -> (memref<7x5xf32>, memref<7x5xf32>) {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %b0 = memref.alloc() {alignment = 64 : i64} : memref<7x5xf32>
    %b1 = memref.alloc() {alignment = 64 : i64} : memref<7x5xf32>
    %a0 = memref.alloc() {alignment = 64 : i64} : memref<7x5xf32>
    %a1 = memref.alloc() {alignment = 64 : i64} : memref<7x5xf32>
    %a2 = memref.alloc() {alignment = 64 : i64} : memref<7x5xf32>
    call @step(%in, %b0, %c0, %c1) {pg.layer = "b0", pg.timing = {median_ns = 20000 : i64, min_ns = 20000 : i64, mad_ns = 0 : i64, runs = 9 : i64, source = "in-place"}} : (memref<7x5xf32>, memref<7x5xf32>, index, index) -> ()
    call @step(%in, %a0, %c0, %c1) {pg.layer = "a0", pg.timing = {median_ns = 50000 : i64, min_ns = 50000 : i64, mad_ns = 0 : i64, runs = 9 : i64, source = "in-place"}} : (memref<7x5xf32>, memref<7x5xf32>, index, index) -> ()
    call @step(%b0, %b1, %c0, %c1) {pg.layer = "b1", pg.timing = {median_ns = 20000 : i64, min_ns = 20000 : i64, mad_ns = 0 : i64, runs = 9 : i64, source = "in-place"}} : (memref<7x5xf32>, memref<7x5xf32>, index, index) -> ()
    call @step(%a0, %a1, %c0, %c1) {pg.layer = "a1", pg.timing = {median_ns = 50000 : i64, min_ns = 50000 : i64, mad_ns = 0 : i64, runs = 9 : i64, source = "in-place"}} : (memref<7x5xf32>, memref<7x5xf32>, index, index) -> ()
    call @step(%a1, %a2, %c0, %c1) {pg.layer = "a2", pg.timing = {median_ns = 50000 : i64, min_ns = 50000 : i64, mad_ns = 0 : i64, runs = 9 : i64, source = "in-place"}} : (memref<7x5xf32>, memref<7x5xf32>, index, index) -> ()
    return %a2, %b1 : memref<7x5xf32>, memref<7x5xf32>
  }
}
