// A sanitizer ends the process itself when memory runs out.
// UNSUPPORTED: asan, tsan

// A kernel that asks for 1.1 GB where 300 MiB are allowed.
// RUN: pgopt-opt %s --profile="entry=exhausts budget=20ms memory-limit=300MiB report-output=%t.txt" -o %t.mlir 2> %t.err
// RUN: FileCheck %s --check-prefix=WARNING < %t.err
// RUN: FileCheck %s --check-prefix=TABLE < %t.txt
// WARNING: warning: layer 'if_1' has no time: out of memory for a scratch of 1120000320 bytes
// TABLE: exp_0 {{.*}} {{[0-9.]+ (ns|us|ms)}}
// TABLE: no time for if_1: out of memory for a scratch of 1120000320 bytes

// The size is 40,000,011 columns of 7 f32: 1,120,000,308 bytes, and 12 more to
// a multiple of 64.
func.func @exhausts(%a: tensor<7x11xf32>, %n: index) -> (tensor<7x11xf32>, tensor<7x11xf32>) {
  %e0 = tensor.empty() : tensor<7x11xf32>
  %0 = linalg.exp ins(%a : tensor<7x11xf32>) outs(%e0 : tensor<7x11xf32>) -> tensor<7x11xf32>
  %zero = arith.constant 0 : index
  %columns = arith.constant 40000011 : index
  %f = arith.constant 1.0 : f32
  %always = arith.cmpi uge, %n, %zero : index
  %1 = scf.if %always -> tensor<7x11xf32> {
    %m = arith.addi %n, %columns : index
    %e = tensor.empty(%m) : tensor<7x?xf32>
    %b = linalg.fill ins(%f : f32) outs(%e : tensor<7x?xf32>) -> tensor<7x?xf32>
    %s = tensor.extract_slice %b[0, 0] [7, 11] [1, 1] : tensor<7x?xf32> to tensor<7x11xf32>
    scf.yield %s : tensor<7x11xf32>
  } else {
    scf.yield %0 : tensor<7x11xf32>
  }
  return %0, %1 : tensor<7x11xf32>, tensor<7x11xf32>
}

// What needs more memory than there is, is refused before anything runs: an
// argument and a value of 4 TB each, the value in both programs.
// RUN: not pgopt-opt %s --profile="entry=large budget=20ms report=none" 2>&1 | FileCheck %s --check-prefix=LARGE
// LARGE: profile_memory.mlir:[[#@LINE+5]]:1: error: the trial run failed with exit code 1: the trial run needs 12000000.0 MB of memory, but {{[0-9]+\.[0-9]}} MB are free; mode=static profiles a network without running it
// RUN: not pgopt-opt %s --profile="entry=small memory-limit=1KiB budget=20ms report=none" 2>&1 | FileCheck %s --check-prefix=SMALL
// SMALL: the trial run needs 0.0 MB of memory, but 0.0 MB are allowed by the limit; mode=static

// RUN: pgopt-opt %s --profile="entry=large mode=static report=none" | FileCheck %s --check-prefix=STATIC
func.func @large(%a: tensor<100000x10000000xf32>) -> tensor<100000x10000000xf32> {
  // STATIC: linalg.negf {pg.bytes = 8000000000000 : i64, pg.kernel = "neg_0", pg.lflops = 1000000000000 : i64}
  %e0 = tensor.empty() : tensor<100000x10000000xf32>
  %0 = linalg.negf ins(%a : tensor<100000x10000000xf32>) outs(%e0 : tensor<100000x10000000xf32>) -> tensor<100000x10000000xf32>
  return %0 : tensor<100000x10000000xf32>
}

func.func @small(%a: tensor<13x17xf32>) -> tensor<13x17xf32> {
  %e0 = tensor.empty() : tensor<13x17xf32>
  %0 = linalg.negf ins(%a : tensor<13x17xf32>) outs(%e0 : tensor<13x17xf32>) -> tensor<13x17xf32>
  return %0 : tensor<13x17xf32>
}
