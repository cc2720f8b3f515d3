// The networks of test/networks parse and verify in the stock tool, and no
// value in them is dead: cse and canonicalize keep every contraction.

// RUN: mlir-opt %networks/branching-cnn.mlir --canonicalize --cse \
// RUN:   | FileCheck %s --check-prefix=CNN
// RUN: mlir-opt %networks/residual-net.mlir --canonicalize --cse \
// RUN:   | FileCheck %s --check-prefix=RESIDUAL
// RUN: mlir-opt %networks/transformer-block.mlir --canonicalize --cse \
// RUN:   | FileCheck %s --check-prefix=BLOCK

// The stem and two blocks of six.
// CNN-COUNT-13: tosa.conv2d
// CNN-NOT: tosa.conv2d
// CNN: tosa.matmul

// The stem, two convolutions a block and one for each halving: 1 + 12 + 2.
// RESIDUAL-COUNT-15: linalg.conv_2d_nhwc_hwcf
// RESIDUAL-NOT: linalg.conv_2d_nhwc_hwcf
// RESIDUAL: linalg.matmul

// BLOCK-COUNT-3: linalg.matmul
// BLOCK-COUNT-2: linalg.batch_matmul
// BLOCK-COUNT-3: linalg.matmul
// BLOCK-NOT: linalg.matmul
