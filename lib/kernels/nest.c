/// \file The loops around a product's register tiles, outermost first: shared
/// loops, chunks of the loop beside, chunks of columns, parts of the depth
/// (here the columns are copied), loops of rows, blocks of rows, steps of the
/// loop beside, panels of columns, rows of the block, tiles.
#include "kernels/nest.h"

#include <string.h>

enum { C = 2 };

pgopt_places pgopt_places_move(pgopt_emitter e, const pgopt_nest *nest,
                               const pgopt_product_axis *axis,
                               pgopt_position steps, pgopt_places from) {
  for (size_t k = 0; k < nest->problem->operand_count; ++k)
    from.at[k] = pgopt_position_add(
        e, from.at[k], pgopt_position_scale(e, steps, axis->strides[k]));
  for (size_t b = 0; b < nest->problem->bound_count; ++b)
    from.bounds[b] = pgopt_position_add(
        e, from.bounds[b], pgopt_position_scale(e, steps, axis->moves[b]));
  return from;
}

static pgopt_position extent_of(pgopt_emitter e, const pgopt_nest *nest,
                                const pgopt_product_axis *axis) {
  if (axis->dynamic < 0)
    return pgopt_position_at(axis->extent);
  return pgopt_position_scale(
      e, pgopt_position_of(nest->extents[axis->dynamic]), axis->inner);
}

pgopt_position pgopt_step_end(pgopt_emitter e, pgopt_position start,
                              pgopt_position all, int64_t size, int64_t end) {
  if (end >= 0)
    return pgopt_position_at(end);
  if (end == -2)
    return all;
  pgopt_position left = pgopt_position_subtract(e, all, start);
  return pgopt_position_add(e, start, pgopt_position_floor(e, left, size));
}

pgopt_loop pgopt_copy_loop_open(pgopt_emitter e, const pgopt_nest *nest,
                                pgopt_copy_level level, pgopt_position extent,
                                int64_t step) {
  if (nest->cut != level || level == PGOPT_COPY_WHOLE)
    return pgopt_loop_open(e, pgopt_position_at(0), extent, step, 0, NULL);
  pgopt_position end = pgopt_position_scale(e, nest->high, step);
  return pgopt_loop_open(e, pgopt_position_scale(e, nest->low, step),
                         pgopt_position_min(e, end, extent), step, 0, NULL);
}

pgopt_panel_loop pgopt_panel_loop_open(pgopt_emitter e, const pgopt_nest *nest,
                                       const pgopt_product_columns *step,
                                       pgopt_position *start) {
  int64_t lanes = nest->vectors.lanes, width = step->vectors * lanes;
  pgopt_position end =
      pgopt_step_end(e, *start, nest->columns, width, step->end);
  pgopt_position from = *start, to = end;
  if (nest->cut == PGOPT_COPY_PANEL) {
    int64_t panel = nest->plan->column_steps[0].vectors * lanes;
    from =
        pgopt_position_max(e, from, pgopt_position_scale(e, nest->low, panel));
    to = pgopt_position_min(e, to, pgopt_position_scale(e, nest->high, panel));
  }
  pgopt_panel_loop panels = {.loop =
                                 pgopt_loop_open(e, from, to, width, 0, NULL)};
  if (step->tail) {
    panels.mask = pgopt_vector_mask(panels.loop.body, &nest->vectors,
                                    pgopt_position_at(step->tail));
  } else if (step->end == -2) {
    pgopt_position left = pgopt_position_subtract(
        panels.loop.body, nest->columns, panels.loop.variable);
    panels.mask = pgopt_vector_mask(
        panels.loop.body, &nest->vectors,
        pgopt_position_offset(left, -(step->vectors - 1) * lanes));
  }
  *start = end;
  return panels;
}

