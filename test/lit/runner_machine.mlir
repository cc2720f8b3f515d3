// --measure-machine prints a machine as a store does, and keeps it in a store.

// RUN: rm -rf %t && mkdir -p %t && cd %t
// RUN: pgopt-runner --measure-machine=30ms > machine.json
// RUN: FileCheck %s < machine.json
// CHECK: {"cpu": "{{.+}}", "isa": "{{.*}}", "blas": "{{.+}}", "cores": {{[1-9][0-9]*}}, "cpus": {{[1-9][0-9]*}},
// CHECK-NEXT: "caches": [
// CHECK-NEXT: "rates": [{"working_set_bytes": {{[1-9][0-9]*}}, "read_mb_s": {{[1-9][0-9]*}}, "copy_mb_s": {{[1-9][0-9]*}}}
// CHECK-NEXT: "peak_mflops": {{[1-9][0-9]*}}, "latency_min_ns": {{[0-9]+}}, "latency_max_ns": {{[0-9]+}}, {{("sharing": [{]"fetch_ps": [1-9][0-9]*, "reclaim_ps": [1-9][0-9]*, "wake_ns": [1-9][0-9]*, "call_ns": [1-9][0-9]*, "peak_mflops": [1-9][0-9]*, "read_mb_s": [1-9][0-9]*}, )?}}"date": "{{20[0-9-]+T[0-9:]+Z}}"}
// CHECK-NOT: {{.}}

// The store's range of latencies only becomes wider. A store that says 1 and
// 99,999,999 ns keeps them.
// RUN: pgopt-runner --measure-machine=20ms --store=s | FileCheck %s
// RUN: pgopt-runner --show-store=s > s.json
// RUN: sed -e 's/"latency_min_ns": [0-9]*/"latency_min_ns": 1/' -e 's/"latency_max_ns": [0-9]*/"latency_max_ns": 99999999/' s.json > wide.json
// RUN: env PGOPT_STORE=wide.json pgopt-runner --measure-machine=20ms | FileCheck %s --check-prefix=WIDE
// RUN: pgopt-runner --show-store=wide.json | FileCheck %s --check-prefix=WIDE
// WIDE: "latency_min_ns": 1, "latency_max_ns": 99999999,

// A trial run widens it too: what it found lies within.
// RUN: pgopt-opt %s --profile="budget=20ms report=none store=wide.json" | FileCheck %s --check-prefix=TRIAL
// TRIAL: latency_max_ns = 99999999 : i64, latency_min_ns = 1 : i64
// RUN: pgopt-runner --show-store=wide.json | FileCheck %s --check-prefix=WIDE

// So does a benchmark: a store that says 50,000,000 to 50,000,000 ns, which is
// wrong, has a smaller least one then. With one CPU there is nothing to measure.
// RUN: sed -e 's/"latency_min_ns": [0-9]*/"latency_min_ns": 50000000/' -e 's/"latency_max_ns": [0-9]*/"latency_max_ns": 50000000/' s.json > narrow.json
// RUN: pgopt-runner %s --bench=0.05 --store=narrow.json
// RUN: sh -c 'case $(nproc) in 1) sed s/50000000/7/ narrow.json;; *) cat narrow.json;; esac' > seen.json
// RUN: not grep '"latency_min_ns": 50000000' seen.json
// RUN: grep '"latency_max_ns": 50000000' seen.json

// RUN: not pgopt-runner --measure-machine=0s 2>&1 | FileCheck %s --check-prefix=NOTHING
// NOTHING: pgopt-runner: --measure-machine: '0s' is not a time; it must be a number with ms, s or m
// RUN: not pgopt-runner --measure-machine=20ms --show-store=s 2>&1 | FileCheck %s --check-prefix=BOTH
// BOTH: options ask for two different things
// RUN: not sh -c 'pgopt-runner --show-store=s > /dev/full' 2>&1 | FileCheck %s --check-prefix=FULL
// FULL: pgopt-runner: cannot write to the standard output

func.func @network(%a: tensor<3x5xf32>, %b: tensor<5x7xf32>) -> tensor<3x7xf32> {
  %zero = arith.constant 0.0 : f32
  %e0 = tensor.empty() : tensor<3x7xf32>
  %f0 = linalg.fill ins(%zero : f32) outs(%e0 : tensor<3x7xf32>) -> tensor<3x7xf32>
  %0 = linalg.matmul ins(%a, %b : tensor<3x5xf32>, tensor<5x7xf32>) outs(%f0 : tensor<3x7xf32>) -> tensor<3x7xf32>
  return %0 : tensor<3x7xf32>
}
