/// \file Generated matrix products against OpenBLAS and BLIS, one thread.
///
/// usage: products [--seconds S] [--options O] [--transpose-b]
///                 [--constant a|b] [M N K]
///
/// Without a shape: square ones as they are and with a constant B, skinny ones
/// with a constant A and with a constant B, those with one row against the rate
/// at which the same program reads memory of B's size.
/// All run in turn in one process; each timed call follows an untimed one of
/// the same product. Calls during which the thread lost its CPU do not count.
/// Matrices lie on huge pages, as values between kernels do.
/// OpenBLAS runs with each of its kernel sets first and then with the fastest.
/// BLIS is used when libblis.so.4 is there. Prints a table.
#include "base/statistics.h"
#include "huge_pages.h"
#include "kernel_case.h"
#include "kernel_program.h"
#include "openblas_core.h"
#include "pgopt/runtime.h"

#include <cblas.h>
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

enum { MAX_RUNS = 20000 };

typedef typeof(cblas_sgemm) sgemm_function;

typedef struct product {
  int m, n, k;
  bool transpose_b;
  char constant; ///< 'a', 'b' or none
  float *a, *b, *c;
  pgopt_program *program;
  sgemm_function *blis;
} product;

typedef enum contender { OURS, OPENBLAS, BLIS, CONTENDERS } contender;

static void run(product *p, contender who) {
  if (who == OURS) {
    pgopt_program_run(p->program);
    return;
  }
  sgemm_function *sgemm = who == BLIS ? p->blis : cblas_sgemm;
  sgemm(CblasRowMajor, CblasNoTrans, p->transpose_b ? CblasTrans : CblasNoTrans,
        p->m, p->n, p->k, 1, p->a, p->k, p->b, p->transpose_b ? p->k : p->n, 0,
        p->c, p->n);
}

/// How often the thread lost its CPU to another one.
static long losses(void) {
  struct rusage usage;
  getrusage(RUSAGE_THREAD, &usage);
  return usage.ru_nivcsw;
}

/// Times a call that the thread keeps its CPU for, if one of a few does.
static int64_t time_once(product *p, contender who) {
  int64_t ns = 0;
  for (int attempt = 0; attempt < 20; ++attempt) {
    run(p, who);
    long before = losses();
    int64_t start = pgopt_rt_now_ns();
    run(p, who);
    ns = pgopt_rt_now_ns() - start;
    if (losses() == before)
      break;
  }
  return ns;
}

static int64_t time_openblas(void *data) { return time_once(data, OPENBLAS); }

static float *create_matrix(int64_t rows, int64_t columns) {
  float *matrix = huge_pages_allocate(rows * columns);
  for (int64_t i = 0; i < rows * columns; ++i)
    matrix[i] = (float)(i % 1021) / 1021 - 0.5f;
  return matrix;
}

static void write_product(const product *p, pgopt_text *text) {
  kernel_case c = {.loops = 3,
                   .extents = {p->m, p->n, p->k},
                   .is_reduction = {false, false, true},
                   .is_parameter = {p->constant == 'a', p->constant == 'b'},
                   .start = START_ZERO,
                   .cut = -1};
  int rows = p->transpose_b ? 1 : 2;
  c.operands[0] = (case_operand){2, {case_loop(&c, 0), case_loop(&c, 2)}};
  c.operands[1] =
      (case_operand){2, {case_loop(&c, rows), case_loop(&c, 3 - rows)}};
  c.operands[2] = (case_operand){2, {case_loop(&c, 0), case_loop(&c, 1)}};
  case_write(&c, text);
}

static void bind(product *p) {
  static int64_t none;
  void *values[] = {p->a, p->b, p->c, p->c, p->c, &none, &none};
  for (size_t i = 0; i < 7; ++i)
    pgopt_program_bind(p->program, i, values[i]);
}

/// Rate, in GB/s, of reading B from the cache or memory it comes from.
#if defined(__x86_64__)
__attribute__((target("avx2")))
#endif
static double
read_rate(const product *p) {
  typedef float vector __attribute__((vector_size(32)));
  const vector *at = (const vector *)p->b;
  size_t count = (size_t)p->n * (size_t)p->k / 8;
  double best = 0;
  for (int repeat = 0; repeat < 9; ++repeat) {
    vector sums[8] = {{0}};
    int64_t start = pgopt_rt_now_ns();
    for (size_t i = 0; i + 8 <= count; i += 8)
      for (size_t k = 0; k < 8; ++k)
        sums[k] += at[i + k];
    int64_t ns = pgopt_rt_now_ns() - start;
    for (int k = 1; k < 8; ++k)
      sums[0] += sums[k];
    __asm__ volatile("" : : "m"(sums));
    double rate = (double)(count * sizeof(vector)) / (double)ns;
    best = rate > best ? rate : best;
  }
  return best;
}

