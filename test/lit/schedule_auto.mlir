// The gate. The kernels do nothing, whatever their Timing says: a schedule is
// predicted to be faster, and a trial run shows that it is not.

// RUN: rm -f %t.store
// RUN: pgopt-opt %s --split-input-file --schedule-auto="count=2 confirm=false check=true" -o %t.kept.mlir 2>%t.err
// RUN: FileCheck %s --check-prefix=KEPT < %t.err
// RUN: FileCheck %s --check-prefix=CORES < %t.kept.mlir
// RUN: pgopt-opt %s --split-input-file --schedule-auto="count=2 confirm=false" 2>/dev/null | cmp - %t.kept.mlir
// RUN: pgopt-opt %s --split-input-file --schedule-auto="count=2 budget=20ms store=%t.store" -o %t.one.mlir 2>%t.err
// RUN: FileCheck %s --check-prefix=MEASURED < %t.err
// RUN: FileCheck %s --check-prefix=SEQUENTIAL < %t.one.mlir

// The store has the verdict: it is not measured again, not even asked for.
// RUN: pgopt-opt %s --split-input-file --schedule-auto="count=2 confirm=false store=%t.store" -o %t.two.mlir 2>%t.err
// RUN: FileCheck %s --check-prefix=STORED < %t.err
// RUN: cmp %t.one.mlir %t.two.mlir

// Another verdict, another program.
// RUN: pgopt-runner --show-store=%t.store | sed 's/"chosen": 0/"chosen": 1/' > %t.other.store
// RUN: pgopt-opt %s --split-input-file --schedule-auto="count=2 store=%t.other.store" -o %t.three.mlir 2>%t.err
// RUN: FileCheck %s --check-prefix=OTHER < %t.err
// RUN: FileCheck %s --check-prefix=CORES < %t.three.mlir

// One resource, and resources that are not of this machine.
// RUN: pgopt-opt %s --split-input-file --schedule-auto="count=1" -o /dev/null 2>&1 | FileCheck %s --check-prefix=ONE
// RUN: pgopt-opt %s --split-input-file --schedule-auto="count=2 resources=pes" -o /dev/null 2>&1 | FileCheck %s --check-prefix=PES
// RUN: not pgopt-opt %s --split-input-file --schedule-auto="budget=soon" -o /dev/null 2>&1 | FileCheck %s --check-prefix=BUDGET
// RUN: not pgopt-opt %s --split-input-file --schedule-auto="run-limit=1" -o /dev/null 2>&1 | FileCheck %s --check-prefix=LIMIT

// KEPT: remark: list on 2 cores, predicted 150.00 us against 190.00 us sequential, not measured: kept
// KEPT: remark: list schedule of 5 kernels on 2 cores:
// KEPT: remark: sequential, predicted 0.40 us: no schedule on 2 cores is predicted to be faster
// KEPT: remark: sequential schedule of 2 kernels on 1 core:
// KEPT: remark: has no kernel calls, there is nothing to schedule

// CORES: func.func private @two_chains_core0(
// CORES: func.func private @two_chains_core1(
// CORES: func.func private @chain_core0(
// CORES-NOT: @chain_core1

// MEASURED: remark: sequential, not list on 2 cores, predicted 150.00 us against 190.00 us sequential, measured {{[0-9.]+}} us against {{[0-9.]+}} us, {{[0-9.]+}} of it, p = {{.*}}, {{[0-9]+}} pairs of runs; a signal took {{[0-9]+}} to {{[0-9]+}} ns before the runs, {{[0-9]+}} to {{[0-9]+}} ns after them: not faster
// MEASURED: remark: sequential schedule of 5 kernels on 1 core: predicted makespan 190000 ns
// MEASURED: remark: sequential, predicted 0.40 us: no schedule on 2 cores

// SEQUENTIAL: func.func private @two_chains_core0(
// SEQUENTIAL-COUNT-5: call @step
// SEQUENTIAL-NOT: @two_chains_core1

// STORED: remark: sequential, not list on 2 cores, {{.*}}, measured before, {{[0-9.]+}} of it, p = {{.*}}, {{[0-9]+}} pairs of runs: not faster
// OTHER: remark: list on 2 cores, {{.*}}, measured before, {{.*}}: kept
// ONE: remark: sequential, predicted 190.00 us: no schedule on 1 core is predicted to be faster
// PES: remark: list on 2 cores, {{.*}}, not measured: kept
// BUDGET: error: budget: 'soon' is not a time
// LIMIT: error: run-limit: '1' is not a time

module attributes {pg.machine = {latency_min_ns = 90 : i64, latency_max_ns = 200 : i64}} {
  func.func private @step(%x: memref<7x5xf32> {pg.access = {mode = "read"}}, %y: memref<7x5xf32> {pg.access = {mode = "write"}},
                          %lo: index, %hi: index) attributes {no_inline, pg.kernel = "step", pg.signature = "step"} {
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

// -----

func.func private @step(%x: memref<5x3xf32> {pg.access = {mode = "read"}},
                        %y: memref<5x3xf32> {pg.access = {mode = "write"}},
                        %lo: index, %hi: index) attributes {no_inline, pg.kernel = "step"} {
  return
}
func.func @chain(%in: memref<5x3xf32>) -> memref<5x3xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %a = memref.alloc() : memref<5x3xf32>
  %b = memref.alloc() : memref<5x3xf32>
  call @step(%in, %a, %c0, %c1) {pg.timing = {median_ns = 300 : i64, min_ns = 290 : i64, mad_ns = 7 : i64, runs = 11 : i64, source = "in-place"}}
    : (memref<5x3xf32>, memref<5x3xf32>, index, index) -> ()
  call @step(%a, %b, %c0, %c1) {pg.timing = {median_ns = 100 : i64, min_ns = 90 : i64, mad_ns = 7 : i64, runs = 11 : i64, source = "in-place"}}
    : (memref<5x3xf32>, memref<5x3xf32>, index, index) -> ()
  return %b : memref<5x3xf32>
}

// -----

func.func @nothing(%in: memref<5x3xf32>) -> memref<5x3xf32> {
  return %in : memref<5x3xf32>
}
