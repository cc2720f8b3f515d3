/// \file How a multiply-accumulate becomes loops around a register tile.
///
/// Loops have roles: rows (an index of the rows' operand and C), columns (of
/// the columns' operand and C), depth (a reduction that indexes A and B), all
/// others go around. For every way to read the columns (in place, packed,
/// gathered, prepared) and every tile of the table the cost is estimated; the
/// cheapest wins. Blocks are as large as the caches allow.
#include "kernels/product_planning.h"

#include <string.h>

enum { C = 2, MAX = PGOPT_PRODUCT_MAX_LOOPS };

static const struct {
  int64_t registers, vectors, rows;
} tiles[] = {
#define PGOPT_TILE(registers, vectors, rows) {registers, vectors, rows},
#include "kernels/tiles.def"
#undef PGOPT_TILE
};
enum { FEW_ROWS = 256, MIN_DEPTH = 128, MAX_DEPTH = 1024, MAX_BESIDE = 96 };

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
static void block_depth(pgopt_planning *s, int64_t panel) {
  pgopt_product_plan *p = s->plan;
  if (pgopt_axes_have_bounded_rows(
          s)) { // taps that are left out differ from row to row
    p->depth_chunk = p->depth[0].extent;
    return;
  }
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
static int64_t depth_extent(const pgopt_product_plan *p) {
  int64_t extent = p->depth_chunk;
  for (size_t i = 1; i < p->depth_count; ++i)
    extent *= p->depth[i].extent;
  return extent;
}

static double total(const pgopt_product_axis *axes, size_t count) {
  double product = 1;
  for (size_t i = 0; i < count; ++i)
    product *= (double)pgopt_likely_extent(axes[i].extent);
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
/// Elements that the rows' operand has anew when a loop of rows moves on.
/// Windows of an image overlap: a step needs what it moves on by, as often as
/// loops that reach beyond all of its steps have it.
static int64_t elements_a_step(const pgopt_product_plan *p,
                               const pgopt_product_axis *outer, int64_t depth) {
  int operand = p->rows_operand;
  int64_t step = outer->strides[operand], elements = depth;
  int64_t reach = step * pgopt_likely_extent(outer->extent);
  elements *= pgopt_likely_extent(p->rows.extent);
  for (size_t i = 0; i < p->depth_count; ++i)
    if (p->depth[i].strides[operand] >= reach)
      step *= i ? p->depth[i].extent : p->depth_chunk;
  return step > 0 && step < elements ? step : elements;
}

static void block_rows(pgopt_planning *s, int64_t depth, int64_t tallest) {
  pgopt_product_plan *p = s->plan;
  int64_t limit = s->target->l2_bytes / 2 / (depth * s->problem->element_bytes);
  if (p->row_outer_count) {
    const pgopt_product_axis *outer = &p->row_outer[p->row_outer_count - 1];
    int64_t rows =
        s->target->l2_bytes / 2 /
        (elements_a_step(p, outer, depth) * s->problem->element_bytes);
    p->row_chunk =
        balanced(pgopt_likely_extent(outer->extent), clamp(rows, 1, 64));
    return;
  }
  if ((p->rows.dynamic < 0 && p->rows.extent <= limit) || p->row_bound >= 0) {
    p->row_chunk = p->rows.extent;
    return;
  }
  int64_t chunk = balanced(pgopt_likely_extent(p->rows.extent),
                           clamp(limit, tallest, 1024));
  p->row_chunk = (chunk + tallest - 1) / tallest * tallest;
}

/// The part of the last cache that copied columns may fill.
static int64_t copied_bytes(const pgopt_target *target) {
  return clamp(target->l3_bytes / 4, 1 << 20, 8 << 20);
}

/// Columns that are packed together stay within a part of the last cache; of
/// those that lie side by side two vectors at least, so that memory is read in
/// runs, a panel of each.
static void block_beside(pgopt_planning *s, int64_t depth, int64_t panel) {
  pgopt_product_plan *p = s->plan;
  int64_t extent = pgopt_likely_extent(p->beside.extent);
  if (extent == 1)
    return;
  int64_t columns = pgopt_likely_extent(p->columns.extent);
  bool is_contiguous = pgopt_is_beside_contiguous(p);
  if (is_contiguous && columns > panel)
    columns = panel;
  int64_t limit =
      copied_bytes(s->target) / (depth * columns * s->problem->element_bytes);
  int64_t limit_of_all = limit;
  if (is_contiguous)
    limit = clamp(limit / p->lanes * p->lanes, 2 * p->lanes, MAX_BESIDE);
  p->beside_chunk = balanced(extent, limit);
  if (p->beside_chunk == extent)
    p->beside_outer_chunk = balanced(
        pgopt_likely_extent(p->beside_outer.extent), limit_of_all / extent);
}

/// What is copied at a time stays within a part of the last cache. With few
/// rows it is used too seldom to be fetched again: then of the second one.
static void block_columns(pgopt_planning *s, int64_t depth, int64_t panel) {
  pgopt_product_plan *p = s->plan;
  int64_t units = p->columns.extent == INT64_MAX
                      ? INT64_MAX
                      : p->columns.extent / p->column_unit;
  double rows = (double)pgopt_likely_extent(p->rows.extent) *
                total(p->row_outer, p->row_outer_count);
  bool is_far =
      pgopt_is_packed(p->source) && (rows > FEW_ROWS || p->beside.extent > 1);
  int64_t bytes = is_far ? copied_bytes(s->target) : s->target->l2_bytes / 2;
  int64_t limit = bytes / (depth * s->problem->element_bytes * p->column_unit *
                           p->beside_chunk * p->beside_outer_chunk);
  p->column_chunk = units;
  if (p->source == PGOPT_COLUMNS_IN_PLACE || units <= limit ||
      (p->source == PGOPT_COLUMNS_PREPARED && rows <= FEW_ROWS))
    return;
  p->column_chunk = balanced(pgopt_likely_extent(units), limit);
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
  pgopt_planning s = {.problem = problem, .target = target, .plan = plan};
  size_t column_loop = 0;
  *plan = (pgopt_product_plan){
      .source = source, .lanes = target->vector_bytes / problem->element_bytes};
  if (!pgopt_axes_assign(&s, shape->is_swapped, &column_loop) ||
      (plan->is_paired && source != PGOPT_COLUMNS_IN_PLACE) ||
      (plan->is_turned &&
       (source != PGOPT_COLUMNS_PREPARED || 2 * shape->rows < plan->lanes)) ||
      !pgopt_axes_bounds_fit(&s))
    return false;
  int64_t stride = problem->loops[column_loop].strides[plan->columns_operand];
  if (source == PGOPT_COLUMNS_IN_PLACE && stride != 1)
    return false;
  pgopt_axes_place_columns(&s, column_loop);
  bool gathers_image = plan->gathered_count > 1 ||
                       (problem->bound_count &&
                        problem->bounded_operand == plan->columns_operand);
  if (source == PGOPT_COLUMNS_GATHERED && !gathers_image)
    return false;
  pgopt_axes_place_rows(&s);
  if (plan->is_turned && plan->rows.strides[C] != 1)
    return false;
  pgopt_axes_place_depth(&s);
  pgopt_axes_place_beside(&s);
  pgopt_axes_place_shared(&s);
  if (source == PGOPT_COLUMNS_PREPARED &&
      (!problem->can_prepare[plan->columns_operand] || !are_static(plan)))
    return false;
  int64_t panel = shape->vectors * plan->lanes;
  block_depth(&s, panel);
  pgopt_axes_join_depth(&s);
  int64_t depth = depth_extent(plan);
  block_rows(&s, depth, shape->rows);
  block_beside(&s, depth, panel);
  block_columns(&s, depth, panel);
  step_rows(plan, shape->rows);
  step_columns(plan, shape->vectors);
  double parts = (double)plan->depth[0].extent / (double)plan->depth_chunk;
  double around = total(plan->shared, plan->shared_count) *
                  total(&plan->beside, 1) * total(&plan->beside_outer, 1) *
                  total(plan->outer_depth, plan->outer_depth_count) * parts;
  double copied =
      (double)depth * (double)pgopt_likely_extent(plan->columns.extent);
  plan->copy_cycles = around * copied * pgopt_cost_copies(&s);
  plan->cycles = around * total(plan->row_outer, plan->row_outer_count) *
                     pgopt_cost_tiles(&s, (double)depth) +
                 plan->copy_cycles + pgopt_cost_rows(&s);
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
  // Each way to read the columns; either operand has the rows.
  const size_t ways = 2 * (PGOPT_COLUMNS_PREPARED + 1);
  size_t tile = number / ways, way = number % ways;
  for (size_t t = 0; t < sizeof tiles / sizeof *tiles; ++t)
    if (tiles[t].registers == target->vector_registers && !tile--) {
      *shape =
          (pgopt_product_shape){tiles[t].rows, tiles[t].vectors,
                                (pgopt_product_source)(way / 2), way % 2 != 0};
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
  rename_loops(&plan->beside, 1, kept);
  rename_loops(&plan->beside_outer, 1, kept);
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

size_t pgopt_product_tap_axis(const pgopt_product_plan *p, size_t bound) {
  size_t axis = 0;
  while (axis < p->tile_depth_count && !p->tile_depth[axis].moves[bound])
    ++axis;
  return axis;
}

/// Elements of the copied columns of one chunk: whole vectors of them.
static int64_t chunk_elements(const pgopt_product_plan *p) {
  int64_t columns = p->column_chunk * p->column_unit;
  return depth_extent(p) * ((columns + p->lanes - 1) / p->lanes * p->lanes);
}

int64_t pgopt_beside_stride(const pgopt_product_plan *p) {
  return chunk_elements(p);
}

int64_t pgopt_product_scratch(const pgopt_product_plan *p) {
  if (p->source == PGOPT_COLUMNS_IN_PLACE ||
      p->source == PGOPT_COLUMNS_PREPARED)
    return 0;
  return p->beside_chunk * p->beside_outer_chunk * chunk_elements(p) + p->lanes;
}

/// Elements of the columns of one chunk and one step of the first depth loop.
int64_t pgopt_prepared_depth_stride(const pgopt_product_plan *p) {
  return p->source == PGOPT_COLUMNS_PREPARED
             ? chunk_elements(p) / p->depth_chunk
             : 0;
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

int64_t pgopt_prepared_elements(const pgopt_product_plan *p) {
  int64_t stride = pgopt_prepared_shared_stride(p, 0);
  return p->shared_count ? stride * p->shared[0].extent : stride;
}

/// Whether all panels have the first one's vectors but, perhaps, the last.
static bool has_equal_panels(const pgopt_product_plan *p) {
  const pgopt_product_columns *steps = p->column_steps;
  int64_t width = steps[0].vectors * p->lanes;
  return p->column_step_count == 1 ||
         (p->column_step_count == 2 && steps[0].end >= 0 &&
          p->columns.extent - steps[0].end <= width &&
          steps[1].vectors <= steps[0].vectors);
}

/// `all` elements in pieces of `piece`; whole where nothing is prepared.
static pgopt_copy_cut cut_into(pgopt_copy_level level, int64_t all,
                               int64_t piece) {
  return piece > 0 ? (pgopt_copy_cut){level, (all - 1) / piece + 1, piece}
                   : (pgopt_copy_cut){PGOPT_COPY_WHOLE, 1, all};
}

pgopt_copy_cut pgopt_prepared_cut(const pgopt_product_plan *p) {
  int64_t all = pgopt_prepared_elements(p);
  if (all > pgopt_prepared_chunk_stride(p)) {
    bool is_first = p->shared_count && p->shared[0].extent > 1;
    if (p->shared_count && !is_first)
      return (pgopt_copy_cut){PGOPT_COPY_WHOLE, 1, all};
    return is_first ? cut_into(PGOPT_COPY_SHARED, all,
                               pgopt_prepared_shared_stride(p, 0))
                    : cut_into(PGOPT_COPY_CHUNK, all,
                               pgopt_prepared_chunk_stride(p));
  }
  if (p->outer_depth_count)
    return cut_into(PGOPT_COPY_OUTER, all, pgopt_prepared_outer_stride(p, 0));
  int64_t part = pgopt_prepared_depth_stride(p) * p->depth_chunk;
  if (all > part)
    return cut_into(PGOPT_COPY_PART, all, part);
  int64_t panel = p->column_steps[0].vectors * p->lanes * depth_extent(p);
  if (all <= panel || !has_equal_panels(p))
    return (pgopt_copy_cut){PGOPT_COPY_WHOLE, 1, all};
  return cut_into(PGOPT_COPY_PANEL, all, panel);
}
