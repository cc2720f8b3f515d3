// RUN: pgopt-opt %s --split-input-file --form-kernels | FileCheck %s
// RUN: pgopt-opt %s --split-input-file --form-kernels=fuse=none | FileCheck %s --check-prefix=NONE
// RUN: pgopt-opt %s --split-input-file --form-kernels=split=2 | FileCheck %s --check-prefix=SPLIT
// RUN: mlir-opt %s --split-input-file --load-pass-plugin=%pgopt_plugin --pass-pipeline='builtin.module(form-kernels{split=2})' | FileCheck %s --check-prefix=SPLIT

#id = affine_map<(d0, d1) -> (d0, d1)>
#row = affine_map<(d0, d1) -> (d1)>

// The fill is the kernel's own, the bias and the clamp are done in place.
// CHECK-LABEL: func.func private @matmul_0(
// CHECK-SAME: memref<7x11xf32> {pg.access = {mode = "read"}}
// CHECK-SAME: memref<11x13xf32> {pg.access = {mode = "read"}}
// CHECK-SAME: memref<13xf32> {pg.access = {mode = "read"}}
// CHECK-SAME: %[[D:[a-z0-9]+]]: memref<7x13xf32> {pg.access = {mode = "write"}}, %{{.+}}: index, %{{.+}}: index)
// CHECK-SAME: attributes {no_inline, pg.kernel = "matmul_0", pg.signature = "matmul 7x13 over 11 {{[0-9a-f]+}}"}
// CHECK: linalg.fill {{.*}}outs(%[[D]]
// CHECK: linalg.matmul {{.*}}outs(%[[D]]
// CHECK: linalg.generic {{.*}} ins(%{{.+}} : memref<13xf32>) outs(%[[D]]
// CHECK-NOT: copy
// CHECK: return
// CHECK-LABEL: func.func @epilogue(
// CHECK-SAME: -> memref<7x13xf32>
// CHECK: %[[B:.+]] = memref.alloc() {alignment = 64 : i64} : memref<7x13xf32>
// CHECK: call @matmul_0(%{{.+}}, %{{.+}}, %{{.+}}, %[[B]], %c0, %c7)
// Bytes: (7x11 + 11x13 + 13 + 7x13) x 4 = 1296. Operations: 2x7x13x11 + 2x7x13 = 2184.
// CHECK-SAME: pg.bytes = 1296 : i64, pg.layer = "matmul_0", pg.lflops = 2184 : i64, pg.part = 0 : i64, pg.parts = 1 : i64, pg.phase = "main"
// CHECK: return %[[B]]

// NONE-LABEL: func.func @epilogue(
// NONE: call @matmul_0(
// NONE: call @max_1(

