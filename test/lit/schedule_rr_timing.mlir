// Kernels dealt by Timing. What is dealt so far, in us: the first kernel goes to
// core 0 (50, 0), the second to core 1 (50, 20), the third to core 1 as core 0
// has more (50, 40), the fourth to core 1 (50, 60), the fifth to core 0.

// RUN: pgopt-opt %s --schedule-rr="weights=timing count=2 check=true" 2>%t.err | FileCheck %s
// RUN: FileCheck %s --check-prefix=REMARK < %t.err
// RUN: pgopt-opt %s --schedule-rr="count=2" 2>/dev/null | FileCheck %s --check-prefix=EQUAL
// RUN: pgopt-opt %s --schedule-rr="weights=equal count=2" -o %t.equal.mlir 2>/dev/null
// RUN: pgopt-opt %s --schedule-rr="count=2" -o %t.default.mlir 2>/dev/null
// RUN: cmp %t.equal.mlir %t.default.mlir
// RUN: not pgopt-opt %s --schedule-rr="weights=lflops" -o /dev/null 2>&1 | FileCheck %s --check-prefix=BAD

func.func private @step(%x: memref<7x5xf32> {pg.access = {mode = "read"}}, %y: memref<7x5xf32> {pg.access = {mode = "write"}},
                        %lo: index, %hi: index) attributes {no_inline, pg.kernel = "step"} {
  return
}

// REMARK: remark: timed-round-robin schedule of 5 kernels on 2 cores: predicted makespan 90000 ns, sequential 150000 ns, critical path 50000 ns, load per core 90000 60000 ns, 0 bytes across cores
// BAD: error: weights is 'lflops'; it must be equal or timing

// CHECK-LABEL: func.func private @five_core0(
// CHECK:         call @step{{.*}}pg.layer = "a"{{.*}}pg.slot = 0
// CHECK-NEXT:    call @step{{.*}}pg.layer = "e"{{.*}}pg.slot = 1
// CHECK-NEXT:    return
// CHECK-LABEL: func.func private @five_core1(
// CHECK:         call @step{{.*}}pg.layer = "b"{{.*}}pg.slot = 0
// CHECK-NEXT:    call @step{{.*}}pg.layer = "c"{{.*}}pg.slot = 1
// CHECK-NEXT:    call @step{{.*}}pg.layer = "d"{{.*}}pg.slot = 2
// CHECK-NEXT:    return

// EQUAL-LABEL: func.func private @five_core0(
// EQUAL:         pg.layer = "a"
// EQUAL-NEXT:    pg.layer = "c"
// EQUAL-NEXT:    pg.layer = "e"
// EQUAL-LABEL: func.func private @five_core1(

func.func @five(%in: memref<7x5xf32>, %a: memref<7x5xf32>, %b: memref<7x5xf32>, %c: memref<7x5xf32>, %d: memref<7x5xf32>, %e: memref<7x5xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  call @step(%in, %a, %c0, %c1) {pg.layer = "a", pg.timing = {median_ns = 50000 : i64, min_ns = 50000 : i64, mad_ns = 0 : i64, runs = 9 : i64, source = "in-place"}} : (memref<7x5xf32>, memref<7x5xf32>, index, index) -> ()
  call @step(%in, %b, %c0, %c1) {pg.layer = "b", pg.timing = {median_ns = 20000 : i64, min_ns = 20000 : i64, mad_ns = 0 : i64, runs = 9 : i64, source = "in-place"}} : (memref<7x5xf32>, memref<7x5xf32>, index, index) -> ()
  call @step(%in, %c, %c0, %c1) {pg.layer = "c", pg.timing = {median_ns = 20000 : i64, min_ns = 20000 : i64, mad_ns = 0 : i64, runs = 9 : i64, source = "in-place"}} : (memref<7x5xf32>, memref<7x5xf32>, index, index) -> ()
  call @step(%in, %d, %c0, %c1) {pg.layer = "d", pg.timing = {median_ns = 20000 : i64, min_ns = 20000 : i64, mad_ns = 0 : i64, runs = 9 : i64, source = "in-place"}} : (memref<7x5xf32>, memref<7x5xf32>, index, index) -> ()
  call @step(%in, %e, %c0, %c1) {pg.layer = "e", pg.timing = {median_ns = 40000 : i64, min_ns = 40000 : i64, mad_ns = 0 : i64, runs = 9 : i64, source = "in-place"}} : (memref<7x5xf32>, memref<7x5xf32>, index, index) -> ()
  return
}
