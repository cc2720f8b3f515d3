// Elementwise ops, reductions, data that moves.
// Computed by pgopt's kernels and by upstream's plain loops: the numbers
// agree. What became BLAS, vectors and loops is
// counted; a count that is not checked is 0.
// Sanitizers see the same kernels in unit/reduce_test and conformance, sooner.
// UNSUPPORTED: asan

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

// Elementwise: broadcasts, transpositions, one loop of all dimensions, integers.

//--- bias_and_exp.mlir
// REDEFINE: %{op} = bias_and_exp
// RUN: %{whole} | %{same}
// RUN: %{count} BIAS-AND-EXP
// BIAS-AND-EXP: (S) 1 vectorized
func.func @bias_and_exp(%a: tensor<17x37xf32>, %b: tensor<37xf32>) -> tensor<17x37xf32> {
  %e = tensor.empty() : tensor<17x37xf32>
  %r = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (j)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]} ins(%a, %b : tensor<17x37xf32>, tensor<37xf32>) outs(%e : tensor<17x37xf32>) {
  ^bb0(%x: f32, %y: f32, %o: f32):
    %s = arith.addf %x, %y : f32
    %q = math.exp %s : f32
    linalg.yield %q : f32
  } -> tensor<17x37xf32>
  return %r : tensor<17x37xf32>
}

//--- row_bias.mlir
// REDEFINE: %{op} = row_bias
// RUN: %{whole} | %{same}
// RUN: %{count} ROW-BIAS
// ROW-BIAS: (S) 1 vectorized
func.func @row_bias(%a: tensor<17x37xf32>, %b: tensor<17xf32>) -> tensor<17x37xf32> {
  %e = tensor.empty() : tensor<17x37xf32>
  %r = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]} ins(%a, %b : tensor<17x37xf32>, tensor<17xf32>) outs(%e : tensor<17x37xf32>) {
  ^bb0(%x: f32, %y: f32, %o: f32):
    %s = arith.subf %x, %y : f32
    linalg.yield %s : f32
  } -> tensor<17x37xf32>
  return %r : tensor<17x37xf32>
}

//--- constant_index.mlir
// REDEFINE: %{op} = constant_index
// RUN: %{whole} | %{same}
// RUN: %{count} CONSTANT-INDEX
// CONSTANT-INDEX: (S) 1 vectorized
func.func @constant_index(%a: tensor<1x37xf32>) -> tensor<17x37xf32> {
  %e = tensor.empty() : tensor<17x37xf32>
  %r = linalg.generic {indexing_maps = [affine_map<(i, j) -> (0, j)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]} ins(%a : tensor<1x37xf32>) outs(%e : tensor<17x37xf32>) {
  ^bb0(%x: f32, %o: f32):
    %s = arith.mulf %x, %x : f32
    linalg.yield %s : f32
  } -> tensor<17x37xf32>
  return %r : tensor<17x37xf32>
}

//--- flat.mlir
// REDEFINE: %{op} = flat
// RUN: %{whole} | %{same}
// RUN: %{count} FLAT
// FLAT: (S) 1 vectorized
func.func @flat(%a: tensor<3x5x7xf32>, %b: tensor<3x5x7xf32>) -> tensor<3x5x7xf32> {
  %e = tensor.empty() : tensor<3x5x7xf32>
  %r = linalg.max ins(%a, %b : tensor<3x5x7xf32>, tensor<3x5x7xf32>) outs(%e : tensor<3x5x7xf32>) -> tensor<3x5x7xf32>
  return %r : tensor<3x5x7xf32>
}

//--- unit_extents.mlir
// REDEFINE: %{op} = unit_extents
// RUN: %{whole} | %{same}
// RUN: %{count} UNIT-EXTENTS
// UNIT-EXTENTS: (S) 1 copy
func.func @unit_extents(%a: tensor<7x1x37x1xf32>) -> tensor<7x37x1x1xf32> {
  %e = tensor.empty() : tensor<7x37x1x1xf32>
  %r = linalg.transpose ins(%a : tensor<7x1x37x1xf32>) outs(%e : tensor<7x37x1x1xf32>) permutation = [0, 2, 1, 3]
  return %r : tensor<7x37x1x1xf32>
}

