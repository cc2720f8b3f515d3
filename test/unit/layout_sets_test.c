/// Layouts of the values between kernels, of networks built by hand.
#include "check.h"

#include "layout/layout_sets.h"
#include "network_builder.h"

enum { MAX_OPS = 16, MAX_KERNEL_OPS = 4 };

static const char *const maximum[] = {"arith.maximumf"};
static const char *const multiply_add[] = {"arith.mulf", "arith.addf"};

typedef struct fixture {
  network_builder b;
  pgopt_axes axes;
  pgopt_layout_kernel kernels[MAX_OPS];
  int ops[MAX_OPS][MAX_KERNEL_OPS];
  pgopt_layout_sets sets;
} fixture;

/// y = max(x, x), element by element.
static int relu(fixture *f, const char *equation, int x) {
  pgopt_type type = f->b.network.values[x].type;
  int operands[] = {x, x, add_empty(&f->b, type.rank, type.extents)};
  return add_structured(&f->b, "linalg.generic", equation, operands, 3, maximum,
                        1);
}

static int transpose(fixture *f, const char *equation, int x, size_t rank,
                     const int64_t *extents) {
  int operands[] = {x, add_empty(&f->b, rank, extents)};
  return add_structured(&f->b, "linalg.generic", equation, operands, 2, NULL,
                        0);
}

static int view(fixture *f, int x, size_t rank, const int64_t *extents) {
  return add_plain(&f->b, PGOPT_OP_VIEW, "tensor.collapse_shape", &x, 1, rank,
                   extents);
}

/// An op with a reduction: a product or convolution of x and the parameter w.
static int contract(fixture *f, const char *equation, int x, int w, size_t rank,
                    const int64_t *extents) {
  int operands[] = {x, w, add_empty(&f->b, rank, extents)};
  f->b.network.values[w].is_parameter = true;
  return add_structured(&f->b, "linalg.generic", equation, operands, 3,
                        multiply_add, 2);
}

/// Ends the network; every operation is a kernel, with the storage it writes.
static void find_sets(fixture *f, int result, int64_t block) {
  finish_network(&f->b, &result, 1);
  const pgopt_network *n = &f->b.network;
  size_t count = 0;
  for (size_t i = 0; i + 1 < n->op_count; ++i) {
    const pgopt_op *op = &n->ops[i];
    if (op->kind == PGOPT_OP_EMPTY)
      continue;
    pgopt_layout_kernel *k = &f->kernels[count];
    int *ops = f->ops[count++];
    for (size_t o = 0; o < op->operand_count; ++o) {
      int producer = n->values[op->operands[o]].producer;
      if (producer >= 0 && n->ops[producer].kind == PGOPT_OP_EMPTY)
        ops[k->op_count++] = producer;
    }
    ops[k->op_count++] = (int)i;
    k->ops = ops;
    k->core = (int)i;
  }
  pgopt_axes_build(n, NULL, true, block, &f->axes);
  pgopt_layout_sets_find(&f->axes, f->kernels, count, &f->sets);
}

static void free_fixture(fixture *f) {
  pgopt_layout_sets_free(&f->sets);
  pgopt_axes_free(&f->axes);
  pgopt_network_free(&f->b.network);
}

/// Checks the value's layouts: a letter a dimension, outermost first.
static void check_set(const fixture *f, int value, const char *expected) {
  const pgopt_layout_set *set = &f->sets.sets[value];
  pgopt_text text = {0};
  pgopt_text_append(&text, "%s", "");
  for (size_t i = 0; i < set->count; ++i) {
    pgopt_text_append(&text, i ? ", " : "");
    pgopt_order_append_name(&f->axes, value, set->orders[i], &text);
  }
  CHECK_EQ_TEXT(text.data, expected);
  pgopt_text_free(&text);
}

/// A transpose offers its order on both sides; extents of 1 do not count.
static void test_permutations(void) {
  fixture f = {0};
  int x = add_argument(&f.b, EXTENTS(1, 5, 7, 11));
  int y = relu(&f, "abcd,abcd,abcd", x);
  int t = transpose(&f, "abcd,acdb", y, EXTENTS(1, 7, 11, 5));
  int z = relu(&f, "abcd,abcd,abcd", t);
  find_sets(&f, z, 0);
  check_set(&f, x, "b.c.d, c.d.b");
  check_set(&f, y, "b.c.d, c.d.b");
  check_set(&f, t, "b.c.d, d.b.c");
  check_set(&f, z, "b.c.d, d.b.c");
  // The transpose as it is, and for nothing where both sides are stored alike.
  const pgopt_kernel_layouts *moved = &f.sets.layouts[1];
  CHECK_EQ_I64(moved->operands[0], y);
  CHECK_EQ_I64(moved->results[0], t);
  for (size_t i = 0; i < moved->candidate_count; ++i) {
    const pgopt_layout_candidate *c = &moved->candidates[i];
    CHECK_EQ_I64(c->is_free, c->layouts[0] != c->layouts[1]);
  }
  CHECK(!moved->candidates[0].is_free);
  // An elementwise kernel reads and writes the same layout.
  const pgopt_kernel_layouts *plain = &f.sets.layouts[0];
  CHECK_EQ_I64((int64_t)plain->candidate_count, 2);
  CHECK_EQ_I64(plain->candidates[1].layouts[0],
               plain->candidates[1].layouts[1]);
  free_fixture(&f);
}

