// Random data for what square roots and logarithms read is positive.
// RUN: split-file %s %t && cd %t

// Without the option the variance is negative in places.
// RUN: pgopt-runner norm.mlir | FileCheck %s --check-prefix=ODD
// ODD: result 0: 3x7xf32, {{.*}}, {{[0-9]+}} NaN or infinite
// RUN: pgopt-runner norm.mlir --positive=auto --compare=norm.mlir | FileCheck %s
// RUN: pgopt-runner tosa.mlir --positive=auto --compare=tosa.mlir | FileCheck %s
// CHECK: result 0: 3x7xf32, {{[-+e0-9.]+}} to {{[-+e0-9.]+}}, mean {{[-+e0-9.]+$}}
// CHECK-NEXT: result 0: error {{[-e0-9.]+}} at

// What is behind a subtraction, a product or a sum over elements may be
// anything.
// RUN: pgopt-runner others.mlir --positive=auto | FileCheck %s --check-prefix=OTHERS
// OTHERS: result 0: 7xf32, -{{[0-9.]+}} to

// The network is followed where it is on tensors: in either file.
// RUN: pgopt-opt norm.mlir --form-kernels -o calls.mlir
// RUN: pgopt-runner calls.mlir --positive=auto --compare=norm.mlir | FileCheck %s
// RUN: not pgopt-runner calls.mlir --positive=auto 2>&1 | FileCheck %s --check-prefix=NONE
// NONE: pgopt-runner: --positive: no network is on tensors
// RUN: not pgopt-runner norm.mlir --positive=3 2>&1 | FileCheck %s --check-prefix=WORD
// WORD: --positive: '3' is not 'auto'

//--- norm.mlir
#c = affine_map<(i, j) -> (i)>
#x = affine_map<(i, j) -> (i, j)>
func.func @f(%x: tensor<3x7xf32>, %variance: tensor<3xf32>) -> tensor<3x7xf32> {
  %epsilon = arith.constant 1.0e-5 : f32
  %e = tensor.empty() : tensor<3x7xf32>
  %0 = linalg.generic {indexing_maps = [#x, #c, #x], iterator_types = ["parallel", "parallel"]} ins(%x, %variance : tensor<3x7xf32>, tensor<3xf32>) outs(%e : tensor<3x7xf32>) {
  ^bb0(%a: f32, %v: f32, %o: f32):
    %s = arith.addf %v, %epsilon : f32
    %r = math.rsqrt %s : f32
    %m = arith.mulf %a, %r : f32
    linalg.yield %m : f32
  } -> tensor<3x7xf32>
  return %0 : tensor<3x7xf32>
}

//--- tosa.mlir
func.func @f(%x: tensor<3x7xf32>, %variance: tensor<3xf32>) -> tensor<3x7xf32> {
  %epsilon = "tosa.const"() <{values = dense<1.0e-5> : tensor<3x1xf32>}> : () -> tensor<3x1xf32>
  %shape = tosa.const_shape {values = dense<[3, 1]> : tensor<2xindex>} : () -> !tosa.shape<2>
  %zero = "tosa.const"() <{values = dense<0> : tensor<1xi8>}> : () -> tensor<1xi8>
  %v = tosa.reshape %variance, %shape : (tensor<3xf32>, !tosa.shape<2>) -> tensor<3x1xf32>
  %s = tosa.add %v, %epsilon : (tensor<3x1xf32>, tensor<3x1xf32>) -> tensor<3x1xf32>
  %r = tosa.rsqrt %s : (tensor<3x1xf32>) -> tensor<3x1xf32>
  %y = tosa.mul %x, %r, %zero : (tensor<3x7xf32>, tensor<3x1xf32>, tensor<1xi8>) -> tensor<3x7xf32>
  return %y : tensor<3x7xf32>
}

//--- others.mlir
func.func @f(%a: tensor<7xf32>) -> tensor<7xf32> {
  %e = tensor.empty() : tensor<7xf32>
  %0 = linalg.mul ins(%a, %a : tensor<7xf32>, tensor<7xf32>) outs(%e : tensor<7xf32>) -> tensor<7xf32>
  %e1 = tensor.empty() : tensor<7xf32>
  %1 = linalg.sqrt ins(%0 : tensor<7xf32>) outs(%e1 : tensor<7xf32>) -> tensor<7xf32>
  %e2 = tensor.empty() : tensor<7xf32>
  %2 = linalg.sub ins(%a, %1 : tensor<7xf32>, tensor<7xf32>) outs(%e2 : tensor<7xf32>) -> tensor<7xf32>
  return %2 : tensor<7xf32>
}
