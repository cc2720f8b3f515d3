// The variants of kernels with their times, from a store, measured first where
// a network is given.
// RUN: rm -rf %t && mkdir -p %t && cd %t
// RUN: pgopt-runner --variants "matmul 17" --store %S/Inputs/choices.json | FileCheck %s --match-full-lines
// CHECK: matmul 17x35 over 13 dd6d0aec4115ac9b4758aa27d3bc4ad5
// CHECK-NEXT: on Another CPU; avx2; 3 cores; BLAS 1.2
// CHECK-NEXT: variant {{ *}}cycles {{ *}}median us {{ *}}mad us {{ *}}runs {{ *}}ratio {{ *}}p
// CHECK-NEXT: product:6x4 {{ *}}960 {{ *}}0.800 {{ *}}0.003 {{ *}}31 {{ *}}1.000 {{ *}}1.0000  the model's choice
// CHECK-NEXT: * blas {{ *}}5900 {{ *}}0.700 {{ *}}0.002 {{ *}}31 {{ *}}0.857 {{ *}}0.0000  taken: faster
// CHECK-NEXT: product:8x3 {{ *}}990 {{ *}}0.790 {{ *}}0.003 {{ *}}31 {{ *}}0.985 {{ *}}0.0000  no difference beyond 2%
// CHECK-NEXT: product:12x2 {{ *}}1010 {{ *}}0.760 {{ *}}0.090 {{ *}}31 {{ *}}0.950 {{ *}}0.0200  not sure
// CHECK-NEXT: product:14x1 {{ *}}1100 {{ *}}0.900 {{ *}}0.009 {{ *}}31 {{ *}}1.120 {{ *}}0.0000  slower
// CHECK-NEXT: product:2x8 packed {{ *}}1200 {{ *}}- {{ *}}- {{ *}}- {{ *}}- {{ *}}-  trapped: SIGILL
// CHECK-NEXT: blas is taken: it takes 0.857 times as long as the model's choice, p = 1.2e-05
// CHECK-NOT: {{.}}

// A kernel was faster with another variant, the network was not.
// RUN: sed 's/"chosen": 1/"chosen": 0/' %S/Inputs/choices.json > overruled.json
// RUN: pgopt-runner --variants "matmul 17" --store overruled.json | FileCheck %s --check-prefix=OVERRULED
// OVERRULED: * product:6x4 {{.*}} the model's choice, taken
// OVERRULED: blas {{.*}} 0.857 {{.*}} faster, but not the network with it
// OVERRULED: product:6x4 is taken, the model's choice: the network was no faster with another

// RUN: pgopt-runner --variants= --store=%S/Inputs/choices.json | FileCheck %s --check-prefix=ALL
// ALL: matmul 11x19 over 7
// ALL: * product:6x4 {{.*}}the model's choice, taken
// ALL: product:6x4 is taken, the model's choice: no other is faster
// ALL: matmul 17x35 over 13

// RUN: pgopt-runner --variants "matmul 17" --store %S/Inputs/choices.json --report=json > out.json
// RUN: FileCheck %s --check-prefix=JSON < out.json
// JSON: [{"signature": "matmul 17x35 over 13 {{[0-9a-f]*}}", "machine": "Another CPU; avx2; 3 cores; BLAS 1.2",
// JSON-NEXT: "chosen": "blas", "why": "blas is taken: it takes 0.857 times as long as the model's choice, p = 1.2e-05",
// JSON: {"variant": "blas", "cycles": 5900, "median_ns": 700, "min_ns": 690, "mad_ns": 2, "runs": 31, "ratio": 0.857000, "p": 0.000012, "verdict": "taken: faster"},
// JSON: {"variant": "product:2x8 packed", "cycles": 1200, "failure": "trapped: SIGILL"}]}]

// RUN: pgopt-runner --variants matmul --store=s --budget-ms=30 %s > measured.txt
// RUN: FileCheck %s --check-prefix=MEASURED < measured.txt
// MEASURED: matmul 17x35 over 13 dd6d0aec4115ac9b4758aa27d3bc4ad5
// MEASURED: product:{{.*}} 1.000 {{.*}}the model's choice
// MEASURED: blas {{ *}}{{[0-9]+}} {{ *}}{{[0-9.]+}} {{ *}}{{[0-9.]+}} {{ *}}{{[0-9]+}}
// RUN: pgopt-runner --variants matmul --store=s > known.txt
// RUN: cmp measured.txt known.txt

// RUN: not pgopt-runner --variants conv --store=s 2>&1 | FileCheck %s --check-prefix=NONE
// NONE: pgopt-runner: --variants: the store 's' has no choice for a signature that begins with 'conv'
// RUN: not pgopt-runner --variants matmul 2>&1 | FileCheck %s --check-prefix=STORE
// STORE: pgopt-runner: --variants: --store=FILE or $PGOPT_STORE must name the store
// RUN: not pgopt-runner --variants matmul --store="a b" %s 2>&1 | FileCheck %s --check-prefix=BLANK
// BLANK: pgopt-runner: --variants: the names 'a b' and '' cannot be given to a pass; rename the store or the entry
// RUN: not pgopt-runner --variants matmul --store=s --report=xml 2>&1 | FileCheck %s --check-prefix=FORM
// FORM: pgopt-runner: --report: 'xml' is neither 'json' nor 'table'

func.func @forward(%a: tensor<17x13xf32>, %b: tensor<13x35xf32>) -> tensor<17x35xf32> {
  %z = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<17x35xf32>
  %f = linalg.fill ins(%z : f32) outs(%e : tensor<17x35xf32>) -> tensor<17x35xf32>
  %r = linalg.matmul ins(%a, %b : tensor<17x13xf32>, tensor<13x35xf32>) outs(%f : tensor<17x35xf32>) -> tensor<17x35xf32>
  return %r : tensor<17x35xf32>
}
