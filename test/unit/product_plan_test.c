/// \file Plans of generated products: axes, tiles, blocks, and what is refused.
#include "check.h"
#include "kernels/product_plan.h"

static const pgopt_target avx512 = {.vector_bytes = 64,
                                    .vector_registers = 32,
                                    .has_fma = true,
                                    .l1_bytes = 32 << 10,
                                    .l2_bytes = 1 << 20,
                                    .l3_bytes = 32 << 20};

static pgopt_product_loop loop(int64_t extent, bool is_reduction, int64_t a,
                               int64_t b, int64_t c) {
  return (pgopt_product_loop){
      .extent = extent, .is_reduction = is_reduction, .strides = {a, b, c}};
}

/// C[m][n] += A[m][k] * B[k][n], or B[n][k].
static pgopt_product_problem matmul(int64_t m, int64_t n, int64_t k,
                                    bool is_transposed) {
  return (pgopt_product_problem){
      .loop_count = 3,
      .operand_count = 3,
      .loops = {loop(m, false, k, 0, n),
                loop(n, false, 0, is_transposed ? k : 1, 1),
                loop(k, true, 1, is_transposed ? 1 : n, 0)},
      .element_bytes = 4};
}

static void test_small_product(void) {
  pgopt_product_problem problem = matmul(17, 35, 13, false);
  pgopt_product_plan plan;
  if (!CHECK(pgopt_product_plan_make(&problem, &avx512, &plan)))
    return;
  CHECK_EQ_I64(plan.rows_operand, 0);
  CHECK_EQ_I64(plan.columns_operand, 1);
  CHECK_EQ_I64(plan.source, PGOPT_COLUMNS_IN_PLACE);
  CHECK_EQ_I64(pgopt_product_scratch(&plan), 0);
  // 17 = 2 x 6 + 5; 35 = 2 x 16 + 3 in one panel.
  CHECK_EQ_I64(plan.row_step_count, 2);
  CHECK_EQ_I64(plan.row_steps[0].rows, 6);
  CHECK_EQ_I64(plan.row_steps[0].end, 12);
  CHECK_EQ_I64(plan.row_steps[1].rows, 5);
  CHECK_EQ_I64(plan.row_steps[1].end, 17);
  CHECK_EQ_I64(plan.column_step_count, 1);
  CHECK_EQ_I64(plan.column_steps[0].vectors, 3);
  CHECK_EQ_I64(plan.column_steps[0].tail, 3);
  CHECK_EQ_I64(plan.depth_chunk, 13);
}

/// The transposed result: the other operand has the columns.
static void test_transposed_result(void) {
  pgopt_product_problem problem = matmul(49, 65, 100, false);
  problem.loops[0].strides[2] = 1;
  problem.loops[1].strides[2] = 49;
  pgopt_product_plan plan;
  if (!CHECK(pgopt_product_plan_make(&problem, &avx512, &plan)))
    return;
  CHECK_EQ_I64(plan.rows_operand, 1);
  CHECK_EQ_I64(plan.columns_operand, 0);
  CHECK_EQ_I64(plan.source, PGOPT_COLUMNS_PACKED);
  CHECK_EQ_I64(plan.rows.extent, 65);
  CHECK_EQ_I64(plan.columns.extent, 49);
  // 100 depths of 64 lanes, and a vector.
  CHECK_EQ_I64(pgopt_product_scratch(&plan), 100 * 64 + 16);
}

/// Rows of 8 KiB lie on pages of their own: they are packed, and cut.
/// Constants are packed beforehand where that gains something; with constant
/// rows and few columns the tile is turned.
static void test_prepared(void) {
  pgopt_product_problem problem = matmul(300, 512, 700, true);
  pgopt_product_plan plan;
  problem.can_prepare[1] = true;
  if (!CHECK(pgopt_product_plan_make(&problem, &avx512, &plan)))
    return;
  CHECK_EQ_I64(plan.source, PGOPT_COLUMNS_PREPARED);
  CHECK(!plan.is_turned);
  CHECK_EQ_I64(pgopt_product_scratch(&plan), 0);
  CHECK_EQ_I64(pgopt_prepared_shared_stride(&plan, 0), 512 * 700);
  // As good where they are.
  problem = matmul(300, 64, 40, false);
  problem.can_prepare[1] = true;
  if (CHECK(pgopt_product_plan_make(&problem, &avx512, &plan)))
    CHECK_EQ_I64(plan.source, PGOPT_COLUMNS_IN_PLACE);
  // 49 columns would be 4 vectors, the last one with 1 lane of 16.
  problem = matmul(512, 49, 4608, false);
  problem.can_prepare[0] = true;
  if (!CHECK(pgopt_product_plan_make(&problem, &avx512, &plan)))
    return;
  CHECK_EQ_I64(plan.source, PGOPT_COLUMNS_PREPARED);
  CHECK(plan.is_turned);
  CHECK_EQ_I64(plan.columns_operand, 0);
  CHECK_EQ_I64(plan.columns.extent, 512);
  CHECK_EQ_I64(plan.rows.extent, 49);
}

