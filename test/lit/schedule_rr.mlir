// Dealing, waits and signals, and the functions of the cores. Two matmul-like
// layers: the first in two ranges of a 7 x 5 array, the second one whole.

// RUN: pgopt-opt %s --schedule-rr="entry=forward count=2 check=true" 2>/dev/null | FileCheck %s
// RUN: pgopt-opt %s --schedule-rr="entry=forward count=2 outline=false" 2>/dev/null | FileCheck %s --check-prefix=MARKS
// RUN: pgopt-opt %s --schedule-rr="entry=forward count=1 check=true" 2>/dev/null | FileCheck %s --check-prefix=SINGLE
// RUN: pgopt-opt %s --schedule-rr="entry=forward count=7 check=true" 2>/dev/null | FileCheck %s --check-prefix=MANY
// RUN: pgopt-opt %s --schedule-rr="entry=chain" 2>/dev/null | FileCheck %s --check-prefix=CHAIN
// RUN: pgopt-opt %s --schedule-rr="entry=forward resources=pes count=3" 2>/dev/null | FileCheck %s --check-prefix=PES
// RUN: pgopt-opt %s --schedule-rr="entry=forward resources=threads count=2" 2>/dev/null | FileCheck %s --check-prefix=THREADS
// RUN: pgopt-opt %s --schedule-rr="entry=forward count=2" -mlir-pass-statistics -o /dev/null 2>&1 | FileCheck %s --check-prefix=STATISTICS
// RUN: pgopt-opt %s --schedule-rr="entry=chain count=2" 2>/dev/null | FileCheck %s --check-prefix=ALTERNATE
// RUN: mlir-opt %s --load-pass-plugin=%pgopt_plugin --pass-pipeline='builtin.module(schedule-rr{entry=forward count=2 check=true})' 2>/dev/null | FileCheck %s

// What is scheduled twice from equal input is equal, and so is what a later
// process reads of it.
// RUN: pgopt-opt %s --schedule-rr="entry=forward count=2" -o %t.one.mlir 2>/dev/null
// RUN: pgopt-opt %s --schedule-rr="entry=forward count=2 outline=false" 2>/dev/null | pgopt-opt --schedule-rr="entry=forward check=true" -o %t.two.mlir 2>/dev/null
// RUN: cmp %t.one.mlir %t.two.mlir

func.func private @double(%x: memref<7x5xf32> {pg.access = {mode = "read", dim = 0 : i64, scale = 1 : i64, window = 1 : i64}},
                          %y: memref<7x5xf32> {pg.access = {mode = "write", dim = 0 : i64, scale = 1 : i64, window = 1 : i64}},
                          %lo: index, %hi: index) attributes {no_inline, pg.kernel = "double"} {
  return
}
func.func private @sum(%x: memref<35xf32> {pg.access = {mode = "read"}}, %w: memref<35xf32> {pg.access = {mode = "read"}},
                       %y: memref<35xf32> {pg.access = {mode = "write"}},
                       %lo: index, %hi: index) attributes {no_inline, pg.kernel = "sum"} {
  return
}
memref.global "private" constant @weights : memref<35xf32> = dense<2.0>

