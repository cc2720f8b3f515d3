// Options and statistics.

// RUN: split-file %s %t

// Values of elided constants depend on the seed, and on nothing else: the
// runner's for the same seed.
// RUN: pgopt-opt %t/elided.mlir --transpose-elim -o %t.0.mlir
// RUN: pgopt-opt %t/elided.mlir --transpose-elim=seed=0 | diff %t.0.mlir -
// RUN: pgopt-opt %t/elided.mlir --transpose-elim=seed=7 -o %t.7.mlir
// RUN: not diff %t.0.mlir %t.7.mlir > %t.difference
// RUN: pgopt-runner %t.7.mlir --seed=7 --compare=%t/elided.mlir | FileCheck %s --check-prefix=SEED
// SEED: result 0: error 0

// With little work the search ends in the middle of a chain, and more sweeps
// come to another end, which is as good. The default is 400.
// RUN: awk -v n=30 -f %S/Inputs/two_chains.awk > %t.chains.mlir
// RUN: pgopt-opt %t.chains.mlir --transpose-elim=work=400 -o %t.much.mlir --mlir-pass-statistics 2>&1 | FileCheck %s --check-prefix=WORK
// RUN: pgopt-opt %t.chains.mlir --transpose-elim | diff %t.much.mlir -
// RUN: pgopt-opt %t.chains.mlir --transpose-elim=work=1 -o %t.little.mlir --mlir-pass-statistics 2>&1 | FileCheck %s --check-prefix=WORK
// RUN: not diff %t.much.mlir %t.little.mlir > %t.difference
// RUN: pgopt-runner %t.little.mlir --compare=%t.chains.mlir
// WORK: (S) 4 changes-before
// WORK: (S) 1 changes-left
// RUN: not pgopt-opt %t.chains.mlir --transpose-elim=work=0 2>&1 | FileCheck %s --check-prefix=NONE
// NONE: error: work must be 1 or more

// RUN: pgopt-opt %t/statistics.mlir --transpose-elim --mlir-pass-statistics -o /dev/null 2>&1 | FileCheck %s --check-prefix=COUNT
// Of data: what scf.if takes, 60 bytes; what is returned, 84; what is added to
// another, 40; what a matrix product reads as well without, 84; a product that
// is added to its own transpose, 100. A constant is folded; a parameter is
// returned in both orders.
// COUNT: (S) 5 changes-before
// COUNT: (S) 4 changes-left
// COUNT: (S) 368 bytes-before
// COUNT: (S) 284 bytes-left
// COUNT: (S) 1 parameter-changes-left
// COUNT: (S) 0 bytes-packed
// COUNT: (S) 0 parameter-bytes-packed
// COUNT: (S) 1 ops-rebuilt
// COUNT: (S) 1 constants-folded
// COUNT: (S) 0 parameters-packed
// COUNT: (S) 2 left-at-boundary
// COUNT: (S) 0 left-at-reshape
// COUNT: (S) 1 left-at-op
// COUNT: (S) 1 left-at-parameter
// COUNT: (S) 1 left-otherwise
// COUNT: (S) 2500 time-left-ns

// The time of a transpose without a Timing of its own comes from what the
// module remembers of kernels of its kind.
// RUN: pgopt-opt %t/remembered.mlir --profile='budget=50ms report=none' -o %t.profiled.mlir
// RUN: sed 's/, pg.timing = {[^}]*}//; s/median_ns = [0-9]*/median_ns = 4200/' %t.profiled.mlir > %t.remembered.mlir
// RUN: pgopt-opt %t.remembered.mlir --transpose-elim -o /dev/null 2>&1 | FileCheck %s --check-prefix=REMEMBERED
// REMEMBERED: remark: layout change of 60 bytes, 4200 ns, stays between a function argument and a function result

