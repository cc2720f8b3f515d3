/// \file The register tile: rows of vectors, carried through the depth loops.
///
/// Every turn loads the panel's vectors once and multiplies them with one
/// element of each row, or with a vector when the product is paired. The tile
/// starts at 0; what C held, or starts with, is added behind the loops, then
/// follows what is fused. Where C is contiguous along the rows the tile is
/// turned first, square by square.
#include "kernels/nest.h"

#include <stdlib.h>

#include "base/memory.h"

enum { C = 2, MAX_TILE = 64 };
enum { LINE_BYTES = 64, SHORT_DEPTH = 128 };

typedef struct tile {
  const pgopt_nest *nest;
  const pgopt_panel *panel;
  const pgopt_product_axis *down, *across; ///< its rows, and along its vectors
  pgopt_places at;
  int64_t rows;
  const pgopt_taps *taps;
  size_t taps_count;
  int64_t first, end; ///< the rows that the loops are being emitted for
  MlirValue values[MAX_TILE];
} tile;

static size_t tile_size(const tile *t) {
  return (size_t)t->rows * t->panel->vectors;
}

/// The accumulators of the rows at hand.
static MlirValue *values_at_hand(tile *t) {
  return t->values + (size_t)t->first * t->panel->vectors;
}

static size_t values_count(const tile *t) {
  return (size_t)(t->end - t->first) * t->panel->vectors;
}

static MlirValue mask_of(const tile *t, size_t vector) {
  return vector + 1 == t->panel->vectors ? t->panel->mask : (MlirValue){NULL};
}

/// One depth: the innermost body.
static void emit_step(pgopt_emitter e, tile *t, pgopt_position rows,
                      pgopt_position columns) {
  const pgopt_vectors *v = &t->nest->vectors;
  const pgopt_product_plan *p = t->nest->plan;
  size_t vectors = t->panel->vectors;
  MlirValue loaded[MAX_TILE];
  // Scratch holds whole vectors unless its rows follow one another.
  bool is_masked = !pgopt_is_packed(p->source);
  for (size_t i = 0; i < vectors; ++i)
    loaded[i] =
        pgopt_vector_load(e, v, t->panel->view,
                          pgopt_position_offset(columns, (int64_t)i * v->lanes),
                          is_masked ? mask_of(t, i) : (MlirValue){NULL});
  MlirValue view = t->nest->views[p->rows_operand];
  for (int64_t r = t->first; r < t->end; ++r) {
    pgopt_position row =
        pgopt_position_offset(rows, r * p->rows.strides[p->rows_operand]);
    MlirValue factor = {NULL};
    for (size_t i = 0; i < vectors; ++i) {
      MlirValue *sum = &t->values[(size_t)r * vectors + i];
      if (p->is_paired)
        factor = pgopt_vector_load(
            e, v, view, pgopt_position_offset(row, (int64_t)i * v->lanes),
            mask_of(t, i));
      else if (!i)
        factor = pgopt_vector_load_splat(e, v, view, row);
      *sum = pgopt_vector_fma(e, v, factor, loaded[i], *sum);
    }
  }
}

pgopt_taps pgopt_clamp_taps(pgopt_emitter e, const pgopt_nest *nest,
                            size_t bound, pgopt_position index) {
  const pgopt_product_plan *p = nest->plan;
  const pgopt_product_axis *axis =
      &p->tile_depth[pgopt_product_tap_axis(p, bound)];
  pgopt_position zero = pgopt_position_at(0);
  // Taps are at index + k * move: the first one not before 0 ...
  pgopt_position before =
      pgopt_position_max(e, zero, pgopt_position_subtract(e, zero, index));
  // ... and the first one that is not before the end.
  pgopt_position inside = pgopt_position_max(
      e, zero,
      pgopt_position_subtract(
          e, pgopt_position_at(nest->problem->bounds[bound]), index));
  return (pgopt_taps){pgopt_position_divide_up(e, before, axis->moves[bound]),
                      pgopt_position_min(e, pgopt_position_at(axis->extent),
                                         pgopt_position_divide_up(
                                             e, inside, axis->moves[bound])),
                      0, 1};
}