//--- transposition.mlir
// REDEFINE: %{op} = transposition
// RUN: %{whole} | %{same}
// RUN: %{count} TRANSPOSITION
// TRANSPOSITION: (S) 1 vectorized
func.func @transposition(%a: tensor<41x37xf32>) -> tensor<37x41xf32> {
  %e = tensor.empty() : tensor<37x41xf32>
  %r = linalg.transpose ins(%a : tensor<41x37xf32>) outs(%e : tensor<37x41xf32>) permutation = [1, 0]
  return %r : tensor<37x41xf32>
}

//--- permutation.mlir
// REDEFINE: %{op} = permutation
// RUN: %{whole} | %{same}
// RUN: %{count} PERMUTATION
// PERMUTATION: (S) 1 vectorized
func.func @permutation(%a: tensor<3x5x23x19xf32>) -> tensor<19x3x23x5xf32> {
  %e = tensor.empty() : tensor<19x3x23x5xf32>
  %r = linalg.transpose ins(%a : tensor<3x5x23x19xf32>) outs(%e : tensor<19x3x23x5xf32>) permutation = [3, 0, 2, 1]
  return %r : tensor<19x3x23x5xf32>
}

//--- add_transposed.mlir
// REDEFINE: %{op} = add_transposed
// RUN: %{whole} | %{same}
// RUN: %{count} ADD-TRANSPOSED
// ADD-TRANSPOSED: (S) 1 vectorized
func.func @add_transposed(%a: tensor<17x37xf32>, %b: tensor<37x17xf32>) -> tensor<17x37xf32> {
  %e = tensor.empty() : tensor<17x37xf32>
  %r = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (j, i)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]} ins(%a, %b : tensor<17x37xf32>, tensor<37x17xf32>) outs(%e : tensor<17x37xf32>) {
  ^bb0(%x: f32, %y: f32, %o: f32):
    %s = arith.addf %x, %y : f32
    linalg.yield %s : f32
  } -> tensor<17x37xf32>
  return %r : tensor<17x37xf32>
}

//--- half.mlir
// REDEFINE: %{op} = half
// RUN: %{whole} | %{same}
// RUN: %{count} HALF
// HALF: (S) 1 vectorized
func.func @half(%a: tensor<5x37xf16>, %b: tensor<37xf16>) -> tensor<5x37xf16> {
  %e = tensor.empty() : tensor<5x37xf16>
  %r = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (j)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]} ins(%a, %b : tensor<5x37xf16>, tensor<37xf16>) outs(%e : tensor<5x37xf16>) {
  ^bb0(%x: f16, %y: f16, %o: f16):
    %s = arith.addf %x, %y : f16
    linalg.yield %s : f16
  } -> tensor<5x37xf16>
  return %r : tensor<5x37xf16>
}

//--- bytes.mlir
// REDEFINE: %{op} = bytes
// RUN: %{whole} | %{same}
// RUN: %{count} BYTES
// BYTES: (S) 1 vectorized
func.func @bytes(%a: tensor<5x83xi8>) -> tensor<5x83xi32> {
  %e = tensor.empty() : tensor<5x83xi32>
  %r = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]} ins(%a : tensor<5x83xi8>) outs(%e : tensor<5x83xi32>) {
  ^bb0(%x: i8, %o: i32):
    %s = arith.extsi %x : i8 to i32
    %q = arith.muli %s, %s : i32
    linalg.yield %q : i32
  } -> tensor<5x83xi32>
  return %r : tensor<5x83xi32>
}

//--- compare_and_select.mlir
// REDEFINE: %{op} = compare_and_select
// RUN: %{whole} | %{same}
// RUN: %{count} COMPARE-AND-SELECT
// COMPARE-AND-SELECT: (S) 1 vectorized
func.func @compare_and_select(%a: tensor<5x37xf32>, %b: tensor<37xf32>) -> tensor<5x37xf32> {
  %e = tensor.empty() : tensor<5x37xf32>
  %r = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (j)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]} ins(%a, %b : tensor<5x37xf32>, tensor<37xf32>) outs(%e : tensor<5x37xf32>) {
  ^bb0(%x: f32, %y: f32, %o: f32):
    %c = arith.cmpf olt, %x, %y : f32
    %s = arith.select %c, %x, %y : f32
    linalg.yield %s : f32
  } -> tensor<5x37xf32>
  return %r : tensor<5x37xf32>
}

