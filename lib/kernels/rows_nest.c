/// \file Chains of operations along rows: the loop over rows, and passes over
/// each row.
///
/// Short rows go through the passes several at a time: what the ends of one's
/// reductions wait for is hidden behind the others.
///
/// A pass goes over the row once, a vector at a time. Elements that only this
/// pass uses stay in registers, others in a buffer of one row; numbers are
/// vectors of equal lanes. Reductions sum up in several vectors, which are then
/// combined in an order that the row's length alone decides.
#include "kernels/rows.h"

#include <stdlib.h>

enum {
  MAX_OPERANDS = PGOPT_FUSION_MAX_INPUTS + 1,
  SHORT_TURN = 4, ///< vectors a turn of a short pass that reduces
  MAX_SUMS =
      PGOPT_ROWS_MAX_TOGETHER * PGOPT_ROWS_MAX_OPS * (PGOPT_ROWS_MAX_TURN + 1),
};

/// Bodies of so many operations are long enough to hide what an accumulator
/// waits for.
enum { LONG_BODY = 12 };

/// A row on its way through the passes.
typedef struct line {
  pgopt_position at[PGOPT_ROWS_MAX_OPS][MAX_OPERANDS]; ///< of the row
  int64_t buffer; ///< where its part of the buffers of one row begins
  /// Numbers in memory that elements are computed with, loaded once a row.
  MlirValue loaded[PGOPT_ROWS_MAX_OPS][MAX_OPERANDS];
  MlirValue numbers[PGOPT_ROWS_MAX_OPS];  ///< by value
  MlirValue elements[PGOPT_ROWS_MAX_OPS]; ///< by value, of the current vector
  MlirValue sums[PGOPT_ROWS_MAX_OPS][PGOPT_ROWS_MAX_TURN]; ///< by op
  /// Of maxima and minima, by op: NaN that were met, and what is to be looked
  /// through for them together with the next vector.
  MlirValue watches[PGOPT_ROWS_MAX_OPS], unwatched[PGOPT_ROWS_MAX_OPS];
} line;

typedef struct nest {
  pgopt_rows *rows;
  MlirValue views[PGOPT_ROWS_MAX_OPS][MAX_OPERANDS];
  int accumulators; ///< a reduction; vectors a turn
  size_t line_count;
  line lines[PGOPT_ROWS_MAX_TOGETHER];
  line *line; ///< that code is emitted for
} nest;

static MlirValue yielded(const pgopt_generic *g) {
  return mlirOperationGetOperand(mlirBlockGetTerminator(g->body), 0);
}

/// True when the op is the one whose result is stored outside of the kernel.
static bool leaves(const pgopt_rows *rows, size_t k) {
  const pgopt_row_value *value = &rows->values[rows->ops[k].result];
  return !value->is_private && value->last_op == (int)k;
}

static bool is_in_memory(const pgopt_rows *rows, size_t k, size_t operand) {
  return operand < rows->generics[k].input_count
             ? rows->ops[k].operands[operand].is_memory
             : leaves(rows, k);
}

/// Elements of a buffer that a row has: whole vectors.
static int64_t line_elements(const pgopt_rows *rows) {
  int64_t lanes = rows->vectors.lanes;
  return (rows->length + lanes - 1) / lanes * lanes;
}

static void open_views(pgopt_emitter e, nest *n) {
  pgopt_rows *rows = n->rows;
  for (size_t k = 0; k < rows->count; ++k)
    for (size_t i = 0; i < rows->generics[k].operand_count; ++i) {
      if (!is_in_memory(rows, k, i))
        continue;
      pgopt_position *at = &n->line->at[k][i];
      n->views[k][i] =
          pgopt_emit_flat(e, rows->generics[k].operands[i].value, at);
      *at = pgopt_position_offset(*at, rows->ops[k].operands[i].offset);
    }
  for (size_t i = 0; i < rows->value_count; ++i) {
    pgopt_row_value *value = &rows->values[i];
    if (value->is_private && value->is_reread)
      value->buffer =
          pgopt_emit_buffer(e, "memref.alloc", rows->vectors.element,
                            (int64_t)n->line_count * line_elements(rows));
  }
}