static void emit_depth(pgopt_emitter e, tile *t, pgopt_position rows,
                       pgopt_position columns, size_t level);

/// The loop over an axis of the depth, `steps` of which follow one another, for
/// the rows at hand; inside of it the loops from `level` on.
static void emit_axis(pgopt_emitter e, tile *t, pgopt_position rows,
                      pgopt_position columns, pgopt_position low,
                      pgopt_position high, size_t axis, size_t level) {
  const pgopt_product_plan *p = t->nest->plan;
  int64_t stride = p->tile_depth[axis].strides[p->rows_operand];
  pgopt_loop loop =
      pgopt_loop_open(e, low, high, 1, values_count(t), values_at_hand(t));
  emit_depth(
      loop.body, t,
      pgopt_position_add(
          loop.body, rows,
          pgopt_position_scale(loop.body, loop.variable, stride)),
      pgopt_position_add(loop.body, columns,
                         pgopt_position_multiply(loop.body, loop.variable,
                                                 t->panel->strides[axis])),
      level);
  pgopt_loop_close(&loop, values_at_hand(t));
}

/// True when the axis behind this one continues inside of its steps: a tap's
/// channels, the next tap's channels.
static bool is_one_run(const pgopt_product_plan *p, size_t level) {
  if (level + 1 >= p->tile_depth_count)
    return false;
  const pgopt_product_axis *outer = &p->tile_depth[level], *inner = outer + 1;
  for (size_t b = 0; b < PGOPT_PRODUCT_MAX_BOUNDS; ++b)
    if (inner->moves[b])
      return false;
  for (int k = 0; k < 2; ++k)
    if (outer->strides[k] != inner->strides[k] * inner->extent)
      return false;
  return true;
}

/// The taps along the rows' axis: for each of the ranges those rows that have
/// them.
static void emit_taps(pgopt_emitter e, tile *t, pgopt_position rows,
                      pgopt_position columns, size_t level) {
  const pgopt_product_plan *p = t->nest->plan;
  bool is_run = is_one_run(p, level);
  int64_t steps = is_run ? p->tile_depth[level + 1].extent : 1;
  pgopt_taps all = {pgopt_position_at(0),
                    pgopt_position_at(p->tile_depth[level].extent), 0, t->rows};
  size_t count = t->taps_count ? t->taps_count : 1;
  for (size_t i = 0; i < count; ++i) {
    const pgopt_taps *taps = t->taps_count ? &t->taps[i] : &all;
    t->first = taps->first;
    t->end = taps->end;
    emit_axis(e, t, rows, columns, pgopt_position_scale(e, taps->low, steps),
              pgopt_position_scale(e, taps->high, steps), level + is_run,
              level + is_run + 1);
  }
  t->first = 0;
  t->end = t->rows;
}

static void emit_depth(pgopt_emitter e, tile *t, pgopt_position rows,
                       pgopt_position columns, size_t level) {
  const pgopt_nest *nest = t->nest;
  const pgopt_product_plan *p = nest->plan;
  if (level == p->tile_depth_count) {
    emit_step(e, t, rows, columns);
    return;
  }
  const pgopt_product_axis *axis = &p->tile_depth[level];
  pgopt_position low = pgopt_position_at(0);
  pgopt_position high = level
                            ? pgopt_position_at(axis->extent)
                            : pgopt_position_scale(e, nest->depth, axis->inner);
  bool has_bounds = nest->problem->bound_count &&
                    nest->problem->bounded_operand == p->rows_operand;
  for (size_t b = 0; has_bounds && b < nest->problem->bound_count; ++b) {
    if (!axis->moves[b])
      continue;
    if ((int)b == p->row_bound) {
      emit_taps(e, t, rows, columns, level);
      return;
    }
    pgopt_taps taps = pgopt_clamp_taps(e, nest, b, t->at.bounds[b]);
    low = taps.low;
    high = taps.high;
  }
  emit_axis(e, t, rows, columns, low, high, level, level + 1);
}

