// Convolutions and pooling.
// Computed by pgopt's kernels, whole and in three ranges, through BLAS, and by
// upstream's plain loops: the numbers agree. What became generated products,
// or BLAS, vectors and loops, is counted; a count that is not checked is 0.
// Sanitizers see the same kernels in unit/window_test and conformance, sooner.
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
// DEFINE:   --implicit-check-not="(S) {{[1-9][0-9]*}} {{product|window|gemm|im2col|vec|loops}}" \
// DEFINE:   --check-prefix
// DEFINE: %{generated} = pgopt-opt %{file} --pgopt-lower -o /dev/null \
// DEFINE:   --mlir-pass-statistics 2>&1 | FileCheck %s \
// DEFINE:   --implicit-check-not="(S) {{[1-9][0-9]*}} {{product|window|gemm|im2col|vec|loops}}" \
// DEFINE:   --check-prefix
// PRODUCT: (S) 1 product
// WINDOW: (S) 1 window
// SAME: result 0: error {{[0-9.e-]+}} at

// Convolutions: layouts, strides, dilations, groups, one to three dimensions.
// (9 - 3) / 1 + 1 = 7, (11 - 5) / 1 + 1 = 7.

//--- nhwc_hwcf.mlir
// REDEFINE: %{op} = nhwc_hwcf
// RUN: %{whole} | %{same}
// RUN: %{parts} | %{same}
// RUN: %{blas} | %{same}
// RUN: %{generated} PRODUCT
// RUN: %{count} NHWC-HWCF
// NHWC-HWCF: (S) 1 im2col
func.func @nhwc_hwcf(%x: tensor<2x9x11x5xf32>, %w: tensor<3x5x5x7xf32>) -> tensor<2x7x7x7xf32> {
  %z = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<2x7x7x7xf32>
  %f = linalg.fill ins(%z : f32) outs(%e : tensor<2x7x7x7xf32>) -> tensor<2x7x7x7xf32>
  %r = linalg.conv_2d_nhwc_hwcf  ins(%x, %w : tensor<2x9x11x5xf32>, tensor<3x5x5x7xf32>) outs(%f : tensor<2x7x7x7xf32>) -> tensor<2x7x7x7xf32>
  return %r : tensor<2x7x7x7xf32>
}

// (15 - 3) / 2 + 1 = 7, (17 - 5) / 3 + 1 = 5.

//--- nhwc_fhwc_strided.mlir
// REDEFINE: %{op} = nhwc_fhwc_strided
// RUN: %{whole} | %{same}
// RUN: %{parts} | %{same}
// RUN: %{blas} | %{same}
// RUN: %{generated} PRODUCT
// RUN: %{count} NHWC-FHWC-STRIDED
// NHWC-FHWC-STRIDED: (S) 1 im2col
func.func @nhwc_fhwc_strided(%x: tensor<1x15x17x5xf32>, %w: tensor<7x3x5x5xf32>) -> tensor<1x7x5x7xf32> {
  %z = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<1x7x5x7xf32>
  %f = linalg.fill ins(%z : f32) outs(%e : tensor<1x7x5x7xf32>) -> tensor<1x7x5x7xf32>
  %r = linalg.conv_2d_nhwc_fhwc {dilations = dense<1> : tensor<2xi64>, strides = dense<[2, 3]> : tensor<2xi64>} ins(%x, %w : tensor<1x15x17x5xf32>, tensor<7x3x5x5xf32>) outs(%f : tensor<1x7x5x7xf32>) -> tensor<1x7x5x7xf32>
  return %r : tensor<1x7x5x7xf32>
}

// 11 - 2 x (3 - 1) = 7, 13 - 3 x (3 - 1) = 7.

