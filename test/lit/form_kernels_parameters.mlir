// RUN: mkdir -p %t && cd %t && pgopt-opt %s --form-kernels=parameters=weights.safetensors -o calls.mlir
// RUN: FileCheck %s < %t/calls.mlir
// RUN: FileCheck %s --check-prefix=FILE < %t/weights.safetensors
// RUN: pgopt-opt %s --form-kernels=parameters=%t/x --mlir-pass-statistics -o /dev/null 2>&1 | FileCheck %s --check-prefix=STATS
// RUN: not pgopt-opt %s --form-kernels=parameters=%t/no/such/folder/x 2>&1 | FileCheck %s --check-prefix=FOLDER
// RUN: pgopt-opt %s --form-kernels | FileCheck %s --check-prefix=INLINE

// 131 x 131 x 4 = 68644 bytes are moved, 127 x 127 x 4 = 64516 stay.
// CHECK: module attributes {pg.parameters = {path = "weights.safetensors", sha256 = "{{[0-9a-f]+}}"}}
// CHECK-DAG: memref.global "private" @[[BIG:.+]] : memref<131x131xf32> {{.*}}pg.parameter = "[[BIG]]"
// CHECK-DAG: memref.global "private" constant @{{.+}} : memref<127x127xf32> = dense<2.000000e+00>
// CHECK: memref.get_global @[[BIG]]
// FILE: "dtype":{{ ?}}"F32"
// STATS: (S) 1 constants-moved
// FOLDER: error: parameters:
// INLINE-NOT: pg.parameter
// INLINE: memref.global "private" constant @{{.+}} : memref<131x131xf32> = dense<1.500000e+00>
// INLINE-NOT: pg.parameter
func.func @f(%a: tensor<131x131xf32>, %b: tensor<127x127xf32>) -> (tensor<131x131xf32>, tensor<127x127xf32>) {
  %w = arith.constant dense<1.5> : tensor<131x131xf32>
  %v = arith.constant dense<2.0> : tensor<127x127xf32>
  %e = tensor.empty() : tensor<131x131xf32>
  %0 = linalg.add ins(%a, %w : tensor<131x131xf32>, tensor<131x131xf32>) outs(%e : tensor<131x131xf32>) -> tensor<131x131xf32>
  %e1 = tensor.empty() : tensor<127x127xf32>
  %1 = linalg.add ins(%b, %v : tensor<127x127xf32>, tensor<127x127xf32>) outs(%e1 : tensor<127x127xf32>) -> tensor<127x127xf32>
  return %0, %1 : tensor<131x131xf32>, tensor<127x127xf32>
}
