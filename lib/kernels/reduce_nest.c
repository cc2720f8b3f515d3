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
enum { MAX_SUMS = (SIDE_BY_SIDE + 1) * PGOPT_REDUCTION_MAX_BLOCK };

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

/// Whether maxima or minima are watched for NaN: each two vectors together. The
/// watches are carried behind the sums.
static bool is_watched(const pgopt_reduction_nest *nest) {
  return nest->combine.order != 0;
}

/// Vectors that go into a sum together.
static int64_t pair(const pgopt_reduction_nest *nest) {
  return is_watched(nest) ? 2 : 1;
}

/// What the elements there are reduced as; nothing where the mask, if there is
/// one, is off.
static MlirValue value_at(pgopt_emitter e, const pgopt_reduction_nest *nest,
                          const pgopt_operand_places *at, MlirValue mask) {
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
  return mlirValueIsNull(mask)
             ? value
             : pgopt_emit_select(e, mask, value, identity(e, nest));
}

static MlirValue combine(pgopt_emitter e, const pgopt_reduction_nest *nest,
                         MlirValue value, MlirValue sum) {
  return is_watched(nest)
             ? pgopt_combine_emit_watched(e, &nest->combine, value, sum)
             : pgopt_combine_emit(e, &nest->combine, value, sum);
}

/// Combines one or two vectors with the sum.
static void reduce(pgopt_emitter e, const pgopt_reduction_nest *nest,
                   const MlirValue *values, int64_t count, MlirValue *sum,
                   MlirValue *watch) {
  if (is_watched(nest))
    *watch = pgopt_combine_emit_watch(e, &nest->vectors, values[0],
                                      values[count - 1], *watch);
  for (int64_t i = 0; i < count; ++i)
    *sum = combine(e, nest, values[i], *sum);
}