static pgopt_fused_place place_of(const tile *t, int64_t row, size_t vector) {
  const pgopt_nest *nest = t->nest;
  pgopt_fused_place place = {.views = nest->views, .mask = mask_of(t, vector)};
  for (size_t k = 0; k < nest->problem->operand_count; ++k) {
    place.is_splat[k] = !t->across->strides[k];
    int64_t along =
        (int64_t)vector * nest->vectors.lanes * t->across->strides[k];
    place.at[k] =
        pgopt_position_offset(t->at.at[k], row * t->down->strides[k] + along);
  }
  return place;
}

/// Adds what the sum starts with: computed, or stored in C.
static void add_start(pgopt_emitter e, const tile *t, bool is_stored,
                      MlirValue *values) {
  const pgopt_fusion *fusion = t->nest->fusion;
  const pgopt_vectors *v = &t->nest->vectors;
  for (int64_t r = 0; r < t->rows; ++r)
    for (size_t i = 0; i < t->panel->vectors; ++i) {
      MlirValue *value = &values[(size_t)r * t->panel->vectors + i];
      pgopt_fused_place place = place_of(t, r, i);
      MlirValue start = is_stored
                            ? pgopt_fused_load(e, v, &place, C)
                            : pgopt_fusion_emit_start(e, v, fusion, &place, C);
      *value = pgopt_emit_binary(e, "arith.addf", start, *value);
    }
}

static void emit_start(pgopt_emitter e, tile *t) {
  const pgopt_nest *nest = t->nest;
  pgopt_fusion_start kind = nest->fusion->start_kind;
  size_t size = tile_size(t);
  if (kind == PGOPT_START_STORED) {
    add_start(e, t, true, t->values);
    return;
  }
  if (mlirValueIsNull(nest->is_first)) {
    if (kind == PGOPT_START_COMPUTED)
      add_start(e, t, false, t->values);
    return;
  }
  MlirValue first[MAX_TILE] = {{NULL}}, later[MAX_TILE] = {{NULL}};
  for (size_t i = 0; i < size; ++i)
    first[i] = later[i] = t->values[i];
  pgopt_branch branch =
      pgopt_branch_open(e, nest->is_first, size, nest->vectors.vector);
  if (kind == PGOPT_START_COMPUTED)
    add_start(branch.then, t, false, first);
  add_start(branch.otherwise, t, true, later);
  pgopt_branch_close(&branch, size, first, later, t->values);
}

static void emit_fused(pgopt_emitter e, tile *t) {
  const pgopt_nest *nest = t->nest;
  size_t size = tile_size(t);
  MlirValue done[MAX_TILE] = {{NULL}};
  pgopt_branch branch = {.then = e};
  bool is_conditional = !mlirValueIsNull(nest->is_last);
  if (!nest->fusion->count)
    return;
  if (is_conditional)
    branch = pgopt_branch_open(e, nest->is_last, size, nest->vectors.vector);
  for (int64_t r = 0; r < t->rows; ++r)
    for (size_t i = 0; i < t->panel->vectors; ++i) {
      size_t at = (size_t)r * t->panel->vectors + i;
      pgopt_fused_place place = place_of(t, r, i);
      done[at] = pgopt_fusion_emit(branch.then, &nest->vectors, nest->fusion,
                                   t->values[at], &place);
    }
  if (is_conditional)
    pgopt_branch_close(&branch, size, done, t->values, t->values);
  else
    for (size_t i = 0; i < size; ++i)
      t->values[i] = done[i];
}

static pgopt_position place_in_c(const tile *t, int64_t row, size_t vector) {
  return pgopt_position_offset(t->at.at[C], row * t->down->strides[C] +
                                                (int64_t)vector *
                                                    t->nest->vectors.lanes *
                                                    t->across->strides[C]);
}

