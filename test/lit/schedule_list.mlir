// Two chains of calls with Timing. The list keeps a chain on the core that it
// began on, the long one first; round robin deals them across.

// RUN: pgopt-opt %s --schedule-list="count=2 check=true" 2>%t.err | FileCheck %s
// RUN: FileCheck %s --check-prefix=REMARK < %t.err
// RUN: pgopt-opt %s --schedule-rr="count=2" 2>&1 -o /dev/null | FileCheck %s --check-prefix=DEALT
// RUN: pgopt-opt %s --schedule-list="count=1 check=true" 2>/dev/null | FileCheck %s --check-prefix=SINGLE
// RUN: not pgopt-opt %s --schedule-list="count=0" 2>&1 -o /dev/null | FileCheck %s --check-prefix=NONE
// RUN: mlir-opt %s --load-pass-plugin=%pgopt_plugin --pass-pipeline='builtin.module(schedule-list{count=2})' 2>/dev/null | FileCheck %s

// What is scheduled twice from equal input is equal.
// RUN: pgopt-opt %s --schedule-list="count=2" -o %t.one.mlir 2>/dev/null
// RUN: pgopt-opt %s --schedule-list="count=2 outline=false" 2>/dev/null | pgopt-opt --schedule-list="check=true" -o %t.two.mlir 2>/dev/null
// RUN: cmp %t.one.mlir %t.two.mlir

func.func private @step(%x: memref<7x5xf32> {pg.access = {mode = "read"}}, %y: memref<7x5xf32> {pg.access = {mode = "write"}},
                        %lo: index, %hi: index) attributes {no_inline, pg.kernel = "step"} {
  return
}

// REMARK: remark: list schedule of 5 kernels on 2 cores: predicted makespan 150000 ns, sequential 190000 ns, {{.*}}, 0 bytes across cores
// DEALT: remark: round-robin schedule of 5 kernels on 2 cores: {{.*}}, 140 bytes across cores

// CHECK-LABEL: func.func private @two_chains_core0(
// CHECK:         call @step{{.*}}pg.layer = "a0"{{.*}}pg.slot = 0
// CHECK-NEXT:    call @step{{.*}}pg.layer = "a1"{{.*}}pg.slot = 1
// CHECK-NEXT:    call @step{{.*}}pg.layer = "a2"{{.*}}pg.slot = 2
// CHECK-NEXT:    return
// CHECK-LABEL: func.func private @two_chains_core1(
// CHECK:         call @step{{.*}}pg.layer = "b0"{{.*}}pg.slot = 0
// CHECK-NEXT:    call @step{{.*}}pg.layer = "b1"{{.*}}pg.slot = 1
// CHECK-NEXT:    return

// SINGLE-LABEL: func.func private @two_chains_core0(
// SINGLE-COUNT-5: call @step
// SINGLE-NOT:   pgopt_rt_wait
// NONE: error: {{.*}}count

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
