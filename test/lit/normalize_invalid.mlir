// RUN: pgopt-opt %s --split-input-file --pgopt-normalize=fill-elided=error --verify-diagnostics
// RUN: not pgopt-opt %s --pgopt-normalize=fill-elided=maybe 2>&1 | FileCheck %s

// CHECK: error: fill-elided is 'maybe'; it must be seed or error
func.func @elided() -> tensor<3x5xf32> {
  // expected-error @below {{elided}}
  %0 = arith.constant dense_resource<__elided__> : tensor<3x5xf32>
  return %0 : tensor<3x5xf32>
}

// -----

// expected-error @below {{no public function takes or returns tensors}}
module {
  func.func @scalars(%a: f32) -> f32 { return %a : f32 }
}

// -----

module {
  func.func @f(%a: tensor<3xf32>) -> tensor<3xf32> { return %a : tensor<3xf32> }
  // expected-error @below {{several functions may be the network: 'f', 'g'; name one with entry=}}
  func.func @g(%a: tensor<3xf32>) -> tensor<3xf32> { return %a : tensor<3xf32> }
}
