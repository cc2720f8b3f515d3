/// \file How a multiply-accumulate becomes calls of a matrix product.
///
/// Loops have roles: rows of A (an index of A and C), columns of B (of B and
/// C), depth (a reduction that indexes A and B). For every choice of an operand
/// to gather (none, A, B) and every chain of loops without gaps for each role,
/// the product is checked against what a row-major GEMM can express and its
/// cost is estimated; the cheapest wins. Loops in no chain go around the
/// product.
#include "codegen/gemm_plan.h"

#include "base/checked_math.h"

#include <string.h>

enum { NONE = -1, MAX = PGOPT_GEMM_MAX_LOOPS };

/// Costs in multiply-adds of a good GEMM. Rough on purpose: they only separate
/// what differs by factors.
static const double call_cost = 256;        // entering BLAS once
static const double loop_cost = 4;          // one multiply-add in plain loops
static const double gather_run_cost = 1;    // one element of a long run
static const double gather_single_cost = 3; // one element of a short run
enum { LONG_RUN = 8 };

typedef enum role { ROWS, COLUMNS, DEPTH, OTHER } role;

/// Strides of a chain are those of its innermost loop.
typedef struct chain {
  pgopt_gemm_axis axis;
  int64_t extent; ///< 1 for the empty chain; the bound when dynamic
  int64_t strides[3];
} chain;

typedef struct candidates {
  chain chains[MAX + 1];
  size_t count;
} candidates;

typedef struct search {
  const pgopt_gemm_problem *problem;
  role roles[MAX];
  double total; ///< multiply-adds
  bool found;
  pgopt_gemm_plan *plan;
} search;

static role loop_role(const pgopt_gemm_loop *loop) {
  bool a = loop->strides[0] != 0, b = loop->strides[1] != 0;
  if (loop->is_reduction)
    return a && b ? DEPTH : OTHER;
  if (a && !b)
    return ROWS;
  return b && !a ? COLUMNS : OTHER;
}

/// The operands whose strides tie a role's loops together.
static bool constrains(role r, size_t operand, pgopt_gemm_operand gathered) {
  if ((pgopt_gemm_operand)operand == gathered)
    return false;
  switch (r) {
  case ROWS:
    return operand == PGOPT_GEMM_A || operand == PGOPT_GEMM_C;
  case COLUMNS:
    return operand == PGOPT_GEMM_B || operand == PGOPT_GEMM_C;
  case DEPTH:
    return operand == PGOPT_GEMM_A || operand == PGOPT_GEMM_B;
  case OTHER:
    break;
  }
  return false;
}

static bool in_axis(const pgopt_gemm_axis *axis, size_t loop) {
  for (size_t i = 0; i < axis->count; ++i)
    if (axis->loops[i] == loop)
      return true;
  return false;
}

/// True when `loop` continues the chain outwards without a gap.
static bool continues(const search *s, const chain *c, size_t loop, role r,
                      pgopt_gemm_operand gathered) {
  if (s->roles[loop] != r || in_axis(&c->axis, loop))
    return false;
  for (size_t k = 0; k < 3; ++k) {
    int64_t next;
    if (constrains(r, k, gathered) &&
        (!pgopt_checked_multiply(c->strides[k], c->extent, &next) ||
         s->problem->loops[loop].strides[k] != next))
      return false;
  }
  return true;
}

static void push_outer(const search *s, chain *c, size_t loop) {
  memmove(c->axis.loops + 1, c->axis.loops,
          c->axis.count * sizeof *c->axis.loops);
  c->axis.loops[0] = loop;
  ++c->axis.count;
  if (!pgopt_checked_multiply(c->extent, s->problem->loops[loop].extent,
                              &c->extent))
    c->extent = INT64_MAX;
}

/// The longest chain whose innermost loop is `loop`.
static chain grow_chain(const search *s, size_t loop, role r,
                        pgopt_gemm_operand gathered) {
  chain c = {.extent = 1};
  memcpy(c.strides, s->problem->loops[loop].strides, sizeof c.strides);
  push_outer(s, &c, loop);
  for (size_t l = 0; l < s->problem->loop_count; ++l) {
    if (s->problem->loops[c.axis.loops[0]].is_dynamic)
      break;
    if (continues(s, &c, l, r, gathered)) {
      push_outer(s, &c, l);
      l = (size_t)-1; // start over: loops come in any order
    }
  }
  return c;
}