/// Two transposes that differ in where an extent of 1 stands are one layout.
static void test_equivalents(void) {
  fixture f = {0};
  int x = add_argument(&f.b, EXTENTS(5, 1, 7));
  int y = relu(&f, "abc,abc,abc", x);
  int left = transpose(&f, "abc,cba", y, EXTENTS(7, 1, 5));
  int right = transpose(&f, "abc,cab", y, EXTENTS(7, 5, 1));
  int operands[] = {relu(&f, "abc,abc,abc", left),
                    relu(&f, "abc,abc,abc", right),
                    add_empty(&f.b, EXTENTS(7, 5, 1))};
  int z = add_structured(&f.b, "linalg.generic", "cba,cab,cab", operands, 3,
                         maximum, 1);
  find_sets(&f, z, 0);
  check_set(&f, y, "a.c, c.a");
  check_set(&f, left, "a.c, c.a");
  check_set(&f, right, "a.b, b.a");
  free_fixture(&f);
}

/// Convolutions: channels first, last, and in blocks where these fit.
static void test_images(void) {
  for (int divides = 0; divides < 2; ++divides) {
    int64_t channels = divides ? 32 : 24;
    fixture f = {0};
    int x = add_argument(&f.b, EXTENTS(1, channels, 9, 13));
    int w = add_argument(&f.b, EXTENTS(channels, channels, 3, 3));
    int y =
        contract(&f, "nCh+Rw+S,fCRS,nfhw", x, w, EXTENTS(1, channels, 7, 11));
    int z = relu(&f, "abcd,abcd,abcd", y);
    find_sets(&f, z, 16);
    const char *expected =
        divides ? "b0.b1.c.d, c.d.b0.b1, b0.c.d.b1" : "b.c.d, c.d.b";
    check_set(&f, x, expected);
    check_set(&f, y, expected);
    check_set(&f, z, expected);
    // Parameters are packed for each candidate and have no set.
    CHECK_EQ_I64((int64_t)f.sets.sets[w].count, 0);
    CHECK(f.sets.layouts[0].candidate_count > 1);
    free_fixture(&f);
  }
}

/// A view hands on orders that keep its groups together, and what stands apart
/// in the merged dimension is a factor of it.
static void test_views(void) {
  fixture f = {0};
  int x = add_argument(&f.b, EXTENTS(5, 7, 11));
  int y = relu(&f, "abc,abc,abc", x);
  int merged = view(&f, y, EXTENTS(5, 77));
  int t = transpose(&f, "ab,ba", merged, EXTENTS(77, 5));
  find_sets(&f, relu(&f, "ab,ab,ab", t), 0);
  check_set(&f, y, "a.b.c, b.c.a");
  check_set(&f, merged, "a.b0.b1, b0.b1.a");
  free_fixture(&f);

  // The order of y spreads over the view: 7 stands in front of 5.
  f = (fixture){0};
  x = add_argument(&f.b, EXTENTS(7, 5, 11));
  y = transpose(&f, "abc,bac", relu(&f, "abc,abc,abc", x), EXTENTS(5, 7, 11));
  merged = view(&f, y, EXTENTS(35, 11));
  int z = relu(&f, "ab,ab,ab", merged);
  find_sets(&f, z, 0);
  check_set(&f, z, "a0.a1.b, a1.a0.b");
  free_fixture(&f);

  // Factors of (4, 6) and (6, 4) do not fit into each other: a stop.
  f = (fixture){0};
  x = add_argument(&f.b, EXTENTS(4, 6));
  y = relu(&f, "ab,ab,ab", x);
  t = transpose(&f, "ab,ba", view(&f, y, EXTENTS(6, 4)), EXTENTS(4, 6));
  z = relu(&f, "ab,ab,ab", t);
  find_sets(&f, z, 0);
  check_set(&f, y, "a.b");
  check_set(&f, z, "a.b, b.a");
  free_fixture(&f);
}

/// A product with a parameter takes the data in every layout that it has around
/// it; its own axis stands where the reduced one stood.
static void test_products(void) {
  fixture f = {0};
  int x = add_argument(&f.b, EXTENTS(5, 7, 3));
  int w = add_argument(&f.b, EXTENTS(3, 13));
  int y =
      transpose(&f, "abc,bac", relu(&f, "abc,abc,abc", x), EXTENTS(7, 5, 3));
  int z = contract(&f, "abK,Kc,abc", y, w, EXTENTS(7, 5, 13));
  find_sets(&f, z, 0);
  check_set(&f, y, "a.b.c, b.a.c");
  check_set(&f, z, "a.b.c, b.a.c");
  CHECK_EQ_I64((int64_t)f.sets.sets[w].count, 0);
  CHECK(f.sets.is_returned[z] && !f.sets.is_returned[y]);
  free_fixture(&f);
}

int main(void) {
  test_permutations();
  test_equivalents();
  test_images();
  test_views();
  test_products();
  return check_result();
}
