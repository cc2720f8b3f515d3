// What one process measures, others look up: profile writes the store, every
// pass reads it.

// RUN: rm -rf %t && mkdir -p %t && cd %t
// RUN: pgopt-opt %s --profile="mode=static report=none store=s" 2>&1 \
// RUN:   | FileCheck %s --check-prefix=ABSENT
// ABSENT: store.mlir:{{.*}}remark: there is no store 's' yet, nothing is looked up
// ABSENT-NOT: pg.timing

// RUN: pgopt-opt %s --profile="budget=20ms report=none store=s" -o measured.mlir
// RUN: FileCheck %s --check-prefix=MEASURED < measured.mlir
// MEASURED: pg.machine = {blas = "{{.*}}cores = {{.*}}cpu = {{.*}}date = {{.*}}isa = {{.*}}peak_gflops = {{.*}}rates = [{
// MEASURED-SAME: pg.profile = {"matmul 3x7 over 5 {{.*}}source = "in-place"}, "matmul 7x11 over 3 {{.*}}source = "in-place"}}
// MEASURED-COUNT-2: linalg.matmul {{.*}}source = "in-place"

// The store, in text form.
// RUN: pgopt-runner --show-store=s | FileCheck %s --check-prefix=STORE
// STORE: {"format": "pgopt-store", "version": {{[13]}}, "profiles": [
// STORE-NEXT: {"machine": {"cpu": "{{.+}}", "isa": "{{.*}}", "blas": "{{.+}}", "cores": {{[0-9]+}}, "cpus": {{[0-9]+}},
// STORE-NEXT: "caches": [
// STORE-NEXT: "rates": [{"working_set_bytes": {{[0-9]+}}, "read_mb_s": {{[0-9]+}}, "copy_mb_s": {{[0-9]+}}}
// STORE-NEXT: "peak_mflops": {{[1-9][0-9]+}}, "latency_min_ns": {{[0-9]+}}, "latency_max_ns": {{[0-9]+}}, {{("sharing": [{]"fetch_ps": [1-9].*}, )?}}"date": "20{{[0-9-]+T[0-9:]+Z}}"},
// STORE-NEXT: "timings": [
// STORE-NEXT: {"signature": "matmul 3x7 over 5 {{[0-9a-f]+}}", "median_ns": [[MEDIAN:[0-9]+]], "min_ns": {{[0-9]+}}, "mad_ns": {{[0-9]+}}, "runs": {{[1-9][0-9]*}}, "how": "in-place", "date": "20{{[0-9-]+T[0-9:]+Z}}", "version": "{{[0-9.]+}}"},
// STORE-NEXT: {"signature": "matmul 7x11 over 3 {{.*}}}]
// STORE-NOT: signature

// Looked up in another process, by option or variable.
// RUN: pgopt-opt %s --profile="mode=static report=none store=s" -o static.mlir 2>&1 | count 0
// RUN: FileCheck %s --check-prefix=STATIC < static.mlir
// RUN: env PGOPT_STORE=s pgopt-opt %s --profile="mode=static report=none" | diff static.mlir -
// STATIC: pg.machine = {blas = "{{.*}}peak_gflops =
// STATIC-SAME: pg.profile = {"matmul 3x7 over 5 {{.*}}source = "store"}, "matmul 7x11 over 3 {{.*}}source = "store"}}
// STATIC-COUNT-2: linalg.matmul {{.*}}source = "store"
// RUN: env PGOPT_STORE=s pgopt-opt %s --profile="mode=static report=none store=none" \
// RUN:   | FileCheck %s --check-prefix=NONE
// NONE-NOT: pg.machine
// NONE-NOT: pg.timing

// What is known is not measured again, and the same input and store give the
// same bytes.
// RUN: cp s before
// RUN: env PGOPT_RUNNER=/nonexistent pgopt-opt %s --profile="report=none store=s" | diff static.mlir -
// RUN: cmp s before

// What the module says comes before what the store says.
// RUN: pgopt-opt measured.mlir --profile="mode=static report=none store=s" | diff measured.mlir -

// RUN: pgopt-opt %s --form-kernels=store=s | FileCheck %s --check-prefix=CALLS
// CALLS: pg.machine = {blas =
// CALLS-COUNT-2: call @matmul{{.*}}source = "store"

