// The trial run of a network that calls functions from elsewhere loads the
// libraries they are in.
// RUN: sh -c 'pgopt-opt %s --profile="budget=20ms report=none shared-libs=$(dirname %pgopt_plugin)/librecord_timing.so"' | FileCheck %s
// CHECK: linalg.exp {{.*}}pg.timing = {{.*}}source = "in-place"
// RUN: not pgopt-opt %s --profile="budget=20ms" 2>&1 | FileCheck %s --check-prefix=NONE
// NONE: profile_libraries.mlir:[[#@LINE+4]]:1: error: the trial run failed {{.*}}record_timing
// RUN: not pgopt-opt %s --profile="budget=20ms shared-libs=%t.absent.so" 2>&1 | FileCheck %s --check-prefix=ABSENT
// ABSENT: profile_libraries.mlir:[[#@LINE+2]]:1: error: the trial run failed {{.*}}absent.so
func.func private @record_timing(!llvm.ptr, f64)
func.func @f(%a: tensor<3x5xf32>) -> tensor<3x5xf32> {
  %name = llvm.mlir.zero : !llvm.ptr
  %time = arith.constant 1.0 : f64
  %e = tensor.empty() : tensor<3x5xf32>
  %0 = linalg.exp ins(%a : tensor<3x5xf32>) outs(%e : tensor<3x5xf32>) -> tensor<3x5xf32>
  call @record_timing(%name, %time) : (!llvm.ptr, f64) -> ()
  return %0 : tensor<3x5xf32>
}
