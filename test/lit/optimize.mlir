// One command from a network on tensors to a program that runs.

// RUN: pgopt-opt %s --pgopt-optimize="mode=static store=none report=none" -o %t.mlir
// RUN: FileCheck %s < %t.mlir
// RUN: pgopt-runner %t.mlir --compare=%s
// RUN: mlir-opt %s --load-pass-plugin=%pgopt_plugin -o %t.plugin.mlir \
// RUN:   --pass-pipeline='builtin.module(pgopt-optimize{mode=static store=none report=none})'
// RUN: cmp %t.mlir %t.plugin.mlir

// The transpose is gone, the product is an Einsum, kernels are formed, and one
// core runs them.
// CHECK: pg.resources = {count = 1 : i64, kind = "cores"}
// CHECK: func.func private @matmul_0({{.*}}pg.access
// CHECK-NOT: linalg.transpose
// CHECK: linalg.contract
// CHECK: func.func @layer(
// CHECK: scf.parallel
// CHECK: func.func private @layer_core0(
// CHECK: call @matmul_0({{.*}}pg.core = 0 : i64

// The same as its stages one by one.
// RUN: pgopt-opt %s --transpose-elim --einsum-raise \
// RUN:   --profile="mode=static store=none report=none" \
// RUN:   --layout-search="prices=stored confirm=false store=none" \
// RUN:   --transpose-elim --profile="mode=static store=none report=none" \
// RUN:   --form-kernels=store=none --profile="mode=static store=none report=none" \
// RUN:   --schedule-rr="count=1 store=none" -o %t.stages.mlir
// RUN: pgopt-opt %s --pgopt-optimize="mode=static store=none report=none count=1" -o %t.single.mlir
// RUN: cmp %t.single.mlir %t.stages.mlir

// Kernels are measured, and the report is one: of the kernels that are called.
// RUN: pgopt-opt %s --pgopt-optimize="budget=50ms store=none report=json report-output=%t.json" \
// RUN:   -o %t.measured.mlir
// RUN: FileCheck %s --check-prefix=TIMED < %t.measured.mlir
// RUN: FileCheck %s --check-prefix=REPORT < %t.json
// TIMED: call @matmul_0({{.*}}pg.timing = {
// REPORT-COUNT-1: "layer": "matmul_0"

// Options go to the stages that have them.
// RUN: pgopt-opt %s --pgopt-optimize="mode=static store=none report=none entry=layer \
// RUN:   count=2 resources=threads winograd=off target-cpu=x86-64-v3 strategy=none" \
// RUN:   | FileCheck %s --check-prefix=OPTIONS
// OPTIONS: pg.resources = {count = {{[12]}} : i64, kind = "threads"}
// OPTIONS-SAME: pg.target_cpu = "x86-64-v3"
// OPTIONS-SAME: pg.winograd = "off"

// RUN: not pgopt-opt %s --pgopt-optimize=entry=nothing 2>&1 | FileCheck %s --check-prefix=ENTRY
// ENTRY: error: {{.*}}nothing
// RUN: not pgopt-opt %s --pgopt-optimize="mode=static strategy=best" 2>&1 \
// RUN:   | FileCheck %s --check-prefix=STRATEGY
// STRATEGY: error: strategy is 'best'
// RUN: not pgopt-opt %t.mlir --pgopt-optimize 2>&1 | FileCheck %s --check-prefix=AGAIN
// AGAIN: error: is not on tensors any more; pgopt-optimize starts from the network as it was before

// An ONNX model: its parameters go into a file beside the output, or into the
// one that is named.
// RUN: cp %S/../fuzz/corpus/onnx/dense %t.dense.onnx
// RUN: pgopt-opt %t.dense.onnx --bind=n=3 --pgopt-optimize="mode=static store=none report=none" \
// RUN:   -o %t.dense.mlir
// RUN: pgopt-opt %t.dense.onnx --bind=n=3 -o %t.plain.mlir
// RUN: pgopt-runner %t.dense.mlir --parameters=%t.dense.safetensors --compare=%t.plain.mlir
// RUN: pgopt-opt %t.dense.onnx --bind=n=3 --parameters=%t.named.safetensors \
// RUN:   --pgopt-optimize="mode=static store=none report=none" -o %t.dense.mlir
// RUN: FileCheck %s --check-prefix=NAMED < %t.dense.mlir
// NAMED: pg.parameters = {path = "{{.*}}named.safetensors"
// RUN: echo "no model" > %t.bad.onnx
// RUN: not pgopt-opt %t.bad.onnx --pgopt-optimize 2>&1 | FileCheck %s --check-prefix=BAD
// BAD: pgopt-opt: {{.*}}bad.onnx: {{.+}}

func.func @layer(%x: tensor<5x7xf32>, %w: tensor<11x7xf32>) -> tensor<5x11xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<7x11xf32>
  %wt = linalg.transpose ins(%w : tensor<11x7xf32>) outs(%e : tensor<7x11xf32>) permutation = [1, 0]
  %f = tensor.empty() : tensor<5x11xf32>
  %0 = linalg.fill ins(%zero : f32) outs(%f : tensor<5x11xf32>) -> tensor<5x11xf32>
  %1 = linalg.matmul ins(%x, %wt : tensor<5x7xf32>, tensor<7x11xf32>) outs(%0 : tensor<5x11xf32>) -> tensor<5x11xf32>
  return %1 : tensor<5x11xf32>
}