// On tensors form-kernels runs first, with the same store; calls without Timing
// are looked up.
// RUN: pgopt-opt %s --schedule-rr="count=2 store=s" -o scheduled.mlir 2>&1 \
// RUN:   | FileCheck %s --check-prefix=REMARK --implicit-check-not='have no measured Timing'
// RUN: FileCheck %s --check-prefix=SCHEDULED < scheduled.mlir
// RUN: pgopt-opt %s --form-kernels -o calls.mlir
// RUN: pgopt-opt calls.mlir --schedule-rr="count=2 store=s" -o later.mlir 2>&1 \
// RUN:   | FileCheck %s --check-prefix=REMARK --implicit-check-not='have no measured Timing'
// RUN: FileCheck %s --check-prefix=SCHEDULED < later.mlir
// REMARK: remark: round-robin schedule of 2 kernels
// SCHEDULED: pg.profile = {"matmul 3x7 over 5
// SCHEDULED-COUNT-2: call @matmul{{.*}}source = "store"
// RUN: pgopt-opt calls.mlir --schedule-rr="count=2" 2>&1 -o /dev/null | FileCheck %s --check-prefix=UNKNOWN
// UNKNOWN: warning: 2 of the 2 kernels have no measured Timing

// RUN: pgopt-opt %s --profile-graph="format=json store=s" -o /dev/null 2>&1 | FileCheck %s --check-prefix=GRAPH
// RUN: pgopt-opt calls.mlir --profile-graph="format=json store=s output=graph.json" | diff calls.mlir -
// RUN: FileCheck %s --check-prefix=GRAPH < graph.json
// GRAPH-COUNT-2: "source": "store"

// Only what is unknown is measured and added.
// RUN: pgopt-opt %s --profile="budget=20ms report=none store=s fuse=none entry=more" -o /dev/null
// RUN: pgopt-runner --show-store=s > more.json
// RUN: FileCheck %s --check-prefix=MORE < more.json
// MORE: "timings": [
// MORE-DAG: "signature": "matmul 3x7 over 5
// MORE-DAG: "signature": "matmul 7x11 over 3
// MORE-DAG: "signature": "{{[a-z_]+}} 13x3
// RUN: pgopt-opt %s --profile="mode=static report=none store=more.json" | FileCheck %s --check-prefix=STATIC

// A store in text form stays in it.
// RUN: pgopt-runner --show-store=before > text.json
// RUN: pgopt-opt %s --profile="budget=20ms report=none store=text.json entry=more" -o /dev/null
// RUN: FileCheck %s --check-prefix=MORE < text.json

// A path with a blank.
// RUN: cp before "a b"
// RUN: pgopt-opt %s --schedule-rr='count=2 store={a b}' -o - 2>/dev/null | diff scheduled.mlir -

func.func @network(%a: tensor<3x5xf32>, %b: tensor<5x7xf32>, %c: tensor<7x3xf32>, %d: tensor<3x11xf32>) -> (tensor<3x7xf32>, tensor<7x11xf32>) {
  %zero = arith.constant 0.0 : f32
  %e0 = tensor.empty() : tensor<3x7xf32>
  %f0 = linalg.fill ins(%zero : f32) outs(%e0 : tensor<3x7xf32>) -> tensor<3x7xf32>
  %0 = linalg.matmul ins(%a, %b : tensor<3x5xf32>, tensor<5x7xf32>) outs(%f0 : tensor<3x7xf32>) -> tensor<3x7xf32>
  %e1 = tensor.empty() : tensor<7x11xf32>
  %f1 = linalg.fill ins(%zero : f32) outs(%e1 : tensor<7x11xf32>) -> tensor<7x11xf32>
  %1 = linalg.matmul ins(%c, %d : tensor<7x3xf32>, tensor<3x11xf32>) outs(%f1 : tensor<7x11xf32>) -> tensor<7x11xf32>
  return %0, %1 : tensor<3x7xf32>, tensor<7x11xf32>
}

func.func private @more(%a: tensor<13x3xf32>) -> tensor<13x3xf32> {
  %e = tensor.empty() : tensor<13x3xf32>
  %0 = linalg.exp ins(%a : tensor<13x3xf32>) outs(%e : tensor<13x3xf32>) -> tensor<13x3xf32>
  return %0 : tensor<13x3xf32>
}
