// Variants of chains along rows, reductions, gathers and copies: each obeyed or
// refused, equal to plain loops, measured once, and shown with its time.
// DEFINE: %{variant} = rows:8
// DEFINE: %{kernel} = reduce_max_0
// DEFINE: %{put} = pgopt-opt %s --form-kernels | sed '/private @%{kernel}/s/pg.kernel/pg.variant = "%{variant}", &/'
// DEFINE: %{lower} = pgopt-opt %t.mlir --pgopt-lower --mlir-pass-statistics -o /dev/null
// DEFINE: %{same} = pgopt-runner %t.mlir --compare=%s

// REDEFINE: %{kernel} = reduce_max_0
// REDEFINE: %{variant} = rows:8
// RUN: %{put} > %t.mlir
// RUN: %{lower} 2>&1 | FileCheck %s --check-prefix=ROWS
// RUN: %{same}
// REDEFINE: %{kernel} = reduce_max_0
// REDEFINE: %{variant} = rows:1
// RUN: %{put} > %t.mlir
// RUN: %{lower} 2>&1 | FileCheck %s --check-prefix=ROWS
// RUN: %{same}
// REDEFINE: %{kernel} = reduce_max_0
// REDEFINE: %{variant} = apart
// RUN: %{put} > %t.mlir
// RUN: %{lower} 2>&1 | FileCheck %s --check-prefix=APART
// RUN: %{same}
// REDEFINE: %{kernel} = reduce_add_2
// REDEFINE: %{variant} = reduce:2
// RUN: %{put} > %t.mlir
// RUN: %{lower} 2>&1 | FileCheck %s --check-prefix=REDUCE
// RUN: %{same}
// REDEFINE: %{kernel} = reduce_add_2
// REDEFINE: %{variant} = vector
// RUN: %{put} > %t.mlir
// RUN: %{lower} 2>&1 | FileCheck %s --check-prefix=VECTOR
// RUN: %{same}
// REDEFINE: %{kernel} = reduce_add_2
// REDEFINE: %{variant} = loops
// RUN: %{put} > %t.mlir
// RUN: %{lower} 2>&1 | FileCheck %s --check-prefix=VECTOR
// RUN: %{same}
// REDEFINE: %{kernel} = gather_1
// REDEFINE: %{variant} = gather:1
// RUN: %{put} > %t.mlir
// RUN: %{lower} 2>&1 | FileCheck %s --check-prefix=GATHER
// RUN: %{same}
// REDEFINE: %{kernel} = gather_1
// REDEFINE: %{variant} = loops
// RUN: %{put} > %t.mlir
// RUN: %{lower} 2>&1 | FileCheck %s --check-prefix=LOOPS
// RUN: %{same}
// REDEFINE: %{kernel} = concat_4
// REDEFINE: %{variant} = copy:1
// RUN: %{put} > %t.mlir
// RUN: %{lower} 2>&1 | FileCheck %s --check-prefix=COPY
// RUN: %{same}
// REDEFINE: %{kernel} = concat_4
// REDEFINE: %{variant} = vector
// RUN: %{put} > %t.mlir
// RUN: %{lower} 2>&1 | FileCheck %s --check-prefix=PARTS
// RUN: %{same}
// REDEFINE: %{kernel} = concat_4
// REDEFINE: %{variant} = loops
// RUN: %{put} > %t.mlir
// RUN: %{lower} 2>&1 | FileCheck %s --check-prefix=PARTS
// RUN: %{same}
// REDEFINE: %{kernel} = pad_5
// REDEFINE: %{variant} = copy:8
// RUN: %{put} > %t.mlir
// RUN: %{lower} 2>&1 | FileCheck %s --check-prefix=COPY
// RUN: %{same}
// REDEFINE: %{kernel} = pad_5
// REDEFINE: %{variant} = vector
// RUN: %{put} > %t.mlir
// RUN: %{lower} 2>&1 | FileCheck %s --check-prefix=PAD
// RUN: %{same}
// The model has three passes in one row kernel, one reduction, one gather, and
// four copies: the slice's, both parts of the concatenation, the pad's.
// ROWS: 6 rows
// APART: 0 rows
// REDUCE: 1 reduction
// VECTOR: 0 reduction
// GATHER: 1 row-gather
// LOOPS: 0 row-gather
// COPY: 4 copy
// PARTS: 2 copy
// PAD: 3 copy

// REDEFINE: %{kernel} = reduce_max_0
// REDEFINE: %{variant} = rows:9
// RUN: %{put} > %t.mlir
// RUN: not %{lower} 2>&1 | FileCheck %s --check-prefix=WIDE
// WIDE: pg.variant is 'rows:9', in which this kernel cannot be computed here
// REDEFINE: %{kernel} = reduce_add_2
// REDEFINE: %{variant} = apart
// RUN: %{put} > %t.mlir
// RUN: not %{lower} 2>&1 | FileCheck %s --check-prefix=NOCHAIN
// NOCHAIN: pg.variant is 'apart', in which this kernel cannot be computed here
// REDEFINE: %{kernel} = concat_4
// REDEFINE: %{variant} = gather:4
// RUN: %{put} > %t.mlir
// RUN: not %{lower} 2>&1 | FileCheck %s --check-prefix=NOGATHER
// NOGATHER: pg.variant is 'gather:4', in which this kernel cannot be computed here
// REDEFINE: %{kernel} = pad_5
// REDEFINE: %{variant} = reduce:4
// RUN: %{put} > %t.mlir
// RUN: not %{lower} 2>&1 | FileCheck %s --check-prefix=NOREDUCTION
// NOREDUCTION: pg.variant is 'reduce:4', in which this kernel cannot be computed here

