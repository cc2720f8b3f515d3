/// \file Tiles along an image that has zeros around it which are not stored.
///
/// A row of a tile has those taps that lie in the image. In the middle every
/// row has all: one loop goes over these tiles. At the ends, where it is known
/// where a tile lies, the taps are cut into ranges in each of which the same
/// rows take part. Where that is not known, or would be much code, rows at the
/// ends are tiles of one row each.
#include "kernels/nest.h"

enum { MAX_RANGES = 24 }; ///< of taps, in all tiles at the ends

/// The rows' axis in its bound: row r has tap k at index + r * step + k * move.
typedef struct walk {
  const pgopt_nest *nest;
  const pgopt_panel *panel;
  pgopt_places at;
  int64_t step, move, taps, extent;
} walk;

/// First tap of a row at this index that is not below `limit`.
static int64_t first_tap(const walk *w, int64_t index, int64_t limit) {
  int64_t tap = index >= limit ? 0 : (limit - index - 1) / w->move + 1;
  return tap < w->taps ? tap : w->taps;
}

/// The ranges of taps of a tile whose first row is at `index`.
static size_t find_taps(const walk *w, int64_t index, int64_t rows,
                        pgopt_taps taps[PGOPT_MAX_TAPS]) {
  size_t count = 0;
  for (int64_t k = 0, next; k < w->taps; k = next) {
    pgopt_taps range = {.first = rows, .end = 0};
    next = w->taps;
    for (int64_t r = 0; r < rows; ++r) {
      int64_t low = first_tap(w, index + r * w->step, 0);
      int64_t high = first_tap(w, index + r * w->step, w->extent);
      if (low <= k && k < high) {
        range.first = range.first < r ? range.first : r;
        range.end = r + 1;
      }
      if (low > k && low < next)
        next = low;
      if (high > k && high < next)
        next = high;
    }
    range.low = pgopt_position_at(k);
    range.high = pgopt_position_at(next);
    if (range.first < range.end)
      taps[count++] = range;
  }
  return count;
}

static bool is_inside(const walk *w, int64_t index, int64_t rows) {
  return index >= 0 &&
         index + (rows - 1) * w->step + (w->taps - 1) * w->move < w->extent;
}

static pgopt_places place(pgopt_emitter e, const walk *w, pgopt_position row) {
  return pgopt_places_move(e, w->nest, &w->nest->plan->rows, row, w->at);
}

/// Rows [low, high) as tiles of one row.
static void emit_single_rows(pgopt_emitter e, const walk *w, pgopt_position low,
                             pgopt_position high) {
  size_t bound = (size_t)w->nest->plan->row_bound;
  pgopt_loop loop = pgopt_loop_open(e, low, high, 1, 0, NULL);
  pgopt_places at = place(loop.body, w, loop.variable);
  pgopt_taps taps =
      pgopt_clamp_taps(loop.body, w->nest, bound, at.bounds[bound]);
  pgopt_tile_emit(loop.body, w->nest, at, w->panel, 1, &taps, 1);
  pgopt_loop_close(&loop, NULL);
}

/// Tiles of so many rows in [low, high), all in the middle of the image.
static void emit_inside(pgopt_emitter e, const walk *w, pgopt_position low,
                        pgopt_position high, int64_t rows) {
  pgopt_loop loop = pgopt_loop_open(e, low, high, rows, 0, NULL);
  pgopt_tile_emit(loop.body, w->nest, place(loop.body, w, loop.variable),
                  w->panel, rows, NULL, 0);
  pgopt_loop_close(&loop, NULL);
}

/// Ranges of taps of all tiles at the ends, which begin at known indices.
static size_t count_ranges(const walk *w, int64_t index) {
  const pgopt_product_plan *p = w->nest->plan;
  pgopt_taps taps[PGOPT_MAX_TAPS];
  size_t count = 0;
  int64_t row = 0;
  for (size_t i = 0; i < p->row_step_count; ++i)
    for (; row < p->row_steps[i].end; row += p->row_steps[i].rows)
      if (!is_inside(w, index + row * w->step, p->row_steps[i].rows))
        count +=
            find_taps(w, index + row * w->step, p->row_steps[i].rows, taps);
  return count;
}

