/// \file Plans are executed on small integers and compared with the plain
/// loops.
#include "check.h"
#include "codegen/gemm_plan.h"

#include <stdlib.h>

enum { MAX = PGOPT_GEMM_MAX_LOOPS, STORE = 1 << 16 };

static double store_a[STORE], store_b[STORE], store_c[STORE], plain_c[STORE];
static double scratch[STORE];
/// Extents at run time: of dynamic loops less than the bound.
static int64_t run_extents[MAX];

/// Extents at run time: of dynamic loops less than the bound.
static int64_t run_extents[MAX];

/// Stops at matrices that BLAS would refuse.
static void gemm(bool ta, bool tb, int64_t m, int64_t n, int64_t k,
                 const double *a, int64_t lda, const double *b, int64_t ldb,
                 double *c, int64_t ldc) {
  CHECK(lda >= (ta ? m : k) && lda >= 1);
  CHECK(ldb >= (tb ? k : n) && ldb >= 1);
  CHECK(ldc >= n && ldc >= 1);
  for (int64_t i = 0; i < m; ++i)
    for (int64_t j = 0; j < n; ++j)
      for (int64_t l = 0; l < k; ++l)
        c[i * ldc + j] += a[ta ? l * lda + i : i * lda + l] *
                          b[tb ? j * ldb + l : l * ldb + j];
}

static int64_t axis_extent(const pgopt_gemm_axis *axis) {
  int64_t extent = 1;
  for (size_t i = 0; i < axis->count; ++i)
    extent *= run_extents[axis->loops[i]];
  return extent;
}

/// Copies the gathered operand, its axes in the plan's order, into scratch.
static void gather(const pgopt_gemm_problem *problem, const size_t *loops,
                   const int64_t *extents, size_t count,
                   pgopt_gemm_operand operand, const double *from,
                   double **to) {
  if (!count) {
    *(*to)++ = *from;
    return;
  }
  for (int64_t i = 0; i < extents[0]; ++i)
    gather(problem, loops + 1, extents + 1, count - 1, operand,
           from + i * problem->loops[loops[0]].strides[operand], to);
}

static void run_product(const pgopt_gemm_problem *problem,
                        const pgopt_gemm_plan *plan, const int64_t *offsets,
                        int64_t first_extent) {
  int64_t rows = axis_extent(&plan->rows),
          columns = axis_extent(&plan->columns);
  int64_t own = 0;
  const double *data[2] = {store_a + offsets[0], store_b + offsets[1]};
  if (plan->gathered != PGOPT_GEMM_NONE) {
    const pgopt_gemm_axis *axis = pgopt_gemm_gathered_axis(plan);
    const pgopt_gemm_axis *order[] = {
        plan->depth_is_inner ? axis : &plan->depth,
        plan->depth_is_inner ? &plan->depth : axis};
    own = axis_extent(axis) / run_extents[axis->loops[0]] * first_extent;
    *(axis == &plan->rows ? &rows : &columns) = own;
    size_t loops[MAX], count = 0;
    int64_t extents[MAX];
    for (int i = 0; i < 2; ++i)
      for (size_t k = 0; k < order[i]->count; ++k) {
        size_t loop = order[i]->loops[k];
        extents[count] =
            loop == axis->loops[0] ? first_extent : run_extents[loop];
        loops[count++] = loop;
      }
    double *end = scratch;
    gather(problem, loops, extents, count, plan->gathered, data[plan->gathered],
           &end);
    CHECK(end - scratch <= problem->scratch_elements || first_extent == 1);
    data[plan->gathered] = scratch;
  }
  gemm(plan->transpose_left, plan->transpose_right, rows, columns,
       axis_extent(&plan->depth), data[plan->left],
       plan->ld_left ? plan->ld_left : own, data[plan->right],
       plan->ld_right ? plan->ld_right : own, store_c + offsets[2], plan->ld_c);
}

static void run_outer(const pgopt_gemm_problem *problem,
                      const pgopt_gemm_plan *plan, size_t depth,
                      const int64_t *offsets, int64_t first_extent) {
  bool gathers = plan->gathered != PGOPT_GEMM_NONE &&
                 depth == plan->gather_depth && first_extent < 0;
  if (depth == plan->outer_count && !gathers) {
    run_product(problem, plan, offsets, first_extent);
    return;
  }
  size_t loop =
      gathers ? pgopt_gemm_gathered_axis(plan)->loops[0] : plan->outer[depth];
  int64_t extent = run_extents[loop], step = 1;
  if (gathers)
    step = plan->chunk ? plan->chunk : extent;
  for (int64_t i = 0; i < extent; i += step) {
    int64_t moved[3], rest = extent - i < step ? extent - i : step;
    for (int o = 0; o < 3; ++o)
      moved[o] = offsets[o] + i * problem->loops[loop].strides[o];
    run_outer(problem, plan, gathers ? depth : depth + 1, moved,
              gathers ? rest : first_extent);
  }
}