//--- nchw_fchw_dilated.mlir
// REDEFINE: %{op} = nchw_fchw_dilated
// RUN: %{whole} | %{same}
// RUN: %{parts} | %{same}
// RUN: %{blas} | %{same}
// RUN: %{generated} PRODUCT
// RUN: %{count} NCHW-FCHW-DILATED
// NCHW-FCHW-DILATED: (S) 1 im2col
func.func @nchw_fchw_dilated(%x: tensor<2x5x11x13xf32>, %w: tensor<7x5x3x3xf32>) -> tensor<2x7x7x7xf32> {
  %z = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<2x7x7x7xf32>
  %f = linalg.fill ins(%z : f32) outs(%e : tensor<2x7x7x7xf32>) -> tensor<2x7x7x7xf32>
  %r = linalg.conv_2d_nchw_fchw {dilations = dense<[2, 3]> : tensor<2xi64>, strides = dense<1> : tensor<2xi64>} ins(%x, %w : tensor<2x5x11x13xf32>, tensor<7x5x3x3xf32>) outs(%f : tensor<2x7x7x7xf32>) -> tensor<2x7x7x7xf32>
  return %r : tensor<2x7x7x7xf32>
}

//--- grouped.mlir
// REDEFINE: %{op} = grouped
// RUN: %{whole} | %{same}
// RUN: %{parts} | %{same}
// RUN: %{blas} | %{same}
// RUN: %{generated} PRODUCT
// RUN: %{count} GROUPED
// GROUPED: (S) 1 im2col
func.func @grouped(%x: tensor<1x3x5x9x11xf32>, %w: tensor<3x7x5x3x3xf32>) -> tensor<1x3x7x7x9xf32> {
  %z = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<1x3x7x7x9xf32>
  %f = linalg.fill ins(%z : f32) outs(%e : tensor<1x3x7x7x9xf32>) -> tensor<1x3x7x7x9xf32>
  %r = linalg.conv_2d_ngchw_gfchw  ins(%x, %w : tensor<1x3x5x9x11xf32>, tensor<3x7x5x3x3xf32>) outs(%f : tensor<1x3x7x7x9xf32>) -> tensor<1x3x7x7x9xf32>
  return %r : tensor<1x3x7x7x9xf32>
}

// Windows of one element: rows of the image are rows of a matrix.

//--- pointwise.mlir
// REDEFINE: %{op} = pointwise
// RUN: %{whole} | %{same}
// RUN: %{parts} | %{same}
// RUN: %{blas} | %{same}
// RUN: %{generated} PRODUCT
// RUN: %{count} POINTWISE
// POINTWISE: (S) 1 gemm
func.func @pointwise(%x: tensor<2x5x7x11xf32>, %w: tensor<1x1x11x13xf32>) -> tensor<2x5x7x13xf32> {
  %z = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<2x5x7x13xf32>
  %f = linalg.fill ins(%z : f32) outs(%e : tensor<2x5x7x13xf32>) -> tensor<2x5x7x13xf32>
  %r = linalg.conv_2d_nhwc_hwcf  ins(%x, %w : tensor<2x5x7x11xf32>, tensor<1x1x11x13xf32>) outs(%f : tensor<2x5x7x13xf32>) -> tensor<2x5x7x13xf32>
  return %r : tensor<2x5x7x13xf32>
}

//--- one_dimension.mlir
// REDEFINE: %{op} = one_dimension
// RUN: %{whole} | %{same}
// RUN: %{parts} | %{same}
// RUN: %{blas} | %{same}
// RUN: %{generated} PRODUCT
// RUN: %{count} ONE-DIMENSION
// ONE-DIMENSION: (S) 1 im2col
func.func @one_dimension(%x: tensor<2x23x5xf32>, %w: tensor<5x5x7xf32>) -> tensor<2x19x7xf32> {
  %z = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<2x19x7xf32>
  %f = linalg.fill ins(%z : f32) outs(%e : tensor<2x19x7xf32>) -> tensor<2x19x7xf32>
  %r = linalg.conv_1d_nwc_wcf  ins(%x, %w : tensor<2x23x5xf32>, tensor<5x5x7xf32>) outs(%f : tensor<2x19x7xf32>) -> tensor<2x19x7xf32>
  return %r : tensor<2x19x7xf32>
}