// The loops' indices are numbers like others.

//--- position.mlir
// REDEFINE: %{op} = position
// RUN: %{whole} | %{same}
// RUN: %{count} POSITION
// POSITION: (S) 1 vectorized
func.func @position(%a: tensor<5x37xf32>) -> tensor<5x37xf32> {
  %e = tensor.empty() : tensor<5x37xf32>
  %r = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]} ins(%a : tensor<5x37xf32>) outs(%e : tensor<5x37xf32>) {
  ^bb0(%x: f32, %o: f32):
    %i = linalg.index 0 : index
    %j = linalg.index 1 : index
    %k = arith.muli %i, %j : index
    %n = arith.index_cast %k : index to i32
    %p = arith.sitofp %n : i32 to f32
    %s = arith.addf %p, %x : f32
    linalg.yield %s : f32
  } -> tensor<5x37xf32>
  return %r : tensor<5x37xf32>
}

// Rows taken out of an array at places that are computed once a row.

//--- gather_rows.mlir
// REDEFINE: %{op} = gather_rows
// RUN: %{whole} | %{same}
// RUN: %{count} GATHER-ROWS
// GATHER-ROWS: (S) 1 row-gather
func.func @gather_rows(%t: tensor<7x19xf32>, %i: tensor<5xi64>) -> tensor<5x19xf32> {
  %e = tensor.empty() : tensor<5x19xf32>
  %r = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]} ins(%i : tensor<5xi64>) outs(%e : tensor<5x19xf32>) {
  ^bb0(%x: i64, %o: f32):
    %n = arith.index_cast %x : i64 to index
    %j = linalg.index 1 : index
    %v = tensor.extract %t[%n, %j] : tensor<7x19xf32>
    linalg.yield %v : f32
  } -> tensor<5x19xf32>
  return %r : tensor<5x19xf32>
}

// Places that are checked stay loops.

//--- checked_rows.mlir
// REDEFINE: %{op} = checked_rows
// RUN: %{whole} | %{same}
// RUN: %{count} CHECKED-ROWS
// CHECKED-ROWS: (S) 1 loops-body
func.func @checked_rows(%t: tensor<7x19xf32>, %i: tensor<5xi64>) -> tensor<5x19xf32> {
  %seven = arith.constant 7 : index
  %e = tensor.empty() : tensor<5x19xf32>
  %r = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]} ins(%i : tensor<5xi64>) outs(%e : tensor<5x19xf32>) {
  ^bb0(%x: i64, %o: f32):
    %n = arith.index_cast %x : i64 to index
    %j = linalg.index 1 : index
    %inside = arith.cmpi ult, %n, %seven : index
    cf.assert %inside, "row of the table"
    %v = tensor.extract %t[%n, %j] : tensor<7x19xf32>
    linalg.yield %v : f32
  } -> tensor<5x19xf32>
  return %r : tensor<5x19xf32>
}

//--- nearest_pixel.mlir
// REDEFINE: %{op} = nearest_pixel
// RUN: %{whole} | %{same}
// RUN: %{count} NEAREST-PIXEL
// NEAREST-PIXEL: (S) 1 row-gather
func.func @nearest_pixel(%x: tensor<5x7x131xf32>, %shift: tensor<13xi32>) -> tensor<11x13x131xf32> {
  %two = arith.constant 2 : index
  %last = arith.constant 6 : index
  %e = tensor.empty() : tensor<11x13x131xf32>
  %r = linalg.generic {indexing_maps = [affine_map<(h, w, c) -> (w)>, affine_map<(h, w, c) -> (h, w, c)>], iterator_types = ["parallel", "parallel", "parallel"]} ins(%shift : tensor<13xi32>) outs(%e : tensor<11x13x131xf32>) {
  ^bb0(%s: i32, %o: f32):
    %h = linalg.index 0 : index
    %w = linalg.index 1 : index
    %c = linalg.index 2 : index
    %n = arith.index_cast %s : i32 to index
    %p = arith.divui %h, %two : index
    %k = arith.addi %w, %n : index
    %q = arith.divui %k, %two : index
    %l = arith.minsi %p, %two : index
    %m = arith.minsi %q, %last : index
    %z = arith.constant 0 : index
    %g = arith.maxsi %m, %z : index
    %v = tensor.extract %x[%l, %g, %c] : tensor<5x7x131xf32>
    linalg.yield %v : f32
  } -> tensor<11x13x131xf32>
  return %r : tensor<11x13x131xf32>
}

