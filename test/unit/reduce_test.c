/// \file Generated reductions against f64, between guarded pages.
///
/// usage: reduce_test [CASES [SEED]]
#include "kernel_check.h"

/// Loops in any order in A and C, two of them long at most; B is an array of
/// some of A's dimensions.
static void draw_reduction(kernel_case *c) {
  *c = (kernel_case){.body = (case_body)(1 + draw(4)),
                     .loops = 2 + (int)draw(3)};
  int order[CASE_LOOPS], last = c->loops - 1;
  for (int l = 0; l < c->loops; ++l) {
    c->extents[l] = l < 2 ? draw_extent() : (int64_t)draw(5) + 1;
    c->is_reduction[l] = l < 2 ? l == 1 : draw(2);
    order[l] = l;
  }
  for (int l = last; l > 0; --l) {
    int other = (int)draw((uint64_t)l + 1), kept = order[l];
    order[l] = order[other];
    order[other] = kept;
  }
  bool is_row = draw(2);
  for (int d = 0; d < c->loops; ++d) {
    case_dim dim = case_loop(c, order[d]);
    c->operands[0].dims[c->operands[0].rank++] = dim;
    if (!is_row || d == last)
      c->operands[1].dims[c->operands[1].rank++] = dim;
  }
  // At times the results lie in another order than what is reduced.
  bool is_turned = draw(4) == 0;
  for (int d = 0; d < c->loops; ++d) {
    int loop = order[is_turned ? last - d : d];
    if (!c->is_reduction[loop])
      c->operands[2].dims[c->operands[2].rank++] = case_loop(c, loop);
  }
}

static void check_target(const char *options, int cases) {
  for (int i = 0; i < cases; ++i) {
    kernel_case c;
    draw_reduction(&c);
    draw_surroundings(&c);
    c.has_special = (c.body == BODY_MAX || c.body == BODY_MIN) && !c.has_clamp;
    check_case(&c, options);
  }
}

int main(int argc, char **argv) {
  return check_targets(argc, argv, 48, check_target);
}
