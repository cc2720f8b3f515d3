// Conversions to bf16 run on every processor: ties go to even, NaN stays NaN.
// RUN: pgopt-runner %s --print-results | FileCheck %s
// RUN: pgopt-runner --naive %s --print-results | FileCheck %s

#id = affine_map<(i) -> (i)>

// CHECK: result 0: 5xbf16
// CHECK: 1, 1.01562, -3.14062, nan, inf
// CHECK: result 1: 5xbf16
// CHECK: 1, 1.01562, -3.14062, nan, inf
func.func @narrow() -> (tensor<5xbf16>, tensor<5xbf16>) {
  %double = arith.constant dense<[1.00390625, 1.01171875, -3.1415926, 0x7FF0000000000001, 3.4e38]> : tensor<5xf64>
  %single = arith.constant dense<[1.00390625, 1.01171875, -3.1415926, 0x7F800001, 3.4e38]> : tensor<5xf32>
  %empty = tensor.empty() : tensor<5xbf16>
  %a = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]}
      ins(%double : tensor<5xf64>) outs(%empty : tensor<5xbf16>) {
  ^bb0(%x: f64, %out: bf16):
    %narrow = arith.truncf %x : f64 to bf16
    linalg.yield %narrow : bf16
  } -> tensor<5xbf16>
  %b = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]}
      ins(%single : tensor<5xf32>) outs(%empty : tensor<5xbf16>) {
  ^bb0(%x: f32, %out: bf16):
    %narrow = arith.truncf %x : f32 to bf16
    linalg.yield %narrow : bf16
  } -> tensor<5xbf16>
  return %a, %b : tensor<5xbf16>, tensor<5xbf16>
}
