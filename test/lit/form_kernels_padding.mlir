// Zeros around what only contractions read belong to their kernels.
// RUN: pgopt-opt %s --split-input-file --form-kernels | FileCheck %s
// RUN: pgopt-opt %s --split-input-file --form-kernels=split=2 | FileCheck %s --check-prefix=SPLIT

// The kernel reads the image as it is. Bytes: (1x7x9x3 + 3x3x3x5 + 7x9x5) x 4
// = 2556. Every tap is counted: 2 x 7x9x5 x 3x3x3 = 17010.
// CHECK-LABEL: func.func private @conv_0(
// CHECK-SAME: %[[X:.+]]: memref<1x7x9x3xf32> {pg.access = {mode = "read"}}, %{{.+}}: memref<3x3x3x5xf32>
// CHECK: %[[P:.+]] = memref.alloc() {{.*}} : memref<1x9x11x3xf32>
// CHECK: linalg.fill {{.*}}outs(%[[P]]
// CHECK: %[[S:.+]] = memref.subview %[[P]][0, 1, 1, 0] [1, 7, 9, 3]
// CHECK: linalg.copy ins(%[[X]] {{.*}}outs(%[[S]]
// CHECK: linalg.conv_2d_nhwc_hwcf {{.*}}ins(%[[P]]
// CHECK-LABEL: func.func @same(
// CHECK-NOT: 1x9x11x3
// CHECK: call @conv_0({{.*}}pg.bytes = 2556 : i64, {{.*}}pg.lflops = 17010 : i64
// CHECK-NOT: call

// A part names the whole image.
// SPLIT-LABEL: func.func private @conv_0(
// SPLIT-SAME: memref<1x7x9x3xf32> {pg.access = {mode = "read"}}
// SPLIT-SAME: memref<1x7x9x5xf32> {pg.access = {dim = 1 : i64, mode = "write", scale = 1 : i64, window = 1 : i64}}
// SPLIT: memref.subview %{{.+}}[0, %{{.+}}, 0, 0] [1, %{{.+}}, 11, 3]
// SPLIT-LABEL: func.func @same(
// SPLIT-COUNT-2: call @conv_0(
func.func @same(%x: tensor<1x7x9x3xf32>, %w: tensor<3x3x3x5xf32>) -> tensor<1x7x9x5xf32> {
  %z = arith.constant 0.0 : f32
  %p = tensor.pad %x low[0, 1, 1, 0] high[0, 1, 1, 0] {
  ^bb0(%a: index, %b: index, %c: index, %d: index):
    tensor.yield %z : f32
  } : tensor<1x7x9x3xf32> to tensor<1x9x11x3xf32>
  %e = tensor.empty() : tensor<1x7x9x5xf32>
  %f = linalg.fill ins(%z : f32) outs(%e : tensor<1x7x9x5xf32>) -> tensor<1x7x9x5xf32>
  %y = linalg.conv_2d_nhwc_hwcf {dilations = dense<1> : tensor<2xi64>, strides = dense<1> : tensor<2xi64>} ins(%p, %w : tensor<1x9x11x3xf32>, tensor<3x3x3x5xf32>) outs(%f : tensor<1x7x9x5xf32>) -> tensor<1x7x9x5xf32>
  return %y : tensor<1x7x9x5xf32>
}

// -----

