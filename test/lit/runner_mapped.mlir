// A parameter file of 512 MiB is mapped, not read: half of it would not fit what
// the process may allocate. The file is sparse.
// UNSUPPORTED: asan, tsan
// RUN: printf '\110\000\000\000\000\000\000\000{"w":{"dtype":"F32","shape":[131072,1024],"data_offsets":[0,536870912]}}' > %t.safetensors
// RUN: truncate -s 536870992 %t.safetensors
// RUN: sh -c 'ulimit -d 262144; exec pgopt-runner %s --parameters=%t.safetensors' | FileCheck %s
// RUN: pgopt-opt %s --form-kernels -o %t.calls.mlir
// RUN: sh -c 'ulimit -d 262144; exec pgopt-runner %t.calls.mlir --parameters=%t.safetensors' | FileCheck %s
// CHECK: result 0: 3x1024xf32, -1 to -1, mean -1
// The twin: random data for the argument do not fit.
// RUN: not sh -c 'ulimit -d 262144; exec pgopt-runner %s' 2>&1 | FileCheck %s --check-prefix=RANDOM
// RANDOM: pgopt-runner: no memory for the 536870912 bytes of argument 0
// RUN: rm %t.safetensors
func.func @f(%w: tensor<131072x1024xf32> {pg.parameter = "w"}) -> tensor<3x1024xf32> {
  %one = arith.constant 1.0 : f32
  %rows = tensor.extract_slice %w[131069, 0] [3, 1024] [1, 1] : tensor<131072x1024xf32> to tensor<3x1024xf32>
  %e = tensor.empty() : tensor<3x1024xf32>
  %0 = linalg.generic {
      indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>],
      iterator_types = ["parallel", "parallel"]}
      ins(%rows : tensor<3x1024xf32>) outs(%e : tensor<3x1024xf32>) {
  ^bb0(%x: f32, %o: f32):
    %y = arith.subf %x, %one : f32
    linalg.yield %y : f32
  } -> tensor<3x1024xf32>
  return %0 : tensor<3x1024xf32>
}
