// RUN: pgopt-opt %s --split-input-file --schedule-rr=count=2 --verify-diagnostics

func.func private @k(%x: memref<5xf32>, %lo: index, %hi: index) {
  return
}
// expected-error @-3 {{argument 0 of this kernel has no pg.access; kernels are made by form-kernels}}
func.func @no_access(%a: memref<5xf32>) {
  %c0 = arith.constant 0 : index
  call @k(%a, %c0, %c0) : (memref<5xf32>, index, index) -> ()
  return
}

// -----

// expected-error @below {{a kernel's last two arguments must be its range, two of type index}}
func.func private @k(%x: memref<5xf32> {pg.access = {mode = "read"}}, %lo: index, %hi: i64) {
  return
}
func.func @no_range(%a: memref<5xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : i64
  call @k(%a, %c0, %c1) : (memref<5xf32>, index, i64) -> ()
  return
}

// -----

// expected-error @below {{a kernel must write its results into arguments, this one returns some}}
func.func private @k(%x: memref<5xf32> {pg.access = {mode = "read"}}, %lo: index, %hi: index) -> f32 {
  %z = arith.constant 0.0 : f32
  return %z : f32
}
func.func @results(%a: memref<5xf32>) {
  %c0 = arith.constant 0 : index
  %r = call @k(%a, %c0, %c0) : (memref<5xf32>, index, index) -> f32
  return
}

// -----

// expected-error @below {{argument 0 of this kernel has a dynamic extent}}
func.func private @k(%x: memref<?xf32> {pg.access = {mode = "read"}}, %lo: index, %hi: index) {
  return
}
func.func @dynamic(%a: memref<5xf32>) {
  %c0 = arith.constant 0 : index
  %d = memref.cast %a : memref<5xf32> to memref<?xf32>
  call @k(%d, %c0, %c0) : (memref<?xf32>, index, index) -> ()
  return
}

// -----

// expected-error @below {{argument 0 of this kernel has a layout, only contiguous memrefs are allowed}}
func.func private @k(%x: memref<5x3xf32, strided<[4, 1]>> {pg.access = {mode = "read"}}, %lo: index, %hi: index) {
  return
}
func.func @strided(%a: memref<5x3xf32, strided<[4, 1]>>) {
  %c0 = arith.constant 0 : index
  call @k(%a, %c0, %c0) : (memref<5x3xf32, strided<[4, 1]>>, index, index) -> ()
  return
}

// -----

// expected-error @below {{pg.access of argument 0 names dimension 2 of 2}}
func.func private @k(%x: memref<5x3xf32> {pg.access = {mode = "read", dim = 2 : i64, scale = 1 : i64, window = 1 : i64}}, %lo: index, %hi: index) {
  return
}
func.func @dimension(%a: memref<5x3xf32>) {
  %c0 = arith.constant 0 : index
  call @k(%a, %c0, %c0) : (memref<5x3xf32>, index, index) -> ()
  return
}

// -----

func.func private @k(%x: memref<5xf32> {pg.access = {mode = "read"}}, %lo: index, %hi: index) {
  return
}
func.func @variable_range(%a: memref<5xf32>, %n: index) {
  %c0 = arith.constant 0 : index
  // expected-error @below {{the range of a kernel call must be two constants}}
  call @k(%a, %c0, %n) : (memref<5xf32>, index, index) -> ()
  return
}

// -----

func.func private @k(%x: memref<5xf32> {pg.access = {mode = "read"}}, %lo: index, %hi: index) {
  return
}
func.func @backward_range(%a: memref<5xf32>) {
  %c3 = arith.constant 3 : index
  %c2 = arith.constant 2 : index
  // expected-error @below {{[3, 2) is not a range of a loop}}
  call @k(%a, %c3, %c2) : (memref<5xf32>, index, index) -> ()
  return
}

// -----

func.func private @k(%x: memref<5xf32> {pg.access = {mode = "read", dim = 0 : i64, scale = 9 : i64, window = 1 : i64}}, %lo: index, %hi: index) {
  return
}
func.func @large_range(%a: memref<5xf32>) {
  %c0 = arith.constant 0 : index
  %c = arith.constant 9223372036854775807 : index
  // expected-error @below {{the indices that pg.access of argument 0 gives for [0, 9223372036854775807) are too large}}
  call @k(%a, %c0, %c) : (memref<5xf32>, index, index) -> ()
  return
}

