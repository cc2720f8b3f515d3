// Products that pack their columns while they run, in two phases. The target
// is fixed: the plan depends on it.
// DEFINE: %{form} = pgopt-opt %s --form-kernels="entry=net target-cpu=x86-64-v3 phases=true split=
// RUN: %{form}1" | FileCheck %s
// RUN: %{form}2" | FileCheck %s --check-prefix=SPLIT
// RUN: %{form}2" --mlir-pass-statistics -o /dev/null 2>&1 \
// RUN:   | FileCheck %s --check-prefix=COUNT

// One packs, one computes; both have the kernel's body.
// CHECK-LABEL: func.func private @matmul_0_pack(
// CHECK-SAME: %{{.*}}: memref<131x257xf32> {pg.access = {mode = "none"}}, %{{.*}}: memref<257x331xf32> {pg.access = {mode = "read"}}, %{{.*}}: memref<131x331xf32> {pg.access = {mode = "none"}}, %{{.*}}: memref<131x331xf32> {pg.access = {mode = "none"}}, %{{.*}}: memref<[[STEPS:[0-9]+]]x[[STRIDE:[0-9]+]]xf32> {pg.access = {dim = 0 : i64, mode = "write", scale = 1 : i64, window = 1 : i64}}
// CHECK-SAME: pg.phase = "pack", pg.signature = "{{.*}} phase pack", pg.variant = "product:{{.*}} prepared"}
// CHECK: linalg.matmul
// CHECK-LABEL: func.func private @matmul_0(
// CHECK-SAME: %{{.*}}: memref<131x257xf32> {pg.access = {mode = "read"}}, %{{.*}}: memref<257x331xf32> {pg.access = {mode = "read"}}, %{{.*}}: memref<131x331xf32> {pg.access = {mode = "read"}}, %{{.*}}: memref<131x331xf32> {pg.access = {mode = "write"}}, %{{.*}}: memref<[[STEPS]]x[[STRIDE]]xf32> {pg.access = {mode = "read"}}
// CHECK-SAME: pg.phase = "main", pg.signature = "{{.*}} phase main", pg.variant = "product:{{.*}} prepared"}
// CHECK: linalg.matmul

// A constant is packed before the first run.
// CHECK-NOT: @matmul_1_pack
// CHECK: func.func private @matmul_1(

// CHECK-LABEL: func.func @net
// CHECK: %[[BUFFER:.*]] = memref.alloc() {alignment = 64 : i64} : memref<[[STEPS]]x[[STRIDE]]xf32>
// 2 * 131 * 331 * 257 operations and 131 * 331 sums are the second phase's.
// CHECK: call @matmul_0_pack({{.*}}, %[[BUFFER]], {{.*}}) {{.*}}pg.layer = "matmul_0", pg.lflops = 0 : i64, pg.part = 0 : i64, pg.parts = 1 : i64, pg.phase = "pack"}
// CHECK: call @matmul_0({{.*}}, %[[BUFFER]], {{.*}}) {{.*}}pg.layer = "matmul_0", pg.lflops = 22330915 : i64, pg.part = 0 : i64, pg.parts = 1 : i64, pg.phase = "main"}
// CHECK: call @matmul_1(
// CHECK: call @[[TURNED:.*]]_pack({{.*}}pg.phase = "pack"}
// CHECK: call @[[TURNED]]({{.*}}pg.phase = "main"}

// SPLIT-LABEL: func.func @net
// SPLIT-COUNT-2: call @matmul_0_pack({{.*}}pg.parts = 2 : i64, pg.phase = "pack"}
// SPLIT-COUNT-2: call @matmul_0({{.*}}pg.parts = 2 : i64, pg.phase = "main"}
// SPLIT-COUNT-2: pg.phase = "pack"}
// SPLIT-NOT: pack

// Of batches every range has its own columns.
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