static void measure(MlirContext context, product *p, const char *options,
                    double seconds, double peak) {
  static int64_t samples[CONTENDERS][MAX_RUNS];
  pgopt_text text = {0};
  write_product(p, &text);
  p->program = kernel_program_load(context, text.data, options);
  pgopt_text_free(&text);
  if (!p->program)
    exit(1);
  p->a = create_matrix(p->m, p->k);
  p->b = create_matrix(p->k, p->n);
  p->c = create_matrix(p->m, p->n);
  bind(p);
  openblas_choose_core(time_openblas, p, 5);
  size_t count = 0;
  int64_t start = pgopt_rt_now_ns();
  while (count < 9 || (count < MAX_RUNS &&
                       (double)(pgopt_rt_now_ns() - start) < seconds * 1e9)) {
    for (int who = 0; who < CONTENDERS; ++who)
      if (who != BLIS || p->blis)
        samples[who][count] = time_once(p, (contender)who);
    ++count;
  }
  double operations = 2.0 * p->m * p->n * p->k;
  pgopt_summary s[CONTENDERS];
  for (int who = 0; who < CONTENDERS; ++who)
    s[who] = pgopt_summarize(samples[who], count);
  printf("| %d %d %d%s%s | %.1f | %.2f | %.1f%% | %s %.1f | %.3f |", p->m, p->n,
         p->k, p->transpose_b ? " B^T" : "",
         p->constant == 'a'   ? ", A constant"
         : p->constant == 'b' ? ", B constant"
                              : "",
         operations / (double)s[OURS].median_ns,
         operations / (double)s[OURS].median_ns / peak,
         100.0 * (double)s[OURS].mad_ns / (double)s[OURS].median_ns,
         openblas_get_corename(), operations / (double)s[OPENBLAS].median_ns,
         1 / pgopt_pair_times(samples[OURS], samples[OPENBLAS], count).ratio);
  if (p->blis)
    printf(" %.1f | %.3f |", operations / (double)s[BLIS].median_ns,
           1 / pgopt_pair_times(samples[OURS], samples[BLIS], count).ratio);
  else
    printf(" - | - |");
  printf(" %zu |", count);
  if (p->m == 1) {
    double bytes = (double)p->n * p->k * sizeof(float), rate = read_rate(p);
    printf(" reads %.1f GB/s, %.2f of %.1f |",
           bytes / (double)s[OURS].median_ns,
           bytes / (double)s[OURS].median_ns / rate, rate);
  }
  printf("\n");
  fflush(stdout);
  free(p->a);
  free(p->b);
  free(p->c);
  pgopt_program_destroy(p->program);
}

static sgemm_function *find_blis(void) {
  setenv("BLIS_NUM_THREADS", "1", 1);
#if defined(__x86_64__)
  // BLIS 0.9 takes CPUs younger than itself for generic ones; 0 is its skx.
  if (__builtin_cpu_supports("avx512f"))
    setenv("BLIS_ARCH_TYPE", "0", 0);
#endif
  void *library = dlopen("libblis.so.4", RTLD_NOW | RTLD_LOCAL | RTLD_DEEPBIND);
  return library ? (sgemm_function *)dlsym(library, "cblas_sgemm") : NULL;
}

int main(int argc, char **argv) {
  static const int shapes[][3] = {
      {64, 64, 64},       {128, 128, 128},    {256, 256, 256}, {512, 512, 512},
      {1024, 1024, 1024}, {2048, 2048, 2048}, {64, 3136, 576}, {128, 784, 1152},
      {256, 196, 2304},   {512, 49, 4608},    {64, 3136, 64},  {256, 3136, 64},
      {512, 784, 128},    {2048, 49, 512},    {64, 50176, 27}, {128, 3072, 768},
      {128, 768, 3072},   {1, 1000, 2048}};
  double seconds = 1;
  product p = {.blis = find_blis()};
  char options[256] = "entry=forward";
  int sizes[3], given = 0;
  for (int i = 1; i < argc; ++i) {
    if (!strcmp(argv[i], "--seconds") && i + 1 < argc)
      seconds = atof(argv[++i]);
    else if (!strcmp(argv[i], "--options") && i + 1 < argc)
      snprintf(options, sizeof options, "entry=forward %s", argv[++i]);
    else if (!strcmp(argv[i], "--constant") && i + 1 < argc)
      p.constant = *argv[++i];
    else if (!strcmp(argv[i], "--transpose-b"))
      p.transpose_b = true;
    else if (given < 3 && atoi(argv[i]) > 0)
      sizes[given++] = atoi(argv[i]);
    else
      given = 4;
  }
  if (given && given != 3) {
    fprintf(stderr, "usage: products [--seconds S] [--options 'target-cpu=C'] "
                    "[--transpose-b] [--constant a|b] [M N K]\n");
    return 2;
  }
  MlirContext context = kernel_context_create();
  pgopt_rt_set_blas_threads(1);
  double peak = pgopt_rt_measure_peak_gflops(200);
  printf("peak %.1f GFLOP/s, %s\n\n", peak, options);
  printf("| M N K | GFLOP/s | of peak | spread | OpenBLAS | ours / it | BLIS | "
         "ours / it | runs |\n|---|---|---|---|---|---|---|---|---|\n");
  size_t count = given ? 1 : sizeof shapes / sizeof *shapes;
  for (size_t i = 0; i < count; ++i) {
    const int *shape = given ? sizes : shapes[i];
    p.m = shape[0];
    p.n = shape[1];
    p.k = shape[2];
    bool is_square = p.m == p.n && p.n == p.k;
    for (const char *constant = "-ab"; !given && *constant; ++constant) {
      if (*constant == (is_square || p.m == 1 ? 'a' : '-'))
        continue;
      p.constant = *constant;
      measure(context, &p, options, seconds, peak);
    }
    if (given)
      measure(context, &p, options, seconds, peak);
  }
  printf("\npeak %.1f GFLOP/s\n", pgopt_rt_measure_peak_gflops(200));
  mlirContextDestroy(context);
  return 0;
}
