// Winograd convolutions: transforms of image, products and weights around
// register tiles.
// REQUIRES: x86_64

// RUN: split-file %s %t
// DEFINE: %{options} =
// DEFINE: %{file} =
// DEFINE: %{loops} = pgopt-opt %t/same.mlir --pgopt-lower="target-cpu=x86-64-v4 %{options}" \
// DEFINE:   --mlir-print-ir-before=convert-scf-to-cf -o %t/lowered.mlir 2>&1
// DEFINE: %{count} = pgopt-opt %{file} --pgopt-lower=%{options} \
// DEFINE:   --mlir-pass-statistics -o /dev/null 2>&1

// F(2x2, 3x3): 4x4 positions. 13x15 outputs are 7x8 tiles = 56. 35 outputs are
// 2 x 16 + 3, one panel of 3 vectors; 19 inputs are 16 + 3, and the last 3 are
// computed with the 13 before them. Nothing is as large as the padded image.
// REDEFINE: %{options} = winograd=f2
// RUN: %{loops} | FileCheck %s --check-prefix=F2
// F2-LABEL: func.func private @conv_0(
// The weights, and what is fetched ahead of the last ones: 19 x 48.
// F2-SAME: memref<15504xf32>
// F2-NOT: 1x15x17x19
// F2-NOT: linalg
// The image: a tile that is partly outside is copied, with zeros around it.
// F2: scf.for %{{.+}} = %c0 to %c56 step %c1 {
// F2: scf.if
// F2: } else {
// F2: vector.store %{{.+}} : memref<320xf32>
// F2: arith.select {{.*}} : memref<?xf32>
// F2: scf.for %[[I:.+]] = %c0 to %c19 step %c16 {
// F2: arith.minsi %[[I]], %c3
// F2-COUNT-16: vector.load %{{.+}} : memref<?xf32>, vector<16xf32>
// F2-COUNT-16: vector.store
// The products, position by position, in tiles of 8 x 3 vectors.
// F2: scf.for %{{.+}} = %c0 to %c16 step %c1 {
// F2: scf.for %{{.+}} = %c0 to %c56 step %c8 {
// F2: %{{.+}}:24 = scf.for %{{.+}} = %c0 to %c19 step %c1 iter_args(
// F2-COUNT-3: memref.prefetch {{.*}}, read,
// F2-COUNT-24: vector.fma
// F2-COUNT-24: vector.store
// The result, with bias and clamp; a tile's second row may be outside.
// F2: vector.create_mask
// F2-COUNT-16: vector.load
// F2: arith.cmpf olt
// F2: vector.maskedstore
// F2: scf.if
// F2-LABEL: func.func @forward(
// The weights, in f64.
// F2-LABEL: func.func private @conv_0_prepare(
// F2-COUNT-9: vector.maskedload
// F2: arith.mulf {{.*}} : vector<16xf64>
// F2-COUNT-16: vector.store

// The default: F(4x4, 3x3) on a map of this size.
// REDEFINE: %{options} =
// RUN: %{loops} | FileCheck %s --check-prefix=F4
// F4-LABEL: func.func private @conv_0(
// F4-SAME: memref<33744xf32>
// F4: scf.for %{{.+}} = %c0 to %c36 step %c1 {

// (36 x 19 x 48 + 19 x 48) x 4 bytes.
// REDEFINE: %{file} = %t/same.mlir
// REDEFINE: %{options} = target-cpu=x86-64-v4
// RUN: %{count} | FileCheck %s --check-prefix=COUNT
// COUNT: (S) 1 winograd
// COUNT: (S) 1 fused
// COUNT: (S) 134976 prepared-bytes

// RUN: pgopt-opt %{file} --form-kernels=winograd=off --pgopt-lower \
// RUN:   --mlir-pass-statistics -o /dev/null 2>&1 | FileCheck %s --check-prefix=OFF
// OFF: (S) 0 winograd

