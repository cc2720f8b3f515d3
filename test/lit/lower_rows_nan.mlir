// A NaN in a row is its maximum, in the last lanes as well; infinite numbers are
// numbers. Four rows go together, one by itself.
// RUN: pgopt-runner %s --print-results | FileCheck %s
// RUN: pgopt-runner --naive %s --print-results | FileCheck %s

#row = affine_map<(i, j) -> (i, j)>
#number = affine_map<(i, j) -> (i)>

// CHECK: result 0: 5x19xf32
// CHECK-NEXT: {{\[\[}}-18, -17, -16, -15, -14, -13, -12, -11, -10, -9, -8, -7, -6, -5, -4, -3, -2, -1, 0]
// CHECK-SAME: {{^, \[(-?nan(, )?){19}\]}}
// CHECK-SAME: {{^, \[(-inf, ){3}-?nan(, -inf){15}\]}}
// CHECK-SAME: {{^, }}[-18, -17, -16, -15, -14, -13, -12, -11, -10, -9, -8, -7, -6, -5, -4, -3, -2, -1, 0]
// CHECK-SAME: {{^, \[(-?nan(, )?){19}\]\]}}
func.func @below_the_maximum() -> tensor<5x19xf32> {
  %nan = arith.constant 0x7FC00000 : f32
  %infinity = arith.constant 0x7F800000 : f32
  %low = arith.constant 0xFF800000 : f32
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c3 = arith.constant 3 : index
  %c4 = arith.constant 4 : index
  %c17 = arith.constant 17 : index
  %empty = tensor.empty() : tensor<5x19xf32>
  %x = linalg.generic {indexing_maps = [#row],
      iterator_types = ["parallel", "parallel"]} outs(%empty : tensor<5x19xf32>) {
  ^bb0(%o: f32):
    %i = linalg.index 0 : index
    %j = linalg.index 1 : index
    %n = arith.index_cast %j : index to i32
    %number = arith.sitofp %n : i32 to f32
    %in1 = arith.cmpi eq, %i, %c1 : index
    %in2 = arith.cmpi eq, %i, %c2 : index
    %in4 = arith.cmpi eq, %i, %c4 : index
    %at3 = arith.cmpi eq, %j, %c3 : index
    %at17 = arith.cmpi eq, %j, %c17 : index
    %tail = arith.andi %in1, %at17 : i1
    %head = arith.andi %in4, %at3 : i1
    %lost = arith.ori %tail, %head : i1
    %large = arith.andi %in2, %at3 : i1
    %a = arith.select %lost, %nan, %number : f32
    %b = arith.select %large, %infinity, %a : f32
    linalg.yield %b : f32
  } -> tensor<5x19xf32>
  %numbers = tensor.empty() : tensor<5xf32>
  %start = linalg.fill ins(%low : f32) outs(%numbers : tensor<5xf32>) -> tensor<5xf32>
  %most = linalg.generic {indexing_maps = [#row, #number],
      iterator_types = ["parallel", "reduction"]}
      ins(%x : tensor<5x19xf32>) outs(%start : tensor<5xf32>) {
  ^bb0(%a: f32, %m: f32):
    %r = arith.maximumf %a, %m : f32
    linalg.yield %r : f32
  } -> tensor<5xf32>
  %y = linalg.generic {indexing_maps = [#row, #number, #row],
      iterator_types = ["parallel", "parallel"]}
      ins(%x, %most : tensor<5x19xf32>, tensor<5xf32>) outs(%empty : tensor<5x19xf32>) {
  ^bb0(%a: f32, %m: f32, %o: f32):
    %r = arith.subf %a, %m : f32
    linalg.yield %r : f32
  } -> tensor<5x19xf32>
  return %y : tensor<5x19xf32>
}
