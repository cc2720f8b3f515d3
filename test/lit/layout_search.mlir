// Images get one layout; the network changes layouts at its edges only.

// RUN: pgopt-opt %s --split-input-file \
// RUN:   --layout-search='strategy=fixed layout=nhwc' -o %t
// RUN: FileCheck %s < %t
// RUN: pgopt-opt %t --split-input-file --layout-search=strategy=fixed | diff %t -
// RUN: pgopt-opt %s --split-input-file --layout-search=strategy=none -o %t.none
// RUN: pgopt-opt %s --split-input-file | diff %t.none -
// RUN: pgopt-opt %s --split-input-file --layout-search='strategy=fixed layout=nchw' \
// RUN:   | FileCheck %s --check-prefix=NCHW
// RUN: pgopt-opt %s --split-input-file --layout-search=strategy=fixed -o /dev/null \
// RUN:   --mlir-pass-statistics 2>&1 | FileCheck %s --check-prefix=COUNT
// COUNT-DAG: (S) 14 convolutions -
// COUNT-DAG: (S) 3 convolutions-left
// COUNT-DAG: (S) 15 changes-left
// COUNT-DAG: (S) 14 parameters-packed

// Padding, bias, activation and pooling follow the convolution; the filter is
// taken as HWIO. The argument is transposed in front of the padding; pooling
// writes the small result as it is declared.
// CHECK-LABEL: func.func @block
// CHECK-SAME: tensor<3x2x5x11xf32> {pg.layout = [affine_map<(d0, d1, d2, d3) -> (d2, d3, d1, d0)>], pg.parameter = "w@c.d.b.a"}
// CHECK-COUNT-1: linalg.transpose
// CHECK: tensor.pad %{{.*}} low[1, 0, 0] high[1, 1, 0]
// CHECK: linalg.generic {{.*}}"reduction", "reduction", "reduction"]} ins(%padded, %arg1 : tensor<9x14x5xf32>, tensor<3x2x5x11xf32>) outs({{.*}} : tensor<1x7x13x11xf32>)
// CHECK-NOT: linalg.transpose
// CHECK: ins({{.*}} : tensor<1x7x13x11xf32>, tensor<11xf32>)
// CHECK: arith.maximumf
// CHECK: ins({{.*}} : tensor<1x7x13x11xf32>, tensor<2x3xf32>) outs({{.*}} : tensor<1x11x6x11xf32>)
// CHECK-NOT: linalg.transpose
// CHECK: return
// NCHW-LABEL: func.func @block
// NCHW: linalg.conv_2d_nchw_fchw
func.func @block(%x: tensor<1x5x7x13xf32>, %w: tensor<11x5x3x2xf32> {pg.parameter = "w"}, %b: tensor<11xf32> {pg.parameter = "b"}) -> tensor<1x11x6x11xf32> {
  %zero = arith.constant 0.0 : f32
  %low = arith.constant 0xFF800000 : f32
  %p = tensor.pad %x low[0, 0, 1, 0] high[0, 0, 1, 1] {
  ^bb0(%i: index, %j: index, %k: index, %l: index):
    tensor.yield %zero : f32
  } : tensor<1x5x7x13xf32> to tensor<1x5x9x14xf32>
  %e = tensor.empty() : tensor<1x11x7x13xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<1x11x7x13xf32>) -> tensor<1x11x7x13xf32>
  %c = linalg.conv_2d_nchw_fchw {dilations = dense<1> : tensor<2xi64>, strides = dense<1> : tensor<2xi64>} ins(%p, %w : tensor<1x5x9x14xf32>, tensor<11x5x3x2xf32>) outs(%f : tensor<1x11x7x13xf32>) -> tensor<1x11x7x13xf32>
  %g = tensor.empty() : tensor<1x11x7x13xf32>
  %r = linalg.generic {indexing_maps = [affine_map<(n, c, h, w) -> (n, c, h, w)>, affine_map<(n, c, h, w) -> (c)>, affine_map<(n, c, h, w) -> (n, c, h, w)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%c, %b : tensor<1x11x7x13xf32>, tensor<11xf32>) outs(%g : tensor<1x11x7x13xf32>) {
  ^bb0(%in: f32, %bias: f32, %out: f32):
    %s = arith.addf %in, %bias : f32
    %m = arith.maximumf %s, %zero : f32
    linalg.yield %m : f32
  } -> tensor<1x11x7x13xf32>
  %window = tensor.empty() : tensor<2x3xf32>
  %h = tensor.empty() : tensor<1x11x6x11xf32>
  %i = linalg.fill ins(%low : f32) outs(%h : tensor<1x11x6x11xf32>) -> tensor<1x11x6x11xf32>
  %q = linalg.pooling_nchw_max {dilations = dense<1> : tensor<2xi64>, strides = dense<1> : tensor<2xi64>} ins(%r, %window : tensor<1x11x7x13xf32>, tensor<2x3xf32>) outs(%i : tensor<1x11x6x11xf32>) -> tensor<1x11x6x11xf32>
  return %q : tensor<1x11x6x11xf32>
}