// A step of 2, a window of another size, few channels: none is Winograd's.
// REDEFINE: %{file} = %t/others.mlir
// REDEFINE: %{options} = winograd=f4
// RUN: %{count} | FileCheck %s --check-prefix=OTHERS
// OTHERS: (S) 0 winograd

// What is chosen is part of the signature, and so is a target that is given.
// RUN: pgopt-opt %t/same.mlir --form-kernels | FileCheck %s --check-prefix=AUTO
// AUTO: pg.signature = "conv 13x15x35 over 19x3x3 {{[0-9a-f]+}} f4"
// RUN: pgopt-opt %t/same.mlir --form-kernels="winograd=off target-cpu=haswell target-features=-fma" \
// RUN:   | FileCheck %s --check-prefix=KEPT
// Kept from the first pass that is told.
// RUN: pgopt-opt %t/same.mlir --layout-search="strategy=fixed winograd=off target-cpu=haswell target-features=-fma" \
// RUN:   --form-kernels | FileCheck %s --check-prefix=KEPT
// RUN: pgopt-opt %t/same.mlir --profile="mode=static report=none winograd=off target-cpu=haswell target-features=-fma" \
// RUN:   --form-kernels | FileCheck %s --check-prefix=KEPT
// KEPT: module attributes {{{.*}}pg.target_cpu = "haswell", pg.target_features = "-fma", pg.winograd = "off"
// KEPT: pg.signature = "conv 13x15x35 over 19x3x3 {{[0-9a-f]+}} for haswell-fma"
// RUN: pgopt-opt %t/others.mlir --form-kernels=winograd=f4 | FileCheck %s --check-prefix=PLAIN
// PLAIN-COUNT-3: pg.signature = "conv {{[0-9x]+}} over {{[0-9x]+}} {{[0-9a-f]+}}"

// RUN: not pgopt-opt %t/same.mlir --form-kernels=winograd=f6 2>&1 | FileCheck %s --check-prefix=WORD
// WORD: error: winograd is 'f6'; it must be 'auto', 'off', 'f2' or 'f4'

// Whole and in parts, against plain loops.
// RUN: pgopt-opt %t/same.mlir --form-kernels=split=3 -o %t/parts.mlir
// RUN: pgopt-runner %t/parts.mlir --compare=%t/same.mlir | FileCheck %s --check-prefix=SAME
// RUN: pgopt-opt %t/batch.mlir --form-kernels=split=2 -o %t/halves.mlir
// RUN: pgopt-runner %t/halves.mlir --compare=%t/batch.mlir | FileCheck %s --check-prefix=SAME
// SAME: result 0: error {{[0-9.]+e-0[67]}} at