// CHECK: module attributes {pg.resources = {count = 2 : i64, kind = "cores"}}
// CHECK: memref.global "private" constant @weights
// CHECK-LABEL: func.func @forward(
// CHECK-SAME:    %[[IN:.*]]: memref<7x5xf32>) -> memref<35xf32>
// CHECK-NEXT:  %[[MID:.*]] = memref.alloc() {alignment = 64 : i64} : memref<7x5xf32>
// CHECK-NEXT:  %[[FLAT:.*]] = memref.collapse_shape %[[MID]]
// CHECK-NEXT:  %[[OUT:.*]] = memref.alloc() {alignment = 64 : i64} : memref<35xf32>
// CHECK-NEXT:  %[[W:.*]] = memref.get_global @weights
// CHECK-NEXT:  %[[ZERO:.*]] = arith.constant 0 : index
// CHECK-NEXT:  %[[TWO:.*]] = arith.constant 2 : index
// CHECK-NEXT:  %[[ONE:.*]] = arith.constant 1 : index
// CHECK-NEXT:  scf.parallel (%[[CORE:.*]]) = (%[[ZERO]]) to (%[[TWO]]) step (%[[ONE]]) {
// CHECK-NEXT:    scf.index_switch %[[CORE]]
// CHECK-NEXT:    case 0 {
// CHECK-NEXT:      func.call @forward_core0(%[[IN]], %[[MID]], %[[FLAT]], %[[W]], %[[OUT]])
// CHECK-NEXT:      scf.yield
// CHECK-NEXT:    }
// CHECK-NEXT:    default {
// CHECK-NEXT:      func.call @forward_core1(%[[IN]], %[[MID]])
// CHECK-NEXT:    }
// CHECK-NEXT:    scf.reduce
// CHECK-NEXT:  }
// CHECK-NEXT:  return %[[OUT]] : memref<35xf32>
// CHECK: func.func private @pgopt_rt_wait(i64, i64)
// CHECK: func.func private @pgopt_rt_signal(i64)
// Core 0 gets rows 0 to 3 and, behind core 1, all of the second layer.
// CHECK-LABEL: func.func private @forward_core0(
// CHECK-SAME:    %[[A:.*]]: memref<7x5xf32>, %[[B:.*]]: memref<7x5xf32>, %[[C:.*]]: memref<35xf32>, %[[D:.*]]: memref<35xf32>, %[[E:.*]]: memref<35xf32>) attributes {no_inline, pg.core = 0 : i64}
// CHECK-DAG:   %[[LO:.*]] = arith.constant 0 : index
// CHECK-DAG:   %[[HI:.*]] = arith.constant 4 : index
// CHECK-DAG:   %[[LAST:.*]] = arith.constant 1 : index
// CHECK:       call @double(%[[A]], %[[B]], %[[LO]], %[[HI]]) {pg.bytes = 160 : i64, pg.core = 0 : i64, pg.layer = "double", pg.lflops = 20 : i64, pg.part = 0 : i64, pg.parts = 2 : i64, pg.phase = "main", pg.slot = 0 : i64}
// CHECK-NEXT:  %[[I:.*]] = arith.constant 1 : i64
// CHECK-NEXT:  call @pgopt_rt_wait(%[[I]], %[[I]]) : (i64, i64) -> ()
// CHECK-NEXT:  call @sum(%[[C]], %[[D]], %[[E]], %[[LO]], %[[LAST]]) {pg.core = 0 : i64, pg.layer = "sum", pg.slot = 1 : i64}
// CHECK-NEXT:  return
// CHECK-LABEL: func.func private @forward_core1(
// CHECK:       call @double({{.*}}) {{{.*}}pg.core = 1 : i64, {{.*}}pg.part = 1 : i64, {{.*}}pg.slot = 0 : i64}
// CHECK-NEXT:  %[[J:.*]] = arith.constant 1 : i64
// CHECK-NEXT:  call @pgopt_rt_signal(%[[J]]) : (i64) -> ()
// CHECK-NEXT:  return

// MARKS: pg.resources = {count = 2 : i64, kind = "cores"}
// MARKS-LABEL: func.func @forward(
// MARKS: call @double({{.*}}pg.core = 0 : i64{{.*}}pg.slot = 0 : i64
// MARKS: call @double({{.*}}pg.core = 1 : i64{{.*}}pg.slot = 0 : i64
// MARKS: call @sum({{.*}}pg.core = 0 : i64{{.*}}pg.slot = 1 : i64
// MARKS-LABEL: func.func private @chain(
// MARKS-NOT: _core0

// One core needs neither waits nor signals; its list is the program.
// SINGLE: pg.resources = {count = 1 : i64, kind = "cores"}
// SINGLE-NOT: pgopt_rt_
// SINGLE-LABEL: func.func @forward(
// SINGLE: scf.index_switch
// SINGLE-NEXT: default {
// SINGLE-NEXT: func.call @forward_core0
// SINGLE-NOT: pgopt_rt_
// SINGLE-LABEL: func.func private @forward_core0
// SINGLE: call @double
// SINGLE-NEXT: call @double
// SINGLE-NEXT: call @sum
// SINGLE-NEXT: return
// SINGLE-NOT: _core1

