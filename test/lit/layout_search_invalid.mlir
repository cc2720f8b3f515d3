// RUN: not pgopt-opt %s --layout-search -o /dev/null 2>&1 \
// RUN:   | FileCheck %s --check-prefix=SEVERAL
// RUN: not pgopt-opt %s --layout-search='entry=f strategy=best' -o /dev/null \
// RUN:   2>&1 | FileCheck %s --check-prefix=STRATEGY
// RUN: not pgopt-opt %s --layout-search='entry=f layout=chwn' -o /dev/null \
// RUN:   2>&1 | FileCheck %s --check-prefix=LAYOUT
// RUN: not pgopt-opt %s --layout-search='entry=f work=0' -o /dev/null \
// RUN:   2>&1 | FileCheck %s --check-prefix=WORK
// RUN: not pgopt-opt %s --layout-search='entry=h fill-elided=error' \
// RUN:   -o /dev/null 2>&1 | FileCheck %s --check-prefix=ELIDED
// RUN: pgopt-opt %s --layout-search='entry=h seed=3 pack-parameters=false' \
// RUN:   -o /dev/null

// SEVERAL: error: several functions may be the network: 'f', 'h'
// STRATEGY: error: strategy is 'best'; it must be greedy, beam, exact, fixed or none
// LAYOUT: error: layout is 'chwn'; it must be nhwc, nchw or nchw16c, with a block of 2 to 64 channels
// WORK: error: work must be 1 or more
// ELIDED: error: {{.*}}elided
func.func @f(%a: tensor<3xf32>) -> tensor<3xf32> {
  return %a : tensor<3xf32>
}
func.func @h(%a: tensor<3xf32>) -> tensor<3xf32> {
  %c = arith.constant dense_resource<__elided__> : tensor<3xf32>
  return %c : tensor<3xf32>
}