// The graph: packing comes before the product, one part before both.
// RUN: pgopt-opt %t.2.mlir --profile-graph=format=json -o /dev/null 2>&1 \
// RUN:   | FileCheck %s --check-prefix=GRAPH
// GRAPH: "phase": "pack", "part": 0, "parts": 2
// GRAPH: "phase": "pack", "part": 1, "parts": 2
// GRAPH: "phase": "main", "part": 0, "parts": 2
// GRAPH: {"from": 0, "to": 2,
// GRAPH: {"from": 1, "to": 2,

// Both phases are generated; BLAS computes all from the operands, and a buffer
// of another size is not used.
// RUN: pgopt-opt %t.2.mlir --pgopt-lower --mlir-pass-statistics -o /dev/null 2>&1 \
// RUN:   | FileCheck %s --check-prefix=LOWER
// LOWER: 6 product
// RUN: pgopt-opt %t.2.mlir --pgopt-lower=kernels=blas -o %t.blas.mlir
// RUN: pgopt-runner %t.blas.mlir --compare=%s --entry=net
// RUN: sed 's/memref<[0-9]*\(x[0-9]\{5\}xf32>\)/memref<1000\1/g' %t.2.mlir > %t.other.mlir
// RUN: pgopt-runner %t.other.mlir --compare=%s --entry=net

// Each phase has a Timing of its own.
// RUN: pgopt-opt %t.2.mlir --profile="store=none budget=1ms report=none" \
// RUN:   | FileCheck %s --check-prefix=TIMED
// TIMED: phase main by product:{{[^[]*}}[0,{{.*}} phase pack by product:{{[^[]*}}[0,
func.func @net(%a: tensor<131x257xf32>, %b: tensor<257x331xf32>, %r: tensor<131x331xf32>, %w: tensor<331x331xf32> {pg.parameter = "w"}, %p: tensor<5x13x17xf32>, %q: tensor<5x17x37xf32>, %x: tensor<61x97xf64>, %y: tensor<113x97xf64>) -> (tensor<131x331xf32>, tensor<5x13x37xf32>, tensor<61x113xf64>) {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<131x331xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<131x331xf32>) -> tensor<131x331xf32>
  %0 = linalg.matmul ins(%a, %b : tensor<131x257xf32>, tensor<257x331xf32>) outs(%f : tensor<131x331xf32>) -> tensor<131x331xf32>
  %1 = linalg.add ins(%0, %r : tensor<131x331xf32>, tensor<131x331xf32>) outs(%e : tensor<131x331xf32>) -> tensor<131x331xf32>
  %2 = linalg.matmul ins(%1, %w : tensor<131x331xf32>, tensor<331x331xf32>) outs(%f : tensor<131x331xf32>) -> tensor<131x331xf32>
  %e3 = tensor.empty() : tensor<5x13x37xf32>
  %f3 = linalg.fill ins(%zero : f32) outs(%e3 : tensor<5x13x37xf32>) -> tensor<5x13x37xf32>
  %3 = linalg.batch_matmul ins(%p, %q : tensor<5x13x17xf32>, tensor<5x17x37xf32>) outs(%f3 : tensor<5x13x37xf32>) -> tensor<5x13x37xf32>
  %zero4 = arith.constant 0.0 : f64
  %e4 = tensor.empty() : tensor<61x113xf64>
  %f4 = linalg.fill ins(%zero4 : f64) outs(%e4 : tensor<61x113xf64>) -> tensor<61x113xf64>
  %4 = linalg.generic {indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (n, k)>, affine_map<(m, n, k) -> (m, n)>], iterator_types = ["parallel", "parallel", "reduction"]} ins(%x, %y : tensor<61x97xf64>, tensor<113x97xf64>) outs(%f4 : tensor<61x113xf64>) {
  ^bb0(%l: f64, %r4: f64, %o: f64):
    %m = arith.mulf %l, %r4 : f64
    %t = arith.addf %o, %m : f64
    linalg.yield %t : f64
  } -> tensor<61x113xf64>
  return %2, %3, %4 : tensor<131x331xf32>, tensor<5x13x37xf32>, tensor<61x113xf64>
}
