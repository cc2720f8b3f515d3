// Prices that are measured. Times differ from run to run, so this checks what
// they lead to whatever they are: the numbers stay, one of the forms that were
// compared is kept, and all that was found out is on file.
// RUN: rm -rf %t && mkdir -p %t
// RUN: pgopt-opt %s --layout-search='budget=2s store=%t/s trace=%t/trace.json' -o %t/first.mlir 2>%t/log
// RUN: FileCheck %s < %t/log
// RUN: FileCheck %s --check-prefix=TRACE < %t/trace.json
// RUN: pgopt-runner %t/first.mlir --no-cache --compare=%s
// CHECK: remark: kept is the network as {{given|found|nhwc|nchw}}: {{[0-9]+}} runs; given {{[0-9.]+}} us
// CHECK-SAME: ratio {{[0-9.]+}}, p = 
// TRACE: "compared": {"runs": {{[0-9]+}}, "kept": "{{given|found|nhwc|nchw}}", "forms": [{"name": "given", "median_ns": {{[0-9]+}}, "ratio": 1.0000, "p": 1}, {"name": "

// The same input and the same store: the same bytes, and nothing is measured,
// though the budget may not have been enough for all.
// RUN: pgopt-opt %s --layout-search='budget=2s store=%t/s' --mlir-pass-statistics -o %t/again.mlir 2>%t/log
// RUN: FileCheck %s --check-prefix=WARM < %t/log
// RUN: diff %t/first.mlir %t/again.mlir
// WARM: remark: kept is the network as {{given|found|nhwc|nchw}}: {{[0-9]+}} runs on file; given
// WARM: 0 prices-measured
// RUN: pgopt-runner --variants layouts --store %t/s | FileCheck %s --check-prefix=FORMS
// FORMS: layouts {{[0-9a-f]+}}
// FORMS: given

func.func @images(%x: tensor<1x16x19x23xf32>,
                  %v: tensor<32x16x3x3xf32> {pg.parameter = "v"},
                  %w: tensor<16x32x3x3xf32> {pg.parameter = "w"})
    -> tensor<1x16x15x19xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<1x32x17x21xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<1x32x17x21xf32>)
    -> tensor<1x32x17x21xf32>
  %c = linalg.conv_2d_nchw_fchw
    ins(%x, %v : tensor<1x16x19x23xf32>, tensor<32x16x3x3xf32>)
    outs(%f : tensor<1x32x17x21xf32>) -> tensor<1x32x17x21xf32>
  %g = tensor.empty() : tensor<1x16x15x19xf32>
  %h = linalg.fill ins(%zero : f32) outs(%g : tensor<1x16x15x19xf32>)
    -> tensor<1x16x15x19xf32>
  %d = linalg.conv_2d_nchw_fchw
    ins(%c, %w : tensor<1x32x17x21xf32>, tensor<16x32x3x3xf32>)
    outs(%h : tensor<1x16x15x19xf32>) -> tensor<1x16x15x19xf32>
  return %d : tensor<1x16x15x19xf32>
}