// Rows are cut: 7 = 4 + 3.
// SPLIT-LABEL: func.func private @matmul_0(
// SPLIT-SAME: memref<7x11xf32> {pg.access = {dim = 0 : i64, mode = "read", scale = 1 : i64, window = 1 : i64}}
// SPLIT-SAME: memref<11x13xf32> {pg.access = {mode = "read"}}
// SPLIT-SAME: memref<7x13xf32> {pg.access = {dim = 0 : i64, mode = "write", scale = 1 : i64, window = 1 : i64}}
// SPLIT-NOT: copy
// SPLIT-LABEL: func.func @epilogue(
// SPLIT: call @matmul_0({{.*}}, %c0, %c4) {{.*}}pg.lflops = 1248 : i64, pg.part = 0 : i64, pg.parts = 2 : i64
// SPLIT: call @matmul_0({{.*}}, %c4{{.*}}, %c7) {{.*}}pg.lflops = 936 : i64, pg.part = 1 : i64, pg.parts = 2 : i64
func.func @epilogue(%a: tensor<7x11xf32>, %w: tensor<11x13xf32>, %bias: tensor<13xf32>) -> tensor<7x13xf32> {
  %c = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<7x13xf32>
  %f = linalg.fill ins(%c : f32) outs(%e : tensor<7x13xf32>) -> tensor<7x13xf32>
  %0 = linalg.matmul ins(%a, %w : tensor<7x11xf32>, tensor<11x13xf32>) outs(%f : tensor<7x13xf32>) -> tensor<7x13xf32>
  %1 = linalg.generic {indexing_maps = [#id, #row, #id], iterator_types = ["parallel", "parallel"]} ins(%0, %bias : tensor<7x13xf32>, tensor<13xf32>) outs(%e : tensor<7x13xf32>) {
  ^bb0(%x: f32, %y: f32, %o: f32):
    %s = arith.addf %x, %y : f32
    %r = arith.maximumf %s, %c : f32
    linalg.yield %r : f32
  } -> tensor<7x13xf32>
  return %1 : tensor<7x13xf32>
}

// -----

// A result with two users is no epilogue's input: the product is stored.
// CHECK-LABEL: func.func @two_users(
// CHECK: call @matmul_0(
// CHECK: call @exp_1(
func.func @two_users(%a: tensor<7x11xf32>, %w: tensor<11x13xf32>) -> (tensor<7x13xf32>, tensor<7x13xf32>) {
  %c = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<7x13xf32>
  %f = linalg.fill ins(%c : f32) outs(%e : tensor<7x13xf32>) -> tensor<7x13xf32>
  %0 = linalg.matmul ins(%a, %w : tensor<7x11xf32>, tensor<11x13xf32>) outs(%f : tensor<7x13xf32>) -> tensor<7x13xf32>
  %1 = linalg.exp ins(%0 : tensor<7x13xf32>) outs(%e : tensor<7x13xf32>) -> tensor<7x13xf32>
  return %0, %1 : tensor<7x13xf32>, tensor<7x13xf32>
}

// -----

// A transpose moves data: it is a kernel of its own, not an epilogue.
// CHECK-LABEL: func.func @transposed_result(
// CHECK: call @matmul_0(
// CHECK: call @transpose_1(
func.func @transposed_result(%a: tensor<7x11xf32>, %w: tensor<11x13xf32>) -> tensor<13x7xf32> {
  %c = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<7x13xf32>
  %f = linalg.fill ins(%c : f32) outs(%e : tensor<7x13xf32>) -> tensor<7x13xf32>
  %0 = linalg.matmul ins(%a, %w : tensor<7x11xf32>, tensor<11x13xf32>) outs(%f : tensor<7x13xf32>) -> tensor<7x13xf32>
  %t = tensor.empty() : tensor<13x7xf32>
  %1 = linalg.transpose ins(%0 : tensor<7x13xf32>) outs(%t : tensor<13x7xf32>) permutation = [1, 0]
  return %1 : tensor<13x7xf32>
}

// -----

// Elementwise producers of a reduction disappear in its loops.
// CHECK-LABEL: func.func private @reduce_add_0(
// CHECK: linalg.fill
// CHECK: linalg.generic
// CHECK: math.exp
// CHECK-NEXT: arith.addf
// CHECK-NOT: linalg.generic
// CHECK: return
// NONE-LABEL: func.func @reduction(
// NONE: call @exp_0(
// NONE: call @reduce_add_1(
func.func @reduction(%a: tensor<7x13xf32>) -> tensor<7xf32> {
  %c = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<7x13xf32>
  %0 = linalg.exp ins(%a : tensor<7x13xf32>) outs(%e : tensor<7x13xf32>) -> tensor<7x13xf32>
  %e1 = tensor.empty() : tensor<7xf32>
  %f1 = linalg.fill ins(%c : f32) outs(%e1 : tensor<7xf32>) -> tensor<7xf32>
  %1 = linalg.reduce { arith.addf } ins(%0 : tensor<7x13xf32>) outs(%f1 : tensor<7xf32>) dimensions = [1]
  return %1 : tensor<7xf32>
}

// -----

// Two layers with equal bodies share one function; their layers differ.
// CHECK-LABEL: func.func private @exp_0(
// CHECK-NOT: func.func private
// CHECK-LABEL: func.func @shared(
// CHECK: call @exp_0({{.*}}pg.layer = "exp_0"
// CHECK: call @exp_0({{.*}}pg.layer = "exp_1"
func.func @shared(%a: tensor<3x5xf32>, %b: tensor<3x5xf32>) -> (tensor<3x5xf32>, tensor<3x5xf32>) {
  %e = tensor.empty() : tensor<3x5xf32>
  %0 = linalg.exp ins(%a : tensor<3x5xf32>) outs(%e : tensor<3x5xf32>) -> tensor<3x5xf32>
  %1 = linalg.exp ins(%b : tensor<3x5xf32>) outs(%e : tensor<3x5xf32>) -> tensor<3x5xf32>
  return %0, %1 : tensor<3x5xf32>, tensor<3x5xf32>
}

// -----

// Elementwise operations that feed one another alone are one kernel, a transpose
// among them; a value with two users is stored.
// CHECK-LABEL: func.func private @sqrt_0(
// CHECK: linalg.generic
// CHECK: math.exp
// CHECK-NEXT: math.sqrt
// CHECK-NOT: linalg.generic
// CHECK: return
// CHECK-LABEL: func.func @chain(
// CHECK: call @sqrt_0(
// CHECK: call @tanh_1(
// CHECK-NOT: call
// CHECK: return
// NONE-LABEL: func.func @chain(
// NONE: call @transpose_0(
// NONE: call @exp_1(
// NONE: call @sqrt_2(
// NONE: call @tanh_3(
func.func @chain(%a: tensor<3x5xf32>) -> (tensor<5x3xf32>, tensor<5x3xf32>) {
  %e = tensor.empty() : tensor<5x3xf32>
  %t = linalg.transpose ins(%a : tensor<3x5xf32>) outs(%e : tensor<5x3xf32>) permutation = [1, 0]
  %0 = linalg.exp ins(%t : tensor<5x3xf32>) outs(%e : tensor<5x3xf32>) -> tensor<5x3xf32>
  %1 = linalg.sqrt ins(%0 : tensor<5x3xf32>) outs(%e : tensor<5x3xf32>) -> tensor<5x3xf32>
  %2 = linalg.tanh ins(%1 : tensor<5x3xf32>) outs(%e : tensor<5x3xf32>) -> tensor<5x3xf32>
  return %1, %2 : tensor<5x3xf32>, tensor<5x3xf32>
}

// -----

// A strided convolution cut along its rows reads overlapping ranges:
// rows [2 lo, 2 (hi - 1) + 3).
// SPLIT-LABEL: func.func private @conv_0(
// SPLIT-SAME: memref<1x15x9x3xf32> {pg.access = {dim = 1 : i64, mode = "read", scale = 2 : i64, window = 3 : i64}}
// SPLIT-SAME: memref<3x3x3x5xf32> {pg.access = {mode = "read"}}
// SPLIT-SAME: memref<1x7x4x5xf32> {pg.access = {dim = 1 : i64, mode = "write", scale = 1 : i64, window = 1 : i64}}
// SPLIT-LABEL: func.func @strided_conv(
// SPLIT: call @conv_0({{.*}}%c0, %c4)
// SPLIT: call @conv_0({{.*}}%c7)
func.func @strided_conv(%a: tensor<1x15x9x3xf32>, %w: tensor<3x3x3x5xf32>) -> tensor<1x7x4x5xf32> {
  %c = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<1x7x4x5xf32>
  %f = linalg.fill ins(%c : f32) outs(%e : tensor<1x7x4x5xf32>) -> tensor<1x7x4x5xf32>
  %0 = linalg.conv_2d_nhwc_hwcf {strides = dense<2> : tensor<2xi64>, dilations = dense<1> : tensor<2xi64>} ins(%a, %w : tensor<1x15x9x3xf32>, tensor<3x3x3x5xf32>) outs(%f : tensor<1x7x4x5xf32>) -> tensor<1x7x4x5xf32>
  return %0 : tensor<1x7x4x5xf32>
}

// -----

// Moves write their destination and nothing else.
// CHECK-LABEL: func.func private @pad_0(
// CHECK-NOT: memref.alloc
// CHECK: linalg.fill
// CHECK: linalg.copy
// CHECK: return
// CHECK-LABEL: func.func private @concat_1(
// CHECK-NOT: memref.alloc
// CHECK-COUNT-2: linalg.copy
// CHECK: return
// CHECK-LABEL: func.func private @extract_slice_2(
// CHECK-NOT: memref.alloc
// CHECK-COUNT-1: linalg.copy
// CHECK: return
// CHECK-LABEL: func.func @moves(
func.func @moves(%a: tensor<3x5xf32>, %b: tensor<4x9xf32>) -> tensor<5x3xf32> {
  %z = arith.constant 0.0 : f32
  %0 = tensor.pad %a low[0, 1] high[2, 3] {
  ^bb0(%i: index, %j: index):
    tensor.yield %z : f32
  } : tensor<3x5xf32> to tensor<5x9xf32>
  %1 = tensor.concat dim(0) %0, %b : (tensor<5x9xf32>, tensor<4x9xf32>) -> tensor<9x9xf32>
  %2 = tensor.extract_slice %1[1, 2] [5, 3] [1, 2] : tensor<9x9xf32> to tensor<5x3xf32>
  return %2 : tensor<5x3xf32>
}

// -----

// Views stand between kernels; large constants are globals, small ones belong
// to the kernel; a layer that nothing uses is dropped.
// CHECK: memref.global "private" constant @const_0 : memref<3x7xf32>
// CHECK-LABEL: func.func @between(
// CHECK: memref.get_global @const_0
// CHECK: call @add_1(
// CHECK: memref.collapse_shape
// CHECK: call @tanh_2(
// CHECK-NOT: call
// CHECK: return
func.func @between(%a: tensor<3x7xf32>) -> tensor<21xf32> {
  %w = arith.constant dense<[[1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0], [8.0, 9.0, 10.0, 11.0, 12.0, 13.0, 14.0], [15.0, 16.0, 17.0, 18.0, 19.0, 20.0, 21.0]]> : tensor<3x7xf32>
  %e = tensor.empty() : tensor<3x7xf32>
  %dead = linalg.exp ins(%a : tensor<3x7xf32>) outs(%e : tensor<3x7xf32>) -> tensor<3x7xf32>
  %0 = linalg.add ins(%a, %w : tensor<3x7xf32>, tensor<3x7xf32>) outs(%e : tensor<3x7xf32>) -> tensor<3x7xf32>
  %1 = tensor.collapse_shape %0 [[0, 1]] : tensor<3x7xf32> into tensor<21xf32>
  %e1 = tensor.empty() : tensor<21xf32>
  %2 = linalg.tanh ins(%1 : tensor<21xf32>) outs(%e1 : tensor<21xf32>) -> tensor<21xf32>
  return %2 : tensor<21xf32>
}

// -----

// Groups that the operations carry are taken over, Timing with them.
// CHECK-LABEL: func.func @given_groups(
// CHECK: call @mine({{.*}}pg.layer = "mine", {{.*}}pg.timing = {mad_ns = 1 : i64, median_ns = 9 : i64, min_ns = 8 : i64, runs = 5 : i64, source = "in-place"}
// CHECK-NOT: call
// CHECK: return
func.func @given_groups(%a: tensor<3x5xf32>) -> tensor<3x5xf32> {
  %e = tensor.empty() : tensor<3x5xf32>
  %0 = linalg.exp {pg.kernel = "mine"} ins(%a : tensor<3x5xf32>) outs(%e : tensor<3x5xf32>) -> tensor<3x5xf32>
  %1 = linalg.tanh {pg.kernel = "mine", pg.timing = {mad_ns = 1 : i64, median_ns = 9 : i64, min_ns = 8 : i64, runs = 5 : i64, source = "in-place"}} ins(%0 : tensor<3x5xf32>) outs(%e : tensor<3x5xf32>) -> tensor<3x5xf32>
  return %1 : tensor<3x5xf32>
}

// -----

// A caller on tensors hands memrefs over.
// CHECK-LABEL: func.func @main(
// CHECK: bufferization.to_buffer
// CHECK: call @network(%{{.+}}) : (memref<3xf32>) -> memref<3xf32>
// CHECK: bufferization.to_tensor
func.func @network(%a: tensor<3xf32>) -> tensor<3xf32> {
  %e = tensor.empty() : tensor<3xf32>
  %0 = linalg.exp ins(%a : tensor<3xf32>) outs(%e : tensor<3xf32>) -> tensor<3xf32>
  return %0 : tensor<3xf32>
}
func.func @main() {
  %c = arith.constant dense<1.0> : tensor<3xf32>
  %0 = call @network(%c) : (tensor<3xf32>) -> tensor<3xf32>
  %i = arith.constant 0 : index
  %x = tensor.extract %0[%i] : tensor<3xf32>
  vector.print %x : f32
  return
}

// -----

// A side effect between two operations keeps them apart.
// CHECK-LABEL: func.func @effect_between(
// CHECK: call @exp_0(
// CHECK: vector.print
// CHECK: call @tanh_1(
func.func @effect_between(%a: tensor<3x5xf32>, %x: f32) -> tensor<3x5xf32> {
  %e = tensor.empty() : tensor<3x5xf32>
  %0 = linalg.exp ins(%a : tensor<3x5xf32>) outs(%e : tensor<3x5xf32>) -> tensor<3x5xf32>
  vector.print %x : f32
  %1 = linalg.tanh ins(%0 : tensor<3x5xf32>) outs(%e : tensor<3x5xf32>) -> tensor<3x5xf32>
  return %1 : tensor<3x5xf32>
}
