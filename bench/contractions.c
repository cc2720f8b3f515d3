/// \file Tensor contractions of the TCCG benchmark against transposes and a
/// matrix product, one thread, f32.
///
/// usage: contractions [--seconds S] [--only TEXT] [--passes PIPELINE]
///
/// Ours: the equation imported, then PIPELINE. The rival: transposes written by
/// hand, OpenBLAS's product with its fastest kernel set, a transpose of the
/// result; of all orders those that move the fewest elements. Both run in turn
/// in one process, the first of a pair in turn as well, at least three pairs
/// (two beyond 100 GFLOP) after an untimed one, on memory that is there
/// already. The error is that of 4,093 elements of the result against sums in
/// f64. Prints a table, with the operands that the rival transposes;
/// contractions whose operations a byte (of operands and result, each once) are
/// below the median are marked *.
#include "base/compare.h"
#include "base/statistics.h"
#include "contraction_rival.h"
#include "huge_pages.h"
#include "import/import_program.h"
#include "kernel_program.h"
#include "openblas_core.h"
#include "pgopt/runtime.h"
#include "tensor/einsum.h"

#include <cblas.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { A, B, C, OPERANDS, MAX_RUNS = 1000, SAMPLES = 4093 };

static const contraction contractions[] = {
#define CONTRACTION(name, ...) {name, {__VA_ARGS__}},
#include "contractions.def"
#undef CONTRACTION
};
enum { COUNT = sizeof contractions / sizeof *contractions };

static void complain(const char *what, const char *message) {
  fprintf(stderr, "contractions: %s: %s\n", what, message);
  exit(1);
}

static MlirModule import(MlirContext context, const contraction *c) {
  char terms[OPERANDS][TRANSPOSE_RANK + 1], equation[64];
  int operands[C];
  pgopt_tensor_program program = {0};
  for (int i = 0; i < OPERANDS; ++i)
    contraction_term(c, i, terms[i]);
  for (int i = 0; i < C; ++i) {
    int64_t shape[TRANSPOSE_RANK];
    int rank = (int)strlen(terms[i]);
    for (int d = 0; d < rank; ++d)
      shape[d] = c->extents[terms[i][d] - 'a'];
    operands[i] = pgopt_tensors_input(&program, PGOPT_F32, rank, shape, "");
  }
  snprintf(equation, sizeof equation, "%s,%s->%s", terms[A], terms[B],
           terms[C]);
  program.location = equation;
  int result = pgopt_tensors_einsum(&program, equation, C, operands);
  if (result < 0)
    complain(c->name, program.error.message);
  pgopt_tensors_output(&program, result);
  pgopt_tensor_program_finish(&program);
  pgopt_imported imported;
  pgopt_import_program(context, &program, "forward", false, &imported);
  MlirModule module = imported.module;
  imported.module = (MlirModule){NULL};
  pgopt_imported_free(&imported);
  pgopt_tensor_program_free(&program);
  return module;
}

typedef struct bench {
  const contraction *contraction;
  pgopt_program *program;
  contraction_rival rival;
  float *operands[OPERANDS];
} bench;

static float *create_tensor(int64_t elements) {
  float *tensor = huge_pages_allocate(elements);
  for (int64_t i = 0; i < elements; ++i)
    tensor[i] = (float)(i % 1021) / 1021 - 0.5f;
  return tensor;
}

static int64_t time_once(bench *b, bool is_ours) {
  int64_t start = pgopt_rt_now_ns();
  if (is_ours)
    pgopt_program_run(b->program);
  else
    contraction_rival_run(&b->rival, b->operands);
  return pgopt_rt_now_ns() - start;
}

/// Offset in an operand of the element at the letters' values.
static int64_t offset_of(const contraction *c, const char *term,
                         const int64_t *at) {
  int64_t offset = 0;
  for (; *term; ++term)
    offset = offset * c->extents[*term - 'a'] + at[*term - 'a'];
  return offset;
}

