// Contractions.
// Computed by pgopt's kernels, whole and in three ranges, through BLAS, and by
// upstream's plain loops: the numbers agree. What became generated products,
// or BLAS, vectors and loops, is counted; a count that is not checked is 0.
// Sanitizers see the same kernels in unit/product_test and conformance, sooner.
// UNSUPPORTED: asan

// RUN: split-file %s %t
// DEFINE: %{op} =
// DEFINE: %{file} = %t/%{op}.mlir
// DEFINE: %{whole} = pgopt-runner %{file} --compare=%{file} 2>&1
// DEFINE: %{parts} = pgopt-opt %{file} --form-kernels=split=3 -o %t/parts.mlir \
// DEFINE:   && pgopt-runner %t/parts.mlir --compare=%{file} 2>&1
// DEFINE: %{blas} = pgopt-opt %{file} --pgopt-lower=kernels=blas \
// DEFINE:   -o %t/blas.mlir && pgopt-runner %t/blas.mlir --compare=%{file} 2>&1
// DEFINE: %{same} = FileCheck %s --check-prefix=SAME \
// DEFINE:   --implicit-check-not="error: "
// DEFINE: %{count} = pgopt-opt %{file} --pgopt-lower=kernels=blas \
// DEFINE:   -o /dev/null --mlir-pass-statistics 2>&1 | FileCheck %s \
// DEFINE:   --implicit-check-not="(S) {{[1-9][0-9]*}} {{product|gemm|im2col|vec|loops}}" \
// DEFINE:   --check-prefix
// DEFINE: %{generated} = pgopt-opt %{file} --pgopt-lower -o /dev/null \
// DEFINE:   --mlir-pass-statistics 2>&1 | FileCheck %s \
// DEFINE:   --implicit-check-not="(S) {{[1-9][0-9]*}} {{product|gemm|im2col|vec|loops}}" \
// DEFINE:   --check-prefix
// PRODUCT: (S) 1 product
// SAME: result 0: error {{[0-9.e-]+}} at

// Each operand as it is and transposed.

//--- matmul_nnn.mlir
// REDEFINE: %{op} = matmul_nnn
// RUN: %{whole} | %{same}
// RUN: %{parts} | %{same}
// RUN: %{blas} | %{same}
// RUN: %{generated} PRODUCT
// RUN: %{count} MATMUL-NNN
// MATMUL-NNN: (S) 1 gemm
func.func @matmul_nnn(%a: tensor<17x13xf32>, %b: tensor<13x19xf32>) -> tensor<17x19xf32> {
  %z = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<17x19xf32>
  %f = linalg.fill ins(%z : f32) outs(%e : tensor<17x19xf32>) -> tensor<17x19xf32>
  %r = linalg.generic {indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (k, n)>, affine_map<(m, n, k) -> (m, n)>], iterator_types = ["parallel", "parallel", "reduction"]} ins(%a, %b : tensor<17x13xf32>, tensor<13x19xf32>) outs(%f : tensor<17x19xf32>) {
  ^bb0(%x: f32, %y: f32, %o: f32):
    %p = arith.mulf %x, %y : f32
    %s = arith.addf %o, %p : f32
    linalg.yield %s : f32
  } -> tensor<17x19xf32>
  return %r : tensor<17x19xf32>
}

//--- matmul_nnt.mlir
// REDEFINE: %{op} = matmul_nnt
// RUN: %{whole} | %{same}
// RUN: %{parts} | %{same}
// RUN: %{blas} | %{same}
// RUN: %{generated} PRODUCT
// RUN: %{count} MATMUL-NNT
// MATMUL-NNT: (S) 1 gemm
func.func @matmul_nnt(%a: tensor<17x13xf32>, %b: tensor<13x19xf32>) -> tensor<19x17xf32> {
  %z = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<19x17xf32>
  %f = linalg.fill ins(%z : f32) outs(%e : tensor<19x17xf32>) -> tensor<19x17xf32>
  %r = linalg.generic {indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (k, n)>, affine_map<(m, n, k) -> (n, m)>], iterator_types = ["parallel", "parallel", "reduction"]} ins(%a, %b : tensor<17x13xf32>, tensor<13x19xf32>) outs(%f : tensor<19x17xf32>) {
  ^bb0(%x: f32, %y: f32, %o: f32):
    %p = arith.mulf %x, %y : f32
    %s = arith.addf %o, %p : f32
    linalg.yield %s : f32
  } -> tensor<19x17xf32>
  return %r : tensor<19x17xf32>
}