// -----

// An argument that a convolution reads itself stays as it is declared: there is
// no value in between to be stored otherwise.
// CHECK-LABEL: func.func @bare
// CHECK-NOT: linalg.transpose
// CHECK: linalg.generic {{.*}} ins(%arg0, %arg1 : tensor<1x5x7x13xf32>, tensor<3x2x5x11xf32>) outs({{.*}} : tensor<1x5x12x11xf32>)
// CHECK: linalg.transpose
// CHECK: return
func.func @bare(%x: tensor<1x5x7x13xf32>, %w: tensor<11x5x3x2xf32> {pg.parameter = "w"}) -> tensor<1x11x5x12xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<1x11x5x12xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<1x11x5x12xf32>) -> tensor<1x11x5x12xf32>
  %c = linalg.conv_2d_nchw_fchw {dilations = dense<1> : tensor<2xi64>, strides = dense<1> : tensor<2xi64>} ins(%x, %w : tensor<1x5x7x13xf32>, tensor<11x5x3x2xf32>) outs(%f : tensor<1x11x5x12xf32>) -> tensor<1x11x5x12xf32>
  return %c : tensor<1x11x5x12xf32>
}

// -----

// Groups, of two images: batch first, then space, group and channel; every
// group of the filter by itself.
// CHECK-LABEL: func.func @groups
// CHECK-SAME: tensor<3x2x2x5x7xf32> {pg.layout = [affine_map<(d0, d1, d2, d3, d4) -> (d0, d3, d4, d2, d1)>], pg.parameter = "w@a.d.e.c.b"}
// CHECK: linalg.generic {{.*}} ins(%{{.*}}, %arg1 : tensor<2x5x11x3x5xf32>, tensor<3x2x2x5x7xf32>) outs({{.*}} : tensor<2x4x10x3x7xf32>)
// CHECK: return
func.func @groups(%x: tensor<2x3x5x5x11xf32>, %w: tensor<3x7x5x2x2xf32> {pg.parameter = "w"}) -> tensor<2x3x7x4x10xf32> {
  %zero = arith.constant 0.0 : f32
  %a = tensor.empty() : tensor<2x3x5x5x11xf32>
  %t = linalg.exp ins(%x : tensor<2x3x5x5x11xf32>) outs(%a : tensor<2x3x5x5x11xf32>) -> tensor<2x3x5x5x11xf32>
  %e = tensor.empty() : tensor<2x3x7x4x10xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<2x3x7x4x10xf32>) -> tensor<2x3x7x4x10xf32>
  %c = linalg.conv_2d_ngchw_gfchw {dilations = dense<1> : tensor<2xi64>, strides = dense<1> : tensor<2xi64>} ins(%t, %w : tensor<2x3x5x5x11xf32>, tensor<3x7x5x2x2xf32>) outs(%f : tensor<2x3x7x4x10xf32>) -> tensor<2x3x7x4x10xf32>
  return %c : tensor<2x3x7x4x10xf32>
}