static void run_plain(const pgopt_gemm_problem *problem, size_t loop,
                      const int64_t *offsets) {
  if (loop == problem->loop_count) {
    plain_c[offsets[2]] += store_a[offsets[0]] * store_b[offsets[1]];
    return;
  }
  for (int64_t i = 0; i < run_extents[loop]; ++i) {
    int64_t moved[3];
    for (int o = 0; o < 3; ++o)
      moved[o] = offsets[o] + i * problem->loops[loop].strides[o];
    run_plain(problem, loop + 1, moved);
  }
}

static void fill(void) {
  for (int i = 0; i < STORE; ++i) {
    store_a[i] = i % 7 - 3;
    store_b[i] = i % 5 - 2;
    store_c[i] = plain_c[i] = i % 3;
  }
}

/// Executes the plan and the plain loops on the same data.
static bool same_numbers(const pgopt_gemm_problem *problem,
                         const pgopt_gemm_plan *plan) {
  int64_t offsets[3] = {0};
  fill();
  for (size_t l = 0; l < problem->loop_count; ++l)
    run_extents[l] = problem->loops[l].is_dynamic
                         ? (problem->loops[l].extent + 1) / 2
                         : problem->loops[l].extent;
  run_outer(problem, plan, 0, offsets, -1);
  run_plain(problem, 0, offsets);
  for (int i = 0; i < STORE; ++i)
    if (store_c[i] != plain_c[i])
      return false;
  return true;
}

#define LOOP(e, r, a, b, c)                                                    \
  {                                                                            \
    .extent = (e), .is_reduction = (r), .strides = {(a), (b), (c) }            \
  }
#define PROBLEM(...)                                                           \
  {                                                                            \
    .loop_count =                                                              \
        sizeof((pgopt_gemm_loop[]){__VA_ARGS__}) / sizeof(pgopt_gemm_loop),    \
    .loops = {__VA_ARGS__}, .scratch_elements = 4096                           \
  }

static void matmuls(void) {
  // 7x5 times 5x11, each operand as it is and transposed.
  for (int ta = 0; ta < 2; ++ta)
    for (int tb = 0; tb < 2; ++tb)
      for (int tc = 0; tc < 2; ++tc) {
        pgopt_gemm_problem p =
            PROBLEM(LOOP(7, false, ta ? 1 : 5, 0, tc ? 1 : 11),
                    LOOP(11, false, 0, tb ? 5 : 1, tc ? 7 : 1),
                    LOOP(5, true, ta ? 7 : 1, tb ? 1 : 11, 0));
        pgopt_gemm_plan plan;
        if (!CHECK(pgopt_gemm_plan_make(&p, &plan)))
          continue;
        CHECK(plan.outer_count == 0 && plan.gathered == PGOPT_GEMM_NONE);
        CHECK(plan.left == (tc ? PGOPT_GEMM_B : PGOPT_GEMM_A));
        CHECK(plan.transpose_left == (tc ? !tb : ta));
        CHECK(same_numbers(&p, &plan));
      }
}

static void vectors(void) {
  pgopt_gemm_problem matrix_vector =
      PROBLEM(LOOP(7, false, 5, 0, 1), LOOP(5, true, 1, 1, 0));
  pgopt_gemm_problem vector_matrix =
      PROBLEM(LOOP(11, false, 0, 1, 1), LOOP(5, true, 1, 11, 0));
  pgopt_gemm_problem strided =
      PROBLEM(LOOP(7, false, 5, 0, 3), LOOP(5, true, 1, 1, 0));
  pgopt_gemm_plan plan;
  CHECK(pgopt_gemm_plan_make(&matrix_vector, &plan));
  CHECK(same_numbers(&matrix_vector, &plan));
  CHECK(pgopt_gemm_plan_make(&vector_matrix, &plan));
  CHECK(same_numbers(&vector_matrix, &plan));
  CHECK(pgopt_gemm_plan_make(&strided, &plan));
  CHECK(same_numbers(&strided, &plan));
}

static void batch_is_an_outer_loop(void) {
  pgopt_gemm_problem p = PROBLEM(
      LOOP(3, false, 13 * 17, 17 * 19, 13 * 19), LOOP(13, false, 17, 0, 19),
      LOOP(19, false, 0, 1, 1), LOOP(17, true, 1, 19, 0));
  pgopt_gemm_plan plan;
  if (!CHECK(pgopt_gemm_plan_make(&p, &plan)))
    return;
  CHECK_EQ_I64(plan.outer_count, 1);
  CHECK_EQ_I64(plan.outer[0], 0);
  CHECK(!plan.accumulates && same_numbers(&p, &plan));
}

