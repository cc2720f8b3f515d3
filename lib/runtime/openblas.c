#include "runtime/openblas.h"

#include <cblas.h>
#include <limits.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "pgopt/runtime.h"
#include "runtime/fatal.h"

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

static CBLAS_TRANSPOSE transposed(int64_t transpose) {
  return transpose ? CblasTrans : CblasNoTrans;
}

void pgopt_rt_gemm_f32(int64_t transpose_a, int64_t transpose_b, int64_t m,
                       int64_t n, int64_t k, const float *a, int64_t lda,
                       const float *b, int64_t ldb, float beta, float *c,
                       int64_t ldc) {
  gemm_sizes s;
  if (check_sizes(transpose_a, transpose_b, m, n, k, lda, ldb, ldc, &s))
    cblas_sgemm(CblasRowMajor, transposed(transpose_a), transposed(transpose_b),
                s.m, s.n, s.k, 1.0f, a, s.lda, b, s.ldb, beta, c, s.ldc);
}

void pgopt_rt_gemm_f64(int64_t transpose_a, int64_t transpose_b, int64_t m,
                       int64_t n, int64_t k, const double *a, int64_t lda,
                       const double *b, int64_t ldb, double beta, double *c,
                       int64_t ldc) {
  gemm_sizes s;
  if (check_sizes(transpose_a, transpose_b, m, n, k, lda, ldb, ldc, &s))
    cblas_dgemm(CblasRowMajor, transposed(transpose_a), transposed(transpose_b),
                s.m, s.n, s.k, 1.0, a, s.lda, b, s.ldb, beta, c, s.ldc);
}