// Reductions: along rows, along columns, of several dimensions.

//--- row_maximum.mlir
// REDEFINE: %{op} = row_maximum
// RUN: %{whole} | %{same}
// RUN: %{count} ROW-MAXIMUM
// ROW-MAXIMUM: (S) 1 reduction
func.func @row_maximum(%a: tensor<17x149xf32>) -> tensor<17xf32> {
  %z = arith.constant 0xFF800000 : f32
  %e = tensor.empty() : tensor<17xf32>
  %f = linalg.fill ins(%z : f32) outs(%e : tensor<17xf32>) -> tensor<17xf32>
  %r = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i)>], iterator_types = ["parallel", "reduction"]} ins(%a : tensor<17x149xf32>) outs(%f : tensor<17xf32>) {
  ^bb0(%x: f32, %o: f32):
    %s = arith.maximumf %o, %x : f32
    linalg.yield %s : f32
  } -> tensor<17xf32>
  return %r : tensor<17xf32>
}

//--- row_sum.mlir
// REDEFINE: %{op} = row_sum
// RUN: %{whole} | %{same}
// RUN: %{count} ROW-SUM
// ROW-SUM: (S) 1 reduction
func.func @row_sum(%a: tensor<17x149xf32>) -> tensor<17xf32> {
  %z = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<17xf32>
  %f = linalg.fill ins(%z : f32) outs(%e : tensor<17xf32>) -> tensor<17xf32>
  %r = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i)>], iterator_types = ["parallel", "reduction"]} ins(%a : tensor<17x149xf32>) outs(%f : tensor<17xf32>) {
  ^bb0(%x: f32, %o: f32):
    %s = arith.addf %o, %x : f32
    linalg.yield %s : f32
  } -> tensor<17xf32>
  return %r : tensor<17xf32>
}

//--- column_sum.mlir
// REDEFINE: %{op} = column_sum
// RUN: %{whole} | %{same}
// RUN: %{count} COLUMN-SUM
// COLUMN-SUM: (S) 1 reduction
func.func @column_sum(%a: tensor<17x37xf32>) -> tensor<37xf32> {
  %z = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<37xf32>
  %f = linalg.fill ins(%z : f32) outs(%e : tensor<37xf32>) -> tensor<37xf32>
  %r = linalg.generic {indexing_maps = [affine_map<(j, i) -> (i, j)>, affine_map<(j, i) -> (j)>], iterator_types = ["parallel", "reduction"]} ins(%a : tensor<17x37xf32>) outs(%f : tensor<37xf32>) {
  ^bb0(%x: f32, %o: f32):
    %s = arith.addf %o, %x : f32
    linalg.yield %s : f32
  } -> tensor<37xf32>
  return %r : tensor<37xf32>
}

//--- image_sum.mlir
// REDEFINE: %{op} = image_sum
// RUN: %{whole} | %{same}
// RUN: %{count} IMAGE-SUM
// IMAGE-SUM: (S) 1 reduction
func.func @image_sum(%a: tensor<3x7x11x19xf32>) -> tensor<3x19xf32> {
  %z = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<3x19xf32>
  %f = linalg.fill ins(%z : f32) outs(%e : tensor<3x19xf32>) -> tensor<3x19xf32>
  %r = linalg.generic {indexing_maps = [affine_map<(n, h, w, c) -> (n, h, w, c)>, affine_map<(n, h, w, c) -> (n, c)>], iterator_types = ["parallel", "reduction", "reduction", "parallel"]} ins(%a : tensor<3x7x11x19xf32>) outs(%f : tensor<3x19xf32>) {
  ^bb0(%x: f32, %o: f32):
    %s = arith.addf %o, %x : f32
    linalg.yield %s : f32
  } -> tensor<3x19xf32>
  return %r : tensor<3x19xf32>
}

//--- softmax.mlir
// REDEFINE: %{op} = softmax
// RUN: %{whole} | %{same}
// RUN: %{count} SOFTMAX
// SOFTMAX: (S) 1 reduction
// SOFTMAX: (S) 4 vectorized
func.func @softmax(%a: tensor<17x37xf32>) -> tensor<17x37xf32> {
  %e = tensor.empty() : tensor<17x37xf32>
  %r = linalg.softmax dimension(1) ins(%a : tensor<17x37xf32>) outs(%e : tensor<17x37xf32>) -> tensor<17x37xf32>
  return %r : tensor<17x37xf32>
}

