// One object a kernel, and one for the rest.
// RUN: rm -rf %t && mkdir %t
// RUN: env PGOPT_CACHE=%t/cache pgopt-runner %s --print-results > %t/first
// RUN: ls %t/cache | count 2
// RUN: env PGOPT_CACHE=%t/cache pgopt-runner %s --print-results | diff %t/first -
// RUN: ls %t/cache | count 2
// A damaged object is made anew.
// RUN: sh -c 'for f in %t/cache/*; do echo damaged > $f; done'
// RUN: env PGOPT_CACHE=%t/cache pgopt-runner %s --print-results | diff %t/first -
// RUN: not grep damaged -r %t/cache
// The same kernel under another name, twice, in another network is known.
// RUN: pgopt-opt %s --form-kernels | sed -e 's/@add_0/@other/g' -e 's/pg.kernel = "add_0"/pg.kernel = "other"/' \
// RUN:   -e '/call @other/{p;}' > %t/twice.mlir
// RUN: env PGOPT_CACHE=%t/cache pgopt-runner %t/twice.mlir --print-results | diff %t/first -
// RUN: ls %t/cache | count 3
// Another network is another object.
// RUN: env PGOPT_CACHE=%t/cache pgopt-runner --naive %s
// RUN: ls %t/cache | count 4
// RUN: env PGOPT_CACHE=%t/other pgopt-runner --no-cache %s --print-results | diff %t/first -
// RUN: not ls %t/other
// RUN: env PGOPT_CACHE= HOME=%t/home pgopt-runner %s
// RUN: not ls %t/home
// RUN: env -u PGOPT_CACHE -u XDG_CACHE_HOME HOME=%t/home pgopt-runner %s
// RUN: ls %t/home/.cache/pgopt | count 2
// A cache that cannot be written is no error.
// RUN: env PGOPT_CACHE=/dev/null/x pgopt-runner %s --print-results | diff %t/first -

func.func @f(%a: tensor<7xf32>) -> tensor<7xf32> {
  %empty = tensor.empty() : tensor<7xf32>
  %b = linalg.add ins(%a, %a : tensor<7xf32>, tensor<7xf32>)
      outs(%empty : tensor<7xf32>) -> tensor<7xf32>
  return %b : tensor<7xf32>
}