static void list_chains(const search *s, role r, pgopt_gemm_operand gathered,
                        candidates *list) {
  list->chains[0] = (chain){.extent = 1};
  list->count = 1;
  for (size_t l = 0; l < s->problem->loop_count; ++l)
    if (s->roles[l] == r)
      list->chains[list->count++] = grow_chain(s, l, r, gathered);
}

/// Strides of the matrices' indices. A gathered operand is dense: the inner
/// index has stride 1, the outer one the inner one's extent, written 0 when
/// that is the operand's own axis (its extent is known at run time).
typedef struct matrix {
  int64_t own, depth; ///< strides
  int64_t own_extent, depth_extent;
  bool is_gathered, depth_is_inner;
} matrix;

/// Leading dimension of a matrix stored with `inner` as its inner index, or
/// NONE when it cannot be: the inner stride must be 1 and rows must not
/// overlap.
static int64_t leading_dimension(int64_t inner_stride, int64_t inner_extent,
                                 int64_t outer_stride, int64_t outer_extent) {
  if (inner_extent != 1 && inner_stride != 1)
    return NONE;
  if (outer_extent == 1)
    return inner_extent == INT64_MAX ? NONE : inner_extent;
  return outer_stride >= inner_extent ? outer_stride : NONE;
}

/// Sets the leading dimension, and whether the matrix's inner index is its own
/// axis; false when neither index can be the inner one.
static bool store_matrix(const matrix *x, bool *own_is_inner, int64_t *ld) {
  if (x->is_gathered) {
    *own_is_inner = !x->depth_is_inner;
    *ld = x->depth_is_inner ? x->depth_extent : 0;
    return true;
  }
  *own_is_inner = false;
  *ld = leading_dimension(x->depth, x->depth_extent, x->own, x->own_extent);
  if (*ld != NONE)
    return true;
  *own_is_inner = true;
  *ld = leading_dimension(x->own, x->own_extent, x->depth, x->depth_extent);
  return *ld != NONE;
}

/// Fills the call's part of the plan; false when no order of the operands fits.
static bool fit_call(const chain *m, const chain *n, const chain *k,
                     const matrix *a, const matrix *b, pgopt_gemm_plan *plan) {
  bool a_own_inner, b_own_inner;
  int64_t ld_a, ld_b;
  if (!store_matrix(a, &a_own_inner, &ld_a) ||
      !store_matrix(b, &b_own_inner, &ld_b))
    return false;
  plan->depth = k->axis;
  int64_t ld_c =
      leading_dimension(n->strides[2], n->extent, m->strides[2], m->extent);
  if (ld_c != NONE) {
    plan->left = PGOPT_GEMM_A;
    plan->right = PGOPT_GEMM_B;
    plan->rows = m->axis;
    plan->columns = n->axis;
    plan->transpose_left = a_own_inner;
    plan->transpose_right = !b_own_inner;
    plan->ld_left = ld_a;
    plan->ld_right = ld_b;
    plan->ld_c = ld_c;
    return true;
  }
  ld_c = leading_dimension(m->strides[2], m->extent, n->strides[2], n->extent);
  if (ld_c == NONE)
    return false;
  plan->left = PGOPT_GEMM_B;
  plan->right = PGOPT_GEMM_A;
  plan->rows = n->axis;
  plan->columns = m->axis;
  plan->transpose_left = b_own_inner;
  plan->transpose_right = !a_own_inner;
  plan->ld_left = ld_b;
  plan->ld_right = ld_a;
  plan->ld_c = ld_c;
  return true;
}

/// Longest loop of the axis over which the operand is contiguous.
static int64_t contiguous_run(const search *s, const pgopt_gemm_axis *axis,
                              pgopt_gemm_operand operand) {
  for (size_t i = 0; i < axis->count; ++i) {
    const pgopt_gemm_loop *loop = &s->problem->loops[axis->loops[i]];
    if (loop->strides[operand] == 1)
      return loop->extent;
  }
  return 0;
}

/// What a product of these extents costs: edges of register tiles are wasted,
/// and a vector times a matrix is bound by memory.
static double product_cost(double m, double n, double k) {
  if (m == 1 || n == 1)
    return 2 * m * n * (k + 8);
  return (m + 3) * (n + 8) * (k + 8);
}

