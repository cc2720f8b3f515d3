// Storage, launch, timers and the entry's interface of lowered programs.

// RUN: split-file %s %t

// A sequential program, which also runs in stock mlir-runner.
// RUN: pgopt-opt %t/sequential.mlir --pgopt-lower=kernels=blas -o %t/sequential.ll.mlir
// RUN: FileCheck %s --check-prefix=SEQUENTIAL --input-file=%t/sequential.ll.mlir
// RUN: mlir-runner %t/sequential.ll.mlir --entry-point-result=void \
// RUN:   --shared-libs=%pgopt_runtime,%mlir_runner_utils \
// RUN:   | FileCheck %s --check-prefix=PRINTED

//--- sequential.mlir
// Two buffers of 7 x 5 x 4 = 140 bytes: 192 each with the alignment, 384 both.
// The product does not read what it overwrites: no fill, a factor of 0.
// SEQUENTIAL-LABEL: llvm.func @product(
// SEQUENTIAL-SAME: pg.kernel = "product"
// SEQUENTIAL: %[[ZERO:.+]] = llvm.mlir.constant(0.000000e+00 : f32)
// SEQUENTIAL-NOT: llvm.store
// SEQUENTIAL: llvm.call @pgopt_rt_gemm_f32({{.*}}, %[[ZERO]], {{.*}})
// SEQUENTIAL-NOT: llvm.call
// Rows as many as the range has, in scratch: rows x 5 x 4 bytes, rounded up.
// SEQUENTIAL-LABEL: llvm.func @exponential(
// SEQUENTIAL: %[[LINES:.+]] = llvm.udiv
// SEQUENTIAL: %[[BYTES:.+]] = llvm.mul %[[LINES]]
// SEQUENTIAL: llvm.call @pgopt_rt_scratch(%[[BYTES]])
// SEQUENTIAL-NOT: pgopt_rt_scratch
// SEQUENTIAL-LABEL: llvm.func @forward(
// SEQUENTIAL-SAME: attributes {llvm.emit_c_interface, pg.entry = (memref<7x3xf32>) -> (memref<7x5xf32>, memref<7x3xf32>)}
// SEQUENTIAL-DAG: %[[SIZE:.+]] = llvm.mlir.constant(384 : i64)
// SEQUENTIAL-DAG: %[[PROGRAM:.+]] = llvm.mlir.addressof @pgopt_program
// SEQUENTIAL: llvm.call @pgopt_rt_arena(%[[PROGRAM]], %[[SIZE]])
// SEQUENTIAL-NOT: @malloc
// SEQUENTIAL-NOT: pgopt_rt_mark
// SEQUENTIAL-NOT: pgopt_rt_span
// SEQUENTIAL-LABEL: llvm.func @_mlir_ciface_forward(
// SEQUENTIAL-NOT: pg.entry

// exp(0.5 x (1 + 2 + 4)) = exp(3.5) = 33.1155 and exp(0) = 1 below the range.
// PRINTED: 33.1155
// PRINTED-NEXT: 33.1155
// The argument is returned as it is.
// PRINTED-NEXT: 0.5
memref.global "private" constant @weights : memref<3x5xf32> = dense<[[1.0, 1.0, 1.0, 1.0, 1.0], [2.0, 2.0, 2.0, 2.0, 2.0], [4.0, 4.0, 4.0, 4.0, 4.0]]>

func.func private @product(%a: memref<7x3xf32>, %b: memref<3x5xf32>, %c: memref<7x5xf32>, %lo: index, %hi: index) attributes {no_inline, pg.kernel = "product"} {
  %z = arith.constant 0.0 : f32
  linalg.fill ins(%z : f32) outs(%c : memref<7x5xf32>)
  linalg.matmul ins(%a, %b : memref<7x3xf32>, memref<3x5xf32>) outs(%c : memref<7x5xf32>)
  return
}

func.func private @exponential(%a: memref<7x5xf32>, %b: memref<7x5xf32>, %lo: index, %hi: index) attributes {no_inline, pg.kernel = "exponential"} {
  %n = arith.subi %hi, %lo : index
  %from = memref.subview %a[%lo, 0] [%n, 5] [1, 1] : memref<7x5xf32> to memref<?x5xf32, strided<[5, 1], offset: ?>>
  %to = memref.subview %b[%lo, 0] [%n, 5] [1, 1] : memref<7x5xf32> to memref<?x5xf32, strided<[5, 1], offset: ?>>
  %between = memref.alloc(%n) : memref<?x5xf32>
  linalg.exp ins(%from : memref<?x5xf32, strided<[5, 1], offset: ?>>) outs(%between : memref<?x5xf32>)
  linalg.copy ins(%between : memref<?x5xf32>) outs(%to : memref<?x5xf32, strided<[5, 1], offset: ?>>)
  memref.dealloc %between : memref<?x5xf32>
  return
}

