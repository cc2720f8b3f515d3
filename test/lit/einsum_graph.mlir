// The Einsum graph, with equations derived from maps.

// RUN: pgopt-opt %s --einsum-graph=format=equations -o /dev/null 2>&1 \
// RUN:   | FileCheck %s --check-prefix=EQUATIONS
// RUN: pgopt-opt %s --einsum-graph=output=%t.dot -o /dev/null
// RUN: FileCheck %s --check-prefix=DOT --input-file=%t.dot
// RUN: pgopt-opt %s --einsum-graph='format=json output=%t.json' -o /dev/null \
// RUN:   --mlir-pass-statistics 2>&1 | FileCheck %s --check-prefix=COUNTS
// RUN: FileCheck %s --check-prefix=JSON --input-file=%t.json
// RUN: python3 -m json.tool %t.json /dev/null

// EQUATIONS: n y+2r x+2s c, r s c o -> n y x o  tensor<1x5x7x6xf32>  conv
// EQUATIONS-NEXT: m k, n k -> m n  tensor<35x5xf32>
// EQUATIONS-NOT: {{.}}

// DOT: digraph "net"
// DOT: a0 [shape=ellipse, label="%arg0\ntensor<1x9x11x3xf32>"];
// DOT: n0 [label="n y+2r x+2s c, r s c o -> n y x o\ntensor<1x5x7x6xf32>", style=filled];
// DOT: n1 [label="linalg.exp\ntensor<1x5x7x6xf32>"];
// DOT: n2 [label="m k, n k -> m n\ntensor<35x5xf32>", style=filled];
// DOT: a0 -> n0
// DOT: n0 -> n1
// DOT: n1 -> n2 [label="tensor<35x6xf32>"];

// COUNTS: (S) 2 einsums
// COUNTS: (S) 2 others

// JSON: {"id": 0, "op": "linalg.conv_2d_nhwc_hwcf", "equation": "n y+2r x+2s c, r s c o -> n y x o", "location": "conv", "type": "tensor<1x5x7x6xf32>"}
// JSON: {"from": {"node": 1}, "to": 2, "operand": 0, "type": "tensor<35x6xf32>", "bytes": 840}
func.func @net(%x: tensor<1x9x11x3xf32>, %k: tensor<3x3x3x6xf32>, %w: tensor<5x6xf32>) -> tensor<35x5xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<1x5x7x6xf32>
  %0 = linalg.fill ins(%zero : f32) outs(%e : tensor<1x5x7x6xf32>) -> tensor<1x5x7x6xf32>
  %1 = linalg.conv_2d_nhwc_hwcf {dilations = dense<2> : tensor<2xi64>, strides = dense<1> : tensor<2xi64>} ins(%x, %k : tensor<1x9x11x3xf32>, tensor<3x3x3x6xf32>) outs(%0 : tensor<1x5x7x6xf32>) -> tensor<1x5x7x6xf32> loc("conv")
  %f = tensor.empty() : tensor<1x5x7x6xf32>
  %2 = linalg.exp ins(%1 : tensor<1x5x7x6xf32>) outs(%f : tensor<1x5x7x6xf32>) -> tensor<1x5x7x6xf32>
  %3 = tensor.collapse_shape %2 [[0, 1, 2], [3]] : tensor<1x5x7x6xf32> into tensor<35x6xf32>
  %g = tensor.empty() : tensor<35x5xf32>
  %4 = linalg.fill ins(%zero : f32) outs(%g : tensor<35x5xf32>) -> tensor<35x5xf32>
  %5 = linalg.generic {indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (n, k)>, affine_map<(m, n, k) -> (m, n)>], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%3, %w : tensor<35x6xf32>, tensor<5x6xf32>) outs(%4 : tensor<35x5xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %p = arith.mulf %a, %b : f32
    %s = arith.addf %o, %p : f32
    linalg.yield %s : f32
  } -> tensor<35x5xf32>
  return %5 : tensor<35x5xf32>
}
