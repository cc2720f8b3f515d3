/// \file The loops of a Winograd convolution: blocks of tiles, panels of
/// outputs, positions, register tiles, inputs.
#include "kernels/winograd_nest.h"

enum { MAX_TILE = 64 };

pgopt_position pgopt_winograd_panel_width(pgopt_emitter e,
                                          const pgopt_winograd_plan *plan,
                                          pgopt_position panel) {
  int64_t width = plan->vectors * plan->lanes;
  if (plan->last_vectors == plan->vectors)
    return pgopt_position_at(width);
  return pgopt_position_min(
      e, pgopt_position_at(width),
      pgopt_position_subtract(e, pgopt_position_at(plan->columns), panel));
}

pgopt_winograd_tile pgopt_winograd_tile_at(pgopt_emitter e,
                                           const pgopt_winograd_nest *nest,
                                           pgopt_position number) {
  pgopt_winograd_tile tile = {.batch = pgopt_position_at(0)};
  pgopt_position row = pgopt_position_divide(e, number, nest->across);
  tile.x = pgopt_position_scale(
      e, pgopt_position_remainder(e, number, nest->across), nest->plan->size);
  if (nest->loops.batch >= 0) {
    tile.batch = pgopt_position_divide(e, row, nest->down);
    row = pgopt_position_remainder(e, row, nest->down);
  }
  tile.y = pgopt_position_scale(e, row, nest->plan->size);
  return tile;
}

/// A register tile: where its operands begin, and which inputs it multiplies.
typedef struct register_tile {
  pgopt_position image, weights, product;
  pgopt_position first, count;
  int64_t vectors;
} register_tile;

/// Adds the sums to those of the inputs before, stores them.
static void store_sums(pgopt_emitter e, const pgopt_winograd_nest *nest,
                       const register_tile *t, MlirValue *sums) {
  const pgopt_winograd_plan *p = nest->plan;
  const pgopt_vectors *v = &nest->vectors;
  const MlirValue all = {NULL};
  size_t size = (size_t)(p->rows * t->vectors);
  pgopt_position places[MAX_TILE];
  for (size_t i = 0; i < size; ++i)
    places[i] = pgopt_position_offset(t->product,
                                      (int64_t)i / t->vectors * p->product_row +
                                          (int64_t)i % t->vectors * p->lanes);
  if (!pgopt_position_is_constant(t->first)) {
    MlirValue first = pgopt_position_is_zero(e, t->first);
    pgopt_branch branch = pgopt_branch_open(e, first, size, v->vector);
    MlirValue later[MAX_TILE];
    for (size_t i = 0; i < size; ++i)
      later[i] =
          pgopt_emit_binary(branch.otherwise, "arith.addf", sums[i],
                            pgopt_vector_load(branch.otherwise, v,
                                              nest->products, places[i], all));
    pgopt_branch_close(&branch, size, sums, later, sums);
  }
  for (size_t i = 0; i < size; ++i)
    pgopt_vector_store(e, v, nest->products, places[i], all, sums[i]);
}

static void emit_register_tile(pgopt_emitter e, const pgopt_winograd_nest *nest,
                               const register_tile *t) {
  const pgopt_winograd_plan *p = nest->plan;
  const pgopt_vectors *v = &nest->vectors;
  MlirValue sums[MAX_TILE], loaded[MAX_TILE];
  size_t size = (size_t)(p->rows * t->vectors);
  MlirValue zero = pgopt_vector_constant(e, v, 0);
  for (size_t i = 0; i < size; ++i)
    sums[i] = zero;
  pgopt_loop loop =
      pgopt_loop_open(e, pgopt_position_at(0), t->count, 1, size, sums);
  pgopt_emitter body = loop.body;
  pgopt_position columns = pgopt_position_add(
      body, t->weights,
      pgopt_position_scale(body, loop.variable, t->vectors * p->lanes));
  pgopt_position rows = pgopt_position_add(body, t->image, loop.variable);
  // The loop is too short for the processor to see that it goes on behind.
  int64_t ahead = p->depth * t->vectors * p->lanes;
  for (int64_t i = 0; i < t->vectors; ++i)
    pgopt_vector_prefetch(body, nest->transformed_weights,
                          pgopt_position_offset(columns, ahead + i * p->lanes),
                          false);
  for (int64_t i = 0; i < t->vectors; ++i)
    loaded[i] = pgopt_vector_load(body, v, nest->transformed_weights,
                                  pgopt_position_offset(columns, i * p->lanes),
                                  (MlirValue){NULL});
  for (int64_t r = 0; r < p->rows; ++r) {
    MlirValue factor =
        pgopt_vector_load_splat(body, v, nest->transformed_image,
                                pgopt_position_offset(rows, r * p->image_row));
    for (int64_t i = 0; i < t->vectors; ++i) {
      MlirValue *sum = &sums[r * t->vectors + i];
      *sum = pgopt_vector_fma(body, v, factor, loaded[i], *sum);
    }
  }
  pgopt_loop_close(&loop, sums);
  store_sums(e, nest, t, sums);
}

