// A candidate that traps is out, and named; the others are compared. A Ctrl-C
// keeps what was measured.
// UNSUPPORTED: asan, tsan

// RUN: rm -rf %t && mkdir -p %t && cd %t
// RUN: sh -c 'LD_PRELOAD=$(dirname %pgopt_plugin)/libtrap_blas.so pgopt-opt %s \
// RUN:   --profile="variants=measure store=s budget=30ms report=none" --mlir-pass-statistics -o out.mlir' 2> err.txt
// RUN: FileCheck %s --check-prefix=COUNT < err.txt
// COUNT: (S) 1 layers-measured
// RUN: pgopt-runner --show-store=s | FileCheck %s --check-prefix=STORE
// STORE: "choices": [
// STORE: {"variant": "product:{{.*}}"failure": ""}
// STORE: {"variant": "blas", {{.*}}"runs": 0, "ratio_ppm": 0, "chance_ppm": 0, "failure": "trapped: SIG{{ILL|TRAP}}"}

// It is not tried again.
// RUN: env PGOPT_RUNNER=/nowhere pgopt-opt %s --profile="variants=measure store=s report=none" -o again.mlir
// RUN: not grep '"blas"' again.mlir

// RUN: sh -c 'for seconds in 2 8 32 128; do rm -f i; \
// RUN:   timeout --preserve-status --signal=INT $seconds pgopt-opt %s \
// RUN:     --profile="variants=measure store=i budget=600s report=none" -o out.mlir 2> err.txt; \
// RUN:   echo code $?; grep -q "interrupted after [1-9]" err.txt && break; done' > codes.txt
// RUN: tail -n 1 codes.txt | FileCheck %s --check-prefix=CODE
// CODE: code 1
// RUN: FileCheck %s --check-prefix=SAYS < err.txt
// SAYS: error: interrupted after {{[1-9][0-9]*}} measured runs of the variants; the store has what they show
// RUN: pgopt-runner --show-store=i | FileCheck %s --check-prefix=KEPT
// KEPT: "choices": [
// KEPT: {"variant": "blas", {{.*}}"runs": {{[1-9][0-9]*}}

func.func @forward(%a: tensor<1409x1201xf32>, %b: tensor<1201x1303xf32>) -> tensor<1409x1303xf32> {
  %z = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<1409x1303xf32>
  %f = linalg.fill ins(%z : f32) outs(%e : tensor<1409x1303xf32>) -> tensor<1409x1303xf32>
  %r = linalg.matmul ins(%a, %b : tensor<1409x1201xf32>, tensor<1201x1303xf32>) outs(%f : tensor<1409x1303xf32>) -> tensor<1409x1303xf32>
  return %r : tensor<1409x1303xf32>
}
