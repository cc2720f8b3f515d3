// RUN: pgopt-opt %s --mark-parameters=args=3-9 --verify-diagnostics
// RUN: not pgopt-opt %s --mark-parameters=args=x 2>&1 | FileCheck %s --check-prefix=WORD
// RUN: not pgopt-opt %s --mark-parameters=entry=nobody 2>&1 | FileCheck %s --check-prefix=ENTRY

// WORD: error: args is 'x'; it must list arguments from 0 to 1, as in 0+2-4 or 1-
// ENTRY: error: entry 'nobody' is not a function with a body in this module
// expected-error @below {{args is '3-9'; it must list arguments from 0 to 1, as in 0+2-4 or 1-}}
func.func @f(%x: tensor<3xf32>, %y: tensor<5xf32>) -> tensor<3xf32> {
  return %x : tensor<3xf32>
}
