/// \file The code of a window. From outside: loops of outputs, tiles along one
/// dimension, vectors, loops of the window cut to the image, and the tile, in
/// which every tap of every output is written out.
///
/// A convolution's accumulators are its outputs: pixels go by in order, each is
/// multiplied into all outputs that it belongs to. A pool's accumulators are
/// the pixels of a tile: each reduces its column of the window first, then an
/// output reduces those it shares with its neighbours.
#include "kernels/window_nest.h"

#include <math.h>
#include <string.h>

enum {
  MAX_WIDTH = PGOPT_WINDOW_MAX_WIDTH,
  MAX_TAPS = PGOPT_WINDOW_MAX_TAPS,
  MAX_PIXELS = PGOPT_WINDOW_MAX_PIXELS,
};

typedef struct tap {
  int64_t output, tap, pixel; ///< pixel: elements from the tile's first one
} tap;

/// A tile under construction.
typedef struct tile {
  const pgopt_window_nest *nest;
  pgopt_operand_places at;
  MlirValue mask;
  int64_t start, width; ///< outputs
  bool is_inside;
  size_t tap_count;
  tap taps[MAX_WIDTH * MAX_TAPS]; ///< on the image, by pixel
  size_t value_count;
  MlirValue values[MAX_PIXELS]; ///< accumulators
} tile;

static int64_t stride_of(const pgopt_window_nest *nest, int loop, int operand) {
  return nest->problem->loops.loops[loop].strides[operand];
}

static const pgopt_window_axis *tiled_axis(const pgopt_window_nest *nest) {
  return &nest->problem->axes[nest->plan->tiled];
}

static pgopt_operand_places move(pgopt_emitter e, const pgopt_window_nest *nest,
                                 int loop, pgopt_position steps,
                                 pgopt_operand_places from) {
  return pgopt_operand_places_move(e, &nest->problem->loops, loop, steps, from);
}

/// Lanes of a vector of outputs whose tap is on the image: [low, high).
static void lanes_inside(const tile *t, int64_t k, int64_t *low,
                         int64_t *high) {
  const pgopt_window_axis *axis = tiled_axis(t->nest);
  int64_t first = t->start + axis->dilation * k + axis->first;
  int64_t lanes = t->nest->plan->lanes;
  *low = first < 0 ? -first : 0;
  *high = axis->pixels - first < lanes ? axis->pixels - first : lanes;
}

static bool is_vector(const tile *t) {
  return tiled_axis(t->nest)->output == t->nest->plan->across;
}

static bool has_tap(const tile *t, int64_t output, int64_t k) {
  const pgopt_window_axis *axis = tiled_axis(t->nest);
  int64_t low, high;
  if (!is_vector(t) || t->is_inside)
    return pgopt_window_is_inside(axis, t->start + output, k);
  lanes_inside(t, k, &low, &high);
  return low < high;
}

/// The tile's taps in order of pixels.
static void list_taps(tile *t) {
  const pgopt_window_nest *nest = t->nest;
  const pgopt_window_axis *axis = tiled_axis(nest);
  int64_t taps = nest->problem->loops.loops[axis->taps].extent;
  for (int64_t o = 0; o < t->width; ++o)
    for (int64_t k = 0; k < taps; ++k) {
      if (!has_tap(t, o, k))
        continue;
      tap next = {o, k,
                  o * stride_of(nest, axis->output, nest->problem->image) +
                      k * stride_of(nest, axis->taps, nest->problem->image)};
      size_t at = t->tap_count++;
      for (; at > 0 && t->taps[at - 1].pixel > next.pixel; --at)
        t->taps[at] = t->taps[at - 1];
      t->taps[at] = next;
    }
}

static MlirValue load(pgopt_emitter e, const tile *t, int operand,
                      pgopt_position at) {
  const pgopt_window_nest *nest = t->nest;
  if (!stride_of(nest, nest->plan->across, operand))
    return pgopt_vector_load_splat(e, &nest->vectors, nest->views[operand], at);
  return pgopt_vector_load(e, &nest->vectors, nest->views[operand], at,
                           t->mask);
}

