// Groups that operations name are taken over although zeros around a value
// stand in front of the group's last operation: their user computes them.

// RUN: pgopt-opt %s --form-kernels | FileCheck %s

// CHECK-LABEL: func.func private @first(
// CHECK: arith.maximumf
// CHECK: math.exp
// CHECK-LABEL: func.func private @second(
// CHECK: linalg.conv_2d_nhwc_hwcf
// CHECK-LABEL: func.func @network(
// CHECK: call @first(%arg0, %[[A:[a-z0-9_]+]], %[[B:[a-z0-9_]+]],
// CHECK: call @second(%[[A]], %arg1, %[[C:[a-z0-9_]+]],
// CHECK: return %[[B]], %[[C]]
#map = affine_map<(a, b, c, d) -> (a, b, c, d)>
func.func @network(%x: tensor<1x5x7x3xf32>, %w: tensor<3x3x3x2xf32>)
    -> (tensor<1x5x7x3xf32>, tensor<1x5x7x2xf32>) {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<1x5x7x3xf32>
  %a = linalg.generic {indexing_maps = [#map, #map],
      iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
      ins(%x : tensor<1x5x7x3xf32>) outs(%e : tensor<1x5x7x3xf32>)
      attrs = {pg.kernel = "first"} {
  ^bb0(%in: f32, %out: f32):
    %0 = arith.maximumf %in, %zero : f32
    linalg.yield %0 : f32
  } -> tensor<1x5x7x3xf32>
  %padded = tensor.pad %a low[0, 1, 1, 0] high[0, 1, 1, 0] {
  ^bb0(%i: index, %j: index, %k: index, %l: index):
    tensor.yield %zero : f32
  } : tensor<1x5x7x3xf32> to tensor<1x7x9x3xf32>
  %b = linalg.generic {indexing_maps = [#map, #map],
      iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
      ins(%a : tensor<1x5x7x3xf32>) outs(%e : tensor<1x5x7x3xf32>)
      attrs = {pg.kernel = "first"} {
  ^bb0(%in: f32, %out: f32):
    %0 = math.exp %in : f32
    linalg.yield %0 : f32
  } -> tensor<1x5x7x3xf32>
  %f = tensor.empty() : tensor<1x5x7x2xf32>
  %init = linalg.fill ins(%zero : f32) outs(%f : tensor<1x5x7x2xf32>) -> tensor<1x5x7x2xf32>
  %c = linalg.conv_2d_nhwc_hwcf {pg.kernel = "second"}
      ins(%padded, %w : tensor<1x7x9x3xf32>, tensor<3x3x3x2xf32>)
      outs(%init : tensor<1x5x7x2xf32>) -> tensor<1x5x7x2xf32>
  return %b, %c : tensor<1x5x7x3xf32>, tensor<1x5x7x2xf32>
}