static void emit_row_steps(pgopt_emitter e, const pgopt_nest *nest,
                           pgopt_places at, const pgopt_panel *panel) {
  const pgopt_product_plan *p = nest->plan;
  pgopt_position start = pgopt_position_at(0);
  if (p->row_bound >= 0) {
    pgopt_bounded_rows_emit(e, nest, at, panel);
    return;
  }
  for (size_t i = 0; i < p->row_step_count; ++i) {
    const pgopt_product_rows *step = &p->row_steps[i];
    pgopt_position end =
        pgopt_step_end(e, start, nest->rows, step->rows, step->end);
    pgopt_loop loop = pgopt_loop_open(e, start, end, step->rows, 0, NULL);
    pgopt_tile_emit(
        loop.body, nest,
        pgopt_places_move(loop.body, nest, &p->rows, loop.variable, at), panel,
        step->rows, NULL, 0);
    pgopt_loop_close(&loop, NULL);
    start = end;
  }
}

/// Sets where the panel that begins at column `j` lies.
static void set_panel(pgopt_emitter e, const pgopt_nest *nest,
                      const pgopt_places *at, pgopt_position j,
                      pgopt_panel *panel) {
  const pgopt_product_plan *p = nest->plan;
  int operand = p->columns_operand;
  pgopt_position step = pgopt_position_at(1);
  panel->view = nest->views[operand];
  panel->at = pgopt_position_add(e, at->at[operand], j);
  if (pgopt_is_packed(p->source)) {
    int64_t depth = p->depth_chunk;
    for (size_t i = 1; i < p->depth_count; ++i)
      depth *= p->depth[i].extent;
    step = pgopt_position_at((int64_t)panel->vectors * p->lanes);
    panel->view = nest->scratch;
    panel->at =
        pgopt_position_add(e, nest->part, pgopt_position_scale(e, j, depth));
  } else if (p->source == PGOPT_COLUMNS_GATHERED) {
    step = nest->columns;
    panel->view = nest->scratch;
    panel->at = j;
  }
  for (size_t i = 0; i < p->tile_depth_count; ++i)
    panel->strides[i] =
        pgopt_position_scale(e, step, p->tile_depth[i].strides[operand]);
}

static void emit_panels(pgopt_emitter e, pgopt_nest *nest, pgopt_places at,
                        const pgopt_product_axis *outer_rows,
                        pgopt_position row_count) {
  const pgopt_product_plan *p = nest->plan;
  pgopt_position start = pgopt_position_at(0);
  for (size_t i = 0; i < p->column_step_count; ++i) {
    const pgopt_product_columns *step = &p->column_steps[i];
    pgopt_panel_loop panels = pgopt_panel_loop_open(e, nest, step, &start);
    pgopt_emitter body = panels.loop.body;
    pgopt_position j = panels.loop.variable;
    pgopt_panel panel = {.vectors = (size_t)step->vectors,
                         .mask = panels.mask,
                         .tail = step->tail};
    set_panel(body, nest, &at, j, &panel);
    pgopt_places here = pgopt_places_move(body, nest, &p->columns, j, at);
    if (outer_rows) {
      pgopt_loop rows =
          pgopt_loop_open(body, pgopt_position_at(0), row_count, 1, 0, NULL);
      emit_row_steps(
          rows.body, nest,
          pgopt_places_move(rows.body, nest, outer_rows, rows.variable, here),
          &panel);
      pgopt_loop_close(&rows, NULL);
    } else {
      emit_row_steps(body, nest, here, &panel);
    }
    pgopt_loop_close(&panels.loop, NULL);
  }
}

/// What is packed together, one step after the other.
static void emit_beside(pgopt_emitter e, pgopt_nest *nest, pgopt_places at,
                        const pgopt_product_axis *outer_rows,
                        pgopt_position row_count) {
  const pgopt_product_plan *p = nest->plan;
  pgopt_position part = nest->part;
  pgopt_loop outer =
      pgopt_loop_open(e, pgopt_position_at(0), nest->beside_outer, 1, 0, NULL);
  pgopt_loop loop = pgopt_loop_open(outer.body, pgopt_position_at(0),
                                    nest->beside, 1, 0, NULL);
  pgopt_emitter body = loop.body;
  pgopt_position step = pgopt_position_add(
      body, loop.variable,
      pgopt_position_scale(body, outer.variable, p->beside_chunk));
  nest->part = pgopt_position_add(
      body, part, pgopt_position_scale(body, step, pgopt_beside_stride(p)));
  at = pgopt_places_move(body, nest, &p->beside_outer, outer.variable, at);
  emit_panels(body, nest,
              pgopt_places_move(body, nest, &p->beside, loop.variable, at),
              outer_rows, row_count);
  nest->part = part;
  pgopt_loop_close(&loop, NULL);
  pgopt_loop_close(&outer, NULL);
}