/// Cuts the gathered operand so that it fits into the scratch: outer loops of
/// its own axis go around the product, and the next one runs in chunks.
static void cut(const search *s, pgopt_gemm_axis *axis, int64_t depth,
                pgopt_gemm_plan *plan) {
  int64_t limit = s->problem->scratch_elements / depth;
  int64_t inner = 1;
  size_t fitting = axis->count;
  while (fitting) {
    int64_t extent = s->problem->loops[axis->loops[fitting - 1]].extent, next;
    if (!pgopt_checked_multiply(inner, extent, &next) || next > limit)
      break;
    inner = next;
    --fitting;
  }
  if (!fitting)
    return;
  // Loop `fitting - 1` does not fit as a whole.
  int64_t extent = s->problem->loops[axis->loops[fitting - 1]].extent;
  int64_t chunk = limit / inner > 1 ? limit / inner : 1;
  if (extent != INT64_MAX) {
    int64_t pieces = (extent - 1) / chunk + 1;
    chunk = (extent - 1) / pieces + 1;
  }
  for (size_t i = 0; i + 1 < fitting; ++i)
    plan->outer[plan->outer_count++] = axis->loops[i];
  axis->count -= fitting - 1;
  memmove(axis->loops, axis->loops + fitting - 1,
          axis->count * sizeof *axis->loops);
  plan->chunk = chunk;
}

/// Orders the loops around the product: first those that move the gathered
/// operand, so that it is gathered as rarely as possible.
static void place_outer(const search *s, pgopt_gemm_plan *plan) {
  size_t inner[MAX], inner_count = 0;
  for (size_t l = 0; l < s->problem->loop_count; ++l) {
    const pgopt_gemm_loop *loop = &s->problem->loops[l];
    if (in_axis(&plan->rows, l) || in_axis(&plan->columns, l) ||
        in_axis(&plan->depth, l))
      continue;
    plan->accumulates |= loop->is_reduction;
    if (plan->gathered == PGOPT_GEMM_NONE || loop->strides[plan->gathered])
      plan->outer[plan->outer_count++] = l;
    else
      inner[inner_count++] = l;
  }
  plan->gather_depth = plan->outer_count;
  for (size_t i = 0; i < inner_count; ++i)
    plan->outer[plan->outer_count++] = inner[i];
}

const pgopt_gemm_axis *pgopt_gemm_gathered_axis(const pgopt_gemm_plan *plan) {
  return plan->gathered == plan->left ? &plan->rows : &plan->columns;
}

static double extents_product(const search *s, const size_t *loops,
                              size_t count) {
  double product = 1;
  for (size_t i = 0; i < count; ++i)
    product *= (double)s->problem->loops[loops[i]].extent;
  return product;
}

static double plan_cost(const search *s, const chain *m, const chain *n,
                        const chain *k, const pgopt_gemm_plan *plan) {
  double calls = extents_product(s, plan->outer, plan->outer_count);
  double cost = calls * product_cost((double)m->extent, (double)n->extent,
                                     (double)k->extent);
  if (calls > 1)
    cost += calls * call_cost;
  if (plan->gathered == PGOPT_GEMM_NONE)
    return cost;
  const chain *own = plan->gathered == PGOPT_GEMM_A ? m : n;
  int64_t run = contiguous_run(s, plan->depth_is_inner ? &k->axis : &own->axis,
                               plan->gathered);
  return cost + extents_product(s, plan->outer, plan->gather_depth) *
                    (double)own->extent * (double)k->extent *
                    (run >= LONG_RUN ? gather_run_cost : gather_single_cost);
}

