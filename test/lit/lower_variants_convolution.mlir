// Variants of a 3x3 convolution: each computes the same, and Winograd's tiles are
// taken where the module lets them.
// REQUIRES: x86_64

// DEFINE: %{variant} =
// DEFINE: %{winograd} = auto
// DEFINE: %{write} = sed -e 's/VARIANT/%{variant}/' -e 's/WINOGRAD/%{winograd}/' %s > %t.mlir
// DEFINE: %{same} = %{write} && pgopt-runner %t.mlir --compare=%t.loops.mlir --tolerance=2e-5
// DEFINE: %{count} = %{write} && pgopt-opt %t.mlir --pgopt-lower --mlir-pass-statistics -o /dev/null 2>&1
// DEFINE: %{refused} = %{write} && not pgopt-opt %t.mlir --pgopt-lower -o /dev/null 2>&1

// REDEFINE: %{variant} = loops
// RUN: %{write} && cp %t.mlir %t.loops.mlir
// REDEFINE: %{variant} = product:6x4
// RUN: %{count} | FileCheck %s --check-prefix=DIRECT
// DIRECT: (S) 1 product -
// DIRECT: (S) 0 winograd -
// RUN: %{same}
// REDEFINE: %{variant} = im2col
// RUN: %{same}
// REDEFINE: %{variant} = winograd:f2
// RUN: %{count} | FileCheck %s --check-prefix=TRANSFORMED
// TRANSFORMED: (S) 0 product -
// TRANSFORMED: (S) 1 winograd -
// RUN: %{same}
// REDEFINE: %{winograd} = f2
// RUN: %{count} | FileCheck %s --check-prefix=TRANSFORMED
// REDEFINE: %{variant} = winograd:f4
// RUN: %{refused} | FileCheck %s --check-prefix=REFUSED
// REDEFINE: %{winograd} = off
// RUN: %{refused} | FileCheck %s --check-prefix=REFUSED
// REFUSED: error: pg.variant is 'winograd:f4', in which this kernel cannot be computed here
// REDEFINE: %{winograd} = f4
// RUN: %{count} | FileCheck %s --check-prefix=TRANSFORMED
// RUN: %{same}

module attributes {pg.winograd = "WINOGRAD"} {
func.func private @conv_0(%a: memref<1x19x15x32xf32> {pg.access = {mode = "read"}},
                          %b: memref<3x3x32x48xf32> {pg.access = {mode = "read"}},
                          %c: memref<1x17x13x48xf32> {pg.access = {mode = "write"}},
                          %lo: index, %hi: index)
    attributes {no_inline, pg.kernel = "conv_0", pg.variant = "VARIANT"} {
  %zero = arith.constant 0.0 : f32
  linalg.fill ins(%zero : f32) outs(%c : memref<1x17x13x48xf32>)
  linalg.conv_2d_nhwc_hwcf ins(%a, %b : memref<1x19x15x32xf32>, memref<3x3x32x48xf32>) outs(%c : memref<1x17x13x48xf32>)
  return
}
func.func @forward(%a: memref<1x19x15x32xf32>, %b: memref<3x3x32x48xf32>) -> memref<1x17x13x48xf32> {
  %c0 = arith.constant 0 : index
  %c17 = arith.constant 17 : index
  %c = memref.alloc() {alignment = 64 : i64} : memref<1x17x13x48xf32>
  call @conv_0(%a, %b, %c, %c0, %c17) : (memref<1x19x15x32xf32>, memref<3x3x32x48xf32>, memref<1x17x13x48xf32>, index, index) -> ()
  return %c : memref<1x17x13x48xf32>
}
}