//--- matmul_ntn.mlir
// REDEFINE: %{op} = matmul_ntn
// RUN: %{whole} | %{same}
// RUN: %{parts} | %{same}
// RUN: %{blas} | %{same}
// RUN: %{generated} PRODUCT
// RUN: %{count} MATMUL-NTN
// MATMUL-NTN: (S) 1 gemm
func.func @matmul_ntn(%a: tensor<17x13xf32>, %b: tensor<19x13xf32>) -> tensor<17x19xf32> {
  %z = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<17x19xf32>
  %f = linalg.fill ins(%z : f32) outs(%e : tensor<17x19xf32>) -> tensor<17x19xf32>
  %r = linalg.generic {indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (n, k)>, affine_map<(m, n, k) -> (m, n)>], iterator_types = ["parallel", "parallel", "reduction"]} ins(%a, %b : tensor<17x13xf32>, tensor<19x13xf32>) outs(%f : tensor<17x19xf32>) {
  ^bb0(%x: f32, %y: f32, %o: f32):
    %p = arith.mulf %x, %y : f32
    %s = arith.addf %o, %p : f32
    linalg.yield %s : f32
  } -> tensor<17x19xf32>
  return %r : tensor<17x19xf32>
}

//--- matmul_ntt.mlir
// REDEFINE: %{op} = matmul_ntt
// RUN: %{whole} | %{same}
// RUN: %{parts} | %{same}
// RUN: %{blas} | %{same}
// RUN: %{generated} PRODUCT
// RUN: %{count} MATMUL-NTT
// MATMUL-NTT: (S) 1 gemm
func.func @matmul_ntt(%a: tensor<17x13xf32>, %b: tensor<19x13xf32>) -> tensor<19x17xf32> {
  %z = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<19x17xf32>
  %f = linalg.fill ins(%z : f32) outs(%e : tensor<19x17xf32>) -> tensor<19x17xf32>
  %r = linalg.generic {indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (n, k)>, affine_map<(m, n, k) -> (n, m)>], iterator_types = ["parallel", "parallel", "reduction"]} ins(%a, %b : tensor<17x13xf32>, tensor<19x13xf32>) outs(%f : tensor<19x17xf32>) {
  ^bb0(%x: f32, %y: f32, %o: f32):
    %p = arith.mulf %x, %y : f32
    %s = arith.addf %o, %p : f32
    linalg.yield %s : f32
  } -> tensor<19x17xf32>
  return %r : tensor<19x17xf32>
}

//--- matmul_tnn.mlir
// REDEFINE: %{op} = matmul_tnn
// RUN: %{whole} | %{same}
// RUN: %{parts} | %{same}
// RUN: %{blas} | %{same}
// RUN: %{generated} PRODUCT
// RUN: %{count} MATMUL-TNN
// MATMUL-TNN: (S) 1 gemm
func.func @matmul_tnn(%a: tensor<13x17xf32>, %b: tensor<13x19xf32>) -> tensor<17x19xf32> {
  %z = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<17x19xf32>
  %f = linalg.fill ins(%z : f32) outs(%e : tensor<17x19xf32>) -> tensor<17x19xf32>
  %r = linalg.generic {indexing_maps = [affine_map<(m, n, k) -> (k, m)>, affine_map<(m, n, k) -> (k, n)>, affine_map<(m, n, k) -> (m, n)>], iterator_types = ["parallel", "parallel", "reduction"]} ins(%a, %b : tensor<13x17xf32>, tensor<13x19xf32>) outs(%f : tensor<17x19xf32>) {
  ^bb0(%x: f32, %y: f32, %o: f32):
    %p = arith.mulf %x, %y : f32
    %s = arith.addf %o, %p : f32
    linalg.yield %s : f32
  } -> tensor<17x19xf32>
  return %r : tensor<17x19xf32>
}

//--- matmul_tnt.mlir
// REDEFINE: %{op} = matmul_tnt
// RUN: %{whole} | %{same}
// RUN: %{parts} | %{same}
// RUN: %{blas} | %{same}
// RUN: %{generated} PRODUCT
// RUN: %{count} MATMUL-TNT
// MATMUL-TNT: (S) 1 gemm
func.func @matmul_tnt(%a: tensor<13x17xf32>, %b: tensor<13x19xf32>) -> tensor<19x17xf32> {
  %z = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<19x17xf32>
  %f = linalg.fill ins(%z : f32) outs(%e : tensor<19x17xf32>) -> tensor<19x17xf32>
  %r = linalg.generic {indexing_maps = [affine_map<(m, n, k) -> (k, m)>, affine_map<(m, n, k) -> (k, n)>, affine_map<(m, n, k) -> (n, m)>], iterator_types = ["parallel", "parallel", "reduction"]} ins(%a, %b : tensor<13x17xf32>, tensor<13x19xf32>) outs(%f : tensor<19x17xf32>) {
  ^bb0(%x: f32, %y: f32, %o: f32):
    %p = arith.mulf %x, %y : f32
    %s = arith.addf %o, %p : f32
    linalg.yield %s : f32
  } -> tensor<19x17xf32>
  return %r : tensor<19x17xf32>
}

