// What distance=near and far say to the passes that cut layers. Two ranges of
// 1.5 us and two signals of 0.1 us are shorter than 3 us, with two of 2 us they
// are not.

// RUN: pgopt-opt %s --form-kernels | FileCheck %s --check-prefix=WHOLE
// RUN: pgopt-opt %s --form-kernels=distance=near | FileCheck %s --check-prefix=PARTS
// RUN: pgopt-opt %s --schedule-list 2>/dev/null | FileCheck %s --check-prefix=WHOLE
// RUN: pgopt-opt %s --schedule-list=distance=near 2>/dev/null | FileCheck %s --check-prefix=PARTS
// RUN: pgopt-opt %s --pgopt-optimize="mode=static count=2 report=none" 2>/dev/null | FileCheck %s --check-prefix=WHOLE
// RUN: pgopt-opt %s --pgopt-optimize="mode=static count=2 report=none distance=near" 2>/dev/null | FileCheck %s --check-prefix=PARTS
// RUN: pgopt-runner --simulate %s | FileCheck %s --check-prefix=SIMULATED1
// RUN: pgopt-runner --simulate --distance=near %s | FileCheck %s --check-prefix=SIMULATED2
// RUN: not pgopt-opt %s --form-kernels=distance=close 2>&1 -o /dev/null | FileCheck %s --check-prefix=ERROR

// WHOLE: call @exp_0(
// WHOLE-NOT: call @exp_0(
// PARTS-COUNT-2: call @exp_0({{.*}}pg.parts = 2
// SIMULATED1: list: 1 kernels on 1 of 2 resources, makespan 3.000 us
// SIMULATED2: list: 2 kernels on 2 of 2 resources, makespan 1.
// ERROR: error: distance is 'close'; it must be far or near

// Both: the parts for near cores, and the whole kernel, whose function has the
// same name, in one module.
// RUN: pgopt-opt %s --pgopt-optimize="mode=static count=2 report=none distance=both" -o %t.mlir 2>%t.err
// RUN: FileCheck %s --check-prefix=BOTH < %t.mlir
// RUN: FileCheck %s --check-prefix=SAYS < %t.err
// RUN: pgopt-runner %t.mlir --compare=%s
// RUN: sed '/pgopt_rt_core_latency/,$s/constant [0-9]* : i64/constant -1 : i64/' %t.mlir > %t.far.mlir
// RUN: pgopt-runner %t.far.mlir --compare=%s
// RUN: sed '/pgopt_rt_core_latency/,$s/constant [0-9]* : i64/constant 9223372036854775807 : i64/' %t.mlir > %t.near.mlir
// RUN: pgopt-runner %t.near.mlir --compare=%s
// SAYS: remark: {{.*}} on 2 cores, predicted 1.{{[0-9]+}} us against 3.00 us sequential, not measured: kept beside the sequential program
// BOTH-DAG: func.func private @exp_0(
// BOTH-DAG: func.func private @exp_0_0(
// BOTH-DAG: func.func private @f_near_core1(
// BOTH: func.func private @f_sequential_core0(
// BOTH-NEXT: arith.constant
// BOTH-NEXT: arith.constant
// BOTH-NEXT: call @exp_0_0(

module attributes {pg.machine = {latency_min_ns = 100 : i64, latency_max_ns = 2000 : i64},
                   pg.resources = {kind = "cores", count = 2 : i64}} {
  func.func @f(%x: tensor<64x17xf32>) -> tensor<64x17xf32> {
    %empty = tensor.empty() : tensor<64x17xf32>
    %y = linalg.exp {pg.timing = {median_ns = 3000 : i64, min_ns = 3000 : i64, mad_ns = 0 : i64, runs = 9 : i64, source = "in-place"}}
      ins(%x : tensor<64x17xf32>) outs(%empty : tensor<64x17xf32>) -> tensor<64x17xf32>
    return %y : tensor<64x17xf32>
  }
}
