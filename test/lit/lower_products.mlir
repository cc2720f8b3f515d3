// Generated products: the loops around register tiles, for three vector sets.
// REQUIRES: x86_64

// RUN: split-file %s %t
// DEFINE: %{cpu} =
// DEFINE: %{file} =
// DEFINE: %{loops} = pgopt-opt %{file} --pgopt-lower=target-cpu=%{cpu} \
// DEFINE:   --mlir-print-ir-before=convert-scf-to-cf -o %t/lowered.mlir 2>&1
// DEFINE: %{count} = pgopt-opt %{file} --pgopt-lower=target-cpu=%{cpu} \
// DEFINE:   --mlir-pass-statistics -o /dev/null 2>&1

// 17 rows are three tiles: 17 = 2 x 6 + 5. 35 columns are 2 x 16 + 3: three
// vectors, the last one masked, where the columns lie and where C does.
// REDEFINE: %{file} = %t/matmul.mlir
// REDEFINE: %{cpu} = x86-64-v4
// RUN: %{loops} | FileCheck %s --check-prefix=AVX512
// RUN: FileCheck %s --check-prefix=LOWERED --input-file=%t/lowered.mlir
// AVX512-LABEL: func.func private @matmul_0(
// AVX512-NOT: linalg
// AVX512: %[[MASK:.+]] = vector.constant_mask [3] : vector<16xi1>
// AVX512: scf.for %[[ROW:.+]] = %c0 to %c12 step %c6 {
// AVX512: %{{.+}}:18 = scf.for %{{.+}} = %c0 to %c13 step %c1 iter_args(
// AVX512-COUNT-2: vector.load
// AVX512: vector.maskedload %{{.+}}[%{{.+}}], %[[MASK]],
// AVX512-COUNT-18: vector.fma
// AVX512: scf.yield
// AVX512-COUNT-6: vector.maskedstore
// AVX512: %{{.+}}:15 = scf.for
// AVX512-COUNT-15: vector.fma
// AVX512-COUNT-5: vector.maskedstore
// AVX512-NOT: scf.for
// AVX512-LABEL: func.func @forward(
// LOWERED: llvm.func @matmul_0({{.*}}target_cpu = "x86-64-v4"

// 35 columns are 4 x 8 + 3, in panels of at most 3 vectors.
// REDEFINE: %{cpu} = x86-64-v3
// RUN: %{loops} | FileCheck %s --check-prefix=AVX2
// AVX2-LABEL: func.func private @matmul_0(
// AVX2: vector.constant_mask [3] : vector<8xi1>
// AVX2: vector.fma {{.*}} : vector<8xf32>
// AVX2-LABEL: func.func @forward(

// Without the instruction a product and a sum.
// REDEFINE: %{cpu} = x86-64
// RUN: %{loops} | FileCheck %s --check-prefix=SSE2
// SSE2-LABEL: func.func private @matmul_0(
// SSE2-NOT: vector.fma
// SSE2: arith.mulf {{.*}} : vector<4xf32>
// SSE2: arith.addf {{.*}} : vector<4xf32>
// SSE2-NOT: vector.fma
// SSE2-LABEL: func.func @forward(

//--- matmul.mlir
func.func @forward(%a: tensor<17x13xf32>, %b: tensor<13x35xf32>) -> tensor<17x35xf32> {
  %z = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<17x35xf32>
  %f = linalg.fill ins(%z : f32) outs(%e : tensor<17x35xf32>) -> tensor<17x35xf32>
  %r = linalg.matmul ins(%a, %b : tensor<17x13xf32>, tensor<13x35xf32>) outs(%f : tensor<17x35xf32>) -> tensor<17x35xf32>
  return %r : tensor<17x35xf32>
}

// Bias, activation and a residual are computed on the accumulators: C is stored
// once and never loaded.

// REDEFINE: %{file} = %t/fused.mlir
// REDEFINE: %{cpu} = x86-64-v4
// RUN: %{loops} | FileCheck %s --check-prefix=FUSED
// RUN: %{count} | FileCheck %s --check-prefix=COUNT
// RUN: pgopt-runner %{file} --compare=%{file} | FileCheck %s --check-prefix=SAME
// FUSED-LABEL: func.func private @conv_
// FUSED: vector.fma
// FUSED: arith.cmpf olt, {{.*}} : vector<16xf32>
// FUSED: vector.maskedstore
// FUSED-NOT: linalg
// FUSED-LABEL: func.func @forward(
// COUNT: (S) 1 product
// COUNT: (S) 2 fused
// COUNT: (S) 0 gemm
// SAME: result 0: error {{[0-9.e-]+}} at