//--- matmul_ttn.mlir
// REDEFINE: %{op} = matmul_ttn
// RUN: %{whole} | %{same}
// RUN: %{parts} | %{same}
// RUN: %{blas} | %{same}
// RUN: %{generated} PRODUCT
// RUN: %{count} MATMUL-TTN
// MATMUL-TTN: (S) 1 gemm
func.func @matmul_ttn(%a: tensor<13x17xf32>, %b: tensor<19x13xf32>) -> tensor<17x19xf32> {
  %z = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<17x19xf32>
  %f = linalg.fill ins(%z : f32) outs(%e : tensor<17x19xf32>) -> tensor<17x19xf32>
  %r = linalg.generic {indexing_maps = [affine_map<(m, n, k) -> (k, m)>, affine_map<(m, n, k) -> (n, k)>, affine_map<(m, n, k) -> (m, n)>], iterator_types = ["parallel", "parallel", "reduction"]} ins(%a, %b : tensor<13x17xf32>, tensor<19x13xf32>) outs(%f : tensor<17x19xf32>) {
  ^bb0(%x: f32, %y: f32, %o: f32):
    %p = arith.mulf %x, %y : f32
    %s = arith.addf %o, %p : f32
    linalg.yield %s : f32
  } -> tensor<17x19xf32>
  return %r : tensor<17x19xf32>
}

//--- matmul_ttt.mlir
// REDEFINE: %{op} = matmul_ttt
// RUN: %{whole} | %{same}
// RUN: %{parts} | %{same}
// RUN: %{blas} | %{same}
// RUN: %{generated} PRODUCT
// RUN: %{count} MATMUL-TTT
// MATMUL-TTT: (S) 1 gemm
func.func @matmul_ttt(%a: tensor<13x17xf32>, %b: tensor<19x13xf32>) -> tensor<19x17xf32> {
  %z = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<19x17xf32>
  %f = linalg.fill ins(%z : f32) outs(%e : tensor<19x17xf32>) -> tensor<19x17xf32>
  %r = linalg.generic {indexing_maps = [affine_map<(m, n, k) -> (k, m)>, affine_map<(m, n, k) -> (n, k)>, affine_map<(m, n, k) -> (n, m)>], iterator_types = ["parallel", "parallel", "reduction"]} ins(%a, %b : tensor<13x17xf32>, tensor<19x13xf32>) outs(%f : tensor<19x17xf32>) {
  ^bb0(%x: f32, %y: f32, %o: f32):
    %p = arith.mulf %x, %y : f32
    %s = arith.addf %o, %p : f32
    linalg.yield %s : f32
  } -> tensor<19x17xf32>
  return %r : tensor<19x17xf32>
}

// A batch, which is a loop; one that is the middle index; heads beside rows.

//--- batched.mlir
// REDEFINE: %{op} = batched
// RUN: %{whole} | %{same}
// RUN: %{parts} | %{same}
// RUN: %{blas} | %{same}
// RUN: %{generated} PRODUCT
// RUN: %{count} BATCHED
// BATCHED: (S) 1 gemm
func.func @batched(%a: tensor<5x11x17xf32>, %b: tensor<5x17x13xf32>) -> tensor<5x11x13xf32> {
  %z = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<5x11x13xf32>
  %f = linalg.fill ins(%z : f32) outs(%e : tensor<5x11x13xf32>) -> tensor<5x11x13xf32>
  %r = linalg.generic {indexing_maps = [affine_map<(b, m, n, k) -> (b, m, k)>, affine_map<(b, m, n, k) -> (b, k, n)>, affine_map<(b, m, n, k) -> (b, m, n)>], iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%a, %b : tensor<5x11x17xf32>, tensor<5x17x13xf32>) outs(%f : tensor<5x11x13xf32>) {
  ^bb0(%x: f32, %y: f32, %o: f32):
    %p = arith.mulf %x, %y : f32
    %s = arith.addf %o, %p : f32
    linalg.yield %s : f32
  } -> tensor<5x11x13xf32>
  return %r : tensor<5x11x13xf32>
}

