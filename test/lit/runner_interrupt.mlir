// Ctrl-C ends a benchmark early, with what was measured, and exit code 130. One
// that comes before the first run, on a slow machine, ends the program with 130 and
// no numbers: it comes later in the next try.
// RUN: sh -c 'for seconds in 1 4 16 64; do \
// RUN:   timeout --preserve-status --signal=INT $seconds pgopt-runner %s --bench=600 2> %t.err; \
// RUN:   echo code $?; grep -q "interrupted after [1-9]" %t.err && break; done' > %t.out
// RUN: FileCheck %s < %t.out
// CHECK: median {{.*}} us, {{[1-9][0-9]*}} runs
// CHECK-NEXT: code 130
// RUN: FileCheck %s --check-prefix=SAYS < %t.err
// SAYS: interrupted after {{[1-9][0-9]*}} runs

func.func @f(%a: tensor<100003xf32>) -> tensor<100003xf32> {
  %empty = tensor.empty() : tensor<100003xf32>
  %b = linalg.add ins(%a, %a : tensor<100003xf32>, tensor<100003xf32>)
      outs(%empty : tensor<100003xf32>) -> tensor<100003xf32>
  return %b : tensor<100003xf32>
}