// -----

// Depthwise: the filter is HWC.
// CHECK-LABEL: func.func @depthwise
// CHECK-SAME: tensor<3x2x5xf32> {pg.layout = [affine_map<(d0, d1, d2) -> (d1, d2, d0)>], pg.parameter = "w@b.c.a"}
// CHECK: linalg.generic {{.*}} ins(%{{.*}}, %arg1 : tensor<1x7x13x5xf32>, tensor<3x2x5xf32>) outs({{.*}} : tensor<1x5x12x5xf32>)
// CHECK: return
func.func @depthwise(%x: tensor<1x5x7x13xf32>, %w: tensor<5x3x2xf32> {pg.parameter = "w"}) -> tensor<1x5x5x12xf32> {
  %zero = arith.constant 0.0 : f32
  %a = tensor.empty() : tensor<1x5x7x13xf32>
  %t = linalg.exp ins(%x : tensor<1x5x7x13xf32>) outs(%a : tensor<1x5x7x13xf32>) -> tensor<1x5x7x13xf32>
  %e = tensor.empty() : tensor<1x5x5x12xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<1x5x5x12xf32>) -> tensor<1x5x5x12xf32>
  %c = linalg.depthwise_conv_2d_nchw_chw {dilations = dense<1> : tensor<2xi64>, strides = dense<1> : tensor<2xi64>} ins(%t, %w : tensor<1x5x7x13xf32>, tensor<5x3x2xf32>) outs(%f : tensor<1x5x5x12xf32>) -> tensor<1x5x5x12xf32>
  return %c : tensor<1x5x5x12xf32>
}

// -----

// Two convolutions with one pixel wide ones and a concatenation of channels
// between them: nothing changes its layout in the middle.
// CHECK-LABEL: func.func @middle
// CHECK: ins(%arg0 : tensor<1x3x6x12xf32>) outs({{.*}} : tensor<1x6x12x3xf32>)
// CHECK: linalg.generic {{.*}} outs({{.*}} : tensor<1x5x11x7xf32>)
// CHECK-NOT: linalg.transpose
// CHECK: tensor.concat dim({{[0-9]}}) {{.*}} -> tensor<{{.*}}12xf32>
// CHECK-NOT: linalg.transpose
// CHECK: linalg.generic {{.*}} outs({{.*}} : tensor<1x4x10x3xf32>)
// CHECK: linalg.transpose
// CHECK: return
func.func @middle(%x: tensor<1x3x6x12xf32>, %v: tensor<7x3x2x2xf32> {pg.parameter = "v"}, %u: tensor<5x7x1x1xf32> {pg.parameter = "u"}, %w: tensor<3x12x2x2xf32> {pg.parameter = "w"}) -> tensor<1x3x4x10xf32> {
  %zero = arith.constant 0.0 : f32
  %a = tensor.empty() : tensor<1x3x6x12xf32>
  %t = linalg.exp ins(%x : tensor<1x3x6x12xf32>) outs(%a : tensor<1x3x6x12xf32>) -> tensor<1x3x6x12xf32>
  %e = tensor.empty() : tensor<1x7x5x11xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<1x7x5x11xf32>) -> tensor<1x7x5x11xf32>
  %c = linalg.conv_2d_nchw_fchw {dilations = dense<1> : tensor<2xi64>, strides = dense<1> : tensor<2xi64>} ins(%t, %v : tensor<1x3x6x12xf32>, tensor<7x3x2x2xf32>) outs(%f : tensor<1x7x5x11xf32>) -> tensor<1x7x5x11xf32>
  %g = tensor.empty() : tensor<1x5x5x11xf32>
  %h = linalg.fill ins(%zero : f32) outs(%g : tensor<1x5x5x11xf32>) -> tensor<1x5x5x11xf32>
  %d = linalg.conv_2d_nchw_fchw {dilations = dense<1> : tensor<2xi64>, strides = dense<1> : tensor<2xi64>} ins(%c, %u : tensor<1x7x5x11xf32>, tensor<5x7x1x1xf32>) outs(%h : tensor<1x5x5x11xf32>) -> tensor<1x5x5x11xf32>
  %k = tensor.concat dim(1) %c, %d : (tensor<1x7x5x11xf32>, tensor<1x5x5x11xf32>) -> tensor<1x12x5x11xf32>
  %l = tensor.empty() : tensor<1x3x4x10xf32>
  %m = linalg.fill ins(%zero : f32) outs(%l : tensor<1x3x4x10xf32>) -> tensor<1x3x4x10xf32>
  %n = linalg.conv_2d_nchw_fchw {dilations = dense<1> : tensor<2xi64>, strides = dense<1> : tensor<2xi64>} ins(%k, %w : tensor<1x12x5x11xf32>, tensor<3x12x2x2xf32>) outs(%m : tensor<1x3x4x10xf32>) -> tensor<1x3x4x10xf32>
  return %n : tensor<1x3x4x10xf32>
}

