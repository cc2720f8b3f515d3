// Images in blocks of channels: a channel dimension is two, the inner one last.

// RUN: pgopt-opt %s --split-input-file \
// RUN:   --layout-search='strategy=fixed layout=nchw4c' -o %t
// RUN: FileCheck %s < %t
// RUN: pgopt-opt %t --split-input-file \
// RUN:   --layout-search='strategy=fixed layout=nchw4c' | diff %t -
// RUN: pgopt-opt %s --split-input-file \
// RUN:   --layout-search='strategy=fixed layout=nchw4c' -o /dev/null \
// RUN:   --mlir-pass-statistics 2>&1 \
// RUN:   | FileCheck %s --check-prefix=COUNT
// COUNT-DAG: (S) 7 convolutions -
// COUNT-DAG: (S) 0 convolutions-left
// COUNT-DAG: (S) 6 convolutions-unblocked
// COUNT-DAG: (S) 4 changes-left

// The first convolution reads its 3 channels as they are; bias, pooling and the
// next convolution's border follow in blocks. The convolution of one pixel puts
// its channels where it reads them. Filters are HWIO, whole.
// CHECK-LABEL: func.func @chain
// CHECK-SAME: %[[W:.+]]: tensor<3x2x3x12xf32> {pg.layout = [affine_map<(d0, d1, d2, d3) -> (d2, d3, d1, d0)>], pg.parameter = "w@c.d.b.a"}
// CHECK-NOT: linalg.transpose
// CHECK: linalg.generic {{.*}} ins(%{{.+}}, %{{.+}} : tensor<1x3x9x14xf32>, tensor<3x2x3x3x4xf32>) outs({{.*}} : tensor<1x3x7x13x4xf32>)
// CHECK: ins({{.*}} : tensor<1x3x7x13x4xf32>, tensor<3x4xf32>) outs({{.*}} : tensor<1x3x7x13x4xf32>)
// CHECK: tensor<2x3xf32>) outs(%{{.+}} : tensor<1x3x6x11x4xf32>)
// CHECK: linalg.generic {{.*}} tensor<3x4x2x4xf32>) outs(%{{.+}} : tensor<1x2x6x11x4xf32>)
// CHECK: tensor.pad %{{.*}} low[0, 1, 0, 0] high[0, 0, 1, 0]
// CHECK: outs(%{{.+}} : tensor<1x5x5x11x4xf32>)
// The result is declared: the only layout change.
// CHECK: linalg.transpose
// CHECK-NOT: linalg.transpose
// CHECK: return
func.func @chain(%x: tensor<1x3x9x14xf32>, %w: tensor<12x3x3x2xf32> {pg.parameter = "w"}, %b: tensor<12xf32> {pg.parameter = "b"}, %u: tensor<8x12x1x1xf32> {pg.parameter = "u"}, %v: tensor<20x8x3x2xf32> {pg.parameter = "v"}) -> tensor<1x20x5x11xf32> {
  %zero = arith.constant 0.0 : f32
  %low = arith.constant 0xFF800000 : f32
  %e = tensor.empty() : tensor<1x12x7x13xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<1x12x7x13xf32>) -> tensor<1x12x7x13xf32>
  %c = linalg.conv_2d_nchw_fchw {dilations = dense<1> : tensor<2xi64>, strides = dense<1> : tensor<2xi64>} ins(%x, %w : tensor<1x3x9x14xf32>, tensor<12x3x3x2xf32>) outs(%f : tensor<1x12x7x13xf32>) -> tensor<1x12x7x13xf32>
  %g = tensor.empty() : tensor<1x12x7x13xf32>
  %r = linalg.generic {indexing_maps = [affine_map<(n, c, h, w) -> (n, c, h, w)>, affine_map<(n, c, h, w) -> (c)>, affine_map<(n, c, h, w) -> (n, c, h, w)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%c, %b : tensor<1x12x7x13xf32>, tensor<12xf32>) outs(%g : tensor<1x12x7x13xf32>) {
  ^bb0(%in: f32, %bias: f32, %out: f32):
    %s = arith.addf %in, %bias : f32
    linalg.yield %s : f32
  } -> tensor<1x12x7x13xf32>
  %window = tensor.empty() : tensor<2x3xf32>
  %h = tensor.empty() : tensor<1x12x6x11xf32>
  %i = linalg.fill ins(%low : f32) outs(%h : tensor<1x12x6x11xf32>) -> tensor<1x12x6x11xf32>
  %q = linalg.pooling_nchw_max {dilations = dense<1> : tensor<2xi64>, strides = dense<1> : tensor<2xi64>} ins(%r, %window : tensor<1x12x7x13xf32>, tensor<2x3xf32>) outs(%i : tensor<1x12x6x11xf32>) -> tensor<1x12x6x11xf32>
  %j = tensor.empty() : tensor<1x8x6x11xf32>
  %k = linalg.fill ins(%zero : f32) outs(%j : tensor<1x8x6x11xf32>) -> tensor<1x8x6x11xf32>
  %d = linalg.conv_2d_nchw_fchw {dilations = dense<1> : tensor<2xi64>, strides = dense<1> : tensor<2xi64>} ins(%q, %u : tensor<1x12x6x11xf32>, tensor<8x12x1x1xf32>) outs(%k : tensor<1x8x6x11xf32>) -> tensor<1x8x6x11xf32>
  %p = tensor.pad %d low[0, 0, 1, 0] high[0, 0, 0, 1] {
  ^bb0(%i0: index, %i1: index, %i2: index, %i3: index):
    tensor.yield %zero : f32
  } : tensor<1x8x6x11xf32> to tensor<1x8x7x12xf32>
  %l = tensor.empty() : tensor<1x20x5x11xf32>
  %m = linalg.fill ins(%zero : f32) outs(%l : tensor<1x20x5x11xf32>) -> tensor<1x20x5x11xf32>
  %n = linalg.conv_2d_nchw_fchw {dilations = dense<1> : tensor<2xi64>, strides = dense<1> : tensor<2xi64>} ins(%p, %v : tensor<1x8x7x12xf32>, tensor<20x8x3x2xf32>) outs(%m : tensor<1x20x5x11xf32>) -> tensor<1x20x5x11xf32>
  return %n : tensor<1x20x5x11xf32>
}

