// Models from the fuzz target's corpus: x is (n, 3, 8, 8).

// A convolution of 3x3 with stride 2 and padding 1 gives (8 + 2 - 3) / 2 + 1 =
// 4 rows; the pool of 2x2 with stride 1 then 4 - 2 + 1 = 3.
// RUN: pgopt-translate --import-onnx %S/../fuzz/corpus/onnx/conv --bind n=5 \
// RUN:   | FileCheck %s --check-prefix=CONV
// CONV-LABEL: func.func @g(%arg0: tensor<5x3x8x8xf32>
// CONV: tensor.pad %arg0 low[0, 0, 1, 1] high[0, 0, 1, 1]
// CONV: linalg.conv_2d_nchw_fchw
// CONV-SAME: strides = dense<2>
// CONV-SAME: -> tensor<5x4x4x4xf32>
// CONV: linalg.pooling_nchw_max
// CONV-SAME: -> tensor<5x4x3x3xf32>

// Operations are named after their node, or its first output.
// RUN: pgopt-translate --import-onnx %S/../fuzz/corpus/onnx/conv --bind n=5 \
// RUN:   | FileCheck %s --check-prefix=NAME
// NAME: loc("c")

// The shape is computed from x's: reshape to (3, -1), then rows 1 to -1.
// RUN: pgopt-translate --import-onnx %S/../fuzz/corpus/onnx/chain --bind n=5 \
// RUN:   | FileCheck %s --check-prefix=CHAIN
// CHAIN: tensor.expand_shape
// CHAIN-SAME: into tensor<3x320xf32>
// CHAIN-NOT: Gather
// CHAIN: tensor.extract_slice
// CHAIN-SAME: [1, 0] [1, 320] [1, 1]
// CHAIN: return {{.*}} : tensor<f32>

// A condition that is not known becomes scf.if, one region with its read.
// RUN: pgopt-translate --import-onnx %S/../fuzz/corpus/onnx/if --bind n=5 \
// RUN:   | FileCheck %s --check-prefix=IF
// IF: scf.execute_region
// IF: tensor.extract %arg1[] : tensor<i1>
// IF: scf.if
// IF: arith.negf
// IF: else
// IF: math.absf

// Three iterations are three additions.
// RUN: pgopt-translate --import-onnx %S/../fuzz/corpus/onnx/loop --bind n=5 \
// RUN:   | FileCheck %s --check-prefix=LOOP
// LOOP-COUNT-3: arith.addf
// LOOP-NOT: arith.addf

// Initializers are parameters, in a file beside the module; the runner takes both
// or the model. Rows of the input are 0 to 4, w is 0 to 34: the first result is
// 0 * 0 + 1 * 7 + 2 * 14 + 3 * 21 + 4 * 28 = 210.
// RUN: pgopt-translate --import-onnx %S/../fuzz/corpus/onnx/dense --bind n=3 \
// RUN:   -o %t.dense.mlir
// RUN: FileCheck %s --check-prefix=DENSE < %t.dense.mlir
// RUN: cp %S/../fuzz/corpus/onnx/dense %t.dense.onnx
// RUN: pgopt-runner %t.dense.mlir --print-results \
// RUN:   --parameters=%t.dense.safetensors | FileCheck %s --check-prefix=PRODUCT
// RUN: pgopt-runner %t.dense.onnx --bind=n=3 --print-results \
// RUN:   | FileCheck %s --check-prefix=PRODUCT
// DENSE: pg.parameters = {path = "import_onnx.mlir.tmp.dense.safetensors", sha256 = "{{[0-9a-f]+}}"}
// DENSE: %arg0: tensor<3x5xi64>
// DENSE-SAME: %arg1: tensor<5x7xi64> {pg.parameter = "w"}
// PRODUCT: {{\[\[}}210,

// RUN: not pgopt-translate --import-onnx %S/../fuzz/corpus/onnx/relu 2>&1 \
// RUN:   | FileCheck %s --check-prefix=UNBOUND
// UNBOUND: onnx/relu: dimensions are not known; bind them: --bind NAME=N for each of n

// RUN: not pgopt-translate --import-onnx %S/../fuzz/corpus/onnx/cycle --bind n=5 2>&1 \
// RUN:   | FileCheck %s --check-prefix=CYCLE
// CYCLE: onnx/cycle: the graph has a cycle through the value 'y'

// The profile goes into the model and comes back without a trial run.
// RUN: cp %S/../fuzz/corpus/onnx/conv %t.onnx
// RUN: pgopt-opt --profile="budget=10ms report=none store=none" --bind=n=5 \
// RUN:   --mlir-print-debuginfo %t.onnx -o %t.mlir
// RUN: pgopt-translate --export-onnx %t.mlir --onnx %t.onnx -o %t.out.onnx
// RUN: pgopt-opt --profile="mode=static store=none" --bind=n=5 %t.out.onnx \
// RUN:   -o %t.again.mlir 2>&1 | FileCheck %s --check-prefix=BACK
// BACK: linalg.conv_2d_nchw_fchw{{.*}} {{us|ns|ms}}
// BACK: measured before, not in this run

// RUN: not pgopt-translate --export-onnx %S/import_einsum.mlir --onnx %t.onnx \
// RUN:   -o %t.none.onnx 2>&1 | FileCheck %s --check-prefix=OTHER
// OTHER: no annotated operation of the module names a node of the model
