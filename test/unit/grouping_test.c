/// \file Grouping, kernel plans and signatures of hand-built networks.
#include "check.h"

#include "grouping/kernel_plan.h"
#include "grouping/signature.h"
#include "grouping/stem.h"
#include "network_builder.h"

#include <string.h>

static const char *const multiply_add[] = {"arith.mulf", "arith.addf"};
static const char *const add[] = {"arith.addf"};
static const char *const maximum[] = {"arith.maximumf"};

static int fill(network_builder *b, size_t rank, const int64_t *extents) {
  int scalar = add_value(
      b,
      (pgopt_type){.element = PGOPT_FLOAT, .element_bits = 32, .text = "f32"},
      -1);
  int operands[] = {scalar, add_empty(b, rank, extents)};
  /* A scalar has rank 0: its group in the equation is empty. */
  return add_structured(b, "linalg.fill", rank == 1 ? ",i" : ",ij", operands, 2,
                        NULL, 0);
}

static int matmul(network_builder *b, int a, int w, int64_t m, int64_t n) {
  int operands[] = {a, w, fill(b, EXTENTS(m, n))};
  return add_structured(b, "linalg.matmul", "iK,Kj,ij", operands, 3,
                        multiply_add, 2);
}

static int binary(network_builder *b, const char *equation, int x, int y,
                  int64_t m, int64_t n) {
  int operands[] = {x, y, add_empty(b, EXTENTS(m, n))};
  return add_structured(b, "linalg.generic", equation, operands, 3, add, 1);
}

static pgopt_grouping group(const network_builder *b, bool fuse) {
  pgopt_grouping grouping;
  pgopt_error error;
  CHECK(pgopt_group_network(&b->network, fuse, &grouping, &error) == PGOPT_OK);
  return grouping;
}

/// y = max(x w + bias, x2): one kernel with two epilogues.
static void test_epilogues(void) {
  network_builder b = {0};
  int x = add_argument(&b, EXTENTS(7, 11));
  int w = add_argument(&b, EXTENTS(11, 13));
  int bias = add_argument(&b, EXTENTS(13));
  int x2 = add_argument(&b, EXTENTS(7, 13));
  int product = matmul(&b, x, w, 7, 13);
  int biased = binary(&b, "ij,j,ij", product, bias, 7, 13);
  int operands[] = {biased, x2, add_empty(&b, EXTENTS(7, 13))};
  int y =
      add_structured(&b, "linalg.generic", "ij,ij,ij", operands, 3, maximum, 1);
  finish_network(&b, &y, 1);
  pgopt_grouping grouping = group(&b, true);
  CHECK_EQ_I64((int64_t)grouping.group_count, 1);
  CHECK_EQ_I64((int64_t)grouping.groups[0].member_count, 3);
  CHECK_EQ_TEXT(grouping.groups[0].id, "matmul_0");
  CHECK_EQ_I64(grouping.groups[0].core, b.network.values[product].producer);

  pgopt_kernel_plan plan =
      pgopt_plan_kernel(&b.network, &grouping, 0, &grouping.arena);
  CHECK(plan.can_cut);
  CHECK_EQ_I64(plan.range_extent, 7);
  CHECK_EQ_I64((int64_t)plan.output_count, 1);
  CHECK_EQ_I64(plan.outputs[0], y);
  for (size_t i = 0; i < plan.input_count; ++i) {
    /* Rows of x and x2 are cut; w, the bias and the scalar are not. */
    bool cut = plan.inputs[i] == x || plan.inputs[i] == x2;
    CHECK_EQ_I64(plan.input_cuts[i].dim, cut ? 0 : -1);
  }
  pgopt_grouping_free(&grouping);

  grouping = group(&b, false);
  CHECK_EQ_I64((int64_t)grouping.group_count, 3);
  pgopt_grouping_free(&grouping);
  pgopt_network_free(&b.network);
}

/// A second user, or a transposed read, ends the chain.
static void test_no_epilogue(void) {
  network_builder b = {0};
  int x = add_argument(&b, EXTENTS(7, 11));
  int w = add_argument(&b, EXTENTS(11, 7));
  int product = matmul(&b, x, w, 7, 7);
  int transposed = binary(&b, "ij,ji,ij", x, x, 7, 11);
  (void)transposed;
  int sum = binary(&b, "ij,ji,ij", product, product, 7, 7);
  int results[] = {sum, transposed};
  finish_network(&b, results, 2);
  pgopt_grouping grouping = group(&b, true);
  CHECK_EQ_I64((int64_t)grouping.group_count, 3);
  pgopt_grouping_free(&grouping);
  pgopt_network_free(&b.network);
}