// -----

// A concatenation of whole blocks, one of which is a block alone, joins them
// along the blocks; slices that begin at a block follow.
// CHECK-LABEL: func.func @pieces
// CHECK: tensor.concat dim(0) %{{.+}} : (tensor<2x5x11x4xf32>, tensor<1x5x11x4xf32>) -> tensor<3x5x11x4xf32>
// CHECK: tensor.extract_slice %{{.+}}[1, 0, 0, 0] [2, 5, 11, 4] [1, 1, 1, 1]
func.func @pieces(%x: tensor<1x3x6x13xf32>, %w: tensor<8x3x2x3xf32> {pg.parameter = "w"}, %v: tensor<4x3x2x3xf32> {pg.parameter = "v"}, %u: tensor<5x8x2x2xf32> {pg.parameter = "u"}) -> tensor<1x5x4x10xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<1x8x5x11xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<1x8x5x11xf32>) -> tensor<1x8x5x11xf32>
  %c = linalg.conv_2d_nchw_fchw {dilations = dense<1> : tensor<2xi64>, strides = dense<1> : tensor<2xi64>} ins(%x, %w : tensor<1x3x6x13xf32>, tensor<8x3x2x3xf32>) outs(%f : tensor<1x8x5x11xf32>) -> tensor<1x8x5x11xf32>
  %g = tensor.empty() : tensor<1x4x5x11xf32>
  %h = linalg.fill ins(%zero : f32) outs(%g : tensor<1x4x5x11xf32>) -> tensor<1x4x5x11xf32>
  %d = linalg.conv_2d_nchw_fchw {dilations = dense<1> : tensor<2xi64>, strides = dense<1> : tensor<2xi64>} ins(%x, %v : tensor<1x3x6x13xf32>, tensor<4x3x2x3xf32>) outs(%h : tensor<1x4x5x11xf32>) -> tensor<1x4x5x11xf32>
  %a = tensor.concat dim(1) %c, %d : (tensor<1x8x5x11xf32>, tensor<1x4x5x11xf32>) -> tensor<1x12x5x11xf32>
  %s = tensor.extract_slice %a[0, 4, 0, 0] [1, 8, 5, 11] [1, 1, 1, 1] : tensor<1x12x5x11xf32> to tensor<1x8x5x11xf32>
  %m = tensor.empty() : tensor<1x5x4x10xf32>
  %n = linalg.fill ins(%zero : f32) outs(%m : tensor<1x5x4x10xf32>) -> tensor<1x5x4x10xf32>
  %r = linalg.conv_2d_nchw_fchw {dilations = dense<1> : tensor<2xi64>, strides = dense<1> : tensor<2xi64>} ins(%s, %u : tensor<1x8x5x11xf32>, tensor<5x8x2x2xf32>) outs(%n : tensor<1x5x4x10xf32>) -> tensor<1x5x4x10xf32>
  return %r : tensor<1x5x4x10xf32>
}