/// Where every tile lies is known.
static void emit_known(pgopt_emitter e, const walk *w, int64_t index) {
  const pgopt_product_plan *p = w->nest->plan;
  bool is_short = count_ranges(w, index) <= MAX_RANGES;
  int64_t row = 0;
  for (size_t i = 0; i < p->row_step_count; ++i) {
    int64_t rows = p->row_steps[i].rows, end = p->row_steps[i].end;
    while (row < end) {
      int64_t first = row;
      bool inside = is_inside(w, index + row * w->step, rows);
      do
        row += rows;
      while (row < end && (inside || !is_short) &&
             inside == is_inside(w, index + row * w->step, rows));
      pgopt_position low = pgopt_position_at(first);
      if (inside) {
        emit_inside(e, w, low, pgopt_position_at(row), rows);
      } else if (is_short) {
        pgopt_taps taps[PGOPT_MAX_TAPS];
        size_t count = find_taps(w, index + first * w->step, rows, taps);
        // Without a tap there is nothing to multiply: one that no row has.
        if (!count)
          taps[count++] = (pgopt_taps){low, low, 0, rows};
        pgopt_tile_emit(e, w->nest, place(e, w, low), w->panel, rows, taps,
                        count);
      } else {
        emit_single_rows(e, w, low, pgopt_position_at(row));
      }
    }
  }
}

/// Tiles ask where they lie.
static void emit_asking(pgopt_emitter e, const walk *w) {
  const pgopt_product_plan *p = w->nest->plan;
  size_t bound = (size_t)p->row_bound;
  pgopt_position start = pgopt_position_at(0);
  for (size_t i = 0; i < p->row_step_count; ++i) {
    int64_t rows = p->row_steps[i].rows;
    pgopt_position end =
        pgopt_step_end(e, start, w->nest->rows, rows, p->row_steps[i].end);
    pgopt_loop loop = pgopt_loop_open(e, start, end, rows, 0, NULL);
    pgopt_emitter body = loop.body;
    pgopt_position row = loop.variable;
    pgopt_position index = place(body, w, row).bounds[bound];
    int64_t reach = (rows - 1) * w->step + (w->taps - 1) * w->move;
    MlirValue inside = pgopt_emit_binary(
        body, "arith.andi",
        pgopt_position_is_below(body, pgopt_position_at(-1), index),
        pgopt_position_is_below(body, index,
                                pgopt_position_at(w->extent - reach)));
    pgopt_branch branch = pgopt_branch_open(body, inside, 0, (MlirType){NULL});
    pgopt_tile_emit(branch.then, w->nest, place(branch.then, w, row), w->panel,
                    rows, NULL, 0);
    emit_single_rows(branch.otherwise, w, row,
                     pgopt_position_offset(row, rows));
    pgopt_branch_close(&branch, 0, NULL, NULL, NULL);
    pgopt_loop_close(&loop, NULL);
    start = end;
  }
}

void pgopt_bounded_rows_emit(pgopt_emitter e, const pgopt_nest *nest,
                             pgopt_places at, const pgopt_panel *panel) {
  const pgopt_product_plan *p = nest->plan;
  size_t bound = (size_t)p->row_bound;
  const pgopt_product_axis *taps =
      &p->tile_depth[pgopt_product_tap_axis(p, bound)];
  walk w = {.nest = nest,
            .panel = panel,
            .at = at,
            .step = p->rows.moves[bound],
            .move = taps->moves[bound],
            .taps = taps->extent,
            .extent = nest->problem->bounds[bound]};
  bool is_known = pgopt_position_is_constant(at.bounds[bound]);
  for (size_t i = 0; i < p->row_step_count; ++i)
    is_known &= p->row_steps[i].end >= 0;
  if (is_known)
    emit_known(e, &w, at.bounds[bound].constant);
  else
    emit_asking(e, &w);
}
