/// \file Variants: their texts, what is listed for a kernel, what the model
/// leaves out.
#include "check.h"
#include "kernel_program.h"
#include "kernels/kernels.h"
#include "kernels/variant_list.h"

#include <string.h>

static const pgopt_target avx512 = {.vector_bytes = 64,
                                    .vector_registers = 32,
                                    .has_fma = true,
                                    .l1_bytes = 32 << 10,
                                    .l2_bytes = 1 << 20,
                                    .l3_bytes = 32 << 20};

static void test_texts(void) {
  static const char *const good[] = {"product:6x4",
                                     "product:12x2 packed",
                                     "product:1x14 gathered",
                                     "product:6x4 swapped",
                                     "blas",
                                     "im2col",
                                     "vector",
                                     "loops",
                                     "winograd:f2",
                                     "winograd:f4",
                                     "window:1",
                                     "window:14",
                                     "rows",
                                     "rows:8",
                                     "apart",
                                     "reduce:4",
                                     "gather:2",
                                     "copy:8"};
  static const char *const bad[] = {"",
                                    "product",
                                    "product:",
                                    "product:0x4",
                                    "product:6x-4",
                                    "product:06x4",
                                    "product: 6x4",
                                    "product:6x4 ",
                                    "product:6x4 packed gathered",
                                    "product:999x4",
                                    "product:6x4packed",
                                    "product:6x4 swapped packed",
                                    "Blas",
                                    "winograd",
                                    "winograd:f3",
                                    "winograd:f4 packed",
                                    "window",
                                    "window:0",
                                    "window:07",
                                    "window:100",
                                    "window:7 packed",
                                    "rows:",
                                    "rows:0",
                                    "rows:4 ",
                                    "apart:2",
                                    "reduce",
                                    "reduce:-1",
                                    "gather:",
                                    "copy:04",
                                    "vector:4",
                                    "blas ",
                                    "product:6x99999999999999999999"};
  pgopt_variant variant;
  char text[PGOPT_VARIANT_TEXT];
  for (size_t i = 0; i < sizeof good / sizeof *good; ++i)
    if (CHECK(pgopt_variant_parse(good[i], &variant))) {
      pgopt_variant_print(&variant, text);
      CHECK_EQ_TEXT(text, good[i]);
    }
  for (size_t i = 0; i < sizeof bad / sizeof *bad; ++i)
    CHECK(!pgopt_variant_parse(bad[i], &variant));
  CHECK(pgopt_variant_parse("product:12x2 packed", &variant));
  CHECK_EQ_I64(variant.shape.rows, 12);
  CHECK_EQ_I64(variant.shape.vectors, 2);
  CHECK_EQ_I64(variant.shape.source, PGOPT_COLUMNS_PACKED);
}

static pgopt_variant_estimate estimate(const char *text, double cycles) {
  pgopt_variant_estimate one = {.cycles = cycles};
  CHECK(pgopt_variant_parse(text, &one.variant));
  return one;
}

static void check_list(const pgopt_variant_estimate *list, size_t count,
                       const char *expected) {
  pgopt_text text = {0};
  for (size_t i = 0; i < count; ++i) {
    char one[PGOPT_VARIANT_TEXT];
    pgopt_variant_print(&list[i].variant, one);
    pgopt_text_append(&text, "%s%s", i ? ", " : "", one);
  }
  CHECK_EQ_TEXT(pgopt_text_get(&text), expected);
  pgopt_text_free(&text);
}

static void test_prune(void) {
  pgopt_variant_estimate list[] = {estimate("product:6x4", 160),
                                   estimate("product:8x3", 100),
                                   estimate("product:12x2", 150),
                                   estimate("product:1x14", 151),
                                   estimate("product:6x4 packed", 110),
                                   estimate("product:8x3 packed", 120),
                                   estimate("product:2x8", 120),
                                   estimate("product:2x8 packed", 130),
                                   estimate("im2col", 900)};
  // The default and BLAS whatever they cost, and as many as there is room for
  // of those up to 150; equal ones by their text.
  size_t count = pgopt_variants_prune(list, sizeof list / sizeof *list, 0);
  check_list(list, count,
             "product:6x4, product:8x3, product:6x4 packed, product:2x8, "
             "product:8x3 packed, im2col");
  CHECK_EQ_I64(count, PGOPT_MAX_VARIANTS);
  CHECK_EQ_I64(pgopt_variants_prune(list, 0, 0), 0);
  CHECK_EQ_I64(pgopt_variants_prune(list, 1, 0), 1);
}

