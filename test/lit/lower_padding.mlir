// Convolutions of an image with zeros around it that are not stored.
// REQUIRES: x86_64

// RUN: split-file %s %t
// DEFINE: %{file} =
// DEFINE: %{loops} = pgopt-opt %{file} --pgopt-lower=target-cpu=x86-64-v4 \
// DEFINE:   --mlir-print-ir-before=convert-scf-to-cf -o %t/lowered.mlir 2>&1

// Rows of 20 pixels are 4 tiles of 5: the two at the ends
// stand alone, the others are a loop. Of the window's rows those inside of the image
// are taken; in the middle their 3 taps of 5 channels are one run.
// REDEFINE: %{file} = %t/same.mlir
// RUN: %{loops} | FileCheck %s --check-prefix=SAME
// SAME-LABEL: func.func private @conv_0(
// SAME-NOT: memref.alloc
// SAME: scf.for %[[ROW:.+]] = %c0 to %c7
// SAME: arith.maxsi
// SAME: arith.minsi
// The left end: at the first of three taps the first pixel is outside.
// SAME: %{{.+}}:20 = scf.for
// SAME: %{{.+}}:16 = scf.for %{{.+}} = %c0 to %c5 step %c1
// SAME-COUNT-16: vector.fma
// SAME: scf.yield
// SAME: %{{.+}}:20 = scf.for %{{.+}} = %c5 to %c15 step %c1
// SAME-COUNT-20: vector.fma
// SAME: scf.yield
// The middle.
// SAME: scf.for %{{.+}} = %c5 to %c15 step %c5 {
// SAME: %{{.+}}:20 = scf.for
// SAME: %{{.+}}:20 = scf.for %{{.+}} = %c0 to %c15 step %c1
// SAME-COUNT-20: vector.fma
// The right end.
// SAME: %{{.+}}:20 = scf.for %{{.+}} = %c0 to %c10 step %c1
// SAME-COUNT-20: vector.fma
// SAME: %{{.+}}:16 = scf.for %{{.+}} = %c10 to %c15 step %c1
// SAME-COUNT-16: vector.fma
// SAME: scf.yield
// SAME-NOT: vector.fma
// SAME-LABEL: func.func @forward(

// The image has the columns: they are gathered, zeros with them.
// REDEFINE: %{file} = %t/first.mlir
// RUN: %{loops} | FileCheck %s --check-prefix=FIRST
// FIRST-LABEL: func.func private @conv_0(
// FIRST-NOT: memref<1x3x42x42xf32>
// FIRST: call @pgopt_rt_gather_padded(
// FIRST: vector.fma

//--- same.mlir
func.func @forward(%x: tensor<1x7x20x5xf32>, %w: tensor<3x3x5x64xf32>) -> tensor<1x7x20x64xf32> {
  %z = arith.constant 0.0 : f32
  %p = tensor.pad %x low[0, 1, 1, 0] high[0, 1, 1, 0] {
  ^bb0(%a: index, %b: index, %c: index, %d: index):
    tensor.yield %z : f32
  } : tensor<1x7x20x5xf32> to tensor<1x9x22x5xf32>
  %e = tensor.empty() : tensor<1x7x20x64xf32>
  %f = linalg.fill ins(%z : f32) outs(%e : tensor<1x7x20x64xf32>) -> tensor<1x7x20x64xf32>
  %y = linalg.conv_2d_nhwc_hwcf {dilations = dense<1> : tensor<2xi64>, strides = dense<1> : tensor<2xi64>} ins(%p, %w : tensor<1x9x22x5xf32>, tensor<3x3x5x64xf32>) outs(%f : tensor<1x7x20x64xf32>) -> tensor<1x7x20x64xf32>
  return %y : tensor<1x7x20x64xf32>
}

//--- first.mlir
func.func @forward(%x: tensor<1x3x40x40xf32>, %w: tensor<32x3x3x3xf32>) -> tensor<1x32x40x40xf32> {
  %z = arith.constant 0.0 : f32
  %p = tensor.pad %x low[0, 0, 1, 1] high[0, 0, 1, 1] {
  ^bb0(%a: index, %b: index, %c: index, %d: index):
    tensor.yield %z : f32
  } : tensor<1x3x40x40xf32> to tensor<1x3x42x42xf32>
  %e = tensor.empty() : tensor<1x32x40x40xf32>
  %f = linalg.fill ins(%z : f32) outs(%e : tensor<1x32x40x40xf32>) -> tensor<1x32x40x40xf32>
  %y = linalg.conv_2d_nchw_fchw {dilations = dense<1> : tensor<2xi64>, strides = dense<1> : tensor<2xi64>} ins(%p, %w : tensor<1x3x42x42xf32>, tensor<32x3x3x3xf32>) outs(%f : tensor<1x32x40x40xf32>) -> tensor<1x32x40x40xf32>
  return %y : tensor<1x32x40x40xf32>
}