// -----

// Filters of one pixel in a direction: space and batch cannot be told apart
// once dimensions of extent 1 are gone, and neither moves.
// CHECK-LABEL: func.func @flat
// CHECK-NOT: linalg.transpose
// CHECK: linalg.generic {{.*}} outs({{.*}} : tensor<1x5x13x3xf32>)
// CHECK: linalg.generic {{.*}} ins({{.*}} : tensor<1x5x13x3xf32>, tensor<3x3x11xf32>) outs({{.*}} : tensor<1x5x11x11xf32>)
// CHECK: return
func.func @flat(%x: tensor<1x5x7x13xf32>, %v: tensor<3x5x3x1xf32> {pg.parameter = "v"}, %w: tensor<11x3x1x3xf32> {pg.parameter = "w"}) -> tensor<1x11x5x11xf32> {
  %zero = arith.constant 0.0 : f32
  %a = tensor.empty() : tensor<1x5x7x13xf32>
  %c = linalg.exp ins(%x : tensor<1x5x7x13xf32>) outs(%a : tensor<1x5x7x13xf32>) -> tensor<1x5x7x13xf32>
  %g = tensor.empty() : tensor<1x3x5x13xf32>
  %h = linalg.fill ins(%zero : f32) outs(%g : tensor<1x3x5x13xf32>) -> tensor<1x3x5x13xf32>
  %d = linalg.conv_2d_nchw_fchw {dilations = dense<1> : tensor<2xi64>, strides = dense<1> : tensor<2xi64>} ins(%c, %v : tensor<1x5x7x13xf32>, tensor<3x5x3x1xf32>) outs(%h : tensor<1x3x5x13xf32>) -> tensor<1x3x5x13xf32>
  %l = tensor.empty() : tensor<1x11x5x11xf32>
  %m = linalg.fill ins(%zero : f32) outs(%l : tensor<1x11x5x11xf32>) -> tensor<1x11x5x11xf32>
  %n = linalg.conv_2d_nchw_fchw {dilations = dense<1> : tensor<2xi64>, strides = dense<1> : tensor<2xi64>} ins(%d, %w : tensor<1x3x5x13xf32>, tensor<11x3x1x3xf32>) outs(%m : tensor<1x11x5x11xf32>) -> tensor<1x11x5x11xf32>
  return %n : tensor<1x11x5x11xf32>
}

// -----