/// Rows of the columns' operand that are pages apart push one another out of
/// the cache.
static void test_collisions(void) {
  pgopt_product_problem problem = matmul(64, 50176, 27, false);
  pgopt_product_plan plan;
  if (CHECK(pgopt_product_plan_make(&problem, &avx512, &plan)))
    CHECK_EQ_I64(plan.source, PGOPT_COLUMNS_PACKED);
  problem = matmul(64, 50160, 27, false);
  if (CHECK(pgopt_product_plan_make(&problem, &avx512, &plan)))
    CHECK_EQ_I64(plan.source, PGOPT_COLUMNS_IN_PLACE);
}

static void test_blocks(void) {
  pgopt_product_problem problem = matmul(2048, 2048, 2048, false);
  pgopt_product_plan plan;
  if (!CHECK(pgopt_product_plan_make(&problem, &avx512, &plan)))
    return;
  CHECK_EQ_I64(plan.source, PGOPT_COLUMNS_PACKED);
  CHECK_EQ_I64(plan.depth_chunk, 1024);
  CHECK(plan.row_chunk < 2048);
  CHECK_EQ_I64(plan.row_chunk % plan.row_steps[0].rows, 0);
  CHECK(plan.row_chunk * plan.depth_chunk * 4 <=
        avx512.l2_bytes / 2 + (1 << 15));
  CHECK_EQ_I64(plan.column_chunk % (plan.column_steps[0].vectors * 16), 0);
}

/// 3 x 3 windows over NHWC: oh, ow, oc, kh, kw, ic of 5 x 7 pixels.
static void test_convolution(void) {
  pgopt_product_problem problem = {
      .loop_count = 6,
      .operand_count = 3,
      .loops = {loop(5, false, 9 * 11, 0, 7 * 13), loop(7, false, 11, 0, 13),
                loop(13, false, 0, 1, 1), loop(3, true, 9 * 11, 3 * 11 * 13, 0),
                loop(3, true, 11, 11 * 13, 0), loop(11, true, 1, 13, 0)},
      .element_bytes = 4};
  pgopt_product_plan plan;
  if (!CHECK(pgopt_product_plan_make(&problem, &avx512, &plan)))
    return;
  CHECK_EQ_I64(plan.rows.extent, 7);
  CHECK_EQ_I64(plan.row_outer_count, 1);
  CHECK_EQ_I64(plan.row_outer[0].extent, 5);
  // Columns and channels of a window follow one another: 3 x 11.
  CHECK_EQ_I64(plan.tile_depth_count, 2);
  CHECK_EQ_I64(plan.tile_depth[0].extent, 3);
  CHECK_EQ_I64(plan.tile_depth[1].extent, 33);
}

/// Channels first, maps of 7 x 7: without the gather half of the lanes idle.
static void test_gather(void) {
  pgopt_product_problem problem = {
      .loop_count = 6,
      .operand_count = 3,
      .loops = {loop(7, false, 0, 9, 7), loop(7, false, 0, 1, 1),
                loop(512, false, 512 * 9, 0, 49), loop(512, true, 9, 81, 0),
                loop(3, true, 3, 9, 0), loop(3, true, 1, 1, 0)},
      .element_bytes = 4};
  pgopt_product_plan plan;
  if (!CHECK(pgopt_product_plan_make(&problem, &avx512, &plan)))
    return;
  CHECK_EQ_I64(plan.source, PGOPT_COLUMNS_GATHERED);
  CHECK_EQ_I64(plan.columns.extent, 49);
  CHECK_EQ_I64(plan.gathered_count, 2);
  CHECK_EQ_I64(plan.column_unit, 7);
}

/// A range of the rows: any number of them must do.
static void test_dynamic_rows(void) {
  pgopt_product_problem problem = matmul(100, 64, 50, false);
  problem.loops[0].is_dynamic = true;
  pgopt_product_plan plan;
  if (!CHECK(pgopt_product_plan_make(&problem, &avx512, &plan)))
    return;
  CHECK_EQ_I64(plan.rows.dynamic, 0);
  CHECK_EQ_I64(plan.row_steps[plan.row_step_count - 1].rows, 1);
  for (size_t i = 0; i < plan.row_step_count; ++i)
    CHECK_EQ_I64(plan.row_steps[i].end, -1);
}

