/// \file Which loops of a product have which part: rows, columns, depth, or
/// around all.
#include "kernels/product_planning.h"

#include "base/checked_math.h"

#include <string.h>

enum { C = 2, MAX = PGOPT_PRODUCT_MAX_LOOPS, ENOUGH_ROWS = 48 };

static bool is_rows(const pgopt_product_plan *p, const pgopt_product_loop *l) {
  return !l->is_reduction && l->strides[p->rows_operand] &&
         !l->strides[p->columns_operand];
}

static bool is_columns(const pgopt_product_plan *p,
                       const pgopt_product_loop *l) {
  return !l->is_reduction && l->strides[p->columns_operand] &&
         !l->strides[p->rows_operand] == !p->is_paired;
}
static pgopt_product_axis axis_of(const pgopt_planning *s, size_t loop) {
  const pgopt_product_loop *from = &s->problem->loops[loop];
  pgopt_product_axis axis = {.extent = from->extent,
                             .dynamic = from->is_dynamic ? (int)loop : -1,
                             .inner = 1};
  memcpy(axis.strides, from->strides, sizeof axis.strides);
  memcpy(axis.moves, from->moves, sizeof axis.moves);
  return axis;
}

/// The bound that the axis moves in; -1 for none.
static int bound_of(const pgopt_planning *s, const pgopt_product_axis *axis) {
  for (size_t b = 0; b < s->problem->bound_count; ++b)
    if (axis->moves[b])
      return (int)b;
  return -1;
}

/// True when the outer axis continues the inner one without a gap in every
/// operand but `ignored` (-1 for none).
static bool continues(const pgopt_planning *s, const pgopt_product_axis *inner,
                      const pgopt_product_axis *outer, int ignored) {
  if (inner->dynamic >= 0 ||
      (s->problem->bounded_operand != ignored &&
       (bound_of(s, inner) >= 0 || bound_of(s, outer) >= 0)))
    return false;
  for (size_t k = 0; k < s->problem->operand_count; ++k) {
    int64_t next;
    if ((int)k != ignored &&
        (!pgopt_checked_multiply(inner->strides[k], inner->extent, &next) ||
         outer->strides[k] != next))
      return false;
  }
  return true;
}

/// The inner axis, extended by the outer one.
static pgopt_product_axis join(const pgopt_product_axis *inner,
                               const pgopt_product_axis *outer) {
  pgopt_product_axis both = *inner;
  memset(both.moves, 0, sizeof both.moves);
  both.inner = inner->inner * inner->extent;
  both.dynamic = outer->dynamic;
  if (outer->extent == INT64_MAX ||
      !pgopt_checked_multiply(inner->extent, outer->extent, &both.extent))
    both.extent = INT64_MAX;
  if (outer->dynamic < 0)
    both.inner = 1;
  return both;
}

typedef bool role_function(const pgopt_product_plan *p,
                           const pgopt_product_loop *l);

/// The longest chain of loops of a role whose innermost loop is `loop`.
/// \param[out] parts its loops, outermost first; may be null.
static pgopt_product_axis grow(const pgopt_planning *s, size_t loop,
                               role_function *role, int ignored, bool *used,
                               pgopt_product_axis *parts, size_t *count) {
  pgopt_product_axis chain = axis_of(s, loop);
  used[loop] = true;
  *count = 1;
  parts[0] = chain;
  for (size_t l = 0; l < s->problem->loop_count; ++l) {
    pgopt_product_axis next = axis_of(s, l);
    if (used[l] || !role(s->plan, &s->problem->loops[l]) ||
        !continues(s, &chain, &next, ignored))
      continue;
    chain = join(&chain, &next);
    memmove(parts + 1, parts, *count * sizeof *parts);
    parts[0] = next;
    ++*count;
    used[l] = true;
    l = (size_t)-1; // start over: loops come in any order
  }
  return chain;
}

bool pgopt_is_block_of(const pgopt_product_problem *problem,
                       const int64_t *inner, const int64_t *outer,
                       int64_t lanes, int whole) {
  int64_t next;
  for (size_t k = 0; k < problem->operand_count; ++k) {
    if (!pgopt_checked_multiply(inner[k], lanes, &next))
      return false;
    if ((int)k == whole ? outer[k] != next
                        : (inner[k] != 1 && inner[k] != 0) ||
                              outer[k] % lanes || !inner[k] != !outer[k])
      return false;
  }
  return true;
}

