/// \file The code of a reduction. From outside: loops of results, blocks or
/// batches of them, loops of what is reduced, and vectors, several of which are
/// reduced side by side: a sum has to wait for the one before it.
///
/// The ends of rows are combined in batches of as many rows as a vector has
/// lanes: every step halves the number of vectors, and what is left holds a
/// result a lane, as the destination does.
#include "kernels/reduce_nest.h"

enum {
  SIDE_BY_SIDE = 4, ///< sums of columns at least
  WRITTEN_OUT = 8,  ///< vectors of a row without a loop
  MAX_LANES = 64,
};
enum { MAX_SUMS = SIDE_BY_SIDE * PGOPT_REDUCTION_MAX_BLOCK };

static const pgopt_product_loop *loop_of(const pgopt_reduction_nest *nest,
                                         int loop) {
  return &nest->loops->loops[loop];
}

static pgopt_operand_places move(pgopt_emitter e,
                                 const pgopt_reduction_nest *nest, int loop,
                                 pgopt_position steps,
                                 pgopt_operand_places from) {
  return pgopt_operand_places_move(e, nest->loops, loop, steps, from);
}

static pgopt_position extent_of(const pgopt_reduction_nest *nest, int loop) {
  return loop_of(nest, loop)->is_dynamic
             ? pgopt_position_of(nest->extents[loop])
             : pgopt_position_at(loop_of(nest, loop)->extent);
}

static MlirValue identity(pgopt_emitter e, const pgopt_reduction_nest *nest) {
  return pgopt_vector_constant(e, &nest->vectors, nest->combine.identity);
}

/// Combines the elements there with `sum`, whose lanes stay where the mask, if
/// there is one, is off.
static MlirValue reduce(pgopt_emitter e, const pgopt_reduction_nest *nest,
                        const pgopt_operand_places *at, MlirValue mask,
                        MlirValue sum) {
  const pgopt_vectors *v = &nest->vectors;
  MlirValue operands[PGOPT_PRODUCT_MAX_OPERANDS] = {{NULL}};
  for (size_t i = 0; i < nest->read_count; ++i) {
    int k = nest->reads[i];
    operands[k] =
        loop_of(nest, nest->across)->strides[k]
            ? pgopt_vector_load(e, v, nest->views[k], at->at[k], mask)
            : pgopt_vector_load_splat(e, v, nest->views[k], at->at[k]);
  }
  MlirValue value = pgopt_fused_emit_value(e, v, &nest->body, (MlirValue){NULL},
                                           operands, nest->combine.reduced);
  // The second operand of a maximum needs no look for NaN: the sum, which the
  // next step waits for.
  value = pgopt_combine_emit(e, &nest->combine, value, sum);
  return mlirValueIsNull(mask) ? value : pgopt_emit_select(e, mask, value, sum);
}

/// Stores a vector of results that lie along `loop`, after what is fused.
static void finish(pgopt_emitter e, const pgopt_reduction_nest *nest,
                   const pgopt_vectors *v, int loop,
                   const pgopt_operand_places *at, MlirValue mask,
                   MlirValue value) {
  pgopt_fused_place place = {.views = nest->views, .mask = mask};
  for (size_t k = 0; k < nest->loops->operand_count; ++k) {
    place.at[k] = at->at[k];
    place.is_splat[k] = v->lanes > 1 && !loop_of(nest, loop)->strides[k];
  }
  value = pgopt_combine_emit(e, &nest->combine,
                             pgopt_fusion_emit_start(e, v, nest->fusion, &place,
                                                     (size_t)nest->destination),
                             value);
  value = pgopt_fusion_emit(e, v, nest->fusion, value, &place);
  pgopt_vector_store(e, v, nest->views[nest->destination],
                     place.at[nest->destination], mask, value);
}

/// Combines sums that were reduced side by side: `count` of every `step`.
static void join(pgopt_emitter e, const pgopt_reduction_nest *nest,
                 MlirValue *sums, int64_t count, int64_t step) {
  for (int64_t half = count / 2; half; half /= 2)
    for (int64_t i = 0; i < half * step; ++i)
      sums[i] =
          pgopt_combine_emit(e, &nest->combine, sums[i], sums[i + half * step]);
}

