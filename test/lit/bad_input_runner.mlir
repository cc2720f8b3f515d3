// Bad input to pgopt-runner: a message that says where, and exit code 2; no
// crash.
// RUN: split-file %s %t && cd %t && mkdir -p folder

// Not MLIR.
// RUN: not pgopt-runner text.mlir 2>&1 | FileCheck %s --check-prefix=TEXT
// TEXT: text.mlir:1:1: error: custom op 'This' is unknown
// RUN: sh -c 'pgopt-opt good.mlir --emit-bytecode -o good.mlirbc; head -c 100 good.mlirbc > cut.mlirbc'
// RUN: not pgopt-runner cut.mlirbc 2>&1 | FileCheck %s --check-prefix=BYTECODE
// BYTECODE: cut.mlirbc:0:0: error:
// RUN: not pgopt-runner --trial=text.mlir 2>&1 | FileCheck %s --check-prefix=TEXT
// RUN: not pgopt-runner good.mlir --compare=text.mlir 2>&1 | FileCheck %s --check-prefix=TEXT
// RUN: not pgopt-runner --materialize-elided text.mlir 2>&1 | FileCheck %s --check-prefix=TEXT
// RUN: not pgopt-runner folder 2>&1 | FileCheck %s --check-prefix=FOLDER
// FOLDER: pgopt-runner: cannot read 'folder': it is a directory

// No tensors, several entries, recursive calls, more than one block.
// RUN: not pgopt-runner scalars.mlir 2>&1 | FileCheck %s --check-prefix=SCALARS
// SCALARS: scalars.mlir:1:1: error: no public function takes or returns tensors
// RUN: not pgopt-runner several.mlir 2>&1 | FileCheck %s --check-prefix=SEVERAL
// SEVERAL: several.mlir:4:1: error: several functions may be the network: 'f', 'g'
// RUN: not pgopt-runner recursive.mlir 2>&1 | FileCheck %s --check-prefix=RECURSIVE
// RUN: not pgopt-runner recursive.mlir --workers=2 2>&1 | FileCheck %s --check-prefix=RECURSIVE
// RECURSIVE: recursive.mlir:2:8: error: {{.*}} has no kernel: 'f' is recursive
// RUN: not pgopt-runner blocks.mlir 2>&1 | FileCheck %s --check-prefix=BLOCKS
// RUN: not pgopt-runner blocks.mlir --workers=2 2>&1 | FileCheck %s --check-prefix=BLOCKS
// BLOCKS: blocks.mlir:1:1: error: the network's function has more than one block

// Counts.
// RUN: not pgopt-runner good.mlir --workers=0 2>&1 | FileCheck %s --check-prefix=COUNT
// RUN: not pgopt-runner good.mlir --workers=-1 2>&1 | FileCheck %s --check-prefix=COUNT
// RUN: not pgopt-runner good.mlir --workers=4097 2>&1 | FileCheck %s --check-prefix=COUNT
// RUN: not pgopt-runner good.mlir --workers=99999999999999999999 2>&1 | FileCheck %s --check-prefix=COUNT
// COUNT: pgopt-runner: --workers: '{{.*}}' is not an integer from 1 to 4096

// Arrays that are missing, of another shape, cut off, or for nothing.
// RUN: not pgopt-runner good.mlir --input=0:absent.npy 2>&1 | FileCheck %s --check-prefix=NO-ARRAY
// NO-ARRAY: --input=0: cannot read 'absent.npy': No such file or directory
// RUN: pgopt-runner other.mlir --output=0:other.npy
// RUN: not pgopt-runner good.mlir --input=0:other.npy 2>&1 | FileCheck %s --check-prefix=SHAPE
// SHAPE: --input=0: 'other.npy' holds 5x3xf32, but argument 0 is 3x5xf32
// RUN: sh -c 'head -c 187 other.npy > cut.npy'
// RUN: not pgopt-runner good.mlir --input=0:cut.npy 2>&1 | FileCheck %s --check-prefix=CUT
// CUT: --input=0: cannot read 'cut.npy': not a valid npy file: its shape needs 60 bytes of data, it has 59
// RUN: not pgopt-runner good.mlir --input=0:good.mlir 2>&1 | FileCheck %s --check-prefix=NO-NPY
// NO-NPY: --input=0: cannot read 'good.mlir': not a valid npy file
// RUN: not pgopt-runner good.mlir --input=0:folder 2>&1 | FileCheck %s --check-prefix=NPY-FOLDER
// NPY-FOLDER: --input=0: cannot read 'folder': not a regular file
// RUN: not pgopt-runner good.mlir --input=1:other.npy 2>&1 | FileCheck %s --check-prefix=NO-ARGUMENT
// NO-ARGUMENT: --input=1:other.npy: 'good.mlir' has 1 argument