func.func @forward(%x: memref<7x3xf32>) -> (memref<7x5xf32>, memref<7x3xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %c7 = arith.constant 7 : index
  %w = memref.get_global @weights : memref<3x5xf32>
  %p = memref.alloc() {alignment = 64 : i64} : memref<7x5xf32>
  %e = memref.alloc() {alignment = 64 : i64} : memref<7x5xf32>
  call @product(%x, %w, %p, %c0, %c1) : (memref<7x3xf32>, memref<3x5xf32>, memref<7x5xf32>, index, index) -> ()
  call @exponential(%p, %e, %c0, %c4) : (memref<7x5xf32>, memref<7x5xf32>, index, index) -> ()
  call @exponential(%p, %e, %c4, %c7) : (memref<7x5xf32>, memref<7x5xf32>, index, index) -> ()
  return %e, %x : memref<7x5xf32>, memref<7x3xf32>
}

func.func @main() {
  %c0 = arith.constant 0 : index
  %c4 = arith.constant 4 : index
  %c6 = arith.constant 6 : index
  %h = arith.constant 0.5 : f32
  %x = memref.alloca() : memref<7x3xf32>
  linalg.fill ins(%h : f32) outs(%x : memref<7x3xf32>)
  %r:2 = call @forward(%x) : (memref<7x3xf32>) -> (memref<7x5xf32>, memref<7x3xf32>)
  %first = memref.load %r#0[%c0, %c0] : memref<7x5xf32>
  %last = memref.load %r#0[%c6, %c4] : memref<7x5xf32>
  %same = memref.load %r#1[%c6, %c0] : memref<7x3xf32>
  vector.print %first : f32
  vector.print %last : f32
  vector.print %same : f32
  return
}

// Timers and spans: around kernel calls and nothing else.

// RUN: pgopt-opt %t/sequential.mlir --pgopt-lower="entry=forward instrument=true" \
// RUN:   | FileCheck %s --check-prefix=TIMED
// TIMED-LABEL: llvm.func @forward(
// TIMED-DAG: %[[N:.+]] = llvm.mlir.constant(-1 : i64)
// TIMED-DAG: %[[I0:.+]] = llvm.mlir.constant(0 : i64)
// TIMED-DAG: %[[I1:.+]] = llvm.mlir.constant(1 : i64)
// TIMED-DAG: %[[I2:.+]] = llvm.mlir.constant(2 : i64)
// TIMED: llvm.call @pgopt_rt_mark(%[[N]])
// TIMED: llvm.call @product(
// TIMED-NEXT: llvm.call @pgopt_rt_mark(%[[I0]])
// TIMED-NEXT: llvm.call @exponential(
// TIMED-NEXT: llvm.call @pgopt_rt_mark(%[[I1]])
// TIMED-NEXT: llvm.call @exponential(
// TIMED-NEXT: llvm.call @pgopt_rt_mark(%[[I2]])
// TIMED-NOT: pgopt_rt_span
// TIMED-LABEL: llvm.func @main(
// TIMED-NOT: llvm.call @pgopt_rt_mark

// RUN: pgopt-opt %t/sequential.mlir --pgopt-lower="entry=forward trace=true" \
// RUN:   | FileCheck %s --check-prefix=TRACED
// TRACED-LABEL: llvm.func @forward(
// TRACED-DAG: %[[I0:.+]] = llvm.mlir.constant(0 : i64)
// TRACED-DAG: %[[I1:.+]] = llvm.mlir.constant(1 : i64)
// TRACED-DAG: %[[I2:.+]] = llvm.mlir.constant(2 : i64)
// TRACED: llvm.call @pgopt_rt_span(%[[I0]], %[[I0]], %[[I1]])
// TRACED: llvm.call @product(
// TRACED-NEXT: llvm.call @pgopt_rt_span(%[[I0]], %[[I0]], %[[I0]])
// TRACED-NEXT: llvm.call @pgopt_rt_span(%[[I0]], %[[I1]], %[[I1]])
// TRACED-NEXT: llvm.call @exponential(
// TRACED-NEXT: llvm.call @pgopt_rt_span(%[[I0]], %[[I1]], %[[I0]])
// TRACED-NEXT: llvm.call @pgopt_rt_span(%[[I0]], %[[I2]], %[[I1]])
// TRACED-NEXT: llvm.call @exponential(
// TRACED-NEXT: llvm.call @pgopt_rt_span(%[[I0]], %[[I2]], %[[I0]])
// TRACED-NOT: pgopt_rt_mark

