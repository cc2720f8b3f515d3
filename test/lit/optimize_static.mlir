// mode=static runs nothing, but Timing that is on file counts, down to the
// schedule: without it Lflops are all there is.

// RUN: rm -f %t.store
// RUN: pgopt-opt %s --pgopt-optimize="budget=20ms count=2 report=none store=%t.store" -o %t.measured.mlir 2>%t.err
// RUN: FileCheck %s --check-prefix=KNOWN < %t.err
// RUN: pgopt-opt %s --pgopt-optimize="mode=static count=2 report=none store=%t.store" -o %t.static.mlir 2>%t.err
// RUN: FileCheck %s --check-prefix=KNOWN < %t.err
// RUN: pgopt-opt %s --pgopt-optimize="mode=static count=2 report=none store=none" -o /dev/null 2>&1 | FileCheck %s --check-prefix=COUNTED

// KNOWN-NOT: have no measured Timing
// COUNTED: warning: 1 of the 1 kernels have no measured Timing (0 derived from others, 1 from Lflops alone
// RUN: FileCheck %s < %t.measured.mlir
// RUN: FileCheck %s < %t.static.mlir
// CHECK: call @exp_0({{.*}}pg.timing = {

func.func @f(%x: tensor<64x17xf32>) -> tensor<64x17xf32> {
  %empty = tensor.empty() : tensor<64x17xf32>
  %y = linalg.exp ins(%x : tensor<64x17xf32>) outs(%empty : tensor<64x17xf32>) -> tensor<64x17xf32>
  return %y : tensor<64x17xf32>
}
