// Layout changes are counted by what operations do.

// RUN: pgopt-opt %s --split-input-file --verify-diagnostics --layout-report \
// RUN:   -o /dev/null

// A transpose, in linalg: 3 * 5 * 7 * 4 = 420 bytes.
// expected-remark @+1 {{1 layout changes move 420 bytes; 0 of parameters and constants move 0; kernels pack 0 bytes; 0 transposes move nothing}}
func.func @transpose(%a: tensor<3x5x7xf32>) -> tensor<7x3x5xf32> {
  %e = tensor.empty() : tensor<7x3x5xf32>
  // expected-remark @+1 {{'linalg.transpose' permutes its operand: tensor<3x5x7xf32>, 420 bytes}}
  %0 = linalg.transpose ins(%a : tensor<3x5x7xf32>) outs(%e : tensor<7x3x5xf32>) permutation = [2, 0, 1]
  return %0 : tensor<7x3x5xf32>
}

// -----

// The same as TOSA.
// expected-remark @+1 {{1 layout changes move 420 bytes}}
func.func @tosa_transpose(%a: tensor<3x5x7xf32>) -> tensor<7x3x5xf32> {
  // expected-remark @+1 {{'tosa.transpose' permutes its operand: tensor<3x5x7xf32>, 420 bytes}}
  %0 = tosa.transpose %a {perms = array<i32: 2, 0, 1>} : (tensor<3x5x7xf32>) -> tensor<7x3x5xf32>
  return %0 : tensor<7x3x5xf32>
}

// -----

// Dimensions of extent 1 are moved for nothing.
// expected-remark @+1 {{0 layout changes move 0 bytes; 0 of parameters and constants move 0; kernels pack 0 bytes; 1 transposes move nothing}}
func.func @unit(%a: tensor<1x5x7xf32>) -> tensor<5x7x1xf32> {
  %0 = tosa.transpose %a {perms = array<i32: 1, 2, 0>} : (tensor<1x5x7xf32>) -> tensor<5x7x1xf32>
  return %0 : tensor<5x7x1xf32>
}

// -----

// An identity permutation is no transpose that moves anything, nor a renaming.
// expected-remark @+1 {{0 layout changes move 0 bytes; 0 of parameters and constants move 0; kernels pack 0 bytes; 0 transposes move nothing}}
func.func @identity(%a: tensor<3x5xf32>) -> tensor<3x5xf32> {
  %0 = tosa.transpose %a {perms = array<i32: 0, 1>} : (tensor<3x5xf32>) -> tensor<3x5xf32>
  return %0 : tensor<3x5xf32>
}

// -----