/// Has C's lines fetched while the depth loops run: stores that miss wait for
/// one another. Long loops hide that.
static void prefetch(pgopt_emitter e, const tile *t) {
  const pgopt_product_plan *p = t->nest->plan;
  int64_t depth = 1;
  for (size_t i = 0; i < p->tile_depth_count; ++i)
    depth *= p->tile_depth[i].extent;
  if (depth > SHORT_DEPTH || p->is_turned)
    return;
  int64_t bytes = t->nest->problem->element_bytes * t->nest->vectors.lanes;
  size_t step = bytes < LINE_BYTES ? (size_t)(LINE_BYTES / bytes) : 1;
  for (int64_t r = 0; r < t->rows; ++r)
    for (size_t i = 0; i < t->panel->vectors; i += step)
      pgopt_vector_prefetch(e, t->nest->views[C], place_in_c(t, r, i), true);
}

/// What follows the sums: start, fused operations, stores.
static void finish(pgopt_emitter e, tile *t) {
  emit_start(e, t);
  emit_fused(e, t);
  for (int64_t r = 0; r < t->rows; ++r)
    for (size_t i = 0; i < t->panel->vectors; ++i)
      pgopt_vector_store(e, &t->nest->vectors, t->nest->views[C],
                         place_in_c(t, r, i), mask_of(t, i),
                         t->values[(size_t)r * t->panel->vectors + i]);
}

/// Turns the square of one vector and as many rows, from `row` on, and finishes
/// it as a tile whose rows are the columns.
static void finish_square(pgopt_emitter e, const tile *t, int64_t row,
                          size_t vector) {
  const pgopt_vectors *v = &t->nest->vectors;
  const pgopt_panel *panel = t->panel;
  int64_t rows = t->rows - row < v->lanes ? t->rows - row : v->lanes;
  bool is_last = vector + 1 == panel->vectors && panel->tail;
  pgopt_panel across = {.vectors = 1};
  if (rows < v->lanes)
    across.mask = pgopt_vector_mask(e, v, pgopt_position_at(rows));
  tile square = {.nest = t->nest,
                 .panel = &across,
                 .down = t->across,
                 .across = t->down,
                 .at = t->at,
                 .rows = is_last ? panel->tail : v->lanes};
  for (size_t k = 0; k < t->nest->problem->operand_count; ++k)
    square.at.at[k] = pgopt_position_offset(
        t->at.at[k], row * t->down->strides[k] +
                         (int64_t)vector * v->lanes * t->across->strides[k]);
  for (int64_t r = 0; r < v->lanes; ++r)
    square.values[r] =
        r < rows ? t->values[(size_t)(row + r) * panel->vectors + vector]
                 : pgopt_vector_constant(e, v, 0);
  pgopt_vector_transpose(e, v, square.values);
  finish(e, &square);
}

void pgopt_tile_emit(pgopt_emitter e, const pgopt_nest *nest, pgopt_places at,
                     const pgopt_panel *panel, int64_t rows,
                     const pgopt_taps *taps, size_t taps_count) {
  const pgopt_product_plan *p = nest->plan;
  tile t = {.nest = nest,
            .panel = panel,
            .down = &p->rows,
            .across = &p->columns,
            .at = at,
            .rows = rows,
            .taps = taps,
            .taps_count = taps_count,
            .end = rows};
  MlirValue zero = pgopt_vector_constant(e, &nest->vectors, 0);
  for (size_t i = 0; i < tile_size(&t); ++i)
    t.values[i] = zero;
  prefetch(e, &t);
  emit_depth(e, &t, at.at[p->rows_operand], panel->at, 0);
  if (!p->is_turned) {
    finish(e, &t);
    return;
  }
  for (size_t i = 0; i < panel->vectors; ++i)
    for (int64_t r = 0; r < rows; r += p->lanes)
      finish_square(e, &t, r, i);
}