//--- three_dimensions.mlir
// REDEFINE: %{op} = three_dimensions
// RUN: %{whole} | %{same}
// RUN: %{parts} | %{same}
// RUN: %{blas} | %{same}
// RUN: %{generated} PRODUCT
// RUN: %{count} THREE-DIMENSIONS
// THREE-DIMENSIONS: (S) 1 im2col
func.func @three_dimensions(%x: tensor<1x5x7x7x3xf32>, %w: tensor<3x3x3x3x5xf32>) -> tensor<1x3x5x5x5xf32> {
  %z = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<1x3x5x5x5xf32>
  %f = linalg.fill ins(%z : f32) outs(%e : tensor<1x3x5x5x5xf32>) -> tensor<1x3x5x5x5xf32>
  %r = linalg.conv_3d_ndhwc_dhwcf  ins(%x, %w : tensor<1x5x7x7x3xf32>, tensor<3x3x3x3x5xf32>) outs(%f : tensor<1x3x5x5x5xf32>) -> tensor<1x3x5x5x5xf32>
  return %r : tensor<1x3x5x5x5xf32>
}

// No product of matrices: channels are vectors, or rows of the image.

//--- depthwise.mlir
// REDEFINE: %{op} = depthwise
// RUN: %{whole} | %{same}
// RUN: %{parts} | %{same}
// RUN: %{blas} | %{same}
// RUN: %{generated} WINDOW
// RUN: %{count} DEPTHWISE
// DEPTHWISE: (S) 2 vectorized
func.func @depthwise(%x: tensor<1x9x11x19xf32>, %w: tensor<3x3x19xf32>) -> tensor<1x7x9x19xf32> {
  %z = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<1x7x9x19xf32>
  %f = linalg.fill ins(%z : f32) outs(%e : tensor<1x7x9x19xf32>) -> tensor<1x7x9x19xf32>
  %r = linalg.depthwise_conv_2d_nhwc_hwc  ins(%x, %w : tensor<1x9x11x19xf32>, tensor<3x3x19xf32>) outs(%f : tensor<1x7x9x19xf32>) -> tensor<1x7x9x19xf32>
  return %r : tensor<1x7x9x19xf32>
}

//--- depthwise_nchw.mlir
// REDEFINE: %{op} = depthwise_nchw
// RUN: %{whole} | %{same}
// RUN: %{parts} | %{same}
// RUN: %{blas} | %{same}
// RUN: %{generated} WINDOW
// RUN: %{count} DEPTHWISE-NCHW
// DEPTHWISE-NCHW: (S) 2 vectorized
func.func @depthwise_nchw(%x: tensor<1x3x9x37xf32>, %w: tensor<3x3x3xf32>) -> tensor<1x3x7x35xf32> {
  %z = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<1x3x7x35xf32>
  %f = linalg.fill ins(%z : f32) outs(%e : tensor<1x3x7x35xf32>) -> tensor<1x3x7x35xf32>
  %r = linalg.depthwise_conv_2d_nchw_chw  ins(%x, %w : tensor<1x3x9x37xf32>, tensor<3x3x3xf32>) outs(%f : tensor<1x3x7x35xf32>) -> tensor<1x3x7x35xf32>
  return %r : tensor<1x3x7x35xf32>
}

// Windows without a product.

//--- max_pool.mlir
// REDEFINE: %{op} = max_pool
// RUN: %{whole} | %{same}
// RUN: %{parts} | %{same}
// RUN: %{generated} WINDOW
// RUN: %{count} MAX-POOL
// MAX-POOL: (S) 2 vectorized
func.func @max_pool(%x: tensor<2x9x11x19xf32>) -> tensor<2x4x5x19xf32> {
  %z = arith.constant 0xFF800000 : f32
  %w = tensor.empty() : tensor<3x3xf32>
  %e = tensor.empty() : tensor<2x4x5x19xf32>
  %f = linalg.fill ins(%z : f32) outs(%e : tensor<2x4x5x19xf32>) -> tensor<2x4x5x19xf32>
  %r = linalg.pooling_nhwc_max {dilations = dense<1> : tensor<2xi64>, strides = dense<2> : tensor<2xi64>} ins(%x, %w : tensor<2x9x11x19xf32>, tensor<3x3xf32>) outs(%f : tensor<2x4x5x19xf32>) -> tensor<2x4x5x19xf32>
  return %r : tensor<2x4x5x19xf32>
}

