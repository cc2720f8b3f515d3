// RUN: split-file %s %t
// A parameter file of one tensor, w = [1, 2]: 56 bytes of header (070 octal).
// RUN: printf '\070\000\000\000\000\000\000\000{"w":{"dtype":"F32","shape":[2],"data_offsets":[0,8]}}  \000\000\200\077\000\000\000\100' > %t.safetensors
// RUN: pgopt-runner %t/main.mlir --parameters=%t.safetensors --print-results | FileCheck %s
// CHECK: result 0: 2xf32
// CHECK-NEXT: {{^  \[1, 2\]$}}
// RUN: pgopt-opt --form-kernels %t/main.mlir -o %t.calls.mlir
// RUN: pgopt-runner %t.calls.mlir --parameters=%t.safetensors --print-results \
// RUN:   --compare=%t/main.mlir --bench=0.01 | FileCheck %s

// Without the file a parameter is random, like an elided constant.
// RUN: pgopt-runner %t/main.mlir --print-results > %t.random
// RUN: FileCheck %s --check-prefix=RANDOM < %t.random
// RANDOM-NOT: [1, 2]

// RUN: not pgopt-runner %t/name.mlir --parameters=%t.safetensors 2>&1 \
// RUN:   | FileCheck %s --check-prefix=NAME
// NAME: --parameters: '{{.*}}' has no tensor 'v', which argument 0 names
// RUN: not pgopt-runner %t/shape.mlir --parameters=%t.safetensors 2>&1 \
// RUN:   | FileCheck %s --check-prefix=SHAPE
// SHAPE: --parameters: tensor 'w' of '{{.*}}' is F32 of rank 1 and 8 bytes, but argument 0 is 3xf32
// RUN: not pgopt-runner %t/none.mlir --parameters=%t.safetensors 2>&1 \
// RUN:   | FileCheck %s --check-prefix=NONE
// NONE: --parameters: no argument of '{{.*}}' carries pg.parameter
// RUN: not pgopt-runner %t/main.mlir --parameters=%s 2>&1 \
// RUN:   | FileCheck %s --check-prefix=FORMAT
// FORMAT: --parameters: {{.*}}runner_parameters.mlir

//--- main.mlir
func.func @f(%w: tensor<2xf32> {pg.parameter = "w"}) -> tensor<2xf32> {
  return %w : tensor<2xf32>
}

//--- name.mlir
func.func @f(%w: tensor<2xf32> {pg.parameter = "v"}) -> tensor<2xf32> {
  return %w : tensor<2xf32>
}
//--- shape.mlir
func.func @f(%w: tensor<3xf32> {pg.parameter = "w"}) -> tensor<3xf32> {
  return %w : tensor<3xf32>
}
//--- none.mlir
func.func @f(%w: tensor<2xf32>) -> tensor<2xf32> {
  return %w : tensor<2xf32>
}
