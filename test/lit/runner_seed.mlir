// Random inputs depend on the seed, on nothing else.
// RUN: pgopt-runner %s --print-results > %t.first
// RUN: pgopt-runner --naive %s --print-results --seed=0 | diff %t.first -
// RUN: pgopt-runner %s --print-results --seed=1 > %t.second
// RUN: not diff %t.first %t.second > %t.difference
// RUN: FileCheck %s < %t.first

// Twice a value of [-1, 1).
// CHECK: result 0: 7xbf16, -{{[0-9.]+}} to {{[0-9.]+}}, mean
func.func @twice(%a: tensor<7xbf16>) -> tensor<7xbf16> {
  %empty = tensor.empty() : tensor<7xbf16>
  %sum = linalg.add ins(%a, %a : tensor<7xbf16>, tensor<7xbf16>)
      outs(%empty : tensor<7xbf16>) -> tensor<7xbf16>
  return %sum : tensor<7xbf16>
}