//--- same.mlir
func.func @forward(%x: tensor<1x13x15x19xf32>, %w: tensor<3x3x19x35xf32> {pg.parameter = "w"}, %b: tensor<35xf32>) -> tensor<1x13x15x35xf32> {
  %z = arith.constant 0.0 : f32
  %p = tensor.pad %x low[0, 1, 1, 0] high[0, 1, 1, 0] {
  ^bb0(%i: index, %j: index, %k: index, %l: index):
    tensor.yield %z : f32
  } : tensor<1x13x15x19xf32> to tensor<1x15x17x19xf32>
  %e = tensor.empty() : tensor<1x13x15x35xf32>
  %f = linalg.broadcast ins(%b : tensor<35xf32>) outs(%e : tensor<1x13x15x35xf32>) dimensions = [0, 1, 2]
  %r = linalg.conv_2d_nhwc_hwcf ins(%p, %w : tensor<1x15x17x19xf32>, tensor<3x3x19x35xf32>) outs(%f : tensor<1x13x15x35xf32>) -> tensor<1x13x15x35xf32>
  %q = linalg.generic {indexing_maps = [affine_map<(n, h, w, c) -> (n, h, w, c)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} outs(%r : tensor<1x13x15x35xf32>) {
  ^bb0(%v: f32):
    %m = arith.maximumf %v, %z : f32
    linalg.yield %m : f32
  } -> tensor<1x13x15x35xf32>
  return %q : tensor<1x13x15x35xf32>
}

//--- batch.mlir
func.func @forward(%x: tensor<3x11x13x17xf32>, %w: tensor<17x23x3x3xf32>) -> tensor<3x11x11x23xf32> {
  %z = arith.constant 0.0 : f32
  %p = tensor.pad %x low[0, 0, 0, 0] high[0, 2, 0, 0] {
  ^bb0(%i: index, %j: index, %k: index, %l: index):
    tensor.yield %z : f32
  } : tensor<3x11x13x17xf32> to tensor<3x13x13x17xf32>
  %e = tensor.empty() : tensor<3x11x11x23xf32>
  %f = linalg.fill ins(%z : f32) outs(%e : tensor<3x11x11x23xf32>) -> tensor<3x11x11x23xf32>
  %r = linalg.generic {indexing_maps = [affine_map<(n, h, w, f, kh, kw, c) -> (c, f, kh, kw)>, affine_map<(n, h, w, f, kh, kw, c) -> (n, h + kh, w + kw, c)>, affine_map<(n, h, w, f, kh, kw, c) -> (n, h, w, f)>], iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction", "reduction", "reduction"]} ins(%w, %p : tensor<17x23x3x3xf32>, tensor<3x13x13x17xf32>) outs(%f : tensor<3x11x11x23xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %m = arith.mulf %a, %b : f32
    %s = arith.addf %o, %m : f32
    linalg.yield %s : f32
  } -> tensor<3x11x11x23xf32>
  return %r : tensor<3x11x11x23xf32>
}

//--- others.mlir
func.func @forward(%x: tensor<1x15x15x16xf32>, %y: tensor<1x15x15x3xf32>, %u: tensor<3x3x16x16xf32>, %v: tensor<5x5x16x16xf32>, %w: tensor<3x3x3x16xf32>) -> (tensor<1x7x7x16xf32>, tensor<1x11x11x16xf32>, tensor<1x13x13x16xf32>) {
  %z = arith.constant 0.0 : f32
  %ea = tensor.empty() : tensor<1x7x7x16xf32>
  %fa = linalg.fill ins(%z : f32) outs(%ea : tensor<1x7x7x16xf32>) -> tensor<1x7x7x16xf32>
  %a = linalg.conv_2d_nhwc_hwcf {strides = dense<2> : tensor<2xi64>} ins(%x, %u : tensor<1x15x15x16xf32>, tensor<3x3x16x16xf32>) outs(%fa : tensor<1x7x7x16xf32>) -> tensor<1x7x7x16xf32>
  %eb = tensor.empty() : tensor<1x11x11x16xf32>
  %fb = linalg.fill ins(%z : f32) outs(%eb : tensor<1x11x11x16xf32>) -> tensor<1x11x11x16xf32>
  %b = linalg.conv_2d_nhwc_hwcf ins(%x, %v : tensor<1x15x15x16xf32>, tensor<5x5x16x16xf32>) outs(%fb : tensor<1x11x11x16xf32>) -> tensor<1x11x11x16xf32>
  %ec = tensor.empty() : tensor<1x13x13x16xf32>
  %fc = linalg.fill ins(%z : f32) outs(%ec : tensor<1x13x13x16xf32>) -> tensor<1x13x13x16xf32>
  %c = linalg.conv_2d_nhwc_hwcf ins(%y, %w : tensor<1x15x15x3xf32>, tensor<3x3x3x16xf32>) outs(%fc : tensor<1x13x13x16xf32>) -> tensor<1x13x13x16xf32>
  return %a, %b, %c : tensor<1x7x7x16xf32>, tensor<1x11x11x16xf32>, tensor<1x13x13x16xf32>
}
