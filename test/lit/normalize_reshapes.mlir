// Operations behind a reshape of what a linalg op computed run over the shape in
// front of it: a bias behind a product of collapsed rows, a row's number that
// gets its dimension back, a whole softmax.

// RUN: split-file %s %t
// RUN: pgopt-opt %t/bias.mlir --pgopt-normalize | FileCheck %s --check-prefix=BIAS
// RUN: pgopt-opt %t/softmax.mlir --pgopt-normalize | FileCheck %s --check-prefix=SOFTMAX
// RUN: pgopt-opt %t/narrow.mlir --pgopt-normalize | FileCheck %s --check-prefix=NARROW
// RUN: pgopt-opt %t/narrow.mlir --form-kernels | FileCheck %s --check-prefix=KERNELS
// RUN: pgopt-opt %t/not.mlir --pgopt-normalize | FileCheck %s --check-prefix=NOT
// RUN: pgopt-opt %t/bias.mlir --pgopt-normalize --mlir-pass-statistics \
// RUN:   -o /dev/null 2>&1 | FileCheck %s --check-prefix=COUNT
// Nothing is left for a second run, nor storage that nobody uses.
// RUN: pgopt-opt %t/softmax.mlir --pgopt-normalize -o %t/once.mlir
// RUN: pgopt-opt %t/once.mlir --pgopt-normalize -o %t/twice.mlir
// RUN: cmp %t/once.mlir %t/twice.mlir
// RUN: pgopt-opt %t/narrow.mlir --pgopt-normalize -o %t/once.mlir
// RUN: pgopt-opt %t/once.mlir --pgopt-normalize | diff - %t/once.mlir
// RUN: pgopt-runner %t/narrow.mlir --compare=%t/narrow.mlir
// RUN: pgopt-runner %t/bias.mlir --compare=%t/bias.mlir
// RUN: pgopt-runner %t/softmax.mlir --compare=%t/softmax.mlir
// RUN: pgopt-runner %t/not.mlir --compare=%t/not.mlir

// A second run finds nothing to do.
// RUN: pgopt-opt %t/softmax.mlir --pgopt-normalize -o %t/once.mlir
// RUN: pgopt-opt %t/once.mlir --pgopt-normalize | diff - %t/once.mlir

// 3 x 5 rows are one loop again. The bias runs along the columns, the gate has
// a number a batch, which it does not have for the rows: what the collapsed rows
// would need is not there, so the gate stays behind the reshape.
// BIAS-LABEL: func.func @bias(
// BIAS: %[[P:.+]] = linalg.matmul
// BIAS-NOT: tensor.expand_shape
// BIAS: %[[R:.+]] = tensor.collapse_shape %arg3 {{\[}}[0, 1], [2]] : tensor<3x5x11xf32> into tensor<15x11xf32>
// BIAS: %[[B:.+]] = linalg.generic {{.*}} ins(%[[P]], %arg2, %[[R]] : tensor<15x11xf32>, tensor<11xf32>, tensor<15x11xf32>)
// BIAS: %[[E:.+]] = tensor.expand_shape %[[B]] {{\[}}[0, 1], [2]] output_shape [3, 5, 11]
// BIAS: linalg.generic {{.*}} ins(%[[E]], %arg4 : tensor<3x5x11xf32>, tensor<3xf32>)
// COUNT: (S) 1 reshapes

// SOFTMAX-LABEL: func.func @softmax(
// SOFTMAX: linalg.batch_matmul
// SOFTMAX-NOT: tensor.expand_shape
// SOFTMAX: linalg.generic {{.*}} iterator_types = ["parallel", "parallel", "reduction"]
// SOFTMAX: linalg.generic {{.*}} ins(%{{.+}}, %{{.+}} : tensor<2x5x7xf32>, tensor<2x5xf32>)
// SOFTMAX-NOT: tensor.expand_shape
// SOFTMAX: linalg.generic {{.*}} ins(%{{.+}}, %{{.+}} : tensor<2x5x7xf32>, tensor<2x5xf32>)
// SOFTMAX: tensor.expand_shape
// SOFTMAX-NOT: tensor.expand_shape
// SOFTMAX: return

