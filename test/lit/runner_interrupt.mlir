// Ctrl-C ends a benchmark early, with what was measured, and exit code 130.
// RUN: sh -c 'timeout --signal=INT 2 pgopt-runner %s --bench=600; echo code $?' \
// RUN:   > %t.out 2> %t.err
// RUN: FileCheck %s < %t.out
// CHECK: median {{.*}} us, {{[1-9][0-9]*}} runs
// CHECK: code {{124|130}}
// RUN: FileCheck %s --check-prefix=SAYS < %t.err
// SAYS: interrupted after {{[1-9][0-9]*}} runs

func.func @f(%a: tensor<100003xf32>) -> tensor<100003xf32> {
  %empty = tensor.empty() : tensor<100003xf32>
  %b = linalg.add ins(%a, %a : tensor<100003xf32>, tensor<100003xf32>)
      outs(%empty : tensor<100003xf32>) -> tensor<100003xf32>
  return %b : tensor<100003xf32>
}