/// Moves to the loop's current turn.
static void enter_turn(pgopt_emitter e, nest *n, size_t loop,
                       pgopt_position variable) {
  const pgopt_rows *rows = n->rows;
  for (size_t k = 0; k < rows->count; ++k)
    for (size_t i = 0; i < rows->generics[k].operand_count; ++i)
      if (is_in_memory(rows, k, i))
        n->line->at[k][i] = pgopt_position_add(
            e, n->line->at[k][i],
            pgopt_position_scale(e, variable,
                                 rows->ops[k].operands[i].strides[loop]));
}

/// The inputs of an op as vectors.
static void load_inputs(pgopt_emitter e, const nest *n, size_t k,
                        pgopt_position lane, MlirValue mask,
                        MlirValue *vectors) {
  const pgopt_rows *rows = n->rows;
  for (size_t i = 0; i < rows->generics[k].input_count; ++i) {
    const pgopt_row_operand *operand = &rows->ops[k].operands[i];
    const pgopt_row_value *value =
        operand->value < 0 ? NULL : &rows->values[operand->value];
    if (operand->is_memory && !operand->is_along) {
      vectors[i] = n->line->loaded[k][i];
    } else if (operand->is_memory) {
      vectors[i] = pgopt_vector_load(
          e, &rows->vectors, n->views[k][i],
          pgopt_position_add(e, n->line->at[k][i], lane), mask);
    } else if (!value) {
      continue; // a scalar
    } else if (value->is_number) {
      vectors[i] = n->line->numbers[operand->value];
    } else if (value->pass == rows->ops[k].pass) {
      vectors[i] = n->line->elements[operand->value];
    } else if (value->is_private) {
      vectors[i] =
          pgopt_vector_load(e, &rows->vectors, value->buffer,
                            pgopt_position_offset(lane, n->line->buffer), mask);
    } else {
      size_t from = (size_t)value->last_op;
      size_t out = rows->generics[from].input_count;
      vectors[i] = pgopt_vector_load(
          e, &rows->vectors, n->views[from][out],
          pgopt_position_add(e, n->line->at[from][out], lane), mask);
    }
  }
}

static void load_numbers(pgopt_emitter e, nest *n, size_t k) {
  const pgopt_rows *rows = n->rows;
  for (size_t i = 0; i < rows->generics[k].input_count; ++i) {
    const pgopt_row_operand *operand = &rows->ops[k].operands[i];
    if (operand->is_memory && !operand->is_along)
      n->line->loaded[k][i] = pgopt_vector_load_splat(
          e, &rows->vectors, n->views[k][i], n->line->at[k][i]);
  }
}

/// Keeps the number that op `k` has computed for the row.
static void set_number(pgopt_emitter e, nest *n, size_t k, MlirValue number) {
  const pgopt_rows *rows = n->rows;
  size_t out = rows->generics[k].input_count;
  n->line->numbers[rows->ops[k].result] = number;
  if (leaves(rows, k))
    pgopt_vector_store(
        e, &rows->vectors, n->views[k][out], n->line->at[k][out],
        pgopt_vector_mask(e, &rows->vectors, pgopt_position_at(1)), number);
}

static void emit_numbers(pgopt_emitter e, nest *n, int pass) {
  const pgopt_rows *rows = n->rows;
  for (size_t k = 0; k < rows->count; ++k) {
    if (rows->ops[k].kind != PGOPT_ROW_NUMBER || rows->ops[k].pass != pass)
      continue;
    MlirValue inputs[MAX_OPERANDS] = {{NULL}};
    load_numbers(e, n, k);
    load_inputs(e, n, k, pgopt_position_at(0), (MlirValue){NULL}, inputs);
    set_number(e, n, k,
               pgopt_fused_emit_value(e, &rows->vectors, &rows->ops[k].body,
                                      (MlirValue){NULL}, inputs,
                                      yielded(&rows->generics[k])));
  }
}

static bool is_in_pass(const pgopt_rows *rows, size_t k, int pass) {
  return rows->ops[k].kind != PGOPT_ROW_NUMBER && rows->ops[k].pass == pass;
}

