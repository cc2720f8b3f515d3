// RUN: split-file %s %t
// RUN: pgopt-runner %t/a.mlir --compare=%t/a.mlir \
// RUN:   | FileCheck %s --check-prefix=SAME
// SAME: result 0: error 0 at [0, 0]
// RUN: pgopt-runner %t/a.mlir --compare=%t/a.mlir --reference=auto \
// RUN:   | FileCheck %s --check-prefix=SAME

// The other has 1.5 at [1, 2] and 1 elsewhere:
// rms = sqrt((8 + 2.25) / 9) = 1.067, error 0.5 / 1.5.
// RUN: not pgopt-runner %t/a.mlir --compare=%t/b.mlir 2>&1 \
// RUN:   | FileCheck %s --check-prefix=OTHER
// OTHER: result 0: error 0.333 at [1, 2] (1, expected 1.5), above the tolerance 0.0001
// RUN: pgopt-runner %t/a.mlir --compare=%t/b.mlir --tolerance=0.34
// RUN: not pgopt-runner %t/a.mlir --compare=%t/b.mlir --tolerance=0.33

// RUN: not pgopt-runner %t/a.mlir --compare=%t/nan.mlir --tolerance=1e300 \
// RUN:   | FileCheck %s --check-prefix=NAN
// NAN: result 0: error inf at [2, 0] (1, expected {{-?}}nan), above
// RUN: pgopt-runner %t/nan.mlir --compare=%t/nan.mlir \
// RUN:   | FileCheck %s --check-prefix=BOTH-NAN
// BOTH-NAN: result 0: 3x3xf32, 1 to 1, mean 1, 1 NaN or infinite
// BOTH-NAN-NEXT: result 0: error 0

// RUN: not pgopt-runner %t/a.mlir --compare=%t/shape.mlir 2>&1 \
// RUN:   | FileCheck %s --check-prefix=SHAPE
// SHAPE: result 0 is 3x3xf32 in '{{.*}}a.mlir', but 9xf32 in '{{.*}}shape.mlir'
// RUN: not pgopt-runner %t/a.mlir --compare=%t/count.mlir 2>&1 \
// RUN:   | FileCheck %s --check-prefix=COUNT
// COUNT: '{{.*}}a.mlir' has 1 results, '{{.*}}count.mlir' has 2
// RUN: not pgopt-runner %t/a.mlir --compare=%t/arguments.mlir 2>&1 \
// RUN:   | FileCheck %s --check-prefix=ARGUMENTS
// ARGUMENTS: argument 0 is 3x3xf32 in '{{.*}}a.mlir', but 3x3xf64 in

// A network that writes to its argument is compared there.
// RUN: pgopt-runner %t/write2.mlir --compare=%t/write2.mlir \
// RUN:   | FileCheck %s --check-prefix=WRITES
// WRITES: argument 1: error 0 at [0]
// RUN: not pgopt-runner %t/write2.mlir --compare=%t/write3.mlir \
// RUN:   | FileCheck %s --check-prefix=WRITES-OTHER
// WRITES-OTHER: argument 1: error 0.333 at [0] (2, expected 3), above
// RUN: not pgopt-runner %t/nothing.mlir --compare=%t/nothing.mlir 2>&1 \
// RUN:   | FileCheck %s --check-prefix=NOTHING
// NOTHING: has no results to compare

// A failed comparison is exit code 1, everything else 2.
// RUN: sh -c 'pgopt-runner %t/a.mlir --compare=%t/b.mlir || echo code $?' \
// RUN:   | FileCheck %s --check-prefix=DIFFERENT
// DIFFERENT: code 1
// RUN: sh -c 'pgopt-runner %t/a.mlir --compare=%t/none.mlir || echo code $?' \
// RUN:   2>&1 | FileCheck %s --check-prefix=ABSENT
// ABSENT: cannot read '{{.*}}none.mlir': No such file
// ABSENT: code 2

//--- a.mlir
func.func @f(%a: tensor<3x3xf32>) -> tensor<3x3xf32> {
  %one = arith.constant dense<1.0> : tensor<3x3xf32>
  return %one : tensor<3x3xf32>
}
//--- b.mlir
func.func @g(%a: tensor<3x3xf32>) -> tensor<3x3xf32> {
  %c = arith.constant
    dense<[[1.0, 1.0, 1.0], [1.0, 1.0, 1.5], [1.0, 1.0, 1.0]]>
    : tensor<3x3xf32>
  return %c : tensor<3x3xf32>
}
//--- nan.mlir
func.func @f(%a: tensor<3x3xf32>) -> tensor<3x3xf32> {
  %c = arith.constant
    dense<[[1.0, 1.0, 1.0], [1.0, 1.0, 1.0], [0x7fc00000, 1.0, 1.0]]>
    : tensor<3x3xf32>
  return %c : tensor<3x3xf32>
}
//--- shape.mlir
func.func @f(%a: tensor<3x3xf32>) -> tensor<9xf32> {
  %one = arith.constant dense<1.0> : tensor<9xf32>
  return %one : tensor<9xf32>
}
//--- count.mlir
func.func @f(%a: tensor<3x3xf32>) -> (tensor<3x3xf32>, tensor<3x3xf32>) {
  %one = arith.constant dense<1.0> : tensor<3x3xf32>
  return %one, %one : tensor<3x3xf32>, tensor<3x3xf32>
}
//--- arguments.mlir
func.func @f(%a: tensor<3x3xf64>) -> tensor<3x3xf32> {
  %one = arith.constant dense<1.0> : tensor<3x3xf32>
  return %one : tensor<3x3xf32>
}
//--- write2.mlir
func.func @f(%a: memref<3xf32>, %b: memref<3xf32>) {
  %two = arith.constant 2.0 : f32
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %three = arith.constant 3 : index
  scf.for %i = %zero to %three step %one {
    memref.store %two, %b[%i] : memref<3xf32>
  }
  return
}
//--- write3.mlir
func.func @f(%a: memref<3xf32>, %b: memref<3xf32>) {
  %x = arith.constant 3.0 : f32
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %three = arith.constant 3 : index
  scf.for %i = %zero to %three step %one {
    memref.store %x, %b[%i] : memref<3xf32>
  }
  return
}
//--- nothing.mlir
func.func @f(%a: memref<3xf32>) {
  return
}
