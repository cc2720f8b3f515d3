// Another machine's Timing: only on request, and with one warning.

// RUN: rm -rf %t && mkdir -p %t && cd %t
// RUN: pgopt-opt %s --profile="budget=20ms report=none store=own" -o /dev/null
// RUN: pgopt-runner --show-store=own > own.json
// RUN: sed -e 's/"cpu": "[^"]*"/"cpu": "Another CPU"/' -e 's/"median_ns": [0-9]*/"median_ns": 987654321/' own.json > other.json

// RUN: pgopt-opt %s --profile="mode=static report=none store=other.json" 2>&1 \
// RUN:   | FileCheck %s --check-prefix=KEPT-APART
// RUN: pgopt-opt %s --form-kernels="store=other.json" 2>&1 \
// RUN:   | FileCheck %s --check-prefix=KEPT-APART
// KEPT-APART: store_machines.mlir:{{.*}}remark: the store 'other.json' does not know this machine, '{{.+}} core{{s?}}; {{.+}}', but 'Another CPU; {{.+}}'; any-machine=true takes its Timing
// KEPT-APART-NOT: pg.machine
// KEPT-APART-NOT: pg.timing

// RUN: pgopt-opt %s --profile="mode=static report=none store=other.json any-machine=true" 2>&1 \
// RUN:   | FileCheck %s --check-prefix=ANY --implicit-check-not=warning: --implicit-check-not=remark:
// RUN: pgopt-opt %s --form-kernels="store=other.json any-machine=true" 2>&1 \
// RUN:   | FileCheck %s --check-prefix=ANY --implicit-check-not=warning: --implicit-check-not=remark:
// RUN: pgopt-opt %s --schedule-rr="count=1 store=other.json any-machine=true" 2>&1 \
// RUN:   | FileCheck %s --check-prefix=ANY --implicit-check-not=warning:
// ANY: store_machines.mlir:{{.*}}warning: 1 of 1 Timings from the store are of another machine, 'Another CPU; {{.+}}', not of this one, '{{.+}}'
// ANY: pg.machine = {{{.*}}cpu = "Another CPU"
// ANY: median_ns = 987654321 {{.*}}source = "store"
// RUN: pgopt-opt %s --profile-graph="format=json store=other.json any-machine=true" 2>&1 -o /dev/null \
// RUN:   | FileCheck %s --check-prefix=GRAPH --implicit-check-not=warning:
// GRAPH: warning: 1 of 1 Timings from the store are of another machine
// GRAPH: "median_ns": 987654321

// This machine's Timing comes first, with any-machine too.
// RUN: pgopt-opt %s --form-kernels -o calls.mlir
// RUN: cp other.json both.json
// RUN: pgopt-opt %s --profile="budget=20ms report=none store=both.json" -o /dev/null 2>&1 | count 0
// RUN: pgopt-runner --show-store=both.json | FileCheck %s --check-prefix=BOTH
// BOTH-DAG: {"machine": {"cpu": "Another CPU",
// BOTH-DAG: "median_ns": 987654321,
// BOTH-DAG: "how": "in-place"
// RUN: pgopt-opt calls.mlir --schedule-rr="count=1 store=both.json any-machine=true" -o - 2>&1 \
// RUN:   | FileCheck %s --check-prefix=FIRST --implicit-check-not=987654321 --implicit-check-not=warning:
// FIRST: remark: round-robin schedule
// FIRST: call @matmul{{.*}}source = "store"

// Several other machines: the warning says so; the Timing is the best one's.
// RUN: sed -e 's/"cpu": "[^"]*"/"cpu": "Third CPU"/' -e 's/"median_ns": [0-9]*/"median_ns": 987654320/' -e 's/"runs": [0-9]*/"runs": 1000000/' own.json > third.json
// RUN: sh -c '(sed "\$ s/\]}\$/,/" other.json; sed 1d third.json) > several.json'
// RUN: pgopt-opt %s --profile="mode=static report=none store=several.json any-machine=true" 2>&1 \
// RUN:   | FileCheck %s --check-prefix=SEVERAL
// SEVERAL: warning: 1 of 1 Timings from the store are of another machine, 'Third CPU;
// SEVERAL: median_ns = 987654320

// A store with nothing for this network leaves it alone.
// RUN: pgopt-opt %s --form-kernels="store=%S/Inputs/other_machine.json any-machine=true" | diff calls.mlir -

// Text form in, text form out: the same bytes.
// RUN: pgopt-runner --show-store=%S/Inputs/other_machine.json | diff %S/Inputs/other_machine.json -

func.func @network(%a: tensor<3x5xf32>, %b: tensor<5x7xf32>) -> tensor<3x7xf32> {
  %zero = arith.constant 0.0 : f32
  %e0 = tensor.empty() : tensor<3x7xf32>
  %f0 = linalg.fill ins(%zero : f32) outs(%e0 : tensor<3x7xf32>) -> tensor<3x7xf32>
  %0 = linalg.matmul ins(%a, %b : tensor<3x5xf32>, tensor<5x7xf32>) outs(%f0 : tensor<3x7xf32>) -> tensor<3x7xf32>
  return %0 : tensor<3x7xf32>
}
