// Winograd convolutions in two phases: the image's tiles are transformed, then
// multiplied. The target is fixed: the plan depends on it.
// DEFINE: %{form} = pgopt-opt %s --form-kernels="entry=net target-cpu=x86-64-v3 phases=true split=
// RUN: %{form}1" | FileCheck %s
// RUN: %{form}2" | FileCheck %s --check-prefix=SPLIT
// RUN: %{form}2" --mlir-pass-statistics -o /dev/null 2>&1 \
// RUN:   | FileCheck %s --check-prefix=COUNT

// One call of each: nothing is cut. 17x13 outputs are 5x4 tiles.
// CHECK-LABEL: func.func private @conv_0_transform(
// CHECK-SAME: %{{.*}}: memref<1x17x13x19xf32> {pg.access = {mode = "read"}}, %{{.*}}: memref<23xf32> {pg.access = {mode = "none"}}, %{{.*}}: memref<3x3x19x23xf32> {pg.access = {mode = "none"}}, %{{.*}}: memref<1x17x13x23xf32> {pg.access = {mode = "none"}}, %{{.*}}: memref<1x1x[[ELEMENTS:[0-9]+]]xf32> {pg.access = {mode = "write"}}
// CHECK-SAME: pg.phase = "transform", pg.signature = "{{.*}} phase transform", pg.variant = "winograd:f4"}
// CHECK-LABEL: func.func private @conv_0(
// CHECK-SAME: memref<1x1x[[ELEMENTS]]xf32> {pg.access = {mode = "read"}}
// CHECK-SAME: pg.phase = "main", pg.signature = "{{.*}} phase main", pg.variant = "winograd:f4"}

// 2 * 17 * 13 * 23 * 19 * 9 operations are the second phase's.
// CHECK-LABEL: func.func @net
// CHECK: call @conv_0_transform({{.*}}pg.layer = "conv_0", pg.lflops = 0 : i64, pg.part = 0 : i64, pg.parts = 1 : i64, pg.phase = "transform"}
// CHECK: call @conv_0({{.*}}pg.layer = "conv_0", pg.lflops = 1738386 : i64, pg.part = 0 : i64, pg.parts = 1 : i64, pg.phase = "main"}
// A product stays one.
// CHECK: call @matmul_1({{.*}}pg.phase = "main"}

// Both count rows of tiles: 3 rows of 4 outputs a step, of which a multiply reads
// its own alone.
// SPLIT-LABEL: func.func private @conv_0_transform(
// SPLIT-SAME: memref<2x12x[[ELEMENTS:[0-9]+]]xf32> {pg.access = {dim = 0 : i64, mode = "write", scale = 1 : i64, window = 1 : i64}}, %[[LOW:.*]]: index, %[[HIGH:.*]]: index)
// SPLIT-SAME: phase transform of 12"
// SPLIT: arith.muli %[[LOW]], %c12
// SPLIT-LABEL: func.func private @conv_0(
// SPLIT-SAME: memref<1x17x13x23xf32> {pg.access = {dim = 1 : i64, mode = "write", scale = 12 : i64, window = 12 : i64}}, %{{.*}}: memref<2x12x[[ELEMENTS]]xf32> {pg.access = {dim = 0 : i64, mode = "read", scale = 1 : i64, window = 1 : i64}}
// Of a batch an image is a step.
// SPLIT-LABEL: func.func private @conv_2_transform(
// SPLIT-SAME: memref<5x11x10x32xf64> {pg.access = {dim = 0 : i64, mode = "read", scale = 1 : i64, window = 1 : i64}}
// SPLIT-SAME: memref<5x1x{{[0-9]+}}xf64> {pg.access = {dim = 0 : i64, mode = "write", scale = 1 : i64, window = 1 : i64}}
// 12 and 5 of 17 rows.
// SPLIT-LABEL: func.func @net
// SPLIT-COUNT-2: call @conv_0_transform({{.*}}pg.lflops = 0 : i64{{.*}}pg.parts = 2 : i64, pg.phase = "transform"}
// SPLIT: call @conv_0({{.*}}, %c0{{.*}}, %c1{{.*}}) {{.*}}pg.lflops = 1227096 : i64, pg.part = 0
// SPLIT: call @conv_0({{.*}}, %c1{{.*}}, %c2{{.*}}) {{.*}}pg.lflops = 511290 : i64, pg.part = 1
// COUNT: 2 kernels-in-phases

// Equal to one phase, and to plain loops: whole, in ranges, on several cores.
// RUN: %{form}1" -o %t.1.mlir
// RUN: pgopt-runner %t.1.mlir --compare=%s --entry=net
// RUN: %{form}2" -o %t.2.mlir
// RUN: pgopt-runner %t.2.mlir --compare=%s --entry=net
// RUN: pgopt-opt %t.2.mlir --schedule-rr=count=2 -o %t.2.cores.mlir
// RUN: pgopt-runner %t.2.cores.mlir --compare=%s --entry=net
// RUN: %{form}3" --schedule-rr=count=3 -o %t.3.cores.mlir
// RUN: pgopt-runner %t.3.cores.mlir --compare=%s --entry=net

