// What schedule-rr tells: the prediction, and what speaks against it. Signals
// take 80 ns (latency_max_ns of pg.machine), a wait or signal its core 10 ns.

// RUN: pgopt-opt %s --split-input-file --schedule-rr=count=2 --verify-diagnostics

module attributes {pg.machine = {latency_min_ns = 40 : i64, latency_max_ns = 80 : i64}} {
  func.func private @step(%x: memref<5x3xf32> {pg.access = {mode = "read"}},
                          %y: memref<5x3xf32> {pg.access = {mode = "write"}},
                          %lo: index, %hi: index) attributes {no_inline, pg.kernel = "step"} {
    return
  }
  // Core 0: the first kernel ends at 3000, the third one at 8000. Core 1: the
  // second one ends at 4000; no data crosses, nobody waits.
  // expected-remark @below {{round-robin schedule of 3 kernels on 2 cores: predicted makespan 8000 ns, sequential 12000 ns, critical path 8000 ns, load per core 8000 4000 ns, 0 bytes across cores}}
  func.func @branches(%in: memref<5x3xf32>) -> (memref<5x3xf32>, memref<5x3xf32>) {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %a = memref.alloc() : memref<5x3xf32>
    %b = memref.alloc() : memref<5x3xf32>
    %c = memref.alloc() : memref<5x3xf32>
    call @step(%in, %a, %c0, %c1) {pg.timing = {median_ns = 3000 : i64, min_ns = 2900 : i64, mad_ns = 7 : i64, runs = 11 : i64, source = "in-place"}}
      : (memref<5x3xf32>, memref<5x3xf32>, index, index) -> ()
    call @step(%in, %b, %c0, %c1) {pg.timing = {median_ns = 4000 : i64, min_ns = 3900 : i64, mad_ns = 7 : i64, runs = 11 : i64, source = "isolated"}}
      : (memref<5x3xf32>, memref<5x3xf32>, index, index) -> ()
    call @step(%a, %c, %c0, %c1) {pg.timing = {median_ns = 5000 : i64, min_ns = 4900 : i64, mad_ns = 7 : i64, runs = 11 : i64, source = "store"}}
      : (memref<5x3xf32>, memref<5x3xf32>, index, index) -> ()
    return %b, %c : memref<5x3xf32>, memref<5x3xf32>
  }
}

// -----

module attributes {pg.machine = {latency_max_ns = 80 : i64}} {
  func.func private @step(%x: memref<5x3xf32> {pg.access = {mode = "read"}},
                          %y: memref<5x3xf32> {pg.access = {mode = "write"}},
                          %lo: index, %hi: index) attributes {no_inline, pg.kernel = "step"} {
    return
  }
  // 300 + signal 10 + 80 on the way + wait 10 + 60 bytes at 0.025 ns + 100 = 501.5.
  // expected-remark @below {{on 2 cores: predicted makespan 502 ns, sequential 400 ns, critical path 400 ns, load per core 300 100 ns, 60 bytes across cores}}
  // expected-warning @below {{this schedule is not predicted to be faster than the sequential program: 502 ns against 400 ns, 1.25 times as long}}
  func.func @chain(%in: memref<5x3xf32>) -> memref<5x3xf32> {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %a = memref.alloc() : memref<5x3xf32>
    %b = memref.alloc() : memref<5x3xf32>
    call @step(%in, %a, %c0, %c1) {pg.timing = {median_ns = 300 : i64, min_ns = 290 : i64, mad_ns = 7 : i64, runs = 11 : i64, source = "in-place"}}
      : (memref<5x3xf32>, memref<5x3xf32>, index, index) -> ()
    call @step(%a, %b, %c0, %c1) {pg.timing = {median_ns = 100 : i64, min_ns = 90 : i64, mad_ns = 7 : i64, runs = 11 : i64, source = "in-place"}}
      : (memref<5x3xf32>, memref<5x3xf32>, index, index) -> ()
    return %b : memref<5x3xf32>
  }
}

// -----

// One kernel measured: 100 ns for 50 operations. The second one has a share of
// its layer's time, the third one 70 operations at 2 ns, the fourth one nothing.
func.func private @step(%x: memref<5x3xf32> {pg.access = {mode = "read"}},
                        %y: memref<5x3xf32> {pg.access = {mode = "write"}},
                        %lo: index, %hi: index) attributes {no_inline, pg.kernel = "step"} {
  return
}
// expected-remark @below {{sequential 1440 ns, critical path 1000 ns, load per core 240 1200 ns}}
// expected-warning @below {{3 of the 4 kernels have no measured Timing (2 derived from others, 0 from Lflops alone, 1 from nothing): the prediction is an estimate, --profile measures them}}
func.func @estimates(%in: memref<5x3xf32>, %a: memref<5x3xf32>, %b: memref<5x3xf32>, %c: memref<5x3xf32>, %d: memref<5x3xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  call @step(%in, %a, %c0, %c1) {pg.lflops = 50 : i64, pg.timing = {median_ns = 100 : i64, min_ns = 90 : i64, mad_ns = 7 : i64, runs = 11 : i64, source = "in-place"}}
    : (memref<5x3xf32>, memref<5x3xf32>, index, index) -> ()
  call @step(%in, %b, %c0, %c1) {pg.timing = {median_ns = 200 : i64, min_ns = 190 : i64, mad_ns = 7 : i64, runs = 11 : i64, source = "derived"}}
    : (memref<5x3xf32>, memref<5x3xf32>, index, index) -> ()
  call @step(%in, %c, %c0, %c1) {pg.lflops = 70 : i64} : (memref<5x3xf32>, memref<5x3xf32>, index, index) -> ()
  call @step(%in, %d, %c0, %c1) {pg.lflops_unknown = "branch"} : (memref<5x3xf32>, memref<5x3xf32>, index, index) -> ()
  return
}

// -----

// expected-remark @below {{has no kernel calls, there is nothing to schedule}}
func.func @nothing(%in: memref<5x3xf32>) -> memref<5x3xf32> {
  return %in : memref<5x3xf32>
}

// -----

func.func private @step(%x: memref<5x3xf32> {pg.access = {mode = "read"}},
                        %y: memref<5x3xf32> {pg.access = {mode = "write"}},
                        %lo: index, %hi: index) attributes {no_inline, pg.kernel = "step"} {
  return
}
// expected-remark @below {{schedule of 1 kernel on 1 core: predicted makespan 35 ns, sequential 35 ns}}
// expected-warning @below {{1 of the 1 kernels have no measured Timing (0 derived from others, 1 from Lflops alone, 0 from nothing)}}
func.func @single(%in: memref<5x3xf32>, %a: memref<5x3xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  call @step(%in, %a, %c0, %c1) {pg.lflops = 35 : i64} : (memref<5x3xf32>, memref<5x3xf32>, index, index) -> ()
  return
}