// -----

func.func private @k(%x: memref<3xf32, strided<[1], offset: ?>> {pg.access = {mode = "read"}}, %lo: index, %hi: index) {
  return
}
func.func @subview(%a: memref<5xf32>) {
  %c0 = arith.constant 0 : index
  // expected-error @below {{'memref.subview' with memrefs is neither a kernel call nor storage nor a view}}
  %s = memref.subview %a[2] [3] [1] : memref<5xf32> to memref<3xf32, strided<[1], offset: 2>>
  %d = memref.cast %s : memref<3xf32, strided<[1], offset: 2>> to memref<3xf32, strided<[1], offset: ?>>
  call @k(%d, %c0, %c0) : (memref<3xf32, strided<[1], offset: ?>>, index, index) -> ()
  return
}

// -----

func.func @copy(%a: memref<5xf32>, %b: memref<5xf32>) {
  // expected-error @below {{'memref.copy' with memrefs is neither a kernel call nor storage nor a view}}
  memref.copy %a, %b : memref<5xf32> to memref<5xf32>
  return
}

// -----

func.func @hidden(%a: memref<5xf32>, %flag: i1) {
  // expected-error @below {{'scf.if' with memrefs is neither a kernel call nor storage nor a view}}
  scf.if %flag {
    %c0 = arith.constant 0 : index
    %0 = memref.load %a[%c0] : memref<5xf32>
    vector.print %0 : f32
  }
  return
}

// -----

// A number of kernels is not read past them.
func.func @number(%a: memref<f32>) -> f32 {
  // expected-error @below {{'memref.load' with memrefs is neither a kernel call nor storage nor a view}}
  %0 = memref.load %a[] : memref<f32>
  return %0 : f32
}

// -----

// expected-error @below {{buffer 'arg0' has a dynamic extent}}
func.func @dynamic_argument(%a: memref<?xf32>) {
  return
}

// -----

// expected-error @below {{function has several blocks, only straight-line code calls kernels}}
func.func @blocks(%a: memref<5xf32>, %flag: i1) {
  cf.cond_br %flag, ^one, ^two
^one:
  return
^two:
  return
}

// -----

func.func private @k(%x: memref<5xf32> {pg.access = {mode = "read"}}, %lo: index, %hi: index) {
  return
}
// expected-error @below {{symbol 'taken_core0' is needed for the function of a core; rename it}}
func.func private @taken_core0()
func.func @taken(%a: memref<5xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  call @k(%a, %c0, %c1) : (memref<5xf32>, index, index) -> ()
  return
}

// -----

func.func private @w(%x: memref<5xf32> {pg.access = {mode = "write"}}, %lo: index, %hi: index) {
  return
}
// expected-error @below {{symbol 'pgopt_rt_signal' is reserved for the runtime's function of another type; rename it}}
func.func private @pgopt_rt_signal(f32)
func.func @reserved(%a: memref<5xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  call @w(%a, %c0, %c1) : (memref<5xf32>, index, index) -> ()
  call @w(%a, %c0, %c1) : (memref<5xf32>, index, index) -> ()
  return
}

// -----

func.func private @clock() -> none
func.func private @use(none)
func.func private @k(%x: memref<5xf32> {pg.access = {mode = "read"}}, %lo: index, %hi: index) {
  return
}
func.func @no_cell(%a: memref<5xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  call @k(%a, %c0, %c1) : (memref<5xf32>, index, index) -> ()
  // expected-error @below {{invalid memref element type}}
  %t = call @clock() : () -> none
  call @k(%a, %c0, %c1) : (memref<5xf32>, index, index) -> ()
  call @use(%t) : (none) -> ()
  return
}

// -----

func.func private @done_core0() attributes {pg.core = 0 : i64} {
  return
}
// expected-error @below {{has one function a core already; schedule the module as it was before}}
func.func @done(%a: memref<5xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.parallel (%i) = (%c0) to (%c1) step (%c1) {
    scf.index_switch %i
    default {
      func.call @done_core0() : () -> ()
    }
    scf.reduce
  }
  return
}