// A program of two cores: a frame, a function for all cores, a launch.

// RUN: pgopt-opt %t/cores.mlir --pgopt-lower="entry=forward trace=true" \
// RUN:   -o %t/cores.ll.mlir
// RUN: FileCheck %s --check-prefix=CORES --input-file=%t/cores.ll.mlir
// RUN: mlir-runner %t/cores.ll.mlir --entry-point-result=void \
// RUN:   --shared-libs=%pgopt_runtime,%mlir_runner_utils \
// RUN:   | FileCheck %s --check-prefix=BOTH

//--- cores.mlir
// CORES-LABEL: llvm.func @forward_core1(
// CORES-DAG: %[[I0:.+]] = llvm.mlir.constant(0 : i64)
// CORES-DAG: %[[I1:.+]] = llvm.mlir.constant(1 : i64)
// CORES: llvm.call @pgopt_rt_span(%[[I1]], %[[I0]], %[[I1]])
// CORES-NEXT: llvm.call @double(
// CORES-NEXT: llvm.call @pgopt_rt_span(%[[I1]], %[[I0]], %[[I0]])
// CORES-NEXT: llvm.call @pgopt_rt_signal(%[[I1]])
// CORES-LABEL: llvm.func @forward(
// CORES-DAG: %[[F:.+]] = llvm.mlir.addressof @forward_launch
// CORES-DAG: %[[N:.+]] = llvm.mlir.constant(2 : i64)
// CORES: %[[FRAME:.+]] = llvm.alloca
// CORES: llvm.store %{{.+}}, %{{.+}} : !llvm.struct<(ptr, ptr, i64, array<1 x i64>, array<1 x i64>)>, !llvm.ptr
// CORES: llvm.call @pgopt_rt_launch(%[[F]], %[[FRAME]], %[[N]])
// CORES-NOT: scf.
// CORES: llvm.func @forward_launch(%[[FRAME:.+]]: !llvm.ptr, %[[CORE:.+]]: i64)
// CORES: llvm.load
// CORES: llvm.call @forward_core0(
// CORES: llvm.call @forward_core1(

// 3 x 2 + 3 x 2: core 0 waits for the half that core 1 doubles.
// BOTH: 12
// BOTH-NEXT: 12
func.func private @double(%a: memref<6xf32>, %b: memref<6xf32>, %lo: index, %hi: index) attributes {no_inline, pg.kernel = "double"} {
  %n = arith.subi %hi, %lo : index
  %from = memref.subview %a[%lo] [%n] [1] : memref<6xf32> to memref<?xf32, strided<[1], offset: ?>>
  %to = memref.subview %b[%lo] [%n] [1] : memref<6xf32> to memref<?xf32, strided<[1], offset: ?>>
  linalg.add ins(%from, %from : memref<?xf32, strided<[1], offset: ?>>, memref<?xf32, strided<[1], offset: ?>>) outs(%to : memref<?xf32, strided<[1], offset: ?>>)
  return
}
func.func private @pgopt_rt_signal(i64)
func.func private @pgopt_rt_wait(i64, i64)
func.func private @forward_core0(%x: memref<6xf32>, %y: memref<6xf32>, %z: memref<6xf32>) attributes {pg.core = 0 : i64} {
  %c0 = arith.constant 0 : index
  %c2 = arith.constant 2 : index
  %c6 = arith.constant 6 : index
  %one = arith.constant 1 : i64
  call @double(%x, %y, %c0, %c2) {pg.core = 0 : i64, pg.slot = 0 : i64} : (memref<6xf32>, memref<6xf32>, index, index) -> ()
  call @pgopt_rt_wait(%one, %one) : (i64, i64) -> ()
  call @double(%y, %z, %c0, %c6) {pg.core = 0 : i64, pg.slot = 1 : i64} : (memref<6xf32>, memref<6xf32>, index, index) -> ()
  return
}
func.func private @forward_core1(%x: memref<6xf32>, %y: memref<6xf32>) attributes {pg.core = 1 : i64} {
  %c2 = arith.constant 2 : index
  %c6 = arith.constant 6 : index
  %one = arith.constant 1 : i64
  call @double(%x, %y, %c2, %c6) {pg.core = 1 : i64, pg.slot = 0 : i64} : (memref<6xf32>, memref<6xf32>, index, index) -> ()
  call @pgopt_rt_signal(%one) : (i64) -> ()
  return
}
func.func @forward(%x: memref<6xf32>) -> memref<6xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %y = memref.alloc() : memref<6xf32>
  %z = memref.alloc() : memref<6xf32>
  scf.parallel (%core) = (%c0) to (%c2) step (%c1) {
    scf.index_switch %core
    case 0 {
      func.call @forward_core0(%x, %y, %z) : (memref<6xf32>, memref<6xf32>, memref<6xf32>) -> ()
      scf.yield
    }
    default {
      func.call @forward_core1(%x, %y) : (memref<6xf32>, memref<6xf32>) -> ()
    }
    scf.reduce
  }
  return %z : memref<6xf32>
}
func.func @main() {
  %c0 = arith.constant 0 : index
  %c5 = arith.constant 5 : index
  %h = arith.constant 3.0 : f32
  %x = memref.alloca() : memref<6xf32>
  linalg.fill ins(%h : f32) outs(%x : memref<6xf32>)
  %r = call @forward(%x) : (memref<6xf32>) -> memref<6xf32>
  %first = memref.load %r[%c0] : memref<6xf32>
  %last = memref.load %r[%c5] : memref<6xf32>
  vector.print %first : f32
  vector.print %last : f32
  return
}

