/// \file How a multiply-accumulate becomes loops around a register tile.
///
/// Loops have roles: rows (an index of the rows' operand and C), columns (of
/// the columns' operand and C), depth (a reduction that indexes A and B), all
/// others go around. For every way to read the columns (in place, packed,
/// gathered) and every tile of the table the cost is estimated from the cycles
/// of the tile's loop and of the copy; the cheapest wins. Blocks are as large
/// as the caches allow.
#include "kernels/product_plan.h"

#include "base/checked_math.h"

#include <string.h>

enum { C = 2, MAX = PGOPT_PRODUCT_MAX_LOOPS };

/// Extents that are not known before the program runs count as this.
static const int64_t unknown_extent = 1024;

static const struct {
  int64_t registers, vectors, rows;
} tiles[] = {
#define PGOPT_TILE(registers, vectors, rows) {registers, vectors, rows},
#include "kernels/tiles.def"
#undef PGOPT_TILE
};

// Cycles of one core, for vectors of any width.
static const double fma_cycles = 0.5;
static const double load_cycles = 0.5;
static const double tile_latency = 4;        ///< of the accumulators' chain
static const double tile_cycles = 12;        ///< entering and leaving a tile
static const double copy_cycles = 0.15;      ///< an element of a vector
static const double transpose_cycles = 0.5;  ///< an element of a square
static const double gather_run_cycles = 0.5; ///< an element of a long run
static const double gather_cycles = 2;       ///< any other element
static const double page_cycles = 8; ///< touching a page that is not at hand
enum { PAGE_BYTES = 4096, PAGES_AT_HAND = 48 };
/// More rows than this, a multiple of a page apart, push one another out of the
/// first cache: all of them lie in one set of it.
enum { WAYS_AT_HAND = 6 };
static const double conflict_factor = 1.3;
enum { FEW_ROWS = 256, LONG_RUN = 8, MIN_DEPTH = 128, MAX_DEPTH = 1024 };

static bool is_rows(const pgopt_product_plan *p, const pgopt_product_loop *l) {
  return !l->is_reduction && l->strides[p->rows_operand] &&
         !l->strides[p->columns_operand];
}

static bool is_columns(const pgopt_product_plan *p,
                       const pgopt_product_loop *l) {
  return !l->is_reduction && l->strides[p->columns_operand] &&
         !l->strides[p->rows_operand] == !p->is_paired;
}

/// What is being planned; `used` marks the loops that have a place.
typedef struct planning {
  const pgopt_product_problem *problem;
  const pgopt_target *target;
  pgopt_product_plan *plan;
  bool used[MAX];
} planning;

static int64_t likely(int64_t extent) {
  return extent == INT64_MAX ? unknown_extent : extent;
}

static pgopt_product_axis axis_of(const planning *s, size_t loop) {
  const pgopt_product_loop *from = &s->problem->loops[loop];
  pgopt_product_axis axis = {.extent = from->extent,
                             .dynamic = from->is_dynamic ? (int)loop : -1,
                             .inner = 1};
  memcpy(axis.strides, from->strides, sizeof axis.strides);
  return axis;
}

/// True when the outer axis continues the inner one without a gap in every
/// operand but `ignored` (-1 for none).
static bool continues(const planning *s, const pgopt_product_axis *inner,
                      const pgopt_product_axis *outer, int ignored) {
  if (inner->dynamic >= 0)
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
static pgopt_product_axis grow(const planning *s, size_t loop,
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

/// Sets the operands' parts; false when C is not contiguous along a loop of one
/// operand, or of both in which these are contiguous too, or when a reduction
/// does not index both.
static bool assign_operands(planning *s, int paired_rows, size_t *column_loop) {
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
    p->rows_operand = p->is_paired ? paired_rows : a ? 1 : 0;
    p->columns_operand = 1 - p->rows_operand;
  }
  return found;
}

static void place_columns(planning *s, size_t column_loop) {
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
  }
}