int64_t pgopt_reduction_side_by_side(int64_t limit, int64_t count) {
  int64_t result = 1;
  while (2 * result <= limit && 2 * result <= count)
    result *= 2;
  return result;
}

/// The vectors of a row, into `width` sums.
static void reduce_row(pgopt_emitter e, const pgopt_reduction_nest *nest,
                       const pgopt_operand_places *at, int64_t width,
                       MlirValue *sums) {
  int64_t lanes = nest->vectors.lanes, step = lanes * width;
  int64_t extent = loop_of(nest, nest->across)->extent;
  int64_t main = extent / step * step, whole = extent / lanes * lanes;
  if (whole <= WRITTEN_OUT * lanes)
    main = 0;
  if (main) {
    pgopt_loop loop =
        pgopt_loop_open(e, pgopt_position_at(0), pgopt_position_at(main), step,
                        (size_t)width, sums);
    for (int64_t i = 0; i < width; ++i) {
      pgopt_operand_places here =
          move(loop.body, nest, nest->across,
               pgopt_position_offset(loop.variable, i * lanes), *at);
      sums[i] = reduce(loop.body, nest, &here, (MlirValue){NULL}, sums[i]);
    }
    pgopt_loop_close(&loop, sums);
  }
  for (int64_t i = main; i < extent; i += lanes) {
    MlirValue *sum = &sums[(i - main) / lanes % width];
    MlirValue mask = {NULL};
    if (i >= whole)
      mask = pgopt_vector_mask(e, &nest->vectors,
                               pgopt_position_at(extent - whole));
    pgopt_operand_places here =
        move(e, nest, nest->across, pgopt_position_at(i), *at);
    *sum = reduce(e, nest, &here, mask, *sum);
  }
}

/// The reduced loops from `level` on but the vectors' own, around rows.
static void reduce_rows(pgopt_emitter e, const pgopt_reduction_nest *nest,
                        size_t level, const pgopt_operand_places *at,
                        int64_t width, MlirValue *sums) {
  for (; level < nest->loops->loop_count; ++level) {
    const pgopt_product_loop *l = loop_of(nest, (int)level);
    if (!l->is_reduction || l->extent == 1 || (int)level == nest->across)
      continue;
    pgopt_loop loop =
        pgopt_loop_open(e, pgopt_position_at(0), pgopt_position_at(l->extent),
                        1, (size_t)width, sums);
    pgopt_operand_places here =
        move(loop.body, nest, (int)level, loop.variable, *at);
    reduce_rows(loop.body, nest, level + 1, &here, width, sums);
    pgopt_loop_close(&loop, sums);
    return;
  }
  reduce_row(e, nest, at, width, sums);
}

/// One vector of what a result is reduced from.
static MlirValue emit_row(pgopt_emitter e, const pgopt_reduction_nest *nest,
                          const pgopt_operand_places *at) {
  MlirValue sums[PGOPT_REDUCTION_MAX_BLOCK] = {{NULL}};
  int64_t width = nest->block;
  for (int64_t i = 0; i < width; ++i)
    sums[i] = identity(e, nest);
  reduce_rows(e, nest, 0, at, width, sums);
  join(e, nest, sums, width, 1);
  return sums[0];
}

/// A single result: its vector's lanes are combined.
static void emit_result(pgopt_emitter e, const pgopt_reduction_nest *nest,
                        const pgopt_operand_places *at) {
  const pgopt_vectors *v = &nest->vectors;
  pgopt_vectors single = pgopt_vectors_of(v->element, 1, v->has_fma);
  MlirValue sum = emit_row(e, nest, at);
  for (int64_t distance = v->lanes / 2; distance; distance /= 2)
    sum = pgopt_combine_emit(
        e, &nest->combine, sum,
        pgopt_vector_exchange(e, v, sum, sum, distance, true));
  finish(e, nest, &single, nest->across, at, (MlirValue){NULL},
         pgopt_vector_first(e, v, sum));
}