/// One element of the result in f64.
static double sum_of(const bench *b, char terms[OPERANDS][9], int64_t element) {
  const contraction *c = b->contraction;
  int64_t at[CONTRACTION_LETTERS] = {0};
  double sum = 0;
  for (size_t d = strlen(terms[C]); d-- > 0;) {
    int64_t extent = c->extents[terms[C][d] - 'a'];
    at[terms[C][d] - 'a'] = element % extent;
    element /= extent;
  }
  for (bool more = true; more;) {
    sum += (double)b->operands[A][offset_of(c, terms[A], at)] *
           b->operands[B][offset_of(c, terms[B], at)];
    more = false;
    for (int l = 0; l < CONTRACTION_LETTERS && !more; ++l) {
      if (!c->extents[l] || strchr(terms[C], 'a' + l))
        continue;
      more = ++at[l] < c->extents[l];
      if (!more)
        at[l] = 0;
    }
  }
  return sum;
}

/// \param[out] errors ours and the rival's, after a run of both.
static void compare(bench *b, double *errors) {
  static double exact[SAMPLES], found[2][SAMPLES];
  char terms[OPERANDS][TRANSPOSE_RANK + 1];
  int64_t elements = contraction_elements(b->contraction, C);
  float *ours = create_tensor(elements);
  pgopt_program_read(b->program, 0, ours);
  for (int i = 0; i < OPERANDS; ++i)
    contraction_term(b->contraction, i, terms[i]);
  for (int64_t i = 0; i < SAMPLES; ++i) {
    int64_t at = i * (elements - 1) / (SAMPLES - 1);
    exact[i] = sum_of(b, terms, at);
    found[0][i] = ours[at];
    found[1][i] = b->operands[C][at];
  }
  for (int i = 0; i < 2; ++i)
    errors[i] = pgopt_compare((pgopt_element){PGOPT_ELEMENT_FLOAT, 64},
                              found[i], exact, SAMPLES)
                    .error;
  free(ours);
}

static double operations_a_byte(const contraction *c) {
  double elements = 0;
  for (int i = 0; i < OPERANDS; ++i)
    elements += (double)contraction_elements(c, i);
  return contraction_operations(c) / (elements * sizeof(float));
}

static int compare_numbers(const void *a, const void *b) {
  double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

static double median_intensity(void) {
  double all[COUNT];
  for (int i = 0; i < COUNT; ++i)
    all[i] = operations_a_byte(&contractions[i]);
  qsort(all, COUNT, sizeof *all, compare_numbers);
  return all[COUNT / 2];
}

static int64_t time_square(void *matrices) {
  enum { SIZE = 1024 };
  float *const *m = matrices;
  int64_t start = pgopt_rt_now_ns();
  cblas_sgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, SIZE, SIZE, SIZE, 1,
              m[A], SIZE, m[B], SIZE, 0, m[C], SIZE);
  return pgopt_rt_now_ns() - start;
}

static void choose_core(void) {
  float *matrices[OPERANDS];
  for (int i = 0; i < OPERANDS; ++i)
    matrices[i] = create_tensor(1 << 20);
  openblas_choose_core(time_square, matrices, 5);
  for (int i = 0; i < OPERANDS; ++i)
    free(matrices[i]);
}

