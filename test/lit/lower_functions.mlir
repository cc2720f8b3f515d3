// exp, log, tanh and erf of f32 are arithmetic, in vectors and in what is left of
// them; other functions and f64 are not.

// RUN: pgopt-opt %s --pgopt-lower -o %t.mlir --mlir-pass-statistics 2>&1 \
// RUN:   | FileCheck %s --check-prefix=COUNT
// RUN: FileCheck %s --input-file=%t.mlir \
// RUN:   --implicit-check-not="llvm.intr.exp({{.*}}f32"
// RUN: pgopt-runner %s --compare=%s | FileCheck %s --check-prefix=SAME
// RUN: pgopt-opt %s --pgopt-lower=kernels=blas \
// RUN:   | FileCheck %s --check-prefix=BLAS

// 37 = 2 x 16 + 5: a loop over vectors and a rest, for each of the four.
// COUNT: (S) 8 functions
// CHECK: llvm.intr.sin({{.*}}) : ({{.*}}f32
// CHECK: llvm.intr.exp({{.*}}) : ({{.*}}f64
// BLAS: llvm.intr.exp({{.*}}) : ({{.*}}f32
// SAME: result 0: error {{[0-9.]+}}e-0{{[6-9]}} at

#id = affine_map<(i) -> (i)>
func.func @forward(%x: tensor<37xf32>, %y: tensor<37xf64>) -> (tensor<37xf32>, tensor<37xf64>) {
  %e = tensor.empty() : tensor<37xf32>
  %r = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]} ins(%x : tensor<37xf32>) outs(%e : tensor<37xf32>) {
  ^bb0(%i: f32, %o: f32):
    %a = math.exp %i : f32
    %b = math.tanh %a : f32
    %c = math.erf %b : f32
    %d = math.log %c : f32
    %g = math.sin %d : f32
    linalg.yield %g : f32
  } -> tensor<37xf32>
  %f = tensor.empty() : tensor<37xf64>
  %s = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]} ins(%y : tensor<37xf64>) outs(%f : tensor<37xf64>) {
  ^bb0(%i: f64, %o: f64):
    %a = math.exp %i : f64
    linalg.yield %a : f64
  } -> tensor<37xf64>
  return %r, %s : tensor<37xf32>, tensor<37xf64>
}
