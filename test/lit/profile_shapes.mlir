// Dynamic dimensions bound by --profile=shapes: what follows sees static shapes.
// RUN: split-file %s %t && cd %t

// RUN: pgopt-opt chain.mlir --profile="mode=static report=none shapes=arg0:3x5,arg1:5x7,arg2:7x11" | FileCheck %s --check-prefix=CHAIN
// RUN: pgopt-opt chain.mlir --profile="mode=static report=none shapes=arg2:7x11,arg0:3x5,arg1:5x7" | FileCheck %s --check-prefix=CHAIN
// 2*3*5*7 + 3*7 + 2*3*7*11 = 693
// CHAIN: module attributes {pg.lflops = 693 : i64, pg.lflops_contraction = 672 : i64}
// CHAIN: func.func @chain(%{{.+}}: tensor<3x5xf32>, %{{.+}}: tensor<5x7xf32>, %{{.+}}: tensor<7x11xf32>) -> tensor<3x11xf32>
// CHAIN-NOT: ?
// CHAIN-NOT: tensor.cast
// CHAIN: linalg.matmul {{.*}} -> tensor<3x7xf32>
// CHAIN: linalg.matmul {{.*}} -> tensor<3x11xf32>
// CHAIN: return %{{.+}} : tensor<3x11xf32>

// RUN: pgopt-opt conv.mlir --profile="mode=static report=none shapes=arg0:2x3x13x11" | FileCheck %s --check-prefix=CONV
// (13 - 3) / 1 + 1 = 11 rows, 9 columns: 2 * 2*5*11*9 * 3*3*3 = 53460; 2*5*11*9 = 990
// CONV: pg.lflops = 54450 : i64, pg.lflops_contraction = 53460 : i64
// CONV-NOT: ?
// CONV: return %{{.+}} : tensor<2x5x11x9xf32>

// RUN: pgopt-opt tosa.mlir --profile="mode=static report=none shapes=arg0:2x7x5x3" | FileCheck %s --check-prefix=TOSA
// 2 * 2*7*5*11 * 3*3*3 = 41580
// TOSA: pg.lflops_contraction = 41580 : i64
// TOSA-NOT: ?
// TOSA: tosa.conv2d {{.*}} -> tensor<2x7x5x11xf32>
// TOSA: tosa.tanh {{.*}} -> tensor<2x7x5x11xf32>
// TOSA: linalg.exp {{.*}} -> tensor<2x7x5x11xf32>
// TOSA: return %{{.+}} : tensor<2x7x5x11xf32>

// The passes behind it form kernels, and the program computes what the naive
// lowering does.
// RUN: pgopt-opt chain.mlir --profile="mode=static report=none shapes=arg0:3x5,arg1:5x7,arg2:7x11" --schedule-rr=count=2 -o chain.cores.mlir
// RUN: pgopt-runner chain.cores.mlir --compare=chain.mlir --shapes=arg0:3x5,arg1:5x7,arg2:7x11 | FileCheck %s --check-prefix=RAN
// RUN: pgopt-runner conv.mlir --shapes=arg0:2x3x13x11 --compare=conv.mlir | FileCheck %s --check-prefix=RAN
// RUN: pgopt-runner tosa.mlir --shapes=arg0:2x7x5x3 --compare=tosa.mlir | FileCheck %s --check-prefix=RAN
// RAN: result 0: {{[0-9x]+}}xf32
// RAN: result 0: error {{[0-9.e-]+}} at

// Other extents are other programs.
// RUN: pgopt-opt chain.mlir --profile="mode=static report=none shapes=arg0:1x1,arg1:1x7,arg2:7x1" | FileCheck %s --check-prefix=ONES
// ONES: func.func @chain(%{{.+}}: tensor<1x1xf32>, %{{.+}}: tensor<1x7xf32>, %{{.+}}: tensor<7x1xf32>) -> tensor<1x1xf32>

// Static extents may be repeated.
// RUN: pgopt-opt tosa.mlir --profile="mode=static report=none shapes=arg0:2x7x5x3,arg2:11" | FileCheck %s --check-prefix=TOSA

// Without the option counts are unknown, and kernels cannot be formed: the
// error names the first dimension to bind.
// RUN: pgopt-opt chain.mlir --profile="mode=static report=none" -o unbound.mlir
// RUN: FileCheck %s --check-prefix=UNKNOWN < unbound.mlir
// UNKNOWN: pg.lflops_unknown
// RUN: not pgopt-opt chain.mlir --form-kernels 2>&1 | FileCheck %s --check-prefix=UNBOUND
// RUN: not pgopt-opt chain.mlir --profile 2>&1 | FileCheck %s --check-prefix=UNBOUND
// RUN: not pgopt-opt chain.mlir --schedule-rr 2>&1 | FileCheck %s --check-prefix=UNBOUND
// RUN: not pgopt-runner chain.mlir 2>&1 | FileCheck %s --check-prefix=UNBOUND
// UNBOUND: chain.mlir:1:1: error: dimension 0 of argument 0 (tensor<?x?xf32>) is dynamic; bind it with --profile=shapes=arg0:...
// UNBOUND-NOT: error:

// Errors.
// RUN: not pgopt-opt chain.mlir --profile="mode=static shapes=arg0:3x5,arg2:7x11" 2>&1 | FileCheck %s --check-prefix=PARTLY
// PARTLY: chain.mlir:1:1: error: dimension 0 of argument 1 (tensor<?x7xf32>) is dynamic; bind it with --profile=shapes=arg1:...
// RUN: not pgopt-opt chain.mlir --profile="mode=static shapes=arg3:3" 2>&1 | FileCheck %s --check-prefix=ARGUMENT
// ARGUMENT: chain.mlir:1:1: error: shapes names argument 3, but the network has 3 arguments
// RUN: not pgopt-opt chain.mlir --profile="mode=static shapes=arg0:3" 2>&1 | FileCheck %s --check-prefix=RANK
// RANK: chain.mlir:1:1: error: shapes gives argument 0 1 dimensions, it has 2
// RUN: not pgopt-opt chain.mlir --profile="mode=static shapes=arg1:5x8" 2>&1 | FileCheck %s --check-prefix=STATIC
// STATIC: chain.mlir:1:1: error: shapes gives dimension 1 of argument 1 the extent 8, it is 7
// RUN: not pgopt-opt chain.mlir --profile="mode=static shapes=arg0:3x5,arg1:6x7,arg2:7x11" 2>&1 | FileCheck %s --check-prefix=CONFLICT
// CONFLICT: chain.mlir:7:{{[0-9]+}}: error: 'linalg.matmul' op inferred input/output operand #1 has shape's dimension #0 to be 5, but found 6
// RUN: not pgopt-opt scalar.mlir --profile="mode=static shapes=arg1:3" 2>&1 | FileCheck %s --check-prefix=SCALAR
// SCALAR: scalar.mlir:1:1: error: shapes names argument 1, which is no ranked tensor
// RUN: not pgopt-opt data.mlir --profile="mode=static shapes=arg0:3x5" 2>&1 | FileCheck %s --check-prefix=DATA
// DATA: data.mlir:2:8: error: the shape of what 'tensor.extract_slice' makes does not follow from the shapes of the arguments
// RUN: not pgopt-opt called.mlir --profile="mode=static entry=f shapes=arg0:3" 2>&1 | FileCheck %s --check-prefix=CALLED
// CALLED: called.mlir:5:8: error: calls the network: with shapes= its type would change
// RUN: not pgopt-opt chain.mlir --profile="mode=static shapes=0:3x5" 2>&1 | FileCheck %s --check-prefix=WORD
// WORD: chain.mlir:1:1: error: shapes: '0:3x5' is not a list of shapes: an argument is expected at '0:3x5'; it must be as in arg0:1x3x224x224,arg1:7
// RUN: not pgopt-opt chain.mlir --profile="mode=static shapes=arg0:3x0" 2>&1 | FileCheck %s --check-prefix=ZERO
// RUN: not pgopt-opt chain.mlir --profile="mode=static shapes=arg0:3x-5" 2>&1 | FileCheck %s --check-prefix=ZERO
// RUN: not pgopt-opt chain.mlir --profile="mode=static shapes=arg0:3x99999999999" 2>&1 | FileCheck %s --check-prefix=ZERO
// ZERO: chain.mlir:1:1: error: shapes: {{.*}} an extent from 1 to 2147483647 is expected at
// RUN: not pgopt-opt chain.mlir --profile="mode=static shapes=arg0:3x5,arg0:3x5" 2>&1 | FileCheck %s --check-prefix=TWICE
// TWICE: chain.mlir:1:1: error: shapes: {{.*}} an argument that was not named before is expected
// RUN: not pgopt-opt chain.mlir --profile="mode=static shapes=arg0:3x5," 2>&1 | FileCheck %s --check-prefix=COMMA
// COMMA: chain.mlir:1:1: error: shapes: {{.*}} another argument is expected at ''
// RUN: pgopt-opt chain.mlir --profile="mode=static report=none shapes=arg0:3x5,arg1:5x7,arg2:7x11" --form-kernels -o calls.mlir
// RUN: not pgopt-opt calls.mlir --profile="mode=static shapes=arg0:3x5" 2>&1 | FileCheck %s --check-prefix=STAGE
// STAGE: error: shapes are bound on tensors; this network has kernels or buffers already
// RUN: not pgopt-runner chain.mlir --shapes="arg0:3x5 seed=1" 2>&1 | FileCheck %s --check-prefix=TEXT
// TEXT: --shapes: 'arg0:3x5 seed=1' is not a list of shapes