// Numbers of rows that got a dimension of extent 1, as TOSA has them, are read
// without it; an argument is read as it is. The chain is one kernel.
// NARROW-LABEL: func.func @narrow(
// NARROW: %[[MOST:.+]] = linalg.reduce { arith.maximumf }
// NARROW-NOT: tensor.expand_shape
// NARROW: linalg.generic {{.*}} ins(%{{.+}}, %[[MOST]] : tensor<5x11xf32>, tensor<5xf32>)
// NARROW: %[[SUM:.+]] = linalg.reduce { arith.addf }
// NARROW-NOT: tensor.expand_shape
// NARROW: linalg.generic {{.*}} ins(%{{.+}}, %[[SUM]] : tensor<5x11xf32>, tensor<5xf32>)
// NARROW: linalg.generic {{.*}} ins(%{{.+}}, %arg2 : tensor<5x11xf32>, tensor<5x1xf32>)
// KERNELS: call @matmul_0(
// KERNELS-COUNT-2: call @
// KERNELS-NOT: call @

// What reads another order, the number of a row, or an argument's reshape.
// NOT-LABEL: func.func @not(
// NOT: tensor.expand_shape
// NOT: linalg.generic {{.*}} ins(%{{.+}} : tensor<3x5x11xf32>) outs(%{{.+}} : tensor<5x3x11xf32>)
// NOT: linalg.generic {{.*}} ins(%{{.+}} : tensor<3x5x11xf32>) outs(%{{.+}} : tensor<3x5x11xf32>)
// NOT: linalg.index
// NOT: linalg.generic {{.*}} ins(%{{.+}} : tensor<3x5x7xf32>)

