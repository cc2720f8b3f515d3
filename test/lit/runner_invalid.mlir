// Each wrong command line or file is one message and exit code 2.
// RUN: split-file %s %t

// RUN: sh -c 'pgopt-runner || echo code $?' 2>&1 \
// RUN:   | FileCheck %s --check-prefix=NO-FILE
// NO-FILE: pgopt-runner: no file given
// NO-FILE: code 2
// RUN: not pgopt-runner a b 2>&1 | FileCheck %s --check-prefix=TWO
// TWO: one file is expected, found 'a' and 'b'
// RUN: not pgopt-runner --unknown a 2>&1 | FileCheck %s --check-prefix=UNKNOWN
// UNKNOWN: unrecognized option '--unknown'
// RUN: not pgopt-runner a --seed=x 2>&1 | FileCheck %s --check-prefix=SEED
// SEED: --seed: 'x' is not an integer from -9223372036854775808 to
// RUN: not pgopt-runner a --workers=0 2>&1 | FileCheck %s --check-prefix=WORKERS
// WORKERS: --workers: '0' is not an integer from 1 to 4096
// RUN: not pgopt-runner a --blas-threads=-1 2>&1 | FileCheck %s --check-prefix=BLAS
// BLAS: --blas-threads: '-1' is not an integer from 1 to 4096
// RUN: not pgopt-runner a --tolerance=-1 2>&1 | FileCheck %s --check-prefix=TOLERANCE
// TOLERANCE: --tolerance: '-1' is not a number of at least 0
// RUN: not pgopt-runner a --bench=0 2>&1 | FileCheck %s --check-prefix=BENCH
// BENCH: --bench: '0' is not a number of seconds above 0
// RUN: not pgopt-runner a --budget-ms=0 2>&1 | FileCheck %s --check-prefix=BUDGET
// BUDGET: --budget-ms: '0' is not an integer from 1 to
// RUN: not pgopt-runner a --input=x.npy 2>&1 | FileCheck %s --check-prefix=INPUT
// INPUT: --input: 'x.npy' is not an argument's number and a file, I:FILE.npy
// RUN: not pgopt-runner a --input=0:x --input=0:y 2>&1 \
// RUN:   | FileCheck %s --check-prefix=TWICE
// TWICE: --input: '0:y' is not for an argument that was not given before
// RUN: not pgopt-runner a --reference=best 2>&1 | FileCheck %s --check-prefix=REFERENCE
// REFERENCE: --reference: 'best' is neither 'naive' nor 'auto'
// RUN: not pgopt-runner a --fill-elided=no 2>&1 | FileCheck %s --check-prefix=FILL
// FILL: --fill-elided: 'no' is neither 'seed' nor 'error'
// RUN: not pgopt-runner --document-passes --materialize-elided a 2>&1 \
// RUN:   | FileCheck %s --check-prefix=MODES
// MODES: options ask for two different things

// RUN: not pgopt-runner %t/none.mlir 2>&1 | FileCheck %s --check-prefix=ABSENT
// ABSENT: cannot read '{{.*}}none.mlir': No such file or directory
// RUN: not pgopt-runner %t 2>&1 | FileCheck %s --check-prefix=DIRECTORY
// DIRECTORY: it is a directory
// RUN: sh -c 'pgopt-runner %t/text.mlir || echo code $?' 2>&1 \
// RUN:   | FileCheck %s --check-prefix=TEXT
// TEXT: text.mlir:1:1: error: custom op 'what' is unknown
// TEXT: '{{.*}}text.mlir' is not a valid MLIR module
// TEXT: code 2
// RUN: not pgopt-runner %t/invalid.mlir 2>&1 | FileCheck %s --check-prefix=VERIFY
// VERIFY: invalid.mlir:2:8: error: 'arith.addf' op
// RUN: not pgopt-runner %t/several.mlir 2>&1 | FileCheck %s --check-prefix=SEVERAL
// SEVERAL: error: several functions may be the network: 'f', 'g'
// RUN: pgopt-runner %t/several.mlir --entry=g
// RUN: not pgopt-runner %t/several.mlir --entry=h 2>&1 \
// RUN:   | FileCheck %s --check-prefix=ENTRY
// ENTRY: error: entry 'h' is not a function with a body
// RUN: not pgopt-runner %t/none-public.mlir 2>&1 | FileCheck %s --check-prefix=NO-ENTRY
// NO-ENTRY: error: no public function takes or returns tensors
// RUN: not pgopt-runner --naive %t/dynamic.mlir 2>&1 | FileCheck %s --check-prefix=DYNAMIC
// DYNAMIC: dynamic.mlir:1:1: error: argument 0 cannot be passed: 'memref<?xf32>' has a dynamic extent
// RUN: not pgopt-runner --naive %t/complex.mlir 2>&1 | FileCheck %s --check-prefix=COMPLEX
// COMPLEX: error: argument 0 cannot be passed: 'memref<3xcomplex<f32>>' has elements that are not plain numbers
// RUN: not pgopt-runner --shared-libs=%t/none.so %t/several.mlir --entry=f 2>&1 \
// RUN:   | FileCheck %s --check-prefix=LIBRARY
// LIBRARY: error: cannot load a shared library: {{.*}}none.so

//--- text.mlir
what is this
//--- invalid.mlir
func.func @f(%a: tensor<3xf32>, %b: tensor<5xf32>) -> tensor<3xf32> {
  %c = "arith.addf"(%a, %b) : (tensor<3xf32>, tensor<5xf32>) -> tensor<3xf32>
  return %c : tensor<3xf32>
}
//--- several.mlir
func.func @f(%a: tensor<3xf32>) -> tensor<3xf32> {
  return %a : tensor<3xf32>
}
func.func @g(%a: tensor<3xf32>) -> tensor<3xf32> {
  return %a : tensor<3xf32>
}
//--- none-public.mlir
func.func @f(%a: i64) -> i64 {
  return %a : i64
}
//--- dynamic.mlir
func.func @f(%a: tensor<?xf32>) -> tensor<?xf32> {
  return %a : tensor<?xf32>
}
//--- complex.mlir
func.func @f(%a: tensor<3xcomplex<f32>>) -> tensor<3xcomplex<f32>> {
  return %a : tensor<3xcomplex<f32>>
}