// Data that moves.

//--- padding.mlir
// REDEFINE: %{op} = padding
// RUN: %{whole} | %{same}
// RUN: %{count} PADDING
// PADDING: (S) 1 copy
func.func @padding(%a: tensor<3x19x23xf32>) -> tensor<3x21x27xf32> {
  %z = arith.constant 2.0 : f32
  %r = tensor.pad %a low[0, 1, 3] high[0, 1, 1] {
  ^bb0(%i: index, %j: index, %k: index):
    tensor.yield %z : f32
  } : tensor<3x19x23xf32> to tensor<3x21x27xf32>
  return %r : tensor<3x21x27xf32>
}

//--- concatenation.mlir
// REDEFINE: %{op} = concatenation
// RUN: %{whole} | %{same}
// RUN: %{count} CONCATENATION
// CONCATENATION: (S) 2 copy
func.func @concatenation(%a: tensor<3x19xf32>, %b: tensor<3x23xf32>) -> tensor<3x42xf32> {
  %r = tensor.concat dim(1) %a, %b : (tensor<3x19xf32>, tensor<3x23xf32>) -> tensor<3x42xf32>
  return %r : tensor<3x42xf32>
}

// Loops and powers: what a turn yields goes into what it carries (copy in, the
// op, copy back where it does not work in place, copy out); a power of a
// constant becomes products.

//--- counted_loop.mlir
// REDEFINE: %{op} = counted_loop
// RUN: %{whole} | %{same}
// RUN: %{count} COUNTED-LOOP
// COUNTED-LOOP: (S) 2 copy
// COUNTED-LOOP: (S) 1 vectorized
func.func @counted_loop(%a: tensor<7x37xf32>) -> tensor<7x37xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c5 = arith.constant 5 : index
  %r = scf.for %i = %c0 to %c5 step %c1 iter_args(%x = %a) -> tensor<7x37xf32> {
    %e = tensor.empty() : tensor<7x37xf32>
    %y = linalg.tanh ins(%x : tensor<7x37xf32>) outs(%e : tensor<7x37xf32>) -> tensor<7x37xf32>
    scf.yield %y : tensor<7x37xf32>
  }
  return %r : tensor<7x37xf32>
}

//--- transposing_loop.mlir
// REDEFINE: %{op} = transposing_loop
// RUN: %{whole} | %{same}
// RUN: %{count} TRANSPOSING-LOOP
// TRANSPOSING-LOOP: (S) 3 copy
// TRANSPOSING-LOOP: (S) 1 vectorized
func.func @transposing_loop(%a: tensor<19x19xf32>) -> tensor<19x19xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %r:2 = scf.while (%x = %a, %i = %c0) : (tensor<19x19xf32>, index) -> (tensor<19x19xf32>, index) {
    %c = arith.cmpi slt, %i, %c3 : index
    scf.condition(%c) %x, %i : tensor<19x19xf32>, index
  } do {
  ^bb0(%x: tensor<19x19xf32>, %i: index):
    %e = tensor.empty() : tensor<19x19xf32>
    %y = linalg.transpose ins(%x : tensor<19x19xf32>) outs(%e : tensor<19x19xf32>) permutation = [1, 0]
    %j = arith.addi %i, %c1 : index
    scf.yield %y, %j : tensor<19x19xf32>, index
  }
  return %r#0 : tensor<19x19xf32>
}

//--- power.mlir
// REDEFINE: %{op} = power
// RUN: %{whole} | %{same}
// RUN: %{count} POWER
// POWER: (S) 1 vectorized
func.func @power(%a: tensor<5x37xf32>) -> tensor<5x37xf32> {
  %e = tensor.empty() : tensor<5x37xf32>
  %c = arith.constant 3 : i32
  %r = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]} ins(%a : tensor<5x37xf32>) outs(%e : tensor<5x37xf32>) {
  ^bb0(%x: f32, %o: f32):
    %v = math.fpowi %x, %c : f32, i32
    linalg.yield %v : f32
  } -> tensor<5x37xf32>
  return %r : tensor<5x37xf32>
}