/// Lists the variants of @kernel.
static void check_kernel(MlirContext context, const char *source,
                         const char *expected) {
  MlirModule module = mlirModuleCreateParse(context, pgopt_ref(source));
  if (!CHECK(!mlirModuleIsNull(module)))
    return;
  MlirOperation kernel =
      pgopt_module_lookup(mlirModuleGetOperation(module), pgopt_ref("kernel"));
  pgopt_variant_estimate list[PGOPT_MAX_VARIANTS];
  size_t count = pgopt_variants_list(kernel, &avx512, NULL, list);
  check_list(list, count, expected);
  for (size_t i = 0; i < count; ++i)
    CHECK(list[i].cycles > 0);
  mlirModuleDestroy(module);
}

#define PRODUCT_BODY                                                           \
  "{\n^bb0(%x: f32, %y: f32, %o: f32):\n  %p = arith.mulf %x, %y : f32\n"      \
  "  %s = arith.addf %o, %p : f32\n  linalg.yield %s : f32\n}\n"
#define MATMUL                                                                 \
  "linalg.generic {indexing_maps = [affine_map<(i, j, k) -> (i, k)>, "         \
  "affine_map<(i, j, k) -> (k, j)>, affine_map<(i, j, k) -> (i, j)>], "        \
  "iterator_types = [\"parallel\", \"parallel\", \"reduction\"]} "

#define COPY                                                                   \
  "linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, "            \
  "affine_map<(i, j) -> (i, j)>], iterator_types = [\"parallel\", "            \
  "\"parallel\"]} "
#define COPY_BODY "{\n^bb0(%x: f32, %o: f32):\n  linalg.yield %x : f32\n}\n"