/// Blocks of the innermost loop of rows.
static void emit_row_blocks(pgopt_emitter e, pgopt_nest *nest,
                            pgopt_places at) {
  const pgopt_product_plan *p = nest->plan;
  const pgopt_product_axis *outer =
      p->row_outer_count ? &p->row_outer[p->row_outer_count - 1] : NULL;
  const pgopt_product_axis *axis = outer ? outer : &p->rows;
  pgopt_position extent = extent_of(e, nest, axis);
  pgopt_loop blocks =
      pgopt_loop_open(e, pgopt_position_at(0), extent, p->row_chunk, 0, NULL);
  pgopt_position left =
      pgopt_position_subtract(blocks.body, extent, blocks.variable);
  pgopt_position count =
      pgopt_position_min(blocks.body, left, pgopt_position_at(p->row_chunk));
  nest->rows = outer ? extent_of(blocks.body, nest, &p->rows) : count;
  emit_beside(blocks.body, nest,
              pgopt_places_move(blocks.body, nest, axis, blocks.variable, at),
              outer, count);
  pgopt_loop_close(&blocks, NULL);
}

static void emit_row_loops(pgopt_emitter e, pgopt_nest *nest, pgopt_places at,
                           size_t level) {
  const pgopt_product_plan *p = nest->plan;
  if (level + 1 >= p->row_outer_count) {
    emit_row_blocks(e, nest, at);
    return;
  }
  const pgopt_product_axis *axis = &p->row_outer[level];
  pgopt_loop loop = pgopt_loop_open(e, pgopt_position_at(0),
                                    extent_of(e, nest, axis), 1, 0, NULL);
  emit_row_loops(loop.body, nest,
                 pgopt_places_move(loop.body, nest, axis, loop.variable, at),
                 level + 1);
  pgopt_loop_close(&loop, NULL);
}

/// The condition with one more part: that `value` is 0. Null stands for true.
static MlirValue and_zero(pgopt_emitter e, MlirValue condition,
                          pgopt_position value) {
  if (pgopt_position_is_constant(value))
    return condition;
  MlirValue zero = pgopt_position_is_zero(e, value);
  return mlirValueIsNull(condition)
             ? zero
             : pgopt_emit_binary(e, "arith.andi", condition, zero);
}

/// Moves on in prepared columns: by so many elements a step. \returns where it
/// was.
static pgopt_position move_part(pgopt_emitter e, pgopt_nest *nest,
                                pgopt_position steps, int64_t stride) {
  pgopt_position before = nest->part;
  if (nest->plan->source == PGOPT_COLUMNS_PREPARED)
    nest->part =
        pgopt_position_add(e, before, pgopt_position_scale(e, steps, stride));
  return before;
}

