// Local response normalization is one kernel: the window slides over the image
// itself, squares what it reads, and divides behind it.
// RUN: rm -rf %t && mkdir -p %t
// RUN: pgopt-opt %s --form-kernels="entry=net" -o %t/formed.mlir
// RUN: FileCheck %s < %t/formed.mlir
// RUN: pgopt-opt %t/formed.mlir --pgopt-lower=entry=net --mlir-pass-statistics -o /dev/null 2>&1 | FileCheck %s --check-prefix=COUNT
// RUN: pgopt-runner %s --entry=net --compare=%s
// Without the fusion there are three.
// RUN: pgopt-opt %s --form-kernels="entry=net fuse=none" | FileCheck %s --check-prefix=APART
// A square that others read, and another border, stay.
// RUN: pgopt-opt %s --form-kernels="entry=shared" | FileCheck %s --check-prefix=SHARED
// RUN: pgopt-runner %s --entry=shared --compare=%s
// RUN: pgopt-opt %s --form-kernels="entry=cubes" --pgopt-lower=entry=cubes --mlir-pass-statistics -o /dev/null 2>&1 | FileCheck %s --check-prefix=CUBES
// RUN: pgopt-runner %s --entry=cubes --compare=%s

// CHECK: func.func @net(
// CHECK-COUNT-1: call @
// CHECK-NOT: call @
// COUNT: (S) 1 window
// COUNT: (S) 0 copy
// COUNT: (S) 1 fused
// COUNT: (S) 0 vectorized
// APART: func.func @net(
// APART-COUNT-3: call @
// SHARED: func.func @shared(
// SHARED-COUNT-2: call @
// SHARED-NOT: call @
// The cubes are stored, and the border around them.
// CUBES: (S) 1 window
// CUBES: (S) 2 vectorized

#id = affine_map<(i, j) -> (i, j)>
func.func @net(%x: tensor<11x37xf32>) -> tensor<11x37xf32> {
  %zero = arith.constant 0.0 : f32
  %one = arith.constant 1.0 : f32
  %k = arith.constant 0.25 : f32
  %e = tensor.empty() : tensor<11x37xf32>
  %q = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]} ins(%x : tensor<11x37xf32>) outs(%e : tensor<11x37xf32>) {
  ^bb0(%v: f32, %o: f32):
    %z = arith.mulf %v, %v : f32
    linalg.yield %z : f32
  } -> tensor<11x37xf32>
  %p = tensor.pad %q low[0, 2] high[0, 2] {
  ^bb0(%i: index, %j: index):
    tensor.yield %zero : f32
  } : tensor<11x37xf32> to tensor<11x41xf32>
  %w = tensor.empty() : tensor<5xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<11x37xf32>) -> tensor<11x37xf32>
  %t = linalg.generic {indexing_maps = [affine_map<(i, j, k) -> (i, j + k)>, affine_map<(i, j, k) -> (k)>, affine_map<(i, j, k) -> (i, j)>], iterator_types = ["parallel", "parallel", "reduction"]} ins(%p, %w : tensor<11x41xf32>, tensor<5xf32>) outs(%f : tensor<11x37xf32>) {
  ^bb0(%v: f32, %u: f32, %o: f32):
    %z = arith.addf %o, %v : f32
    linalg.yield %z : f32
  } -> tensor<11x37xf32>
  %r = linalg.generic {indexing_maps = [#id, #id, #id], iterator_types = ["parallel", "parallel"]} ins(%x, %t : tensor<11x37xf32>, tensor<11x37xf32>) outs(%e : tensor<11x37xf32>) {
  ^bb0(%v: f32, %u: f32, %o: f32):
    %m = arith.mulf %u, %k : f32
    %s = arith.addf %m, %one : f32
    %a = math.sqrt %s : f32
    %c = math.sqrt %a : f32
    %d = arith.mulf %a, %c : f32
    %z = arith.divf %v, %d : f32
    linalg.yield %z : f32
  } -> tensor<11x37xf32>
  return %r : tensor<11x37xf32>
}

func.func @shared(%x: tensor<11x37xf32>) -> (tensor<11x37xf32>, tensor<11x37xf32>) {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<11x37xf32>
  %q = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]} ins(%x : tensor<11x37xf32>) outs(%e : tensor<11x37xf32>) {
  ^bb0(%v: f32, %o: f32):
    %z = arith.mulf %v, %v : f32
    linalg.yield %z : f32
  } -> tensor<11x37xf32>
  %p = tensor.pad %q low[0, 2] high[0, 2] {
  ^bb0(%i: index, %j: index):
    tensor.yield %zero : f32
  } : tensor<11x37xf32> to tensor<11x41xf32>
  %w = tensor.empty() : tensor<5xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<11x37xf32>) -> tensor<11x37xf32>
  %t = linalg.generic {indexing_maps = [affine_map<(i, j, k) -> (i, j + k)>, affine_map<(i, j, k) -> (k)>, affine_map<(i, j, k) -> (i, j)>], iterator_types = ["parallel", "parallel", "reduction"]} ins(%p, %w : tensor<11x41xf32>, tensor<5xf32>) outs(%f : tensor<11x37xf32>) {
  ^bb0(%v: f32, %u: f32, %o: f32):
    %z = arith.addf %o, %v : f32
    linalg.yield %z : f32
  } -> tensor<11x37xf32>
  return %q, %t : tensor<11x37xf32>, tensor<11x37xf32>
}

func.func @cubes(%x: tensor<11x37xf32>) -> tensor<11x37xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<11x37xf32>
  %q = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]} ins(%x : tensor<11x37xf32>) outs(%e : tensor<11x37xf32>) {
  ^bb0(%v: f32, %o: f32):
    %y = arith.mulf %v, %v : f32
    %z = arith.mulf %y, %v : f32
    linalg.yield %z : f32
  } -> tensor<11x37xf32>
  %p = tensor.pad %q low[0, 2] high[0, 2] {
  ^bb0(%i: index, %j: index):
    tensor.yield %zero : f32
  } : tensor<11x37xf32> to tensor<11x41xf32>
  %w = tensor.empty() : tensor<5xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<11x37xf32>) -> tensor<11x37xf32>
  %t = linalg.generic {indexing_maps = [affine_map<(i, j, k) -> (i, j + k)>, affine_map<(i, j, k) -> (k)>, affine_map<(i, j, k) -> (i, j)>], iterator_types = ["parallel", "parallel", "reduction"]} ins(%p, %w : tensor<11x41xf32>, tensor<5xf32>) outs(%f : tensor<11x37xf32>) {
  ^bb0(%v: f32, %u: f32, %o: f32):
    %z = arith.addf %o, %v : f32
    linalg.yield %z : f32
  } -> tensor<11x37xf32>
  return %t : tensor<11x37xf32>
}
