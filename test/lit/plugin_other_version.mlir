// In a `mlir-opt` of another version the plugin says why it does not load.

// REQUIRES: other-mlir
// RUN: %other_mlir_opt %s --load-pass-plugin=%pgopt_plugin -o %t 2>&1 \
// RUN:   | FileCheck %s
// RUN: %other_mlir_opt %s --load-dialect-plugin=%pgopt_plugin -o %t 2>&1 \
// RUN:   | FileCheck %s
// RUN: FileCheck %s --check-prefix=OUTPUT --input-file=%t

// CHECK: pgopt: this plugin needs a program that runs on libMLIR.so.22.1, but the one that loads it runs on {{.*}}lib
// CHECK-NEXT: Failed to load

// OUTPUT: func.func @goes_on
func.func @goes_on() { return }
