// Two schedules in one entry: a, then b and c side by side, then d, of 50, 50,
// 50 and 20 us. Dealt out, b and d on the other core, 120 us and one signal,
// alone 170 us: a signal may take a third of 50 us, since a launch needs two
// more, and less what waiting and reading cost.

// RUN: pgopt-opt %s --schedule-auto="count=2 confirm=false distance=both check=true" -o %t.mlir 2>%t.err
// RUN: FileCheck %s --check-prefix=SAYS < %t.err
// RUN: FileCheck %s < %t.mlir

// SAYS: remark: round-robin on 2 cores, predicted 120.13 us against 170.00 us sequential, not measured: kept beside the sequential program, for signals of at most 16653 ns
// SAYS: remark: round-robin schedule of 4 kernels on 2 cores
// SAYS: remark: sequential schedule of 4 kernels on 1 core

// CHECK: func.func private @net_near(
// CHECK: func.func private @net_sequential(
// CHECK: func.func private @net_near_core0(
// CHECK: func.func private @net_near_core1(
// CHECK: func.func private @net_sequential_core0(
// CHECK: func.func private @pgopt_rt_core_latency() -> i64
// CHECK-LABEL: func.func @net(
// CHECK-NEXT: %[[LATENCY:.*]] = call @pgopt_rt_core_latency() : () -> i64
// CHECK-NEXT: %[[LIMIT:.*]] = arith.constant 16653 : i64
// CHECK-NEXT: %[[CLOSE:.*]] = arith.cmpi sle, %[[LATENCY]], %[[LIMIT]] : i64
// CHECK-NEXT: scf.if %[[CLOSE]] -> (memref<7x5xf32>) {
// CHECK-NEXT:   func.call @net_near(%arg0)
// CHECK-NEXT:   scf.yield
// CHECK-NEXT: } else {
// CHECK-NEXT:   func.call @net_sequential(%arg0)

// The same numbers, whatever it chooses: as it is, always and never near.
// RUN: pgopt-runner %t.mlir --compare=%s
// RUN: sed 's/constant 16653 : i64/constant 9223372036854775807 : i64/' %t.mlir > %t.near.mlir
// RUN: sed 's/constant 16653 : i64/constant -1 : i64/' %t.mlir > %t.far.mlir
// RUN: pgopt-runner %t.near.mlir --compare=%s
// RUN: pgopt-runner %t.far.mlir --compare=%s
// RUN: pgopt-opt %t.mlir --pgopt-lower=plan-memory=false -o %t.unplanned.mlir
// RUN: pgopt-runner %t.unplanned.mlir --compare=%s

// One arena, which each of them has a plan for; two kinds of launches.
// RUN: pgopt-opt %t.mlir --pgopt-lower -o %t.lowered.mlir 2>%t.err
// RUN: FileCheck %s --check-prefix=LOWERED < %t.lowered.mlir
// RUN: FileCheck %s --check-prefix=PLANS < %t.err
// PLANS-COUNT-2: remark: memory plan: {{[0-9]}} values in {{[0-9]+}} bytes
// LOWERED-LABEL: llvm.func @net(
// LOWERED: llvm.call @pgopt_rt_arena
// LOWERED: llvm.call @pgopt_rt_core_latency
// LOWERED: llvm.call @pgopt_rt_launch
// LOWERED: llvm.func @net_launch(
// LOWERED: llvm.func @net_launch_0(
// LOWERED-NOT: llvm.call @pgopt_rt_arena

// What shows one schedule shows the one for the distance, or that was taken.
// RUN: pgopt-runner --simulate --distance=near %t.mlir | FileCheck %s --check-prefix=NEAR
// RUN: pgopt-runner --simulate %t.mlir | FileCheck %s --check-prefix=FAR
// NEAR: the module's schedule: 4 kernels on 2 of 2 resources, makespan 120.
// FAR: the module's schedule: 4 kernels on 1 of 2 resources, makespan 170.000 us
// RUN: pgopt-opt %t.mlir --profile-graph="format=json distance=near output=%t.near.json" -o %t.same.mlir
// RUN: pgopt-opt %t.mlir --profile-graph="format=json output=%t.far.json" -o /dev/null
// RUN: FileCheck %s --check-prefix=GRAPH2 < %t.near.json
// RUN: FileCheck %s --check-prefix=GRAPH1 < %t.far.json
// RUN: cmp %t.mlir %t.same.mlir
// GRAPH2: "core": 1
// GRAPH1-NOT: "core": 1
// RUN: pgopt-runner %t.near.mlir --trace=%t.near.json
// RUN: FileCheck %s --check-prefix=GANTT2 < %t.near.json
// RUN: pgopt-runner %t.far.mlir --trace=%t.far.json
// RUN: FileCheck %s --check-prefix=GANTT1 < %t.far.json
// GANTT2: "core 1"
// GANTT1-NOT: "core 1"