/// Depthwise over NHWC: ow, c, kw. Pixels are the rows, whichever operand the
/// image is.
static void test_paired(void) {
  pgopt_product_problem problem = {.loop_count = 3,
                                   .operand_count = 3,
                                   .loops = {loop(14, false, 35, 0, 35),
                                             loop(35, false, 1, 1, 1),
                                             loop(3, true, 35, 35, 0)},
                                   .element_bytes = 4};
  for (int swap = 0; swap < 2; ++swap) {
    pgopt_product_plan plan;
    if (!CHECK(pgopt_product_plan_make(&problem, &avx512, &plan)))
      return;
    CHECK(plan.is_paired);
    CHECK_EQ_I64(plan.source, PGOPT_COLUMNS_IN_PLACE);
    CHECK_EQ_I64(plan.rows_operand, swap);
    CHECK_EQ_I64(plan.rows.extent, 14);
    CHECK_EQ_I64(plan.columns.extent, 35);
    for (size_t l = 0; l < 3; ++l) {
      int64_t a = problem.loops[l].strides[0];
      problem.loops[l].strides[0] = problem.loops[l].strides[1];
      problem.loops[l].strides[1] = a;
    }
  }
}

/// C[e][r][a] of A[a][k][e] and B[k][r]: lines of A hold steps of e, of which
/// several are packed together, so that A is read in runs.
static void test_beside(void) {
  pgopt_product_problem problem = {
      .loop_count = 4,
      .operand_count = 3,
      .loops = {loop(48, false, 36 * 48, 0, 1), loop(48, false, 1, 0, 64 * 48),
                loop(64, false, 0, 1, 48), loop(36, true, 48, 64, 0)},
      .element_bytes = 4};
  pgopt_product_plan plan;
  if (!CHECK(pgopt_product_plan_make(&problem, &avx512, &plan)))
    return;
  CHECK_EQ_I64(plan.source, PGOPT_COLUMNS_PACKED);
  CHECK_EQ_I64(plan.columns.extent, 48);
  CHECK_EQ_I64(plan.beside.extent, 48);
  CHECK_EQ_I64(plan.beside_chunk, 48);
  CHECK_EQ_I64(plan.shared_count, 0);
  CHECK_EQ_I64(pgopt_product_scratch(&plan), 48 * 36 * 48 + 16);
  // Of 96 x 96 elements a quarter of the last cache holds all 96.
  problem = (pgopt_product_problem){
      .loop_count = 4,
      .operand_count = 3,
      .loops = {loop(96, false, 96 * 96, 0, 1), loop(96, false, 1, 0, 84 * 96),
                loop(84, false, 0, 1, 96), loop(96, true, 96, 84, 0)},
      .element_bytes = 4};
  if (CHECK(pgopt_product_plan_make(&problem, &avx512, &plan)))
    CHECK_EQ_I64(plan.beside_chunk, 96);
  // C[d][r][a] of A[d][k][a] and B[r][k], which the second cache does not hold:
  // 8 MiB of columns meet each block of its rows.
  problem.loops[0] = loop(96, false, 1, 0, 1);
  problem.loops[1] = loop(84, false, 960 * 96, 0, 840 * 96);
  problem.loops[2] = loop(840, false, 0, 960, 96);
  problem.loops[3] = loop(960, true, 96, 1, 0);
  if (!CHECK(pgopt_product_plan_make(&problem, &avx512, &plan)))
    return;
  CHECK_EQ_I64(plan.source, PGOPT_COLUMNS_PACKED);
  CHECK_EQ_I64(plan.shared_count, 0);
  CHECK_EQ_I64(plan.beside.extent, 84);
  CHECK_EQ_I64(plan.beside_chunk, 21); // of 22 that fit
  CHECK_EQ_I64(plan.column_chunk, 96);
  // Those that it holds are fetched for one step at a time.
  problem.loops[2] = loop(84, false, 0, 960, 96);
  if (CHECK(pgopt_product_plan_make(&problem, &avx512, &plan)))
    CHECK_EQ_I64(plan.beside.extent, 1);
}

/// C[e][r][c][a] of A[a][k][c][e] and B[k][r]: steps of c go on where those of
/// e end.
static void test_beside_outer(void) {
  pgopt_product_problem problem = {
      .loop_count = 5,
      .operand_count = 3,
      .loops = {loop(48, false, 48 * 36 * 48, 0, 1), loop(36, false, 48, 0, 48),
                loop(48, false, 1, 0, 36 * 36 * 48),
                loop(36, false, 0, 1, 36 * 48), loop(48, true, 36 * 48, 36, 0)},
      .element_bytes = 4};
  pgopt_product_plan plan;
  if (!CHECK(pgopt_product_plan_make(&problem, &avx512, &plan)))
    return;
  CHECK_EQ_I64(plan.shared_count, 0);
  CHECK_EQ_I64(plan.beside_chunk, 48);
  CHECK_EQ_I64(plan.beside_outer.extent, 36);
  // A step has 48 x 48 x 48 elements; of 18 that 8 MiB hold, in even parts.
  CHECK_EQ_I64(plan.beside_outer_chunk, 18);
  CHECK_EQ_I64(pgopt_product_scratch(&plan), 18 * 48 * 48 * 48 + 16);
}

