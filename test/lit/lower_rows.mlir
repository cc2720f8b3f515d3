// Chains along rows: one loop over the rows, passes over each, no buffer but of
// one row.

// RUN: split-file %s %t
// RUN: pgopt-opt %t/softmax.mlir --form-kernels | FileCheck %s --check-prefix=FORM
// RUN: pgopt-opt %t/softmax.mlir --pgopt-lower="target-cpu=x86-64-v3" \
// RUN:   --mlir-print-ir-before=convert-scf-to-cf -o /dev/null 2>&1 | \
// RUN:   FileCheck %s --check-prefix=SOFTMAX
// RUN: pgopt-opt %t/norm.mlir --pgopt-lower="target-cpu=x86-64-v3" \
// RUN:   --mlir-print-ir-before=convert-scf-to-cf -o /dev/null 2>&1 | \
// RUN:   FileCheck %s --check-prefix=NORM
// RUN: pgopt-opt %t/norm.mlir --pgopt-lower --mlir-pass-statistics \
// RUN:   -o /dev/null 2>&1 | FileCheck %s --check-prefix=COUNT
// RUN: pgopt-opt %t/apart.mlir --form-kernels | FileCheck %s --check-prefix=APART

// The same numbers as operation by operation; cuts change none of them.
// RUN: pgopt-runner %t/softmax.mlir --compare=%t/softmax.mlir
// RUN: pgopt-runner %t/norm.mlir --compare=%t/norm.mlir
// RUN: pgopt-runner %t/apart.mlir --compare=%t/apart.mlir
// RUN: pgopt-opt %t/softmax.mlir --form-kernels=split=3 -o %t/cut.mlir
// RUN: FileCheck %s --check-prefix=CUT --input-file=%t/cut.mlir
// RUN: pgopt-runner %t/cut.mlir --compare=%t/softmax.mlir --reference=auto \
// RUN:   --tolerance=0
// RUN: pgopt-opt %t/norm.mlir --form-kernels=split=2 -o %t/cut.mlir
// RUN: pgopt-runner %t/cut.mlir --compare=%t/norm.mlir --reference=auto \
// RUN:   --tolerance=0

// FORM-LABEL: func.func @softmax(
// FORM: call @reduce_max_0(
// FORM-NOT: call @
// CUT: {pg.access = {dim = 0 : i64, mode = "read", scale = 1 : i64, window = 1 : i64}}
// CUT-LABEL: func.func @softmax(
// CUT-COUNT-3: call @reduce_max_0(
// CUT-NOT: call @

// 37 numbers a row are 4 x 8 + 5. Two rows go side by side, the seventh is alone.
// The maximum has four accumulators, then what is left of the row, and looks for
// NaN in two vectors at a time; exp and sum are one pass, the exponentials stay in
// a buffer of both rows.
// SOFTMAX-LABEL: func.func private @reduce_max_0(
// SOFTMAX-SAME: memref<5x7x37xf32>
// SOFTMAX-NOT: linalg
// SOFTMAX: scf.for %{{.+}} = %c0 to %c5 step %c1 {
// SOFTMAX: scf.for %{{.+}} = %c0 to %c6 step %c2 {
// SOFTMAX-COUNT-8: vector.load
// SOFTMAX-COUNT-2: vector.maskedload
// SOFTMAX: arith.select
// SOFTMAX: arith.cmpf uno
// SOFTMAX: vector.shuffle {{.+}} [1, 0, 3, 2, 5, 4, 7, 6]
// SOFTMAX: scf.for %{{.+}} = %c0 to %c32 step %c8 iter_args(
// SOFTMAX-COUNT-2: vector.store %{{.+}} : memref<80xf32>
// SOFTMAX: scf.for %{{.+}} = %c0 to %c32 step %c8 {
// SOFTMAX: vector.load %{{.+}} : memref<80xf32>
// SOFTMAX: arith.divf
// SOFTMAX: scf.for %{{.+}} = %c0 to %c32 step %c8 iter_args(
// SOFTMAX: vector.store %{{.+}} : memref<80xf32>
// SOFTMAX: scf.for %{{.+}} = %c0 to %c32 step %c8 {
// SOFTMAX: arith.divf
// SOFTMAX-NOT: scf.for
// SOFTMAX-LABEL: func.func @softmax(

