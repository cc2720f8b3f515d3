/// Orders, axes, minimum cuts and contraction paths in plain C.
#include "check.h"
#include "einsum/contraction_path.h"
#include "layout/axis_classes.h"
#include "layout/max_flow.h"
#include "layout/order.h"

#include <stdbool.h>
#include <stdlib.h>

static bool agrees(const int *a, size_t m, const int *b, size_t n) {
  return pgopt_order_agrees((pgopt_order){a, m}, (pgopt_order){b, n});
}

static void orders(void) {
  int abc[] = {0, 1, 2}, cab[] = {2, 0, 1}, ac[] = {0, 2}, ca[] = {2, 0},
      d[] = {3}, adbc[] = {0, 3, 1, 2};
  CHECK(agrees(abc, 3, abc, 3));
  CHECK(!agrees(abc, 3, cab, 3));
  CHECK(agrees(abc, 3, ac, 2));
  CHECK(agrees(ac, 2, abc, 3));
  CHECK(!agrees(abc, 3, ca, 2));
  CHECK(agrees(abc, 3, d, 1));
  CHECK(agrees(abc, 3, adbc, 4));
  CHECK(!agrees(adbc, 4, cab, 3));
  CHECK(agrees(abc, 0, cab, 3));
}

/// C[b m n] += A[b m k] * B[b k n] with loops b, m, n, k = 0, 1, 2, 3.
static unsigned copies(const int *a, size_t na, const int *b, size_t nb,
                       const int *c, size_t nc) {
  static const pgopt_loop_role roles[] = {PGOPT_LOOP_BATCH, PGOPT_LOOP_ROW,
                                          PGOPT_LOOP_COLUMN, PGOPT_LOOP_DEPTH,
                                          PGOPT_LOOP_DEPTH};
  const pgopt_order all[] = {{a, na}, {b, nb}, {c, nc}};
  const int64_t bytes[] = {100, 200};
  return pgopt_contraction_copies(all, roles, bytes);
}

static void contraction_copies(void) {
  int bmk[] = {0, 1, 3}, mbk[] = {1, 0, 3}, mkb[] = {1, 3, 0};
  int bkn[] = {0, 3, 2}, bnk[] = {0, 2, 3}, bmn[] = {0, 1, 2},
      mnb[] = {1, 2, 0};
  int m34[] = {1, 3, 4}, n43[] = {2, 4, 3}, n34[] = {2, 3, 4}, mn[] = {1, 2};
  CHECK_EQ_I64(copies(bmk, 3, bkn, 3, bmn, 3), 0);
  CHECK_EQ_I64(copies(mbk, 3, bnk, 3, bmn, 3), 0);
  CHECK_EQ_I64(copies(mkb, 3, bkn, 3, bmn, 3), 1); // A: batch innermost
  CHECK_EQ_I64(copies(bmk, 3, bkn, 3, mnb, 3), 4); // C likewise
  CHECK_EQ_I64(copies(m34, 3, n34, 3, mn, 2), 0);
  CHECK_EQ_I64(copies(m34, 3, n43, 3, mn, 2), 1); // depths clash: the smaller
}

/// Members of the given extents, each its own class.
static pgopt_axis_classes make_classes(const int64_t *extents, size_t count) {
  pgopt_axis_classes c = {calloc(count, sizeof(pgopt_axis_class)), count};
  for (size_t i = 0; i < count; ++i)
    c.members[i] = (pgopt_axis_class){.parent = (int)i, .extent = extents[i]};
  return c;
}

static void classes(void) {
  // 6 x 35 as 2 x 3 x 7 x 5: cuts 3 in 6 and 5 in 35.
  int64_t extents[] = {6, 35, 2, 3, 7, 5, 6};
  pgopt_axis_classes c = make_classes(extents, 7);
  int left[] = {0, 1}, right[] = {2, 3, 4, 5};
  bool changed = false;
  CHECK(pgopt_axis_join(&c, 0, 6));
  CHECK(!pgopt_axis_join(&c, 0, 1)); // other extents
  CHECK(pgopt_axis_refine(&c, left, 2, right, 4, &changed));
  CHECK(changed);
  CHECK_EQ_I64(c.members[pgopt_axis_find(&c, 6)].cut_count, 1);
  CHECK_EQ_I64(c.members[pgopt_axis_find(&c, 6)].cuts[0], 3);
  CHECK_EQ_I64(c.members[pgopt_axis_find(&c, 1)].cuts[0], 5);
  changed = false;
  CHECK(pgopt_axis_refine(&c, left, 2, right, 4, &changed));
  CHECK(!changed);
  CHECK(!pgopt_axis_can_cut(&c, 6, 2)); // 2 does not divide the cut 3
  free(c.members);

  // (4, 6) and (6, 4) do not fit into each other: 4 does not divide 6.
  int64_t others[] = {4, 6, 6, 4};
  c = make_classes(others, 4);
  int a[] = {0, 1}, b[] = {2, 3};
  CHECK(!pgopt_axis_refine(&c, a, 2, b, 2, &changed));
  free(c.members);

  // A dimension that must stay whole refuses a cut.
  int64_t whole[] = {6, 2, 3};
  c = make_classes(whole, 3);
  pgopt_axis_keep_whole(&c, 0);
  int parts[] = {1, 2}, one[] = {0};
  CHECK(!pgopt_axis_refine(&c, one, 1, parts, 2, &changed));
  free(c.members);
}