/// The pixels of a tap, one an output where vectors run along the window; those
/// beside the image leave what they go into as it is.
static MlirValue load_pixel(pgopt_emitter e, const tile *t, int operand,
                            pgopt_position at, const tap *k) {
  const pgopt_window_nest *nest = t->nest;
  const pgopt_vectors *v = &nest->vectors;
  double neutral = nest->problem->weights < 0 ? nest->combine.identity : 0;
  int64_t low, high;
  if (!is_vector(t) || t->is_inside)
    return load(e, t, operand, at);
  lanes_inside(t, k->tap, &low, &high);
  MlirValue loaded = pgopt_vector_load_or(
      e, v, nest->views[operand], pgopt_position_offset(at, low),
      pgopt_vector_mask(e, v, pgopt_position_at(high - low)),
      pgopt_vector_constant(e, v, neutral));
  return low ? pgopt_vector_shift(e, v, loaded, low, neutral) : loaded;
}

/// Multiplies the pixels of one row of the window into the outputs.
static void multiply_row(pgopt_emitter e, tile *t,
                         const pgopt_operand_places *at) {
  const pgopt_window_nest *nest = t->nest;
  const pgopt_window_problem *problem = nest->problem;
  int taps = tiled_axis(nest)->taps;
  MlirValue factors[MAX_TAPS] = {{NULL}}, pixel = {NULL};
  for (size_t i = 0; i < t->tap_count; ++i) {
    const tap *k = &t->taps[i];
    if (!i || k->pixel != k[-1].pixel)
      pixel = load_pixel(
          e, t, problem->image,
          pgopt_position_offset(at->at[problem->image], k->pixel), k);
    if (mlirValueIsNull(factors[k->tap]))
      factors[k->tap] =
          load(e, t, problem->weights,
               pgopt_position_offset(
                   at->at[problem->weights],
                   k->tap * stride_of(nest, taps, problem->weights)));
    t->values[k->output] = pgopt_vector_fma(
        e, &nest->vectors, pixel, factors[k->tap], t->values[k->output]);
  }
}

/// What the pool reduces at the tile's tap, from all that it reads there.
static MlirValue pool_pixel(pgopt_emitter e, const tile *t,
                            const pgopt_operand_places *at, const tap *k) {
  const pgopt_window_nest *nest = t->nest;
  const pgopt_window_axis *axis = tiled_axis(nest);
  MlirValue operands[PGOPT_PRODUCT_MAX_OPERANDS] = {{NULL}};
  for (size_t i = 0; i < nest->problem->read_count; ++i) {
    int operand = nest->problem->reads[i];
    int64_t offset = k->output * stride_of(nest, axis->output, operand) +
                     k->tap * stride_of(nest, axis->taps, operand);
    operands[operand] = load_pixel(
        e, t, operand, pgopt_position_offset(at->at[operand], offset), k);
  }
  MlirValue *pixel = &operands[nest->problem->image];
  if (nest->padding && nest->padding->is_squared)
    *pixel = pgopt_emit_binary(e, "arith.mulf", *pixel, *pixel);
  return pgopt_fused_emit_value(e, &nest->vectors, &nest->body,
                                (MlirValue){NULL}, operands,
                                nest->combine.reduced);
}

/// Reduces the pixels of one row of the window into their columns, which they
/// begin when `is_first`.
static void reduce_row(pgopt_emitter e, tile *t, const pgopt_operand_places *at,
                       bool is_first) {
  size_t column = 0;
  for (size_t i = 0; i < t->tap_count; ++i) {
    if (i && t->taps[i].pixel == t->taps[i - 1].pixel)
      continue;
    MlirValue pixel = pool_pixel(e, t, at, &t->taps[i]);
    t->values[column] = is_first ? pixel
                                 : pgopt_combine_emit(e, &t->nest->combine,
                                                      t->values[column], pixel);
    ++column;
  }
}

