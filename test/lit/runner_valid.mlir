// Valid networks with operations that stand outside linalg run, on two workers
// too, and compute what upstream's plain loops do.
// RUN: split-file %s %t && cd %t
// RUN: pgopt-runner if.mlir --workers=2 --compare=if.mlir | FileCheck %s
// RUN: pgopt-runner arithmetic.mlir --workers=2 --compare=arithmetic.mlir | FileCheck %s
// RUN: pgopt-runner extract.mlir --workers=2 --compare=extract.mlir | FileCheck %s
// RUN: pgopt-runner insert.mlir --workers=2 --compare=insert.mlir | FileCheck %s
// CHECK: result 0: error 0 at

// Which branch is taken depends on the data.
// RUN: pgopt-runner if.mlir --seed=0 > zero.txt
// RUN: pgopt-runner if.mlir --seed=0 --naive | diff zero.txt -
// RUN: pgopt-runner if.mlir --seed=2 --workers=2 > two.txt
// RUN: pgopt-runner if.mlir --seed=2 --naive | diff two.txt -

// A number out of a tensor that only the network's result needs has no kernel.
// RUN: not pgopt-opt scalar.mlir --form-kernels 2>&1 | FileCheck %s --check-prefix=SCALAR
// SCALAR: scalar.mlir:4:3: error: operand 'tensor.extract' has no value between kernels
// RUN: pgopt-opt arithmetic.mlir --pgopt-normalize --mlir-pass-statistics -o /dev/null 2>&1 | FileCheck %s --check-prefix=ARITHMETIC
// ARITHMETIC: (S) 5 arithmetic
// ARITHMETIC: (S) 0 slices
// RUN: pgopt-opt extract.mlir --pgopt-normalize --mlir-pass-statistics -o /dev/null 2>&1 | FileCheck %s --check-prefix=COUNT
// COUNT: (S) 2 slices
// RUN: pgopt-opt extract.mlir --pgopt-normalize | FileCheck %s --check-prefix=EXTRACT
// EXTRACT: tensor.extract_slice %arg0[2, 0, 0, 2] [1, 1, 2, 1] [3, 1, 2, 2] : tensor<5x1x3x3xf32> to tensor<1x1x2x1xf32>
// EXTRACT: tensor.collapse_shape %{{.+}} {{\[}}[0, 1, 2, 3]] : tensor<1x1x2x1xf32> into tensor<2xf32>
// EXTRACT: tensor.collapse_shape %{{.+}} [] : tensor<1x1x1x1xf32> into tensor<f32>
// RUN: pgopt-opt insert.mlir --pgopt-normalize | FileCheck %s --check-prefix=INSERT
// INSERT: tensor.expand_shape %arg0 {{\[}}[0], [1, 2], [3]] output_shape [2, 1, 1, 2] : tensor<2x1x2xf32> into tensor<2x1x1x2xf32>
// The twins: no stride, or no dimension dropped.
// RUN: pgopt-opt kept.mlir --pgopt-normalize | FileCheck %s --check-prefix=KEPT
// KEPT-NOT: collapse_shape
// KEPT: return

//--- if.mlir
func.func @f(%a: tensor<3x5xf32>, %s: tensor<1xf32>) -> tensor<3x5xf32> {
  %c0 = arith.constant 0 : index
  %z = arith.constant 0.0 : f32
  %e0 = tensor.empty() : tensor<1xf32>
  %n = linalg.negf ins(%s : tensor<1xf32>) outs(%e0 : tensor<1xf32>) -> tensor<1xf32>
  %x = tensor.extract %n[%c0] : tensor<1xf32>
  %p = arith.cmpf ogt, %x, %z : f32
  %r = scf.if %p -> tensor<3x5xf32> {
    %e = tensor.empty() : tensor<3x5xf32>
    %0 = linalg.abs ins(%a : tensor<3x5xf32>) outs(%e : tensor<3x5xf32>) -> tensor<3x5xf32>
    scf.yield %0 : tensor<3x5xf32>
  } else {
    scf.yield %a : tensor<3x5xf32>
  }
  %e1 = tensor.empty() : tensor<3x5xf32>
  %t = linalg.negf ins(%r : tensor<3x5xf32>) outs(%e1 : tensor<3x5xf32>) -> tensor<3x5xf32>
  return %t : tensor<3x5xf32>
}

//--- arithmetic.mlir
func.func @f(%a: tensor<3x5xf32>, %b: tensor<3x5xf32>) -> tensor<3x5xf32> {
  %c = arith.constant dense<2.5> : tensor<3x5xf32>
  %0 = arith.mulf %a, %a : tensor<3x5xf32>
  %1 = math.absf %0 : tensor<3x5xf32>
  %2 = arith.addf %1, %b : tensor<3x5xf32>
  %3 = arith.cmpf ogt, %2, %c : tensor<3x5xf32>
  %4 = arith.select %3, %2, %b : tensor<3x5xi1>, tensor<3x5xf32>
  return %4 : tensor<3x5xf32>
}

//--- extract.mlir
func.func @f(%a: tensor<5x1x3x3xf32>) -> (tensor<2xf32>, tensor<f32>) {
  %0 = tensor.extract_slice %a[2, 0, 0, 2] [1, 1, 2, 1] [3, 1, 2, 2] : tensor<5x1x3x3xf32> to tensor<2xf32>
  %1 = tensor.extract_slice %a[2, 0, 1, 2] [1, 1, 1, 1] [3, 1, 2, 2] : tensor<5x1x3x3xf32> to tensor<f32>
  return %0, %1 : tensor<2xf32>, tensor<f32>
}

//--- insert.mlir
func.func @f(%b: tensor<2x1x2xf32>, %a: tensor<3x1x1x5xf32>) -> tensor<3x1x1x5xf32> {
  %0 = tensor.insert_slice %b into %a[0, 0, 0, 3] [2, 1, 1, 2] [2, 1, 1, 1] : tensor<2x1x2xf32> into tensor<3x1x1x5xf32>
  return %0 : tensor<3x1x1x5xf32>
}

//--- kept.mlir
func.func @f(%a: tensor<5x3xf32>) -> (tensor<3xf32>, tensor<3x1xf32>) {
  %0 = tensor.extract_slice %a[2, 0] [1, 3] [1, 1] : tensor<5x3xf32> to tensor<3xf32>
  %1 = tensor.extract_slice %a[0, 1] [3, 1] [2, 1] : tensor<5x3xf32> to tensor<3x1xf32>
  return %0, %1 : tensor<3xf32>, tensor<3x1xf32>
}

//--- scalar.mlir
func.func @f(%a: tensor<3xf32>) -> f32 {
  %c0 = arith.constant 0 : index
  %0 = tensor.extract %a[%c0] : tensor<3xf32>
  return %0 : f32
}
