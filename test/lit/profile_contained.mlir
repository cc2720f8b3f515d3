// Kernels that trap, read nowhere, and never end: each ends its child only, is
// named, and the others have their times.
// RUN: rm -rf %t && mkdir -p %t && cd %t
// RUN: pgopt-opt %s --profile="budget=20ms kernel-limit=3s store=s report-output=table.txt" -o out.mlir 2> err.txt
// RUN: FileCheck %s --check-prefix=WARNING < err.txt
// RUN: FileCheck %s --check-prefix=TABLE < table.txt
// RUN: FileCheck %s --check-prefix=OUT < out.mlir
// RUN: pgopt-runner --show-store=s | FileCheck %s --check-prefix=STORE

// WARNING: profile_contained.mlir:[[#@LINE+49]]:8: warning: layer 'div_1' has no time: trapped: SIGFPE
// WARNING: warning: layer 'gather_2' has no time: trapped: SIGSEGV
// WARNING: warning: layer 'while_3' has no time: ran longer than 3 s
// WARNING-NOT: warning:

// TABLE: exp_0 {{ *}}linalg.exp {{ *}}1540 {{ *}}616 {{ *}}[[TIME:[0-9.]+ (ns|us|ms)]]
// TABLE: div_1 {{ *}}linalg.div {{ *}}77 {{ *}}924 {{ *}}- {{ *}}- {{ *}}- {{ *}}- {{ *}}-{{$}}
// TABLE: gather_2
// TABLE: while_3
// TABLE: transpose_4 {{ *}}linalg.transpose {{ *}}0 {{ *}}616 {{ *}}{{[0-9.]+ (ns|us|ms)}}
// TABLE: layers without a time: 3 of 5
// TABLE-NEXT: no time for div_1: trapped: SIGFPE
// TABLE-NEXT: no time for gather_2: trapped: SIGSEGV
// TABLE-NEXT: no time for while_3: ran longer than 3 s
// TABLE-NEXT: sum of layers: {{.*}}; the network as a whole has no time: div_1: trapped: SIGFPE

// OUT: linalg.exp {{.*}}pg.timing = {
// OUT: linalg.div {{.*}}pg.timing_unknown = "trapped: SIGFPE"}
// OUT: linalg.generic {{.*}}pg.timing_unknown = "trapped: SIGSEGV"}
// OUT: pg.timing_unknown = "ran longer than 3 s"}
// OUT: linalg.transpose {{.*}}pg.timing = {

// STORE-COUNT-2: {"signature":
// STORE-NOT: {"signature":

// What is said stays, without a run, and does not hide the others.
// RUN: pgopt-opt out.mlir --profile="mode=static report-output=static.txt" | FileCheck %s --check-prefix=OUT
// RUN: FileCheck %s --check-prefix=STATIC < static.txt
// STATIC: layers without a time: 3 of 5
// STATIC: measured before, not in this run

// Kernel calls are measured the same way, reported as JSON.
// RUN: pgopt-opt %s --form-kernels --profile="budget=20ms kernel-limit=3s report=json report-output=calls.json" -o calls.mlir 2> err.txt
// RUN: FileCheck %s --check-prefix=WARNING-CALLS < err.txt
// RUN: FileCheck %s --check-prefix=JSON < calls.json
// WARNING-CALLS: warning: layer 'div_1' has no time: trapped: SIGFPE
// JSON: "layers_without_timing": 3,
// JSON: "end_to_end_failure": "div_1: trapped: SIGFPE",
// JSON: "layer": "exp_0", {{.*}}"timing": {{[{]}}"median_ns":
// JSON: "layer": "div_1", {{.*}}"timing": null, {{.*}}"failure": "trapped: SIGFPE"
// JSON: "layer": "gather_2", {{.*}}"failure": "trapped: SIGSEGV"
// JSON: "layer": "while_3", {{.*}}"failure": "ran longer than 3 s"
// JSON: "layer": "transpose_4", {{.*}}"timing": {{[{]}}"median_ns":

func.func @forward(%a: tensor<7x11xf32>, %n: tensor<7x11xi32>, %m: tensor<7x11xi32>) -> (tensor<7x11xf32>, tensor<7x11xi32>, tensor<7x11xf32>, tensor<11x7xf32>) {
  %e0 = tensor.empty() : tensor<7x11xf32>
  %0 = linalg.exp ins(%a : tensor<7x11xf32>) outs(%e0 : tensor<7x11xf32>) -> tensor<7x11xf32>
  %e1 = tensor.empty() : tensor<7x11xi32>
  // Every row of an integer input is 0, 1 ... 10: the first divisor is 0.
  %1 = linalg.div ins(%m, %n : tensor<7x11xi32>, tensor<7x11xi32>) outs(%e1 : tensor<7x11xi32>) -> tensor<7x11xi32>

  %far = arith.constant 1099511627776 : i64
  %c0 = arith.constant 0 : index
  %2 = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]}
      ins(%n : tensor<7x11xi32>) outs(%e0 : tensor<7x11xf32>) {
  ^bb0(%x: i32, %o: f32):
    %long = arith.extsi %x : i32 to i64
    %y = arith.muli %long, %far : i64
    %i = arith.index_cast %y : i64 to index
    %v = tensor.extract %0[%c0, %i] : tensor<7x11xf32>
    linalg.yield %v : f32
  } -> tensor<7x11xf32>

  // The counter is odd and never 0.
  %one = arith.constant 1 : i32
  %zero = arith.constant 0 : i32
  %3:2 = scf.while (%t = %2, %k = %one) : (tensor<7x11xf32>, i32) -> (tensor<7x11xf32>, i32) {
    %go = arith.cmpi ne, %k, %zero : i32
    scf.condition(%go) %t, %k : tensor<7x11xf32>, i32
  } do {
  ^bb0(%t: tensor<7x11xf32>, %k: i32):
    %e = tensor.empty() : tensor<7x11xf32>
    %s = linalg.add ins(%t, %a : tensor<7x11xf32>, tensor<7x11xf32>) outs(%e : tensor<7x11xf32>) -> tensor<7x11xf32>
    %next = arith.addi %k, %one : i32
    %odd = arith.ori %next, %one : i32
    scf.yield %s, %odd : tensor<7x11xf32>, i32
  }

  // Computes on what stands in for the loop's result.
  %e4 = tensor.empty() : tensor<11x7xf32>
  %4 = linalg.transpose ins(%3#0 : tensor<7x11xf32>) outs(%e4 : tensor<11x7xf32>) permutation = [1, 0]
  return %0, %1, %3#0, %4 : tensor<7x11xf32>, tensor<7x11xi32>, tensor<7x11xf32>, tensor<11x7xf32>
}