/// ceil(a / divisor), at least `least`.
static pgopt_position divide_up(pgopt_emitter e, pgopt_position a,
                                int64_t divisor, int64_t least) {
  MlirValue value = pgopt_position_value(e, a);
  if (divisor != 1)
    value = pgopt_emit_binary(e, "arith.ceildivsi", value,
                              pgopt_emit_index(e, divisor));
  return pgopt_position_of(
      pgopt_emit_binary(e, "arith.maxsi", value, pgopt_emit_index(e, least)));
}

/// The taps of the axis that are on the image: [low, high).
static void cut_taps(pgopt_emitter e, const pgopt_window_nest *nest, size_t a,
                     pgopt_position *low, pgopt_position *high) {
  const pgopt_window_axis *axis = &nest->problem->axes[a];
  int64_t taps = nest->problem->loops.loops[axis->taps].extent;
  *low = pgopt_position_at(0);
  *high = pgopt_position_at(taps);
  if (!axis->has_borders)
    return;
  // Tap 0 is at this pixel.
  pgopt_position at = pgopt_position_offset(
      pgopt_position_scale(e, nest->outputs[a], axis->step), axis->first);
  MlirValue offset = nest->padding->dimensions[axis->dimension].offset;
  if (!mlirValueIsNull(offset))
    at = pgopt_position_add(e, at, pgopt_position_of(offset));
  pgopt_position before = pgopt_position_subtract(e, pgopt_position_at(0), at);
  *low = divide_up(e, before, axis->dilation, 0);
  *high = pgopt_position_min(
      e,
      divide_up(e, pgopt_position_offset(before, axis->pixels), axis->dilation,
                0),
      pgopt_position_at(taps));
}

/// Loops over the window's other dimensions. `begins` tells that the columns
/// begin with the first turn of the loop at hand.
static void emit_rows(pgopt_emitter e, tile *t, size_t axis, bool begins,
                      const pgopt_operand_places *at) {
  const pgopt_window_nest *nest = t->nest;
  const pgopt_window_problem *problem = nest->problem;
  if (axis == problem->axis_count) {
    if (problem->weights >= 0)
      multiply_row(e, t, at);
    else
      reduce_row(e, t, at, begins);
    return;
  }
  if ((int)axis == nest->plan->tiled) {
    emit_rows(e, t, axis + 1, begins, at);
    return;
  }
  int loop = problem->axes[axis].taps;
  pgopt_position low, high;
  cut_taps(e, nest, axis, &low, &high);
  if (begins) {
    pgopt_operand_places first = move(e, nest, loop, low, *at);
    emit_rows(e, t, axis + 1, true, &first);
    low = pgopt_position_offset(low, 1);
  }
  if (pgopt_position_is_constant(low) && pgopt_position_is_constant(high) &&
      low.constant >= high.constant)
    return;
  pgopt_loop rows = pgopt_loop_open(e, low, high, 1, t->value_count, t->values);
  pgopt_operand_places next = move(rows.body, nest, loop, rows.variable, *at);
  emit_rows(rows.body, t, axis + 1, false, &next);
  pgopt_loop_close(&rows, t->values);
}

static pgopt_fused_place place_of(const tile *t, int64_t output) {
  const pgopt_window_nest *nest = t->nest;
  int loop = tiled_axis(nest)->output;
  pgopt_fused_place place = {.views = nest->views, .mask = t->mask};
  for (size_t k = 0; k < nest->problem->loops.operand_count; ++k) {
    place.is_splat[k] = !stride_of(nest, nest->plan->across, (int)k);
    place.at[k] = pgopt_position_offset(t->at.at[k],
                                        output * stride_of(nest, loop, (int)k));
  }
  return place;
}

/// The pool's output: its columns, reduced.
static MlirValue reduce_columns(pgopt_emitter e, const tile *t,
                                int64_t output) {
  const pgopt_window_nest *nest = t->nest;
  MlirValue result = {NULL};
  size_t column = 0;
  for (size_t i = 0; i < t->tap_count; ++i) {
    column += i && t->taps[i].pixel != t->taps[i - 1].pixel;
    if (t->taps[i].output != output)
      continue;
    result =
        mlirValueIsNull(result)
            ? t->values[column]
            : pgopt_combine_emit(e, &nest->combine, result, t->values[column]);
  }
  if (mlirValueIsNull(result))
    result = pgopt_vector_constant(e, &nest->vectors, nest->combine.identity);
  return result;
}

