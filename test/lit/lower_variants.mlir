// `pg.variant` on a kernel's function: obeyed, or refused where it stands.
// REQUIRES: x86_64

// DEFINE: %{variant} =
// DEFINE: %{lower} = sed 's/VARIANT/%{variant}/' %s | pgopt-opt \
// DEFINE:   --pgopt-lower=target-cpu=x86-64-v4 --mlir-pass-statistics \
// DEFINE:   --mlir-print-ir-before=convert-scf-to-cf -o /dev/null 2>&1
// DEFINE: %{refused} = sed 's/VARIANT/%{variant}/' %s | not pgopt-opt \
// DEFINE:   --pgopt-lower=target-cpu=x86-64-v4 -o /dev/null 2>&1
// DEFINE: %{same} = sed 's/VARIANT/%{variant}/' %s > %t.mlir && \
// DEFINE:   pgopt-runner %t.mlir --compare=%t.loops.mlir --tolerance=1e-5

// The model takes tiles of 6 x 3 (lower_products.mlir). Of at most 12 x 2: 17
// rows are 9 + 8, 35 columns a panel of two vectors and one of the last.
// REDEFINE: %{variant} = product:12x2
// RUN: %{lower} | FileCheck %s --check-prefix=TILES
// TILES-LABEL: func.func private @matmul_0(
// TILES: %{{.+}}:18 = scf.for {{.*}} iter_args(
// TILES-COUNT-18: vector.fma
// TILES-LABEL: func.func @forward(
// TILES: (S) 1 product -

// REDEFINE: %{variant} = product:6x4 packed
// RUN: %{lower} | FileCheck %s --check-prefix=PACKED
// PACKED-LABEL: func.func private @matmul_0(
// PACKED: call @pgopt_rt_scratch
// PACKED-LABEL: func.func @forward(
// PACKED: (S) 1 product -

// REDEFINE: %{variant} = blas
// RUN: %{lower} | FileCheck %s --check-prefix=GEMM
// GEMM: (S) 0 product -
// GEMM: (S) 1 gemm -

// REDEFINE: %{variant} = vector
// RUN: %{lower} | FileCheck %s --check-prefix=VECTOR
// VECTOR: (S) 0 product -
// VECTOR: (S) 0 gemm -
// VECTOR: (S) 2 vectorized -

// Only the contraction stays loops, not the fill in front of it.
// REDEFINE: %{variant} = loops
// RUN: %{lower} | FileCheck %s --check-prefix=LOOPS
// LOOPS-LABEL: func.func private @matmul_0(
// LOOPS: scf.for
// LOOPS-NOT: vector.fma
// LOOPS: memref.load
// LOOPS-LABEL: func.func @forward(
// LOOPS: (S) 1 vectorized -

// RUN: sed 's/VARIANT/%{variant}/' %s > %t.loops.mlir
// REDEFINE: %{variant} = product:12x2
// RUN: %{same}
// REDEFINE: %{variant} = product:2x8 packed
// RUN: %{same}
// REDEFINE: %{variant} = blas
// RUN: %{same}
// REDEFINE: %{variant} = vector
// RUN: %{same}

// kernels=blas is BLAS alone.
// REDEFINE: %{variant} = product:6x4
// RUN: sed 's/VARIANT/%{variant}/' %s | pgopt-opt --pgopt-lower=kernels=blas \
// RUN:   --mlir-pass-statistics -o /dev/null 2>&1 | FileCheck %s --check-prefix=GEMM

// REDEFINE: %{variant} = product:6x4 gathered
// RUN: %{refused} | FileCheck %s --check-prefix=GATHERED
// GATHERED: :[[#]]:{{.*}}error: pg.variant is 'product:6x4 gathered', in which this kernel cannot be computed here; without the attribute the default is taken
// REDEFINE: %{variant} = product:7x7
// RUN: %{refused} | FileCheck %s --check-prefix=TABLE
// TABLE: error: pg.variant is 'product:7x7', in which this kernel cannot be computed here
// REDEFINE: %{variant} = product:6x4 swapped
// RUN: %{refused} | FileCheck %s --check-prefix=SWAPPED
// SWAPPED: error: pg.variant is 'product:6x4 swapped', in which this kernel cannot
// REDEFINE: %{variant} = im2col
// RUN: %{refused} | FileCheck %s --check-prefix=IM2COL
// IM2COL: error: pg.variant is 'im2col', in which this kernel cannot be computed here
// REDEFINE: %{variant} = product:6x4 sideways
// RUN: %{refused} | FileCheck %s --check-prefix=NONSENSE
// NONSENSE: error: pg.variant is 'product:6x4 sideways', which is no variant; it must be as in 'product:6x4 packed', 'winograd:f4', 'window:7', 'rows:4', 'apart', 'reduce:8', 'gather:4', 'copy:4', 'blas', 'im2col', 'vector' or 'loops'

func.func private @matmul_0(%a: memref<17x13xf32> {pg.access = {mode = "read"}},
                            %b: memref<13x35xf32> {pg.access = {mode = "read"}},
                            %c: memref<17x35xf32> {pg.access = {mode = "write"}},
                            %lo: index, %hi: index)
    attributes {no_inline, pg.kernel = "matmul_0", pg.variant = "VARIANT"} {
  %zero = arith.constant 0.0 : f32
  linalg.fill ins(%zero : f32) outs(%c : memref<17x35xf32>)
  linalg.matmul ins(%a, %b : memref<17x13xf32>, memref<13x35xf32>) outs(%c : memref<17x35xf32>)
  return
}
func.func @forward(%a: memref<17x13xf32>, %b: memref<13x35xf32>) -> memref<17x35xf32> {
  %c0 = arith.constant 0 : index
  %c17 = arith.constant 17 : index
  %c = memref.alloc() {alignment = 64 : i64} : memref<17x35xf32>
  call @matmul_0(%a, %b, %c, %c0, %c17) : (memref<17x13xf32>, memref<13x35xf32>, memref<17x35xf32>, index, index) -> ()
  return %c : memref<17x35xf32>
}