// -----

// A window along the channels needs them whole: what it reads is converted back
// in front of it.
// CHECK-LABEL: func.func @normalization
// CHECK: outs(%{{.+}} : tensor<1x2x5x11x4xf32>)
// CHECK: linalg.transpose {{.*}} permutation = [1, 0, 2]
// CHECK: ins(%{{.+}}, %{{.+}} : tensor<5x11x8xf32>, tensor<3xf32>)
// CHECK: return
func.func @normalization(%x: tensor<1x3x6x13xf32>, %w: tensor<8x3x2x3xf32> {pg.parameter = "w"}, %u: tensor<4x6x2x2xf32> {pg.parameter = "u"}) -> tensor<1x4x4x10xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<1x8x5x11xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<1x8x5x11xf32>) -> tensor<1x8x5x11xf32>
  %c = linalg.conv_2d_nchw_fchw {dilations = dense<1> : tensor<2xi64>, strides = dense<1> : tensor<2xi64>} ins(%x, %w : tensor<1x3x6x13xf32>, tensor<8x3x2x3xf32>) outs(%f : tensor<1x8x5x11xf32>) -> tensor<1x8x5x11xf32>
  %window = tensor.empty() : tensor<3xf32>
  %g = tensor.empty() : tensor<1x6x5x11xf32>
  %h = linalg.fill ins(%zero : f32) outs(%g : tensor<1x6x5x11xf32>) -> tensor<1x6x5x11xf32>
  %s = linalg.generic {indexing_maps = [affine_map<(n, c, h, w, k) -> (n, c + k, h, w)>, affine_map<(n, c, h, w, k) -> (k)>, affine_map<(n, c, h, w, k) -> (n, c, h, w)>], iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction"]} ins(%c, %window : tensor<1x8x5x11xf32>, tensor<3xf32>) outs(%h : tensor<1x6x5x11xf32>) {
  ^bb0(%in: f32, %k: f32, %out: f32):
    %q = arith.addf %in, %out : f32
    linalg.yield %q : f32
  } -> tensor<1x6x5x11xf32>
  %m = tensor.empty() : tensor<1x4x4x10xf32>
  %n = linalg.fill ins(%zero : f32) outs(%m : tensor<1x4x4x10xf32>) -> tensor<1x4x4x10xf32>
  %r = linalg.conv_2d_nchw_fchw {dilations = dense<1> : tensor<2xi64>, strides = dense<1> : tensor<2xi64>} ins(%s, %u : tensor<1x6x5x11xf32>, tensor<4x6x2x2xf32>) outs(%n : tensor<1x4x4x10xf32>) -> tensor<1x4x4x10xf32>
  return %r : tensor<1x4x4x10xf32>
}