//--- sum_pool_nchw.mlir
// REDEFINE: %{op} = sum_pool_nchw
// RUN: %{whole} | %{same}
// RUN: %{parts} | %{same}
// RUN: %{generated} WINDOW
// RUN: %{count} SUM-POOL-NCHW
// SUM-POOL-NCHW: (S) 2 vectorized
func.func @sum_pool_nchw(%x: tensor<2x3x9x37xf32>) -> tensor<2x3x7x33xf32> {
  %z = arith.constant 0.0 : f32
  %w = tensor.empty() : tensor<3x5xf32>
  %e = tensor.empty() : tensor<2x3x7x33xf32>
  %f = linalg.fill ins(%z : f32) outs(%e : tensor<2x3x7x33xf32>) -> tensor<2x3x7x33xf32>
  %r = linalg.pooling_nchw_sum  ins(%x, %w : tensor<2x3x9x37xf32>, tensor<3x5xf32>) outs(%f : tensor<2x3x7x33xf32>) -> tensor<2x3x7x33xf32>
  return %r : tensor<2x3x7x33xf32>
}

//--- max_pool_nchw_strided.mlir
// REDEFINE: %{op} = max_pool_nchw_strided
// RUN: %{whole} | %{same}
// RUN: %{parts} | %{same}
// RUN: %{count} MAX-POOL-NCHW-STRIDED
// MAX-POOL-NCHW-STRIDED: (S) 2 vectorized
func.func @max_pool_nchw_strided(%x: tensor<1x3x9x37xf32>) -> tensor<1x3x4x18xf32> {
  %z = arith.constant 0xFF800000 : f32
  %w = tensor.empty() : tensor<3x3xf32>
  %e = tensor.empty() : tensor<1x3x4x18xf32>
  %f = linalg.fill ins(%z : f32) outs(%e : tensor<1x3x4x18xf32>) -> tensor<1x3x4x18xf32>
  %r = linalg.pooling_nchw_max {dilations = dense<1> : tensor<2xi64>, strides = dense<2> : tensor<2xi64>} ins(%x, %w : tensor<1x3x9x37xf32>, tensor<3x3xf32>) outs(%f : tensor<1x3x4x18xf32>) -> tensor<1x3x4x18xf32>
  return %r : tensor<1x3x4x18xf32>
}

// Borders: an image is read as it is, the window is cut where it leaves it.
// (7 + 2 - 3) / 1 + 1 = 7, (11 + 3 - 3) / 1 + 1 = 12.

//--- depthwise_padded.mlir
// REDEFINE: %{op} = depthwise_padded
// RUN: %{whole} | %{same}
// RUN: %{parts} | %{same}
// RUN: %{generated} WINDOW
func.func @depthwise_padded(%x: tensor<1x7x11x19xf32>, %w: tensor<3x3x19xf32>) -> tensor<1x7x12x19xf32> {
  %z = arith.constant 0.0 : f32
  %p = tensor.pad %x low[0, 1, 2, 0] high[0, 1, 1, 0] {
  ^bb0(%a: index, %b: index, %c: index, %d: index):
    tensor.yield %z : f32
  } : tensor<1x7x11x19xf32> to tensor<1x9x14x19xf32>
  %e = tensor.empty() : tensor<1x7x12x19xf32>
  %f = linalg.fill ins(%z : f32) outs(%e : tensor<1x7x12x19xf32>) -> tensor<1x7x12x19xf32>
  %r = linalg.depthwise_conv_2d_nhwc_hwc  ins(%p, %w : tensor<1x9x14x19xf32>, tensor<3x3x19xf32>) outs(%f : tensor<1x7x12x19xf32>) -> tensor<1x7x12x19xf32>
  return %r : tensor<1x7x12x19xf32>
}

// (8 + 2 - 3) / 2 + 1 = 4, (11 + 2 - 3) / 2 + 1 = 6. A pad with another value than
// -inf is part of what is looked at.