// Hidden in the maps of an elementwise operation; the operand that is read in
// the result's order, and the one that is broadcast, are none.
#id = affine_map<(i, j) -> (i, j)>
#swapped = affine_map<(i, j) -> (j, i)>
#row = affine_map<(i, j) -> (j)>
// expected-remark @+1 {{1 layout changes move 60 bytes}}
func.func @hidden(%a: tensor<3x5xf32>, %b: tensor<5x3xf32>, %c: tensor<5xf32>) -> tensor<3x5xf32> {
  %e = tensor.empty() : tensor<3x5xf32>
  // expected-remark @+1 {{'linalg.generic' reads an operand in another order: tensor<5x3xf32>, 60 bytes}}
  %0 = linalg.generic {indexing_maps = [#id, #swapped, #row, #id], iterator_types = ["parallel", "parallel"]}
      ins(%a, %b, %c : tensor<3x5xf32>, tensor<5x3xf32>, tensor<5xf32>) outs(%e : tensor<3x5xf32>) {
  ^bb0(%x: f32, %y: f32, %z: f32, %o: f32):
    %1 = arith.addf %x, %y : f32
    %2 = arith.addf %1, %z : f32
    linalg.yield %2 : f32
  } -> tensor<3x5xf32>
  return %0 : tensor<3x5xf32>
}

// -----

// All maps swapped alike: the loops run in another order, no data moves.
#swapped = affine_map<(i, j) -> (j, i)>
// expected-remark @+1 {{0 layout changes move 0 bytes}}
func.func @loops_swapped(%a: tensor<3x5xf32>) -> tensor<3x5xf32> {
  %e = tensor.empty() : tensor<3x5xf32>
  %0 = linalg.generic {indexing_maps = [#swapped, #swapped], iterator_types = ["parallel", "parallel"]}
      ins(%a : tensor<3x5xf32>) outs(%e : tensor<3x5xf32>) {
  ^bb0(%x: f32, %o: f32):
    %1 = arith.negf %x : f32
    linalg.yield %1 : f32
  } -> tensor<3x5xf32>
  return %0 : tensor<3x5xf32>
}

// -----

// Of a parameter: counted apart.
// expected-remark @+1 {{0 layout changes move 0 bytes; 1 of parameters and constants move 60;}}
func.func @parameter(%w: tensor<3x5xf32> {pg.parameter = "w"}) -> tensor<5x3xf32> {
  // expected-remark @+1 {{tensor<3x5xf32>, 60 bytes, of constants and parameters alone}}
  %0 = tosa.transpose %w {perms = array<i32: 1, 0>} : (tensor<3x5xf32>) -> tensor<5x3xf32>
  return %0 : tensor<5x3xf32>
}

// -----

// A matrix product takes transposed operands as they are ...
#a = affine_map<(b, m, n, k) -> (k, b, m)>
#b = affine_map<(b, m, n, k) -> (n, b, k)>
#c = affine_map<(b, m, n, k) -> (m, b, n)>
// expected-remark @+1 {{0 layout changes move 0 bytes; 0 of parameters and constants move 0; kernels pack 0 bytes;}}
func.func @transposed_product(%a: tensor<5x2x3xf32>, %b: tensor<7x2x5xf32>, %c: tensor<3x2x7xf32>) -> tensor<3x2x7xf32> {
  %0 = linalg.contract indexing_maps = [#a, #b, #c]
      ins(%a, %b : tensor<5x2x3xf32>, tensor<7x2x5xf32>) outs(%c : tensor<3x2x7xf32>) -> tensor<3x2x7xf32>
  return %0 : tensor<3x2x7xf32>
}

// -----

// ... but not one whose innermost dimension is a batch: 2 * 3 * 5 * 4 bytes.
#a = affine_map<(b, m, n, k) -> (m, k, b)>
#b = affine_map<(b, m, n, k) -> (b, k, n)>
#c = affine_map<(b, m, n, k) -> (b, m, n)>
// expected-remark @+1 {{kernels pack 120 bytes;}}
func.func @batch_innermost(%a: tensor<3x5x2xf32>, %b: tensor<2x5x7xf32>, %c: tensor<2x3x7xf32>) -> tensor<2x3x7xf32> {
  // expected-remark @+1 {{'linalg.contract' packs an operand: tensor<3x5x2xf32>, 120 bytes}}
  %0 = linalg.contract indexing_maps = [#a, #b, #c]
      ins(%a, %b : tensor<3x5x2xf32>, tensor<2x5x7xf32>) outs(%c : tensor<2x3x7xf32>) -> tensor<2x3x7xf32>
  return %0 : tensor<2x3x7xf32>
}

// -----

// Re-blocking moves data too.
// expected-remark @+1 {{1 layout changes move 96 bytes}}
func.func @pack(%a: tensor<4x6xf32>) -> tensor<2x3x2x2xf32> {
  %e = tensor.empty() : tensor<2x3x2x2xf32>
  // expected-remark @+1 {{'linalg.pack' re-blocks its operand}}
  %0 = linalg.pack %a inner_dims_pos = [0, 1] inner_tiles = [2, 2] into %e : tensor<4x6xf32> -> tensor<2x3x2x2xf32>
  return %0 : tensor<2x3x2x2xf32>
}

// -----

// Read element by element in the body, in another order than it is written:
// the doubled dimension is the argument's second, the result's first.
#id = affine_map<(i, j) -> (i, j)>
// expected-remark @+1 {{1 layout changes move 60 bytes}}
func.func @gather(%a: tensor<3x5xf32>) -> tensor<10x3xf32> {
  %e = tensor.empty() : tensor<10x3xf32>
  // expected-remark @+1 {{'linalg.generic' reads an operand in another order: tensor<3x5xf32>, 60 bytes}}
  %0 = linalg.generic {indexing_maps = [#id], iterator_types = ["parallel", "parallel"]} outs(%e : tensor<10x3xf32>) {
  ^bb0(%o: f32):
    %i = linalg.index 0 : index
    %j = linalg.index 1 : index
    %two = arith.constant 2 : index
    %h = arith.divui %i, %two : index
    %x = tensor.extract %a[%j, %h] : tensor<3x5xf32>
    linalg.yield %x : f32
  } -> tensor<10x3xf32>
  return %0 : tensor<10x3xf32>
}

// -----

// In the same order, and at an index that depends on both loops: none.
#id = affine_map<(i, j) -> (i, j)>
// expected-remark @+1 {{0 layout changes move 0 bytes}}
func.func @gather_in_order(%a: tensor<3x5xf32>, %b: tensor<14x3xf32>) -> tensor<3x10xf32> {
  %e = tensor.empty() : tensor<3x10xf32>
  %0 = linalg.generic {indexing_maps = [#id], iterator_types = ["parallel", "parallel"]} outs(%e : tensor<3x10xf32>) {
  ^bb0(%o: f32):
    %i = linalg.index 0 : index
    %j = linalg.index 1 : index
    %two = arith.constant 2 : index
    %h = arith.divui %j, %two : index
    %k = arith.addi %i, %j : index
    %x = tensor.extract %a[%i, %h] : tensor<3x5xf32>
    %y = tensor.extract %b[%k, %i] : tensor<14x3xf32>
    %z = arith.addf %x, %y : f32
    linalg.yield %z : f32
  } -> tensor<3x10xf32>
  return %0 : tensor<3x10xf32>
}
