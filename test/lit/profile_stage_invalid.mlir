// RUN: pgopt-opt --profile="report=none budget=50ms" --split-input-file --verify-diagnostics %s

// expected-error @+1 {{the network is on memrefs: its kernels cannot be formed and measured; mode=static counts its operations}}
func.func @buffers(%a: memref<3x5xf32>, %b: memref<3x5xf32>) {
  linalg.negf ins(%a : memref<3x5xf32>) outs(%b : memref<3x5xf32>)
  return
}

// -----

// expected-error @+1 {{dimension 0 of argument 0 (tensor<?x5xf32>) is dynamic; bind it with --profile=shapes=arg0:...}}
func.func @dynamic(%a: tensor<?x5xf32>, %e: tensor<?x5xf32>) -> tensor<?x5xf32> {
  %0 = linalg.negf ins(%a : tensor<?x5xf32>) outs(%e : tensor<?x5xf32>) -> tensor<?x5xf32>
  return %0 : tensor<?x5xf32>
}

// -----

func.func @custom(%a: tensor<3x5xf32>) -> tensor<3x5xf32> {
  // expected-error @+1 {{failed to legalize operation 'tosa.custom'}}
  %0 = tosa.custom %a {operator_name = "x", domain_name = "y", implementation_attrs = ""} : (tensor<3x5xf32>) -> tensor<3x5xf32>
  return %0 : tensor<3x5xf32>
}
