// RUN: pgopt-opt %s --split-input-file --mark-parameters=args=1- | FileCheck %s
// RUN: pgopt-opt %s --split-input-file --mark-parameters=args=0+2-3 | FileCheck %s --check-prefix=LIST
// RUN: pgopt-opt %s --split-input-file --mark-parameters --mlir-pass-statistics -o /dev/null 2>&1 | FileCheck %s --check-prefix=STATS
// RUN: mlir-opt %s --split-input-file --load-pass-plugin=%pgopt_plugin --pass-pipeline='builtin.module(mark-parameters{args=1-})' | FileCheck %s

// CHECK-LABEL: func.func @all_but_the_first(
// CHECK-SAME: %{{[a-z0-9]+}}: tensor<3x5xf32>,
// CHECK-SAME: tensor<5x7xf32> {pg.parameter = "arg1"},
// CHECK-SAME: tensor<7xf32> {pg.parameter = "arg2"},
// CHECK-SAME: %{{[a-z0-9]+}}: f32)
// LIST-LABEL: func.func @all_but_the_first(
// LIST-SAME: tensor<3x5xf32> {pg.parameter = "arg0"},
// LIST-SAME: %{{[a-z0-9]+}}: tensor<5x7xf32>,
// LIST-SAME: tensor<7xf32> {pg.parameter = "arg2"}
// 2 of the first function, 3 of the second, 2 of the third.
// STATS: (S) 7 marked
// STATS: (S) 1 scalars
func.func @all_but_the_first(%x: tensor<3x5xf32>, %w: tensor<5x7xf32>, %b: tensor<7xf32>, %s: f32) -> tensor<3x5xf32> {
  return %x : tensor<3x5xf32>
}

// -----

// Other attributes of an argument stay, an old name is replaced.
// CHECK-LABEL: func.func @keeps_attributes(
// CHECK-SAME: tensor<5xf32> {my.note = "weights", pg.parameter = "arg1"}
// LIST-LABEL: func.func @keeps_attributes(
// LIST-SAME: tensor<5xf32> {my.note = "weights", pg.parameter = "old"}
func.func @keeps_attributes(%x: tensor<3xf32>, %w: tensor<5xf32> {my.note = "weights", pg.parameter = "old"}, %c: tensor<7xf32>, %d: tensor<11xf32>) -> tensor<3xf32> {
  return %x : tensor<3xf32>
}

// -----

// One that is packed keeps its name, which says how.
// CHECK-LABEL: func.func @keeps_packed(
// CHECK-SAME: pg.parameter = "w@b.a"}
// LIST-LABEL: func.func @keeps_packed(
func.func @keeps_packed(%x: tensor<3xf32>, %w: tensor<5x3xf32> {pg.parameter = "w@b.a", pg.layout = [affine_map<(a, b) -> (b, a)>]}, %c: tensor<7xf32>, %d: tensor<11xf32>) -> tensor<3xf32> {
  return %x : tensor<3xf32>
}
