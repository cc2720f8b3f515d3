// Ctrl-C ends a trial run early; what it has measured is in the report and in
// the store. An interrupt that comes before the first run keeps nothing: it comes
// later in the next try.
// RUN: rm -rf %t && mkdir -p %t && cd %t
// RUN: sh -c 'for seconds in 2 8 32 128; do rm -f s report.json; \
// RUN:   timeout --preserve-status --signal=INT $seconds pgopt-opt %s \
// RUN:     --profile="budget=600s store=s report=json report-output=report.json" -o out.mlir 2> err.txt; \
// RUN:   echo code $?; grep -qs "median_ns\": [1-9]" report.json && break; done' > codes.txt
// RUN: tail -n 1 codes.txt | FileCheck %s
// CHECK: code 1
// RUN: FileCheck %s --check-prefix=SAYS < err.txt
// SAYS: profile_interrupt.mlir:[[#@LINE+11]]:1: error: interrupted after {{[1-9][0-9]*}} measured runs, whose Timing is in the report and the store
// RUN: FileCheck %s --check-prefix=REPORT < report.json
// REPORT: "interrupted": true,
// REPORT: "layer": "add_0", {{.*}}"timing": {{[{]}}"median_ns": {{[1-9][0-9]*}}
// RUN: pgopt-runner --show-store=s | FileCheck %s --check-prefix=STORE
// STORE: {"signature": "add 10000019 {{.*}}"how": "in-place"

// What was kept is known from then on: nothing is run.
// RUN: env PGOPT_RUNNER=/nowhere pgopt-opt %s --profile="store=s report=none" --mlir-pass-statistics -o out.mlir 2>&1 | FileCheck %s --check-prefix=AGAIN
// AGAIN: 0 layers-measured

func.func @f(%a: tensor<10000019xf32>) -> tensor<10000019xf32> {
  %empty = tensor.empty() : tensor<10000019xf32>
  %b = linalg.add ins(%a, %a : tensor<10000019xf32>, tensor<10000019xf32>)
      outs(%empty : tensor<10000019xf32>) -> tensor<10000019xf32>
  return %b : tensor<10000019xf32>
}