static void place_rows(planning *s) {
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
    if (likely(axis.extent) > likely(p->rows.extent)) {
      p->rows = axis;
      memcpy(best_used, used, sizeof used);
    }
  }
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
static size_t join_neighbours(const planning *s, pgopt_product_axis *axes,
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

static void place_depth(planning *s) {
  pgopt_product_plan *p = s->plan;
  pgopt_product_axis all[MAX];
  size_t count = 0;
  for (size_t l = 0; l < s->problem->loop_count; ++l)
    if (s->problem->loops[l].is_reduction) {
      pgopt_product_axis axis = axis_of(s, l);
      insert_by_stride(all, &count, &axis, p->rows_operand);
      s->used[l] = true;
    }
  p->depth_count = join_neighbours(s, all, count, -1);
  memcpy(p->depth, all, p->depth_count * sizeof *all);
}

static void place_shared(planning *s) {
  for (size_t l = 0; l < s->problem->loop_count; ++l)
    if (!s->used[l]) {
      pgopt_product_axis axis = axis_of(s, l);
      insert_by_stride(s->plan->shared, &s->plan->shared_count, &axis, C);
    }
}

/// Pieces of about the same size, none larger than `limit`.
static int64_t balanced(int64_t extent, int64_t limit) {
  if (limit < 1)
    limit = 1;
  if (extent <= limit)
    return extent;
  int64_t pieces = (extent - 1) / limit + 1;
  return (extent - 1) / pieces + 1;
}

static int64_t clamp(int64_t value, int64_t low, int64_t high) {
  return value < low ? low : value > high ? high : value;
}

/// The depth of the product: as much as keeps a panel and the rows' block in
/// the second cache; what is left goes around it.
static void block_depth(planning *s, int64_t panel) {
  pgopt_product_plan *p = s->plan;
  int64_t limit =
      clamp(s->target->l2_bytes / 4 / (panel * s->problem->element_bytes),
            MIN_DEPTH, MAX_DEPTH);
  int64_t inside = 1;
  size_t first = p->depth_count;
  while (first > 0 && inside * p->depth[first - 1].extent <= limit)
    inside *= p->depth[--first].extent;
  p->depth_chunk = first < p->depth_count ? p->depth[first].extent : 1;
  if (first > 0 && limit / inside > 1) {
    // A depth that is hardly longer than the limit stays whole.
    int64_t chunk = p->depth[first - 1].extent;
    --first;
    p->depth_chunk = chunk * inside <= limit + limit / 4
                         ? chunk
                         : balanced(chunk, limit / inside);
  }
  p->outer_depth_count = first;
  memcpy(p->outer_depth, p->depth, first * sizeof *p->depth);
  p->depth_count -= first;
  memmove(p->depth, p->depth + first, p->depth_count * sizeof *p->depth);
  if (!p->depth_count) { // every loop went around: one step is left
    p->depth[0] = (pgopt_product_axis){.extent = 1, .dynamic = -1, .inner = 1};
    p->depth_count = 1;
    p->depth_chunk = 1;
  }
}

/// The tile's loops over the depth.
static void join_depth(planning *s) {
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

static int64_t depth_extent(const pgopt_product_plan *p) {
  int64_t extent = p->depth_chunk;
  for (size_t i = 1; i < p->depth_count; ++i)
    extent *= p->depth[i].extent;
  return extent;
}

static double total(const pgopt_product_axis *axes, size_t count) {
  double product = 1;
  for (size_t i = 0; i < count; ++i)
    product *= (double)likely(axes[i].extent);
  return product;
}

/// Sets the steps over the rows: tiles of nearly the same height.
static void step_rows(pgopt_product_plan *p, int64_t tallest) {
  int64_t extent = p->rows.extent;
  bool whole =
      p->rows.dynamic < 0 && (p->row_outer_count || p->row_chunk >= extent);
  pgopt_product_rows *steps = p->row_steps;
  size_t count = 0;
  if (whole) {
    int64_t pieces = (extent - 1) / tallest + 1;
    int64_t rows = (extent - 1) / pieces + 1;
    int64_t tall = extent - pieces * (rows - 1); // tiles of `rows` rows
    steps[count++] = (pgopt_product_rows){rows, tall * rows};
    if (tall < pieces)
      steps[count++] = (pgopt_product_rows){rows - 1, extent};
  } else {
    steps[count++] = (pgopt_product_rows){tallest, -1};
    if (p->rows.dynamic < 0) { // blocks are multiples of the tile
      if (extent % tallest)
        steps[count++] = (pgopt_product_rows){extent % tallest, -1};
    } else {
      if (tallest > 2)
        steps[count++] = (pgopt_product_rows){tallest / 2, -1};
      if (tallest > 1)
        steps[count++] = (pgopt_product_rows){1, -1};
    }
  }
  p->row_step_count = count;
}

/// Sets the steps over the columns: panels of nearly the same width.
static void step_columns(pgopt_product_plan *p, int64_t widest) {
  int64_t extent = p->columns.extent, lanes = p->lanes;
  bool whole =
      p->columns.dynamic < 0 && p->column_chunk * p->column_unit >= extent;
  pgopt_product_columns *steps = p->column_steps;
  size_t count = 0;
  if (whole) {
    int64_t vectors = (extent - 1) / lanes + 1, tail = extent % lanes;
    int64_t panels = (vectors - 1) / widest + 1;
    int64_t width = (vectors - 1) / panels + 1;
    int64_t wide = vectors - panels * (width - 1);
    int64_t narrow = panels - wide;
    if (tail) // the last panel is one of its own
      narrow ? --narrow : --wide;
    if (wide)
      steps[count++] = (pgopt_product_columns){width, wide * width * lanes, 0};
    if (narrow)
      steps[count++] = (pgopt_product_columns){
          width - 1, (wide * width + narrow * (width - 1)) * lanes, 0};
    if (tail)
      steps[count++] = (pgopt_product_columns){
          vectors - wide * width - narrow * (width - 1), extent, tail};
  } else {
    int64_t panel = widest * lanes;
    steps[count++] = (pgopt_product_columns){widest, -1, 0};
    bool even =
        p->column_chunk * p->column_unit % panel == 0 && p->columns.dynamic < 0;
    int64_t left = extent % panel;
    if (!even)
      steps[count++] = (pgopt_product_columns){1, -2, 0};
    else if (left)
      steps[count++] =
          (pgopt_product_columns){(left - 1) / lanes + 1, -2, left % lanes};
  }
  p->column_step_count = count;
}

/// Cycles that a step of the depth waits for the columns' pages: panels that
/// are in place have their rows far apart, and walk over the same pages in
/// every tile.
static double page_cost(const planning *s, double depth) {
  const pgopt_product_plan *p = s->plan;
  if (p->source != PGOPT_COLUMNS_IN_PLACE)
    return 0;
  double stride =
      (double)p->depth[p->depth_count - 1].strides[p->columns_operand] *
      (double)s->problem->element_bytes;
  double pages = stride < PAGE_BYTES ? stride / PAGE_BYTES : 1;
  return pages * depth > PAGES_AT_HAND ? pages * page_cycles : 0;
}

/// Cycles of all tiles, over all of the depth.
static double tile_cost(const planning *s, double depth) {
  const pgopt_product_plan *p = s->plan;
  double waiting = page_cost(s, depth);
  int64_t stride = p->rows.strides[p->rows_operand] * s->problem->element_bytes;
  double rows_left = (double)likely(p->rows.extent), cost = 0;
  int64_t row_start = 0;
  for (size_t r = 0; r < p->row_step_count; ++r) {
    double rows = (double)p->row_steps[r].rows;
    double end = p->row_steps[r].end < 0
                     ? row_start + (double)(int64_t)(rows_left / rows) * rows
                     : (double)p->row_steps[r].end;
    double tiles_down = (end - (double)row_start) / rows;
    rows_left -= end - (double)row_start;
    row_start = (int64_t)end;
    double columns = (double)likely(p->columns.extent), start = 0;
    for (size_t c = 0; c < p->column_step_count; ++c) {
      double width = (double)(p->column_steps[c].vectors * p->lanes);
      double to =
          p->column_steps[c].end == -1
              ? start + (double)(int64_t)((columns - start) / width) * width
          : p->column_steps[c].end == -2 ? columns
                                         : (double)p->column_steps[c].end;
      double across = (double)(int64_t)((to - start + width - 1) / width);
      double vectors = (double)p->column_steps[c].vectors;
      double fmas = rows * vectors * fma_cycles;
      double loads =
          ((p->is_paired ? rows * vectors : rows) + vectors) * load_cycles;
      double step = fmas > loads ? fmas : loads;
      step = step > tile_latency ? step : tile_latency;
      if (rows > WAYS_AT_HAND && stride % PAGE_BYTES == 0)
        step *= conflict_factor;
      step += waiting;
      cost += tiles_down * across * (step * depth + tile_cycles);
      start = to;
    }
  }
  return cost;
}

static double copy_cost(const planning *s) {
  const pgopt_product_plan *p = s->plan;
  int operand = p->columns_operand;
  if (p->source == PGOPT_COLUMNS_IN_PLACE ||
      p->source == PGOPT_COLUMNS_PREPARED)
    return 0;
  if (p->source == PGOPT_COLUMNS_GATHERED) {
    const pgopt_product_axis *last = &p->gathered[p->gathered_count - 1];
    return last->strides[operand] == 1 && last->extent >= LONG_RUN
               ? gather_run_cycles
               : gather_cycles;
  }
  if (p->columns.strides[operand] == 1)
    return copy_cycles;
  return p->depth[p->depth_count - 1].strides[operand] == 1 ? transpose_cycles
                                                            : gather_cycles;
}

static void block_rows(planning *s, int64_t depth, int64_t tallest) {
  pgopt_product_plan *p = s->plan;
  int64_t limit = s->target->l2_bytes / 2 / (depth * s->problem->element_bytes);
  if (p->row_outer_count) {
    int64_t height = likely(p->rows.extent);
    p->row_chunk = balanced(likely(p->row_outer[p->row_outer_count - 1].extent),
                            clamp(limit / height, 1, 64));
    return;
  }
  if (p->rows.dynamic < 0 && p->rows.extent <= limit) {
    p->row_chunk = p->rows.extent;
    return;
  }
  int64_t chunk = balanced(likely(p->rows.extent), clamp(limit, tallest, 1024));
  p->row_chunk = (chunk + tallest - 1) / tallest * tallest;
}

/// What is copied at a time stays within a part of the last cache. With few
/// rows it is used too seldom to be fetched again: then of the second one.
static void block_columns(planning *s, int64_t depth, int64_t panel) {
  pgopt_product_plan *p = s->plan;
  int64_t units = p->columns.extent == INT64_MAX
                      ? INT64_MAX
                      : p->columns.extent / p->column_unit;
  double rows =
      (double)likely(p->rows.extent) * total(p->row_outer, p->row_outer_count);
  int64_t bytes = pgopt_is_packed(p->source) && rows > FEW_ROWS
                      ? clamp(s->target->l3_bytes / 4, 1 << 20, 8 << 20)
                      : s->target->l2_bytes / 2;
  int64_t limit = bytes / (depth * s->problem->element_bytes * p->column_unit);
  p->column_chunk = units;
  if (p->source == PGOPT_COLUMNS_IN_PLACE || units <= limit ||
      (p->source == PGOPT_COLUMNS_PREPARED && rows <= FEW_ROWS))
    return;
  p->column_chunk = balanced(likely(units), limit);
  if (pgopt_is_packed(p->source))
    p->column_chunk = (p->column_chunk + panel - 1) / panel * panel;
}

/// True when the columns do not depend on the run.
static bool are_static(const pgopt_product_plan *p) {
  for (size_t i = 0; i < p->shared_count; ++i)
    if (p->shared[i].dynamic >= 0)
      return false;
  return p->columns.dynamic < 0;
}

/// Makes the whole plan; the problem has no loops of extent 1.
static bool plan_with(const pgopt_product_problem *problem,
                      const pgopt_target *target,
                      const pgopt_product_shape *shape,
                      pgopt_product_plan *plan) {
  pgopt_product_source source = shape->source;
  planning s = {.problem = problem, .target = target, .plan = plan};
  size_t column_loop = 0;
  *plan = (pgopt_product_plan){
      .source = source, .lanes = target->vector_bytes / problem->element_bytes};
  if (!assign_operands(&s, shape->paired_rows, &column_loop) ||
      (plan->is_paired && source != PGOPT_COLUMNS_IN_PLACE) ||
      (!plan->is_paired && shape->paired_rows))
    return false;
  int64_t stride = problem->loops[column_loop].strides[plan->columns_operand];
  if (source == PGOPT_COLUMNS_IN_PLACE && stride != 1)
    return false;
  place_columns(&s, column_loop);
  if (source == PGOPT_COLUMNS_GATHERED && plan->gathered_count < 2)
    return false;
  place_rows(&s);
  place_depth(&s);
  place_shared(&s);
  if (source == PGOPT_COLUMNS_PREPARED &&
      (!problem->can_prepare[plan->columns_operand] || !are_static(plan)))
    return false;
  int64_t panel = shape->vectors * plan->lanes;
  block_depth(&s, panel);
  join_depth(&s);
  int64_t depth = depth_extent(plan);
  block_rows(&s, depth, shape->rows);
  block_columns(&s, depth, panel);
  step_rows(plan, shape->rows);
  step_columns(plan, shape->vectors);
  int64_t parts = (plan->depth[0].extent - 1) / plan->depth_chunk + 1;
  double around = total(plan->shared, plan->shared_count) *
                  total(plan->outer_depth, plan->outer_depth_count) *
                  (double)parts;
  double copied = (double)depth * (double)likely(plan->columns.extent);
  plan->copy_cycles = around * copied * copy_cost(&s);
  plan->cycles = around * total(plan->row_outer, plan->row_outer_count) *
                     tile_cost(&s, (double)depth) +
                 plan->copy_cycles;
  return true;
}

/// The problem without loops of extent 1; `kept` has the loops' numbers.
static void drop_units(const pgopt_product_problem *problem,
                       pgopt_product_problem *rest, int *kept) {
  *rest = *problem;
  rest->loop_count = 0;
  for (size_t l = 0; l < problem->loop_count; ++l) {
    if (problem->loops[l].extent == 1 && !problem->loops[l].is_dynamic)
      continue;
    kept[rest->loop_count] = (int)l;
    rest->loops[rest->loop_count++] = problem->loops[l];
  }
}

static void rename_loops(pgopt_product_axis *axes, size_t count,
                         const int *kept) {
  for (size_t i = 0; i < count; ++i)
    if (axes[i].dynamic >= 0)
      axes[i].dynamic = kept[axes[i].dynamic];
}

bool pgopt_product_shape_at(const pgopt_target *target, size_t number,
                            pgopt_product_shape *shape) {
  // Each way to read the columns; of a pair, in place, either has the rows.
  const size_t ways = 2 * (PGOPT_COLUMNS_PREPARED + 1);
  size_t tile = number / ways, way = number % ways;
  for (size_t t = 0; t < sizeof tiles / sizeof *tiles; ++t)
    if (tiles[t].registers == target->vector_registers && !tile--) {
      *shape = (pgopt_product_shape){tiles[t].rows, tiles[t].vectors,
                                     (pgopt_product_source)(way / 2),
                                     (int)(way % 2)};
      return true;
    }
  return false;
}

static bool is_in_table(const pgopt_target *target,
                        const pgopt_product_shape *shape) {
  pgopt_product_shape known;
  for (size_t i = 0; pgopt_product_shape_at(target, i, &known); ++i)
    if (known.rows == shape->rows && known.vectors == shape->vectors)
      return true;
  return false;
}

static void rename_plan(pgopt_product_plan *plan, const int *kept) {
  rename_loops(plan->shared, plan->shared_count, kept);
  rename_loops(plan->gathered, plan->gathered_count, kept);
  rename_loops(plan->row_outer, plan->row_outer_count, kept);
  rename_loops(&plan->rows, 1, kept);
  rename_loops(&plan->columns, 1, kept);
}

bool pgopt_product_plan_shape(const pgopt_product_problem *problem,
                              const pgopt_target *target,
                              const pgopt_product_shape *shape,
                              pgopt_product_plan *plan) {
  pgopt_product_problem rest;
  int kept[MAX];
  if (problem->loop_count > MAX || !is_in_table(target, shape))
    return false;
  drop_units(problem, &rest, kept);
  if (!plan_with(&rest, target, shape, plan))
    return false;
  rename_plan(plan, kept);
  return true;
}

bool pgopt_product_plan_make(const pgopt_product_problem *problem,
                             const pgopt_target *target,
                             pgopt_product_plan *plan) {
  pgopt_product_shape shape;
  bool found = false;
  for (size_t i = 0; pgopt_product_shape_at(target, i, &shape); ++i) {
    pgopt_product_plan next;
    if (pgopt_product_plan_shape(problem, target, &shape, &next) &&
        (!found || next.cycles < plan->cycles)) {
      *plan = next;
      found = true;
    }
  }
  return found;
}

int64_t pgopt_product_scratch(const pgopt_product_plan *p) {
  int64_t depth = depth_extent(p), lanes = p->lanes;
  int64_t columns = p->column_chunk * p->column_unit;
  if (p->source == PGOPT_COLUMNS_IN_PLACE ||
      p->source == PGOPT_COLUMNS_PREPARED)
    return 0;
  // Whole vectors are stored and loaded.
  return depth * ((columns + lanes - 1) / lanes * lanes) + lanes;
}

/// Elements of the columns of one chunk and one step of the first depth loop.
int64_t pgopt_prepared_depth_stride(const pgopt_product_plan *p) {
  if (p->source != PGOPT_COLUMNS_PREPARED)
    return 0;
  int64_t columns = p->column_chunk * p->column_unit;
  return depth_extent(p) / p->depth_chunk *
         ((columns + p->lanes - 1) / p->lanes * p->lanes);
}

int64_t pgopt_prepared_outer_stride(const pgopt_product_plan *p, size_t level) {
  int64_t parts = (p->depth[0].extent - 1) / p->depth_chunk + 1;
  int64_t stride = pgopt_prepared_depth_stride(p) * p->depth_chunk * parts;
  for (size_t i = p->outer_depth_count; i-- > level + 1;)
    stride *= p->outer_depth[i].extent;
  return stride;
}

int64_t pgopt_prepared_chunk_stride(const pgopt_product_plan *p) {
  return p->outer_depth_count
             ? pgopt_prepared_outer_stride(p, 0) * p->outer_depth[0].extent
             : pgopt_prepared_outer_stride(p, 0);
}

int64_t pgopt_prepared_shared_stride(const pgopt_product_plan *p,
                                     size_t level) {
  int64_t chunks = (p->columns.extent - 1) / p->column_chunk + 1;
  int64_t stride = pgopt_prepared_chunk_stride(p) * chunks;
  for (size_t i = p->shared_count; i-- > level + 1;)
    stride *= p->shared[i].extent;
  return stride;
}