// More cores than kernels: as many functions as kernels.
// MANY: pg.resources = {count = 7 : i64, kind = "cores"}
// MANY: arith.constant 3 : index
// MANY-LABEL: func.func private @forward_core2
// MANY: call @pgopt_rt_wait
// MANY: call @pgopt_rt_wait
// MANY: call @sum
// MANY-NOT: _core3

// A chain can use one core, whatever the machine has.
// CHAIN: pg.resources = {count = 1 : i64, kind = "cores"}
// CHAIN-LABEL: func.func private @chain_core0
// CHAIN-NOT: @chain_core1

// An order is obeyed, and a chain changes its core at every kernel.
// ALTERNATE-LABEL: func.func private @chain_core0
// ALTERNATE:      call @double({{.*}}pg.slot = 0
// ALTERNATE:      call @pgopt_rt_signal
// ALTERNATE:      call @pgopt_rt_wait
// ALTERNATE-NEXT: call @double({{.*}}pg.slot = 1
// ALTERNATE-NEXT: return
// ALTERNATE-LABEL: func.func private @chain_core1
// ALTERNATE:      call @pgopt_rt_wait
// ALTERNATE-NEXT: call @double({{.*}}pg.slot = 0
// ALTERNATE-NEXT: call @pgopt_rt_signal
// ALTERNATE-NEXT: return

// PES: pg.resources = {count = 3 : i64, kind = "pes"}
// PES: @forward_core2(
// THREADS: pg.resources = {count = 2 : i64, kind = "threads"}

// The second layer reads 20 elements of core 0 itself and 15 of core 1.
// STATISTICS: (S) 3 kernels
// STATISTICS: (S) 0 barriers
// STATISTICS: (S) 2 cores
// STATISTICS: (S) 1 waits
// STATISTICS: (S) 1 signals
// STATISTICS: (S) 1 edges-across
// STATISTICS: (S) 60 bytes-across
func.func @forward(%in: memref<7x5xf32>) -> memref<35xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %c7 = arith.constant 7 : index
  %mid = memref.alloc() {alignment = 64 : i64} : memref<7x5xf32>
  call @double(%in, %mid, %c0, %c4) {pg.bytes = 160 : i64, pg.layer = "double", pg.lflops = 20 : i64, pg.part = 0 : i64, pg.parts = 2 : i64, pg.phase = "main"}
    : (memref<7x5xf32>, memref<7x5xf32>, index, index) -> ()
  call @double(%in, %mid, %c4, %c7) {pg.bytes = 120 : i64, pg.layer = "double", pg.lflops = 15 : i64, pg.part = 1 : i64, pg.parts = 2 : i64, pg.phase = "main"}
    : (memref<7x5xf32>, memref<7x5xf32>, index, index) -> ()
  %flat = memref.collapse_shape %mid [[0, 1]] : memref<7x5xf32> into memref<35xf32>
  %out = memref.alloc() {alignment = 64 : i64} : memref<35xf32>
  %w = memref.get_global @weights : memref<35xf32>
  call @sum(%flat, %w, %out, %c0, %c1) {pg.layer = "sum"} : (memref<35xf32>, memref<35xf32>, memref<35xf32>, index, index) -> ()
  return %out : memref<35xf32>
}

func.func private @chain(%in: memref<7x5xf32>) -> memref<7x5xf32> {
  %c0 = arith.constant 0 : index
  %c7 = arith.constant 7 : index
  %a = memref.alloc() : memref<7x5xf32>
  %b = memref.alloc() : memref<7x5xf32>
  %c = memref.alloc() : memref<7x5xf32>
  call @double(%in, %a, %c0, %c7) : (memref<7x5xf32>, memref<7x5xf32>, index, index) -> ()
  call @double(%a, %b, %c0, %c7) : (memref<7x5xf32>, memref<7x5xf32>, index, index) -> ()
  call @double(%b, %c, %c0, %c7) : (memref<7x5xf32>, memref<7x5xf32>, index, index) -> ()
  return %c : memref<7x5xf32>
}