/// Columns that are one vector long go on with those of the next block: C's
/// vectors are apart then, and so may be those of what is fused.
static void join_blocks(pgopt_planning *s) {
  pgopt_product_plan *p = s->plan;
  pgopt_product_axis *axis = &p->columns;
  if (axis->extent != p->lanes || axis->dynamic >= 0 || axis->strides[C] != 1 ||
      p->is_paired || p->is_turned || p->gathered_count)
    return;
  for (size_t l = 0; l < s->problem->loop_count; ++l) {
    pgopt_product_axis outer = axis_of(s, l);
    if (s->used[l] || !is_columns(p, &s->problem->loops[l]) ||
        !pgopt_is_block_of(s->problem, axis->strides, outer.strides, p->lanes,
                           p->columns_operand))
      continue;
    *axis = join(axis, &outer);
    for (size_t k = 0; k < s->problem->operand_count; ++k)
      axis->strides[k] = outer.strides[k] / p->lanes;
    s->used[l] = true;
    return;
  }
}

/// Puts the axis where its stride in the operand belongs, largest first.
static void insert_by_stride(pgopt_product_axis *axes, size_t *count,
                             const pgopt_product_axis *axis, int operand) {
  size_t at = *count;
  while (at > 0 && axes[at - 1].strides[operand] < axis->strides[operand])
    --at;
  memmove(axes + at + 1, axes + at, (*count - at) * sizeof *axes);
  axes[at] = *axis;
  ++*count;
}

/// The longest loop of the columns' operand alone, or -1.
static int longest_column_loop(const pgopt_planning *s) {
  int longest = -1;
  for (size_t l = 0; l < s->problem->loop_count; ++l)
    if (is_columns(s->plan, &s->problem->loops[l]) &&
        (longest < 0 ||
         s->problem->loops[l].extent > s->problem->loops[longest].extent))
      longest = (int)l;
  return longest;
}

bool pgopt_axes_assign(pgopt_planning *s, bool is_swapped,
                       size_t *column_loop) {
  pgopt_product_plan *p = s->plan;
  bool found = false;
  for (size_t l = 0; l < s->problem->loop_count; ++l) {
    const pgopt_product_loop *loop = &s->problem->loops[l];
    int64_t a = loop->strides[0], b = loop->strides[1];
    if (loop->extent < 1 || loop->is_reduction == (loop->strides[C] != 0) ||
        (loop->is_reduction && (loop->is_dynamic || !a || !b)))
      return false;
    if (loop->strides[C] != 1 || loop->is_reduction || found ||
        (a && b && (a != 1 || b != 1)) || (!a && !b))
      continue;
    found = true;
    *column_loop = l;
    p->is_paired = a && b;
    p->is_turned = is_swapped && !p->is_paired;
    p->rows_operand = p->is_paired ? is_swapped : (a ? 1 : 0) != is_swapped;
    p->columns_operand = 1 - p->rows_operand;
  }
  if (!found || !p->is_turned)
    return found;
  int longest = longest_column_loop(s);
  *column_loop = longest < 0 ? 0 : (size_t)longest;
  return longest >= 0;
}

void pgopt_axes_place_columns(pgopt_planning *s, size_t column_loop) {
  pgopt_product_plan *p = s->plan;
  bool gathers = p->source == PGOPT_COLUMNS_GATHERED;
  p->columns =
      grow(s, column_loop, is_columns, gathers ? p->columns_operand : -1,
           s->used, p->gathered, &p->gathered_count);
  p->column_unit = p->column_unit_stride = 1;
  if (gathers) {
    for (size_t i = 1; i < p->gathered_count; ++i)
      p->column_unit *= p->gathered[i].extent;
    p->column_unit_stride = p->gathered[0].strides[p->columns_operand];
  } else {
    p->column_unit_stride = p->columns.strides[p->columns_operand];
    p->gathered_count = 0;
    join_blocks(s);
  }
}

/// Rows enough for a few tiles are enough: of such axes the one is best whose
/// rows lie closest together.
static bool is_better(const pgopt_planning *s, const pgopt_product_axis *axis) {
  const pgopt_product_axis *best = &s->plan->rows;
  int64_t extent = pgopt_likely_extent(axis->extent),
          other = pgopt_likely_extent(best->extent);
  if (extent > ENOUGH_ROWS && other > ENOUGH_ROWS)
    extent = other = ENOUGH_ROWS;
  return extent != other
             ? extent > other
             : extent > 1 && axis->strides[s->plan->rows_operand] <
                                 best->strides[s->plan->rows_operand];
}

