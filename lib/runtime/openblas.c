#include "runtime/openblas.h"

#include <cblas.h>
#include <limits.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "pgopt/runtime.h"
#include "runtime/fatal.h"

/// The largest product of m, n and k for which some of OpenBLAS's kernel sets
/// do without packing the operands.
enum { SMALL_PRODUCT = 1000000 };

static bool has_small_kernels; ///< set when the library is loaded
static _Atomic int thread_count;

void pgopt_rt_set_blas_threads(int64_t count) {
  if (count < 1 || count > INT_MAX)
    pgopt_runtime_fatal("%lld BLAS threads; at least 1 is needed",
                        (long long)count);
  openblas_set_num_threads((int)count);
  atomic_store_explicit(&thread_count, (int)count, memory_order_relaxed);
}

void pgopt_openblas_use_one_thread(void) {
  if (atomic_load_explicit(&thread_count, memory_order_relaxed) != 1)
    pgopt_rt_set_blas_threads(1);
}

const char *pgopt_rt_blas_name(void) { return openblas_get_config(); }

#if defined(__x86_64__)
/// Exported by builds that choose their kernels at run time, declared nowhere.
__attribute__((weak)) void gotoblas_dynamic_quit(void);
__attribute__((weak)) void gotoblas_dynamic_init(void);

/// A processor that is newer than the library is taken for one of 2004: less
/// than a quarter of the speed. Has the library choose again among the kernels
/// for the instructions that the processor has. What the user has set stays.
static void choose_kernels(void) {
  __builtin_cpu_init();
  const char *better =
      __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
              __builtin_cpu_supports("avx512dq") &&
              __builtin_cpu_supports("avx512vl")
          ? "SkylakeX"
      : __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")
          ? "Haswell"
          : NULL;
  if (!better || !gotoblas_dynamic_quit || !gotoblas_dynamic_init ||
      getenv("OPENBLAS_CORETYPE") ||
      strcmp(openblas_get_corename(), "Prescott"))
    return;
  setenv("OPENBLAS_CORETYPE", better, 1);
  gotoblas_dynamic_quit();
  gotoblas_dynamic_init();
  unsetenv("OPENBLAS_CORETYPE");
}
#else
static void choose_kernels(void) {}
#endif

__attribute__((constructor)) static void openblas_begin(void) {
  choose_kernels();
  const char *kernels = openblas_get_corename();
  has_small_kernels = !strcmp(kernels, "SkylakeX") ||
                      !strcmp(kernels, "Cooperlake") ||
                      !strcmp(kernels, "SapphireRapids");
  pgopt_rt_set_blas_threads(1);
}

/// OpenBLAS counts in int, and answers a wrong leading dimension with a line on
/// stderr and no result; here both end the process.
typedef struct gemm_sizes {
  int m, n, k, lda, ldb, ldc;
} gemm_sizes;

static int checked_size(const char *what, int64_t value, int64_t least) {
  if (value < least || value > INT_MAX)
    pgopt_runtime_fatal("matrix product: %s is %lld; %lld to %d are allowed",
                        what, (long long)value, (long long)least, INT_MAX);
  return (int)value;
}

/// False when the result has no elements.
static bool check_sizes(int64_t transpose_a, int64_t transpose_b, int64_t m,
                        int64_t n, int64_t k, int64_t lda, int64_t ldb,
                        int64_t ldc, gemm_sizes *sizes) {
  sizes->m = checked_size("m", m, 0);
  sizes->n = checked_size("n", n, 0);
  sizes->k = checked_size("k", k, 0);
  if (!m || !n)
    return false;
  sizes->lda = checked_size("lda", lda, !k ? 0 : transpose_a ? m : k);
  sizes->ldb = checked_size("ldb", ldb, !k ? 0 : transpose_b ? k : n);
  sizes->ldc = checked_size("ldc", ldc, n);
  if (!k) { // the operands are empty, any leading dimension will do
    sizes->lda = sizes->m;
    sizes->ldb = sizes->n;
  }
  return true;
}

/// A matrix with one row or column is a vector: OpenBLAS's gemm would pack the
/// other matrix, which costs two to six times the product itself.
static bool is_matrix_times_vector(const gemm_sizes *s) {
  return (s->m == 1 || s->n == 1) && s->k &&
         (!has_small_kernels ||
          (double)s->m * s->n * s->k > (double)SMALL_PRODUCT);
}

static CBLAS_TRANSPOSE transposed(int64_t transpose) {
  return transpose ? CblasTrans : CblasNoTrans;
}

/// The row c[1 x n] = a[1 x k] * B is the vector B^T * a; B is stored as n x k
/// when it is transposed already. c[m x 1] = A * b likewise. With beta = 0 the
/// result is cleared here, since a library may scale what it must not read.
#define DEFINE_GEMM(name, type, gemm, gemv)                                    \
  void name(int64_t transpose_a, int64_t transpose_b, int64_t m, int64_t n,    \
            int64_t k, const type *a, int64_t lda, const type *b, int64_t ldb, \
            type beta, type *c, int64_t ldc) {                                 \
    gemm_sizes s;                                                              \
    if (!check_sizes(transpose_a, transpose_b, m, n, k, lda, ldb, ldc, &s))    \
      return;                                                                  \
    if (!is_matrix_times_vector(&s)) {                                         \
      gemm(CblasRowMajor, transposed(transpose_a), transposed(transpose_b),    \
           s.m, s.n, s.k, 1, a, s.lda, b, s.ldb, beta, c, s.ldc);              \
      return;                                                                  \
    }                                                                          \
    int64_t step = s.m == 1 ? 1 : ldc, length = s.m == 1 ? n : m;              \
    for (int64_t i = 0; beta == 0 && i < length; ++i)                          \
      c[i * step] = 0;                                                         \
    beta = beta == 0 ? 1 : beta;                                               \
    if (s.m == 1)                                                              \
      gemv(CblasRowMajor, transposed(!transpose_b), transpose_b ? s.n : s.k,   \
           transpose_b ? s.k : s.n, 1, b, s.ldb, a, transpose_a ? s.lda : 1,   \
           beta, c, 1);                                                        \
    else                                                                       \
      gemv(CblasRowMajor, transposed(transpose_a), transpose_a ? s.k : s.m,    \
           transpose_a ? s.m : s.k, 1, a, s.lda, b, transpose_b ? 1 : s.ldb,   \
           beta, c, s.ldc);                                                    \
  }

DEFINE_GEMM(pgopt_rt_gemm_f32, float, cblas_sgemm, cblas_sgemv)
DEFINE_GEMM(pgopt_rt_gemm_f64, double, cblas_dgemm, cblas_dgemv)
