/// \file Chains of operations along rows: the loop over rows, and passes over
/// each row.
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
};

/// Bodies of so many operations are long enough to hide what an accumulator
/// waits for.
enum { LONG_BODY = 12 };

typedef struct nest {
  pgopt_rows *rows;
  MlirValue views[PGOPT_ROWS_MAX_OPS][MAX_OPERANDS];
  pgopt_position at[PGOPT_ROWS_MAX_OPS][MAX_OPERANDS]; ///< of the row
  /// Numbers in memory that elements are computed with, loaded once a row.
  MlirValue loaded[PGOPT_ROWS_MAX_OPS][MAX_OPERANDS];
  MlirValue numbers[PGOPT_ROWS_MAX_OPS];  ///< by value
  MlirValue elements[PGOPT_ROWS_MAX_OPS]; ///< by value, of the current vector
  int accumulators;                       ///< a reduction; vectors a turn
  MlirValue sums[PGOPT_ROWS_MAX_OPS][PGOPT_ROWS_MAX_TURN]; ///< by op
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

static void open_views(pgopt_emitter e, nest *n) {
  pgopt_rows *rows = n->rows;
  for (size_t k = 0; k < rows->count; ++k)
    for (size_t i = 0; i < rows->generics[k].operand_count; ++i) {
      if (!is_in_memory(rows, k, i))
        continue;
      n->views[k][i] =
          pgopt_emit_flat(e, rows->generics[k].operands[i].value, &n->at[k][i]);
      n->at[k][i] =
          pgopt_position_offset(n->at[k][i], rows->ops[k].operands[i].offset);
    }
  for (size_t i = 0; i < rows->value_count; ++i) {
    pgopt_row_value *value = &rows->values[i];
    if (value->is_private && value->is_reread)
      value->buffer = pgopt_emit_buffer(e, "memref.alloc",
                                        rows->vectors.element, rows->length);
  }
}

/// Moves to the loop's current turn.
static void enter_turn(pgopt_emitter e, nest *n, size_t loop,
                       pgopt_position variable) {
  const pgopt_rows *rows = n->rows;
  for (size_t k = 0; k < rows->count; ++k)
    for (size_t i = 0; i < rows->generics[k].operand_count; ++i)
      if (is_in_memory(rows, k, i))
        n->at[k][i] = pgopt_position_add(
            e, n->at[k][i],
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
      vectors[i] = n->loaded[k][i];
    } else if (operand->is_memory) {
      vectors[i] =
          pgopt_vector_load(e, &rows->vectors, n->views[k][i],
                            pgopt_position_add(e, n->at[k][i], lane), mask);
    } else if (!value) {
      continue; // a scalar
    } else if (value->is_number) {
      vectors[i] = n->numbers[operand->value];
    } else if (value->pass == rows->ops[k].pass) {
      vectors[i] = n->elements[operand->value];
    } else if (value->is_private) {
      vectors[i] =
          pgopt_vector_load(e, &rows->vectors, value->buffer, lane, mask);
    } else {
      size_t from = (size_t)value->last_op;
      size_t out = rows->generics[from].input_count;
      vectors[i] = pgopt_vector_load(
          e, &rows->vectors, n->views[from][out],
          pgopt_position_add(e, n->at[from][out], lane), mask);
    }
  }
}

static void load_numbers(pgopt_emitter e, nest *n, size_t k) {
  const pgopt_rows *rows = n->rows;
  for (size_t i = 0; i < rows->generics[k].input_count; ++i) {
    const pgopt_row_operand *operand = &rows->ops[k].operands[i];
    if (operand->is_memory && !operand->is_along)
      n->loaded[k][i] = pgopt_vector_load_splat(e, &rows->vectors,
                                                n->views[k][i], n->at[k][i]);
  }
}