/// As many results as a vector has lanes.
static void emit_batch(pgopt_emitter e, const pgopt_reduction_nest *nest,
                       const pgopt_operand_places *at) {
  const pgopt_vectors *v = &nest->vectors;
  MlirValue rows[MAX_LANES] = {{NULL}};
  for (int64_t r = 0; r < v->lanes; ++r) {
    pgopt_operand_places here =
        move(e, nest, nest->batch, pgopt_position_at(r), *at);
    rows[r] = emit_row(e, nest, &here);
  }
  for (int64_t distance = v->lanes / 2; distance; distance /= 2)
    for (int64_t r = 0; r < distance; ++r)
      rows[r] = pgopt_combine_emit(
          e, &nest->combine,
          pgopt_vector_exchange(e, v, rows[r], rows[r + distance], distance,
                                false),
          pgopt_vector_exchange(e, v, rows[r], rows[r + distance], distance,
                                true));
  finish(e, nest, v, nest->batch, at, (MlirValue){NULL}, rows[0]);
}

/// A block of columns: vectors of results, of which the last may be shorter.
typedef struct block {
  int64_t vectors, turns; ///< turns of the innermost loop, side by side
  MlirValue mask;
} block;

static void reduce_block(pgopt_emitter e, const pgopt_reduction_nest *nest,
                         const block *b, const pgopt_operand_places *at,
                         MlirValue *sums) {
  for (int64_t i = 0; i < b->vectors; ++i) {
    pgopt_operand_places here = move(
        e, nest, nest->across, pgopt_position_at(i * nest->vectors.lanes), *at);
    MlirValue mask = {NULL};
    sums[i] =
        reduce(e, nest, &here, i + 1 == b->vectors ? b->mask : mask, sums[i]);
  }
}

static int innermost_reduction(const pgopt_reduction_nest *nest) {
  int found = -1;
  for (size_t l = 0; l < nest->loops->loop_count; ++l)
    if (loop_of(nest, (int)l)->is_reduction &&
        loop_of(nest, (int)l)->extent != 1)
      found = (int)l;
  return found;
}

/// The reduced loops from `level` on; the innermost one takes several turns at
/// a time.
static void reduce_blocks(pgopt_emitter e, const pgopt_reduction_nest *nest,
                          int level, const block *b,
                          const pgopt_operand_places *at, MlirValue *sums) {
  const pgopt_product_loop *l = loop_of(nest, level);
  bool is_innermost = level == innermost_reduction(nest);
  if (!l->is_reduction || l->extent == 1) {
    reduce_blocks(e, nest, level + 1, b, at, sums);
    return;
  }
  int64_t step = is_innermost ? b->turns : 1;
  int64_t main = l->extent / step * step;
  pgopt_loop loop =
      pgopt_loop_open(e, pgopt_position_at(0), pgopt_position_at(main), step,
                      (size_t)(b->vectors * b->turns), sums);
  for (int64_t t = 0; t < step; ++t) {
    pgopt_operand_places here = move(
        loop.body, nest, level, pgopt_position_offset(loop.variable, t), *at);
    if (is_innermost)
      reduce_block(loop.body, nest, b, &here, sums + t * b->vectors);
    else
      reduce_blocks(loop.body, nest, level + 1, b, &here, sums);
  }
  pgopt_loop_close(&loop, sums);
  for (int64_t t = main; t < l->extent; ++t) {
    pgopt_operand_places here = move(e, nest, level, pgopt_position_at(t), *at);
    reduce_block(e, nest, b, &here, sums + (t - main) * b->vectors);
  }
}

static void emit_block(pgopt_emitter e, const pgopt_reduction_nest *nest,
                       block b, const pgopt_operand_places *at) {
  MlirValue sums[MAX_SUMS] = {{NULL}};
  int64_t depth = loop_of(nest, innermost_reduction(nest))->extent;
  b.turns = pgopt_reduction_side_by_side(b.vectors < 3   ? SIDE_BY_SIDE
                                         : b.vectors < 6 ? 2
                                                         : 1,
                                         depth);
  for (int64_t i = 0; i < b.vectors * b.turns; ++i)
    sums[i] = identity(e, nest);
  reduce_blocks(e, nest, 0, &b, at, sums);
  join(e, nest, sums, b.turns, b.vectors);
  for (int64_t i = 0; i < b.vectors; ++i) {
    pgopt_operand_places here = move(
        e, nest, nest->across, pgopt_position_at(i * nest->vectors.lanes), *at);
    MlirValue mask = {NULL};
    finish(e, nest, &nest->vectors, nest->across, &here,
           i + 1 == b.vectors ? b.mask : mask, sums[i]);
  }
}