// All are measured once, and shown with their times; a second run measures and
// compiles nothing, and makes the same code.
// RUN: rm -rf %t && mkdir -p %t
// RUN: pgopt-opt %s --profile="variants=measure store=%t/store budget=30ms report=none" -o /dev/null 2> %t/remarks
// RUN: pgopt-opt %s --form-kernels=store=%t/store -o %t/first.mlir
// RUN: sh %S/Inputs/check_confirmed.sh %t/remarks %t/first.mlir %t/store
// RUN: pgopt-runner --variants= --store=%t/store | FileCheck %s --check-prefix=SHOWN
// SHOWN: concat 7x176
// SHOWN: copy:4 {{.*}} 1.000 {{.*}}the model's choice
// SHOWN: vector {{ *}}{{[0-9]+}} {{ *}}{{[0-9.]+}}
// SHOWN: gather 7x137
// SHOWN: gather:4 {{.*}} 1.000 {{.*}}the model's choice
// SHOWN: loops {{ *}}{{[0-9]+}} {{ *}}{{[0-9.]+}}
// SHOWN: pad 13x180
// SHOWN: copy:4 {{.*}} 1.000 {{.*}}the model's choice
// SHOWN: reduce_add 7 over 137
// SHOWN: reduce:4 {{.*}} 1.000 {{.*}}the model's choice
// SHOWN: vector {{ *}}{{[0-9]+}} {{ *}}{{[0-9.]+}}
// SHOWN: reduce_max 13 over 137
// SHOWN: rows {{.*}} 1.000 {{.*}}the model's choice
// SHOWN: apart {{ *}}{{[0-9]+}} {{ *}}{{[0-9.]+}}
// RUN: env PGOPT_CACHE=%t/cache pgopt-runner %t/first.mlir --compare=%s
// RUN: ls -i %t/cache > %t/objects
// RUN: env PGOPT_RUNNER=/nowhere pgopt-opt %s --profile="variants=measure store=%t/store report=none" -o /dev/null
// RUN: pgopt-opt %s --form-kernels=store=%t/store -o %t/second.mlir
// RUN: cmp %t/first.mlir %t/second.mlir
// Without the confirming run choices are taken as they are.
// RUN: pgopt-opt %s --profile="variants=measure confirm=false budget=30ms report=none" -o /dev/null 2>&1 | FileCheck %s --allow-empty --check-prefix=UNCONFIRMED
// UNCONFIRMED-NOT: variants: the network takes
// RUN: env PGOPT_CACHE=%t/cache pgopt-runner %t/second.mlir --compare=%s
// RUN: ls -i %t/cache | diff %t/objects -
func.func @net(%x: tensor<13x137xf32>) -> (tensor<13x137xf32>, tensor<7xf32>, tensor<7x176xf32>, tensor<13x180xf32>) {
  %i = arith.constant dense<[12, 0, 5, 7, 7, 3, 11]> : tensor<7xi64>
  %zero = arith.constant 0.0 : f32
  %low = arith.constant 0xFF800000 : f32
  %number = tensor.empty() : tensor<13xf32>
  %row = tensor.empty() : tensor<13x137xf32>
  %lowest = linalg.fill ins(%low : f32) outs(%number : tensor<13xf32>) -> tensor<13xf32>
  %most = linalg.reduce {arith.maximumf} ins(%x : tensor<13x137xf32>) outs(%lowest : tensor<13xf32>) dimensions = [1]
  %e = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]} ins(%x, %most : tensor<13x137xf32>, tensor<13xf32>) outs(%row : tensor<13x137xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %d = arith.subf %a, %b : f32
    %r = math.exp %d : f32
    linalg.yield %r : f32
  } -> tensor<13x137xf32>
  %none = linalg.fill ins(%zero : f32) outs(%number : tensor<13xf32>) -> tensor<13xf32>
  %sum = linalg.reduce {arith.addf} ins(%e : tensor<13x137xf32>) outs(%none : tensor<13xf32>) dimensions = [1]
  %softmax = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]} ins(%e, %sum : tensor<13x137xf32>, tensor<13xf32>) outs(%row : tensor<13x137xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %r = arith.divf %a, %b : f32
    linalg.yield %r : f32
  } -> tensor<13x137xf32>
  %taken = tensor.empty() : tensor<7x137xf32>
  %gathered = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]} ins(%i : tensor<7xi64>) outs(%taken : tensor<7x137xf32>) {
  ^bb0(%k: i64, %o: f32):
    %n = arith.index_cast %k : i64 to index
    %j = linalg.index 1 : index
    %r = tensor.extract %softmax[%n, %j] : tensor<13x137xf32>
    linalg.yield %r : f32
  } -> tensor<7x137xf32>
  %few = tensor.empty() : tensor<7xf32>
  %zeros = linalg.fill ins(%zero : f32) outs(%few : tensor<7xf32>) -> tensor<7xf32>
  %total = linalg.reduce {arith.addf} ins(%gathered : tensor<7x137xf32>) outs(%zeros : tensor<7xf32>) dimensions = [1]
  %part = tensor.extract_slice %x[3, 0] [7, 39] [1, 1] : tensor<13x137xf32> to tensor<7x39xf32>
  %concat = tensor.concat dim(1) %gathered, %part : (tensor<7x137xf32>, tensor<7x39xf32>) -> tensor<7x176xf32>
  %padded = tensor.pad %softmax low[0, 20] high[0, 23] {
  ^bb0(%a: index, %b: index):
    tensor.yield %low : f32
  } : tensor<13x137xf32> to tensor<13x180xf32>
  return %softmax, %total, %concat, %padded : tensor<13x137xf32>, tensor<7xf32>, tensor<7x176xf32>, tensor<13x180xf32>
}
