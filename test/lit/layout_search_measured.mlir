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
// RUN: pgopt-runner --show-store=%t/s | FileCheck %s --check-prefix=STORE
// STORE: {"signature": "{{.*}} estimated by {{[0-9.]+}} apart"

// The store's verdict decides, whatever it says: the first form is the network
// as it was given.
// RUN: pgopt-runner --show-store=%t/s > %t/verdict.json
// RUN: sed '/"layouts /s/"chosen": [0-9]*/"chosen": 0/' %t/verdict.json > %t/given.json
// RUN: pgopt-opt %s --layout-search='budget=2s store=%t/given.json' -o %t/kept.mlir 2>%t/log
// RUN: FileCheck %s --check-prefix=KEPT < %t/log
// KEPT: remark: kept is the network as given: {{[0-9]+}} runs on file; given
// RUN: grep -v '^module' %t/kept.mlir > %t/kept.body
// RUN: pgopt-opt %s | grep -v '^module' | diff - %t/kept.body
// RUN: sed '/"layouts /s/"chosen": [0-9]*/"chosen": 1/' %t/verdict.json > %t/second.json
// RUN: pgopt-opt %s --layout-search='budget=2s store=%t/second.json' -o %t/other.mlir 2>%t/log
// RUN: FileCheck %s --check-prefix=OTHER < %t/log
// OTHER: remark: kept is the network as {{found|nhwc|nchw}}: {{[0-9]+}} runs on file; given
// RUN: grep -v '^module' %t/other.mlir > %t/other.body
// RUN: not cmp %t/kept.body %t/other.body

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
