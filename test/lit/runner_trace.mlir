// One slice a kernel call, in the order of the calls, named for its layer.
// RUN: pgopt-runner %s --trace=%t.json | FileCheck %s --check-prefix=SAYS
// SAYS: trace of 2 kernel calls in {{.*}}.json
// RUN: FileCheck %s < %t.json
// CHECK: {"traceEvents":[
// CHECK-SAME: {"name":"thread_name","ph":"M","pid":1,"tid":0,"args":{"name":"core 0"}}
// CHECK-SAME: {"name":"matmul_0","cat":"kernel","ph":"X","pid":1,"tid":0,"ts":{{[0-9.]+}},"dur":{{[0-9.]+}},"args":{"slot":0}}
// CHECK-SAME: {"name":"transpose_1",{{.*}}"args":{"slot":1}}
// CHECK-SAME: ]

// RUN: pgopt-opt --form-kernels %s -o %t.calls.mlir
// RUN: pgopt-runner %t.calls.mlir --trace=%t.calls.json
// RUN: FileCheck %s < %t.calls.json

// A lowered program has no spans, unless it was lowered with them.
// RUN: pgopt-opt --pgopt-lower %s -o %t.lowered.mlir
// RUN: not pgopt-runner %t.lowered.mlir --trace=%t.none.json 2>&1 \
// RUN:   | FileCheck %s --check-prefix=NONE
// NONE: records no kernel calls
// RUN: not pgopt-runner --naive %s --trace=%t.none.json 2>&1 \
// RUN:   | FileCheck %s --check-prefix=NONE
// RUN: not pgopt-runner %s --trace=/nowhere/x.json 2>&1 \
// RUN:   | FileCheck %s --check-prefix=UNWRITABLE
// UNWRITABLE: cannot write '/nowhere/x.json'

func.func @f(%a: tensor<7x13xf32>, %b: tensor<13x11xf32>) -> tensor<11x7xf32> {
  %zero = arith.constant 0.0 : f32
  %empty = tensor.empty() : tensor<7x11xf32>
  %init = linalg.fill ins(%zero : f32) outs(%empty : tensor<7x11xf32>)
      -> tensor<7x11xf32>
  %product = linalg.matmul ins(%a, %b : tensor<7x13xf32>, tensor<13x11xf32>)
      outs(%init : tensor<7x11xf32>) -> tensor<7x11xf32>
  %turned = tensor.empty() : tensor<11x7xf32>
  %t = linalg.transpose ins(%product : tensor<7x11xf32>)
      outs(%turned : tensor<11x7xf32>) permutation = [1, 0]
  return %t : tensor<11x7xf32>
}