//--- batch_in_the_middle.mlir
// REDEFINE: %{op} = batch_in_the_middle
// RUN: %{whole} | %{same}
// RUN: %{parts} | %{same}
// RUN: %{blas} | %{same}
// RUN: %{generated} PRODUCT
// RUN: %{count} BATCH-IN-THE-MIDDLE
// BATCH-IN-THE-MIDDLE: (S) 1 gemm
func.func @batch_in_the_middle(%a: tensor<11x5x17xf32>, %b: tensor<5x13x17xf32>) -> tensor<11x5x13xf32> {
  %z = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<11x5x13xf32>
  %f = linalg.fill ins(%z : f32) outs(%e : tensor<11x5x13xf32>) -> tensor<11x5x13xf32>
  %r = linalg.generic {indexing_maps = [affine_map<(b, m, n, k) -> (m, b, k)>, affine_map<(b, m, n, k) -> (b, n, k)>, affine_map<(b, m, n, k) -> (m, b, n)>], iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%a, %b : tensor<11x5x17xf32>, tensor<5x13x17xf32>) outs(%f : tensor<11x5x13xf32>) {
  ^bb0(%x: f32, %y: f32, %o: f32):
    %p = arith.mulf %x, %y : f32
    %s = arith.addf %o, %p : f32
    linalg.yield %s : f32
  } -> tensor<11x5x13xf32>
  return %r : tensor<11x5x13xf32>
}

//--- double.mlir
// REDEFINE: %{op} = double
// RUN: %{whole} | %{same}
// RUN: %{parts} | %{same}
// RUN: %{blas} | %{same}
// RUN: %{generated} PRODUCT
// RUN: %{count} DOUBLE
// DOUBLE: (S) 1 gemm
func.func @double(%a: tensor<7x11xf64>, %b: tensor<11x13xf64>) -> tensor<7x13xf64> {
  %z = arith.constant 0.0 : f64
  %e = tensor.empty() : tensor<7x13xf64>
  %f = linalg.fill ins(%z : f64) outs(%e : tensor<7x13xf64>) -> tensor<7x13xf64>
  %r = linalg.generic {indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (k, n)>, affine_map<(m, n, k) -> (m, n)>], iterator_types = ["parallel", "parallel", "reduction"]} ins(%a, %b : tensor<7x11xf64>, tensor<11x13xf64>) outs(%f : tensor<7x13xf64>) {
  ^bb0(%x: f64, %y: f64, %o: f64):
    %p = arith.mulf %x, %y : f64
    %s = arith.addf %o, %p : f64
    linalg.yield %s : f64
  } -> tensor<7x13xf64>
  return %r : tensor<7x13xf64>
}

// Reductions in another order: one input is gathered.

//--- two_reductions.mlir
// REDEFINE: %{op} = two_reductions
// RUN: %{whole} | %{same}
// RUN: %{parts} | %{same}
// RUN: %{blas} | %{same}
// RUN: %{generated} PRODUCT
// RUN: %{count} TWO-REDUCTIONS
// TWO-REDUCTIONS: (S) 1 im2col
func.func @two_reductions(%a: tensor<23x3x17xf32>, %b: tensor<17x3x19xf32>) -> tensor<23x19xf32> {
  %z = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<23x19xf32>
  %f = linalg.fill ins(%z : f32) outs(%e : tensor<23x19xf32>) -> tensor<23x19xf32>
  %r = linalg.generic {indexing_maps = [affine_map<(m, n, k, l) -> (m, k, l)>, affine_map<(m, n, k, l) -> (l, k, n)>, affine_map<(m, n, k, l) -> (m, n)>], iterator_types = ["parallel", "parallel", "reduction", "reduction"]} ins(%a, %b : tensor<23x3x17xf32>, tensor<17x3x19xf32>) outs(%f : tensor<23x19xf32>) {
  ^bb0(%x: f32, %y: f32, %o: f32):
    %p = arith.mulf %x, %y : f32
    %s = arith.addf %o, %p : f32
    linalg.yield %s : f32
  } -> tensor<23x19xf32>
  return %r : tensor<23x19xf32>
}