/// The addition of two products belongs to the later one.
static void test_two_products(void) {
  network_builder b = {0};
  int x = add_argument(&b, EXTENTS(7, 11));
  int w = add_argument(&b, EXTENTS(11, 13));
  int first = matmul(&b, x, w, 7, 13);
  int second = matmul(&b, x, w, 7, 13);
  int sum = binary(&b, "ij,ij,ij", first, second, 7, 13);
  finish_network(&b, &sum, 1);
  pgopt_grouping grouping = group(&b, true);
  CHECK_EQ_I64((int64_t)grouping.group_count, 2);
  CHECK_EQ_I64(grouping.group_of[b.network.values[sum].producer],
               grouping.group_of[b.network.values[second].producer]);
  CHECK_EQ_I64(grouping.groups[1].core, b.network.values[second].producer);
  pgopt_grouping_free(&grouping);
  pgopt_network_free(&b.network);
}

/// What the plan's range touches of its input `value`.
static pgopt_cut input_cut(const pgopt_kernel_plan *plan, int value) {
  for (size_t i = 0; i < plan->input_count; ++i)
    if (plan->inputs[i] == value)
      return plan->input_cuts[i];
  return (pgopt_cut){-2, 0, 0};
}

/// A convolution's rows overlap: [lo, (hi - 1) + 3).
static void test_window(void) {
  network_builder b = {0};
  int image = add_argument(&b, EXTENTS(9, 5));
  int filter = add_argument(&b, EXTENTS(3, 5, 2));
  int init = fill(&b, EXTENTS(7, 2));
  int operands[] = {image, filter, init};
  int y = add_structured(&b, "linalg.generic", "y+RC,RCf,yf", operands, 3,
                         multiply_add, 2);
  finish_network(&b, &y, 1);
  const pgopt_op *op = &b.network.ops[b.network.values[y].producer];
  CHECK(pgopt_op_is_convolution(op));
  CHECK_EQ_TEXT(pgopt_op_stem(op), "conv");
  pgopt_grouping grouping = group(&b, true);
  pgopt_kernel_plan plan =
      pgopt_plan_kernel(&b.network, &grouping, 0, &grouping.arena);
  CHECK(plan.can_cut);
  pgopt_cut cut = input_cut(&plan, image);
  CHECK_EQ_I64(cut.dim, 0);
  CHECK_EQ_I64(cut.scale, 1);
  CHECK_EQ_I64(cut.window, 3);
  pgopt_grouping_free(&grouping);
  pgopt_network_free(&b.network);
}

/// A reduction is cut along its rows, with what makes them. Of the rows of its
/// argument, 13 numbers of 4 bytes each, the 16th is at a line's begin again,
/// as is the 16th of its results.
static void test_reduction(void) {
  network_builder b = {0};
  int x = add_argument(&b, EXTENTS(7, 13));
  int sum = binary(&b, "ij,ij,ij", x, x, 7, 13);
  int operands[] = {sum, fill(&b, EXTENTS(7))};
  int y = add_structured(&b, "linalg.generic", "iJ,i", operands, 2, add, 1);
  finish_network(&b, &y, 1);
  pgopt_grouping grouping = group(&b, true);
  CHECK_EQ_I64((int64_t)grouping.group_count, 1);
  CHECK_EQ_TEXT(grouping.groups[0].id, "reduce_add_0");
  pgopt_kernel_plan plan =
      pgopt_plan_kernel(&b.network, &grouping, 0, &grouping.arena);
  CHECK(plan.can_cut && !plan.has_contraction);
  CHECK_EQ_I64(plan.range_extent, 7);
  CHECK_EQ_I64(plan.range_line, 16);
  CHECK_EQ_I64(input_cut(&plan, x).dim, 0);
  CHECK_EQ_I64(plan.output_cuts[0].dim, 0);
  pgopt_grouping_free(&grouping);
  pgopt_network_free(&b.network);
}

/// A sum over everything has nothing to cut.
static void test_whole_sum(void) {
  network_builder b = {0};
  int x = add_argument(&b, EXTENTS(7, 13));
  int operands[] = {x, fill(&b, EXTENTS(1))};
  int y = add_structured(&b, "linalg.generic", "IJ,k", operands, 2, add, 1);
  finish_network(&b, &y, 1);
  pgopt_grouping grouping = group(&b, true);
  pgopt_kernel_plan plan =
      pgopt_plan_kernel(&b.network, &grouping, 0, &grouping.arena);
  CHECK(!plan.can_cut);
  CHECK_EQ_I64(plan.range_extent, 1);
  pgopt_grouping_free(&grouping);
  pgopt_network_free(&b.network);
}

