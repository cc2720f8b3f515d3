// A store that cannot be read or written: one error at the module that names
// the store and the reason.

// RUN: rm -rf %t && mkdir -p %t/folder && cd %t
// RUN: not pgopt-opt %s --profile=store=folder 2>&1 | FileCheck %s --check-prefix=FOLDER
// RUN: not pgopt-opt %s --profile="mode=static store=folder" 2>&1 | FileCheck %s --check-prefix=FOLDER
// RUN: not pgopt-opt %s --form-kernels=store=folder 2>&1 | FileCheck %s --check-prefix=FOLDER
// RUN: not pgopt-opt %s --schedule-rr=store=folder 2>&1 | FileCheck %s --check-prefix=FOLDER
// RUN: not pgopt-opt %s --profile-graph=store=folder 2>&1 | FileCheck %s --check-prefix=FOLDER
// RUN: not pgopt-opt %s --form-kernels --schedule-rr=store=folder 2>&1 | FileCheck %s --check-prefix=FOLDER
// RUN: not env PGOPT_STORE=folder pgopt-opt %s --pgopt-lower 2>&1 | FileCheck %s --check-prefix=FOLDER
// FOLDER: store_invalid.mlir:{{.*}}error: store: cannot read 'folder': not a regular file
// FOLDER-NOT: error:
// RUN: not pgopt-runner --show-store=folder 2>&1 | FileCheck %s --check-prefix=SHOW-FOLDER
// SHOW-FOLDER: pgopt-runner: store: cannot read 'folder': not a regular file
// RUN: not pgopt-runner --show-store=absent 2>&1 | FileCheck %s --check-prefix=SHOW-ABSENT
// SHOW-ABSENT: pgopt-runner: store 'absent': there is no such file

// RUN: touch empty
// RUN: not pgopt-opt %s --form-kernels=store=empty 2>&1 | FileCheck %s --check-prefix=EMPTY
// EMPTY: error: store 'empty': is empty; remove it to begin a new store
// RUN: not pgopt-opt %s --form-kernels=store=%s 2>&1 | FileCheck %s --check-prefix=OTHER
// OTHER: error: store '{{.*}}store_invalid.mlir': is not a store: it begins neither with 'pgopt-store' nor with '{'
// RUN: echo '{"resourceType": "network"}' > foreign.json
// RUN: not pgopt-runner --show-store=foreign.json 2>&1 | FileCheck %s --check-prefix=FOREIGN
// FOREIGN: store 'foreign.json': is not a store: its 'format' is not 'pgopt-store'

// Cut off, with a flipped bit, of a later version; nothing writes over them.
// RUN: pgopt-opt %s --profile="budget=20ms report=none store=good" -o /dev/null
// RUN: head -c 300 good > cut
// RUN: not pgopt-opt %s --profile="report=none store=cut" 2>&1 | FileCheck %s --check-prefix=CUT
// CUT: error: store 'cut': is damaged or was cut off
// RUN: sh -c 'head -c 300 good | cmp cut -'
// RUN: sed 's/matmul/matmum/' good > flipped
// RUN: not pgopt-opt %s --profile="report=none store=flipped" 2>&1 | FileCheck %s --check-prefix=FLIPPED
// FLIPPED: error: store 'flipped': is damaged: the content does not have the checksum that the file tells
// RUN: sed 's/"version": 1,/"version": 4,/' %S/Inputs/other_machine.json > later.json
// RUN: not pgopt-opt %s --form-kernels=store=later.json 2>&1 | FileCheck %s --check-prefix=LATER
// LATER: error: store 'later.json': has version 4 of the format; this pgopt reads versions 1 to 3

// RUN: sed 's/"median_ns": 130/"median_ns": NaN/' %S/Inputs/other_machine.json > nan.json
// RUN: not pgopt-opt %s --form-kernels=store=nan.json 2>&1 | FileCheck %s --check-prefix=NAN
// NAN: error: store 'nan.json': line 7, column {{[0-9]+}}: invalid token near 'NaN'; a store in text form is JSON
// RUN: sed 's/"median_ns": 130/"median_ns": 109/' %S/Inputs/other_machine.json > times.json
// RUN: not pgopt-opt %s --form-kernels=store=times.json 2>&1 | FileCheck %s --check-prefix=TIMES
// TIMES: error: store 'times.json': the Timing of 'a 3x5 "quoted" {{.*}}' has times that cannot be: 0 <= min_ns <= median_ns and 0 <= mad_ns must hold

// Where it cannot be written nothing is measured.
// RUN: not pgopt-opt %s --profile="budget=20ms keep-program=program.mlir report-output=report.txt store=no/such/folder/s" 2>&1 | FileCheck %s --check-prefix=NOWHERE
// RUN: not pgopt-opt %s --form-kernels --profile="budget=20ms keep-program=program.mlir report-output=report.txt store=no/such/folder/s" 2>&1 | FileCheck %s --check-prefix=NOWHERE
// RUN: not pgopt-runner %s --bench=0.1 --store=no/such/folder/s > bench.txt 2>&1
// RUN: FileCheck %s --check-prefix=NOWHERE < bench.txt
// RUN: not grep median bench.txt
// RUN: not test -e program.mlir
// RUN: not test -e report.txt
// NOWHERE: {{error|pgopt-runner}}: store: cannot lock 'no/such/folder/s.lock': No such file or directory

// A limit on the size of files is like a full disk: the old store stays.
// RUN: cp good limited
// RUN: not sh -c 'ulimit -f 0; exec pgopt-runner --measure-machine=20ms --store=limited' 2>&1 | FileCheck %s --check-prefix=LIMITED
// LIMITED: pgopt-runner: store: cannot write 'limited': File too large
// RUN: cmp good limited

func.func @network(%a: tensor<3x5xf32>, %b: tensor<5x7xf32>) -> tensor<3x7xf32> {
  %zero = arith.constant 0.0 : f32
  %e0 = tensor.empty() : tensor<3x7xf32>
  %f0 = linalg.fill ins(%zero : f32) outs(%e0 : tensor<3x7xf32>) -> tensor<3x7xf32>
  %0 = linalg.matmul ins(%a, %b : tensor<3x5xf32>, tensor<5x7xf32>) outs(%f0 : tensor<3x7xf32>) -> tensor<3x7xf32>
  return %0 : tensor<3x7xf32>
}