/// The results along the vectors' loop, block by block.
static void emit_columns(pgopt_emitter e, const pgopt_reduction_nest *nest,
                         const pgopt_operand_places *at) {
  int64_t lanes = nest->vectors.lanes, step = nest->block * lanes;
  int64_t extent = loop_of(nest, nest->across)->extent;
  int64_t main = extent / step * step;
  if (main) {
    pgopt_loop loop = pgopt_loop_open(e, pgopt_position_at(0),
                                      pgopt_position_at(main), step, 0, NULL);
    pgopt_operand_places here =
        move(loop.body, nest, nest->across, loop.variable, *at);
    emit_block(loop.body, nest, (block){.vectors = nest->block}, &here);
    pgopt_loop_close(&loop, NULL);
  }
  if (main < extent) {
    block last = {.vectors = (extent - main + lanes - 1) / lanes};
    if (extent % lanes)
      last.mask = pgopt_vector_mask(e, &nest->vectors,
                                    pgopt_position_at(extent % lanes));
    pgopt_operand_places here =
        move(e, nest, nest->across, pgopt_position_at(main), *at);
    emit_block(e, nest, last, &here);
  }
}

/// The rows along the batches' loop: whole batches, then one by one.
static void emit_batches(pgopt_emitter e, const pgopt_reduction_nest *nest,
                         const pgopt_operand_places *at) {
  pgopt_position extent = extent_of(nest, nest->batch);
  int64_t lanes = nest->vectors.lanes;
  pgopt_position main = pgopt_position_floor(e, extent, lanes);
  pgopt_loop loop =
      pgopt_loop_open(e, pgopt_position_at(0), main, lanes, 0, NULL);
  pgopt_operand_places here =
      move(loop.body, nest, nest->batch, loop.variable, *at);
  emit_batch(loop.body, nest, &here);
  pgopt_loop_close(&loop, NULL);
  if (pgopt_position_is_constant(extent) && extent.constant == main.constant)
    return;
  pgopt_loop rest = pgopt_loop_open(e, main, extent, 1, 0, NULL);
  here = move(rest.body, nest, nest->batch, rest.variable, *at);
  emit_result(rest.body, nest, &here);
  pgopt_loop_close(&rest, NULL);
}

/// The loops of results from `level` on that are not dealt with otherwise.
static void emit_outer(pgopt_emitter e, const pgopt_reduction_nest *nest,
                       size_t level, const pgopt_operand_places *at) {
  for (; level < nest->loops->loop_count; ++level) {
    const pgopt_product_loop *l = loop_of(nest, (int)level);
    if (l->is_reduction || l->extent == 1 || (int)level == nest->across ||
        (int)level == nest->batch)
      continue;
    pgopt_loop loop = pgopt_loop_open(e, pgopt_position_at(0),
                                      extent_of(nest, (int)level), 1, 0, NULL);
    pgopt_operand_places here =
        move(loop.body, nest, (int)level, loop.variable, *at);
    emit_outer(loop.body, nest, level + 1, &here);
    pgopt_loop_close(&loop, NULL);
    return;
  }
  if (!nest->is_row)
    emit_columns(e, nest, at);
  else if (nest->batch >= 0)
    emit_batches(e, nest, at);
  else
    emit_result(e, nest, at);
}

void pgopt_reduction_emit(pgopt_emitter e, pgopt_reduction_nest *nest) {
  pgopt_operand_places at = {0};
  for (size_t l = 0; l < nest->loops->loop_count; ++l)
    if (nest->loops->loops[l].is_dynamic)
      nest->extents[l] = pgopt_emit_loop_extent(e, nest->generic, l);
  for (size_t k = 0; k < nest->loops->operand_count; ++k) {
    if (mlirValueIsNull(nest->fusion->memrefs[k]))
      continue;
    nest->views[k] = pgopt_emit_flat(e, nest->fusion->memrefs[k], &at.at[k]);
    at.at[k] = pgopt_position_offset(at.at[k], nest->fusion->offsets[k]);
  }
  emit_outer(e, nest, 0, &at);
}
