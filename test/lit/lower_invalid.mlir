// RUN: pgopt-opt %s --split-input-file --verify-diagnostics --pgopt-lower
// RUN: not pgopt-opt %s --pgopt-lower=kernels=fast 2>&1 | FileCheck %s --check-prefix=KERNELS
// RUN: not pgopt-opt %s --pgopt-lower=target-cpu=i386 2>&1 | FileCheck %s --check-prefix=CPU
// RUN: not pgopt-opt %s --pgopt-lower=target-features=avx2 2>&1 | FileCheck %s --check-prefix=FEATURES
// RUN: not pgopt-opt %s --pgopt-lower=fill-elided=zero 2>&1 | FileCheck %s --check-prefix=ELIDED
// RUN: not pgopt-opt %s --split-input-file --pgopt-lower=kernels=naive 2>&1 | FileCheck %s --check-prefix=NAIVE
// RUN: not pgopt-opt %s --split-input-file --pgopt-lower=instrument=true 2>&1 | FileCheck %s --check-prefix=TIMED

// KERNELS: error: kernels is 'fast'; it must be 'auto', 'blas' or 'naive'
// CPU: error: target-cpu is 'i386'; it must be a CPU that is known here: {{.*}}generic
// FEATURES: error: target-features is 'avx2'; it must be names with a sign, as in '+avx2,-avx512f'
// ELIDED: error: fill-elided is 'zero'; it must be 'seed' or 'error'
// NAIVE: error: kernels=naive lowers a network on tensors; this one has kernels already
// TIMED: error: instrument times a sequential program; this one is scheduled, use trace

func.func private @copy(%a: memref<7xf32>, %b: memref<7xf32>) attributes {pg.kernel = "copy"} {
  linalg.copy ins(%a : memref<7xf32>) outs(%b : memref<7xf32>)
  return
}
// expected-remark @+1 {{no memory plan, every value gets memory of its own: buffer 'value0' has a dynamic extent}}
func.func @dynamic(%a: memref<7xf32>, %n: index) {
  // expected-error @+1 {{the network's buffers need a static shape, a contiguous layout and elements of a fixed size}}
  %b = memref.alloc(%n) : memref<?xf32>
  %c = memref.cast %b : memref<?xf32> to memref<7xf32>
  call @copy(%a, %c) : (memref<7xf32>, memref<7xf32>) -> ()
  return
}

// -----

func.func private @grows(%a: memref<7xf32>, %lo: index, %hi: index) attributes {pg.kernel = "grows"} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %z = arith.constant 0.0 : f32
  scf.for %i = %c0 to %hi step %c1 {
    // expected-error @+1 {{the size of this buffer is not known when the kernel begins; compute it from the kernel's arguments alone}}
    %b = memref.alloc(%i) : memref<?xf32>
    linalg.fill ins(%z : f32) outs(%b : memref<?xf32>)
    %v = memref.load %b[%c0] : memref<?xf32>
    memref.store %v, %a[%c0] : memref<7xf32>
  }
  return
}
func.func @loop(%a: memref<7xf32>) {
  %c0 = arith.constant 0 : index
  %c7 = arith.constant 7 : index
  call @grows(%a, %c0, %c7) : (memref<7xf32>, index, index) -> ()
  return
}

// -----

func.func private @swaps(%a: memref<7xf32>, %lo: index, %hi: index) attributes {pg.kernel = "swaps"} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %r = scf.for %i = %c0 to %hi step %c1 iter_args(%x = %a) -> memref<7xf32> {
    // expected-error @+1 {{a buffer allocated in a loop leaves its turn; allocate it in front of the loop}}
    %b = memref.alloc() : memref<7xf32>
    linalg.exp ins(%x : memref<7xf32>) outs(%b : memref<7xf32>)
    scf.yield %b : memref<7xf32>
  }
  linalg.exp ins(%r : memref<7xf32>) outs(%a : memref<7xf32>)
  return
}
func.func @turns(%a: memref<7xf32>) {
  %c0 = arith.constant 0 : index
  %c7 = arith.constant 7 : index
  call @swaps(%a, %c0, %c7) : (memref<7xf32>, index, index) -> ()
  return
}

// -----

// expected-error @+1 {{a parameter, but the module names no parameter file in pg.parameters}}
memref.global "private" @w : memref<7xf32> {pg.parameter = "w"}
func.func @nameless() -> memref<7xf32> {
  %w = memref.get_global @w : memref<7xf32>
  return %w : memref<7xf32>
}

// -----

func.func private @core(%a: memref<7xf32>) {
  return
}
func.func @steps(%a: memref<7xf32>) {
  %c0 = arith.constant 0 : index
  %c2 = arith.constant 2 : index
  // expected-error @+1 {{a loop over cores goes from 0 to a constant in steps of 1 and has no results}}
  scf.parallel (%core) = (%c0) to (%c2) step (%c2) {
    func.call @core(%a) : (memref<7xf32>) -> ()
    scf.reduce
  }
  return
}