//--- remembered.mlir
func.func @f(%x: tensor<5x3xf32>) -> tensor<3x5xf32> {
  %e = tensor.empty() : tensor<3x5xf32>
  %0 = linalg.transpose ins(%x : tensor<5x3xf32>) outs(%e : tensor<3x5xf32>) permutation = [1, 0]
  return %0 : tensor<3x5xf32>
}
//--- elided.mlir
func.func @f(%x: tensor<5x3xf32>) -> tensor<5x3xf32> {
  %c = arith.constant dense_resource<__elided__> : tensor<3x5xf32>
  %e = tensor.empty() : tensor<5x3xf32>
  %0 = linalg.transpose ins(%c : tensor<3x5xf32>) outs(%e : tensor<5x3xf32>) permutation = [1, 0]
  %f = tensor.empty() : tensor<5x3xf32>
  %1 = linalg.add ins(%x, %0 : tensor<5x3xf32>, tensor<5x3xf32>) outs(%f : tensor<5x3xf32>) -> tensor<5x3xf32>
  return %1 : tensor<5x3xf32>
}
//--- statistics.mlir
func.func @f(%c: i1, %a: tensor<3x5xf32>, %b: tensor<5x3xf32>, %x: tensor<3x7xf32>, %y: tensor<2x5xf32>, %z: tensor<5x2xf32>, %w: tensor<2x3xf32> {pg.parameter = "w"}, %m: tensor<7x3xf32>, %n: tensor<7x5xf32>, %o: tensor<3x5xf32>) -> (tensor<5x3xf32>, tensor<7x3xf32>, tensor<5x2xf32>, tensor<3x2xf32>, tensor<2x3xf32>, tensor<5x2xf32>) {
  %e0 = tensor.empty() : tensor<5x3xf32>
  %0 = linalg.transpose ins(%a : tensor<3x5xf32>) outs(%e0 : tensor<5x3xf32>) permutation = [1, 0]
      {pg.timing = {median_ns = 1500 : i64, min_ns = 1400 : i64, mad_ns = 10 : i64, runs = 100 : i64, source = "isolated"}}
  %1 = scf.if %c -> tensor<5x3xf32> {
    scf.yield %0 : tensor<5x3xf32>
  } else {
    scf.yield %b : tensor<5x3xf32>
  }
  %e1 = tensor.empty() : tensor<7x3xf32>
  %2 = linalg.transpose ins(%x : tensor<3x7xf32>) outs(%e1 : tensor<7x3xf32>) permutation = [1, 0]
      {pg.timing = {median_ns = 1000 : i64, min_ns = 900 : i64, mad_ns = 10 : i64, runs = 100 : i64, source = "isolated"}}
  %e2 = tensor.empty() : tensor<5x2xf32>
  %3 = linalg.transpose ins(%y : tensor<2x5xf32>) outs(%e2 : tensor<5x2xf32>) permutation = [1, 0]
  %4 = linalg.add ins(%3, %z : tensor<5x2xf32>, tensor<5x2xf32>) outs(%e2 : tensor<5x2xf32>) -> tensor<5x2xf32>
  %e3 = tensor.empty() : tensor<3x2xf32>
  %5 = linalg.transpose ins(%w : tensor<2x3xf32>) outs(%e3 : tensor<3x2xf32>) permutation = [1, 0]
  %e4 = tensor.empty() : tensor<3x7xf32>
  %6 = linalg.transpose ins(%m : tensor<7x3xf32>) outs(%e4 : tensor<3x7xf32>) permutation = [1, 0]
  %7 = linalg.matmul ins(%6, %n : tensor<3x7xf32>, tensor<7x5xf32>) outs(%o : tensor<3x5xf32>) -> tensor<3x5xf32>
  %k = arith.constant dense<[[1.0, 2.0, 3.0, 4.0, 5.0], [6.0, 7.0, 8.0, 9.0, 10.0]]> : tensor<2x5xf32>
  %8 = linalg.transpose ins(%k : tensor<2x5xf32>) outs(%e2 : tensor<5x2xf32>) permutation = [1, 0]
  %9 = linalg.mul ins(%z, %8 : tensor<5x2xf32>, tensor<5x2xf32>) outs(%e2 : tensor<5x2xf32>) -> tensor<5x2xf32>
  %e5 = tensor.empty() : tensor<5x5xf32>
  %zero = arith.constant 0.0 : f32
  %e6 = tensor.empty() : tensor<5x5xf32>
  %s = linalg.fill ins(%zero : f32) outs(%e6 : tensor<5x5xf32>) -> tensor<5x5xf32>
  %10 = linalg.matmul ins(%b, %7 : tensor<5x3xf32>, tensor<3x5xf32>) outs(%s : tensor<5x5xf32>) -> tensor<5x5xf32>
  %11 = linalg.transpose ins(%10 : tensor<5x5xf32>) outs(%e5 : tensor<5x5xf32>) permutation = [1, 0]
  %12 = linalg.add ins(%10, %11 : tensor<5x5xf32>, tensor<5x5xf32>) outs(%e5 : tensor<5x5xf32>) -> tensor<5x5xf32>
  %13 = linalg.matmul ins(%12, %z : tensor<5x5xf32>, tensor<5x2xf32>) outs(%9 : tensor<5x2xf32>) -> tensor<5x2xf32>
  return %1, %2, %4, %5, %w, %13 : tensor<5x3xf32>, tensor<7x3xf32>, tensor<5x2xf32>, tensor<3x2xf32>, tensor<2x3xf32>, tensor<5x2xf32>
}
