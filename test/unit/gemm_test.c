/// \file The matrix product against its definition.
#include <float.h>
#include <limits.h>
#include <stdlib.h>

#include "check.h"
#include "death.h"
#include "pgopt/runtime.h"

enum { PADDING = 2 };

static double number(int64_t i) { return (double)(i * 37 % 101 - 50) / 64; }

/// Element (row, column) of a matrix stored with or without transposition.
static int64_t place(int64_t transposed, int64_t row, int64_t column,
                     int64_t ld) {
  return transposed ? column * ld + row : row * ld + column;
}

/// All entries are multiples of 1/64 below 1 and k is small: sums are exact, so
/// the results must be equal.
#define DEFINE_TEST_GEMM(type, gemm)                                           \
  static void test_##gemm(int64_t ta, int64_t tb, int64_t m, int64_t n,        \
                          int64_t k, type beta) {                              \
    int64_t lda = (ta ? m : k) + PADDING, ldb = (tb ? k : n) + PADDING;        \
    int64_t ldc = n + PADDING;                                                 \
    int64_t a_size = lda * (ta ? k : m), b_size = ldb * (tb ? n : k);          \
    type *a = calloc((size_t)a_size + 1, sizeof *a);                           \
    type *b = calloc((size_t)b_size + 1, sizeof *b);                           \
    type *c = calloc((size_t)(ldc * m) + 1, sizeof *c);                        \
    for (int64_t i = 0; i < a_size; ++i)                                       \
      a[i] = (type)number(i);                                                  \
    for (int64_t i = 0; i < b_size; ++i)                                       \
      b[i] = (type)number(i + 7);                                              \
    for (int64_t i = 0; i < ldc * m; ++i)                                      \
      c[i] = beta == 0 ? (type)NAN : (type)number(i + 13);                     \
    gemm(ta, tb, m, n, k, a, lda, b, ldb, beta, c, ldc);                       \
    int64_t wrong = 0;                                                         \
    for (int64_t i = 0; i < m; ++i)                                            \
      for (int64_t j = 0; j < ldc; ++j) {                                      \
        double before = number(i * ldc + j + 13), sum = 0;                     \
        if (j >= n) {                                                          \
          wrong += beta != 0 && (double)c[i * ldc + j] != before;              \
          continue;                                                            \
        }                                                                      \
        for (int64_t l = 0; l < k; ++l)                                        \
          sum += (double)a[place(ta, i, l, lda)] *                             \
                 (double)b[place(tb, l, j, ldb)];                              \
        sum += beta == 0 ? 0 : (double)beta * before;                          \
        wrong += (double)c[i * ldc + j] != sum;                                \
      }                                                                        \
    if (!CHECK_EQ_I64(wrong, 0))                                               \
      fprintf(stderr, "  ta %d tb %d m %d n %d k %d\n", (int)ta, (int)tb,      \
              (int)m, (int)n, (int)k);                                         \
    free(a);                                                                   \
    free(b);                                                                   \
    free(c);                                                                   \
  }

DEFINE_TEST_GEMM(float, pgopt_rt_gemm_f32)
DEFINE_TEST_GEMM(double, pgopt_rt_gemm_f64)

static void test_shapes(void) {
  static const int64_t extents[] = {0, 1, 2, 13, 31};
  enum { COUNT = sizeof extents / sizeof *extents };
  for (int flags = 0; flags < 4; ++flags)
    for (int i = 0; i < COUNT; ++i)
      for (int j = 0; j < COUNT; ++j)
        for (int l = 0; l < COUNT; ++l) {
          int64_t m = extents[i], n = extents[j], k = extents[l];
          for (int beta = 0; beta < 3; ++beta) {
            test_pgopt_rt_gemm_f32(flags & 1, flags & 2, m, n, k,
                                   (float)beta / 2);
            test_pgopt_rt_gemm_f64(flags & 1, flags & 2, m, n, k, beta / 2.0);
          }
        }
}

/// Vectors, small ones and ones that are too large for a small product.
static void test_vectors(void) {
  for (int flags = 0; flags < 4; ++flags)
    for (int beta = 0; beta < 3; ++beta) {
      test_pgopt_rt_gemm_f32(flags & 1, flags & 2, 1, 1009, 1013, beta);
      test_pgopt_rt_gemm_f32(flags & 1, flags & 2, 1013, 1, 1009, beta);
      test_pgopt_rt_gemm_f64(flags & 1, flags & 2, 1, 1009, 1013, beta);
      test_pgopt_rt_gemm_f64(flags & 1, flags & 2, 1013, 1, 1009, beta);
    }
}

/// A processor that the library does not know must not be taken for an old one.
static void test_kernels_fit_the_processor(void) {
  CHECK_CONTAINS(pgopt_rt_blas_name(), "OpenBLAS");
#if defined(__x86_64__)
  if (!getenv("OPENBLAS_CORETYPE") && __builtin_cpu_supports("avx2"))
    CHECK(!strstr(pgopt_rt_blas_name(), "Prescott"));
#endif
}

static void die_large(void) {
  float x = 0;
  pgopt_rt_gemm_f32(0, 0, 1, (int64_t)INT_MAX + 1, 1, &x, 1, &x,
                    (int64_t)INT_MAX + 1, 0, &x, (int64_t)INT_MAX + 1);
}

static void die_stride(void) {
  double x[6] = {0};
  pgopt_rt_gemm_f64(1, 0, 3, 1, 2, x, 2, x, 1, 0, x, 1);
}

static void die_threads(void) { pgopt_rt_set_blas_threads(0); }

int main(void) {
  CHECK_DIES(die_large, "n is 2147483648; 0 to 2147483647 are allowed");
  CHECK_DIES(die_stride, "lda is 2; 3 to 2147483647 are allowed");
  CHECK_DIES(die_threads, "0 BLAS threads");
  test_kernels_fit_the_processor();
  test_shapes();
  test_vectors();
  pgopt_rt_set_blas_threads(2);
  test_pgopt_rt_gemm_f32(0, 1, 67, 71, 31, 0.5f);
  pgopt_rt_set_blas_threads(1);
  return check_result();
}