static void pointwise_convolution_is_one_product(void) {
  // NHWC 2x5x7x3 with 1x1x3x11: n, oh and ow are one index of 70 rows.
  pgopt_gemm_problem p =
      PROBLEM(LOOP(2, false, 105, 0, 385), LOOP(5, false, 21, 0, 77),
              LOOP(7, false, 3, 0, 11), LOOP(11, false, 0, 1, 1),
              LOOP(1, true, 21, 33, 0), LOOP(1, true, 3, 33, 0),
              LOOP(3, true, 1, 11, 0));
  pgopt_gemm_plan plan;
  if (!CHECK(pgopt_gemm_plan_make(&p, &plan)))
    return;
  CHECK_EQ_I64(plan.outer_count, 0);
  CHECK_EQ_I64(plan.rows.count, 3);
  CHECK(plan.gathered == PGOPT_GEMM_NONE && same_numbers(&p, &plan));
}

/// NHWC image of `c` channels and width `w`, `s` the stride, HWCF weights.
static pgopt_gemm_problem nhwc(int64_t s, int64_t oh, int64_t ow, int64_t c,
                               int64_t f, int64_t w) {
  return (pgopt_gemm_problem)PROBLEM(
      LOOP(oh, false, s * w * c, 0, ow * f), LOOP(ow, false, s * c, 0, f),
      LOOP(f, false, 0, 1, 1), LOOP(3, true, w * c, 5 * c * f, 0),
      LOOP(5, true, c, c * f, 0), LOOP(c, true, 1, f, 0));
}

static void convolution_is_gathered(void) {
  for (int64_t s = 1; s <= 2; ++s) {
    pgopt_gemm_problem p = nhwc(s, 7, 11, 13, 17, 11 * s + 5);
    pgopt_gemm_plan plan;
    if (!CHECK(pgopt_gemm_plan_make(&p, &plan)))
      continue;
    // 3 * 5 * 13 = 195 deep: 4096 / 195 = 21 rows, one oh of 11 at a time.
    CHECK(plan.gathered == PGOPT_GEMM_A && plan.depth_is_inner);
    CHECK_EQ_I64(plan.depth.count, 3);
    CHECK_EQ_I64(plan.chunk, 1);
    CHECK(same_numbers(&p, &plan));
    p.scratch_elements = 1 << 15;
    CHECK(pgopt_gemm_plan_make(&p, &plan));
    CHECK_EQ_I64(plan.chunk, 0);
    CHECK(same_numbers(&p, &plan));
    p.loops[0].is_dynamic = true;
    CHECK(pgopt_gemm_plan_make(&p, &plan));
    CHECK(same_numbers(&p, &plan));
    // 32768 / (195 * 11) = 15 of the unknown number of rows at a time.
    p.loops[0].extent = INT64_MAX;
    CHECK(pgopt_gemm_plan_make(&p, &plan));
    CHECK_EQ_I64(plan.chunk, 15);
  }
}

static void channels_first_swaps_the_operands(void) {
  // NCHW 2x5x9x13, FCHW 11x5x3x3, output 2x11x7x11.
  pgopt_gemm_problem p =
      PROBLEM(LOOP(2, false, 585, 0, 847), LOOP(11, false, 0, 45, 77),
              LOOP(7, false, 13, 0, 11), LOOP(11, false, 1, 0, 1),
              LOOP(5, true, 117, 9, 0), LOOP(3, true, 13, 3, 0),
              LOOP(3, true, 1, 1, 0));
  pgopt_gemm_plan plan;
  if (!CHECK(pgopt_gemm_plan_make(&p, &plan)))
    return;
  CHECK(plan.left == PGOPT_GEMM_B && plan.gathered == PGOPT_GEMM_A);
  CHECK(!plan.depth_is_inner);
  CHECK_EQ_I64(plan.outer_count, 1);
  CHECK(same_numbers(&p, &plan));
}

static void split_reductions_accumulate(void) {
  // The reductions are in another order in A than in B.
  pgopt_gemm_problem p =
      PROBLEM(LOOP(13, false, 19 * 3, 0, 17), LOOP(17, false, 0, 1, 1),
              LOOP(3, true, 19, 17, 0), LOOP(19, true, 1, 3 * 17, 0));
  pgopt_gemm_plan plan;
  if (!CHECK(pgopt_gemm_plan_make(&p, &plan)))
    return;
  CHECK(same_numbers(&p, &plan));
}

