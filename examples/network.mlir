// Input of the examples: one layer, 2 * 3 * 7 * 5 = 210 operations.
func.func @layer(%x: tensor<3x7xf32>, %w: tensor<7x5xf32>) -> tensor<3x5xf32> {
  %zero = arith.constant 0.0 : f32
  %empty = tensor.empty() : tensor<3x5xf32>
  %init = linalg.fill ins(%zero : f32) outs(%empty : tensor<3x5xf32>) -> tensor<3x5xf32>
  %y = linalg.matmul ins(%x, %w : tensor<3x7xf32>, tensor<7x5xf32>)
    outs(%init : tensor<3x5xf32>) -> tensor<3x5xf32>
  return %y : tensor<3x5xf32>
}
