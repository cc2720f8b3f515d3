// Bad input to pgopt-opt: one located error and exit code 1, from every pass
// that meets it.
// RUN: split-file %s %t && cd %t

// Not MLIR: text, bytes, broken bytecode.
// RUN: not pgopt-opt text.mlir --profile=mode=static 2>&1 | FileCheck %s --check-prefix=TEXT
// TEXT: text.mlir:1:1: error: custom op 'This' is unknown
// RUN: sh -c 'head -c 4096 "$(command -v pgopt-opt)" > program.mlir'
// RUN: not pgopt-opt program.mlir --profile=mode=static 2>&1 | FileCheck %s --check-prefix=PROGRAM
// PROGRAM: program.mlir:1:1: error:
// RUN: pgopt-opt good.mlir --emit-bytecode -o good.mlirbc
// RUN: sh -c 'head -c 100 good.mlirbc > cut.mlirbc'
// RUN: not pgopt-opt cut.mlirbc --profile=mode=static 2>&1 | FileCheck %s --check-prefix=BYTECODE
// BYTECODE: cut.mlirbc:0:0: error:
// RUN: not pgopt-opt absent.mlir --profile=mode=static 2>&1 | FileCheck %s --check-prefix=ABSENT
// ABSENT: cannot open input file 'absent.mlir': No such file or directory
// RUN: not pgopt-opt %t --profile=mode=static 2>&1 | FileCheck %s --check-prefix=FOLDER
// FOLDER: bad_input_opt.mlir.tmp

// No tensors.
// RUN: not pgopt-opt scalars.mlir --pgopt-normalize 2>&1 | FileCheck %s --check-prefix=SCALARS
// RUN: not pgopt-opt scalars.mlir --mark-parameters=args=0 2>&1 | FileCheck %s --check-prefix=SCALARS
// RUN: not pgopt-opt scalars.mlir --profile 2>&1 | FileCheck %s --check-prefix=SCALARS
// RUN: not pgopt-opt scalars.mlir --profile=mode=static 2>&1 | FileCheck %s --check-prefix=SCALARS
// RUN: not pgopt-opt scalars.mlir --transpose-elim 2>&1 | FileCheck %s --check-prefix=SCALARS
// RUN: not pgopt-opt scalars.mlir --form-kernels 2>&1 | FileCheck %s --check-prefix=SCALARS
// RUN: not pgopt-opt scalars.mlir --profile-graph 2>&1 | FileCheck %s --check-prefix=SCALARS
// RUN: not pgopt-opt scalars.mlir --schedule-rr 2>&1 | FileCheck %s --check-prefix=SCALARS
// RUN: not pgopt-opt scalars.mlir --pgopt-lower 2>&1 | FileCheck %s --check-prefix=SCALARS
// SCALARS: scalars.mlir:1:1: error: no public function takes or returns tensors; name the network with entry=
// SCALARS-NOT: error:

// Several entries.
// RUN: not pgopt-opt several.mlir --pgopt-normalize 2>&1 | FileCheck %s --check-prefix=SEVERAL
// RUN: not pgopt-opt several.mlir --mark-parameters=args=0 2>&1 | FileCheck %s --check-prefix=SEVERAL
// RUN: not pgopt-opt several.mlir --profile 2>&1 | FileCheck %s --check-prefix=SEVERAL
// RUN: not pgopt-opt several.mlir --transpose-elim 2>&1 | FileCheck %s --check-prefix=SEVERAL
// RUN: not pgopt-opt several.mlir --form-kernels 2>&1 | FileCheck %s --check-prefix=SEVERAL
// RUN: not pgopt-opt several.mlir --profile-graph 2>&1 | FileCheck %s --check-prefix=SEVERAL
// RUN: not pgopt-opt several.mlir --schedule-rr 2>&1 | FileCheck %s --check-prefix=SEVERAL
// RUN: not pgopt-opt several.mlir --pgopt-lower 2>&1 | FileCheck %s --check-prefix=SEVERAL
// SEVERAL: several.mlir:4:1: error: several functions may be the network: 'f', 'g'; name one with entry=
// SEVERAL-NOT: error:

// Recursive calls. Counting them has an answer: unknown.
// RUN: pgopt-opt recursive.mlir --profile="mode=static report=none entry=f" | FileCheck %s --check-prefix=COUNTED
// COUNTED: call @g{{.*}}pg.lflops_unknown = "call of a function with unknown operations"
// RUN: not pgopt-opt recursive.mlir --profile=entry=f 2>&1 | FileCheck %s --check-prefix=RECURSIVE
// RUN: not pgopt-opt recursive.mlir --form-kernels=entry=f 2>&1 | FileCheck %s --check-prefix=RECURSIVE
// RUN: not pgopt-opt recursive.mlir --profile-graph=entry=f 2>&1 | FileCheck %s --check-prefix=RECURSIVE
// RUN: not pgopt-opt recursive.mlir --schedule-rr=entry=f 2>&1 | FileCheck %s --check-prefix=RECURSIVE
// RUN: not pgopt-opt recursive.mlir --pgopt-lower=entry=f 2>&1 | FileCheck %s --check-prefix=RECURSIVE
// RECURSIVE: recursive.mlir:2:8: error: a call of a function on tensors that cannot be inlined has no kernel: 'g' is recursive
// RUN: not pgopt-opt recursive.mlir --form-kernels=entry=itself 2>&1 | FileCheck %s --check-prefix=ITSELF
// ITSELF: recursive.mlir:11:8: error: {{.*}} has no kernel: 'itself' is recursive
// RUN: not pgopt-opt recursive.mlir --form-kernels=entry=mutual 2>&1 | FileCheck %s --check-prefix=MUTUAL
// MUTUAL: recursive.mlir:{{[0-9]+}}:8: error: {{.*}} has no kernel: '{{ping|pong}}' is recursive
// RUN: not pgopt-opt recursive.mlir --form-kernels=entry=outside 2>&1 | FileCheck %s --check-prefix=OUTSIDE
// OUTSIDE: recursive.mlir:27:8: error: {{.*}} has no kernel: 'declared' has no body
// The twin: a private entry whose calls can be inlined is not lost meanwhile.
// RUN: pgopt-opt recursive.mlir --form-kernels=entry=caller | FileCheck %s --check-prefix=INLINED
// INLINED: func.func private @caller
// INLINED: call @exp_0

// More than one block.
// RUN: not pgopt-opt blocks.mlir --profile 2>&1 | FileCheck %s --check-prefix=BLOCKS
// RUN: not pgopt-opt blocks.mlir --profile=mode=static 2>&1 | FileCheck %s --check-prefix=BLOCKS
// RUN: not pgopt-opt blocks.mlir --transpose-elim 2>&1 | FileCheck %s --check-prefix=BLOCKS
// RUN: not pgopt-opt blocks.mlir --form-kernels 2>&1 | FileCheck %s --check-prefix=BLOCKS
// RUN: not pgopt-opt blocks.mlir --profile-graph 2>&1 | FileCheck %s --check-prefix=BLOCKS
// RUN: not pgopt-opt blocks.mlir --schedule-rr 2>&1 | FileCheck %s --check-prefix=BLOCKS
// RUN: not pgopt-opt blocks.mlir --pgopt-lower 2>&1 | FileCheck %s --check-prefix=BLOCKS
// BLOCKS: blocks.mlir:1:1: error: the network's function has more than one block
// BLOCKS-NOT: error:

// Counts.
// RUN: not pgopt-opt good.mlir --schedule-rr=count=0 2>&1 | FileCheck %s --check-prefix=COUNT
// RUN: not pgopt-opt good.mlir --schedule-rr=count=-1 2>&1 | FileCheck %s --check-prefix=COUNT
// RUN: not pgopt-opt good.mlir --schedule-rr=count=4097 2>&1 | FileCheck %s --check-prefix=COUNT
// RUN: not pgopt-opt good.mlir --schedule-rr=count=99999999999999999999 2>&1 | FileCheck %s --check-prefix=COUNT
// COUNT: good.mlir:1:1: error: count={{.*}} is not a number from 1 to 4096, nor auto
// RUN: not pgopt-opt good.mlir --form-kernels=split=0 2>&1 | FileCheck %s --check-prefix=SPLIT
// RUN: not pgopt-opt good.mlir --form-kernels=split=-1 2>&1 | FileCheck %s --check-prefix=SPLIT
// RUN: not pgopt-opt good.mlir --form-kernels=split=4097 2>&1 | FileCheck %s --check-prefix=SPLIT
// SPLIT: good.mlir:1:1: error: split is '{{.*}}'; it must be auto or a number from 1 to 4096
// RUN: pgopt-opt good.mlir --schedule-rr="count=4096 check=true" | FileCheck %s --check-prefix=MOST
// MOST: pg.resources = {count = 4096 : i64, kind = "cores"}

// Arrays that are missing, or of another shape.
// RUN: not pgopt-opt good.mlir --profile="budget=10ms inputs=0:absent.npy" 2>&1 | FileCheck %s --check-prefix=NO-ARRAY
// NO-ARRAY: good.mlir:1:1: error: the trial run failed with exit code 1: {{.*}}cannot read 'absent.npy': No such file or directory
// RUN: pgopt-runner other.mlir --output=0:other.npy
// RUN: not pgopt-opt good.mlir --profile="budget=10ms inputs=0:other.npy" 2>&1 | FileCheck %s --check-prefix=SHAPE
// SHAPE: good.mlir:1:1: error: {{.*}}'other.npy' holds 5x3xf32, but argument 0 is 3x5xf32

// Outputs that cannot be written.
// RUN: mkdir -p folder
// RUN: not pgopt-opt good.mlir --form-kernels -o folder 2>&1 | FileCheck %s --check-prefix=OUT
// OUT: cannot open output file 'folder': Is a directory
// RUN: not pgopt-opt good.mlir --profile="mode=static report-output=folder" 2>&1 | FileCheck %s --check-prefix=REPORT
// REPORT: good.mlir:1:1: error: report-output: cannot write 'folder': Is a directory
// RUN: not pgopt-opt good.mlir --profile="budget=10ms keep-program=folder" 2>&1 | FileCheck %s --check-prefix=KEEP
// KEEP: good.mlir:1:1: error: cannot write 'folder': Is a directory
// RUN: not pgopt-opt good.mlir --profile-graph=output=folder 2>&1 | FileCheck %s --check-prefix=GRAPH
// GRAPH: good.mlir:{{[1-9][0-9]*:[0-9]+}}: error: cannot open 'folder' for writing: Is a directory
// RUN: not pgopt-opt constant.mlir --form-kernels=parameters=folder 2>&1 | FileCheck %s --check-prefix=PARAMETERS
// PARAMETERS: constant.mlir:{{[1-9][0-9]*:[0-9]+}}: error: parameters: {{.*}}folder
// RUN: not sh -c 'pgopt-opt good.mlir --profile-graph=output=/dev/full -o /dev/null' 2>&1 | FileCheck %s --check-prefix=FULL
// FULL: good.mlir:{{[1-9][0-9]*:[0-9]+}}: error: cannot write '/dev/full': No space left on device

// A store that is a directory.
// RUN: not pgopt-opt good.mlir --profile=store=folder 2>&1 | FileCheck %s --check-prefix=STORE
// STORE: good.mlir:1:1: error: store: cannot read 'folder': not a regular file

//--- text.mlir
This is not MLIR.

//--- good.mlir
func.func @f(%a: tensor<3x5xf32>) -> tensor<3x5xf32> {
  %e = tensor.empty() : tensor<3x5xf32>
  %0 = linalg.exp ins(%a : tensor<3x5xf32>) outs(%e : tensor<3x5xf32>) -> tensor<3x5xf32>
  return %0 : tensor<3x5xf32>
}

