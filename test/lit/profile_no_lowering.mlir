// An operation without lowering: counts of the others and the reason without a
// run, an error that names it with one.
// RUN: pgopt-opt %s --profile="mode=static report-output=%t.txt" 2> %t.err | FileCheck %s
// RUN: FileCheck %s --check-prefix=WARNING < %t.err
// RUN: FileCheck %s --check-prefix=TABLE < %t.txt
// RUN: not pgopt-opt %s --profile="budget=20ms report=none" 2>&1 | FileCheck %s --check-prefix=ERROR

// WARNING: profile_no_lowering.mlir:[[#@LINE+7]]:1: warning: only operations are counted, kernels cannot be formed: failed to legalize operation 'tosa.custom'
// TABLE: operations: 39, in contractions 0
// TABLE-NEXT: not in these totals: 1 op whose count is not known
// ERROR: profile_no_lowering.mlir:[[#@LINE+8]]:8: error: failed to legalize operation 'tosa.custom'

// 3 x 13 additions.
// CHECK: func.func @forward
func.func @forward(%a: tensor<3x13xf32>) -> tensor<3x13xf32> {
  // CHECK: tosa.add {{.*}}pg.lflops = 39 : i64
  %0 = tosa.add %a, %a : (tensor<3x13xf32>, tensor<3x13xf32>) -> tensor<3x13xf32>
  // CHECK: tosa.custom {{.*}}pg.lflops_unknown = "
  %1 = tosa.custom %0 {operator_name = "x", domain_name = "y", implementation_attrs = ""} : (tensor<3x13xf32>) -> tensor<3x13xf32>
  return %1 : tensor<3x13xf32>
}