// The twin: a network without images stays as it is, transposes included.
// CHECK-LABEL: func.func @no_image
// CHECK: linalg.transpose
// CHECK: linalg.matmul
// CHECK: linalg.exp
// CHECK: return
func.func @no_image(%a: tensor<5x3xf32>, %w: tensor<5x7xf32> {pg.parameter = "w"}) -> tensor<3x7xf32> {
  %zero = arith.constant 0.0 : f32
  %b = tensor.empty() : tensor<3x5xf32>
  %x = linalg.transpose ins(%a : tensor<5x3xf32>) outs(%b : tensor<3x5xf32>) permutation = [1, 0]
  %e = tensor.empty() : tensor<3x7xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<3x7xf32>) -> tensor<3x7xf32>
  %m = linalg.matmul ins(%x, %w : tensor<3x5xf32>, tensor<5x7xf32>) outs(%f : tensor<3x7xf32>) -> tensor<3x7xf32>
  %g = tensor.empty() : tensor<3x7xf32>
  %r = linalg.exp ins(%m : tensor<3x7xf32>) outs(%g : tensor<3x7xf32>) -> tensor<3x7xf32>
  return %r : tensor<3x7xf32>
}

// -----

// Written with channels last, wanted with channels first.
// NCHW-LABEL: func.func @back
// NCHW-SAME: tensor<11x5x3x2xf32> {pg.layout = [affine_map<(d0, d1, d2, d3) -> (d3, d2, d0, d1)>], pg.parameter = "w@d.c.a.b"}
// NCHW: ins(%{{.*}}, %arg1 : tensor<1x5x7x13xf32>, tensor<11x5x3x2xf32>) outs({{.*}} : tensor<1x11x5x12xf32>)
// NCHW: linalg.transpose
// NCHW: return
// CHECK-LABEL: func.func @back
// CHECK: linalg.conv_2d_nhwc_hwcf
func.func @back(%x: tensor<1x7x13x5xf32>, %w: tensor<3x2x5x11xf32> {pg.parameter = "w"}) -> tensor<1x5x12x11xf32> {
  %zero = arith.constant 0.0 : f32
  %a = tensor.empty() : tensor<1x7x13x5xf32>
  %t = linalg.exp ins(%x : tensor<1x7x13x5xf32>) outs(%a : tensor<1x7x13x5xf32>) -> tensor<1x7x13x5xf32>
  %e = tensor.empty() : tensor<1x5x12x11xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<1x5x12x11xf32>) -> tensor<1x5x12x11xf32>
  %c = linalg.conv_2d_nhwc_hwcf {dilations = dense<1> : tensor<2xi64>, strides = dense<1> : tensor<2xi64>} ins(%t, %w : tensor<1x7x13x5xf32>, tensor<3x2x5x11xf32>) outs(%f : tensor<1x5x12x11xf32>) -> tensor<1x5x12x11xf32>
  return %c : tensor<1x5x12x11xf32>
}

// -----

