// Measures for real; only the shape of what it writes is checked.
// RUN: pgopt-opt --profile="budget=50ms seed=3 keep-program=%t.program.mlir report-output=%t.txt" %s -o %t.mlir
// RUN: FileCheck %s < %t.mlir
// RUN: FileCheck %s --check-prefix=TABLE < %t.txt
// RUN: FileCheck %s --check-prefix=PROGRAM < %t.program.mlir

// What is known is not measured again, and nothing changes.
// RUN: env PGOPT_RUNNER=/nowhere pgopt-opt --profile="report=none" --mlir-pass-statistics %t.mlir -o %t.again.mlir 2>&1 | FileCheck %s --check-prefix=AGAIN
// RUN: diff %t.mlir %t.again.mlir

// Timing comes back from pg.profile by signature: to a file that lost it, and to
// the generic form.
// RUN: sed -e 's/, pg.timing = {[^}]*}//g' %t.mlir > %t.lost.mlir
// RUN: not grep -q pg.timing %t.lost.mlir
// RUN: pgopt-opt --profile="mode=static report=none" %t.lost.mlir | diff %t.mlir -
// RUN: pgopt-opt --linalg-generalize-named-ops --profile="mode=static report=none" %t.lost.mlir | FileCheck %s --check-prefix=GENERIC

// A Timing of something else that the profile does not know is dropped.
// RUN: sed -e 's/tensor<7x/tensor<5x/g' -e 's/x7xf32/x5xf32/g' %t.mlir | pgopt-opt --profile="mode=static report=none" | FileCheck %s --check-prefix=OTHER

// The stage of kernel calls finds its Timing too, and measures when it cannot.
// RUN: pgopt-opt --form-kernels --profile="mode=static report=none" %t.lost.mlir | FileCheck %s --check-prefix=CALLS
// RUN: sed -e 's/, pg.profile = {.*source = "in-place"}}//' %t.lost.mlir > %t.unknown.mlir
// RUN: not grep -q pg.profile %t.unknown.mlir
// RUN: pgopt-opt --form-kernels --profile="budget=50ms report=none" %t.unknown.mlir | FileCheck %s --check-prefix=CALLS

// Parts have a Timing of their own once they are measured.
// RUN: pgopt-opt --form-kernels=split=2 --profile="mode=static report=none" %t.mlir | FileCheck %s --check-prefix=PARTS

// RUN: pgopt-opt --form-kernels=split=2 --profile="budget=50ms report=none" %t.mlir -o %t.parts.mlir
// RUN: FileCheck %s --check-prefix=MEASURED < %t.parts.mlir
// RUN: env PGOPT_RUNNER=/nowhere pgopt-opt --profile="report-output=%t.parts.txt" %t.parts.mlir | diff %t.parts.mlir -
// RUN: FileCheck %s --check-prefix=ROWS < %t.parts.txt

// CHECK: module attributes {
// CHECK-SAME: pg.machine = {blas = {{.*}}, cores = {{[0-9]+}} : i64, cpu = {{.*}}, date = {{.*}}, latency_max_ns = {{[0-9]+}} : i64, latency_min_ns = {{[0-9]+}} : i64, mlir = {{.*}}, peak_gflops = {{[0-9.e+]+}} : f64
// CHECK-SAME: pg.profile = {"matmul {{.*}}" = {mad_ns = {{[0-9]+}} : i64, median_ns = {{[0-9]+}} : i64, min_ns = {{[0-9]+}} : i64, runs = {{[0-9]+}} : i64, source = "in-place"}, "transpose {{.*}}" = {{.*}}}
// CHECK: linalg.matmul
// CHECK-SAME: pg.kernel = "matmul_0", pg.lflops = 2002 : i64, pg.timing = {{{.*}} source = "in-place"}
// CHECK: linalg.negf
// CHECK-SAME: pg.kernel = "matmul_0", pg.lflops = 91 : i64}
// CHECK: linalg.transpose
// CHECK-SAME: pg.timing

// TABLE: profile of @forward on
// TABLE: matmul_0
// TABLE: sum of layers: {{.*}}% of the network's
// TABLE: one timer costs {{.*}} ns, 2 of them {{.*}}% of a run
// TABLE: measured runs: {{[1-9]}}

// Callers and their prints are not part of what is measured.
// PROGRAM-NOT: @outside
// PROGRAM: func.func @forward
// PROGRAM: call @matmul_0
// PROGRAM: call @transpose_1

// AGAIN-DAG: 0 layers-measured
// AGAIN-DAG: 2 layers-looked-up

// GENERIC: linalg.generic {{.*}}attrs = {pg.bytes = 1244 : i64, pg.kernel = "matmul_0", pg.lflops = 2002 : i64, pg.timing

// OTHER: linalg.matmul
// OTHER-NOT: pg.timing

// CALLS: call @matmul_0
// CALLS-SAME: pg.lflops = 2093 : i64
// CALLS-SAME: source = "in-place"
// CALLS: call @transpose_1
// CALLS-SAME: source = "in-place"

// PARTS: call @matmul_0
// PARTS-SAME: source = "derived"

// MEASURED-NOT: source = "derived"
// MEASURED: call @matmul_0
// MEASURED-SAME: pg.part = 0
// MEASURED-SAME: source = "in-place"
// MEASURED: call @matmul_0
// MEASURED-SAME: pg.part = 1
// MEASURED-SAME: source = "in-place"

// Of 7 rows the parts have 4 and 3; 2093 * 4 / 7 = 1196, and 897 more.
// ROWS: matmul_0 1/2 {{ *}}@matmul_0 {{ *}}1196
// ROWS-NEXT: matmul_0 2/2 {{ *}}@matmul_0 {{ *}}897
func.func private @outside(tensor<13x7xf32>)
func.func private @caller(%a: tensor<7x11xf32>, %b: tensor<11x13xf32>) {
  %0 = call @forward(%a, %b) : (tensor<7x11xf32>, tensor<11x13xf32>) -> tensor<13x7xf32>
  call @outside(%0) : (tensor<13x7xf32>) -> ()
  return
}
func.func @forward(%a: tensor<7x11xf32>, %b: tensor<11x13xf32>) -> tensor<13x7xf32> {
  %zero = arith.constant 0.0 : f32
  %e0 = tensor.empty() : tensor<7x13xf32>
  %fill = linalg.fill ins(%zero : f32) outs(%e0 : tensor<7x13xf32>) -> tensor<7x13xf32>
  %0 = linalg.matmul ins(%a, %b : tensor<7x11xf32>, tensor<11x13xf32>) outs(%fill : tensor<7x13xf32>) -> tensor<7x13xf32>
  %e1 = tensor.empty() : tensor<7x13xf32>
  %1 = linalg.negf ins(%0 : tensor<7x13xf32>) outs(%e1 : tensor<7x13xf32>) -> tensor<7x13xf32>
  %e2 = tensor.empty() : tensor<13x7xf32>
  %2 = linalg.transpose ins(%1 : tensor<7x13xf32>) outs(%e2 : tensor<13x7xf32>) permutation = [1, 0]
  return %2 : tensor<13x7xf32>
}
