// libpgopt.so in a stock mlir-opt: passes with options, their errors and their
// statistics, and the dialect with its verifier.

// RUN: mlir-opt %s --load-pass-plugin=%pgopt_plugin \
// RUN:   --pass-pipeline='builtin.module(pgopt-lower{kernels=naive entry=layer})' \
// RUN:   | FileCheck %s
// RUN: pgopt-opt %s --pgopt-lower="kernels=naive entry=layer" | FileCheck %s

// RUN: not mlir-opt %s --load-pass-plugin=%pgopt_plugin \
// RUN:   --pass-pipeline='builtin.module(pgopt-lower{no-such-option=1})' 2>&1 \
// RUN:   | FileCheck %s --check-prefix=OPTION
// RUN: not mlir-opt %s --load-pass-plugin=%pgopt_plugin \
// RUN:   --pass-pipeline='builtin.module(pgopt-lower{seed=many})' 2>&1 \
// RUN:   | FileCheck %s --check-prefix=VALUE
// RUN: not mlir-opt %s --load-pass-plugin=%pgopt_plugin \
// RUN:   --pass-pipeline='builtin.module(pgopt-lower{kernels=odd})' 2>&1 \
// RUN:   | FileCheck %s --check-prefix=ERROR

// RUN: mlir-opt %s --load-pass-plugin=%pgopt_plugin --mlir-pass-statistics \
// RUN:   --pass-pipeline='builtin.module(pgopt-lower{kernels=naive})' \
// RUN:   -o /dev/null 2>&1 | FileCheck %s --check-prefix=STATISTICS
// RUN: mlir-opt %s --load-pass-plugin=%pgopt_plugin \
// RUN:   --pass-pipeline='builtin.module(pgopt-lower{kernels=naive})' \
// RUN:   -o /dev/null 2>&1 | FileCheck %s --check-prefix=QUIET --allow-empty

// RUN: mlir-opt %s --load-dialect-plugin=%pgopt_plugin \
// RUN:   | FileCheck %s --check-prefix=DIALECT
// RUN: sed 's/7 : i64/7 : i32/' %s \
// RUN:   | not mlir-opt --load-dialect-plugin=%pgopt_plugin 2>&1 \
// RUN:   | FileCheck %s --check-prefix=WRONG

// CHECK: llvm.func @layer
// OPTION: no such option no-such-option
// VALUE: 'many' value invalid for {{.*}} argument
// ERROR: error: {{.*}}odd
// STATISTICS: pgopt pass statistics report
// STATISTICS-NEXT: pgopt-lower
// STATISTICS-DAG: (S) 0 parameters - parameters bound to the parameter file
// STATISTICS-DAG: (S) 1 elided - elided constants that got made-up values
// QUIET-NOT: statistics
// DIALECT: linalg.matmul {pg.part = 7 : i64}
// WRONG: error: 'pg.part' needs an i64, found 7 : i32

func.func @layer(%x: tensor<3x7xf32>) -> tensor<3x5xf32> {
  %w = arith.constant dense_resource<__elided__> : tensor<7x5xf32>
  %zero = arith.constant 0.0 : f32
  %empty = tensor.empty() : tensor<3x5xf32>
  %init = linalg.fill ins(%zero : f32) outs(%empty : tensor<3x5xf32>) -> tensor<3x5xf32>
  %y = linalg.matmul {pg.part = 7 : i64} ins(%x, %w : tensor<3x7xf32>, tensor<7x5xf32>)
    outs(%init : tensor<3x5xf32>) -> tensor<3x5xf32>
  return %y : tensor<3x5xf32>
}