//--- chain.mlir
func.func @chain(%a: tensor<?x?xf32>, %b: tensor<?x7xf32>, %c: tensor<?x?xf32>) -> tensor<?x?xf32> {
  %c0 = arith.constant 0 : index
  %z = arith.constant 0.0 : f32
  %m = tensor.dim %a, %c0 : tensor<?x?xf32>
  %e = tensor.empty(%m) : tensor<?x7xf32>
  %f = linalg.fill ins(%z : f32) outs(%e : tensor<?x7xf32>) -> tensor<?x7xf32>
  %0 = linalg.matmul ins(%a, %b : tensor<?x?xf32>, tensor<?x7xf32>) outs(%f : tensor<?x7xf32>) -> tensor<?x7xf32>
  %e1 = tensor.empty(%m) : tensor<?x7xf32>
  %1 = linalg.abs ins(%0 : tensor<?x7xf32>) outs(%e1 : tensor<?x7xf32>) -> tensor<?x7xf32>
  %c1 = arith.constant 1 : index
  %n = tensor.dim %c, %c1 : tensor<?x?xf32>
  %e2 = tensor.empty(%m, %n) : tensor<?x?xf32>
  %f2 = linalg.fill ins(%z : f32) outs(%e2 : tensor<?x?xf32>) -> tensor<?x?xf32>
  %2 = linalg.matmul ins(%1, %c : tensor<?x7xf32>, tensor<?x?xf32>) outs(%f2 : tensor<?x?xf32>) -> tensor<?x?xf32>
  return %2 : tensor<?x?xf32>
}

//--- conv.mlir
func.func @conv(%x: tensor<?x3x?x?xf32>, %w: tensor<5x3x3x3xf32>) -> tensor<?x5x?x?xf32> {
  %z = arith.constant 0.0 : f32
  %c0 = arith.constant 0 : index
  %c2 = arith.constant 2 : index
  %c3 = arith.constant 3 : index
  %n = tensor.dim %x, %c0 : tensor<?x3x?x?xf32>
  %h = tensor.dim %x, %c2 : tensor<?x3x?x?xf32>
  %v = tensor.dim %x, %c3 : tensor<?x3x?x?xf32>
  %oh = arith.subi %h, %c2 : index
  %ow = arith.subi %v, %c2 : index
  %e = tensor.empty(%n, %oh, %ow) : tensor<?x5x?x?xf32>
  %f = linalg.fill ins(%z : f32) outs(%e : tensor<?x5x?x?xf32>) -> tensor<?x5x?x?xf32>
  %0 = linalg.conv_2d_nchw_fchw ins(%x, %w : tensor<?x3x?x?xf32>, tensor<5x3x3x3xf32>) outs(%f : tensor<?x5x?x?xf32>) -> tensor<?x5x?x?xf32>
  %e1 = tensor.empty(%n, %oh, %ow) : tensor<?x5x?x?xf32>
  %1 = linalg.abs ins(%0 : tensor<?x5x?x?xf32>) outs(%e1 : tensor<?x5x?x?xf32>) -> tensor<?x5x?x?xf32>
  return %1 : tensor<?x5x?x?xf32>
}

//--- tosa.mlir
func.func @tosa(%x: tensor<?x7x?x3xf32>, %w: tensor<11x3x3x3xf32>, %b: tensor<11xf32>) -> tensor<?x7x?x11xf32> {
  %z = "tosa.const"() <{values = dense<0.0> : tensor<1xf32>}> : () -> tensor<1xf32>
  %0 = tosa.conv2d %x, %w, %b, %z, %z {acc_type = f32, dilation = array<i64: 1, 1>, pad = array<i64: 1, 1, 1, 1>, stride = array<i64: 1, 1>} : (tensor<?x7x?x3xf32>, tensor<11x3x3x3xf32>, tensor<11xf32>, tensor<1xf32>, tensor<1xf32>) -> tensor<?x7x?x11xf32>
  %1 = tosa.tanh %0 : (tensor<?x7x?x11xf32>) -> tensor<?x7x?x11xf32>
  %c0 = arith.constant 0 : index
  %c2 = arith.constant 2 : index
  %n = tensor.dim %1, %c0 : tensor<?x7x?x11xf32>
  %m = tensor.dim %1, %c2 : tensor<?x7x?x11xf32>
  %e = tensor.empty(%n, %m) : tensor<?x7x?x11xf32>
  %2 = linalg.exp ins(%1 : tensor<?x7x?x11xf32>) outs(%e : tensor<?x7x?x11xf32>) -> tensor<?x7x?x11xf32>
  return %2 : tensor<?x7x?x11xf32>
}

//--- scalar.mlir
func.func @f(%a: tensor<?xf32>, %s: f32) -> tensor<?xf32> {
  return %a : tensor<?xf32>
}

//--- data.mlir
func.func @f(%a: tensor<?x?xf32>, %n: index) -> tensor<?x1xf32> {
  %0 = tensor.extract_slice %a[0, 0] [%n, 1] [1, 1] : tensor<?x?xf32> to tensor<?x1xf32>
  return %0 : tensor<?x1xf32>
}

//--- called.mlir
func.func @f(%a: tensor<?xf32>) -> tensor<?xf32> {
  return %a : tensor<?xf32>
}
func.func @main(%a: tensor<?xf32>) -> tensor<?xf32> {
  %0 = call @f(%a) : (tensor<?xf32>) -> tensor<?xf32>
  return %0 : tensor<?xf32>
}