// What is no choice of two schedules; what cannot be made one.
// RUN: not pgopt-opt %s --schedule-list="count=2 distance=both" 2>&1 -o /dev/null | FileCheck %s --check-prefix=LIST
// RUN: not pgopt-opt %s --schedule-auto="count=2 distance=both outline=false" 2>&1 -o /dev/null | FileCheck %s --check-prefix=OUTLINE
// RUN: not pgopt-opt %t.mlir --schedule-rr=count=2 2>&1 -o /dev/null | FileCheck %s --check-prefix=TWICE
// RUN: not pgopt-opt %t.mlir --pgopt-lower=instrument=true 2>&1 -o /dev/null | FileCheck %s --check-prefix=TIMERS
// RUN: sed 's/cmpi sle/cmpi slt/' %t.mlir > %t.broken.mlir
// RUN: not pgopt-opt %t.broken.mlir --pgopt-lower 2>&1 -o /dev/null | FileCheck %s --check-prefix=BROKEN
// LIST: error: distance is 'both'; it must be far or near
// OUTLINE: error: distance=both keeps two schedules in functions of their own
// TWICE: error: has one function a core already
// TIMERS: error: instrument times a sequential program
// BROKEN: error: is not a choice of two schedules

module attributes {pg.machine = {latency_min_ns = 90 : i64, latency_max_ns = 200 : i64}} {
  func.func private @step(%x: memref<7x5xf32> {pg.access = {mode = "read"}}, %y: memref<7x5xf32> {pg.access = {mode = "write"}},
                          %lo: index, %hi: index) attributes {no_inline, pg.kernel = "step", pg.signature = "step"} {
    linalg.exp ins(%x : memref<7x5xf32>) outs(%y : memref<7x5xf32>)
    return
  }
  func.func private @join(%x: memref<7x5xf32> {pg.access = {mode = "read"}}, %y: memref<7x5xf32> {pg.access = {mode = "read"}},
                          %z: memref<7x5xf32> {pg.access = {mode = "write"}},
                          %lo: index, %hi: index) attributes {no_inline, pg.kernel = "join", pg.signature = "join"} {
    linalg.sub ins(%x, %y : memref<7x5xf32>, memref<7x5xf32>) outs(%z : memref<7x5xf32>)
    return
  }
  func.func @net(%in: memref<7x5xf32>) -> memref<7x5xf32> {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %a = memref.alloc() {alignment = 64 : i64} : memref<7x5xf32>
    %b = memref.alloc() {alignment = 64 : i64} : memref<7x5xf32>
    %c = memref.alloc() {alignment = 64 : i64} : memref<7x5xf32>
    %d = memref.alloc() {alignment = 64 : i64} : memref<7x5xf32>
    call @step(%in, %a, %c0, %c1) {pg.layer = "a", pg.timing = {median_ns = 50000 : i64, min_ns = 50000 : i64, mad_ns = 0 : i64, runs = 9 : i64, source = "in-place"}} : (memref<7x5xf32>, memref<7x5xf32>, index, index) -> ()
    call @step(%a, %b, %c0, %c1) {pg.layer = "b", pg.timing = {median_ns = 50000 : i64, min_ns = 50000 : i64, mad_ns = 0 : i64, runs = 9 : i64, source = "in-place"}} : (memref<7x5xf32>, memref<7x5xf32>, index, index) -> ()
    call @join(%a, %in, %c, %c0, %c1) {pg.layer = "c", pg.timing = {median_ns = 50000 : i64, min_ns = 50000 : i64, mad_ns = 0 : i64, runs = 9 : i64, source = "in-place"}} : (memref<7x5xf32>, memref<7x5xf32>, memref<7x5xf32>, index, index) -> ()
    call @join(%b, %c, %d, %c0, %c1) {pg.layer = "d", pg.timing = {median_ns = 20000 : i64, min_ns = 20000 : i64, mad_ns = 0 : i64, runs = 9 : i64, source = "in-place"}} : (memref<7x5xf32>, memref<7x5xf32>, memref<7x5xf32>, index, index) -> ()
    return %d : memref<7x5xf32>
  }
}