//--- other.mlir
func.func @f(%a: tensor<5x3xf32>) -> tensor<5x3xf32> {
  %e = tensor.empty() : tensor<5x3xf32>
  %0 = linalg.exp ins(%a : tensor<5x3xf32>) outs(%e : tensor<5x3xf32>) -> tensor<5x3xf32>
  return %0 : tensor<5x3xf32>
}

//--- constant.mlir
func.func @f(%a: tensor<131x131xf32>) -> tensor<131x131xf32> {
  %w = arith.constant dense<1.5> : tensor<131x131xf32>
  %e = tensor.empty() : tensor<131x131xf32>
  %0 = linalg.add ins(%a, %w : tensor<131x131xf32>, tensor<131x131xf32>) outs(%e : tensor<131x131xf32>) -> tensor<131x131xf32>
  return %0 : tensor<131x131xf32>
}

//--- scalars.mlir
func.func @f(%a: i32) -> i32 {
  return %a : i32
}

//--- several.mlir
func.func @f(%a: tensor<3x5xf32>) -> tensor<3x5xf32> {
  return %a : tensor<3x5xf32>
}
func.func @g(%a: tensor<3x5xf32>) -> tensor<3x5xf32> {
  return %a : tensor<3x5xf32>
}

//--- blocks.mlir
func.func @f(%c: i1, %a: tensor<3x5xf32>, %b: tensor<3x5xf32>) -> tensor<3x5xf32> {
  cf.cond_br %c, ^one, ^two
^one:
  return %a : tensor<3x5xf32>
^two:
  return %b : tensor<3x5xf32>
}

//--- recursive.mlir
func.func @f(%a: tensor<3x5xf32>) -> tensor<3x5xf32> {
  %r = call @g(%a) : (tensor<3x5xf32>) -> tensor<3x5xf32>
  return %r : tensor<3x5xf32>
}
func.func private @g(%a: tensor<3x5xf32>) -> tensor<3x5xf32> {
  %e = tensor.empty() : tensor<3x5xf32>
  %r = call @g(%a) : (tensor<3x5xf32>) -> tensor<3x5xf32>
  return %r : tensor<3x5xf32>
}
func.func private @itself(%a: tensor<3x5xf32>) -> tensor<3x5xf32> {
  %r = call @itself(%a) : (tensor<3x5xf32>) -> tensor<3x5xf32>
  return %r : tensor<3x5xf32>
}
func.func private @mutual(%a: tensor<3x5xf32>) -> tensor<3x5xf32> {
  %r = call @ping(%a) : (tensor<3x5xf32>) -> tensor<3x5xf32>
  return %r : tensor<3x5xf32>
}
func.func private @ping(%a: tensor<3x5xf32>) -> tensor<3x5xf32> {
  %r = call @pong(%a) : (tensor<3x5xf32>) -> tensor<3x5xf32>
  return %r : tensor<3x5xf32>
}
func.func private @pong(%a: tensor<3x5xf32>) -> tensor<3x5xf32> {
  %r = call @ping(%a) : (tensor<3x5xf32>) -> tensor<3x5xf32>
  return %r : tensor<3x5xf32>
}
func.func private @outside(%a: tensor<3x5xf32>) -> tensor<3x5xf32> {
  %r = call @declared(%a) : (tensor<3x5xf32>) -> tensor<3x5xf32>
  return %r : tensor<3x5xf32>
}
func.func private @declared(%a: tensor<3x5xf32>) -> tensor<3x5xf32>
func.func private @caller(%a: tensor<3x5xf32>) -> tensor<3x5xf32> {
  %r = call @callee(%a) : (tensor<3x5xf32>) -> tensor<3x5xf32>
  return %r : tensor<3x5xf32>
}
func.func private @callee(%a: tensor<3x5xf32>) -> tensor<3x5xf32> {
  %e = tensor.empty() : tensor<3x5xf32>
  %0 = linalg.exp ins(%a : tensor<3x5xf32>) outs(%e : tensor<3x5xf32>) -> tensor<3x5xf32>
  return %0 : tensor<3x5xf32>
}