void pgopt_axes_place_rows(pgopt_planning *s) {
  pgopt_product_plan *p = s->plan;
  pgopt_product_axis parts[MAX];
  bool best_used[MAX] = {false};
  size_t count;
  p->rows = (pgopt_product_axis){.extent = 1, .dynamic = -1, .inner = 1};
  for (size_t l = 0; l < s->problem->loop_count; ++l) {
    if (s->used[l] || !is_rows(p, &s->problem->loops[l]))
      continue;
    bool used[MAX];
    memcpy(used, s->used, sizeof used);
    pgopt_product_axis axis =
        grow(s, l, is_rows, p->columns_operand, used, parts, &count);
    if (is_better(s, &axis)) {
      p->rows = axis;
      memcpy(best_used, used, sizeof used);
    }
  }
  p->row_bound = pgopt_axes_have_bounded_rows(s) ? bound_of(s, &p->rows) : -1;
  for (size_t l = 0; l < s->problem->loop_count; ++l)
    s->used[l] |= best_used[l];
  for (size_t l = 0; l < s->problem->loop_count; ++l)
    if (!s->used[l] && is_rows(p, &s->problem->loops[l])) {
      pgopt_product_axis axis = axis_of(s, l);
      insert_by_stride(p->row_outer, &p->row_outer_count, &axis,
                       p->rows_operand);
      s->used[l] = true;
    }
}

/// Joins neighbours that have no gap in any operand but `ignored`.
static size_t join_neighbours(const pgopt_planning *s, pgopt_product_axis *axes,
                              size_t count, int ignored) {
  size_t kept = 0;
  for (size_t i = 0; i < count; ++i) {
    if (kept && continues(s, &axes[i], &axes[kept - 1], ignored))
      axes[kept - 1] = join(&axes[i], &axes[kept - 1]);
    else
      axes[kept++] = axes[i];
  }
  return kept;
}

bool pgopt_axes_have_bounded_rows(const pgopt_planning *s) {
  return s->problem->bound_count &&
         s->problem->bounded_operand == s->plan->rows_operand;
}

/// A bound in which no depth moves gets a loop with one tap, which is left out
/// where the image has ended.
static void place_single_taps(const pgopt_planning *s, pgopt_product_axis *axes,
                              size_t *count) {
  for (size_t b = 0; b < s->problem->bound_count; ++b) {
    bool has_taps = false;
    for (size_t i = 0; i < *count; ++i)
      has_taps |= axes[i].moves[b] != 0;
    if (has_taps)
      continue;
    memmove(axes + 1, axes, *count * sizeof *axes);
    axes[0] = (pgopt_product_axis){.extent = 1, .dynamic = -1, .inner = 1};
    axes[0].moves[b] = 1;
    ++*count;
  }
}

void pgopt_axes_place_depth(pgopt_planning *s) {
  pgopt_product_plan *p = s->plan;
  pgopt_product_axis all[MAX + PGOPT_PRODUCT_MAX_BOUNDS];
  size_t count = 0;
  for (size_t l = 0; l < s->problem->loop_count; ++l)
    if (s->problem->loops[l].is_reduction) {
      pgopt_product_axis axis = axis_of(s, l);
      insert_by_stride(all, &count, &axis, p->rows_operand);
      s->used[l] = true;
    }
  if (pgopt_axes_have_bounded_rows(s))
    place_single_taps(s, all, &count);
  p->depth_count = join_neighbours(s, all, count, -1);
  memcpy(p->depth, all, p->depth_count * sizeof *all);
}

size_t pgopt_contiguous_depth(const pgopt_product_plan *plan) {
  size_t level = 0;
  while (level < plan->depth_count &&
         plan->depth[level].strides[plan->columns_operand] != 1)
    ++level;
  return level;
}

bool pgopt_is_beside_contiguous(const pgopt_product_plan *plan) {
  return plan->beside.extent > 1 &&
         plan->beside.strides[plan->columns_operand] == 1;
}

