/// \file Programs with prepared constants: entry arguments, inline constants,
/// cores, and parameters at new addresses, against the naive lowering.
#include "check.h"
#include "guarded.h"
#include "kernel_program.h"

#include <stdlib.h>

enum { M = 19, K = 70, N = 37, L = 53, WEIGHTS = N * K, LAST = L * N };

/// y = (x * w^T) * v^T, with w a parameter and v a parameter or a constant of
/// the module. Transposed operands are always better packed.
static const char network[] =
    "func.func @forward(%%x: tensor<19x70xf32>, "
    "    %%w: tensor<37x70xf32> {pg.parameter = \"w\"}%s) "
    "    -> tensor<19x53xf32> {\n"
    "  %%z = arith.constant 0.0 : f32\n%s"
    "  %%e = tensor.empty() : tensor<19x37xf32>\n"
    "  %%f = linalg.fill ins(%%z : f32) outs(%%e : tensor<19x37xf32>) "
    "    -> tensor<19x37xf32>\n"
    "  %%h = linalg.contract indexing_maps = ["
    "    affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (n, k)>,"
    "    affine_map<(m, n, k) -> (m, n)>]"
    "    ins(%%x, %%w : tensor<19x70xf32>, tensor<37x70xf32>)"
    "    outs(%%f : tensor<19x37xf32>) -> tensor<19x37xf32>\n"
    "  %%e2 = tensor.empty() : tensor<19x53xf32>\n"
    "  %%f2 = linalg.fill ins(%%z : f32) outs(%%e2 : tensor<19x53xf32>) "
    "    -> tensor<19x53xf32>\n"
    "  %%y = linalg.contract indexing_maps = ["
    "    affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (n, k)>,"
    "    affine_map<(m, n, k) -> (m, n)>]"
    "    ins(%%h, %%v : tensor<19x37xf32>, tensor<53x37xf32>)"
    "    outs(%%f2 : tensor<19x53xf32>) -> tensor<19x53xf32>\n"
    "  return %%y : tensor<19x53xf32>\n}\n";

static float constant_at(int i) { return (float)(i % 11) - 5; }

static void fill(float *values, int count, int seed) {
  for (int i = 0; i < count; ++i)
    values[i] = (float)((i * 7 + seed * 13) % 17 - 8);
}

/// Sums of small integers: exact in any order.
static bool is_right(const float *x, const float *w, const float *v,
                     const float *y) {
  bool right = true;
  for (int m = 0; m < M; ++m) {
    float h[N] = {0};
    for (int n = 0; n < N; ++n)
      for (int k = 0; k < K; ++k)
        h[n] += x[m * K + k] * w[n * K + k];
    for (int l = 0; l < L; ++l) {
      float sum = 0;
      for (int n = 0; n < N; ++n)
        sum += h[n] * v[l * N + n];
      right &= y[m * L + l] == sum;
    }
  }
  return right;
}

typedef struct weights {
  guarded w, v;
} weights;

static weights make_weights(int seed, bool is_inline) {
  weights made = {guarded_create(WEIGHTS * sizeof(float), 1),
                  guarded_create(LAST * sizeof(float), 1)};
  fill(made.w.data, WEIGHTS, seed);
  fill(made.v.data, LAST, seed + 1);
  for (int i = 0; i < LAST && is_inline; ++i)
    ((float *)made.v.data)[i] = constant_at(i);
  return made;
}

static void run(pgopt_program *program, const weights *from, const float *x,
                float *y) {
  pgopt_program_bind(program, 1, from->w.data);
  if (pgopt_program_argument_count(program) > 2)
    pgopt_program_bind(program, 2, from->v.data);
  pgopt_program_run(program);
  pgopt_program_read(program, 0, y);
  CHECK(is_right(x, from->w.data, from->v.data, y));
}

static void check_network(MlirContext context, bool is_inline,
                          const char *passes) {
  pgopt_text source = {0}, constant = {0};
  pgopt_text_append(&constant, "  %%v = arith.constant dense<[");
  for (int i = 0; i < LAST; ++i)
    pgopt_text_append(&constant, "%s%s%.1f%s", i ? ", " : "", i % N ? "" : "[",
                      (double)constant_at(i), i % N == N - 1 ? "]" : "");
  pgopt_text_append(&constant, "]> : tensor<53x37xf32>\n");
  pgopt_text_append(
      &source, network,
      is_inline ? "" : ", %v: tensor<53x37xf32> {pg.parameter = \"v\"}",
      is_inline ? constant.data : "");
  pgopt_program *program =
      kernel_program_pipeline(context, source.data, passes);
  pgopt_text_free(&source);
  pgopt_text_free(&constant);
  if (!CHECK(program))
    return;
  weights a = make_weights(1, is_inline), b = make_weights(2, is_inline);
  float x[M * K], y[M * L];
  fill(x, M * K, 3);
  pgopt_program_bind(program, 0, x);
  run(program, &a, x, y);
  run(program, &a, x, y);
  run(program, &b, x, y);
  run(program, &a, x, y);
  // The contents changed, and the program does not know it until it is told.
  fill(a.w.data, WEIGHTS, 5);
  pgopt_program_run(program);
  pgopt_program_read(program, 0, y);
  CHECK(!is_right(x, a.w.data, a.v.data, y));
  pgopt_program_prepare_again(program);
  run(program, &a, x, y);
  pgopt_program_destroy(program);
  guarded_destroy(&a.w);
  guarded_destroy(&a.v);
  guarded_destroy(&b.w);
  guarded_destroy(&b.v);
}

int main(void) {
  static const char *const passes[] = {
      "pgopt-lower",
      "form-kernels{split=3},pgopt-lower",
      "schedule-rr{count=1},pgopt-lower",
      "schedule-rr{count=2},pgopt-lower",
      "form-kernels{split=3},schedule-rr{count=3},pgopt-lower{trace=true}",
      "schedule-rr{count=2 outline=false},pgopt-lower{instrument=true}"};
  MlirContext context = kernel_context_create();
  for (size_t i = 0; i < sizeof passes / sizeof *passes; ++i)
    for (int is_inline = 0; is_inline < 2; ++is_inline)
      check_network(context, is_inline, passes[i]);
  mlirContextDestroy(context);
  return check_result();
}