static void emit_depth(pgopt_emitter e, pgopt_nest *nest, pgopt_places at,
                       size_t level) {
  const pgopt_product_plan *p = nest->plan;
  bool innermost = level == p->outer_depth_count;
  const pgopt_product_axis *axis =
      innermost ? &p->depth[0] : &p->outer_depth[level];
  int64_t step = innermost ? p->depth_chunk : 1;
  pgopt_position extent = pgopt_position_at(axis->extent);
  MlirValue first = nest->is_first, last = nest->is_last;
  pgopt_loop loop = pgopt_copy_loop_open(e, nest,
                                         innermost ? PGOPT_COPY_PART
                                         : level   ? PGOPT_COPY_WHOLE
                                                   : PGOPT_COPY_OUTER,
                                         extent, step);
  pgopt_emitter body = loop.body;
  pgopt_position left = pgopt_position_subtract(body, extent, loop.variable);
  pgopt_position count =
      pgopt_position_min(body, left, pgopt_position_at(step));
  if (loop.is_loop) {
    nest->is_first = and_zero(body, first, loop.variable);
    nest->is_last =
        and_zero(body, last, pgopt_position_subtract(body, left, count));
  }
  at = pgopt_places_move(body, nest, axis, loop.variable, at);
  pgopt_position part =
      move_part(body, nest, loop.variable,
                innermost ? pgopt_prepared_depth_stride(p)
                          : pgopt_prepared_outer_stride(p, level));
  if (innermost) {
    nest->depth = count;
    pgopt_copy_columns(body, nest, &at);
    if (!nest->is_preparing)
      emit_row_loops(body, nest, at, 0);
  } else {
    emit_depth(body, nest, at, level + 1);
  }
  nest->part = part;
  nest->is_first = first;
  nest->is_last = last;
  pgopt_loop_close(&loop, NULL);
}

static void emit_column_chunks(pgopt_emitter e, pgopt_nest *nest,
                               pgopt_places at) {
  const pgopt_product_plan *p = nest->plan;
  pgopt_position units = p->column_unit == 1
                             ? extent_of(e, nest, &p->columns)
                             : extent_of(e, nest, &p->gathered[0]);
  pgopt_loop loop =
      pgopt_copy_loop_open(e, nest, PGOPT_COPY_CHUNK, units, p->column_chunk);
  pgopt_position left =
      pgopt_position_subtract(loop.body, units, loop.variable);
  pgopt_position count =
      pgopt_position_min(loop.body, left, pgopt_position_at(p->column_chunk));
  nest->columns = pgopt_position_scale(loop.body, count, p->column_unit);
  pgopt_product_axis unit = p->columns;
  for (size_t k = 0; k < nest->problem->operand_count; ++k)
    unit.strides[k] *= p->column_unit;
  unit.strides[p->columns_operand] = p->column_unit_stride;
  if (p->gathered_count)
    memcpy(unit.moves, p->gathered[0].moves, sizeof unit.moves);
  // With several chunks their length divides this: it has whole panels.
  pgopt_position part =
      move_part(loop.body, nest, loop.variable,
                pgopt_prepared_chunk_stride(p) / p->column_chunk);
  emit_depth(loop.body, nest,
             pgopt_places_move(loop.body, nest, &unit, loop.variable, at), 0);
  nest->part = part;
  pgopt_loop_close(&loop, NULL);
}

/// Opens the loop over chunks of an axis, and moves on along it.
static pgopt_loop open_chunks(pgopt_emitter e, const pgopt_nest *nest,
                              const pgopt_product_axis *axis, int64_t chunk,
                              pgopt_places *at, pgopt_position *count) {
  pgopt_position extent = extent_of(e, nest, axis);
  pgopt_loop loop =
      pgopt_loop_open(e, pgopt_position_at(0), extent, chunk, 0, NULL);
  pgopt_position left =
      pgopt_position_subtract(loop.body, extent, loop.variable);
  *count = pgopt_position_min(loop.body, left, pgopt_position_at(chunk));
  *at = pgopt_places_move(loop.body, nest, axis, loop.variable, *at);
  return loop;
}

static void emit_beside_chunks(pgopt_emitter e, pgopt_nest *nest,
                               pgopt_places at) {
  const pgopt_product_plan *p = nest->plan;
  pgopt_loop outer =
      open_chunks(e, nest, &p->beside_outer, p->beside_outer_chunk, &at,
                  &nest->beside_outer);
  pgopt_loop loop = open_chunks(outer.body, nest, &p->beside, p->beside_chunk,
                                &at, &nest->beside);
  emit_column_chunks(loop.body, nest, at);
  pgopt_loop_close(&loop, NULL);
  pgopt_loop_close(&outer, NULL);
}