// Parameters: bytes of the file that the module names, found beside the module.

// RUN: touch %t/parameter.safetensors
// RUN: pgopt-opt %t/parameter.mlir --pgopt-lower --mlir-pass-statistics 2>&1 \
// RUN:   | FileCheck %s --check-prefix=PARAMETER

//--- parameter.mlir
// PARAMETER-NOT: llvm.mlir.global{{.*}}@weights
// PARAMETER-LABEL: llvm.func @forward(
// PARAMETER-DAG: %[[BYTES:.+]] = llvm.mlir.constant(148 : i64)
// PARAMETER-DAG: %[[PATH:.+]] = llvm.mlir.addressof @pgopt_path
// PARAMETER-DAG: %[[NAME:.+]] = llvm.mlir.addressof @pgopt_name
// PARAMETER: llvm.call @pgopt_rt_parameter(%[[PATH]], %[[NAME]], %[[BYTES]])
// PARAMETER-DAG: llvm.mlir.global internal constant @pgopt_path("{{.+}}/parameter.safetensors\00")
// PARAMETER-DAG: llvm.mlir.global internal constant @pgopt_name("layer.weight\00")
// PARAMETER: (S) 1 parameters
module attributes {pg.parameters = {path = "parameter.safetensors", sha256 = ""}} {
  memref.global "private" @weights : memref<37xf32> {pg.parameter = "layer.weight"}
  func.func private @exponential(%a: memref<37xf32>, %b: memref<37xf32>, %lo: index, %hi: index) attributes {no_inline, pg.kernel = "exponential"} {
    linalg.exp ins(%a : memref<37xf32>) outs(%b : memref<37xf32>)
    return
  }
  func.func @forward() -> memref<37xf32> {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %w = memref.get_global @weights : memref<37xf32>
    %e = memref.alloc() : memref<37xf32>
    call @exponential(%w, %e, %c0, %c1) : (memref<37xf32>, memref<37xf32>, index, index) -> ()
    return %e : memref<37xf32>
  }
}

// The product adds to what something else wrote, or read, before.

// RUN: pgopt-opt %t/accumulate.mlir --pgopt-lower=kernels=blas \
// RUN:   | FileCheck %s --check-prefix=ADD

