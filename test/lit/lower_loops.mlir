// Ops that stay loops, each for its reason.
// Computed by pgopt's kernels and by upstream's plain loops: the numbers
// agree. What became BLAS, vectors and loops is
// counted; a count that is not checked is 0.

// RUN: split-file %s %t
// DEFINE: %{op} =
// DEFINE: %{file} = %t/%{op}.mlir
// DEFINE: %{whole} = pgopt-runner %{file} --compare=%{file} 2>&1
// DEFINE: %{same} = FileCheck %s --check-prefix=SAME \
// DEFINE:   --implicit-check-not="error: "
// DEFINE: %{count} = pgopt-opt %{file} --pgopt-lower -o /dev/null \
// DEFINE:   --mlir-pass-statistics 2>&1 | FileCheck %s \
// DEFINE:   --implicit-check-not="(S) {{[1-9][0-9]*}} {{gemm|im2col|vec|loops}}" \
// DEFINE:   --check-prefix
// SAME: result 0: error {{[0-9.e-]+}} at

//--- gather_columns.mlir
// REDEFINE: %{op} = gather_columns
// RUN: %{whole} | %{same}
// RUN: %{count} GATHER-COLUMNS
// GATHER-COLUMNS: (S) 1 loops-body
func.func @gather_columns(%t: tensor<19x7xf32>, %i: tensor<5xi64>) -> tensor<5x19xf32> {
  %e = tensor.empty() : tensor<5x19xf32>
  %r = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]} ins(%i : tensor<5xi64>) outs(%e : tensor<5x19xf32>) {
  ^bb0(%x: i64, %o: f32):
    %n = arith.index_cast %x : i64 to index
    %j = linalg.index 1 : index
    %v = tensor.extract %t[%j, %n] : tensor<19x7xf32>
    linalg.yield %v : f32
  } -> tensor<5x19xf32>
  return %r : tensor<5x19xf32>
}

//--- tiny.mlir
// REDEFINE: %{op} = tiny
// RUN: %{whole} | %{same}
// RUN: %{count} TINY
// TINY: (S) 1 loops-shape
func.func @tiny(%a: tensor<3xf32>) -> tensor<3xf32> {
  %e = tensor.empty() : tensor<3xf32>
  %r = linalg.exp ins(%a : tensor<3xf32>) outs(%e : tensor<3xf32>) -> tensor<3xf32>
  return %r : tensor<3xf32>
}

//--- truth_values.mlir
// REDEFINE: %{op} = truth_values
// RUN: %{whole} | %{same}
// RUN: %{count} TRUTH-VALUES
// TRUTH-VALUES: (S) 1 loops-type
func.func @truth_values(%a: tensor<5x37xi1>) -> tensor<5x37xf32> {
  %e = tensor.empty() : tensor<5x37xf32>
  %r = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]} ins(%a : tensor<5x37xi1>) outs(%e : tensor<5x37xf32>) {
  ^bb0(%x: i1, %o: f32):
    %v = arith.uitofp %x : i1 to f32
    linalg.yield %v : f32
  } -> tensor<5x37xf32>
  return %r : tensor<5x37xf32>
}

//--- wrapped_index.mlir
// REDEFINE: %{op} = wrapped_index
// RUN: %{whole} | %{same}
// RUN: %{count} WRAPPED-INDEX
// WRAPPED-INDEX: (S) 1 loops-map
func.func @wrapped_index(%a: tensor<7xf32>) -> tensor<5x37xf32> {
  %e = tensor.empty() : tensor<5x37xf32>
  %r = linalg.generic {indexing_maps = [affine_map<(i, j) -> (j mod 7)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]} ins(%a : tensor<7xf32>) outs(%e : tensor<5x37xf32>) {
  ^bb0(%x: f32, %o: f32):
    linalg.yield %x : f32
  } -> tensor<5x37xf32>
  return %r : tensor<5x37xf32>
}

//--- largest_and_where.mlir
// REDEFINE: %{op} = largest_and_where
// RUN: %{whole} | %{same}
// RUN: %{count} LARGEST-AND-WHERE
// LARGEST-AND-WHERE: (S) 2 vectorized
// LARGEST-AND-WHERE: (S) 1 loops-refused
func.func @largest_and_where(%a: tensor<5x37xf32>) -> (tensor<5xf32>, tensor<5xi32>) {
  %z = arith.constant 0xFF800000 : f32
  %c = arith.constant 0 : i32
  %e = tensor.empty() : tensor<5xf32>
  %g = tensor.empty() : tensor<5xi32>
  %f = linalg.fill ins(%z : f32) outs(%e : tensor<5xf32>) -> tensor<5xf32>
  %h = linalg.fill ins(%c : i32) outs(%g : tensor<5xi32>) -> tensor<5xi32>
  %r:2 = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i)>, affine_map<(i, j) -> (i)>], iterator_types = ["parallel", "reduction"]} ins(%a : tensor<5x37xf32>) outs(%f, %h : tensor<5xf32>, tensor<5xi32>) {
  ^bb0(%x: f32, %o: f32, %p: i32):
    %j = linalg.index 1 : index
    %n = arith.index_cast %j : index to i32
    %b = arith.cmpf ogt, %x, %o : f32
    %v = arith.select %b, %x, %o : f32
    %q = arith.select %b, %n, %p : i32
    linalg.yield %v, %q : f32, i32
  } -> (tensor<5xf32>, tensor<5xi32>)
  return %r#0, %r#1 : tensor<5xf32>, tensor<5xi32>
}