static void test_list(void) {
  MlirContext context = kernel_context_create();
  // 12 rows, one vector of columns: tiles of 12 x 2 and 14 x 1 are one of 12
  // x 1, those of 6 x 4 and 8 x 3 two of 6 x 1.
  check_kernel(context,
               "func.func @kernel(%a: memref<12x64xf32>, %b: "
               "memref<64x16xf32>, %c: memref<12x16xf32>) {\n" MATMUL
               "ins(%a, %b : memref<12x64xf32>, memref<64x16xf32>) outs(%c : "
               "memref<12x16xf32>) " PRODUCT_BODY "return\n}",
               "product:12x2, product:6x4, product:12x2 packed, blas");
  // Depthwise, channels last: a window of 7 outputs, in one tile, in tiles of 3
  // and 4, and of 2 and 1. One output a tile would load every pixel 3 times.
  check_kernel(
      context,
      "func.func @kernel(%a: memref<9x32xf32>, %b: memref<3x32xf32>, %c: "
      "memref<7x32xf32>) {\nlinalg.generic {indexing_maps = [affine_map<(i, "
      "c, k) -> (i + k, c)>, affine_map<(i, c, k) -> (k, c)>, affine_map<(i, "
      "c, k) -> (i, c)>], iterator_types = [\"parallel\", \"parallel\", "
      "\"reduction\"]} ins(%a, %b : memref<9x32xf32>, memref<3x32xf32>) "
      "outs(%c : memref<7x32xf32>) " PRODUCT_BODY "return\n}",
      "window:7, window:3");
  // What is elementwise: upstream's vectors, or plain loops.
  check_kernel(
      context,
      "func.func @kernel(%a: memref<7x32xf32>, %b: memref<7x32xf32>) {\n"
      "linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, "
      "affine_map<(i, j) -> (i, j)>], iterator_types = [\"parallel\", "
      "\"parallel\"]} ins(%a : memref<7x32xf32>) outs(%b : memref<7x32xf32>) "
      "{\n^bb0(%x: f32, %o: f32):\n  %s = arith.addf %x, %x : f32\n"
      "  linalg.yield %s : f32\n}\nreturn\n}",
      "vector, loops");
  // Sums of rows of eight vectors: four sums side by side, more, or fewer.
  check_kernel(
      context,
      "func.func @kernel(%a: memref<7x128xf32>, %b: memref<7xf32>) {\n"
      "linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, "
      "affine_map<(i, j) -> (i)>], iterator_types = [\"parallel\", "
      "\"reduction\"]} ins(%a : memref<7x128xf32>) outs(%b : memref<7xf32>) "
      "{\n^bb0(%x: f32, %o: f32):\n  %s = arith.addf %o, %x : f32\n"
      "  linalg.yield %s : f32\n}\nreturn\n}",
      "reduce:4, reduce:8, vector, reduce:2");
  // Both parts of a concatenation.
  check_kernel(
      context,
      "func.func @kernel(%a: memref<7x128xf32>, %b: memref<7x64xf32>, %c: "
      "memref<7x192xf32>) {\n  %l = memref.subview %c[0, 0] [7, 128] [1, 1] : "
      "memref<7x192xf32> to memref<7x128xf32, strided<[192, 1]>>\n  %r = "
      "memref.subview %c[0, 128] [7, 64] [1, 1] : memref<7x192xf32> to "
      "memref<7x64xf32, strided<[192, 1], offset: 128>>\n" COPY
      "ins(%a : memref<7x128xf32>) outs(%l : memref<7x128xf32, strided<[192, "
      "1]>>) " COPY_BODY COPY
      "ins(%b : memref<7x64xf32>) outs(%r : memref<7x64xf32, strided<[192, 1], "
      "offset: 128>>) " COPY_BODY "return\n}",
      "copy:4, copy:2, vector");
  // Each row divided by its sum: all of a row in one kernel, or apart. The
  // model has four vectors a turn of the sum, one of the quotient.
  check_kernel(
      context,
      "func.func @kernel(%a: memref<7x64xf32>, %t: memref<7xf32>, %c: "
      "memref<7x64xf32>) {\n  %z = arith.constant 0.0 : f32\n"
      "linalg.generic {indexing_maps = [affine_map<(i) -> ()>, affine_map<(i) "
      "-> (i)>], iterator_types = [\"parallel\"]} ins(%z : f32) outs(%t : "
      "memref<7xf32>) " COPY_BODY
      "linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, "
      "affine_map<(i, j) -> (i)>], iterator_types = [\"parallel\", "
      "\"reduction\"]} ins(%a : memref<7x64xf32>) outs(%t : memref<7xf32>) "
      "{\n^bb0(%x: f32, %o: f32):\n  %s = arith.addf %o, %x : f32\n"
      "  linalg.yield %s : f32\n}\n"
      "linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, "
      "affine_map<(i, j) -> (i)>, affine_map<(i, j) -> (i, j)>], "
      "iterator_types = [\"parallel\", \"parallel\"]} ins(%a, %t : "
      "memref<7x64xf32>, memref<7xf32>) outs(%c : memref<7x64xf32>) "
      "{\n^bb0(%x: f32, %y: f32, %o: f32):\n  %s = arith.divf %x, %y : f32\n"
      "  linalg.yield %s : f32\n}\nreturn\n}",
      "rows, rows:1, rows:2, rows:4, apart");
  // A 3x3 convolution, channels last: direct ones are expected to be slower,
  // but BLAS is listed always.
  check_kernel(
      context,
      "func.func @kernel(%a: memref<1x30x30x64xf32>, %b: "
      "memref<3x3x64x64xf32>, "
      "%c: memref<1x28x28x64xf32>) {\nlinalg.generic {indexing_maps = "
      "[affine_map<(n, h, w, f, y, x, c) -> (n, h + y, w + x, c)>, "
      "affine_map<(n, h, w, f, y, x, c) -> (y, x, c, f)>, affine_map<(n, h, w, "
      "f, y, x, c) -> (n, h, w, f)>], iterator_types = [\"parallel\", "
      "\"parallel\", \"parallel\", \"parallel\", \"reduction\", "
      "\"reduction\", \"reduction\"]} ins(%a, %b : memref<1x30x30x64xf32>, "
      "memref<3x3x64x64xf32>) outs(%c : memref<1x28x28x64xf32>) " PRODUCT_BODY
      "return\n}",
      "winograd:f4, winograd:f2, im2col");
  // Two products: none of them is the kernel's.
  check_kernel(context,
               "func.func @kernel(%a: memref<12x64xf32>, %b: "
               "memref<64x16xf32>, %c: memref<12x16xf32>) {\n" MATMUL
               "ins(%a, %b : memref<12x64xf32>, memref<64x16xf32>) outs(%c : "
               "memref<12x16xf32>) " PRODUCT_BODY MATMUL
               "ins(%a, %b : memref<12x64xf32>, memref<64x16xf32>) outs(%c : "
               "memref<12x16xf32>) " PRODUCT_BODY "return\n}",
               "");
  mlirContextDestroy(context);
}

int main(void) {
  test_texts();
  test_prune();
  test_list();
  return check_result();
}
