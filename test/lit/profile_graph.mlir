// The Profile graph of a network at each stage, in both forms.

// On tensors form-kernels runs on a copy: the module comes out as it went in.
// RUN: pgopt-opt %s -o %t.plain.mlir
// RUN: pgopt-opt %s --profile-graph="format=json output=%t.json" --profile-graph=output=%t.dot -o %t.after.mlir
// RUN: cmp %t.plain.mlir %t.after.mlir
// RUN: FileCheck %s --input-file=%t.json
// RUN: FileCheck %s --check-prefix=DOT --input-file=%t.dot

// The default goes to the standard error stream, in DOT.
// RUN: pgopt-opt %s --profile-graph -o /dev/null 2>&1 | cmp - %t.dot

// A saved annotated file gives the same bytes in a fresh process.
// RUN: pgopt-opt %s --form-kernels --profile-graph="format=json output=%t.first.json" -o %t.kernels.mlir
// RUN: pgopt-opt %t.kernels.mlir --profile-graph="format=json output=%t.second.json" -o %t.again.mlir
// RUN: cmp %t.json %t.first.json
// RUN: cmp %t.json %t.second.json
// RUN: cmp %t.kernels.mlir %t.again.mlir

// RUN: pgopt-opt %s --profile-graph="entry=forward output=%t.dot" -mlir-pass-statistics -o /dev/null 2>&1 | FileCheck %s --check-prefix=STATISTICS
// RUN: mlir-opt %s --load-pass-plugin=%pgopt_plugin --pass-pipeline='builtin.module(profile-graph{format=json})' -o /dev/null 2>&1 | cmp - %t.json

// With a schedule, cores and slots are in it.
// RUN: pgopt-opt %s --form-kernels=split=2 --schedule-rr="count=2" --profile-graph="format=json output=%t.cores.json" --profile-graph=output=%t.cores.dot -o /dev/null 2>/dev/null
// RUN: FileCheck %s --check-prefix=CORES --input-file=%t.cores.json
// RUN: FileCheck %s --check-prefix=FRAMES --input-file=%t.cores.dot

// CHECK:      {
// CHECK-NEXT:   "format": 1,
// CHECK-NEXT:   "entry": "forward",
// CHECK-NEXT:   "cores": 0,
// CHECK-NEXT:   "totals": {"kernels": 2,
// CHECK-NEXT:   "buffers": [
// CHECK-NEXT:     {"id": 0, "name": "arg0", "kind": "argument", "elements": 91, "element_bytes": 4},
// CHECK-NEXT:     {"id": 1, "name": "arg1", "kind": "argument", "elements": 77, "element_bytes": 4},
// CHECK-NEXT:     {"id": 2, "name": "arg2", "kind": "argument", "elements": 55, "element_bytes": 4},
// CHECK-NEXT:     {"id": 3, "name": "value0", "kind": "value", "elements": 143, "element_bytes": 4},
// CHECK-NEXT:     {"id": 4, "name": "value1", "kind": "value", "elements": 65, "element_bytes": 4}
// CHECK-NEXT:   ],
// CHECK-NEXT:   "nodes": [
// CHECK-NEXT:     {"id": 0, "kind": "kernel", "function": "[[FIRST:[^"]*]]", "layer": "{{[^"]*}}", "phase": "main", "part": 0, "parts": 1, "range": [0, {{[0-9]+}}],
// CHECK-SAME:     "core": null, "slot": null,
// CHECK-SAME:     {"mode": "read", "buffer": 0, "period": 91, "begin": 0, "end": 91}
// CHECK-SAME:     {"mode": "write", "buffer": 3, "period": 143, "begin": 0, "end": 143}]},
// CHECK-NEXT:     {"id": 1, "kind": "kernel",
// CHECK-SAME:     {"mode": "read", "buffer": 3, "period": 143, "begin": 0, "end": 143}
// CHECK-SAME:     {"mode": "write", "buffer": 4, "period": 65, "begin": 0, "end": 65}]}
// CHECK-NEXT:   ],
// CHECK-NEXT:   "edges": [
// 13 x 11 floats of four bytes.
// CHECK-NEXT:     {"from": 0, "to": 1, "bytes": 572}
// CHECK-NEXT:   ]
// CHECK-NEXT: }

// DOT:      digraph "forward" {
// DOT:        n0 [label="{{.*}}\n@{{.*}}\n{{.*}}Lflops{{.*}}"];
// DOT:        n0 -> n1 [label="572 B"];
// DOT-NEXT: }

// STATISTICS: (S) 2 kernels
// STATISTICS: (S) 0 barriers
// STATISTICS: (S) 1 edges

// Rows 0 to 6 and 7 to 12 are two nodes, and only like ones depend.
// CORES: "cores": 2,
// CORES: "part": 0, "parts": 2, "range": [0, 7], {{.*}}"core": 0, "slot": 0, {{.*}}{"mode": "write", "buffer": 3, "period": 143, "begin": 0, "end": 77}
// CORES: "part": 1, "parts": 2, "range": [7, 13], {{.*}}"core": 1, "slot": 0, {{.*}}{"mode": "write", "buffer": 3, "period": 143, "begin": 77, "end": 143}
// CORES:      "edges": [
// CORES-NEXT:   {"from": 0, "to": 2, "bytes": 308},
// CORES-NEXT:   {"from": 1, "to": 3, "bytes": 264}
// CORES-NEXT: ]

// FRAMES: subgraph cluster_core0 {
// FRAMES: label="core 0";
// FRAMES: part 0 of 2\n{{.*}}\nslot 0"
// FRAMES: subgraph cluster_core1 {
// FRAMES: part 1 of 2\n{{.*}}\nslot 0"
func.func @forward(%a: tensor<13x7xf32>, %b: tensor<7x11xf32>, %c: tensor<11x5xf32>) -> tensor<13x5xf32> {
  %zero = arith.constant 0.0 : f32
  %0 = tensor.empty() : tensor<13x11xf32>
  %1 = linalg.fill ins(%zero : f32) outs(%0 : tensor<13x11xf32>) -> tensor<13x11xf32>
  %2 = linalg.matmul ins(%a, %b : tensor<13x7xf32>, tensor<7x11xf32>) outs(%1 : tensor<13x11xf32>) -> tensor<13x11xf32>
  %3 = tensor.empty() : tensor<13x5xf32>
  %4 = linalg.fill ins(%zero : f32) outs(%3 : tensor<13x5xf32>) -> tensor<13x5xf32>
  %5 = linalg.matmul ins(%2, %c : tensor<13x11xf32>, tensor<11x5xf32>) outs(%4 : tensor<13x5xf32>) -> tensor<13x5xf32>
  return %5 : tensor<13x5xf32>
}
