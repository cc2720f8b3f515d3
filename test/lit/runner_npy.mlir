// Results leave as npy files, which come back as inputs.
// RUN: rm -rf %t && mkdir %t
// RUN: pgopt-runner %s --output=%t/all --output=1:%t/one.npy
// RUN: cmp %t/all/result_1.npy %t/one.npy
// The transposed result is the other's input: transposed again, it is the
// first program's argument.
// RUN: pgopt-runner %s --input=1:%t/all/result_0.npy --output=%t/back
// RUN: pgopt-runner %s --input=0:%t/back/result_1.npy --output=%t/again
// RUN: cmp %t/all/result_0.npy %t/again/result_0.npy
// RUN: not cmp %t/all/result_0.npy %t/back/result_1.npy
// A relative path, and a folder that is there already.
// RUN: cd %t && pgopt-runner %s --output=all --output=0:zero.npy
// RUN: cmp %t/zero.npy %t/again/result_0.npy

// RUN: not pgopt-runner %s --input=0:%t/all/result_0.npy 2>&1 \
// RUN:   | FileCheck %s --check-prefix=SHAPE
// SHAPE: pgopt-runner: --input=0: '{{.*}}result_0.npy' holds 5x3xf32, but argument 0 is 3x5xf32
// RUN: not pgopt-runner %s --input=2:%t/all/result_0.npy 2>&1 \
// RUN:   | FileCheck %s --check-prefix=TYPE
// TYPE: --input=2: '{{.*}}' holds 5x3xf32, but argument 2 is 3xi8
// RUN: not pgopt-runner %s --input=3:%t/all/result_0.npy 2>&1 \
// RUN:   | FileCheck %s --check-prefix=COUNT
// COUNT: --input=3:{{.*}}: '{{.*}}runner_npy.mlir' has 3 arguments
// RUN: not pgopt-runner %s --input=0:%t/none.npy 2>&1 \
// RUN:   | FileCheck %s --check-prefix=MISSING
// MISSING: --input=0: cannot read '{{.*}}none.npy': No such file
// RUN: not pgopt-runner %s --input=0:%s 2>&1 \
// RUN:   | FileCheck %s --check-prefix=FORMAT
// FORMAT: --input=0: cannot read '{{.*}}runner_npy.mlir': not a valid npy file
// RUN: head -c 100 %t/one.npy > %t/cut.npy
// RUN: not pgopt-runner %s --input=0:%t/cut.npy 2>&1 \
// RUN:   | FileCheck %s --check-prefix=CUT
// CUT: --input=0: cannot read '{{.*}}cut.npy': not a valid npy file: it ends inside the header
// RUN: not pgopt-runner %s --output=2:%t/x.npy 2>&1 \
// RUN:   | FileCheck %s --check-prefix=RESULTS
// RESULTS: --output=2:{{.*}}x.npy: '{{.*}}runner_npy.mlir' has 2 results
// RUN: not pgopt-runner %s --output=%t/zero.npy/below 2>&1 \
// RUN:   | FileCheck %s --check-prefix=UNWRITABLE
// UNWRITABLE: cannot write '{{.*}}below/result_0.npy': Not a directory
// RUN: not pgopt-runner %s --output=0:/dev/full 2>&1 \
// RUN:   | FileCheck %s --check-prefix=FULL
// FULL: cannot write '/dev/full': No space left on device

func.func @both(%a: tensor<3x5xf32>, %b: tensor<5x3xf32>, %c: tensor<3xi8>)
    -> (tensor<5x3xf32>, tensor<3x5xf32>) {
  %d = tensor.empty() : tensor<5x3xf32>
  %e = linalg.transpose ins(%a : tensor<3x5xf32>)
      outs(%d : tensor<5x3xf32>) permutation = [1, 0]
  %f = tensor.empty() : tensor<3x5xf32>
  %g = linalg.transpose ins(%b : tensor<5x3xf32>)
      outs(%f : tensor<3x5xf32>) permutation = [1, 0]
  return %e, %g : tensor<5x3xf32>, tensor<3x5xf32>
}
