/// \file What a plan costs: the cycles of its tiles' loops and of its copies,
/// a guess to compare plans by.
#include "kernels/product_planning.h"

#include <math.h>

enum { LONG_RUN = 8 };

// Cycles of one core, for vectors of any width.
static const double fma_cycles = 0.5;
static const double load_cycles = 0.5;
static const double issue_cycles = 0.1; ///< of a load that hides behind those
static const double tile_latency = 4;   ///< of the accumulators' chain
static const double tile_cycles = 12;   ///< entering and leaving a tile
static const double copy_cycles = 0.15; ///< an element of a vector
static const double transpose_cycles = 0.5;  ///< an element of a square
static const double gather_run_cycles = 0.5; ///< an element of a long run
static const double gather_cycles = 2;       ///< any other element
static const double turn_cycles = 5; ///< a vector of a square, and its store
static const double page_cycles = 8; ///< touching a page that is not at hand
static const double memory_cycles = 0.06; ///< a byte that no cache holds
enum { PAGE_BYTES = 4096, PAGES_AT_HAND = 48 };
static const double conflict_factor = 1.3;

/// More rows than this, a multiple of a page apart, push one another out of the
/// first cache: all of them lie in one set of it, which has a way for each
/// page.
static double ways_at_hand(const pgopt_planning *s) {
  return (double)s->target->l1_bytes / PAGE_BYTES * 0.75;
}

/// Cycles that a step of the depth waits for the columns' pages: panels that
/// are in place have their rows far apart, and walk over the same pages in
/// every tile. Rows a multiple of a page apart leave the first cache as well.
static double page_cost(const pgopt_planning *s, double depth) {
  const pgopt_product_plan *p = s->plan;
  if (p->source != PGOPT_COLUMNS_IN_PLACE)
    return 0;
  double stride =
      (double)p->depth[p->depth_count - 1].strides[p->columns_operand] *
      (double)s->problem->element_bytes;
  double pages = stride < PAGE_BYTES ? stride / PAGE_BYTES : 1;
  bool collides = (int64_t)stride % PAGE_BYTES == 0 && depth > ways_at_hand(s);
  return collides || pages * depth > PAGES_AT_HAND ? pages * page_cycles : 0;
}

/// Cycles of all tiles, over all of the depth.
double pgopt_cost_tiles(const pgopt_planning *s, double depth) {
  const pgopt_product_plan *p = s->plan;
  double waiting = page_cost(s, depth);
  int64_t stride = p->rows.strides[p->rows_operand] * s->problem->element_bytes;
  double rows_left = (double)pgopt_likely_extent(p->rows.extent), cost = 0;
  int64_t row_start = 0;
  for (size_t r = 0; r < p->row_step_count; ++r) {
    double rows = (double)p->row_steps[r].rows;
    double end = p->row_steps[r].end < 0
                     ? row_start + (double)(int64_t)(rows_left / rows) * rows
                     : (double)p->row_steps[r].end;
    double tiles_down = (end - (double)row_start) / rows;
    rows_left -= end - (double)row_start;
    row_start = (int64_t)end;
    double columns = (double)pgopt_likely_extent(p->columns.extent), start = 0;
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
      double loads = (p->is_paired ? rows * vectors : rows) + vectors;
      double step = fmax(fmax(fmas, loads * load_cycles), tile_latency) +
                    loads * issue_cycles;
      if (rows > ways_at_hand(s) && stride % PAGE_BYTES == 0)
        step *= conflict_factor;
      step += waiting;
      double turned = p->is_turned ? vectors * (double)p->lanes * turn_cycles *
                                         ceil(rows / (double)p->lanes)
                                   : 0;
      cost += tiles_down * across * (step * depth + tile_cycles + turned);
      start = to;
    }
  }
  return cost;
}

double pgopt_cost_copies(const pgopt_planning *s) {
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
  return pgopt_contiguous_depth(p) < p->depth_count ||
                 pgopt_is_beside_contiguous(p)
             ? transpose_cycles
             : gather_cycles;
}

/// Only where no cache holds them from one chunk to the next.
double pgopt_cost_rows(const pgopt_planning *s) {
  const pgopt_product_plan *p = s->plan;
  double bytes = pgopt_rows_bytes(s);
  if (bytes <= (double)s->target->l3_bytes)
    return 0;
  double columns =
      (double)pgopt_likely_extent(p->columns.extent) / (double)p->column_unit;
  double times = ceil(columns / (double)p->column_chunk) *
                 ceil((double)pgopt_likely_extent(p->beside.extent) /
                      (double)p->beside_chunk) *
                 ceil((double)pgopt_likely_extent(p->beside_outer.extent) /
                      (double)p->beside_outer_chunk);
  for (size_t i = 0; i < p->shared_count; ++i)
    if (!p->shared[i].strides[p->rows_operand])
      times *= (double)pgopt_likely_extent(p->shared[i].extent);
  return (times - 1) * bytes * memory_cycles;
}