static void emit_shared(pgopt_emitter e, pgopt_nest *nest, pgopt_places at,
                        size_t level) {
  const pgopt_product_plan *p = nest->plan;
  if (level == p->shared_count) {
    emit_beside_chunks(e, nest, at);
    return;
  }
  const pgopt_product_axis *axis = &p->shared[level];
  pgopt_loop loop = pgopt_copy_loop_open(
      e, nest, level ? PGOPT_COPY_WHOLE : PGOPT_COPY_SHARED,
      extent_of(e, nest, axis), 1);
  pgopt_position part = move_part(loop.body, nest, loop.variable,
                                  pgopt_prepared_shared_stride(p, level));
  emit_shared(loop.body, nest,
              pgopt_places_move(loop.body, nest, axis, loop.variable, at),
              level + 1);
  nest->part = part;
  pgopt_loop_close(&loop, NULL);
}

void pgopt_nest_emit_copies(pgopt_emitter e, pgopt_nest *nest,
                            pgopt_position at) {
  pgopt_places places = {.at = {{{NULL}, 0}}};
  places.at[nest->plan->columns_operand] = at;
  emit_shared(e, nest, places, 0);
}

/// What the gather reads: extents and strides of the box, and its bounds.
static int64_t gather_numbers(const pgopt_nest *nest) {
  size_t rank = nest->plan->depth_count + nest->plan->gathered_count;
  return (int64_t)(2 * rank + nest->problem->bound_count * (rank + 2));
}

/// Where the bounded operand begins: its slice may begin at run time.
static void place_bounded(pgopt_emitter e, const pgopt_nest *nest,
                          pgopt_places *at) {
  const pgopt_product_problem *problem = nest->problem;
  size_t operand = (size_t)problem->bounded_operand, bound = 0;
  const pgopt_map *map = &nest->generic->operands[operand].map;
  for (size_t d = 0; nest->padding && d < nest->padding->rank; ++d) {
    const pgopt_padded_dimension *dim = &nest->padding->dimensions[d];
    pgopt_position index =
        pgopt_position_at(map->results[d].constant + dim->first - dim->low);
    if (!mlirValueIsNull(dim->offset))
      index = pgopt_position_add(e, index, pgopt_position_of(dim->offset));
    at->at[operand] = pgopt_position_add(
        e, at->at[operand], pgopt_position_scale(e, index, dim->stride));
    if (dim->low || dim->high)
      at->bounds[bound++] = index;
  }
}

void pgopt_nest_emit(pgopt_emitter e, pgopt_nest *nest,
                     pgopt_preparation *preparation) {
  const pgopt_product_problem *problem = nest->problem;
  pgopt_places at = {.bounds = {{{NULL}, 0}}};
  for (size_t l = 0; l < problem->loop_count; ++l)
    if (problem->loops[l].is_dynamic)
      nest->extents[l] = pgopt_emit_loop_extent(e, nest->generic, l);
  for (size_t k = 0; k < problem->operand_count; ++k) {
    nest->views[k] = pgopt_emit_flat(e, nest->fusion->memrefs[k], &at.at[k]);
    at.at[k] = pgopt_position_offset(at.at[k], nest->fusion->offsets[k]);
  }
  place_bounded(e, nest, &at);
  int64_t scratch = pgopt_product_scratch(nest->plan);
  if (scratch)
    nest->scratch =
        pgopt_emit_buffer(e, "memref.alloc", nest->vectors.element, scratch);
  if (nest->plan->source == PGOPT_COLUMNS_GATHERED) {
    MlirOperation function = nest->generic->op;
    while (!pgopt_op_is(function, "func.func"))
      function = mlirOperationGetParentOperation(function);
    nest->box =
        pgopt_emit_buffer(pgopt_emitter_at_start(pgopt_function_body(function),
                                                 nest->generic->op),
                          "memref.alloca", mlirIntegerTypeGet(e.context, 64),
                          gather_numbers(nest));
  }
  if (nest->plan->source == PGOPT_COLUMNS_PREPARED)
    nest->scratch = pgopt_prepare_columns(e, preparation, nest);
  emit_shared(e, nest, at, 0);
}