//--- matrix_vector.mlir
// REDEFINE: %{op} = matrix_vector
// RUN: %{whole} | %{same}
// RUN: %{parts} | %{same}
// RUN: %{count} MATRIX-VECTOR
// MATRIX-VECTOR: (S) 1 gemm
func.func @matrix_vector(%a: tensor<17x13xf32>, %b: tensor<13xf32>) -> tensor<17xf32> {
  %z = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<17xf32>
  %f = linalg.fill ins(%z : f32) outs(%e : tensor<17xf32>) -> tensor<17xf32>
  %r = linalg.generic {indexing_maps = [affine_map<(m, k) -> (m, k)>, affine_map<(m, k) -> (k)>, affine_map<(m, k) -> (m)>], iterator_types = ["parallel", "reduction"]} ins(%a, %b : tensor<17x13xf32>, tensor<13xf32>) outs(%f : tensor<17xf32>) {
  ^bb0(%x: f32, %y: f32, %o: f32):
    %p = arith.mulf %x, %y : f32
    %s = arith.addf %o, %p : f32
    linalg.yield %s : f32
  } -> tensor<17xf32>
  return %r : tensor<17xf32>
}

//--- vector_matrix.mlir
// REDEFINE: %{op} = vector_matrix
// RUN: %{whole} | %{same}
// RUN: %{parts} | %{same}
// RUN: %{blas} | %{same}
// RUN: %{generated} PRODUCT
// RUN: %{count} VECTOR-MATRIX
// VECTOR-MATRIX: (S) 1 gemm
func.func @vector_matrix(%a: tensor<13xf32>, %b: tensor<13x17xf32>) -> tensor<17xf32> {
  %z = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<17xf32>
  %f = linalg.fill ins(%z : f32) outs(%e : tensor<17xf32>) -> tensor<17xf32>
  %r = linalg.generic {indexing_maps = [affine_map<(n, k) -> (k)>, affine_map<(n, k) -> (k, n)>, affine_map<(n, k) -> (n)>], iterator_types = ["parallel", "reduction"]} ins(%a, %b : tensor<13xf32>, tensor<13x17xf32>) outs(%f : tensor<17xf32>) {
  ^bb0(%x: f32, %y: f32, %o: f32):
    %p = arith.mulf %x, %y : f32
    %s = arith.addf %o, %p : f32
    linalg.yield %s : f32
  } -> tensor<17xf32>
  return %r : tensor<17xf32>
}

// Not for BLAS: integers, products without a reduction.

//--- integers.mlir
// REDEFINE: %{op} = integers
// RUN: %{whole} | %{same}
// RUN: %{parts} | %{same}
// RUN: %{count} INTEGERS
// INTEGERS: (S) 2 vectorized
func.func @integers(%a: tensor<7x11xi32>, %b: tensor<11x13xi32>) -> tensor<7x13xi32> {
  %z = arith.constant 0 : i32
  %e = tensor.empty() : tensor<7x13xi32>
  %f = linalg.fill ins(%z : i32) outs(%e : tensor<7x13xi32>) -> tensor<7x13xi32>
  %r = linalg.generic {indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (k, n)>, affine_map<(m, n, k) -> (m, n)>], iterator_types = ["parallel", "parallel", "reduction"]} ins(%a, %b : tensor<7x11xi32>, tensor<11x13xi32>) outs(%f : tensor<7x13xi32>) {
  ^bb0(%x: i32, %y: i32, %o: i32):
    %p = arith.muli %x, %y : i32
    %s = arith.addi %o, %p : i32
    linalg.yield %s : i32
  } -> tensor<7x13xi32>
  return %r : tensor<7x13xi32>
}

//--- no_reduction.mlir
// REDEFINE: %{op} = no_reduction
// RUN: %{whole} | %{same}
// RUN: %{parts} | %{same}
// RUN: %{count} NO-REDUCTION
// NO-REDUCTION: (S) 2 vectorized
func.func @no_reduction(%a: tensor<7x19xf32>, %b: tensor<19xf32>) -> tensor<7x19xf32> {
  %z = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<7x19xf32>
  %f = linalg.fill ins(%z : f32) outs(%e : tensor<7x19xf32>) -> tensor<7x19xf32>
  %r = linalg.generic {indexing_maps = [affine_map<(m, n) -> (m, n)>, affine_map<(m, n) -> (n)>, affine_map<(m, n) -> (m, n)>], iterator_types = ["parallel", "parallel"]} ins(%a, %b : tensor<7x19xf32>, tensor<19xf32>) outs(%f : tensor<7x19xf32>) {
  ^bb0(%x: f32, %y: f32, %o: f32):
    %p = arith.mulf %x, %y : f32
    %s = arith.addf %o, %p : f32
    linalg.yield %s : f32
  } -> tensor<7x19xf32>
  return %r : tensor<7x19xf32>
}
