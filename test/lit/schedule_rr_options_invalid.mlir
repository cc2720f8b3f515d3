// Options that make no sense: one error at the module.

// RUN: not pgopt-opt %s --schedule-rr=count=0 2>&1 | FileCheck %s --check-prefix=ZERO
// RUN: not pgopt-opt %s --schedule-rr=count=-1 2>&1 | FileCheck %s --check-prefix=NEGATIVE
// RUN: not pgopt-opt %s --schedule-rr=count=4097 2>&1 | FileCheck %s --check-prefix=LARGE
// RUN: not pgopt-opt %s --schedule-rr=count=99999999999999999999 2>&1 | FileCheck %s --check-prefix=HUGE
// RUN: not pgopt-opt %s --schedule-rr=count=2x 2>&1 | FileCheck %s --check-prefix=WORD
// RUN: not pgopt-opt %s --schedule-rr=resources=gpus 2>&1 | FileCheck %s --check-prefix=KIND
// RUN: not pgopt-opt %s --schedule-rr=resources=pes 2>&1 | FileCheck %s --check-prefix=PES
// RUN: not pgopt-opt %s --schedule-rr=entry=absent 2>&1 | FileCheck %s --check-prefix=ENTRY

// ZERO: schedule_rr_options_invalid.mlir{{.*}} error: count=0 is not a number from 1 to 4096, nor auto
// NEGATIVE: error: count=-1 is not a number from 1 to 4096, nor auto
// LARGE: error: count=4097 is not a number from 1 to 4096, nor auto
// HUGE: error: count=99999999999999999999 is not a number from 1 to 4096, nor auto
// WORD: error: count=2x is not a number from 1 to 4096, nor auto
// KIND: error: resources=gpus is not one of cores, threads, pes
// PES: error: resources=pes needs count=N, this machine does not tell how many PEs there are
// ENTRY: error: entry 'absent' is not a function with a body in this module

// An option beats pg.resources, so a bad one is not excused by it.
module attributes {pg.resources = {kind = "cores", count = 2 : i64}} {
  func.func @network(%a: memref<5xf32>) {
    return
  }
}
