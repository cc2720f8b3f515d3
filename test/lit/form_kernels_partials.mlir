// Reductions in parts: each part a partial result, which a combine step folds
// into the init. With a number of ranges, where no parallel loop has so many
// iterations.

// RUN: pgopt-opt %s --form-kernels=split=5 --mlir-pass-statistics -o %t.mlir 2>%t.statistics
// RUN: FileCheck %s --input-file=%t.mlir
// RUN: FileCheck %s --check-prefix=COUNT < %t.statistics
// RUN: pgopt-opt %s --form-kernels="split=5 reductions=off" | FileCheck %s --check-prefix=OFF
// RUN: not pgopt-opt %s --form-kernels="reductions=maybe" 2>&1 | FileCheck %s --check-prefix=INVALID

// The same numbers, on cores of their own as well.
// RUN: pgopt-runner %t.mlir --compare=%s
// RUN: pgopt-opt %s --form-kernels=split=2 --schedule-rr="count=2 check=true" -o %t.mlir 2>/dev/null
// RUN: pgopt-runner %t.mlir --compare=%s
// RUN: pgopt-opt %s --profile="mode=static report=none" --form-kernels=split=3 --schedule-rr="count=3 check=true" -o %t.mlir 2>/dev/null
// RUN: pgopt-runner %t.mlir --compare=%s

// INVALID: error: reductions is 'maybe'; it must be auto or off
// COUNT: (S) 7 reductions-split
// OFF-NOT: memref.expand_shape

// 13 parts, on no core more than 3. Each is a product over 77 of the 1001, of
// the operands as they lie.
// CHECK: func.func private @matmul_0(
// CHECK-SAME: memref<3x13x77xf32> {pg.access = {dim = 1 : i64, mode = "read"
// CHECK-SAME: memref<13x77x4xf32> {pg.access = {dim = 0 : i64, mode = "read"
// CHECK-SAME: memref<13x3x4xf32> {pg.access = {dim = 0 : i64, mode = "write"

// The combine step begins with the original init; what followed the reduction
// follows it.
// CHECK: func.func private @[[COMBINE:[a-z]+_1]](
// CHECK-SAME: memref<13x3x4xf32>
// CHECK: arith.addf
// CHECK: arith.maximumf
// CHECK: return

// A square that alone feeds the sum is computed in parts with it.
// CHECK: func.func private @reduce_add_
// CHECK: arith.mulf
// CHECK-NEXT: arith.addf

// CHECK-LABEL: func.func @net(
// CHECK: memref.expand_shape {{.*}} : memref<3x1001xf32> into memref<3x13x77xf32>
// CHECK: memref.expand_shape {{.*}} : memref<1001x4xf32> into memref<13x77x4xf32>
// CHECK: call @matmul_0({{.*}} {{{.*}}pg.part = 0 : i64, pg.parts = 5 : i64
// CHECK: call @matmul_0({{.*}} {{{.*}}pg.part = 4 : i64, pg.parts = 5 : i64
// CHECK: call @[[COMBINE]]({{.*}} {{{.*}}pg.parts = 3 : i64

#ij = affine_map<(i, j) -> (i, j)>
#i = affine_map<(i, j) -> (i)>
#ijk = affine_map<(i, j, k) -> (i, j, k)>
#j = affine_map<(i, j, k) -> (j)>
#e = affine_map<(i) -> (i)>
#s = affine_map<(i) -> ()>
#0 = affine_map<() -> ()>