/// The block's products of one panel, position by position.
static void emit_products(pgopt_emitter e, const pgopt_winograd_nest *nest,
                          pgopt_position panel, pgopt_position count,
                          int64_t vectors) {
  const pgopt_winograd_plan *p = nest->plan;
  const pgopt_position zero = pgopt_position_at(0);
  pgopt_position inputs =
      pgopt_position_at(nest->problem->loops[nest->loops.input].extent);
  pgopt_loop positions =
      pgopt_loop_open(e, zero, pgopt_position_at(p->positions), 1, 0, NULL);
  e = positions.body;
  pgopt_position weights = pgopt_position_add(
      e, pgopt_position_scale(e, panel, p->positions * inputs.constant),
      pgopt_position_scale(e, positions.variable,
                           inputs.constant * vectors * p->lanes));
  pgopt_position image = pgopt_position_add(
      e, nest->block,
      pgopt_position_scale(e, positions.variable, p->image_plane));
  pgopt_position product =
      pgopt_position_scale(e, positions.variable, p->product_plane);
  // Long rows are fetched ahead; of short ones all take the same weights first.
  pgopt_loop loops[2];
  pgopt_loop *rows = &loops[!p->is_row_first], *depth = &loops[p->is_row_first];
  for (int i = 0; i < 2; ++i) {
    bool is_rows = &loops[i] == rows;
    loops[i] = pgopt_loop_open(e, zero, is_rows ? count : inputs,
                               is_rows ? p->rows : p->depth, 0, NULL);
    e = loops[i].body;
  }
  register_tile t = {
      .image = pgopt_position_add(
          e, pgopt_position_add(e, image, depth->variable),
          pgopt_position_scale(e, rows->variable, p->image_row)),
      .weights = pgopt_position_add(
          e, weights,
          pgopt_position_scale(e, depth->variable, vectors * p->lanes)),
      .product = pgopt_position_add(
          e, product, pgopt_position_scale(e, rows->variable, p->product_row)),
      .first = depth->variable,
      .count = pgopt_position_at(p->depth),
      .vectors = vectors};
  if (inputs.constant % p->depth)
    t.count = pgopt_position_min(
        e, t.count, pgopt_position_subtract(e, inputs, depth->variable));
  emit_register_tile(e, nest, &t);
  pgopt_loop_close(&loops[1], NULL);
  pgopt_loop_close(&loops[0], NULL);
  pgopt_loop_close(&positions, NULL);
}

static void emit_panels(pgopt_emitter e, const pgopt_winograd_nest *nest,
                        pgopt_position first, pgopt_position count) {
  const pgopt_winograd_plan *p = nest->plan;
  int64_t width = p->vectors * p->lanes;
  pgopt_loop loop = pgopt_loop_open(
      e, pgopt_position_at(0), pgopt_position_at(p->columns), width, 0, NULL);
  if (p->last_vectors == p->vectors) {
    emit_products(loop.body, nest, loop.variable, count, p->vectors);
  } else {
    MlirValue is_whole = pgopt_position_is_below(
        loop.body, loop.variable, pgopt_position_at(p->columns - width + 1));
    pgopt_branch branch =
        pgopt_branch_open(loop.body, is_whole, 0, (MlirType){NULL});
    emit_products(branch.then, nest, loop.variable, count, p->vectors);
    emit_products(branch.otherwise, nest, loop.variable, count,
                  p->last_vectors);
    pgopt_branch_close(&branch, 0, NULL, NULL, NULL);
  }
  pgopt_winograd_emit_result(loop.body, nest, first, count, loop.variable);
  pgopt_loop_close(&loop, NULL);
}