/// C[c][d][a] of A[f][e][a] and B[e][c][f][d]: a step of c has 12 pieces of B,
/// far apart, that no other step has.
static void test_interleaved_rows(void) {
  pgopt_product_problem problem = {
      .loop_count = 5,
      .operand_count = 3,
      .loops = {loop(96, false, 1, 0, 1), loop(84, false, 0, 84 * 96, 96 * 96),
                loop(96, false, 0, 1, 96), loop(84, true, 96, 84 * 84 * 96, 0),
                loop(84, true, 84 * 96, 96, 0)},
      .element_bytes = 4};
  pgopt_product_plan plan;
  if (!CHECK(pgopt_product_plan_make(&problem, &avx512, &plan)))
    return;
  CHECK_EQ_I64(plan.row_outer[0].extent, 84);
  CHECK_EQ_I64(plan.depth_chunk, 12);
  CHECK_EQ_I64(plan.row_chunk, 1); // 12 x 84 x 96 elements are 378 KiB
}

/// Copies are cut where they have several steps of equal length.
static void test_copy_cuts(void) {
  const pgopt_product_shape tile = {6, 4, PGOPT_COLUMNS_PREPARED, false};
  pgopt_product_plan plan;
  // 5 panels of 64 columns of 100 depths, the last one with 58 of them.
  pgopt_product_problem wide = matmul(300, 314, 100, false);
  wide.can_prepare[1] = true;
  if (CHECK(pgopt_product_plan_shape(&wide, &avx512, &tile, &plan))) {
    pgopt_copy_cut cut = pgopt_prepared_cut(&plan);
    CHECK_EQ_I64(cut.level, PGOPT_COPY_PANEL);
    CHECK_EQ_I64(cut.steps, 5);
    CHECK_EQ_I64(cut.stride, 6400);
  }
  // 18 vectors are dealt out as 4, 4, 4, 3 and 3.
  wide = matmul(300, 286, 100, false);
  wide.can_prepare[1] = true;
  if (CHECK(pgopt_product_plan_shape(&wide, &avx512, &tile, &plan)))
    CHECK_EQ_I64(pgopt_prepared_cut(&plan).level, PGOPT_COPY_WHOLE);
  // Several parts of the depth, all panels each.
  pgopt_product_problem deep = matmul(300, 64, 5000, false);
  deep.can_prepare[1] = true;
  if (CHECK(pgopt_product_plan_shape(&deep, &avx512, &tile, &plan))) {
    pgopt_copy_cut cut = pgopt_prepared_cut(&plan);
    CHECK_EQ_I64(cut.level, PGOPT_COPY_PART);
    CHECK_EQ_I64(cut.stride, 64 * plan.depth_chunk);
    CHECK_EQ_I64(cut.steps, (5000 - 1) / plan.depth_chunk + 1);
  }
  // One panel.
  pgopt_product_problem narrow = matmul(300, 64, 100, false);
  narrow.can_prepare[1] = true;
  if (CHECK(pgopt_product_plan_shape(&narrow, &avx512, &tile, &plan))) {
    pgopt_copy_cut cut = pgopt_prepared_cut(&plan);
    CHECK_EQ_I64(cut.level, PGOPT_COPY_WHOLE);
    CHECK_EQ_I64(cut.steps, 1);
    CHECK_EQ_I64(cut.stride, 6400);
  }
}

static void test_refusals(void) {
  pgopt_product_plan plan;
  // A reduction of A alone.
  pgopt_product_problem sum = matmul(7, 7, 7, false);
  sum.loops[2].strides[1] = 0;
  CHECK(!pgopt_product_plan_make(&sum, &avx512, &plan));
  // C is nowhere contiguous.
  pgopt_product_problem strided = matmul(7, 7, 7, false);
  strided.loops[0].strides[2] = 14;
  strided.loops[1].strides[2] = 2;
  CHECK(!pgopt_product_plan_make(&strided, &avx512, &plan));
  // One row, and a matrix to transpose for it: planned, but mostly a copy.
  pgopt_product_problem row = matmul(1, 100, 200, true);
  CHECK(pgopt_product_plan_make(&row, &avx512, &plan) &&
        plan.copy_cycles > plan.cycles / 4);
}

int main(void) {
  test_small_product();
  test_transposed_result();
  test_prepared();
  test_copy_cuts();
  test_beside();
  test_beside_outer();
  test_interleaved_rows();
  test_collisions();
  test_blocks();
  test_convolution();
  test_gather();
  test_dynamic_rows();
  test_paired();
  test_refusals();
  return check_result();
}