// With more parts than rows of tiles there are no phases.
// RUN: %{form}8" --mlir-pass-statistics -o /dev/null 2>&1 \
// RUN:   | FileCheck %s --check-prefix=MANY
// MANY: 1 kernels-in-phases

// The graph: a multiply waits for the transform of its own rows.
// RUN: pgopt-opt %t.2.mlir --profile-graph=format=json -o /dev/null 2>&1 \
// RUN:   | FileCheck %s --check-prefix=GRAPH
// GRAPH: "phase": "transform", "part": 0, "parts": 2
// GRAPH: "phase": "transform", "part": 1, "parts": 2
// GRAPH: "phase": "main", "part": 0, "parts": 2
// GRAPH: {"from": 0, "to": 2,
// GRAPH-NOT: {"from": 0, "to": 3,
// GRAPH: {"from": 1, "to": 3,

// Both phases are generated; BLAS computes all from the operands, and so does a
// second phase whose buffer is of another size, or that has no variant.
// RUN: pgopt-opt %t.2.mlir --pgopt-lower --mlir-pass-statistics -o /dev/null 2>&1 \
// RUN:   | FileCheck %s --check-prefix=LOWER
// LOWER: 4 winograd
// RUN: pgopt-opt %t.2.mlir --pgopt-lower=kernels=blas -o %t.blas.mlir
// RUN: pgopt-runner %t.blas.mlir --compare=%s --entry=net
// RUN: sed 's/memref<2x12x[0-9]*xf32>/memref<2x12x1000xf32>/g' %t.2.mlir > %t.other.mlir
// RUN: pgopt-runner %t.other.mlir --compare=%s --entry=net
// RUN: sed 's/, pg.variant = "winograd:f4"//g' %t.2.mlir > %t.model.mlir
// RUN: pgopt-runner %t.model.mlir --compare=%s --entry=net

// Each phase has a Timing of its own.
// RUN: pgopt-opt %t.2.mlir --profile="store=none budget=1ms report=none" \
// RUN:   | FileCheck %s --check-prefix=TIMED
// TIMED: phase main of 12 by winograd:f4 [0,{{.*}} phase transform of 12 by winograd:f4 [0,
func.func @net(%a: tensor<1x17x13x19xf32>, %w: tensor<3x3x19x23xf32> {pg.parameter = "w"}, %b: tensor<23xf32>, %x: tensor<5x11x10x32xf64>, %y: tensor<3x3x32x37xf64>, %m: tensor<23x13xf32> {pg.parameter = "m"}) -> (tensor<221x13xf32>, tensor<5x9x8x37xf64>) {
  %zero = arith.constant 0.0 : f32
  %p = tensor.pad %a low[0, 1, 1, 0] high[0, 1, 1, 0] {
  ^bb0(%i: index, %j: index, %k: index, %l: index):
    tensor.yield %zero : f32
  } : tensor<1x17x13x19xf32> to tensor<1x19x15x19xf32>
  %e = tensor.empty() : tensor<1x17x13x23xf32>
  %f = linalg.broadcast ins(%b : tensor<23xf32>) outs(%e : tensor<1x17x13x23xf32>) dimensions = [0, 1, 2]
  %0 = linalg.conv_2d_nhwc_hwcf ins(%p, %w : tensor<1x19x15x19xf32>, tensor<3x3x19x23xf32>) outs(%f : tensor<1x17x13x23xf32>) -> tensor<1x17x13x23xf32>
  %c = tensor.collapse_shape %0 [[0, 1, 2], [3]] : tensor<1x17x13x23xf32> into tensor<221x23xf32>
  %e1 = tensor.empty() : tensor<221x13xf32>
  %f1 = linalg.fill ins(%zero : f32) outs(%e1 : tensor<221x13xf32>) -> tensor<221x13xf32>
  %1 = linalg.matmul ins(%c, %m : tensor<221x23xf32>, tensor<23x13xf32>) outs(%f1 : tensor<221x13xf32>) -> tensor<221x13xf32>
  %zero2 = arith.constant 0.0 : f64
  %e2 = tensor.empty() : tensor<5x9x8x37xf64>
  %f2 = linalg.fill ins(%zero2 : f64) outs(%e2 : tensor<5x9x8x37xf64>) -> tensor<5x9x8x37xf64>
  %2 = linalg.conv_2d_nhwc_hwcf ins(%x, %y : tensor<5x11x10x32xf64>, tensor<3x3x32x37xf64>) outs(%f2 : tensor<5x9x8x37xf64>) -> tensor<5x9x8x37xf64>
  return %1, %2 : tensor<221x13xf32>, tensor<5x9x8x37xf64>
}