/// A pool's rows overlap. A transpose is cut in its first loop, in whichever
/// dimension of its result that is.
static void test_cut_classes(void) {
  network_builder b = {0};
  int x = add_argument(&b, EXTENTS(15, 32));
  int window = add_argument(&b, EXTENTS(3));
  int pool_operands[] = {x, window, fill(&b, EXTENTS(7, 32))};
  int pool = add_structured(&b, "linalg.generic", "y+y+Rc,R,yc", pool_operands,
                            3, add, 1);
  int t_operands[] = {pool, fill(&b, EXTENTS(32, 7))};
  int t = add_structured(&b, "linalg.generic", "ji,ij", t_operands, 2, NULL, 0);
  finish_network(&b, &t, 1);
  pgopt_grouping grouping = group(&b, false);
  CHECK_EQ_I64((int64_t)grouping.group_count, 2);
  pgopt_kernel_plan plan =
      pgopt_plan_kernel(&b.network, &grouping, 0, &grouping.arena);
  CHECK(plan.can_cut);
  CHECK_EQ_I64(plan.range_extent, 7);
  CHECK_EQ_I64(plan.range_line, 1);
  CHECK_EQ_I64(input_cut(&plan, x).scale, 2);
  CHECK_EQ_I64(input_cut(&plan, x).window, 3);
  plan = pgopt_plan_kernel(&b.network, &grouping, 1, &grouping.arena);
  CHECK(plan.can_cut);
  CHECK_EQ_I64(plan.range_extent, 7);
  CHECK_EQ_I64(plan.range_line, 16);
  CHECK_EQ_I64(input_cut(&plan, pool).dim, 0);
  CHECK_EQ_I64(plan.output_cuts[0].dim, 1);
  pgopt_grouping_free(&grouping);
  pgopt_network_free(&b.network);
}

/// A range of rows reads its rows of the left matrix and all of the right one:
/// 7 x 7 numbers of 4 bytes, where a layer computes them.
static void test_shared_bytes(void) {
  network_builder b = {0};
  int x = add_argument(&b, EXTENTS(7, 7));
  int right = matmul(&b, x, x, 7, 7);
  int y = matmul(&b, x, right, 7, 7);
  finish_network(&b, &y, 1);
  pgopt_grouping grouping = group(&b, true);
  CHECK_EQ_I64((int64_t)grouping.group_count, 2);
  pgopt_kernel_plan plan =
      pgopt_plan_kernel(&b.network, &grouping, 0, &grouping.arena);
  CHECK_EQ_I64(plan.shared_bytes, 0);
  plan = pgopt_plan_kernel(&b.network, &grouping, 1, &grouping.arena);
  CHECK_EQ_I64(plan.shared_bytes, 196);
  pgopt_grouping_free(&grouping);
  pgopt_network_free(&b.network);
}

/// The signature of w x + bias; loops are named as `equation` says.
static char *signature_of(const char *name, const char *equation,
                          int64_t columns, const char *const *body) {
  network_builder b = {0};
  int x = add_argument(&b, EXTENTS(7, 11));
  int w = add_argument(&b, EXTENTS(11, columns));
  int operands[] = {x, w, fill(&b, EXTENTS(7, columns))};
  int y = add_structured(&b, name, equation, operands, 3, body, 2);
  finish_network(&b, &y, 1);
  pgopt_grouping grouping = group(&b, true);
  char *signature = pgopt_duplicate_text(
      pgopt_group_signature(&b.network, &grouping.groups[0], &grouping.arena));
  pgopt_grouping_free(&grouping);
  pgopt_network_free(&b.network);
  return signature;
}

static void test_signatures(void) {
  static const char *const multiply_max[] = {"arith.mulf", "arith.maximumf"};
  char *named = signature_of("linalg.matmul", "iK,Kj,ij", 13, multiply_add);
  char *generic = signature_of("linalg.generic", "yZ,Zx,yx", 13, multiply_add);
  char *wider = signature_of("linalg.matmul", "iK,Kj,ij", 17, multiply_add);
  char *other = signature_of("linalg.generic", "iK,Kj,ij", 13, multiply_max);
  CHECK(!strcmp(named, generic));
  CHECK(strcmp(named, wider));
  CHECK(strcmp(named, other));
  free(named);
  free(generic);
  free(wider);
  free(other);
}

/// Ranges are near-equal, dense and complete.
static void test_parts(void) {
  for (int64_t extent = 1; extent < 40; ++extent)
    for (int64_t parts = 1; parts <= extent; ++parts) {
      CHECK_EQ_I64(pgopt_part_begin(extent, 0, parts), 0);
      CHECK_EQ_I64(pgopt_part_begin(extent, parts, parts), extent);
      for (int64_t p = 0; p < parts; ++p) {
        int64_t size = pgopt_part_begin(extent, p + 1, parts) -
                       pgopt_part_begin(extent, p, parts);
        CHECK(size == extent / parts || size == extent / parts + 1);
      }
    }
}

int main(void) {
  test_epilogues();
  test_no_epilogue();
  test_two_products();
  test_window();
  test_reduction();
  test_whole_sum();
  test_cut_classes();
  test_shared_bytes();
  test_signatures();
  test_parts();
  return check_result();
}
