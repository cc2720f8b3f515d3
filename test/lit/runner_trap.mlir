// A kernel that traps ends the process; the kernel and its core are named.
// RUN: rm -rf %t && mkdir -p %t && cd %t
// RUN: pgopt-opt %s --schedule-rr=count=2 -o two.mlir
// RUN: not --crash pgopt-runner two.mlir 2> two.txt
// RUN: FileCheck %s --check-prefix=TWO < two.txt
// TWO: pgopt: kernel div_1 on core 1 trapped: SIGFPE

// RUN: pgopt-opt %s --schedule-rr=count=1 -o one.mlir
// RUN: not --crash pgopt-runner one.mlir 2> one.txt
// RUN: FileCheck %s --check-prefix=ONE < one.txt
// ONE: pgopt: kernel div_1 {{(on core 0 )?}}trapped: SIGFPE

func.func @forward(%a: tensor<7x11xf32>, %n: tensor<7x11xi32>, %m: tensor<7x11xi32>) -> (tensor<7x11xf32>, tensor<7x11xi32>) {
  %e0 = tensor.empty() : tensor<7x11xf32>
  %0 = linalg.exp ins(%a : tensor<7x11xf32>) outs(%e0 : tensor<7x11xf32>) -> tensor<7x11xf32>
  %e1 = tensor.empty() : tensor<7x11xi32>
  // Every row of an integer input is 0, 1 ... 10: the first divisor is 0.
  %1 = linalg.div ins(%m, %n : tensor<7x11xi32>, tensor<7x11xi32>) outs(%e1 : tensor<7x11xi32>) -> tensor<7x11xi32>
  return %0, %1 : tensor<7x11xf32>, tensor<7x11xi32>
}