// Doubled by a broadcast, then a window: the reshape would cut what the window
// needs whole, but keeps (4, 2) and (6, 2) together, and channels pass it.
// CHECK-LABEL: func.func @doubled
// CHECK-NOT: linalg.transpose
// CHECK: linalg.generic {{.*}} ins(%arg0 : tensor<3x4x6xf32>) outs({{.*}} : tensor<4x2x6x2x3xf32>)
// CHECK: tensor.collapse_shape %{{.*}} {{\[\[}}0, 1], [2, 3], [4]] : tensor<4x2x6x2x3xf32> into tensor<8x12x3xf32>
// CHECK-NOT: linalg.transpose
// CHECK: linalg.generic {{.*}} outs({{.*}} : tensor<1x7x11x5xf32>)
// CHECK: return
func.func @doubled(%x: tensor<3x4x6xf32>, %w: tensor<5x3x2x2xf32> {pg.parameter = "w"}) -> tensor<1x5x7x11xf32> {
  %zero = arith.constant 0.0 : f32
  %a = tensor.empty() : tensor<3x4x2x6x2xf32>
  %b = linalg.generic {indexing_maps = [affine_map<(c, h, p, w, q) -> (c, h, w)>, affine_map<(c, h, p, w, q) -> (c, h, p, w, q)>], iterator_types = ["parallel", "parallel", "parallel", "parallel", "parallel"]} ins(%x : tensor<3x4x6xf32>) outs(%a : tensor<3x4x2x6x2xf32>) {
  ^bb0(%in: f32, %out: f32):
    %y = math.absf %in : f32
    linalg.yield %y : f32
  } -> tensor<3x4x2x6x2xf32>
  %d = tensor.collapse_shape %b [[0], [1, 2], [3, 4]] : tensor<3x4x2x6x2xf32> into tensor<3x8x12xf32>
  %i = tensor.expand_shape %d [[0, 1], [2], [3]] output_shape [1, 3, 8, 12] : tensor<3x8x12xf32> into tensor<1x3x8x12xf32>
  %e = tensor.empty() : tensor<1x5x7x11xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<1x5x7x11xf32>) -> tensor<1x5x7x11xf32>
  %c = linalg.conv_2d_nchw_fchw {dilations = dense<1> : tensor<2xi64>, strides = dense<1> : tensor<2xi64>} ins(%i, %w : tensor<1x3x8x12xf32>, tensor<5x3x2x2xf32>) outs(%f : tensor<1x5x7x11xf32>) -> tensor<1x5x7x11xf32>
  return %c : tensor<1x5x7x11xf32>
}

// -----

// The twin: channels are shuffled in groups and then padded, which needs them
// whole: the groups would come apart, and the shuffle stays.
// CHECK-LABEL: func.func @apart
// CHECK-COUNT-1: linalg.transpose
// CHECK-NOT: linalg.transpose
// CHECK: linalg.generic {{.*}} outs({{.*}} : tensor<{{.*}}7x11xf32>)
// CHECK: return
func.func @apart(%x: tensor<2x3x8x12xf32>, %w: tensor<2x2xf32> {pg.parameter = "w"}) -> tensor<6x7x11xf32> {
  %zero = arith.constant 0.0 : f32
  %a = tensor.empty() : tensor<3x2x8x12xf32>
  %t = linalg.transpose ins(%x : tensor<2x3x8x12xf32>) outs(%a : tensor<3x2x8x12xf32>) permutation = [1, 0, 2, 3]
  %i = tensor.collapse_shape %t [[0, 1], [2], [3]] : tensor<3x2x8x12xf32> into tensor<6x8x12xf32>
  %p = tensor.pad %i low[1, 0, 0] high[0, 0, 0] {
  ^bb0(%j: index, %k: index, %l: index):
    tensor.yield %zero : f32
  } : tensor<6x8x12xf32> to tensor<7x8x12xf32>
  %s = tensor.extract_slice %p[0, 0, 0] [6, 8, 12] [1, 1, 1] : tensor<7x8x12xf32> to tensor<6x8x12xf32>
  %e = tensor.empty() : tensor<6x7x11xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<6x7x11xf32>) -> tensor<6x7x11xf32>
  %c = linalg.generic {indexing_maps = [affine_map<(c, h, w, p, q) -> (c, h + p, w + q)>, affine_map<(c, h, w, p, q) -> (p, q)>, affine_map<(c, h, w, p, q) -> (c, h, w)>], iterator_types = ["parallel", "parallel", "parallel", "reduction", "reduction"]} ins(%s, %w : tensor<6x8x12xf32>, tensor<2x2xf32>) outs(%f : tensor<6x7x11xf32>) {
  ^bb0(%in: f32, %v: f32, %out: f32):
    %y = arith.mulf %in, %v : f32
    %z = arith.addf %out, %y : f32
    linalg.yield %z : f32
  } -> tensor<6x7x11xf32>
  return %c : tensor<6x7x11xf32>
}

// -----