static void cuts(void) {
  // 0 -> 1 -> 3 and 0 -> 2 -> 3, with 1 -> 2: the cheapest cut is 2 + 3.
  pgopt_flow flow;
  bool far[4];
  pgopt_flow_init(&flow, 4);
  pgopt_flow_add(&flow, 0, 1, 10, 0);
  pgopt_flow_add(&flow, 0, 2, 3, 0);
  pgopt_flow_add(&flow, 1, 2, 0, 0);
  pgopt_flow_add(&flow, 1, 3, 2, 0);
  pgopt_flow_add(&flow, 2, 3, 9, 0);
  pgopt_flow_cut(&flow, 0, 3, far);
  CHECK(!far[0] && !far[1] && far[2] && far[3]);
  pgopt_flow_free(&flow);
}

static void paths(void) {
  // i j, j k, k l -> i l with 2, 3, 5, 7: 30 + 70 against 42 + 105.
  uint64_t chain[] = {0x3, 0x6, 0xc};
  int64_t extents[] = {2, 3, 5, 7};
  pgopt_path_step steps[16];
  CHECK(pgopt_contraction_path(3, chain, 0x9, 4, extents, 0, steps) == 100);
  CHECK_EQ_I64(steps[0].left, 0);
  CHECK_EQ_I64(steps[0].right, 1);
  CHECK_EQ_I64(steps[0].loops, 0x5); // i k
  CHECK_EQ_I64(steps[1].loops, 0x9);

  // i k has 10 elements, j l has 21: a limit of 14 leaves the first, 9 leaves
  // none and gives way.
  CHECK(pgopt_contraction_path(3, chain, 0x9, 4, extents, 14, steps) == 100);
  CHECK(pgopt_contraction_path(3, chain, 0x9, 4, extents, 9, steps) == 100);

  // i k is 2 x 60, j l is 9 x 9: 120 * 18 products against 81 * 62, and with a
  // limit of 100 elements the dearer path.
  int64_t flat[] = {2, 9, 60, 9};
  CHECK(pgopt_contraction_path(3, chain, 0x9, 4, flat, 0, steps) == 120 * 18);
  CHECK_EQ_I64(steps[0].left, 0);
  CHECK(pgopt_contraction_path(3, chain, 0x9, 4, flat, 100, steps) == 81 * 62);
  CHECK_EQ_I64(steps[0].left, 1);
  CHECK_EQ_I64(steps[0].right, 2);
  CHECK_EQ_I64(steps[0].loops, 0xa); // j l

  // The outer product first (3 * 3 = 9 products, 9 elements) is cheapest; no
  // path stays below 8 elements, so the limit gives way.
  uint64_t star[] = {0x1, 0x2, 0x7};
  int64_t small[] = {3, 3, 1000};
  double free_cost = pgopt_contraction_path(3, star, 0x4, 3, small, 0, steps);
  CHECK(free_cost == 9 + 9000);
  CHECK_EQ_I64(steps[0].left, 0);
  CHECK_EQ_I64(steps[0].right, 1);
  CHECK(pgopt_contraction_path(3, star, 0x4, 3, small, 8, steps) == free_cost);

  // Ten factors in a ring take the greedy way: nine steps, all used once.
  uint64_t ring[10];
  int64_t ones[10];
  bool used[19] = {false};
  for (int i = 0; i < 10; ++i) {
    ring[i] = UINT64_C(1) << i | UINT64_C(1) << (i + 1) % 10;
    ones[i] = 2 + i % 3;
  }
  CHECK(pgopt_contraction_path(10, ring, 0, 10, ones, 0, steps) > 0);
  for (int s = 0; s < 9; ++s) {
    CHECK(!used[steps[s].left] && !used[steps[s].right]);
    used[steps[s].left] = used[steps[s].right] = true;
    CHECK(steps[s].left < 10 + s && steps[s].right < 10 + s);
  }
  CHECK_EQ_I64(steps[8].loops, 0);
}

int main(void) {
  orders();
  contraction_copies();
  classes();
  cuts();
  paths();
  return check_result();
}
