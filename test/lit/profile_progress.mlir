// On a terminal the trial run's progress is shown, and cleared; elsewhere not.
// RUN: rm -rf %t && mkdir -p %t && cd %t
// RUN: script -qec "pgopt-opt %s --profile='budget=700ms report=none' -o out.mlir" /dev/null > terminal.txt
// RUN: FileCheck %s --match-full-lines < terminal.txt
// CHECK: {{.*}}trial run: {{[0-9]+}} runs{{.*}}
// CHECK-NOT: {{.*(error|warning).*}}
// RUN: pgopt-opt %s --profile="budget=700ms report=none" -o out.mlir 2>&1 | count 0

// A message of the child's is found behind its progress.
// RUN: script -qec "not pgopt-opt %s --profile='budget=300ms shared-libs=absent.so' -o out.mlir" /dev/null \
// RUN:   | FileCheck %s --check-prefix=MESSAGE
// MESSAGE-NOT: cannot load a shared library
// MESSAGE: error: {{.*}}the trial run failed with exit code 1: cannot load a shared library: absent.so

func.func @f(%a: tensor<3x5xf32>) -> tensor<3x5xf32> {
  %e = tensor.empty() : tensor<3x5xf32>
  %0 = linalg.exp ins(%a : tensor<3x5xf32>) outs(%e : tensor<3x5xf32>) -> tensor<3x5xf32>
  return %0 : tensor<3x5xf32>
}