// An image of doubled size by a product with four pixels a pixel: its result is
// stored with the pixels of the small image outermost and channels innermost,
// so that vectors run along channels.
// CHECK-LABEL: func.func @unfolded
// CHECK-SAME: tensor<13x2x2x17xf32> {pg.layout = [affine_map<(d0, d1, d2, d3) -> (d0, d2, d3, d1)>], pg.parameter = "v@a.c.d.b"}
// CHECK: linalg.generic {{.*}} ins({{.*}}, %arg2 : {{.*}}) outs({{.*}} : tensor<{{.*}}5x11x2x2x17xf32>)
// CHECK: return
func.func @unfolded(%x: tensor<1x3x6x12xf32>, %w: tensor<13x3x2x2xf32> {pg.parameter = "w"}, %v: tensor<13x17x2x2xf32> {pg.parameter = "v"}) -> tensor<17xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<1x13x5x11xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<1x13x5x11xf32>) -> tensor<1x13x5x11xf32>
  %c = linalg.conv_2d_nchw_fchw {dilations = dense<1> : tensor<2xi64>, strides = dense<1> : tensor<2xi64>} ins(%x, %w : tensor<1x3x6x12xf32>, tensor<13x3x2x2xf32>) outs(%f : tensor<1x13x5x11xf32>) -> tensor<1x13x5x11xf32>
  %g = tensor.empty() : tensor<17x5x2x11x2xf32>
  %h = linalg.fill ins(%zero : f32) outs(%g : tensor<17x5x2x11x2xf32>) -> tensor<17x5x2x11x2xf32>
  %i = tensor.collapse_shape %c [[0, 1], [2], [3]] : tensor<1x13x5x11xf32> into tensor<13x5x11xf32>
  %d = linalg.generic {indexing_maps = [affine_map<(o, h, p, w, q, i) -> (i, h, w)>, affine_map<(o, h, p, w, q, i) -> (i, o, p, q)>, affine_map<(o, h, p, w, q, i) -> (o, h, p, w, q)>], iterator_types = ["parallel", "parallel", "parallel", "parallel", "parallel", "reduction"]} ins(%i, %v : tensor<13x5x11xf32>, tensor<13x17x2x2xf32>) outs(%h : tensor<17x5x2x11x2xf32>) {
  ^bb0(%a: f32, %b: f32, %out: f32):
    %y = arith.mulf %a, %b : f32
    %z = arith.addf %out, %y : f32
    linalg.yield %z : f32
  } -> tensor<17x5x2x11x2xf32>
  %j = tensor.collapse_shape %d [[0], [1, 2], [3, 4]] : tensor<17x5x2x11x2xf32> into tensor<17x10x22xf32>
  %k = tensor.empty() : tensor<17xf32>
  %l = linalg.fill ins(%zero : f32) outs(%k : tensor<17xf32>) -> tensor<17xf32>
  %m = linalg.generic {indexing_maps = [affine_map<(o, h, w) -> (o, h, w)>, affine_map<(o, h, w) -> (o)>], iterator_types = ["parallel", "reduction", "reduction"]} ins(%j : tensor<17x10x22xf32>) outs(%l : tensor<17xf32>) {
  ^bb0(%a: f32, %out: f32):
    %z = arith.maximumf %out, %a : f32
    linalg.yield %z : f32
  } -> tensor<17xf32>
  return %m : tensor<17xf32>
}

// -----

