// RUN: pgopt-translate --import-einsum='ij,jk->ik' --shapes=3x5,5x7 \
// RUN:   | FileCheck %s --check-prefix=MATMUL
// MATMUL-LABEL: func.func @main(%arg0: tensor<3x5xf32>{{.*}}, %arg1: tensor<5x7xf32>
// MATMUL: linalg.matmul
// MATMUL-SAME: ins(%arg0, %arg1 : tensor<3x5xf32>, tensor<5x7xf32>)

// The right operand's transpose stays in its map.
// RUN: pgopt-translate --import-einsum='ij,kj->ik' --shapes=3x5,7x5 \
// RUN:   | FileCheck %s --check-prefix=TRANSPOSED
// TRANSPOSED: affine_map<(d0, d1, d2) -> (d1, d2)>
// TRANSPOSED-NOT: linalg.matmul
// TRANSPOSED: linalg.generic
// TRANSPOSED-SAME: ["parallel", "parallel", "reduction"]

// A diagonal is taken and the rest summed; an ellipsis broadcasts.
// RUN: pgopt-translate --import-einsum='bii,...ib->...b' \
// RUN:   --shapes=3x5x5,7x5x3 --type=f64 | FileCheck %s --check-prefix=DIAGONAL
// DIAGONAL: affine_map<(d0, d1) -> (d0, d1, d1)>
// DIAGONAL: -> tensor<7x3xf64>

// RUN: not pgopt-translate --import-einsum='ij,jk->ik' --shapes=3x5,6x7 2>&1 \
// RUN:   | FileCheck %s --check-prefix=EXTENTS
// EXTENTS: pgopt-translate: einsum: extents of one letter disagree

// RUN: not pgopt-translate --import-einsum='ij->iz' --shapes=3x5 2>&1 \
// RUN:   | FileCheck %s --check-prefix=LETTER
// LETTER: einsum: a letter of the result is in no operand, or there twice

// RUN: not pgopt-translate --import-einsum='ij,jk' --shapes=3x5 2>&1 \
// RUN:   | FileCheck %s --check-prefix=TERMS
// TERMS: einsum: the equation has more terms than there are operands