/// Sums, and watches of them, before anything was reduced.
static void begin_sums(pgopt_emitter e, const pgopt_reduction_nest *nest,
                       int64_t sums, int64_t watches, MlirValue *values) {
  for (int64_t i = 0; i < sums; ++i)
    values[i] = identity(e, nest);
  for (int64_t i = 0; i < watches; ++i)
    values[sums + i] = pgopt_vector_constant(e, &nest->vectors, 0);
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

/// Combines sums that were reduced side by side: `count` of every `step`; then
/// NaN that were met.
static void join(pgopt_emitter e, const pgopt_reduction_nest *nest,
                 MlirValue *sums, int64_t count, int64_t step) {
  for (int64_t half = count / 2; half; half /= 2)
    for (int64_t i = 0; i < half * step; ++i)
      sums[i] = combine(e, nest, sums[i + half * step], sums[i]);
  for (int64_t i = 0; i < step && is_watched(nest); ++i)
    sums[i] =
        pgopt_emit_binary(e, "arith.addf", sums[i], sums[count * step + i]);
}

int64_t pgopt_reduction_side_by_side(int64_t limit, int64_t count) {
  int64_t result = 1;
  while (2 * result <= limit && 2 * result <= count)
    result *= 2;
  return result;
}

/// One or two vectors of a row, from `lane` on, of which the last may be
/// masked.
static void reduce_vectors(pgopt_emitter e, const pgopt_reduction_nest *nest,
                           const pgopt_operand_places *at, pgopt_position lane,
                           int64_t count, MlirValue mask, MlirValue *sum,
                           MlirValue *watch) {
  MlirValue values[2] = {{NULL}};
  for (int64_t i = 0; i < count; ++i) {
    pgopt_operand_places here =
        move(e, nest, nest->across,
             pgopt_position_offset(lane, i * nest->vectors.lanes), *at);
    values[i] =
        value_at(e, nest, &here, i + 1 == count ? mask : (MlirValue){NULL});
  }
  reduce(e, nest, values, count, sum, watch);
}

/// The vectors of a row, into `width` sums.
static void reduce_row(pgopt_emitter e, const pgopt_reduction_nest *nest,
                       const pgopt_operand_places *at, int64_t width,
                       MlirValue *sums) {
  int64_t lanes = nest->vectors.lanes, step = lanes * width * pair(nest);
  int64_t extent = loop_of(nest, nest->across)->extent;
  int64_t main = extent / step * step, whole = extent / lanes * lanes;
  size_t carried = (size_t)width + is_watched(nest);
  if (whole <= WRITTEN_OUT * lanes)
    main = 0;
  if (main) {
    pgopt_loop loop = pgopt_loop_open(
        e, pgopt_position_at(0), pgopt_position_at(main), step, carried, sums);
    for (int64_t i = 0; i < width; ++i)
      reduce_vectors(
          loop.body, nest, at,
          pgopt_position_offset(loop.variable, i * pair(nest) * lanes),
          pair(nest), (MlirValue){NULL}, &sums[i], &sums[width]);
    pgopt_loop_close(&loop, sums);
  }
  int64_t vectors = (extent - main + lanes - 1) / lanes;
  for (int64_t i = 0; i < vectors; i += pair(nest)) {
    int64_t count = vectors - i < pair(nest) ? vectors - i : pair(nest);
    MlirValue mask = {NULL};
    if (i + count == vectors && whole < extent)
      mask = pgopt_vector_mask(e, &nest->vectors,
                               pgopt_position_at(extent - whole));
    reduce_vectors(e, nest, at, pgopt_position_at(main + i * lanes), count,
                   mask, &sums[i / pair(nest) % width], &sums[width]);
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
                        1, (size_t)width + is_watched(nest), sums);
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
  MlirValue sums[PGOPT_REDUCTION_MAX_BLOCK + 1] = {{NULL}};
  int64_t width = nest->block;
  begin_sums(e, nest, width, is_watched(nest), sums);
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

/// One step of the innermost loop, or two.
static void reduce_block(pgopt_emitter e, const pgopt_reduction_nest *nest,
                         const block *b, const pgopt_operand_places *at,
                         int64_t count, MlirValue *sums, MlirValue *watches) {
  for (int64_t i = 0; i < b->vectors; ++i) {
    MlirValue mask = i + 1 == b->vectors ? b->mask : (MlirValue){NULL};
    MlirValue values[2] = {{NULL}};
    for (int64_t k = 0; k < count; ++k) {
      pgopt_operand_places here =
          move(e, nest, nest->across,
               pgopt_position_at(i * nest->vectors.lanes), at[k]);
      values[k] = value_at(e, nest, &here, mask);
    }
    reduce(e, nest, values, count, &sums[i], &watches[i]);
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
  MlirValue *watches = sums + b->vectors * b->turns;
  if (!l->is_reduction || l->extent == 1) {
    reduce_blocks(e, nest, level + 1, b, at, sums);
    return;
  }
  int64_t step = is_innermost ? b->turns * pair(nest) : 1;
  int64_t main = l->extent / step * step;
  pgopt_loop loop = pgopt_loop_open(
      e, pgopt_position_at(0), pgopt_position_at(main), step,
      (size_t)(b->vectors * (b->turns + is_watched(nest))), sums);
  for (int64_t t = 0; t < (is_innermost ? b->turns : 1); ++t) {
    pgopt_operand_places here[2];
    for (int64_t k = 0; k < (is_innermost ? pair(nest) : 1); ++k)
      here[k] =
          move(loop.body, nest, level,
               pgopt_position_offset(loop.variable, t + k * b->turns), *at);
    if (is_innermost)
      reduce_block(loop.body, nest, b, here, pair(nest), sums + t * b->vectors,
                   watches);
    else
      reduce_blocks(loop.body, nest, level + 1, b, here, sums);
  }
  pgopt_loop_close(&loop, sums);
  for (int64_t t = main; t < l->extent; ++t) {
    pgopt_operand_places here = move(e, nest, level, pgopt_position_at(t), *at);
    reduce_block(e, nest, b, &here, 1,
                 sums + (t - main) % b->turns * b->vectors, watches);
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
  begin_sums(e, nest, b.vectors * b.turns, is_watched(nest) ? b.vectors : 0,
             sums);
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
