// Side effects keep their place: before and behind the kernels in the entry,
// between kernels on core 0. What they compute for others goes through a cell.

// RUN: pgopt-opt %s --schedule-rr="count=2 check=true" -mlir-pass-statistics 2>%t.err | FileCheck %s
// RUN: FileCheck %s --check-prefix=STATISTICS --input-file=%t.err
// RUN: pgopt-opt %s --schedule-rr=count=2 2>/dev/null | pgopt-opt --profile-graph=format=json -o /dev/null 2>&1 | FileCheck %s --check-prefix=GRAPH

func.func private @now() -> i64
func.func private @print(i64)
func.func private @double(%x: memref<3x5xf32> {pg.access = {mode = "read", dim = 0 : i64, scale = 1 : i64, window = 1 : i64}},
                          %y: memref<3x5xf32> {pg.access = {mode = "write", dim = 0 : i64, scale = 1 : i64, window = 1 : i64}},
                          %lo: index, %hi: index) attributes {no_inline, pg.kernel = "double"} {
  return
}
func.func private @scale(%x: memref<3x5xf32> {pg.access = {mode = "read"}}, %s: i64,
                         %y: memref<3x5xf32> {pg.access = {mode = "write"}},
                         %lo: index, %hi: index) attributes {no_inline, pg.kernel = "scale"} {
  return
}

// CHECK-LABEL: func.func @forward(
// CHECK:       %[[START:.*]] = call @now() : () -> i64
// CHECK:       %[[CELL:.*]] = memref.alloc() : memref<i64>
// CHECK:       scf.parallel
// CHECK:       func.call @forward_core0({{.*}}, %[[START]], {{.*}}, %[[CELL]])
// CHECK:       func.call @forward_core1({{.*}}, %[[CELL]])
// CHECK:       scf.reduce
// CHECK-NEXT:  }
// CHECK-NEXT:  %[[SPENT:.*]] = memref.load %[[CELL]][] : memref<i64>
// CHECK-NEXT:  call @print(%[[SPENT]]) : (i64) -> ()
// CHECK-NEXT:  scf.if
// CHECK-NEXT:    vector.print %[[SPENT]]
// CHECK:       return {{.*}}, %[[SPENT]]
// CHECK-LABEL: func.func private @forward_core0(
// CHECK-SAME:    %[[T0:[^ ]*]]: i64
// CHECK-SAME:    %[[C:[^ ]*]]: memref<i64>)
// CHECK:       call @double({{.*}}pg.slot = 0
// CHECK:       call @pgopt_rt_wait
// CHECK-NEXT:  %[[T1:.*]] = call @now() {pg.core = 0 : i64, pg.slot = 1 : i64} : () -> i64
// CHECK-NEXT:  %[[D:.*]] = arith.subi %[[T1]], %[[T0]] {pg.core = 0 : i64, pg.slot = 2 : i64} : i64
// CHECK-NEXT:  memref.store %[[D]], %[[C]][] : memref<i64>
// CHECK-NEXT:  %[[THREE:.*]] = arith.constant 3 : i64
// CHECK-NEXT:  call @pgopt_rt_signal(%[[THREE]])
// CHECK-NEXT:  call @scale({{.*}}, %{{.*}}, {{.*}}pg.slot = 3
// CHECK-NEXT:  return
// CHECK-LABEL: func.func private @forward_core1(
// CHECK-SAME:    %[[C:[^ ]*]]: memref<i64>)
// CHECK:       call @double
// CHECK-NEXT:  arith.constant 1 : i64
// CHECK-NEXT:  call @pgopt_rt_signal
// CHECK-NEXT:  %[[ZERO:.*]] = arith.constant 0 : i64
// CHECK-NEXT:  %[[THREE:.*]] = arith.constant 3 : i64
// CHECK-NEXT:  call @pgopt_rt_wait(%[[ZERO]], %[[THREE]])
// CHECK-NEXT:  %[[L:.*]] = memref.load %[[C]][] : memref<i64>
// CHECK-NEXT:  call @scale({{.*}}, %[[L]], {{.*}}pg.slot = 1

// STATISTICS: (S) 4 kernels
// STATISTICS: (S) 2 barriers

// GRAPH: {"id": 0, "kind": "barrier", "function": "now", "core": null, "slot": null, "accesses": []}
// GRAPH: {"id": 3, "kind": "barrier", "function": "now", "core": 0, "slot": 1, "accesses": []}
// GRAPH: {"id": 8, "kind": "barrier", "function": "scf.if", "core": null
func.func @forward(%a: memref<3x5xf32>, %flag: i1) -> (memref<3x5xf32>, memref<3x5xf32>, i64) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %c7 = arith.constant 7 : i64
  %t0 = call @now() : () -> i64
  // Arithmetic that no side effect feeds has no place of its own.
  %c14 = arith.addi %c7, %c7 : i64
  %x = memref.alloc() : memref<3x5xf32>
  call @double(%a, %x, %c0, %c1) : (memref<3x5xf32>, memref<3x5xf32>, index, index) -> ()
  call @double(%a, %x, %c1, %c3) : (memref<3x5xf32>, memref<3x5xf32>, index, index) -> ()
  %t1 = call @now() : () -> i64
  %d = arith.subi %t1, %t0 : i64
  %y = memref.alloc() : memref<3x5xf32>
  %z = memref.alloc() : memref<3x5xf32>
  call @scale(%x, %c14, %z, %c0, %c1) : (memref<3x5xf32>, i64, memref<3x5xf32>, index, index) -> ()
  call @scale(%x, %d, %y, %c0, %c1) : (memref<3x5xf32>, i64, memref<3x5xf32>, index, index) -> ()
  call @print(%d) : (i64) -> ()
  scf.if %flag {
    vector.print %d : i64
  }
  return %y, %z, %d : memref<3x5xf32>, memref<3x5xf32>, i64
}