static void try_chains(search *s, pgopt_gemm_operand gathered, const chain *m,
                       const chain *n, const chain *k) {
  pgopt_gemm_plan plan = {.gathered = gathered};
  const chain *own = gathered == PGOPT_GEMM_B ? n : m;
  if (!k->axis.count)
    return;
  if (gathered != PGOPT_GEMM_NONE) {
    // A gathered vector is read as often as it is gathered.
    if (!m->axis.count || !n->axis.count)
      return;
    plan.depth_is_inner = contiguous_run(s, &k->axis, gathered) >=
                          contiguous_run(s, &own->axis, gathered);
  }
  matrix a = {m->strides[0],
              k->strides[0],
              m->extent,
              k->extent,
              gathered == PGOPT_GEMM_A,
              plan.depth_is_inner};
  matrix b = {n->strides[1],
              k->strides[1],
              n->extent,
              k->extent,
              gathered == PGOPT_GEMM_B,
              plan.depth_is_inner};
  if (!fit_call(m, n, k, &a, &b, &plan))
    return;
  place_outer(s, &plan);
  double cost = plan_cost(s, m, n, k, &plan);
  if (plan.outer_count && cost > loop_cost * s->total)
    return;
  if (s->found && cost >= s->plan->cost)
    return;
  if (gathered != PGOPT_GEMM_NONE) {
    size_t placed = plan.outer_count;
    cut(s, plan.left == gathered ? &plan.rows : &plan.columns, k->extent,
        &plan);
    // The loops of the axis that were cut off move the gathered operand.
    size_t moved = plan.outer_count - placed;
    size_t cut_off[MAX];
    memcpy(cut_off, plan.outer + placed, moved * sizeof *cut_off);
    memmove(plan.outer + plan.gather_depth + moved,
            plan.outer + plan.gather_depth,
            (placed - plan.gather_depth) * sizeof *plan.outer);
    memcpy(plan.outer + plan.gather_depth, cut_off, moved * sizeof *cut_off);
    plan.gather_depth += moved;
  }
  s->found = true;
  *s->plan = plan;
  s->plan->cost = cost;
}

/// Sets the roles; false when the destination's indices are not exactly the
/// parallel loops, or a reduction is dynamic.
static bool assign_roles(search *s) {
  s->total = 1;
  for (size_t l = 0; l < s->problem->loop_count; ++l) {
    const pgopt_gemm_loop *loop = &s->problem->loops[l];
    if (loop->extent < 1 || loop->is_reduction == (loop->strides[2] != 0) ||
        (loop->is_reduction && loop->is_dynamic))
      return false;
    s->roles[l] = loop_role(loop);
    s->total *= (double)loop->extent;
  }
  return true;
}

/// The problem without loops of extent 1; `kept` has the loops' numbers.
static void drop_units(const pgopt_gemm_problem *problem,
                       pgopt_gemm_problem *rest, size_t *kept) {
  rest->loop_count = 0;
  rest->scratch_elements = problem->scratch_elements;
  for (size_t l = 0; l < problem->loop_count; ++l) {
    if (problem->loops[l].extent == 1 && !problem->loops[l].is_dynamic)
      continue;
    kept[rest->loop_count] = l;
    rest->loops[rest->loop_count++] = problem->loops[l];
  }
}

static void rename_loops(size_t *loops, size_t count, const size_t *kept) {
  for (size_t i = 0; i < count; ++i)
    loops[i] = kept[loops[i]];
}

bool pgopt_gemm_plan_make(const pgopt_gemm_problem *problem,
                          pgopt_gemm_plan *plan) {
  pgopt_gemm_problem rest;
  size_t kept[MAX];
  if (problem->loop_count > MAX)
    return false;
  drop_units(problem, &rest, kept);
  search s = {.problem = &rest, .plan = plan};
  if (!assign_roles(&s))
    return false;
  for (int gathered = PGOPT_GEMM_NONE; gathered >= 0; --gathered) {
    if (gathered == PGOPT_GEMM_C)
      continue;
    candidates rows, columns, depths;
    list_chains(&s, ROWS, (pgopt_gemm_operand)gathered, &rows);
    list_chains(&s, COLUMNS, (pgopt_gemm_operand)gathered, &columns);
    list_chains(&s, DEPTH, (pgopt_gemm_operand)gathered, &depths);
    for (size_t i = 0; i < rows.count; ++i)
      for (size_t j = 0; j < columns.count; ++j)
        for (size_t k = 0; k < depths.count; ++k)
          try_chains(&s, (pgopt_gemm_operand)gathered, &rows.chains[i],
                     &columns.chains[j], &depths.chains[k]);
  }
  if (!s.found)
    return false;
  rename_loops(plan->outer, plan->outer_count, kept);
  rename_loops(plan->rows.loops, plan->rows.count, kept);
  rename_loops(plan->columns.loops, plan->columns.count, kept);
  rename_loops(plan->depth.loops, plan->depth.count, kept);
  return true;
}