static void refusals(void) {
  pgopt_gemm_plan plan;
  // Depthwise, NHWC: no index belongs to one input alone but rows.
  pgopt_gemm_problem depthwise =
      PROBLEM(LOOP(7, false, 143, 0, 77), LOOP(7, false, 11, 0, 11),
              LOOP(11, false, 1, 1, 1), LOOP(3, true, 143, 33, 0),
              LOOP(3, true, 11, 11, 0));
  CHECK(!pgopt_gemm_plan_make(&depthwise, &plan));
  pgopt_gemm_problem elementwise = PROBLEM(LOOP(97, false, 1, 1, 1));
  CHECK(!pgopt_gemm_plan_make(&elementwise, &plan));
  // A destination indexed by a reduction, and one that is not by a parallel.
  pgopt_gemm_problem wrong =
      PROBLEM(LOOP(7, false, 5, 0, 1), LOOP(5, true, 1, 1, 1));
  CHECK(!pgopt_gemm_plan_make(&wrong, &plan));
  pgopt_gemm_problem broadcast =
      PROBLEM(LOOP(7, false, 5, 0, 0), LOOP(5, true, 1, 1, 0));
  CHECK(!pgopt_gemm_plan_make(&broadcast, &plan));
  // No unit stride anywhere in the destination.
  pgopt_gemm_problem strided =
      PROBLEM(LOOP(7, false, 5, 0, 44), LOOP(11, false, 0, 1, 2),
              LOOP(5, true, 1, 11, 0));
  CHECK(!pgopt_gemm_plan_make(&strided, &plan));
  // An unknown number of columns may exceed the leading dimension.
  pgopt_gemm_problem unknown =
      PROBLEM(LOOP(7, false, 5, 0, 11), LOOP(INT64_MAX, false, 0, 1, 1),
              LOOP(5, true, 1, 11, 0));
  unknown.loops[1].is_dynamic = true;
  CHECK(!pgopt_gemm_plan_make(&unknown, &plan));
  pgopt_gemm_problem empty =
      PROBLEM(LOOP(7, false, 5, 0, 1), LOOP(0, true, 1, 1, 0));
  CHECK(!pgopt_gemm_plan_make(&empty, &plan));
}

static unsigned next_random(unsigned *state) {
  *state = *state * 1664525u + 1013904223u;
  return *state >> 16;
}

/// True when an operand does not fit into the tests' arrays.
static bool too_large(const pgopt_gemm_problem *problem) {
  for (int operand = 0; operand < 3; ++operand) {
    int64_t last = 0;
    for (size_t l = 0; l < problem->loop_count; ++l)
      last +=
          (problem->loops[l].extent - 1) * problem->loops[l].strides[operand];
    if (last >= STORE)
      return true;
  }
  return false;
}

/// Random indices for each role, stored in a random order in each operand; the
/// image may have windows.
static void random_problems(void) {
  unsigned state = 1;
  int planned = 0, gathered = 0;
  for (int round = 0; round < 6000; ++round) {
    pgopt_gemm_problem p = {.scratch_elements = round % 3 ? 1 << 14 : 64};
    static const int64_t extents[] = {1, 3, 7, 13, 19};
    p.loop_count = 2 + next_random(&state) % 5;
    for (size_t l = 0; l < p.loop_count; ++l) {
      p.loops[l].extent = extents[next_random(&state) % 5];
      p.loops[l].is_reduction = next_random(&state) % 3 == 0;
    }
    for (int operand = 0; operand < 3; ++operand) {
      int64_t stride = 1 + (next_random(&state) % 8 == 0);
      size_t start = next_random(&state) % p.loop_count;
      for (size_t i = 0; i < p.loop_count; ++i) {
        pgopt_gemm_loop *loop = &p.loops[(start + i) % p.loop_count];
        bool used =
            operand == 2 ? !loop->is_reduction : next_random(&state) % 4 != 0;
        if (!used)
          continue;
        loop->strides[operand] = stride;
        bool overlaps = operand == 0 && next_random(&state) % 4 == 0;
        stride *= overlaps ? 1 : loop->extent;
      }
    }
    pgopt_gemm_plan plan;
    if (too_large(&p) || !pgopt_gemm_plan_make(&p, &plan))
      continue;
    ++planned;
    gathered += plan.gathered != PGOPT_GEMM_NONE;
    if (!CHECK(same_numbers(&p, &plan)))
      return;
  }
  CHECK(planned > 300 && gathered > 30);
}

int main(void) {
  matmuls();
  vectors();
  batch_is_an_outer_loop();
  pointwise_convolution_is_one_product();
  convolution_is_gathered();
  channels_first_swaps_the_operands();
  split_reductions_accumulate();
  refusals();
  random_problems();
  return check_result();
}
