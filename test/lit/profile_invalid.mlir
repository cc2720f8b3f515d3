// RUN: not pgopt-opt --profile=mode=fast %s 2>&1 | FileCheck %s --check-prefix=MODE
// MODE: error: mode is 'fast'; it must be measure or static
// RUN: not pgopt-opt --profile=fuse=all %s 2>&1 | FileCheck %s --check-prefix=FUSE
// FUSE: error: fuse is 'all'; it must be auto or none
// RUN: not pgopt-opt --profile=report=xml %s 2>&1 | FileCheck %s --check-prefix=REPORT
// REPORT: error: report is 'xml'; it must be table, json or none
// RUN: not pgopt-opt --profile=budget=10 %s 2>&1 | FileCheck %s --check-prefix=BUDGET
// BUDGET: error: budget: '10' is not a time; it must be a number with ms, s or m, from 1ms to a day, as in 10s or 500ms
// RUN: not pgopt-opt --profile=budget=0s %s 2>&1 | FileCheck %s --check-prefix=ZERO
// ZERO: error: budget: '0s' is not a time
// RUN: not pgopt-opt --profile=entry=other %s 2>&1 | FileCheck %s --check-prefix=ENTRY
// ENTRY: error: {{.*}}other

// RUN: not pgopt-opt --profile="mode=static report-output=%t.dir/none/report" %s 2>&1 | FileCheck %s --check-prefix=OUTPUT
// OUTPUT: error: report-output: {{.*}}none/report
// RUN: not pgopt-opt --profile="budget=50ms keep-program=%t.dir/none/program" %s 2>&1 | FileCheck %s --check-prefix=KEEP
// KEEP: error: {{.*}}none/program

// RUN: not pgopt-opt --profile="budget=50ms inputs=0:%t.missing.npy" %s 2>&1 | FileCheck %s --check-prefix=NPY
// NPY: :[[#@LINE+11]]:{{[0-9]+}}: error: the trial run failed with exit code {{[0-9]+}}: {{.*}}missing.npy

// The runner is looked for beside the library: a copy of the plugin has none.
// RUN: rm -rf %t.alone && mkdir %t.alone && cp %pgopt_plugin %t.alone/libpgopt.so
// RUN: not mlir-opt --load-pass-plugin=%t.alone/libpgopt.so --pass-pipeline='builtin.module(profile)' %s 2>&1 | FileCheck %s --check-prefix=RUNNER
// RUNNER: error: pgopt-runner is neither beside libpgopt.so nor named by PGOPT_RUNNER; it is needed to measure
// RUN: env PGOPT_RUNNER=%t.alone/none not mlir-opt --load-pass-plugin=%t.alone/libpgopt.so --pass-pipeline='builtin.module(profile)' %s 2>&1 | FileCheck %s --check-prefix=NAMED
// NAMED: error: PGOPT_RUNNER names '{{.*}}/none', which cannot be executed: No such file or directory
// RUN: env PGOPT_RUNNER=/bin/false not mlir-opt --load-pass-plugin=%t.alone/libpgopt.so --pass-pipeline='builtin.module(profile)' %s 2>&1 | FileCheck %s --check-prefix=FALSE
// FALSE: error: the trial run failed with exit code 1

func.func @forward(%a: tensor<3x5xf32>) -> tensor<3x5xf32> {
  %e = tensor.empty() : tensor<3x5xf32>
  %0 = linalg.negf ins(%a : tensor<3x5xf32>) outs(%e : tensor<3x5xf32>) -> tensor<3x5xf32>
  return %0 : tensor<3x5xf32>
}
