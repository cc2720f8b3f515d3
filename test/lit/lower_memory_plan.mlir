// RUN: split-file %s %t
// DEFINE: %{file} =
// DEFINE: %{plan} = pgopt-opt %{file} --pgopt-lower --mlir-pass-statistics -o /dev/null 2>&1

// Values between kernels share memory where one is done with before the other
// begins. The bytes of each are rounded up to a multiple of 64.

// v0, v1, v2 of 7 x 11 x 4 = 308 bytes, 320 rounded, each a product of the one
// before. The last one is returned and may lie where v0 was.
// REDEFINE: %{file} = %t/chain.mlir
// RUN: %{plan} | FileCheck %s --check-prefix=CHAIN
// CHAIN: chain.mlir:1:1: remark: memory plan: 3 values in 640 bytes, 960 with memory of their own, at least 640, 0 in place
// CHAIN: (S) 640 arena-bytes
// CHAIN: (S) 960 values-bytes
// CHAIN: (S) 640 bound-bytes
// CHAIN: (S) 0 in-place
// RUN: pgopt-opt %t/chain.mlir --pgopt-lower=plan-memory=false --mlir-pass-statistics -o /dev/null 2>&1 | FileCheck %s --check-prefix=OFF
// OFF-NOT: memory plan
// OFF: (S) 960 arena-bytes
// OFF: (S) 0 values-bytes
// RUN: pgopt-runner %t/chain.mlir --compare=%t/chain.mlir
// RUN: pgopt-runner %t/two.mlir --workers=2 --compare=%t/two.mlir

// The sum is written over the product, which nobody else reads.
// REDEFINE: %{file} = %t/sum.mlir
// RUN: %{plan} | FileCheck %s --check-prefix=SUM
// SUM: memory plan: 2 values in 320 bytes, 640 with memory of their own, at least 320, 1 in place

// The twins: the product is returned, too; it is read by another kernel later;
// its transpose is what is added.
// REDEFINE: %{file} = %t/returned.mlir
// RUN: %{plan} | FileCheck %s --check-prefix=RETURNED
// RETURNED: memory plan: 2 values in 640 bytes, 640 with memory of their own, at least 640, 0 in place
// REDEFINE: %{file} = %t/read_later.mlir
// RUN: %{plan} | FileCheck %s --check-prefix=LATER
// LATER: memory plan: 3 values in 960 bytes, 960 with memory of their own, at least 960, 0 in place
// REDEFINE: %{file} = %t/transposed.mlir
// RUN: %{plan} | FileCheck %s --check-prefix=TRANSPOSED
// TRANSPOSED: memory plan: 2 values in 1024 bytes, 1024 with memory of their own, at least 1024, 0 in place

// Two chains in turn, p0 q0 p1 q1 p2 q2, which meet in a sum that q2's kernel
// computes. One after the other they need 3 places of 320 bytes; on two cores
// nobody knows whether p0 is read before q1 is written, so each has 2.
// RUN: pgopt-opt %t/two.mlir --schedule-rr=count=1 --pgopt-lower -o /dev/null 2>&1 | FileCheck %s --check-prefix=ONE
// RUN: pgopt-opt %t/two.mlir --schedule-rr=count=2 --pgopt-lower -o /dev/null 2>&1 | FileCheck %s --check-prefix=TWO
// ONE: memory plan: 6 values in 960 bytes, 1920 with memory of their own
// TWO: memory plan: 6 values in 1280 bytes, 1920 with memory of their own

//--- chain.mlir
func.func @chain(%a: tensor<7x7xf32>, %x: tensor<7x11xf32>) -> tensor<7x11xf32> {
  %c0 = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<7x11xf32>
  %z = linalg.fill ins(%c0 : f32) outs(%e : tensor<7x11xf32>) -> tensor<7x11xf32>
  %0 = linalg.matmul ins(%a, %x : tensor<7x7xf32>, tensor<7x11xf32>) outs(%z : tensor<7x11xf32>) -> tensor<7x11xf32>
  %1 = linalg.matmul ins(%a, %0 : tensor<7x7xf32>, tensor<7x11xf32>) outs(%z : tensor<7x11xf32>) -> tensor<7x11xf32>
  %2 = linalg.matmul ins(%a, %1 : tensor<7x7xf32>, tensor<7x11xf32>) outs(%z : tensor<7x11xf32>) -> tensor<7x11xf32>
  return %2 : tensor<7x11xf32>
}

//--- sum.mlir
func.func @sum(%a: tensor<7x7xf32>, %x: tensor<7x11xf32>) -> tensor<7x11xf32> {
  %c0 = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<7x11xf32>
  %z = linalg.fill ins(%c0 : f32) outs(%e : tensor<7x11xf32>) -> tensor<7x11xf32>
  %0 = linalg.matmul ins(%a, %x : tensor<7x7xf32>, tensor<7x11xf32>) outs(%z : tensor<7x11xf32>) -> tensor<7x11xf32>
  func.call @tick() : () -> ()
  %1 = linalg.add ins(%0, %x : tensor<7x11xf32>, tensor<7x11xf32>) outs(%e : tensor<7x11xf32>) -> tensor<7x11xf32>
  return %1 : tensor<7x11xf32>
}
func.func private @tick()