static void finish(pgopt_emitter e, const tile *t, int64_t output) {
  const pgopt_window_nest *nest = t->nest;
  const pgopt_fusion *fusion = nest->fusion;
  int destination = nest->problem->destination;
  bool is_product = nest->problem->weights >= 0;
  pgopt_fused_place place = place_of(t, output);
  MlirValue value =
      is_product ? t->values[output] : reduce_columns(e, t, output);
  if (!is_product || fusion->start_kind != PGOPT_START_ZERO) {
    MlirValue start = pgopt_fusion_emit_start(e, &nest->vectors, fusion, &place,
                                              (size_t)destination);
    value = is_product ? pgopt_emit_binary(e, "arith.addf", start, value)
                       : pgopt_combine_emit(e, &nest->combine, start, value);
  }
  value = pgopt_fusion_emit(e, &nest->vectors, fusion, value, &place);
  pgopt_vector_store(e, &nest->vectors, nest->views[destination],
                     place.at[destination], place.mask, value);
}

/// True when the first turns of the window's loops can begin the columns: there
/// is one of them at most, and it has a turn for sure.
static bool can_begin(const pgopt_window_nest *nest) {
  const pgopt_window_problem *problem = nest->problem;
  size_t loops = 0;
  for (size_t a = 0; a < problem->axis_count; ++a) {
    const pgopt_window_axis *axis = &problem->axes[a];
    if ((int)a == nest->plan->tiled)
      continue;
    ++loops;
    if (pgopt_window_may_be_empty(axis,
                                  problem->loops.loops[axis->taps].extent))
      return false;
  }
  return loops <= 1;
}

static void emit_tile(pgopt_emitter e, const pgopt_window_nest *nest,
                      pgopt_operand_places at, MlirValue mask,
                      const pgopt_window_step *step) {
  const pgopt_window_problem *problem = nest->problem;
  tile t = {.nest = nest,
            .at = at,
            .mask = mask,
            .start = step->start,
            .width = step->width,
            .is_inside = step->is_inside};
  bool is_pool = problem->weights < 0, begins = is_pool && can_begin(nest);
  if (is_vector(&t))
    t.width = 1;
  list_taps(&t);
  if (is_pool)
    for (size_t i = 0; i < t.tap_count; ++i)
      t.value_count += !i || t.taps[i].pixel != t.taps[i - 1].pixel;
  else
    t.value_count = (size_t)t.width;
  for (size_t i = 0; i < t.value_count && !begins; ++i)
    t.values[i] = pgopt_vector_constant(e, &nest->vectors,
                                        is_pool ? nest->combine.identity : 0);
  if (t.tap_count)
    emit_rows(e, &t, 0, begins, &t.at);
  for (int64_t o = 0; o < t.width; ++o)
    finish(e, &t, o);
}

/// Vectors along a chunk of their loop; the last one of all is masked.
static void emit_vectors(pgopt_emitter e, const pgopt_window_nest *nest,
                         pgopt_operand_places at,
                         const pgopt_window_step *step) {
  int across = nest->plan->across;
  int64_t lanes = nest->plan->lanes, chunk = nest->plan->chunk;
  int64_t extent = nest->problem->loops.loops[across].extent;
  int64_t left = extent % lanes;
  pgopt_position count = pgopt_position_at(chunk);
  if (extent % chunk)
    count = pgopt_position_min(
        e, count,
        pgopt_position_subtract(e, pgopt_position_at(extent), nest->chunk));
  pgopt_position whole = pgopt_position_floor(e, count, lanes);
  if (extent >= lanes) {
    pgopt_loop loop =
        pgopt_loop_open(e, pgopt_position_at(0), whole, lanes, 0, NULL);
    emit_tile(loop.body, nest, move(loop.body, nest, across, loop.variable, at),
              (MlirValue){NULL}, step);
    pgopt_loop_close(&loop, NULL);
  }
  if (!left)
    return;
  pgopt_branch branch = {.then = e};
  if (chunk < extent)
    branch = pgopt_branch_open(e, pgopt_position_is_below(e, whole, count), 0,
                               (MlirType){NULL});
  e = branch.then;
  emit_tile(e, nest, move(e, nest, across, whole, at),
            pgopt_vector_mask(e, &nest->vectors, pgopt_position_at(left)),
            step);
  if (chunk < extent)
    pgopt_branch_close(&branch, 0, NULL, NULL, NULL);
}