double pgopt_rows_bytes(const pgopt_planning *s) {
  double bytes = (double)s->problem->element_bytes;
  for (size_t l = 0; l < s->problem->loop_count; ++l)
    if (s->problem->loops[l].strides[s->plan->rows_operand])
      bytes *= (double)pgopt_likely_extent(s->problem->loops[l].extent);
  return bytes;
}

/// Rows that the second cache does not hold are worth more columns, of which
/// those of a single step are few.
void pgopt_axes_place_beside(pgopt_planning *s) {
  pgopt_product_plan *p = s->plan;
  p->beside = (pgopt_product_axis){.extent = 1, .dynamic = -1, .inner = 1};
  p->beside_outer = p->beside;
  p->beside_chunk = p->beside_outer_chunk = 1;
  if (p->source != PGOPT_COLUMNS_PACKED)
    return;
  bool is_contiguous = p->columns.strides[p->columns_operand] != 1 &&
                       pgopt_contiguous_depth(p) == p->depth_count;
  size_t found = s->problem->loop_count;
  for (size_t l = 0; l < s->problem->loop_count; ++l) {
    const pgopt_product_loop *loop = &s->problem->loops[l];
    if (s->used[l] || !is_columns(p, loop))
      continue;
    if (is_contiguous && loop->strides[p->columns_operand] == 1) {
      found = l;
      break;
    }
    if (pgopt_rows_bytes(s) > (double)s->target->l2_bytes &&
        (found == s->problem->loop_count ||
         loop->strides[C] < s->problem->loops[found].strides[C]))
      found = l;
  }
  if (found == s->problem->loop_count)
    return;
  p->beside = axis_of(s, found);
  s->used[found] = true;
  for (size_t l = 0; l < s->problem->loop_count; ++l) {
    const pgopt_product_loop *loop = &s->problem->loops[l];
    if (s->used[l] || !is_columns(p, loop) || p->beside.dynamic >= 0 ||
        !pgopt_is_beside_contiguous(p) ||
        loop->strides[p->columns_operand] != p->beside.extent)
      continue;
    p->beside_outer = axis_of(s, l);
    s->used[l] = true;
    return;
  }
}

void pgopt_axes_place_shared(pgopt_planning *s) {
  for (size_t l = 0; l < s->problem->loop_count; ++l)
    if (!s->used[l]) {
      pgopt_product_axis axis = axis_of(s, l);
      insert_by_stride(s->plan->shared, &s->plan->shared_count, &axis, C);
    }
}
void pgopt_axes_join_depth(pgopt_planning *s) {
  pgopt_product_plan *p = s->plan;
  pgopt_product_axis *axes = p->tile_depth;
  size_t count = p->depth_count;
  memcpy(axes, p->depth, count * sizeof *axes);
  axes[0].extent = p->depth_chunk;
  // `inner` counts here what a step of the first loop is made of.
  if (p->source == PGOPT_COLUMNS_IN_PLACE) {
    p->tile_depth_count = count;
    return;
  }
  int64_t below = 1;
  for (size_t i = count; i-- > 0;) {
    axes[i].strides[p->columns_operand] = below;
    below *= axes[i].extent;
  }
  size_t kept = 0;
  for (size_t i = 0; i < count; ++i) {
    if (kept && continues(s, &axes[i], &axes[kept - 1], -1)) {
      int64_t inner = axes[kept - 1].inner * axes[i].extent;
      axes[kept - 1] = join(&axes[i], &axes[kept - 1]);
      axes[kept - 1].inner = inner;
    } else {
      axes[kept++] = axes[i];
    }
  }
  p->tile_depth_count = kept;
}
bool pgopt_axes_bounds_fit(const pgopt_planning *s) {
  const pgopt_product_problem *problem = s->problem;
  const pgopt_product_plan *p = s->plan;
  size_t depths[PGOPT_PRODUCT_MAX_BOUNDS] = {0};
  for (size_t l = 0; l < problem->loop_count; ++l) {
    size_t moved = 0;
    for (size_t b = 0; b < problem->bound_count; ++b) {
      int64_t move = problem->loops[l].moves[b];
      moved += move != 0;
      depths[b] += move && problem->loops[l].is_reduction;
      if (move < 0 || depths[b] > 1)
        return false;
    }
    if (moved > 1)
      return false;
  }
  return !problem->bound_count || pgopt_axes_have_bounded_rows(s) ||
         (problem->bounded_operand == p->columns_operand &&
          p->source == PGOPT_COLUMNS_GATHERED);
}
