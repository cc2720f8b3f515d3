// RUN: not pgopt-opt %s --transpose-elim -o /dev/null 2>&1 \
// RUN:   | FileCheck %s --check-prefix=SEVERAL
// RUN: not pgopt-opt %s --transpose-elim=entry=g -o /dev/null 2>&1 \
// RUN:   | FileCheck %s --check-prefix=NAME
// RUN: pgopt-opt %s --transpose-elim=entry=f -o /dev/null
// RUN: not pgopt-opt %s --transpose-elim='entry=h fill-elided=error' \
// RUN:   -o /dev/null 2>&1 | FileCheck %s --check-prefix=ELIDED

// SEVERAL: error: several functions may be the network: 'f', 'h'
// NAME: error: entry 'g' is not a function with a body in this module
// ELIDED: error: {{.*}}elided
func.func @f(%a: tensor<3xf32>) -> tensor<3xf32> {
  return %a : tensor<3xf32>
}
func.func @h(%a: tensor<3xf32>) -> tensor<3xf32> {
  %c = arith.constant dense_resource<__elided__> : tensor<3xf32>
  return %c : tensor<3xf32>
}