static void emit_outer(pgopt_emitter e, pgopt_window_nest *nest,
                       pgopt_operand_places at, size_t level) {
  const pgopt_window_plan *plan = nest->plan;
  if (level == plan->outer_count) {
    for (size_t i = 0; i < plan->step_count; ++i) {
      const pgopt_window_step *step = &plan->steps[i];
      pgopt_loop loop =
          pgopt_loop_open(e, pgopt_position_at(step->start),
                          pgopt_position_at(step->end), step->width, 0, NULL);
      pgopt_operand_places here =
          move(loop.body, nest, tiled_axis(nest)->output, loop.variable, at);
      if (tiled_axis(nest)->output == plan->across)
        emit_tile(loop.body, nest, here,
                  step->width < plan->lanes
                      ? pgopt_vector_mask(loop.body, &nest->vectors,
                                          pgopt_position_at(step->width))
                      : (MlirValue){NULL},
                  step);
      else
        emit_vectors(loop.body, nest, here, step);
      pgopt_loop_close(&loop, NULL);
    }
    return;
  }
  int number = plan->outer[level];
  const pgopt_product_loop *outer = &nest->problem->loops.loops[number];
  pgopt_position extent = outer->is_dynamic
                              ? pgopt_position_of(nest->extents[number])
                              : pgopt_position_at(outer->extent);
  pgopt_loop loop =
      pgopt_loop_open(e, pgopt_position_at(0), extent, 1, 0, NULL);
  for (size_t a = 0; a < nest->problem->axis_count; ++a)
    if (nest->problem->axes[a].output == number)
      nest->outputs[a] = loop.variable;
  emit_outer(loop.body, nest, move(loop.body, nest, number, loop.variable, at),
             level + 1);
  pgopt_loop_close(&loop, NULL);
}

void pgopt_window_emit(pgopt_emitter e, pgopt_window_nest *nest) {
  const pgopt_product_problem *problem = &nest->problem->loops;
  pgopt_operand_places at = {0};
  for (size_t l = 0; l < problem->loop_count; ++l)
    if (problem->loops[l].is_dynamic)
      nest->extents[l] = pgopt_emit_loop_extent(e, nest->generic, l);
  for (size_t k = 0; k < problem->operand_count; ++k) {
    if (mlirValueIsNull(nest->fusion->memrefs[k]))
      continue;
    nest->views[k] = pgopt_emit_flat(e, nest->fusion->memrefs[k], &at.at[k]);
    at.at[k] = pgopt_position_offset(at.at[k], nest->fusion->offsets[k]);
  }
  for (size_t d = 0; nest->padding && d < nest->padding->rank; ++d) {
    const pgopt_padded_dimension *dimension = &nest->padding->dimensions[d];
    pgopt_position *image = &at.at[nest->problem->image];
    if (!mlirValueIsNull(dimension->offset))
      *image = pgopt_position_add(
          e, *image,
          pgopt_position_scale(e, pgopt_position_of(dimension->offset),
                               dimension->stride));
  }
  const pgopt_window_plan *plan = nest->plan;
  pgopt_loop chunks =
      pgopt_loop_open(e, pgopt_position_at(0),
                      pgopt_position_at(problem->loops[plan->across].extent),
                      plan->chunk, 0, NULL);
  nest->chunk = chunks.variable;
  emit_outer(chunks.body, nest,
             move(chunks.body, nest, plan->across, chunks.variable, at), 0);
  pgopt_loop_close(&chunks, NULL);
}
