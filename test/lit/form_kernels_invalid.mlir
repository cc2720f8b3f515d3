// RUN: pgopt-opt %s --split-input-file --form-kernels --verify-diagnostics
// RUN: not pgopt-opt %s --form-kernels=fuse=some 2>&1 | FileCheck %s --check-prefix=FUSE
// RUN: not pgopt-opt %s --form-kernels=split=0 2>&1 | FileCheck %s --check-prefix=SPLIT
// RUN: not pgopt-opt %s --form-kernels=split=4097 2>&1 | FileCheck %s --check-prefix=MANY
// RUN: not pgopt-opt %s --form-kernels=split=two 2>&1 | FileCheck %s --check-prefix=WORD

// FUSE: error: fuse is 'some'; it must be auto or none
// SPLIT: error: split is '0'; it must be auto or a number from 1 to 4096
// MANY: error: split is '4097'; it must be auto or a number from 1 to 4096
// WORD: error: split is 'two'; it must be auto or a number from 1 to 4096
// expected-error @below {{dimension 0 of argument 0 (tensor<?x5xf32>) is dynamic; bind it with --profile=shapes=arg0:...}}
func.func @dynamic(%a: tensor<?x5xf32>) -> tensor<?x5xf32> {
  %0 = linalg.exp ins(%a : tensor<?x5xf32>) outs(%a : tensor<?x5xf32>) -> tensor<?x5xf32>
  return %0 : tensor<?x5xf32>
}

// -----

func.func @dynamic_inside(%a: tensor<3x5xf32>, %n: index) -> tensor<?x5xf32> {
  // expected-error @below {{'tensor.extract_slice' has the type tensor<?x5xf32>; kernels need static shapes}}
  %0 = tensor.extract_slice %a[0, 0] [%n, 5] [1, 1] : tensor<3x5xf32> to tensor<?x5xf32>
  return %0 : tensor<?x5xf32>
}

// -----

func.func private @elsewhere(tensor<3xf32>) -> tensor<3xf32>
func.func @external_call(%a: tensor<3xf32>) -> tensor<3xf32> {
  // expected-error @below {{a call of a function on tensors that cannot be inlined has no kernel}}
  %0 = call @elsewhere(%a) : (tensor<3xf32>) -> tensor<3xf32>
  return %0 : tensor<3xf32>
}

// -----

// expected-error @below {{the network's function has more than one block}}
func.func @blocks(%a: tensor<3xf32>, %c: i1) -> tensor<3xf32> {
  cf.cond_br %c, ^bb1, ^bb2
^bb1:
  return %a : tensor<3xf32>
^bb2:
  return %a : tensor<3xf32>
}
