// The Profile graph of hand-written kernel calls: Timing as colour, windows
// that overlap, views, parameters, orders without data, names as they are.

// RUN: pgopt-opt %s --profile-graph=format=json -o /dev/null 2>&1 | FileCheck %s
// RUN: pgopt-opt %s --profile-graph -o /dev/null 2>&1 | FileCheck %s --check-prefix=DOT

func.func private @fill(%y: memref<2x9x3xf32> {pg.access = {mode = "write", dim = 1 : i64, scale = 1 : i64, window = 1 : i64}},
                        %lo: index, %hi: index) attributes {no_inline, pg.kernel = "fill"} {
  return
}
func.func private @window(%x: memref<2x9x3xf32> {pg.access = {mode = "read", dim = 1 : i64, scale = 2 : i64, window = 3 : i64}},
                          %w: memref<5xbf16> {pg.access = {mode = "read"}},
                          %y: memref<2x4x3xf32> {pg.access = {mode = "write", dim = 1 : i64, scale = 1 : i64, window = 1 : i64}},
                          %lo: index, %hi: index) attributes {no_inline, pg.kernel = "window"} {
  return
}
func.func private @flat(%x: memref<24xf32> {pg.access = {mode = "read", dim = 0 : i64, scale = 1 : i64, window = 1 : i64}},
                        %y: memref<54xf32> {pg.access = {mode = "write"}},
                        %lo: index, %hi: index) attributes {no_inline, pg.kernel = "flat"} {
  return
}
memref.global "private" @w : memref<5xbf16> {pg.parameter = "w \"5\""}
memref.global "private" constant @c : memref<54xf32> = dense<1.0>

// CHECK: "totals": {"kernels": 5, "lflops": 36, "kernels_without_lflops": 2, "bytes": 240, "time_ns": 1500, "kernels_without_timing": 3},
// CHECK: {"id": 0, "name": "w", "kind": "parameter", "elements": 5, "element_bytes": 2},
// CHECK-NEXT: {"id": 1, "name": "value0", "kind": "value", "elements": 54, "element_bytes": 4},
// CHECK-NEXT: {"id": 2, "name": "value1", "kind": "value", "elements": 24, "element_bytes": 4}
// CHECK-NEXT: ],
// A range of the middle dimension repeats every 9 * 3 elements.
// CHECK: {"id": 0, "kind": "kernel", "function": "fill", "layer": "fill", "phase": "main", "part": 0, "parts": 1, "range": [0, 5], "lflops": null, "bytes": null, "timing": null, {{.*}}"accesses": [{"mode": "write", "buffer": 1, "period": 27, "begin": 0, "end": 15}]},
// CHECK: {"id": 2, "kind": "kernel", "function": "window", "layer": "conv", "phase": "pack", "part": 0, "parts": 2, "range": [0, 2], "lflops": 18, "bytes": 120, "timing": {"median_ns": 1000, "min_ns": 900, "mad_ns": 5, "runs": 3, "source": "in-place"},
// Rows 0 to 1 * 2 + 3 = 5 of nine; rows 2 * 2 to 3 * 2 + 3 = 9.
// CHECK-SAME: {"mode": "read", "buffer": 1, "period": 27, "begin": 0, "end": 15}, {"mode": "read", "buffer": 0, "period": 5, "begin": 0, "end": 5}, {"mode": "write", "buffer": 2, "period": 12, "begin": 0, "end": 6}]},
// CHECK: {"id": 3, {{.*}}"part": 1, "parts": 2, "range": [2, 4], {{.*}}{"mode": "read", "buffer": 1, "period": 27, "begin": 12, "end": 27}
// CHECK: {"id": 4, {{.*}}{"mode": "read", "buffer": 2, "period": 24, "begin": 0, "end": 13}, {"mode": "write", "buffer": 1, "period": 54, "begin": 0, "end": 54}]}
// CHECK:      "edges": [
// 2 * 5 rows of three floats from the first fill, none from the second one.
// CHECK-NEXT:   {"from": 0, "to": 2, "bytes": 120},
// Rows 4 of the first fill, 5 to 8 of the second one, twice three floats each.
// CHECK-NEXT:   {"from": 0, "to": 3, "bytes": 24},
// CHECK-NEXT:   {"from": 1, "to": 3, "bytes": 96},
// What is overwritten must have been written and read. Of elements 0 to 12 the
// first window wrote 0 to 5 and 12, the second one 6 to 11.
// CHECK-NEXT:   {"from": 0, "to": 4, "bytes": 0},
// CHECK-NEXT:   {"from": 1, "to": 4, "bytes": 0},
// CHECK-NEXT:   {"from": 2, "to": 4, "bytes": 28},
// CHECK-NEXT:   {"from": 3, "to": 4, "bytes": 24}
// CHECK-NEXT: ]

// DOT: n0 [label="fill\n@fill\nLflops unknown"];
// DOT: n2 [label="conv pack part 0 of 2\n@window\n18 Lflops\n1000 ns", fillcolor="0.000 0.999 1.0"];
// DOT: n3 [label="conv pack part 1 of 2\n@window\n18 Lflops\n500 ns", fillcolor="0.000 0.499 1.0"];
// DOT: n4 [label="flat\n@flat\n0 Lflops"];
// DOT: n0 -> n2 [label="120 B"];
// DOT: n0 -> n4 [style=dashed];
func.func @forward() -> memref<2x4x3xf32> {
  %c0 = arith.constant 0 : index
  %c2 = arith.constant 2 : index
  %c4 = arith.constant 4 : index
  %c5 = arith.constant 5 : index
  %c9 = arith.constant 9 : index
  %c13 = arith.constant 13 : index
  %w = memref.get_global @w : memref<5xbf16>
  %again = memref.get_global @w : memref<5xbf16>
  %x = memref.alloc() : memref<2x9x3xf32>
  %y = memref.alloc() : memref<2x4x3xf32>
  call @fill(%x, %c0, %c5) : (memref<2x9x3xf32>, index, index) -> ()
  call @fill(%x, %c5, %c9) : (memref<2x9x3xf32>, index, index) -> ()
  call @window(%x, %w, %y, %c0, %c2) {pg.layer = "conv", pg.phase = "pack", pg.part = 0 : i64, pg.parts = 2 : i64, pg.lflops = 18 : i64, pg.bytes = 120 : i64,
      pg.timing = {median_ns = 1000 : i64, min_ns = 900 : i64, mad_ns = 5 : i64, runs = 3 : i64, source = "in-place"}}
    : (memref<2x9x3xf32>, memref<5xbf16>, memref<2x4x3xf32>, index, index) -> ()
  call @window(%x, %again, %y, %c2, %c4) {pg.layer = "conv", pg.phase = "pack", pg.part = 1 : i64, pg.parts = 2 : i64, pg.lflops = 18 : i64, pg.bytes = 120 : i64,
      pg.timing = {median_ns = 500 : i64, min_ns = 450 : i64, mad_ns = 5 : i64, runs = 3 : i64, source = "in-place"}}
    : (memref<2x9x3xf32>, memref<5xbf16>, memref<2x4x3xf32>, index, index) -> ()
  %flat_y = memref.collapse_shape %y [[0, 1, 2]] : memref<2x4x3xf32> into memref<24xf32>
  %flat_x = memref.collapse_shape %x [[0, 1, 2]] : memref<2x9x3xf32> into memref<54xf32>
  call @flat(%flat_y, %flat_x, %c0, %c13) {pg.lflops = 0 : i64} : (memref<24xf32>, memref<54xf32>, index, index) -> ()
  return %y : memref<2x4x3xf32>
}