//--- max_pool_padded.mlir
// REDEFINE: %{op} = max_pool_padded
// RUN: %{whole} | %{same}
// RUN: %{parts} | %{same}
// RUN: %{generated} WINDOW
func.func @max_pool_padded(%x: tensor<2x8x11x19xf32>) -> tensor<2x4x6x19xf32> {
  %z = arith.constant 0xFF800000 : f32
  %p = tensor.pad %x low[0, 1, 1, 0] high[0, 1, 1, 0] {
  ^bb0(%a: index, %b: index, %c: index, %d: index):
    tensor.yield %z : f32
  } : tensor<2x8x11x19xf32> to tensor<2x10x13x19xf32>
  %w = tensor.empty() : tensor<3x3xf32>
  %e = tensor.empty() : tensor<2x4x6x19xf32>
  %f = linalg.fill ins(%z : f32) outs(%e : tensor<2x4x6x19xf32>) -> tensor<2x4x6x19xf32>
  %r = linalg.pooling_nhwc_max {dilations = dense<1> : tensor<2xi64>, strides = dense<2> : tensor<2xi64>} ins(%p, %w : tensor<2x10x13x19xf32>, tensor<3x3xf32>) outs(%f : tensor<2x4x6x19xf32>) -> tensor<2x4x6x19xf32>
  return %r : tensor<2x4x6x19xf32>
}

//--- max_pool_zeros.mlir
// REDEFINE: %{op} = max_pool_zeros
// RUN: %{whole} | %{same}
// RUN: %{parts} | %{same}
func.func @max_pool_zeros(%x: tensor<1x5x5x19xf32>) -> tensor<1x5x5x19xf32> {
  %z = arith.constant 0xFF800000 : f32
  %y = arith.constant 0.0 : f32
  %p = tensor.pad %x low[0, 1, 1, 0] high[0, 1, 1, 0] {
  ^bb0(%a: index, %b: index, %c: index, %d: index):
    tensor.yield %y : f32
  } : tensor<1x5x5x19xf32> to tensor<1x7x7x19xf32>
  %w = tensor.empty() : tensor<3x3xf32>
  %e = tensor.empty() : tensor<1x5x5x19xf32>
  %f = linalg.fill ins(%z : f32) outs(%e : tensor<1x5x5x19xf32>) -> tensor<1x5x5x19xf32>
  %r = linalg.pooling_nhwc_max ins(%p, %w : tensor<1x7x7x19xf32>, tensor<3x3xf32>) outs(%f : tensor<1x5x5x19xf32>) -> tensor<1x5x5x19xf32>
  return %r : tensor<1x5x5x19xf32>
}

// What is looked at is computed from two images, once a pixel.

//--- max_pool_of_quotients.mlir
// REDEFINE: %{op} = max_pool_of_quotients
// RUN: %{whole} | %{same}
// RUN: %{parts} | %{same}
// RUN: %{generated} WINDOW
func.func @max_pool_of_quotients(%x: tensor<1x9x11x19xf32>, %y: tensor<9x11x19xf32>) -> tensor<1x4x5x19xf32> {
  %z = arith.constant 0xFF800000 : f32
  %one = arith.constant 1.0 : f32
  %w = tensor.empty() : tensor<3x3xf32>
  %e = tensor.empty() : tensor<1x4x5x19xf32>
  %f = linalg.fill ins(%z : f32) outs(%e : tensor<1x4x5x19xf32>) -> tensor<1x4x5x19xf32>
  %r = linalg.generic {indexing_maps = [
      affine_map<(n, h, w, c, i, j) -> (0, h * 2 + i, w * 2 + j, c)>,
      affine_map<(n, h, w, c, i, j) -> (h * 2 + i, w * 2 + j, c)>,
      affine_map<(n, h, w, c, i, j) -> (i, j)>,
      affine_map<(n, h, w, c, i, j) -> (n, h, w, c)>],
      iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction", "reduction"]}
      ins(%x, %y, %w : tensor<1x9x11x19xf32>, tensor<9x11x19xf32>, tensor<3x3xf32>) outs(%f : tensor<1x4x5x19xf32>) {
  ^bb0(%a: f32, %b: f32, %c: f32, %o: f32):
    %s = arith.mulf %b, %b : f32
    %t = arith.addf %s, %one : f32
    %q = arith.divf %a, %t : f32
    %m = arith.maximumf %o, %q : f32
    linalg.yield %m : f32
  } -> tensor<1x4x5x19xf32>
  return %r : tensor<1x4x5x19xf32>
}
