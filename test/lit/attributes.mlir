// Every attribute of the table in its valid forms and places survives parsing,
// verifying and printing.

// RUN: pgopt-opt %s --split-input-file | pgopt-opt --split-input-file \
// RUN:   | FileCheck %s
// RUN: mlir-opt %s --split-input-file --load-dialect-plugin=%pgopt_plugin \
// RUN:   | FileCheck %s

// CHECK: module attributes
// CHECK-SAME: pg.lflops = 630 : i64
// CHECK-SAME: pg.lflops_contraction = 630 : i64
// CHECK-SAME: pg.lflops_unknown = "1 operation"
// CHECK-SAME: pg.machine = {cores = 2 : i64, cpu = "a processor"}
// CHECK-SAME: pg.parameters = {path = "weights.safetensors", sha256 = "00ff"}
// CHECK-SAME: pg.profile =
// CHECK-SAME: a = {mad_ns = 0 : i64, median_ns = 7 : i64, min_ns = 5 : i64, runs = 1 : i64, source = "store"}
// CHECK-SAME: b = {mad_ns = 1 : i64, median_ns = 9 : i64, min_ns = 9 : i64, runs = 3 : i64, source = "isolated"}
// CHECK-SAME: pg.resources = {count = 4096 : i64, kind = "pes"}
module attributes {
  pg.lflops = 630 : i64,
  pg.lflops_contraction = 630 : i64,
  pg.lflops_unknown = "1 operation",
  pg.machine = {cores = 2 : i64, cpu = "a processor"},
  pg.parameters = {path = "weights.safetensors", sha256 = "00ff"},
  pg.profile = {
    a = {median_ns = 7 : i64, min_ns = 5 : i64, mad_ns = 0 : i64,
         runs = 1 : i64, source = "store"},
    b = {median_ns = 9 : i64, min_ns = 9 : i64, mad_ns = 1 : i64,
         runs = 3 : i64, source = "isolated"}},
  pg.resources = {kind = "pes", count = 4096 : i64}
} {
  // CHECK: memref.global "private" @weights_0 : memref<7x5xf32> {pg.parameter = "weights_0"}
  memref.global "private" @weights_0 : memref<7x5xf32> {pg.parameter = "weights_0"}

  // CHECK: func.func private @matmul_0
  // CHECK-SAME: pg.access = {dim = 0 : i64, mode = "read", scale = 2 : i64, window = 3 : i64}
  // CHECK-SAME: pg.access = {mode = "read"}
  // CHECK-SAME: pg.access = {dim = 0 : i64, mode = "write", scale = 1 : i64, window = 1 : i64}
  // CHECK-SAME: pg.kernel = "matmul_0", pg.signature = "s"
  func.func private @matmul_0(
      memref<3x7xf32> {pg.access = {mode = "read", dim = 0 : i64, scale = 2 : i64, window = 3 : i64}},
      memref<7x5xf32> {pg.access = {mode = "read"}},
      memref<3x5xf32> {pg.access = {mode = "write", dim = 0 : i64, scale = 1 : i64, window = 1 : i64}},
      index, index) attributes {pg.kernel = "matmul_0", pg.signature = "s"}

  // CHECK: func.func @entry
  // CHECK-SAME: pg.layout = [affine_map<(d0, d1) -> (d1, d0)>]
  // CHECK-SAME: pg.parameter = "first"
  // CHECK-SAME: -> (memref<3x5xf32> {pg.layout = [
  // CHECK-SAME: pg.entry = () -> memref<3x5xf32>
  func.func @entry(
      %a: memref<3x7xf32> {pg.layout = [affine_map<(i, j) -> (j, i)>], pg.parameter = "first"},
      %b: memref<7x5xf32>, %c: memref<3x5xf32>)
      -> (memref<3x5xf32> {pg.layout = [affine_map<(i, j) -> (i, j)>]})
      attributes {pg.entry = () -> memref<3x5xf32>} {
    %lo = arith.constant 0 : index
    %hi = arith.constant 3 : index
    // 2 operations for each of 3*5*7 products: 210.
    // CHECK: call @matmul_0
    // CHECK-SAME: pg.bytes = 284 : i64
    // CHECK-SAME: pg.core = 1 : i64
    // CHECK-SAME: pg.layer = "matmul_0"
    // CHECK-SAME: pg.lflops = 210 : i64
    // CHECK-SAME: pg.part = 0 : i64
    // CHECK-SAME: pg.parts = 1 : i64
    // CHECK-SAME: pg.phase = "main"
    // CHECK-SAME: pg.slot = 0 : i64
    // CHECK-SAME: pg.timing = {mad_ns = 0 : i64, median_ns = 0 : i64, min_ns = 0 : i64, runs = 1 : i64, source = "in-place"}
    call @matmul_0(%a, %b, %c, %lo, %hi) {
      pg.lflops = 210 : i64, pg.bytes = 284 : i64,
      pg.timing = {median_ns = 0 : i64, min_ns = 0 : i64, mad_ns = 0 : i64,
                   runs = 1 : i64, source = "in-place"},
      pg.layer = "matmul_0", pg.phase = "main", pg.part = 0 : i64,
      pg.parts = 1 : i64, pg.core = 1 : i64, pg.slot = 0 : i64}
      : (memref<3x7xf32>, memref<7x5xf32>, memref<3x5xf32>, index, index) -> ()
    return %c : memref<3x5xf32>
  }
}

// -----

// The smallest values, the other words, an array without maps and empty
// dictionaries.

// CHECK: module attributes
// CHECK-SAME: pg.machine = {}
// CHECK-SAME: pg.profile = {}
// CHECK-SAME: pg.resources = {count = 1 : i64, kind = "cores"}
module attributes {pg.machine = {}, pg.profile = {},
                   pg.resources = {kind = "cores", count = 1 : i64}} {
  // CHECK: func.func @smallest() attributes
  // CHECK-SAME: pg.bytes = 0 : i64
  // CHECK-SAME: pg.layout = []
  // CHECK-SAME: pg.lflops = 0 : i64
  // CHECK-SAME: source = "derived"
  func.func @smallest() attributes {
      pg.lflops = 0 : i64, pg.bytes = 0 : i64, pg.layout = [],
      pg.timing = {median_ns = 0 : i64, min_ns = 0 : i64, mad_ns = 0 : i64,
                   runs = 1 : i64, source = "derived"}} {
    return
  }
}

// -----

// CHECK: pg.resources = {count = 3 : i64, kind = "threads"}
module attributes {pg.resources = {kind = "threads", count = 3 : i64}} {
}