//--- accumulate.mlir
// ADD-LABEL: llvm.func @read_between(
// ADD: %[[ONE:.+]] = llvm.mlir.constant(1.000000e+00 : f32)
// ADD: llvm.call @pgopt_rt_gemm_f32({{.*}}, %[[ONE]], {{.*}})
// ADD-LABEL: llvm.func @filled_with_one(
// ADD: %[[ONE:.+]] = llvm.mlir.constant(1.000000e+00 : f32)
// ADD: llvm.call @pgopt_rt_gemm_f32({{.*}}, %[[ONE]], {{.*}})
// ADD-LABEL: llvm.func @filled_in_part(
// ADD: %[[ONE:.+]] = llvm.mlir.constant(1.000000e+00 : f32)
// ADD: llvm.call @pgopt_rt_gemm_f32({{.*}}, %[[ONE]], {{.*}})
// A product onto its own input is not for BLAS.
// ADD-LABEL: llvm.func @in_place(
// ADD-NOT: pgopt_rt_gemm
// ADD-LABEL: llvm.func @forward(
func.func private @read_between(%a: memref<7x7xf32>, %b: memref<7x7xf32>, %c: memref<7x7xf32>, %d: memref<7x7xf32>) attributes {no_inline, pg.kernel = "a"} {
  %z = arith.constant 0.0 : f32
  linalg.fill ins(%z : f32) outs(%c : memref<7x7xf32>)
  linalg.copy ins(%c : memref<7x7xf32>) outs(%d : memref<7x7xf32>)
  linalg.matmul ins(%a, %b : memref<7x7xf32>, memref<7x7xf32>) outs(%c : memref<7x7xf32>)
  return
}
func.func private @filled_with_one(%a: memref<7x7xf32>, %b: memref<7x7xf32>, %c: memref<7x7xf32>) attributes {no_inline, pg.kernel = "b"} {
  %z = arith.constant 1.0 : f32
  linalg.fill ins(%z : f32) outs(%c : memref<7x7xf32>)
  linalg.matmul ins(%a, %b : memref<7x7xf32>, memref<7x7xf32>) outs(%c : memref<7x7xf32>)
  return
}
func.func private @filled_in_part(%a: memref<7x7xf32>, %b: memref<7x7xf32>, %c: memref<7x7xf32>) attributes {no_inline, pg.kernel = "c"} {
  %z = arith.constant 0.0 : f32
  %part = memref.subview %c[0, 0] [3, 7] [1, 1] : memref<7x7xf32> to memref<3x7xf32, strided<[7, 1]>>
  linalg.fill ins(%z : f32) outs(%part : memref<3x7xf32, strided<[7, 1]>>)
  linalg.matmul ins(%a, %b : memref<7x7xf32>, memref<7x7xf32>) outs(%c : memref<7x7xf32>)
  return
}
func.func private @in_place(%a: memref<7x7xf32>, %b: memref<7x7xf32>) attributes {no_inline, pg.kernel = "d"} {
  linalg.matmul ins(%a, %b : memref<7x7xf32>, memref<7x7xf32>) outs(%a : memref<7x7xf32>)
  return
}
func.func @forward(%a: memref<7x7xf32>, %b: memref<7x7xf32>, %c: memref<7x7xf32>, %d: memref<7x7xf32>) {
  call @read_between(%a, %b, %c, %d) : (memref<7x7xf32>, memref<7x7xf32>, memref<7x7xf32>, memref<7x7xf32>) -> ()
  call @filled_with_one(%a, %b, %c) : (memref<7x7xf32>, memref<7x7xf32>, memref<7x7xf32>) -> ()
  call @filled_in_part(%a, %b, %c) : (memref<7x7xf32>, memref<7x7xf32>, memref<7x7xf32>) -> ()
  call @in_place(%a, %b) : (memref<7x7xf32>, memref<7x7xf32>) -> ()
  return
}

// A second lowering finds nothing to do; the oracle allocates and calls nothing
// of the runtime; a function beside the network is lowered with it.

// RUN: pgopt-opt %t/tensors.mlir --pgopt-lower=entry=forward --pgopt-lower \
// RUN:   | FileCheck %s --check-prefix=TWICE
// RUN: pgopt-opt %t/tensors.mlir --pgopt-lower="entry=forward kernels=naive" \
// RUN:   | FileCheck %s --check-prefix=NAIVE

//--- tensors.mlir
// TWICE: llvm.func @forward({{.*}}pg.entry = (memref<7x13xf32>) -> memref<7x13xf32>
// TWICE: llvm.func @main(
// NAIVE-NOT: pgopt_rt
// NAIVE: llvm.func @forward({{.*}}pg.entry = (memref<7x13xf32>) -> memref<7x13xf32>
// NAIVE: llvm.call @malloc
// NAIVE: llvm.func @main(
func.func @forward(%a: tensor<7x13xf32>) -> tensor<7x13xf32> {
  %e = tensor.empty() : tensor<7x13xf32>
  %r = linalg.exp ins(%a : tensor<7x13xf32>) outs(%e : tensor<7x13xf32>) -> tensor<7x13xf32>
  return %r : tensor<7x13xf32>
}
func.func private @unused(tensor<*xf32>)
func.func @main() {
  %c = arith.constant dense<1.0> : tensor<7x13xf32>
  %r = call @forward(%c) : (tensor<7x13xf32>) -> tensor<7x13xf32>
  %i = arith.constant 0 : index
  %v = tensor.extract %r[%i, %i] : tensor<7x13xf32>
  vector.print %v : f32
  return
}