/// \returns how many times as fast as the rival.
static double measure(MlirContext context, const contraction *c,
                      const char *passes, double seconds) {
  static int64_t samples[2][MAX_RUNS];
  bench b = {.contraction = c};
  MlirModule module = import(context, c);
  kernel_module_run(context, &module, passes);
  b.program = kernel_program_compile(module);
  if (!b.program)
    exit(1);
  for (int i = 0; i < OPERANDS; ++i) {
    b.operands[i] = create_tensor(contraction_elements(c, i));
    if (i < C)
      pgopt_program_bind(b.program, (size_t)i, b.operands[i]);
  }
  choose_core();
  contraction_rival_create(c, b.operands, &b.rival);
  time_once(&b, true);
  time_once(&b, false);
  double errors[2], least = INFINITY, greatest = 0;
  compare(&b, errors);
  size_t count = 0;
  int64_t start = pgopt_rt_now_ns();
  while (count < (contraction_operations(c) > 1e11 ? 2 : 3) ||
         (count < MAX_RUNS &&
          (double)(pgopt_rt_now_ns() - start) < seconds * 1e9)) {
    for (size_t turn = 0; turn < 2; ++turn) {
      bool is_ours = (count + turn) % 2 == 0;
      samples[!is_ours][count] = time_once(&b, is_ours);
    }
    double ratio = (double)samples[1][count] / (double)samples[0][count];
    least = fmin(least, ratio);
    greatest = fmax(greatest, ratio);
    ++count;
  }
  pgopt_summary ours = pgopt_summarize(samples[0], count);
  pgopt_summary theirs = pgopt_summarize(samples[1], count);
  double ratio = 1 / pgopt_pair_times(samples[0], samples[1], count).ratio;
  printf("| %s%s | %.1f | %.1f | %.1f | %.1f | %.1f | %s | %s%s%s%s %.1f | "
         "**%.2f** | "
         "%.2f to %.2f | %.1e | %.1e | %zu |\n",
         c->name, operations_a_byte(c) < median_intensity() ? " *" : "",
         contraction_operations(c) / 1e9, operations_a_byte(c),
         (double)ours.median_ns / 1e6,
         contraction_operations(c) / (double)ours.median_ns,
         (double)theirs.median_ns / 1e6, openblas_get_corename(),
         b.rival.is_moved[A] ? "A" : "", b.rival.is_moved[B] ? "B" : "",
         b.rival.is_moved[C] ? "C" : "",
         b.rival.is_moved[A] || b.rival.is_moved[B] || b.rival.is_moved[C]
             ? ""
             : "none",
         (double)b.rival.moves_ns / 1e6, ratio, least, greatest, errors[0],
         errors[1], count);
  fflush(stdout);
  contraction_rival_destroy(&b.rival);
  for (int i = 0; i < OPERANDS; ++i)
    free(b.operands[i]);
  pgopt_program_destroy(b.program);
  return ratio;
}

int main(int argc, char **argv) {
  double seconds = 2, logs[2] = {0};
  const char *only = "",
             *passes = "pgopt-optimize{mode=static strategy=none report=none},"
                       "pgopt-lower";
  for (int i = 1; i < argc; ++i)
    if (!strcmp(argv[i], "--seconds") && i + 1 < argc)
      seconds = atof(argv[++i]);
    else if (!strcmp(argv[i], "--only") && i + 1 < argc)
      only = argv[++i];
    else if (!strcmp(argv[i], "--passes") && i + 1 < argc)
      passes = argv[++i];
    else
      complain("usage", "contractions [--seconds S] [--only TEXT] "
                        "[--passes PIPELINE]");
  if (!__builtin_cpu_supports("avx512f"))
    complain("this CPU", "the rival's transposes need AVX-512");
  MlirContext context = kernel_context_create();
  mlirContextLoadAllAvailableDialects(context);
  pgopt_rt_set_blas_threads(1);
  double peak = pgopt_rt_measure_peak_gflops(200);
  printf("peak %.1f GFLOP/s, %s\n\n", peak, passes);
  printf("| contraction (C-A-B) | GFLOP | FLOP/byte | ours ms | GFLOP/s | "
         "rival ms | OpenBLAS | transposed, ms | rival / ours | least to "
         "greatest | error | "
         "rival's | pairs "
         "|\n|---|---|---|---|---|---|---|---|---|---|---|---|---|\n");
  int counts[2] = {0}, slower = 0, missed = 0;
  for (int i = 0; i < COUNT; ++i) {
    const contraction *c = &contractions[i];
    if (!strstr(c->name, only))
      continue;
    bool is_bound = operations_a_byte(c) < median_intensity();
    double ratio = measure(context, c, passes, seconds);
    logs[is_bound] += log(ratio);
    ++counts[is_bound];
    slower += ratio < 1;
    missed += is_bound && ratio < 1.5;
  }
  printf("\ngeometric mean %.2f, of those marked %.2f; %d below 1, %d of those "
         "marked below 1.5; peak %.1f GFLOP/s\n",
         exp((logs[0] + logs[1]) / (counts[0] + counts[1])),
         exp(logs[1] / counts[1]), slower, missed,
         pgopt_rt_measure_peak_gflops(200));
  mlirContextDestroy(context);
  return 0;
}