/// What the reduction takes of one vector; lanes that are off leave it as it
/// is.
static MlirValue emit_reduced(pgopt_emitter e, const nest *n, size_t k,
                              const MlirValue *inputs, MlirValue mask) {
  const pgopt_rows *rows = n->rows;
  const pgopt_row_op *op = &rows->ops[k];
  MlirValue reduced =
      pgopt_fused_emit_value(e, &rows->vectors, &op->body, (MlirValue){NULL},
                             inputs, op->combine.reduced);
  if (mlirValueIsNull(mask))
    return reduced;
  return pgopt_emit_select(
      e, mask, reduced,
      pgopt_vector_constant(e, &rows->vectors, op->combine.identity));
}

static MlirValue combine(pgopt_emitter e, const pgopt_combine *how,
                         MlirValue value, MlirValue sum) {
  return how->order ? pgopt_combine_emit_watched(e, how, value, sum)
                    : pgopt_combine_emit(e, how, value, sum);
}

/// Looks for NaN in every second vector, and the one before it.
static void watch(pgopt_emitter e, nest *n, size_t k, MlirValue value) {
  MlirValue *before = &n->line->unwatched[k];
  if (mlirValueIsNull(*before)) {
    *before = value;
    return;
  }
  n->line->watches[k] = pgopt_combine_emit_watch(e, &n->rows->vectors, *before,
                                                 value, n->line->watches[k]);
  *before = (MlirValue){NULL};
}

/// Looks through what is left.
static void watch_rest(pgopt_emitter e, nest *n) {
  for (size_t r = 0; r < n->line_count; ++r) {
    n->line = &n->lines[r];
    for (size_t k = 0; k < n->rows->count; ++k)
      if (!mlirValueIsNull(n->line->unwatched[k]))
        watch(e, n, k, n->line->unwatched[k]);
  }
}

/// Computes the pass on one vector of the row.
static void emit_vector(pgopt_emitter e, nest *n, int pass, pgopt_position lane,
                        MlirValue mask, int accumulator) {
  const pgopt_rows *rows = n->rows;
  for (size_t k = 0; k < rows->count; ++k) {
    if (!is_in_pass(rows, k, pass))
      continue;
    const pgopt_row_op *op = &rows->ops[k];
    MlirValue inputs[MAX_OPERANDS] = {{NULL}};
    load_inputs(e, n, k, lane, mask, inputs);
    if (op->kind == PGOPT_ROW_REDUCTION) {
      MlirValue *sum = &n->line->sums[k][accumulator];
      MlirValue value = emit_reduced(e, n, k, inputs, mask);
      *sum = combine(e, &op->combine, value, *sum);
      if (op->combine.order)
        watch(e, n, k, value);
      continue;
    }
    MlirValue made =
        pgopt_fused_emit_value(e, &rows->vectors, &op->body, (MlirValue){NULL},
                               inputs, yielded(&rows->generics[k]));
    const pgopt_row_value *value = &rows->values[op->result];
    size_t out = rows->generics[k].input_count;
    n->line->elements[op->result] = made;
    if (!value->is_private)
      pgopt_vector_store(e, &rows->vectors, n->views[k][out],
                         pgopt_position_add(e, n->line->at[k][out], lane), mask,
                         made);
    else if (value->is_reread)
      pgopt_vector_store(e, &rows->vectors, value->buffer,
                         pgopt_position_offset(lane, n->line->buffer), mask,
                         made);
  }
}

/// Several, each with an accumulator of its own, where there is little else to
/// wait for.
int pgopt_rows_turn(const pgopt_rows *rows, int pass) {
  if (rows->turn)
    return rows->turn;
  size_t length = 0;
  bool reduces = false;
  for (size_t k = 0; k < rows->count; ++k) {
    if (!is_in_pass(rows, k, pass))
      continue;
    size_t count;
    MlirOperation *ops = pgopt_block_ops(rows->generics[k].body, &count);
    for (size_t i = 0; i < count; ++i)
      length += pgopt_op_in_dialect(ops[i], "math") ? LONG_BODY : 1;
    free(ops);
    reduces |= rows->ops[k].kind == PGOPT_ROW_REDUCTION;
  }
  return reduces && length < LONG_BODY ? SHORT_TURN : 1;
}

