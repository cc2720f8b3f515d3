// A projection into two heads: the weights as they come from PyTorch, a bias
// stored for another order of the heads.
func.func @heads(%x: tensor<5x7xf32>, %w: tensor<6x7xf32> {pg.parameter = "w"}, %b: tensor<5x2x3xf32> {pg.parameter = "b"}) -> tensor<2x5x3xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<7x6xf32>
  %wt = linalg.transpose ins(%w : tensor<6x7xf32>) outs(%e : tensor<7x6xf32>) permutation = [1, 0]
  %f = tensor.empty() : tensor<5x6xf32>
  %0 = linalg.fill ins(%zero : f32) outs(%f : tensor<5x6xf32>) -> tensor<5x6xf32>
  %1 = linalg.matmul ins(%x, %wt : tensor<5x7xf32>, tensor<7x6xf32>) outs(%0 : tensor<5x6xf32>) -> tensor<5x6xf32>
  %2 = tensor.expand_shape %1 [[0], [1, 2]] output_shape [5, 2, 3] : tensor<5x6xf32> into tensor<5x2x3xf32>
  %g = tensor.empty() : tensor<5x2x3xf32>
  %3 = linalg.add ins(%2, %b : tensor<5x2x3xf32>, tensor<5x2x3xf32>) outs(%g : tensor<5x2x3xf32>) -> tensor<5x2x3xf32>
  %h = tensor.empty() : tensor<2x5x3xf32>
  %4 = linalg.transpose ins(%3 : tensor<5x2x3xf32>) outs(%h : tensor<2x5x3xf32>) permutation = [1, 0, 2]
  return %4 : tensor<2x5x3xf32>
}