/// Keeps the number that op `k` has computed for the row.
static void set_number(pgopt_emitter e, nest *n, size_t k, MlirValue number) {
  const pgopt_rows *rows = n->rows;
  size_t out = rows->generics[k].input_count;
  n->numbers[rows->ops[k].result] = number;
  if (leaves(rows, k))
    pgopt_vector_store(
        e, &rows->vectors, n->views[k][out], n->at[k][out],
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
      MlirValue *sum = &n->sums[k][accumulator];
      *sum = pgopt_combine_emit(e, &op->combine, *sum,
                                emit_reduced(e, n, k, inputs, mask));
      continue;
    }
    MlirValue made =
        pgopt_fused_emit_value(e, &rows->vectors, &op->body, (MlirValue){NULL},
                               inputs, yielded(&rows->generics[k]));
    const pgopt_row_value *value = &rows->values[op->result];
    size_t out = rows->generics[k].input_count;
    n->elements[op->result] = made;
    if (!value->is_private)
      pgopt_vector_store(e, &rows->vectors, n->views[k][out],
                         pgopt_position_add(e, n->at[k][out], lane), mask,
                         made);
    else if (value->is_reread)
      pgopt_vector_store(e, &rows->vectors, value->buffer, lane, mask, made);
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

/// The lanes of a vector combined, in every lane.
static MlirValue combine_lanes(pgopt_emitter e, const pgopt_vectors *v,
                               const pgopt_combine *combine, MlirValue vector) {
  for (int64_t distance = v->lanes / 2; distance; distance /= 2)
    vector = pgopt_combine_emit(
        e, combine, vector,
        pgopt_vector_shift(e, v, vector, distance, combine->identity));
  int64_t last = v->lanes - 1;
  MlirNamedAttribute position = pgopt_named(
      e.context, "static_position", mlirDenseI64ArrayGet(e.context, 1, &last));
  return pgopt_vector_splat(
      e, v,
      pgopt_emit_op(e, "vector.extract", 1, &vector, v->element, 1, &position));
}

static void finish_reductions(pgopt_emitter e, nest *n, int pass) {
  const pgopt_rows *rows = n->rows;
  for (size_t k = 0; k < rows->count; ++k) {
    const pgopt_row_op *op = &rows->ops[k];
    if (!is_in_pass(rows, k, pass) || op->kind != PGOPT_ROW_REDUCTION)
      continue;
    MlirValue sum = n->sums[k][0];
    for (int i = 1; i < n->accumulators; ++i)
      sum = pgopt_combine_emit(e, &op->combine, sum, n->sums[k][i]);
    sum = combine_lanes(e, &rows->vectors, &op->combine, sum);
    set_number(
        e, n, k,
        pgopt_combine_emit(e, &op->combine, n->numbers[op->result], sum));
  }
}

/// Copies the accumulators of the pass out of the nest, or back.
static size_t move_sums(nest *n, int pass, MlirValue *carried, bool back) {
  size_t count = 0;
  for (size_t k = 0; k < n->rows->count; ++k) {
    if (!is_in_pass(n->rows, k, pass) ||
        n->rows->ops[k].kind != PGOPT_ROW_REDUCTION)
      continue;
    for (int i = 0; i < n->accumulators; ++i, ++count) {
      if (back)
        n->sums[k][i] = carried[count];
      else
        carried[count] = n->sums[k][i];
    }
  }
  return count;
}

static void begin_pass(pgopt_emitter e, nest *n, int pass) {
  pgopt_rows *rows = n->rows;
  n->accumulators = pgopt_rows_turn(rows, pass);
  for (size_t k = 0; k < rows->count; ++k) {
    if (!is_in_pass(rows, k, pass))
      continue;
    load_numbers(e, n, k);
    for (int i = 0; i < n->accumulators; ++i)
      if (rows->ops[k].kind == PGOPT_ROW_REDUCTION)
        n->sums[k][i] = pgopt_vector_constant(e, &rows->vectors,
                                              rows->ops[k].combine.identity);
  }
}

static void emit_pass(pgopt_emitter e, nest *n, int pass) {
  const pgopt_rows *rows = n->rows;
  MlirValue carried[PGOPT_ROWS_MAX_OPS * PGOPT_ROWS_MAX_TURN] = {{NULL}};
  const MlirValue all = {NULL};
  begin_pass(e, n, pass);
  int64_t lanes = rows->vectors.lanes, whole = rows->length / lanes;
  int64_t turns = whole / n->accumulators, step = lanes * n->accumulators;
  if (turns) {
    size_t count = move_sums(n, pass, carried, false);
    pgopt_loop loop =
        pgopt_loop_open(e, pgopt_position_at(0),
                        pgopt_position_at(turns * step), step, count, carried);
    move_sums(n, pass, carried, true);
    for (int i = 0; i < n->accumulators; ++i)
      emit_vector(loop.body, n, pass,
                  pgopt_position_offset(loop.variable, i * lanes), all, i);
    move_sums(n, pass, carried, false);
    pgopt_loop_close(&loop, carried);
    move_sums(n, pass, carried, true);
  }
  int64_t left = turns * n->accumulators;
  for (int64_t i = left; i < whole; ++i)
    emit_vector(e, n, pass, pgopt_position_at(i * lanes), all, (int)(i - left));
  if (rows->length % lanes)
    emit_vector(e, n, pass, pgopt_position_at(whole * lanes),
                pgopt_vector_mask(e, &rows->vectors,
                                  pgopt_position_at(rows->length % lanes)),
                (int)(whole - left));
  finish_reductions(e, n, pass);
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
  n->rows = rows;
  open_views(e, n);
  for (size_t l = 0; l < rows->row_loops; ++l)
    extents[l] = extent_of(e, rows, l);
  for (size_t l = 0; l < rows->row_loops; ++l) {
    loops[l] = pgopt_loop_open(e, pgopt_position_at(0), extents[l], 1, 0, NULL);
    e = loops[l].body;
    enter_turn(e, n, l, loops[l].variable);
  }
  for (int pass = 0; pass <= rows->passes; ++pass) {
    emit_numbers(e, n, pass);
    if (pass < rows->passes)
      emit_pass(e, n, pass);
  }
  for (size_t l = rows->row_loops; l-- > 0;)
    pgopt_loop_close(&loops[l], NULL);
  free(n);
}
