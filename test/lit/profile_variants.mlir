// Variants of kernels: chosen by measuring, remembered, taken from a store.
// REQUIRES: x86_64

// RUN: rm -rf %t && mkdir -p %t && cd %t

// What a store says is done, whatever the machine does: the second kernel is
// the model's choice there, too.
// RUN: pgopt-opt %s --form-kernels="store=%S/Inputs/choices.json any-machine=true" -o stored.mlir 2> stored.txt
// RUN: FileCheck %s --check-prefix=STORED < stored.mlir
// RUN: FileCheck %s --check-prefix=ELSEWHERE < stored.txt
// STORED: func.func private @matmul_0({{.*}}pg.signature = "matmul 17x35 over 13 {{[0-9a-f]+}}", pg.variant = "blas"}
// STORED: func.func private @matmul_1(
// STORED-NOT: pg.variant
// STORED: call @matmul_0({{.*}}pg.timing = {{{.*}}median_ns = 700
// STORED: call @matmul_1({{.*}}pg.timing = {{{.*}}median_ns = 900
// ELSEWHERE: profile_variants.mlir:{{.*}}warning: variants of kernels are those that were chosen on another machine, 'Another CPU; {{.*}}', not on this one, '{{.*}}'

// The model's choices have Timing of their own.
// RUN: pgopt-opt %s --profile="mode=static report=none variants=model store=%S/Inputs/choices.json any-machine=true" 2> model.txt \
// RUN:   | FileCheck %s --check-prefix=MODEL
// RUN: not grep 'variants of kernels' model.txt
// MODEL: linalg.matmul {{.*}}median_ns = 800
// MODEL: linalg.matmul {{.*}}median_ns = 900
// RUN: pgopt-opt %s --profile="mode=static report=none store=%S/Inputs/choices.json any-machine=true" 2> /dev/null \
// RUN:   | FileCheck %s --check-prefix=TIMED
// TIMED: linalg.matmul {{.*}}median_ns = 700
// TIMED: linalg.matmul {{.*}}median_ns = 900

// One that does not apply is not taken.
// RUN: sed 's/"variant": "blas"/"variant": "im2col"/' %S/Inputs/choices.json > im2col.json
// RUN: pgopt-opt %s --form-kernels="store=im2col.json any-machine=true" -o im2col.mlir 2> im2col.txt
// RUN: FileCheck %s --check-prefix=IM2COL < im2col.txt
// RUN: not grep pg.variant im2col.mlir
// IM2COL: warning: the variant 'im2col' that the store has for this kernel does not apply here; the model's is taken

// Measured once: the second run measures nothing, compiles nothing, and needs no
// runner.
// RUN: pgopt-opt %s --profile="variants=measure store=s budget=30ms report=none" --mlir-pass-statistics -o first.mlir 2> first.txt
// RUN: FileCheck %s --check-prefix=FIRST < first.txt
// FIRST: (S) 2 layers-measured
// FIRST: (S) {{[1-9][0-9]*}} variants-measured
// RUN: env PGOPT_RUNNER=/nowhere pgopt-opt %s --profile="variants=measure store=s report=none" --mlir-pass-statistics -o second.mlir 2>&1 \
// RUN:   | FileCheck %s --check-prefix=SECOND
// SECOND: (S) 0 layers-measured
// SECOND: (S) 0 variants-measured
// RUN: pgopt-runner --show-store=s | FileCheck %s --check-prefix=STORE
// STORE: "version": {{[23]}}
// STORE: "choices": [
// STORE: "signature": "matmul 11x19 over 7 {{.*}}"candidates": [
// STORE-NEXT: {"variant": "product:{{.*}}"ratio_ppm": 1000000, "chance_ppm": 1000000, "failure": ""}
// STORE: {"variant": "blas", {{.*}}"runs": {{[1-9][0-9]*}}

// Same input and same store: same bytes.
// RUN: pgopt-opt %s --form-kernels=store=s --pgopt-lower -o a.mlir
// RUN: pgopt-opt %s --form-kernels=store=s --pgopt-lower -o b.mlir
// RUN: cmp a.mlir b.mlir
// RUN: pgopt-opt %s --profile="store=s report=none" --form-kernels=store=s --pgopt-lower -o c.mlir
// RUN: pgopt-runner a.mlir --compare=c.mlir --tolerance=0
// RUN: pgopt-runner a.mlir --compare=%s --tolerance=1e-5

// On kernel calls, and without a store: the module remembers.
// RUN: pgopt-opt %s --form-kernels --profile="variants=measure budget=30ms report=none" --mlir-pass-statistics -o calls.mlir 2> calls.txt
// RUN: FileCheck %s --check-prefix=FIRST < calls.txt
// RUN: pgopt-runner calls.mlir --compare=%s --tolerance=1e-5

// RUN: not pgopt-opt %s --profile=variants=best 2>&1 | FileCheck %s --check-prefix=WORD
// WORD: error: variants is 'best'; it must be stored, model or measure

func.func @forward(%a: tensor<17x13xf32>, %b: tensor<13x35xf32>, %x: tensor<11x7xf32>, %y: tensor<7x19xf32>)
    -> (tensor<17x35xf32>, tensor<11x19xf32>) {
  %z = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<17x35xf32>
  %f = linalg.fill ins(%z : f32) outs(%e : tensor<17x35xf32>) -> tensor<17x35xf32>
  %r = linalg.matmul ins(%a, %b : tensor<17x13xf32>, tensor<13x35xf32>) outs(%f : tensor<17x35xf32>) -> tensor<17x35xf32>
  %e1 = tensor.empty() : tensor<11x19xf32>
  %f1 = linalg.fill ins(%z : f32) outs(%e1 : tensor<11x19xf32>) -> tensor<11x19xf32>
  %r1 = linalg.matmul ins(%x, %y : tensor<11x7xf32>, tensor<7x19xf32>) outs(%f1 : tensor<11x19xf32>) -> tensor<11x19xf32>
  return %r, %r1 : tensor<17x35xf32>, tensor<11x19xf32>
}