// Mean, then the difference and the sum of its squares, then the rest: gain and
// bias run along the row.
// NORM-LABEL: func.func private @reduce_add_0(
// NORM-NOT: linalg
// NORM: scf.for %{{.+}} = %c0 to %c10 step %c2 {
// NORM: arith.divf {{.*}} : vector<8xf32>
// NORM: arith.subf
// NORM: vector.store %{{.+}} : memref<272xf32>
// NORM: arith.mulf
// NORM: vector.load %{{.+}} : memref<272xf32>
// NORM: math.sqrt {{.*}} : vector<8xf32>
// NORM-LABEL: func.func @norm(
// COUNT: (S) 6 rows
// COUNT: (S) 0 vectorized

// What other kernels read as well ends the chain, a column is no row, and a row
// does not read another one.
// APART-LABEL: func.func @apart(
// APART: call @reduce_max
// APART: call @sub
// APART: call @exp
// APART: call @reduce_add
// APART: call @mul
// APART-NOT: call @

//--- softmax.mlir
#id = affine_map<(b, i, j) -> (b, i, j)>
#row = affine_map<(b, i, j) -> (b, i)>
func.func @softmax(%x: tensor<5x7x37xf32>) -> tensor<5x7x37xf32> {
  %zero = arith.constant 0.0 : f32
  %low = arith.constant 0xFF800000 : f32
  %0 = tensor.empty() : tensor<5x7xf32>
  %1 = linalg.fill ins(%low : f32) outs(%0 : tensor<5x7xf32>) -> tensor<5x7xf32>
  %2 = linalg.generic {indexing_maps = [#id, #row], iterator_types = ["parallel", "parallel", "reduction"]} ins(%x : tensor<5x7x37xf32>) outs(%1 : tensor<5x7xf32>) {
  ^bb0(%a: f32, %o: f32):
    %r = arith.maximumf %o, %a : f32
    linalg.yield %r : f32
  } -> tensor<5x7xf32>
  %3 = tensor.empty() : tensor<5x7x37xf32>
  %4 = linalg.generic {indexing_maps = [#id, #row, #id], iterator_types = ["parallel", "parallel", "parallel"]} ins(%x, %2 : tensor<5x7x37xf32>, tensor<5x7xf32>) outs(%3 : tensor<5x7x37xf32>) {
  ^bb0(%a: f32, %m: f32, %o: f32):
    %r = arith.subf %a, %m : f32
    linalg.yield %r : f32
  } -> tensor<5x7x37xf32>
  %5 = tensor.empty() : tensor<5x7x37xf32>
  %6 = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel", "parallel"]} ins(%4 : tensor<5x7x37xf32>) outs(%5 : tensor<5x7x37xf32>) {
  ^bb0(%a: f32, %o: f32):
    %r = math.exp %a : f32
    linalg.yield %r : f32
  } -> tensor<5x7x37xf32>
  %7 = tensor.empty() : tensor<5x7xf32>
  %8 = linalg.fill ins(%zero : f32) outs(%7 : tensor<5x7xf32>) -> tensor<5x7xf32>
  %9 = linalg.generic {indexing_maps = [#id, #row], iterator_types = ["parallel", "parallel", "reduction"]} ins(%6 : tensor<5x7x37xf32>) outs(%8 : tensor<5x7xf32>) {
  ^bb0(%a: f32, %o: f32):
    %r = arith.addf %o, %a : f32
    linalg.yield %r : f32
  } -> tensor<5x7xf32>
  %10 = tensor.empty() : tensor<5x7x37xf32>
  %11 = linalg.generic {indexing_maps = [#id, #row, #id], iterator_types = ["parallel", "parallel", "parallel"]} ins(%6, %9 : tensor<5x7x37xf32>, tensor<5x7xf32>) outs(%10 : tensor<5x7x37xf32>) {
  ^bb0(%a: f32, %m: f32, %o: f32):
    %r = arith.divf %a, %m : f32
    linalg.yield %r : f32
  } -> tensor<5x7x37xf32>
  return %11 : tensor<5x7x37xf32>
}

//--- norm.mlir
#id = affine_map<(i, j) -> (i, j)>
#row = affine_map<(i, j) -> (i)>
#column = affine_map<(i, j) -> (j)>
#number = affine_map<(i) -> (i)>
func.func @norm(%x: tensor<11x131xf32>, %gain: tensor<131xf32>, %bias: tensor<131xf32>) -> tensor<11x131xf32> {
  %zero = arith.constant 0.0 : f32
  %0 = tensor.empty() : tensor<11xf32>
  %1 = linalg.fill ins(%zero : f32) outs(%0 : tensor<11xf32>) -> tensor<11xf32>
  %2 = linalg.generic {indexing_maps = [#id, #row], iterator_types = ["parallel", "reduction"]} ins(%x : tensor<11x131xf32>) outs(%1 : tensor<11xf32>) {
  ^bb0(%a: f32, %o: f32):
    %r = arith.addf %o, %a : f32
    linalg.yield %r : f32
  } -> tensor<11xf32>
  %3 = tensor.empty() : tensor<11xf32>
  %4 = linalg.generic {indexing_maps = [#number, #number], iterator_types = ["parallel"]} ins(%2 : tensor<11xf32>) outs(%3 : tensor<11xf32>) {
  ^bb0(%a: f32, %o: f32):
    %n = arith.constant 131.0 : f32
    %r = arith.divf %a, %n : f32
    linalg.yield %r : f32
  } -> tensor<11xf32>
  %5 = tensor.empty() : tensor<11x131xf32>
  %6 = linalg.generic {indexing_maps = [#id, #row, #id], iterator_types = ["parallel", "parallel"]} ins(%x, %4 : tensor<11x131xf32>, tensor<11xf32>) outs(%5 : tensor<11x131xf32>) {
  ^bb0(%a: f32, %m: f32, %o: f32):
    %r = arith.subf %a, %m : f32
    linalg.yield %r : f32
  } -> tensor<11x131xf32>
  %7 = tensor.empty() : tensor<11x131xf32>
  %8 = linalg.generic {indexing_maps = [#id, #id, #id], iterator_types = ["parallel", "parallel"]} ins(%6, %6 : tensor<11x131xf32>, tensor<11x131xf32>) outs(%7 : tensor<11x131xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %r = arith.mulf %a, %b : f32
    linalg.yield %r : f32
  } -> tensor<11x131xf32>
  %9 = tensor.empty() : tensor<11xf32>
  %10 = linalg.fill ins(%zero : f32) outs(%9 : tensor<11xf32>) -> tensor<11xf32>
  %11 = linalg.generic {indexing_maps = [#id, #row], iterator_types = ["parallel", "reduction"]} ins(%8 : tensor<11x131xf32>) outs(%10 : tensor<11xf32>) {
  ^bb0(%a: f32, %o: f32):
    %r = arith.addf %o, %a : f32
    linalg.yield %r : f32
  } -> tensor<11xf32>
  %12 = tensor.empty() : tensor<11xf32>
  %13 = linalg.generic {indexing_maps = [#number, #number], iterator_types = ["parallel"]} ins(%11 : tensor<11xf32>) outs(%12 : tensor<11xf32>) {
  ^bb0(%a: f32, %o: f32):
    %n = arith.constant 131.0 : f32
    %e = arith.constant 1.0e-5 : f32
    %d = arith.divf %a, %n : f32
    %s = arith.addf %d, %e : f32
    %r = math.sqrt %s : f32
    linalg.yield %r : f32
  } -> tensor<11xf32>
  %14 = tensor.empty() : tensor<11x131xf32>
  %15 = linalg.generic {indexing_maps = [#id, #row, #id], iterator_types = ["parallel", "parallel"]} ins(%6, %13 : tensor<11x131xf32>, tensor<11xf32>) outs(%14 : tensor<11x131xf32>) {
  ^bb0(%a: f32, %m: f32, %o: f32):
    %r = arith.divf %a, %m : f32
    linalg.yield %r : f32
  } -> tensor<11x131xf32>
  %16 = tensor.empty() : tensor<11x131xf32>
  %17 = linalg.generic {indexing_maps = [#id, #column, #column, #id], iterator_types = ["parallel", "parallel"]} ins(%15, %gain, %bias : tensor<11x131xf32>, tensor<131xf32>, tensor<131xf32>) outs(%16 : tensor<11x131xf32>) {
  ^bb0(%a: f32, %g: f32, %b: f32, %o: f32):
    %p = arith.mulf %a, %g : f32
    %r = arith.addf %p, %b : f32
    linalg.yield %r : f32
  } -> tensor<11x131xf32>
  return %17 : tensor<11x131xf32>
}

//--- apart.mlir
#id = affine_map<(i, j) -> (i, j)>
#row = affine_map<(i, j) -> (i)>
#column = affine_map<(i, j) -> (j)>
func.func @apart(%x: tensor<13x13xf32>) -> (tensor<13xf32>, tensor<13x13xf32>, tensor<13x13xf32>) {
  %zero = arith.constant 0.0 : f32
  %low = arith.constant 0xFF800000 : f32
  %0 = tensor.empty() : tensor<13xf32>
  %1 = linalg.fill ins(%low : f32) outs(%0 : tensor<13xf32>) -> tensor<13xf32>
  %2 = linalg.generic {indexing_maps = [#id, #row], iterator_types = ["parallel", "reduction"]} ins(%x : tensor<13x13xf32>) outs(%1 : tensor<13xf32>) {
  ^bb0(%a: f32, %o: f32):
    %r = arith.maximumf %o, %a : f32
    linalg.yield %r : f32
  } -> tensor<13xf32>
  %3 = tensor.empty() : tensor<13x13xf32>
  %4 = linalg.generic {indexing_maps = [#id, #row, #id], iterator_types = ["parallel", "parallel"]} ins(%x, %2 : tensor<13x13xf32>, tensor<13xf32>) outs(%3 : tensor<13x13xf32>) {
  ^bb0(%a: f32, %m: f32, %o: f32):
    %r = arith.subf %a, %m : f32
    linalg.yield %r : f32
  } -> tensor<13x13xf32>
  %5 = tensor.empty() : tensor<13x13xf32>
  %6 = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]} ins(%4 : tensor<13x13xf32>) outs(%5 : tensor<13x13xf32>) {
  ^bb0(%a: f32, %o: f32):
    %r = math.exp %a : f32
    linalg.yield %r : f32
  } -> tensor<13x13xf32>
  %7 = tensor.empty() : tensor<13xf32>
  %8 = linalg.fill ins(%zero : f32) outs(%7 : tensor<13xf32>) -> tensor<13xf32>
  %9 = linalg.generic {indexing_maps = [#id, #row], iterator_types = ["parallel", "reduction"]} ins(%6 : tensor<13x13xf32>) outs(%8 : tensor<13xf32>) {
  ^bb0(%a: f32, %o: f32):
    %r = arith.addf %o, %a : f32
    linalg.yield %r : f32
  } -> tensor<13xf32>
  %10 = tensor.empty() : tensor<13x13xf32>
  %11 = linalg.generic {indexing_maps = [#id, #column, #id], iterator_types = ["parallel", "parallel"]} ins(%6, %9 : tensor<13x13xf32>, tensor<13xf32>) outs(%10 : tensor<13x13xf32>) {
  ^bb0(%a: f32, %m: f32, %o: f32):
    %r = arith.mulf %a, %m : f32
    linalg.yield %r : f32
  } -> tensor<13x13xf32>
  return %2, %4, %11 : tensor<13xf32>, tensor<13x13xf32>, tensor<13x13xf32>
}