static pgopt_position extent_of(pgopt_emitter e,
                                const pgopt_winograd_nest *nest, int loop) {
  if (loop < 0)
    return pgopt_position_at(1);
  if (nest->problem->loops[loop].is_dynamic)
    return pgopt_position_of(
        pgopt_emit_loop_extent(e, nest->generic, (size_t)loop));
  return pgopt_position_at(nest->problem->loops[loop].extent);
}

static void fill_weights(pgopt_emitter e, MlirValue parameter, MlirValue buffer,
                         const void *data) {
  const pgopt_winograd_nest *nest = data;
  pgopt_position start;
  MlirValue view = pgopt_emit_flat(e, parameter, &start);
  pgopt_winograd_emit_weights(
      e, nest, view,
      pgopt_position_offset(start, nest->fusion->offsets[nest->weights]),
      buffer);
}

/// All that the transformed weights depend on.
static void write_key(const pgopt_winograd_nest *nest, pgopt_text *text) {
  const pgopt_winograd_plan *p = nest->plan;
  const int loops[] = {nest->loops.window_height, nest->loops.window_width,
                       nest->loops.input, nest->loops.output};
  pgopt_text_append(text, "winograd %lld ", (long long)p->size);
  pgopt_print_type(nest->vectors.vector, text);
  pgopt_text_append(text, " x %lld from %lld", (long long)p->vectors,
                    (long long)nest->fusion->offsets[nest->weights]);
  for (size_t i = 0; i < sizeof loops / sizeof *loops; ++i) {
    const pgopt_product_loop *loop = &nest->problem->loops[loops[i]];
    pgopt_text_append(text, " %lldx%lld", (long long)loop->extent,
                      (long long)loop->strides[nest->weights]);
  }
}

static void emit_weights(pgopt_emitter e, pgopt_winograd_nest *nest,
                         pgopt_preparation *preparation) {
  const pgopt_winograd_plan *p = nest->plan;
  // What is fetched ahead of the last ones is there, too.
  int64_t elements = p->positions * p->columns *
                         nest->problem->loops[nest->loops.input].extent +
                     p->depth * p->vectors * p->lanes;
  if (!preparation) {
    nest->transformed_weights =
        pgopt_emit_buffer(e, "memref.alloc", nest->vectors.element, elements);
    pgopt_winograd_emit_weights(e, nest, nest->views[nest->weights],
                                nest->starts[nest->weights],
                                nest->transformed_weights);
    return;
  }
  pgopt_text key = {0};
  write_key(nest, &key);
  pgopt_prepared_form form = {.key = key.data,
                              .element = nest->vectors.element,
                              .elements = elements,
                              .fill = fill_weights,
                              .data = nest};
  nest->transformed_weights =
      pgopt_prepare(preparation, nest->fusion->memrefs[nest->weights], &form);
  pgopt_text_free(&key);
}

/// Finds where the windows begin in the image.
static void place_image(pgopt_emitter e, pgopt_winograd_nest *nest) {
  const pgopt_padding *padding = nest->padding;
  nest->top = nest->left = pgopt_position_at(0);
  nest->image_height = pgopt_position_offset(nest->height, 2);
  nest->image_width = pgopt_position_offset(nest->width, 2);
  for (size_t d = 0; padding && d < padding->rank; ++d) {
    const pgopt_padded_dimension *from = &padding->dimensions[d];
    const pgopt_map *map = &nest->generic->operands[nest->image].map;
    pgopt_position begin = {from->offset,
                            from->first - from->low + map->results[d].constant};
    if ((int)d == nest->height_dimension) {
      nest->top = begin;
      nest->image_height = pgopt_position_at(from->extent);
    } else if ((int)d == nest->width_dimension) {
      nest->left = begin;
      nest->image_width = pgopt_position_at(from->extent);
    } else {
      nest->starts[nest->image] =
          pgopt_position_add(e, nest->starts[nest->image],
                             pgopt_position_scale(e, begin, from->stride));
    }
  }
}

static bool is_first(const pgopt_winograd_nest *nest) {
  return nest->phase && nest->phase->is_first;
}

static bool is_second(const pgopt_winograd_nest *nest) {
  return nest->phase && !nest->phase->is_first;
}