func.func @net(%a: tensor<3x1001xf32>, %b: tensor<1001x4xf32>, %bias: tensor<4xf32>,
               %x: tensor<1375xf64>, %y: tensor<1375xf64>, %start: tensor<f64>,
               %v: tensor<35x2x15xf32>, %n: tensor<330xi32>, %m: tensor<4x2310xf32>, %p: tensor<1009xf32>)
    -> (tensor<3x4xf32>, tensor<f64>, tensor<f64>, tensor<2xf32>, tensor<i32>, tensor<i32>, tensor<4xf32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<1x2310xf32>, tensor<i64>) {
  %zero = arith.constant 0.0 : f32
  %one = arith.constant 1.0 : f32
  %wide = arith.constant 0.0 : f64
  %low = arith.constant 0xFF800000 : f32

  // A product with a bias and a clamp.
  %ce = tensor.empty() : tensor<3x4xf32>
  %cf = linalg.fill ins(%zero : f32) outs(%ce : tensor<3x4xf32>) -> tensor<3x4xf32>
  %c = linalg.matmul ins(%a, %b : tensor<3x1001xf32>, tensor<1001x4xf32>) outs(%cf : tensor<3x4xf32>) -> tensor<3x4xf32>
  %clamped = linalg.generic {indexing_maps = [#ij, affine_map<(i, j) -> (j)>, #ij], iterator_types = ["parallel", "parallel"]} ins(%c, %bias : tensor<3x4xf32>, tensor<4xf32>) outs(%ce : tensor<3x4xf32>) {
  ^bb0(%r: f32, %w: f32, %o: f32):
    %s = arith.addf %r, %w : f32
    %t = arith.maximumf %s, %zero : f32
    linalg.yield %t : f32
  } -> tensor<3x4xf32>

  // Two numbers of f64, one of them added to an argument.
  %de = tensor.empty() : tensor<f64>
  %df = linalg.fill ins(%wide : f64) outs(%de : tensor<f64>) -> tensor<f64>
  %dot = linalg.dot ins(%x, %y : tensor<1375xf64>, tensor<1375xf64>) outs(%df : tensor<f64>) -> tensor<f64>
  %more = linalg.generic {indexing_maps = [#e, #s], iterator_types = ["reduction"]} ins(%y : tensor<1375xf64>) outs(%start : tensor<f64>) {
  ^bb0(%q: f64, %acc: f64):
    %s = arith.addf %acc, %q : f64
    linalg.yield %s : f64
  } -> tensor<f64>

  // The sum of squares over the first and the last dimension.
  %ve = tensor.empty() : tensor<35x2x15xf32>
  %square = linalg.mul ins(%v, %v : tensor<35x2x15xf32>, tensor<35x2x15xf32>) outs(%ve : tensor<35x2x15xf32>) -> tensor<35x2x15xf32>
  %se = tensor.empty() : tensor<2xf32>
  %sf = linalg.fill ins(%zero : f32) outs(%se : tensor<2xf32>) -> tensor<2xf32>
  %squares = linalg.generic {indexing_maps = [#ijk, #j], iterator_types = ["reduction", "parallel", "reduction"]} ins(%square : tensor<35x2x15xf32>) outs(%sf : tensor<2xf32>) {
  ^bb0(%q: f32, %acc: f32):
    %s = arith.addf %q, %acc : f32
    linalg.yield %s : f32
  } -> tensor<2xf32>

  // Integers: the least one, and a sum that wraps around.
  %most = arith.constant 2147483647 : i32
  %seed = arith.constant 7 : i32
  %ne = tensor.empty() : tensor<i32>
  %nf = linalg.fill ins(%most : i32) outs(%ne : tensor<i32>) -> tensor<i32>
  %least = linalg.reduce { arith.minsi } ins(%n : tensor<330xi32>) outs(%nf : tensor<i32>) dimensions = [0]
  %ng = linalg.fill ins(%seed : i32) outs(%ne : tensor<i32>) -> tensor<i32>
  %wrap = linalg.reduce { arith.addi } ins(%n : tensor<330xi32>) outs(%ng : tensor<i32>) dimensions = [0]

  // The largest of each row.
  %me = tensor.empty() : tensor<4xf32>
  %mf = linalg.fill ins(%low : f32) outs(%me : tensor<4xf32>) -> tensor<4xf32>
  %largest = linalg.reduce { arith.maximumf } ins(%m : tensor<4x2310xf32>) outs(%mf : tensor<4xf32>) dimensions = [1]

  // No divisor: 1009 is a prime.
  %pe = tensor.empty() : tensor<f32>
  %pf = linalg.fill ins(%zero : f32) outs(%pe : tensor<f32>) -> tensor<f32>
  %prime = linalg.reduce { arith.addf } ins(%p : tensor<1009xf32>) outs(%pf : tensor<f32>) dimensions = [0]

  // No known combiner: a difference; the init is read twice.
  %less = linalg.generic {indexing_maps = [#e, #s], iterator_types = ["reduction"]} ins(%x : tensor<1375xf64>) outs(%pf : tensor<f32>) {
  ^bb0(%q: f64, %acc: f32):
    %t = arith.truncf %q : f64 to f32
    %s = arith.subf %acc, %t : f32
    linalg.yield %s : f32
  } -> tensor<f32>
  %twice = linalg.generic {indexing_maps = [#e, #s], iterator_types = ["reduction"]} ins(%x : tensor<1375xf64>) outs(%pf : tensor<f32>) {
  ^bb0(%q: f64, %acc: f32):
    %t = arith.truncf %q : f64 to f32
    %h = arith.addf %acc, %t : f32
    %k = arith.mulf %acc, %h : f32
    %s = arith.addf %h, %k : f32
    linalg.yield %h : f32
  } -> tensor<f32>

  // One row of a softmax is one kernel.
  %row = tensor.extract_slice %m[0, 0] [1, 2310] [1, 1] : tensor<4x2310xf32> to tensor<1x2310xf32>
  %re = tensor.empty() : tensor<1xf32>
  %rf = linalg.fill ins(%zero : f32) outs(%re : tensor<1xf32>) -> tensor<1xf32>
  %ee = tensor.empty() : tensor<1x2310xf32>
  %exp = linalg.exp ins(%row : tensor<1x2310xf32>) outs(%ee : tensor<1x2310xf32>) -> tensor<1x2310xf32>
  %sum = linalg.reduce { arith.addf } ins(%exp : tensor<1x2310xf32>) outs(%rf : tensor<1xf32>) dimensions = [1]
  %soft = linalg.generic {indexing_maps = [#ij, #i, #ij], iterator_types = ["parallel", "parallel"]} ins(%exp, %sum : tensor<1x2310xf32>, tensor<1xf32>) outs(%ee : tensor<1x2310xf32>) {
  ^bb0(%q: f32, %w: f32, %o: f32):
    %s = arith.divf %q, %w : f32
    linalg.yield %s : f32
  } -> tensor<1x2310xf32>

  // The number of an iteration is in the body.
  %where0 = arith.constant 0 : i64
  %we = tensor.empty() : tensor<i64>
  %wf = linalg.fill ins(%where0 : i64) outs(%we : tensor<i64>) -> tensor<i64>
  %where = linalg.generic {indexing_maps = [#e, #s], iterator_types = ["reduction"]} ins(%n : tensor<330xi32>) outs(%wf : tensor<i64>) {
  ^bb0(%q: i32, %acc: i64):
    %at = linalg.index 0 : index
    %number = arith.index_cast %at : index to i64
    %s = arith.maxsi %acc, %number : i64
    linalg.yield %s : i64
  } -> tensor<i64>
  return %clamped, %dot, %more, %squares, %least, %wrap, %largest, %prime, %less, %twice, %soft, %where : tensor<3x4xf32>, tensor<f64>, tensor<f64>, tensor<2xf32>, tensor<i32>, tensor<i32>, tensor<4xf32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<1x2310xf32>, tensor<i64>
}
