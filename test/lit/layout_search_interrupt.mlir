// Ctrl-C ends a search early: what it has measured is in the store, and known
// from then on. An interrupt that comes before the first run keeps nothing: it
// comes later in the next try.
// RUN: rm -rf %t && mkdir -p %t && cd %t
// RUN: sh -c 'for seconds in 3 12 48 192; do rm -f s; \
// RUN:   timeout --preserve-status --signal=INT $seconds pgopt-opt %s \
// RUN:     --layout-search="budget=600s store=s" -o out.mlir 2> err.txt; \
// RUN:   echo code $?; grep -qs "store has what was measured" err.txt && break; done' > codes.txt
// RUN: tail -n 1 codes.txt | FileCheck %s
// CHECK: code 1
// RUN: FileCheck %s --check-prefix=SAYS < err.txt
// SAYS: error: interrupted; the layouts are as given, the store has what was measured
// RUN: pgopt-runner --show-store=s | FileCheck %s --check-prefix=STORE
// STORE: {"signature": "{{[0-9a-z: ]+}} apart"
// RUN: pgopt-opt %s --layout-search="prices=stored store=s" --mlir-pass-statistics -o out.mlir 2>&1 \
// RUN:   | FileCheck %s --check-prefix=AGAIN
// AGAIN: {{[1-9][0-9]*}} prices-looked-up

func.func @f(%x: tensor<307x211x127xf32>, %y: tensor<211x307x127xf32>)
    -> tensor<211x307x127xf32> {
  %e = tensor.empty() : tensor<211x307x127xf32>
  %t = linalg.transpose ins(%x : tensor<307x211x127xf32>)
    outs(%e : tensor<211x307x127xf32>) permutation = [1, 0, 2]
  %a = linalg.add ins(%t, %y : tensor<211x307x127xf32>, tensor<211x307x127xf32>)
    outs(%e : tensor<211x307x127xf32>) -> tensor<211x307x127xf32>
  %b = linalg.exp ins(%a : tensor<211x307x127xf32>)
    outs(%e : tensor<211x307x127xf32>) -> tensor<211x307x127xf32>
  return %b : tensor<211x307x127xf32>
}