static void emit_buffers(pgopt_emitter e, pgopt_winograd_nest *nest) {
  const pgopt_winograd_plan *p = nest->plan;
  MlirType element = nest->vectors.element;
  int64_t side = p->size + 2;
  int64_t pixel = nest->problem->loops[nest->loops.width].strides[nest->image];
  if (nest->loops.input_blocks >= 0) // all blocks of a pixel
    pixel = nest->problem->loops[nest->loops.input].extent;
  pgopt_position start;
  nest->transformed_image =
      nest->phase ? pgopt_emit_flat(e, nest->phase->buffer, &start)
                  : pgopt_emit_buffer(e, "memref.alloc", element,
                                      p->positions * p->image_plane);
  if (!is_first(nest))
    nest->products = pgopt_emit_buffer(e, "memref.alloc", element,
                                       p->positions * p->product_plane);
  if (!is_second(nest))
    nest->patch = pgopt_emit_buffer(e, "memref.alloc", element,
                                    side * side * pixel + p->lanes);
}

/// The tiles from `first` to `end`, block by block. \param at where their
/// transformed image begins; all blocks have the same place without phases.
static void emit_blocks(pgopt_emitter e, pgopt_winograd_nest *nest,
                        pgopt_position first, pgopt_position end,
                        pgopt_position at) {
  const pgopt_winograd_plan *p = nest->plan;
  pgopt_loop loop = pgopt_loop_open(e, first, end, p->block, 0, NULL);
  e = loop.body;
  pgopt_position count =
      pgopt_position_min(e, pgopt_position_at(p->block),
                         pgopt_position_subtract(e, end, loop.variable));
  nest->block = at;
  if (nest->phase && nest->unit.tiles > p->block)
    nest->block = pgopt_position_add(
        e, at,
        pgopt_position_scale(
            e,
            pgopt_position_divide(
                e, pgopt_position_subtract(e, loop.variable, first),
                pgopt_position_at(p->block)),
            p->positions * p->image_plane));
  if (!is_second(nest))
    pgopt_winograd_emit_image(e, nest, loop.variable, count);
  if (!is_first(nest))
    emit_panels(e, nest, loop.variable, count);
  pgopt_loop_close(&loop, NULL);
}

/// All tiles, unit by unit in a phase.
static void emit_tiles(pgopt_emitter e, pgopt_winograd_nest *nest) {
  const pgopt_position zero = pgopt_position_at(0);
  const pgopt_winograd_unit *unit = &nest->unit;
  pgopt_position all = pgopt_position_multiply(
      e, nest->batch, pgopt_position_multiply(e, nest->down, nest->across));
  if (!nest->phase || !unit->is_cut) {
    emit_blocks(e, nest, zero, all, zero);
    return;
  }
  pgopt_position low = nest->phase->low;
  pgopt_loop loop = pgopt_loop_open(e, low, nest->phase->high, 1, 0, NULL);
  e = loop.body;
  pgopt_position first = pgopt_position_scale(
      e, pgopt_position_subtract(e, loop.variable, low), unit->tiles);
  pgopt_position end =
      pgopt_position_min(e, all, pgopt_position_offset(first, unit->tiles));
  emit_blocks(e, nest, first, end,
              pgopt_position_scale(e, loop.variable, unit->elements));
  pgopt_loop_close(&loop, NULL);
}

void pgopt_winograd_nest_emit(pgopt_emitter e, pgopt_winograd_nest *nest,
                              pgopt_preparation *preparation) {
  const pgopt_winograd_plan *p = nest->plan;
  for (size_t k = 0; k < nest->problem->operand_count; ++k) {
    nest->views[k] =
        pgopt_emit_flat(e, nest->fusion->memrefs[k], &nest->starts[k]);
    nest->starts[k] =
        pgopt_position_offset(nest->starts[k], nest->fusion->offsets[k]);
  }
  nest->batch = extent_of(e, nest, nest->loops.batch);
  nest->height = extent_of(e, nest, nest->loops.height);
  nest->width = extent_of(e, nest, nest->loops.width);
  place_image(e, nest);
  nest->down = pgopt_position_divide_up(e, nest->height, p->size);
  nest->across = pgopt_position_divide_up(e, nest->width, p->size);
  emit_buffers(e, nest);
  if (!is_first(nest))
    emit_weights(e, nest, preparation);
  emit_tiles(e, nest);
}