//--- returned.mlir
func.func @returned(%a: tensor<7x7xf32>, %x: tensor<7x11xf32>) -> (tensor<7x11xf32>, tensor<7x11xf32>) {
  %c0 = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<7x11xf32>
  %z = linalg.fill ins(%c0 : f32) outs(%e : tensor<7x11xf32>) -> tensor<7x11xf32>
  %0 = linalg.matmul ins(%a, %x : tensor<7x7xf32>, tensor<7x11xf32>) outs(%z : tensor<7x11xf32>) -> tensor<7x11xf32>
  func.call @tick() : () -> ()
  %1 = linalg.add ins(%0, %x : tensor<7x11xf32>, tensor<7x11xf32>) outs(%e : tensor<7x11xf32>) -> tensor<7x11xf32>
  return %1, %0 : tensor<7x11xf32>, tensor<7x11xf32>
}
func.func private @tick()

//--- read_later.mlir
func.func @read_later(%a: tensor<7x7xf32>, %x: tensor<7x11xf32>) -> (tensor<7x11xf32>, tensor<7x11xf32>) {
  %c0 = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<7x11xf32>
  %z = linalg.fill ins(%c0 : f32) outs(%e : tensor<7x11xf32>) -> tensor<7x11xf32>
  %0 = linalg.matmul ins(%a, %x : tensor<7x7xf32>, tensor<7x11xf32>) outs(%z : tensor<7x11xf32>) -> tensor<7x11xf32>
  func.call @tick() : () -> ()
  %1 = linalg.add ins(%0, %x : tensor<7x11xf32>, tensor<7x11xf32>) outs(%e : tensor<7x11xf32>) -> tensor<7x11xf32>
  %2 = linalg.matmul ins(%a, %0 : tensor<7x7xf32>, tensor<7x11xf32>) outs(%z : tensor<7x11xf32>) -> tensor<7x11xf32>
  return %1, %2 : tensor<7x11xf32>, tensor<7x11xf32>
}
func.func private @tick()

//--- transposed.mlir
func.func @transposed(%a: tensor<11x11xf32>) -> tensor<11x11xf32> {
  %c0 = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<11x11xf32>
  %z = linalg.fill ins(%c0 : f32) outs(%e : tensor<11x11xf32>) -> tensor<11x11xf32>
  %0 = linalg.matmul ins(%a, %a : tensor<11x11xf32>, tensor<11x11xf32>) outs(%z : tensor<11x11xf32>) -> tensor<11x11xf32>
  func.call @tick() : () -> ()
  %1 = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (j, i)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]}
    ins(%0, %0 : tensor<11x11xf32>, tensor<11x11xf32>) outs(%e : tensor<11x11xf32>) {
  ^bb0(%x: f32, %y: f32, %o: f32):
    %s = arith.addf %x, %y : f32
    linalg.yield %s : f32
  } -> tensor<11x11xf32>
  return %1 : tensor<11x11xf32>
}
func.func private @tick()

//--- two.mlir
func.func @two(%a: tensor<7x7xf32>, %x: tensor<7x11xf32>, %y: tensor<7x11xf32>) -> tensor<7x11xf32> {
  %c0 = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<7x11xf32>
  %z = linalg.fill ins(%c0 : f32) outs(%e : tensor<7x11xf32>) -> tensor<7x11xf32>
  %p0 = linalg.matmul ins(%a, %x : tensor<7x7xf32>, tensor<7x11xf32>) outs(%z : tensor<7x11xf32>) -> tensor<7x11xf32>
  %q0 = linalg.matmul ins(%a, %y : tensor<7x7xf32>, tensor<7x11xf32>) outs(%z : tensor<7x11xf32>) -> tensor<7x11xf32>
  %p1 = linalg.matmul ins(%a, %p0 : tensor<7x7xf32>, tensor<7x11xf32>) outs(%z : tensor<7x11xf32>) -> tensor<7x11xf32>
  %q1 = linalg.matmul ins(%a, %q0 : tensor<7x7xf32>, tensor<7x11xf32>) outs(%z : tensor<7x11xf32>) -> tensor<7x11xf32>
  %p2 = linalg.matmul ins(%a, %p1 : tensor<7x7xf32>, tensor<7x11xf32>) outs(%z : tensor<7x11xf32>) -> tensor<7x11xf32>
  %q2 = linalg.matmul ins(%a, %q1 : tensor<7x7xf32>, tensor<7x11xf32>) outs(%z : tensor<7x11xf32>) -> tensor<7x11xf32>
  %s = linalg.add ins(%p2, %q2 : tensor<7x11xf32>, tensor<7x11xf32>) outs(%e : tensor<7x11xf32>) -> tensor<7x11xf32>
  return %s : tensor<7x11xf32>
}