// Outputs that cannot be written.
// RUN: not pgopt-runner good.mlir --output=0:folder 2>&1 | FileCheck %s --check-prefix=OUT-FOLDER
// RUN: not pgopt-runner good.mlir --trace=folder 2>&1 | FileCheck %s --check-prefix=OUT-FOLDER
// RUN: not pgopt-runner --materialize-elided good.mlir -o folder 2>&1 | FileCheck %s --check-prefix=OUT-FOLDER
// OUT-FOLDER: pgopt-runner: cannot write 'folder': Is a directory
// RUN: not pgopt-runner good.mlir --output=0:no/such/folder/x.npy 2>&1 | FileCheck %s --check-prefix=OUT-NOWHERE
// OUT-NOWHERE: pgopt-runner: cannot write 'no/such/folder/x.npy': No such file or directory
// RUN: not pgopt-runner good.mlir --output=/proc/read-only 2>&1 | FileCheck %s --check-prefix=OUT-READ-ONLY
// OUT-READ-ONLY: pgopt-runner: cannot write '/proc/read-only/result_0.npy':
// RUN: not pgopt-runner good.mlir --output=7:x.npy 2>&1 | FileCheck %s --check-prefix=NO-RESULT
// NO-RESULT: pgopt-runner: --output=7:x.npy: 'good.mlir' has 1 result
// RUN: not sh -c 'pgopt-runner good.mlir --print-results > /dev/full' 2>&1 | FileCheck %s --check-prefix=FULL
// FULL: pgopt-runner: cannot write to the standard output

// A store that is a directory.
// RUN: not pgopt-runner --show-store=folder 2>&1 | FileCheck %s --check-prefix=STORE
// RUN: not pgopt-runner --measure-machine=10ms --store=folder 2>&1 | FileCheck %s --check-prefix=STORE
// STORE: pgopt-runner: store: cannot read 'folder': not a regular file
// RUN: not env PGOPT_STORE=folder pgopt-runner good.mlir 2>&1 | FileCheck %s --check-prefix=USED
// USED: good.mlir:1:1: error: store: cannot read 'folder': not a regular file

// Parameter files.
// RUN: python3 %S/Inputs/bad_safetensors.py .
// RUN: pgopt-runner parameter.mlir --parameters=good.safetensors
// RUN: not pgopt-runner parameter.mlir --parameters=overlap.safetensors 2>&1 | FileCheck %s --check-prefix=OVERLAP
// OVERLAP: --parameters: overlap.safetensors: tensor 'v' begins at data byte 56, inside the one before it
// RUN: not pgopt-runner parameter.mlir --parameters=beyond.safetensors 2>&1 | FileCheck %s --check-prefix=BEYOND
// BEYOND: --parameters: beyond.safetensors: tensor 'w' lies at [0, 60) of 59 data bytes
// RUN: not pgopt-runner parameter.mlir --parameters=negative.safetensors 2>&1 | FileCheck %s --check-prefix=NEGATIVE
// NEGATIVE: --parameters: negative.safetensors: the data_offsets of tensor 'w' are not two non-negative integers
// RUN: not pgopt-runner parameter.mlir --parameters=backwards.safetensors 2>&1 | FileCheck %s --check-prefix=BACKWARDS
// BACKWARDS: --parameters: backwards.safetensors: tensor 'w' lies at [60, 0) of 60 data bytes
// RUN: not pgopt-runner parameter.mlir --parameters=huge.safetensors 2>&1 | FileCheck %s --check-prefix=HUGE
// HUGE: --parameters: huge.safetensors: the size of tensor 'w' does not fit 64 bits
// RUN: not pgopt-runner parameter.mlir --parameters=shape.safetensors 2>&1 | FileCheck %s --check-prefix=OTHER-SHAPE
// OTHER-SHAPE: --parameters: tensor 'w' of 'shape.safetensors' is F32 of rank 2 and 60 bytes, but argument 1 is 3x5xf32
// RUN: not pgopt-runner parameter.mlir --parameters=type.safetensors 2>&1 | FileCheck %s --check-prefix=TYPE
// TYPE: --parameters: tensor 'w' of 'type.safetensors' is I32 of rank 2
// RUN: not pgopt-runner parameter.mlir --parameters=absent.safetensors 2>&1 | FileCheck %s --check-prefix=ABSENT
// ABSENT: --parameters: 'absent.safetensors' has no tensor 'w', which argument 1 names
// RUN: not pgopt-runner parameter.mlir --parameters=good.mlir 2>&1 | FileCheck %s --check-prefix=NO-SAFETENSORS
// NO-SAFETENSORS: --parameters: good.mlir:

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

//--- parameter.mlir
func.func @f(%a: tensor<3x5xf32>, %w: tensor<3x5xf32> {pg.parameter = "w"}) -> tensor<3x5xf32> {
  %e = tensor.empty() : tensor<3x5xf32>
  %0 = linalg.add ins(%a, %w : tensor<3x5xf32>, tensor<3x5xf32>) outs(%e : tensor<3x5xf32>) -> tensor<3x5xf32>
  return %0 : tensor<3x5xf32>
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
  %r = call @f(%a) : (tensor<3x5xf32>) -> tensor<3x5xf32>
  return %r : tensor<3x5xf32>
}