//--- fused.mlir
#all = affine_map<(n, h, w, c) -> (n, h, w, c)>
#channel = affine_map<(n, h, w, c) -> (c)>
func.func @forward(%x: tensor<1x9x11x5xf32>, %w: tensor<3x3x5x7xf32>, %bias: tensor<7xf32>, %y: tensor<1x7x9x7xf32>) -> tensor<1x7x9x7xf32> {
  %z = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<1x7x9x7xf32>
  %f = linalg.fill ins(%z : f32) outs(%e : tensor<1x7x9x7xf32>) -> tensor<1x7x9x7xf32>
  %r = linalg.conv_2d_nhwc_hwcf ins(%x, %w : tensor<1x9x11x5xf32>, tensor<3x3x5x7xf32>) outs(%f : tensor<1x7x9x7xf32>) -> tensor<1x7x9x7xf32>
  %b = linalg.generic {indexing_maps = [#all, #channel, #all], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%r, %bias : tensor<1x7x9x7xf32>, tensor<7xf32>) outs(%e : tensor<1x7x9x7xf32>) {
  ^bb0(%i: f32, %j: f32, %o: f32):
    %s = arith.addf %i, %j : f32
    linalg.yield %s : f32
  } -> tensor<1x7x9x7xf32>
  %q = linalg.generic {indexing_maps = [#all, #all, #all], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%b, %y : tensor<1x7x9x7xf32>, tensor<1x7x9x7xf32>) outs(%e : tensor<1x7x9x7xf32>) {
  ^bb0(%i: f32, %j: f32, %o: f32):
    %s = arith.addf %i, %j : f32
    %m = arith.maximumf %s, %z : f32
    linalg.yield %m : f32
  } -> tensor<1x7x9x7xf32>
  return %q : tensor<1x7x9x7xf32>
}

// What costs more than it saves stays with BLAS and the vectorizer: a matrix
// that would have to be transposed for one row; a sine in the tile.

// REDEFINE: %{file} = %t/refused.mlir
// RUN: %{count} | FileCheck %s --check-prefix=REFUSED
// REFUSED: (S) 1 product
// REFUSED: (S) 0 fused
// REFUSED: (S) 1 gemm
// REFUSED: (S) 1 vectorized

//--- refused.mlir
#all = affine_map<(m, n) -> (m, n)>
func.func @forward(%a: tensor<1x130xf32>, %b: tensor<70x130xf32>, %c: tensor<70x33xf32>) -> tensor<1x33xf32> {
  %z = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<1x70xf32>
  %f = linalg.fill ins(%z : f32) outs(%e : tensor<1x70xf32>) -> tensor<1x70xf32>
  %r = linalg.generic {indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (n, k)>, affine_map<(m, n, k) -> (m, n)>], iterator_types = ["parallel", "parallel", "reduction"]} ins(%a, %b : tensor<1x130xf32>, tensor<70x130xf32>) outs(%f : tensor<1x70xf32>) {
  ^bb0(%x: f32, %y: f32, %o: f32):
    %p = arith.mulf %x, %y : f32
    %s = arith.addf %o, %p : f32
    linalg.yield %s : f32
  } -> tensor<1x70xf32>
  %e2 = tensor.empty() : tensor<1x33xf32>
  %f2 = linalg.fill ins(%z : f32) outs(%e2 : tensor<1x33xf32>) -> tensor<1x33xf32>
  %s2 = linalg.matmul ins(%r, %c : tensor<1x70xf32>, tensor<70x33xf32>) outs(%f2 : tensor<1x33xf32>) -> tensor<1x33xf32>
  %q = linalg.generic {indexing_maps = [#all, #all], iterator_types = ["parallel", "parallel"]} ins(%s2 : tensor<1x33xf32>) outs(%e2 : tensor<1x33xf32>) {
  ^bb0(%i: f32, %o: f32):
    %m = math.sin %i : f32
    linalg.yield %m : f32
  } -> tensor<1x33xf32>
  return %q : tensor<1x33xf32>
}

// A gelu on the registers of the tile.

// REDEFINE: %{file} = %t/gelu.mlir
// RUN: %{count} | FileCheck %s --check-prefix=GELU
// RUN: pgopt-runner %{file} --compare=%{file} | FileCheck %s --check-prefix=NEAR
// GELU: (S) 1 product
// GELU: (S) 1 fused
// GELU: (S) 0 vectorized
// NEAR: result 0: error {{[0-9.]+}}e-0{{[6-9]}} at

//--- gelu.mlir
#all = affine_map<(m, n) -> (m, n)>
func.func @forward(%a: tensor<17x13xf32>, %b: tensor<13x37xf32>) -> tensor<17x37xf32> {
  %z = arith.constant 0.0 : f32
  %one = arith.constant 1.0 : f32
  %half = arith.constant 0.5 : f32
  %root = arith.constant 0.70710678118654752 : f32
  %e = tensor.empty() : tensor<17x37xf32>
  %f = linalg.fill ins(%z : f32) outs(%e : tensor<17x37xf32>) -> tensor<17x37xf32>
  %r = linalg.matmul ins(%a, %b : tensor<17x13xf32>, tensor<13x37xf32>) outs(%f : tensor<17x37xf32>) -> tensor<17x37xf32>
  %q = linalg.generic {indexing_maps = [#all, #all], iterator_types = ["parallel", "parallel"]} ins(%r : tensor<17x37xf32>) outs(%e : tensor<17x37xf32>) {
  ^bb0(%x: f32, %o: f32):
    %s = arith.mulf %x, %root : f32
    %t = math.erf %s : f32
    %u = arith.addf %t, %one : f32
    %h = arith.mulf %x, %half : f32
    %m = arith.mulf %h, %u : f32
    linalg.yield %m : f32
  } -> tensor<17x37xf32>
  return %q : tensor<17x37xf32>
}
