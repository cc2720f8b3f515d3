// A packed parameter is made from the file's tensor when the program is loaded.
// RUN: split-file %s %t

// w = [[1, 2, 3], [4, 5, 6]].
// RUN: printf '\100\000\000\000\000\000\000\000{"w":{"dtype":"F32","shape":[2,3],"data_offsets":[0,24]}}       \000\000\200\077\000\000\000\100\000\000\100\100\000\000\200\100\000\000\240\100\000\000\300\100' > %t.safetensors
// RUN: pgopt-runner %t/packed.mlir --parameters=%t.safetensors --print-results | FileCheck %s
// CHECK: result 0: 3x2xf32
// CHECK: [1, 4]
// CHECK: [2, 5]
// CHECK: [3, 6]
// RUN: pgopt-opt --form-kernels %t/packed.mlir -o %t.calls.mlir
// RUN: pgopt-runner %t.calls.mlir --parameters=%t.safetensors --print-results | FileCheck %s

// The packed form itself, in a file that has it: here ten times as much.
// RUN: printf '\170\000\000\000\000\000\000\000{"w":{"dtype":"F32","shape":[2,3],"data_offsets":[0,24]},"w@b.a":{"dtype":"F32","shape":[3,2],"data_offsets":[24,48]}}  \000\000\200\077\000\000\000\100\000\000\100\100\000\000\200\100\000\000\240\100\000\000\300\100\000\000\040\101\000\000\040\102\000\000\240\101\000\000\110\102\000\000\360\101\000\000\160\102' > %t.both.safetensors
// RUN: pgopt-runner %t/packed.mlir --parameters=%t.both.safetensors --print-results | FileCheck %s --check-prefix=BOTH
// BOTH: [10, 40]

// The network as it was, and the packed one, from the same file, at random, and
// from an array: the same numbers, from either side.
// RUN: pgopt-opt %t/plain.mlir --transpose-elim -o %t.packed.mlir
// RUN: FileCheck %s --check-prefix=NAME < %t.packed.mlir
// NAME: tensor<3x2xf32> {pg.layout = [affine_map<(d0, d1) -> (d1, d0)>], pg.parameter = "w@b.a"}
// RUN: pgopt-runner %t.packed.mlir --parameters=%t.safetensors --print-results > %t.1
// RUN: pgopt-runner %t/plain.mlir --parameters=%t.safetensors --print-results | diff %t.1 -
// RUN: pgopt-runner %t.packed.mlir --seed=3 --print-results > %t.2
// RUN: pgopt-runner %t/plain.mlir --seed=3 --print-results | diff %t.2 -
// RUN: not diff %t.1 %t.2 > %t.difference
// RUN: pgopt-runner %t/identity.mlir --parameters=%t.safetensors --output=0:%t.array.npy
// RUN: pgopt-runner %t.packed.mlir --input=1:%t.array.npy --print-results | diff %t.1 -
// RUN: pgopt-runner %t.packed.mlir --parameters=%t.safetensors --compare=%t/plain.mlir --bench=0.01 | FileCheck %s --check-prefix=SAME
// RUN: pgopt-runner %t/plain.mlir --parameters=%t.safetensors --compare=%t.packed.mlir | FileCheck %s --check-prefix=SAME
// RUN: pgopt-runner %t.packed.mlir --compare=%t.packed.mlir | FileCheck %s --check-prefix=SAME
// SAME: result 0: error 0

// A trial run of it, as --profile starts one.
// RUN: pgopt-opt %t.packed.mlir --profile='budget=50ms report=none' --mlir-pass-statistics -o /dev/null 2>&1 | FileCheck %s --check-prefix=PROFILE
// PROFILE: (S) 1 layers-measured

// RUN: not pgopt-runner %t/shape.mlir --parameters=%t.safetensors 2>&1 | FileCheck %s --check-prefix=SHAPE
// SHAPE: --parameters: tensor 'w' of '{{.*}}' is F32 of rank 2 and 24 bytes, but argument 0 is 2x5xf32
// RUN: not pgopt-runner %t.packed.mlir --compare=%t/other.mlir 2>&1 | FileCheck %s --check-prefix=OTHER
// OTHER: argument 1 is 2x3xf32 in '{{.*}}', but 3x2xf32 in
// RUN: not pgopt-runner %t/layout.mlir 2>&1 | FileCheck %s --check-prefix=LAYOUT
// LAYOUT: error: pg.layout of argument 0 is [affine_map<(d0, d1) -> (d0, d0)>]

//--- packed.mlir
func.func @f(%w: tensor<3x2xf32> {pg.parameter = "w@b.a", pg.layout = [affine_map<(a, b) -> (b, a)>]}) -> tensor<3x2xf32> {
  return %w : tensor<3x2xf32>
}
//--- plain.mlir
func.func @f(%x: tensor<3x2xf32>, %w: tensor<2x3xf32> {pg.parameter = "w"}) -> tensor<3x2xf32> {
  %e = tensor.empty() : tensor<3x2xf32>
  %0 = linalg.transpose ins(%w : tensor<2x3xf32>) outs(%e : tensor<3x2xf32>) permutation = [1, 0]
  %f = tensor.empty() : tensor<3x2xf32>
  %1 = linalg.add ins(%x, %0 : tensor<3x2xf32>, tensor<3x2xf32>) outs(%f : tensor<3x2xf32>) -> tensor<3x2xf32>
  return %1 : tensor<3x2xf32>
}
//--- identity.mlir
func.func @f(%w: tensor<2x3xf32> {pg.parameter = "w"}) -> tensor<2x3xf32> {
  return %w : tensor<2x3xf32>
}
//--- shape.mlir
func.func @f(%w: tensor<5x2xf32> {pg.parameter = "w@b.a", pg.layout = [affine_map<(a, b) -> (b, a)>]}) -> tensor<5x2xf32> {
  return %w : tensor<5x2xf32>
}
//--- other.mlir
func.func @f(%x: tensor<3x2xf32>, %w: tensor<3x2xf32>) -> tensor<3x2xf32> {
  return %w : tensor<3x2xf32>
}
//--- layout.mlir
func.func @f(%w: tensor<3x5xf32> {pg.parameter = "w@a.a", pg.layout = [affine_map<(a, b) -> (a, a)>]}) -> tensor<3x5xf32> {
  return %w : tensor<3x5xf32>
}
