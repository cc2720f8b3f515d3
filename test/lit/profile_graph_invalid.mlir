// Scheduled programs that cannot be read: what the lists of the cores lack.

// RUN: pgopt-opt %s --split-input-file --profile-graph --verify-diagnostics

func.func private @pgopt_rt_wait(i64, i64)
func.func private @k(%x: memref<5xf32> {pg.access = {mode = "read"}}, %lo: index, %hi: index)
func.func private @f_core0(%x: memref<5xf32>) {
  %0 = arith.constant 0 : index
  %1 = arith.constant 1 : i64
  func.call @pgopt_rt_wait(%1, %1) : (i64, i64) -> ()
  func.call @k(%x, %0, %0) {pg.core = 0 : i64, pg.slot = 0 : i64} : (memref<5xf32>, index, index) -> ()
  return
}
func.func private @f_core1(%x: memref<5xf32>) {
  return
}
// expected-error @below {{the schedule cannot run: core 0 waits for ever before its slot 0: core 1 does not get to signal 1}}
func.func @f(%x: memref<5xf32>) {
  %0 = arith.constant 0 : index
  %1 = arith.constant 1 : index
  %2 = arith.constant 2 : index
  scf.parallel (%i) = (%0) to (%2) step (%1) {
    scf.index_switch %i
    case 1 {
      func.call @f_core1(%x) : (memref<5xf32>) -> ()
      scf.yield
    }
    default {
      func.call @f_core0(%x) : (memref<5xf32>) -> ()
    }
    scf.reduce
  }
  return
}

// -----

func.func private @k(%x: memref<5xf32> {pg.access = {mode = "read"}}, %lo: index, %hi: index)
func.func private @f_core0(%x: memref<5xf32>) {
  %0 = arith.constant 0 : index
  // expected-error @below {{stands in slot 0 of core 0, but its pg.core and pg.slot do not say so}}
  func.call @k(%x, %0, %0) {pg.core = 0 : i64, pg.slot = 1 : i64} : (memref<5xf32>, index, index) -> ()
  return
}
func.func @f(%x: memref<5xf32>) {
  %0 = arith.constant 0 : index
  %1 = arith.constant 1 : index
  scf.parallel (%i) = (%0) to (%1) step (%1) {
    scf.index_switch %i
    default {
      func.call @f_core0(%x) : (memref<5xf32>) -> ()
    }
    scf.reduce
  }
  return
}

// -----

func.func private @pgopt_rt_signal(i64)
func.func private @f_core0(%x: memref<5xf32>, %n: i64) {
  // expected-error @below {{the operands of waits and signals must be constants}}
  func.call @pgopt_rt_signal(%n) : (i64) -> ()
  return
}
func.func @f(%x: memref<5xf32>, %n: i64) {
  %0 = arith.constant 0 : index
  %1 = arith.constant 1 : index
  scf.parallel (%i) = (%0) to (%1) step (%1) {
    scf.index_switch %i
    default {
      func.call @f_core0(%x, %n) : (memref<5xf32>, i64) -> ()
    }
    scf.reduce
  }
  return
}

// -----

func.func private @f_core0(%x: memref<5xf32>)
func.func @f(%x: memref<5xf32>) {
  %0 = arith.constant 0 : index
  %1 = arith.constant 1 : index
  %2 = arith.constant 2 : index
  // expected-error @below {{is not the scf.parallel of a schedule: one loop from 0 to the number of cores in steps of 1 over an scf.index_switch with one call a core}}
  scf.parallel (%i) = (%0) to (%2) step (%1) {
    scf.index_switch %i
    case 7 {
      func.call @f_core0(%x) : (memref<5xf32>) -> ()
      scf.yield
    }
    default {
      func.call @f_core0(%x) : (memref<5xf32>) -> ()
    }
    scf.reduce
  }
  return
}

// -----

func.func private @k(%x: memref<f32> {pg.access = {mode = "write"}}, %lo: index, %hi: index)
func.func private @f_core0(%x: memref<f32>) {
  %0 = arith.constant 0 : index
  func.call @k(%x, %0, %0) {pg.core = 0 : i64, pg.slot = 0 : i64} : (memref<f32>, index, index) -> ()
  return
}
func.func @f(%x: memref<f32>) -> f32 {
  %0 = arith.constant 0 : index
  %1 = arith.constant 1 : index
  scf.parallel (%i) = (%0) to (%1) step (%1) {
    scf.index_switch %i
    default {
      func.call @f_core0(%x) : (memref<f32>) -> ()
    }
    scf.reduce
  }
  // expected-error @below {{accesses a buffer of kernels outside of a kernel}}
  %2 = memref.load %x[] : memref<f32>
  return %2 : f32
}

// -----

// expected-error @below {{is lowered already, its kernels cannot be told apart any more}}
llvm.func @f() attributes {pg.entry = (memref<5xf32>) -> ()} {
  llvm.return
}