/// The lanes of a vector combined, in every lane, and NaN that were met.
static MlirValue combine_lanes(pgopt_emitter e, const pgopt_vectors *v,
                               const pgopt_combine *how, MlirValue vector,
                               MlirValue watched) {
  for (int64_t distance = v->lanes / 2; distance; distance /= 2) {
    vector = combine(e, how, pgopt_vector_flip(e, v, vector, distance), vector);
    if (how->order)
      watched = pgopt_emit_binary(e, "arith.addf", watched,
                                  pgopt_vector_flip(e, v, watched, distance));
  }
  return how->order ? pgopt_emit_binary(e, "arith.addf", vector, watched)
                    : vector;
}

static void finish_reductions(pgopt_emitter e, nest *n, int pass) {
  const pgopt_rows *rows = n->rows;
  for (size_t k = 0; k < rows->count; ++k) {
    const pgopt_row_op *op = &rows->ops[k];
    if (!is_in_pass(rows, k, pass) || op->kind != PGOPT_ROW_REDUCTION)
      continue;
    MlirValue sum = n->line->sums[k][0];
    for (int i = 1; i < n->accumulators; ++i)
      sum = combine(e, &op->combine, n->line->sums[k][i], sum);
    sum = combine_lanes(e, &rows->vectors, &op->combine, sum,
                        n->line->watches[k]);
    set_number(
        e, n, k,
        pgopt_combine_emit(e, &op->combine, n->line->numbers[op->result], sum));
  }
}

static void move_value(MlirValue *value, MlirValue *carried, bool back) {
  if (back)
    *value = *carried;
  else
    *carried = *value;
}

/// Copies the accumulators of the pass out of the nest, or back.
static size_t move_sums(nest *n, int pass, MlirValue *carried, bool back) {
  size_t count = 0;
  for (size_t k = 0; k < n->rows->count; ++k) {
    if (!is_in_pass(n->rows, k, pass) ||
        n->rows->ops[k].kind != PGOPT_ROW_REDUCTION)
      continue;
    for (size_t r = 0; r < n->line_count; ++r) {
      for (int i = 0; i < n->accumulators; ++i)
        move_value(&n->lines[r].sums[k][i], &carried[count++], back);
      if (n->rows->ops[k].combine.order)
        move_value(&n->lines[r].watches[k], &carried[count++], back);
    }
  }
  return count;
}

static void begin_pass(pgopt_emitter e, nest *n, int pass) {
  pgopt_rows *rows = n->rows;
  for (size_t k = 0; k < rows->count; ++k) {
    if (!is_in_pass(rows, k, pass))
      continue;
    load_numbers(e, n, k);
    n->line->watches[k] = pgopt_vector_constant(e, &rows->vectors, 0);
    n->line->unwatched[k] = (MlirValue){NULL};
    for (int i = 0; i < n->accumulators; ++i)
      if (rows->ops[k].kind == PGOPT_ROW_REDUCTION)
        n->line->sums[k][i] = pgopt_vector_constant(
            e, &rows->vectors, rows->ops[k].combine.identity);
  }
}

/// Computes the pass on one vector of all rows that go together.
static void emit_vectors(pgopt_emitter e, nest *n, int pass,
                         pgopt_position lane, MlirValue mask, int accumulator) {
  for (size_t r = 0; r < n->line_count; ++r) {
    n->line = &n->lines[r];
    emit_vector(e, n, pass, lane, mask, accumulator);
  }
}