//--- bias.mlir
#id = affine_map<(i, j, k) -> (i, j, k)>
#last = affine_map<(i, j, k) -> (k)>
#first = affine_map<(i, j, k) -> (i)>
func.func @bias(%a: tensor<15x7xf32>, %b: tensor<7x11xf32>, %bias: tensor<11xf32>, %residual: tensor<3x5x11xf32>, %gate: tensor<3xf32>) -> tensor<3x5x11xf32> {
  %zero = arith.constant 0.0 : f32
  %0 = tensor.empty() : tensor<15x11xf32>
  %1 = linalg.fill ins(%zero : f32) outs(%0 : tensor<15x11xf32>) -> tensor<15x11xf32>
  %2 = linalg.matmul ins(%a, %b : tensor<15x7xf32>, tensor<7x11xf32>) outs(%1 : tensor<15x11xf32>) -> tensor<15x11xf32>
  %3 = tensor.expand_shape %2 [[0, 1], [2]] output_shape [3, 5, 11] : tensor<15x11xf32> into tensor<3x5x11xf32>
  %4 = tensor.empty() : tensor<3x5x11xf32>
  %5 = linalg.generic {indexing_maps = [#id, #last, #id, #id], iterator_types = ["parallel", "parallel", "parallel"]} ins(%3, %bias, %residual : tensor<3x5x11xf32>, tensor<11xf32>, tensor<3x5x11xf32>) outs(%4 : tensor<3x5x11xf32>) {
  ^bb0(%x: f32, %y: f32, %r: f32, %o: f32):
    %s = arith.addf %x, %y : f32
    %t = arith.addf %s, %r : f32
    linalg.yield %t : f32
  } -> tensor<3x5x11xf32>
  %6 = tensor.empty() : tensor<3x5x11xf32>
  %7 = linalg.generic {indexing_maps = [#id, #first, #id], iterator_types = ["parallel", "parallel", "parallel"]} ins(%5, %gate : tensor<3x5x11xf32>, tensor<3xf32>) outs(%6 : tensor<3x5x11xf32>) {
  ^bb0(%x: f32, %y: f32, %o: f32):
    %s = arith.mulf %x, %y : f32
    linalg.yield %s : f32
  } -> tensor<3x5x11xf32>
  return %7 : tensor<3x5x11xf32>
}

//--- softmax.mlir
#id = affine_map<(b, h, i, j) -> (b, h, i, j)>
#row = affine_map<(b, h, i, j) -> (b, h, i)>
#number = affine_map<(b, h, i, j) -> (b, h, i, 0)>
func.func @softmax(%a: tensor<2x5x3xf32>, %b: tensor<2x3x7xf32>) -> tensor<1x2x5x7xf32> {
  %zero = arith.constant 0.0 : f32
  %low = arith.constant 0xFF800000 : f32
  %0 = tensor.empty() : tensor<2x5x7xf32>
  %1 = linalg.fill ins(%zero : f32) outs(%0 : tensor<2x5x7xf32>) -> tensor<2x5x7xf32>
  %2 = linalg.batch_matmul ins(%a, %b : tensor<2x5x3xf32>, tensor<2x3x7xf32>) outs(%1 : tensor<2x5x7xf32>) -> tensor<2x5x7xf32>
  %3 = tensor.expand_shape %2 [[0, 1], [2], [3]] output_shape [1, 2, 5, 7] : tensor<2x5x7xf32> into tensor<1x2x5x7xf32>
  %4 = tensor.empty() : tensor<1x2x5xf32>
  %5 = linalg.fill ins(%low : f32) outs(%4 : tensor<1x2x5xf32>) -> tensor<1x2x5xf32>
  %6 = linalg.generic {indexing_maps = [#id, #row], iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%3 : tensor<1x2x5x7xf32>) outs(%5 : tensor<1x2x5xf32>) {
  ^bb0(%x: f32, %o: f32):
    %r = arith.maximumf %o, %x : f32
    linalg.yield %r : f32
  } -> tensor<1x2x5xf32>
  %7 = tensor.expand_shape %6 [[0], [1], [2, 3]] output_shape [1, 2, 5, 1] : tensor<1x2x5xf32> into tensor<1x2x5x1xf32>
  %8 = tensor.empty() : tensor<1x2x5x7xf32>
  %9 = linalg.generic {indexing_maps = [#id, #number, #id], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%3, %7 : tensor<1x2x5x7xf32>, tensor<1x2x5x1xf32>) outs(%8 : tensor<1x2x5x7xf32>) {
  ^bb0(%x: f32, %m: f32, %o: f32):
    %d = arith.subf %x, %m : f32
    %r = math.exp %d : f32
    linalg.yield %r : f32
  } -> tensor<1x2x5x7xf32>
  %10 = tensor.empty() : tensor<1x2x5xf32>
  %11 = linalg.fill ins(%zero : f32) outs(%10 : tensor<1x2x5xf32>) -> tensor<1x2x5xf32>
  %12 = linalg.generic {indexing_maps = [#id, #row], iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%9 : tensor<1x2x5x7xf32>) outs(%11 : tensor<1x2x5xf32>) {
  ^bb0(%x: f32, %o: f32):
    %r = arith.addf %o, %x : f32
    linalg.yield %r : f32
  } -> tensor<1x2x5xf32>
  %13 = tensor.expand_shape %12 [[0], [1], [2, 3]] output_shape [1, 2, 5, 1] : tensor<1x2x5xf32> into tensor<1x2x5x1xf32>
  %14 = tensor.empty() : tensor<1x2x5x7xf32>
  %15 = linalg.generic {indexing_maps = [#id, #number, #id], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%9, %13 : tensor<1x2x5x7xf32>, tensor<1x2x5x1xf32>) outs(%14 : tensor<1x2x5x7xf32>) {
  ^bb0(%x: f32, %m: f32, %o: f32):
    %r = arith.divf %x, %m : f32
    linalg.yield %r : f32
  } -> tensor<1x2x5x7xf32>
  return %15 : tensor<1x2x5x7xf32>
}

//--- narrow.mlir
#id = affine_map<(i, j) -> (i, j)>
#one = affine_map<(i, j) -> (i, 0)>
func.func @narrow(%a: tensor<5x7xf32>, %b: tensor<7x11xf32>, %wide: tensor<5x1xf32>) -> (tensor<5x11xf32>, tensor<5x11xf32>) {
  %zero = arith.constant 0.0 : f32
  %low = arith.constant 0xFF800000 : f32
  %m = tensor.empty() : tensor<5x11xf32>
  %f = linalg.fill ins(%zero : f32) outs(%m : tensor<5x11xf32>) -> tensor<5x11xf32>
  %x = linalg.matmul ins(%a, %b : tensor<5x7xf32>, tensor<7x11xf32>) outs(%f : tensor<5x11xf32>) -> tensor<5x11xf32>
  %n = tensor.empty() : tensor<5xf32>
  %lowest = linalg.fill ins(%low : f32) outs(%n : tensor<5xf32>) -> tensor<5xf32>
  %most = linalg.reduce {arith.maximumf} ins(%x : tensor<5x11xf32>) outs(%lowest : tensor<5xf32>) dimensions = [1]
  %kept = tensor.expand_shape %most [[0, 1]] output_shape [5, 1] : tensor<5xf32> into tensor<5x1xf32>
  %e = linalg.generic {indexing_maps = [#id, #one, #id], iterator_types = ["parallel", "parallel"]} ins(%x, %kept : tensor<5x11xf32>, tensor<5x1xf32>) outs(%m : tensor<5x11xf32>) {
  ^bb0(%v: f32, %w: f32, %o: f32):
    %d = arith.subf %v, %w : f32
    %r = math.exp %d : f32
    linalg.yield %r : f32
  } -> tensor<5x11xf32>
  %none = linalg.fill ins(%zero : f32) outs(%n : tensor<5xf32>) -> tensor<5xf32>
  %sum = linalg.reduce {arith.addf} ins(%e : tensor<5x11xf32>) outs(%none : tensor<5xf32>) dimensions = [1]
  %total = tensor.expand_shape %sum [[0, 1]] output_shape [5, 1] : tensor<5xf32> into tensor<5x1xf32>
  %s = linalg.generic {indexing_maps = [#id, #one, #id], iterator_types = ["parallel", "parallel"]} ins(%e, %total : tensor<5x11xf32>, tensor<5x1xf32>) outs(%m : tensor<5x11xf32>) {
  ^bb0(%v: f32, %w: f32, %o: f32):
    %r = arith.divf %v, %w : f32
    linalg.yield %r : f32
  } -> tensor<5x11xf32>
  // An argument is read as it is.
  %t = linalg.generic {indexing_maps = [#id, #one, #id], iterator_types = ["parallel", "parallel"]} ins(%s, %wide : tensor<5x11xf32>, tensor<5x1xf32>) outs(%m : tensor<5x11xf32>) {
  ^bb0(%v: f32, %w: f32, %o: f32):
    %r = arith.mulf %v, %w : f32
    linalg.yield %r : f32
  } -> tensor<5x11xf32>
  return %s, %t : tensor<5x11xf32>, tensor<5x11xf32>
}

//--- not.mlir
#id = affine_map<(i, j, k) -> (i, j, k)>
#turned = affine_map<(i, j, k) -> (j, i, k)>
func.func @not(%a: tensor<15x7xf32>, %b: tensor<7x11xf32>) -> (tensor<5x3x11xf32>, tensor<3x5x11xf32>, tensor<3x5x7xf32>) {
  %zero = arith.constant 0.0 : f32
  %0 = tensor.empty() : tensor<15x11xf32>
  %1 = linalg.fill ins(%zero : f32) outs(%0 : tensor<15x11xf32>) -> tensor<15x11xf32>
  %2 = linalg.matmul ins(%a, %b : tensor<15x7xf32>, tensor<7x11xf32>) outs(%1 : tensor<15x11xf32>) -> tensor<15x11xf32>
  %3 = tensor.expand_shape %2 [[0, 1], [2]] output_shape [3, 5, 11] : tensor<15x11xf32> into tensor<3x5x11xf32>
  %4 = tensor.empty() : tensor<5x3x11xf32>
  %5 = linalg.generic {indexing_maps = [#turned, #id], iterator_types = ["parallel", "parallel", "parallel"]} ins(%3 : tensor<3x5x11xf32>) outs(%4 : tensor<5x3x11xf32>) {
  ^bb0(%x: f32, %o: f32):
    %r = arith.addf %x, %x : f32
    linalg.yield %r : f32
  } -> tensor<5x3x11xf32>
  %6 = tensor.empty() : tensor<3x5x11xf32>
  %7 = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel", "parallel"]} ins(%3 : tensor<3x5x11xf32>) outs(%6 : tensor<3x5x11xf32>) {
  ^bb0(%x: f32, %o: f32):
    %n = linalg.index 1 : index
    %i = arith.index_cast %n : index to i32
    %f = arith.sitofp %i : i32 to f32
    %r = arith.addf %x, %f : f32
    linalg.yield %r : f32
  } -> tensor<3x5x11xf32>
  %8 = tensor.expand_shape %a [[0, 1], [2]] output_shape [3, 5, 7] : tensor<15x7xf32> into tensor<3x5x7xf32>
  %9 = tensor.empty() : tensor<3x5x7xf32>
  %10 = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel", "parallel"]} ins(%8 : tensor<3x5x7xf32>) outs(%9 : tensor<3x5x7xf32>) {
  ^bb0(%x: f32, %o: f32):
    %r = arith.addf %x, %x : f32
    linalg.yield %r : f32
  } -> tensor<3x5x7xf32>
  return %5, %7, %10 : tensor<5x3x11xf32>, tensor<3x5x11xf32>, tensor<3x5x7xf32>
}