// Elementwise operations keep the dimensions that a grouped product wrote: no
// reshape stands between the two.
// CHECK-LABEL: func.func @groups_stay
// CHECK: linalg.generic {{.*}}"reduction"]} ins(%{{.*}}, %arg2 : tensor<5x11x2x3xf32>, tensor<2x7x3xf32>) outs({{.*}} : tensor<5x11x2x7xf32>)
// CHECK: linalg.generic {{.*}} ins(%{{[0-9]+}}, %{{.*}} : tensor<5x11x2x7xf32>, tensor<2x7xf32>) outs({{.*}} : tensor<5x11x2x7xf32>)
// CHECK: tensor.collapse_shape %{{.*}} {{\[\[}}0], [1], [2, 3]] : tensor<5x11x2x7xf32> into tensor<5x11x14xf32>
// CHECK: return
func.func @groups_stay(%x: tensor<1x3x6x12xf32>, %w: tensor<6x3x2x2xf32> {pg.parameter = "w"}, %v: tensor<2x7x3xf32> {pg.parameter = "v"}, %b: tensor<14xf32> {pg.parameter = "b"}, %u: tensor<3x14x2x2xf32> {pg.parameter = "u"}) -> tensor<1x3x4x10xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<1x6x5x11xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<1x6x5x11xf32>) -> tensor<1x6x5x11xf32>
  %c = linalg.conv_2d_nchw_fchw {dilations = dense<1> : tensor<2xi64>, strides = dense<1> : tensor<2xi64>} ins(%x, %w : tensor<1x3x6x12xf32>, tensor<6x3x2x2xf32>) outs(%f : tensor<1x6x5x11xf32>) -> tensor<1x6x5x11xf32>
  %i = tensor.collapse_shape %c [[0, 1], [2], [3]] : tensor<1x6x5x11xf32> into tensor<6x5x11xf32>
  %j = tensor.expand_shape %i [[0, 1], [2], [3]] output_shape [2, 3, 5, 11] : tensor<6x5x11xf32> into tensor<2x3x5x11xf32>
  %g = tensor.empty() : tensor<2x7x5x11xf32>
  %h = linalg.fill ins(%zero : f32) outs(%g : tensor<2x7x5x11xf32>) -> tensor<2x7x5x11xf32>
  %d = linalg.generic {indexing_maps = [affine_map<(g, o, h, w, i) -> (g, i, h, w)>, affine_map<(g, o, h, w, i) -> (g, o, i)>, affine_map<(g, o, h, w, i) -> (g, o, h, w)>], iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction"]} ins(%j, %v : tensor<2x3x5x11xf32>, tensor<2x7x3xf32>) outs(%h : tensor<2x7x5x11xf32>) {
  ^bb0(%a: f32, %q: f32, %out: f32):
    %y = arith.mulf %a, %q : f32
    %z = arith.addf %out, %y : f32
    linalg.yield %z : f32
  } -> tensor<2x7x5x11xf32>
  %k = tensor.collapse_shape %d [[0, 1], [2], [3]] : tensor<2x7x5x11xf32> into tensor<14x5x11xf32>
  %l = tensor.empty() : tensor<14x5x11xf32>
  %m = linalg.generic {indexing_maps = [affine_map<(c, h, w) -> (c, h, w)>, affine_map<(c, h, w) -> (c)>, affine_map<(c, h, w) -> (c, h, w)>], iterator_types = ["parallel", "parallel", "parallel"]} ins(%k, %b : tensor<14x5x11xf32>, tensor<14xf32>) outs(%l : tensor<14x5x11xf32>) {
  ^bb0(%a: f32, %q: f32, %out: f32):
    %y = arith.addf %a, %q : f32
    linalg.yield %y : f32
  } -> tensor<14x5x11xf32>
  %n = tensor.expand_shape %m [[0, 1], [2], [3]] output_shape [1, 14, 5, 11] : tensor<14x5x11xf32> into tensor<1x14x5x11xf32>
  %o = tensor.empty() : tensor<1x3x4x10xf32>
  %p = linalg.fill ins(%zero : f32) outs(%o : tensor<1x3x4x10xf32>) -> tensor<1x3x4x10xf32>
  %r = linalg.conv_2d_nchw_fchw {dilations = dense<1> : tensor<2xi64>, strides = dense<1> : tensor<2xi64>} ins(%n, %u : tensor<1x14x5x11xf32>, tensor<3x14x2x2xf32>) outs(%p : tensor<1x3x4x10xf32>) -> tensor<1x3x4x10xf32>
  return %r : tensor<1x3x4x10xf32>
}