static void emit_pass(pgopt_emitter e, nest *n, int pass) {
  const pgopt_rows *rows = n->rows;
  MlirValue carried[MAX_SUMS] = {{NULL}};
  const MlirValue all = {NULL};
  n->accumulators = pgopt_rows_turn(rows, pass);
  for (size_t r = 0; r < n->line_count; ++r) {
    n->line = &n->lines[r];
    begin_pass(e, n, pass);
  }
  int64_t lanes = rows->vectors.lanes, whole = rows->length / lanes;
  int64_t turns = whole / n->accumulators, step = lanes * n->accumulators;
  if (turns) {
    size_t count = move_sums(n, pass, carried, false);
    pgopt_loop loop =
        pgopt_loop_open(e, pgopt_position_at(0),
                        pgopt_position_at(turns * step), step, count, carried);
    move_sums(n, pass, carried, true);
    for (int i = 0; i < n->accumulators; ++i)
      emit_vectors(loop.body, n, pass,
                   pgopt_position_offset(loop.variable, i * lanes), all, i);
    watch_rest(loop.body, n);
    move_sums(n, pass, carried, false);
    pgopt_loop_close(&loop, carried);
    move_sums(n, pass, carried, true);
  }
  int64_t left = turns * n->accumulators;
  for (int64_t i = left; i < whole; ++i)
    emit_vectors(e, n, pass, pgopt_position_at(i * lanes), all,
                 (int)(i - left));
  if (rows->length % lanes)
    emit_vectors(e, n, pass, pgopt_position_at(whole * lanes),
                 pgopt_vector_mask(e, &rows->vectors,
                                   pgopt_position_at(rows->length % lanes)),
                 (int)(whole - left));
  watch_rest(e, n);
  for (size_t r = 0; r < n->line_count; ++r) {
    n->line = &n->lines[r];
    finish_reductions(e, n, pass);
  }
}

/// Emits the loop over the rows from `low` to `high`, `count` of them together.
/// \param before the first row of all, in the loops around this one.
static void emit_lines(pgopt_emitter e, nest *n, const line *before,
                       pgopt_position low, pgopt_position high, size_t count) {
  const pgopt_rows *rows = n->rows;
  if (pgopt_position_is_constant(low) && pgopt_position_is_constant(high) &&
      low.constant >= high.constant)
    return;
  pgopt_loop loop = pgopt_loop_open(e, low, high, (int64_t)count, 0, NULL);
  n->line_count = count;
  for (size_t r = 0; r < count; ++r) {
    n->line = &n->lines[r];
    *n->line = *before;
    n->line->buffer = (int64_t)r * line_elements(rows);
    enter_turn(loop.body, n, rows->row_loops - 1,
               pgopt_position_offset(loop.variable, (int64_t)r));
  }
  for (int pass = 0; pass <= rows->passes; ++pass) {
    for (size_t r = 0; r < count; ++r) {
      n->line = &n->lines[r];
      emit_numbers(loop.body, n, pass);
    }
    if (pass < rows->passes)
      emit_pass(loop.body, n, pass);
  }
  pgopt_loop_close(&loop, NULL);
}

/// The extent of a loop over rows.
static pgopt_position extent_of(pgopt_emitter e, const pgopt_rows *rows,
                                size_t loop) {
  size_t k = 0;
  while (k + 1 < rows->count && !leaves(rows, k))
    ++k;
  const pgopt_generic *g = &rows->generics[k];
  return g->extents[loop] == PGOPT_DYNAMIC
             ? pgopt_position_of(pgopt_emit_loop_extent(e, g, loop))
             : pgopt_position_at(g->extents[loop]);
}

void pgopt_rows_emit(pgopt_emitter e, pgopt_rows *rows) {
  nest *n = pgopt_allocate(1, sizeof *n);
  pgopt_loop loops[PGOPT_ROWS_MAX_LOOPS];
  pgopt_position extents[PGOPT_ROWS_MAX_LOOPS];
  size_t last = rows->row_loops - 1;
  n->rows = rows;
  for (size_t l = 0; l <= last; ++l)
    extents[l] = extent_of(e, rows, l);
  int64_t together = rows->together;
  if (pgopt_position_is_constant(extents[last]) &&
      extents[last].constant < together)
    together = 1;
  n->line = n->lines;
  n->line_count = (size_t)together;
  open_views(e, n);
  for (size_t l = 0; l < last; ++l) {
    loops[l] = pgopt_loop_open(e, pgopt_position_at(0), extents[l], 1, 0, NULL);
    e = loops[l].body;
    enter_turn(e, n, l, loops[l].variable);
  }
  const line before = n->lines[0];
  pgopt_position main = pgopt_position_floor(e, extents[last], together);
  emit_lines(e, n, &before, pgopt_position_at(0), main, (size_t)together);
  if (together > 1)
    emit_lines(e, n, &before, main, extents[last], 1);
  for (size_t l = last; l-- > 0;)
    pgopt_loop_close(&loops[l], NULL);
  free(n);
}
