// Dynamic dimensions are bound in front of all stages.

// RUN: pgopt-opt %s --pgopt-optimize="mode=static store=none report=none shapes=arg0:3x7" | FileCheck %s
// RUN: not pgopt-opt %s --pgopt-optimize="mode=static store=none shapes=arg0:3x9" 2>&1 | FileCheck %s --check-prefix=WRONG
// CHECK: func.func @dyn(%{{.*}}: memref<3x7xf32>{{.*}}) -> memref<3x5xf32>
// WRONG: error: shapes gives dimension 1 of argument 0 the extent 9, it is 7

func.func @dyn(%x: tensor<?x7xf32>, %w: tensor<7x5xf32>) -> tensor<?x5xf32> {
  %c0 = arith.constant 0 : index
  %z = arith.constant 0.0 : f32
  %d = tensor.dim %x, %c0 : tensor<?x7xf32>
  %e = tensor.empty(%d) : tensor<?x5xf32>
  %f = linalg.fill ins(%z : f32) outs(%e : tensor<?x5xf32>) -> tensor<?x5xf32>
  %r = linalg.matmul ins(%x, %w : tensor<?x7xf32>, tensor<7x5xf32>) outs(%f : tensor<?x5xf32>) -> tensor<?x5xf32>
  return %r : tensor<?x5xf32>
}