// Two convolutions read it: both do it themselves. Behind a view as well.
// CHECK-LABEL: func.func private @conv_0(
// CHECK-SAME: memref<1x6x7x9xf32>
// CHECK: memref.expand_shape
// CHECK-LABEL: func.func private @conv_1(
// CHECK-SAME: memref<1x6x7x9xf32>
// CHECK-LABEL: func.func @two(
// CHECK-NOT: pad
// CHECK-NOT: memref.expand_shape
// CHECK: call @conv_0(%arg0,
// CHECK: call @conv_1(%arg0,
#image = affine_map<(g, f, h, w, c, kh, kw) -> (g, c, h + kh, w + kw)>
#filter = affine_map<(g, f, h, w, c, kh, kw) -> (g, f, c, kh, kw)>
#result = affine_map<(g, f, h, w, c, kh, kw) -> (g, f, h, w)>
func.func @two(%x: tensor<1x6x7x9xf32>, %u: tensor<2x5x3x3x3xf32>, %v: tensor<5x6x2x2xf32>) -> (tensor<2x5x7x9xf32>, tensor<1x5x8x10xf32>) {
  %z = arith.constant 0.0 : f32
  %p = tensor.pad %x low[0, 0, 1, 1] high[0, 0, 1, 1] {
  ^bb0(%a: index, %b: index, %c: index, %d: index):
    tensor.yield %z : f32
  } : tensor<1x6x7x9xf32> to tensor<1x6x9x11xf32>
  %q = tensor.collapse_shape %p [[0, 1], [2], [3]] : tensor<1x6x9x11xf32> into tensor<6x9x11xf32>
  %g = tensor.expand_shape %q [[0, 1], [2], [3]] output_shape [2, 3, 9, 11] : tensor<6x9x11xf32> into tensor<2x3x9x11xf32>
  %e = tensor.empty() : tensor<2x5x7x9xf32>
  %f = linalg.fill ins(%z : f32) outs(%e : tensor<2x5x7x9xf32>) -> tensor<2x5x7x9xf32>
  %y = linalg.generic {indexing_maps = [#image, #filter, #result], iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction", "reduction", "reduction"]} ins(%g, %u : tensor<2x3x9x11xf32>, tensor<2x5x3x3x3xf32>) outs(%f : tensor<2x5x7x9xf32>) {
  ^bb0(%i: f32, %j: f32, %o: f32):
    %m = arith.mulf %i, %j : f32
    %s = arith.addf %o, %m : f32
    linalg.yield %s : f32
  } -> tensor<2x5x7x9xf32>
  %e2 = tensor.empty() : tensor<1x5x8x10xf32>
  %f2 = linalg.fill ins(%z : f32) outs(%e2 : tensor<1x5x8x10xf32>) -> tensor<1x5x8x10xf32>
  %y2 = linalg.conv_2d_nchw_fchw {dilations = dense<1> : tensor<2xi64>, strides = dense<1> : tensor<2xi64>} ins(%p, %v : tensor<1x6x9x11xf32>, tensor<5x6x2x2xf32>) outs(%f2 : tensor<1x5x8x10xf32>) -> tensor<1x5x8x10xf32>
  return %y, %y2 : tensor<2x5x7x9xf32>, tensor<1x5x8x10xf32>
}

// -----

// Ones around it, or a sum that reads it too: a kernel of its own.
// CHECK-LABEL: func.func @ones(
// CHECK: call @pad_0(
// CHECK: call @matmul_1(
// CHECK: call @pad_2(
func.func @ones(%x: tensor<3x4xf32>, %w: tensor<7x5xf32>) -> (tensor<3x5xf32>, tensor<3x5xf32>, tensor<3x7xf32>) {
  %z = arith.constant 0.0 : f32
  %one = arith.constant 1.0 : f32
  %p = tensor.pad %x low[0, 1] high[0, 2] {
  ^bb0(%a: index, %b: index):
    tensor.yield %one : f32
  } : tensor<3x4xf32> to tensor<3x7xf32>
  %e = tensor.empty() : tensor<3x5xf32>
  %f = linalg.fill ins(%z : f32) outs(%e : tensor<3x5xf32>) -> tensor<3x5xf32>
  %y = linalg.matmul ins(%p, %w : tensor<3x7xf32>, tensor<7x5xf32>) outs(%f : tensor<3x5xf32>) -> tensor<3x5xf32>
  %q = tensor.pad %x low[0, 2] high[0, 1] {
  ^bb0(%a: index, %b: index):
    tensor.yield %z : f32
  } : tensor<3x4xf32> to tensor<3x7xf32>
  %r = linalg.matmul ins(%q, %w : tensor<3x7xf32>, tensor<7x5xf32>) outs(%f : tensor<3x5xf32>) -> tensor<3x5xf32>
  %t = tensor.empty() : tensor<3x7xf32>
  %s = linalg.exp ins(%q : tensor<3x7xf32>) outs(%t : tensor<3x7xf32>) -> tensor<3x7xf32>
  return %y, %r, %s : tensor<3x5xf32>, tensor<3x5xf32>, tensor<3x7xf32>
}

// -----

// What a fill is padded with is no crash.
// CHECK-LABEL: func.func private @matmul_0(
// CHECK-COUNT-3: linalg.fill
// CHECK: linalg.matmul
func.func @fill(%w: tensor<7x5xf32>) -> tensor<3x5xf32> {
  %z = arith.constant 0.0 : f32
  %two = arith.constant 2.0 : f32
  %t = tensor.empty() : tensor<3x4xf32>
  %x = linalg.fill ins(%two : f32) outs(%t : tensor<3x4xf32>) -> tensor<3x4xf32>
  %p = tensor.pad %x low[0, 1] high[0, 2] {
  ^bb0(%a: index, %b: index):
    tensor.yield %z : f32
  } : tensor<3x4xf32> to tensor<3x7xf32>
  %e = tensor.empty() : tensor<3x5xf32>
  %f = linalg.fill ins(%z : f32) outs(%e : tensor<3x5xf32>) -> tensor<3x5xf32>
  %y = linalg.matmul ins(%p, %w : tensor<3x7xf32>, tensor<7x5xf32>) outs(%f : tensor<3x5xf32>) -> tensor<3x5xf32>
  return %y : tensor<3x5xf32>
}
