/// \file Chains of operations along rows: which they are, and in how many
/// passes over a row they can be computed.
///
/// Loops correspond by their number: those over the rows come first, then those
/// along a row. An operation belongs to the first pass in which the numbers
/// that it needs are there.
#include "kernels/rows.h"

#include "base/checked_math.h"
#include "kernels/buffers.h"

#include <stdlib.h>

enum {
  MAX_COST = 64,
  TOGETHER_VECTORS = 64,  ///< of a row: longer ones hide what their ends cost
  TOGETHER_REGISTERS = 8, ///< for each row
};

static const pgopt_generic_operand *destination_of(const pgopt_generic *g) {
  return &g->operands[g->operand_count - 1];
}

static int find_value(const pgopt_rows *rows, MlirValue memref) {
  for (size_t i = 0; i < rows->value_count; ++i)
    if (mlirValueEqual(rows->values[i].memref, memref))
      return (int)i;
  return -1;
}

/// True when dimension d is loop d, for all of them.
static bool is_identity(const pgopt_generic *g,
                        const pgopt_generic_operand *operand) {
  for (size_t d = 0; d < operand->rank; ++d)
    if (pgopt_linear_single_loop(&operand->map.results[d], g->loop_count) !=
        (int)d)
      return false;
  return true;
}

/// Reads the strides of an operand in memory; false when it is not contiguous
/// along a row, nor one element of it.
static bool read_memory(const pgopt_rows *rows, const pgopt_generic *g,
                        const pgopt_generic_operand *from,
                        pgopt_row_operand *operand) {
  int64_t strides[PGOPT_ROWS_MAX_LOOPS] = {0}, part;
  if (!from->strides)
    return false;
  operand->is_memory = true;
  for (size_t d = 0; d < from->rank; ++d) {
    const pgopt_linear *sum = &from->map.results[d];
    if (!pgopt_checked_multiply(sum->constant, from->strides[d], &part) ||
        !pgopt_checked_add(operand->offset, part, &operand->offset))
      return false;
    for (size_t l = 0; l < g->loop_count; ++l)
      if (!pgopt_checked_multiply(sum->coefficients[l], from->strides[d],
                                  &part) ||
          !pgopt_checked_add(strides[l], part, &strides[l]))
        return false;
  }
  for (size_t l = 0; l < rows->row_loops; ++l)
    operand->strides[l] = strides[l];
  int64_t next = 1;
  bool is_fixed = true, is_along = true;
  for (size_t l = rows->loops; l-- > rows->row_loops;) {
    int64_t extent = l < g->loop_count ? g->extents[l] : 1;
    if (extent != 1) {
      is_fixed &= !strides[l];
      is_along &= strides[l] == next;
    }
    next *= extent;
  }
  operand->is_along = !is_fixed;
  return is_fixed || is_along;
}

static bool read_operand(const pgopt_rows *rows, const pgopt_generic *g,
                         size_t number, pgopt_row_op *op) {
  const pgopt_generic_operand *from = &g->operands[number];
  pgopt_row_operand *operand = &op->operands[number];
  *operand = (pgopt_row_operand){.value = -1};
  if (!mlirTypeEqual(from->element, rows->vectors.element))
    return false;
  if (!from->is_memref)
    return number < g->input_count;
  operand->value = find_value(rows, from->value);
  if (operand->value >= 0 && number < g->input_count) {
    size_t rank =
        rows->values[operand->value].is_number ? rows->row_loops : rows->loops;
    return from->rank == rank && is_identity(g, from);
  }
  return read_memory(rows, g, from, op->operands + number);
}

/// The op's kind: by its loops, which are the rows' and, but for numbers, those
/// along a row.
static bool read_kind(const pgopt_rows *rows, const pgopt_generic *g,
                      pgopt_row_op *op) {
  size_t reductions = 0;
  for (size_t l = 0; l < g->loop_count; ++l) {
    if (l < rows->row_loops ? g->is_reduction[l]
                            : g->extents[l] == PGOPT_DYNAMIC)
      return false;
    reductions += g->is_reduction[l];
  }
  const pgopt_generic_operand *out = destination_of(g);
  size_t along = rows->loops - rows->row_loops;
  op->kind = reductions                         ? PGOPT_ROW_REDUCTION
             : g->loop_count == rows->row_loops ? PGOPT_ROW_NUMBER
                                                : PGOPT_ROW_ELEMENTS;
  bool is_number = op->kind != PGOPT_ROW_ELEMENTS;
  return g->operand_count == g->input_count + 1 && out->is_memref &&
         (reductions == 0 || reductions == along) &&
         (op->kind == PGOPT_ROW_NUMBER || g->loop_count == rows->loops) &&
         out->rank == (is_number ? rows->row_loops : rows->loops) &&
         is_identity(g, out);
}

/// True when the lengths of the op's rows are those of the others.
static bool has_length(const pgopt_rows *rows, const pgopt_generic *g) {
  int64_t length = 1;
  for (size_t l = rows->row_loops; l < g->loop_count; ++l)
    length *= g->extents[l];
  return g->loop_count == rows->row_loops || length == rows->length;
}

static bool reads_destination(const pgopt_generic *g) {
  MlirValue argument = mlirBlockGetArgument(g->body, (intptr_t)g->input_count);
  return !mlirOpOperandIsNull(mlirValueGetFirstUse(argument));
}

/// Sets the value that the op computes, and the pass in which it does.
static bool place_result(pgopt_rows *rows, const pgopt_generic *g,
                         pgopt_row_op *op) {
  bool reduces = op->kind == PGOPT_ROW_REDUCTION;
  op->result = find_value(rows, destination_of(g)->value);
  op->pass = 0;
  for (size_t i = 0; i < g->input_count; ++i) {
    int value = op->operands[i].value;
    if (value < 0)
      continue;
    if (rows->values[value].pass > op->pass)
      op->pass = rows->values[value].pass;
    rows->values[value].is_read = true;
  }
  // A reduction goes on from a number that is there, anything else begins.
  if (reduces ? op->result < 0 || !rows->values[op->result].is_number ||
                    rows->values[op->result].pass > 0 ||
                    rows->values[op->result].is_read
              : op->result >= 0)
    return false;
  if (op->result < 0) {
    op->result = (int)rows->value_count++;
    rows->values[op->result] =
        (pgopt_row_value){.memref = destination_of(g)->value,
                          .is_number = op->kind == PGOPT_ROW_NUMBER};
  }
  pgopt_row_value *value = &rows->values[op->result];
  value->pass = reduces ? op->pass + 1 : op->pass;
  value->last_op = (int)rows->count;
  if (op->pass + reduces > rows->passes)
    rows->passes = op->pass + reduces;
  if (op->kind == PGOPT_ROW_ELEMENTS && op->pass + 1 > rows->passes)
    rows->passes = op->pass + 1;
  for (size_t i = 0; i < g->input_count; ++i) {
    int from = op->operands[i].value;
    if (from >= 0 && !rows->values[from].is_number &&
        rows->values[from].pass < op->pass)
      rows->values[from].is_reread = true;
  }
  return true;
}

static bool read_op(pgopt_rows *rows, const pgopt_generic *g) {
  pgopt_row_op *op = &rows->ops[rows->count];
  if (!read_kind(rows, g, op) || !has_length(rows, g) ||
      !pgopt_fused_read_body(g, MAX_COST, &op->body))
    return false;
  for (size_t i = 0; i < g->operand_count; ++i)
    if (!read_operand(rows, g, i, op))
      return false;
  bool reduces = op->kind == PGOPT_ROW_REDUCTION;
  if (reduces ? !pgopt_combine_read(g, &op->combine) : reads_destination(g))
    return false;
  return place_result(rows, g, op);
}

/// Finds the loops of the rows: those of the first reduction.
static bool find_space(pgopt_rows *rows, size_t count) {
  for (size_t i = 0; i < count; ++i) {
    const pgopt_generic *g = &rows->generics[i];
    size_t along = 0;
    for (size_t l = 0; l < g->loop_count; ++l)
      along += g->is_reduction[l];
    if (!along)
      continue;
    rows->loops = g->loop_count;
    rows->row_loops = g->loop_count - along;
    rows->length = 1;
    for (size_t l = rows->row_loops; l < rows->loops; ++l)
      if (g->extents[l] == PGOPT_DYNAMIC ||
          !pgopt_checked_multiply(rows->length, g->extents[l], &rows->length))
        return false;
    return rows->row_loops && rows->loops <= PGOPT_ROWS_MAX_LOOPS &&
           rows->length > 0;
  }
  return false;
}

/// True when the values that leave the kernel do not overlap what it reads.
static bool find_private(pgopt_rows *rows, const MlirOperation *ops) {
  for (size_t i = 0; i < rows->value_count; ++i) {
    pgopt_row_value *value = &rows->values[i];
    MlirValue buffer = pgopt_root_buffer(value->memref);
    value->is_private =
        pgopt_buffer_is_private(value->memref, ops, rows->count);
    for (size_t k = 0; k < i; ++k)
      if (mlirValueEqual(pgopt_root_buffer(rows->values[k].memref), buffer))
        return false;
    for (size_t k = 0; k < rows->count; ++k)
      for (size_t n = 0; n < rows->generics[k].input_count; ++n) {
        const pgopt_generic_operand *input = &rows->generics[k].operands[n];
        if (input->is_memref && rows->ops[k].operands[n].value < 0 &&
            mlirValueEqual(pgopt_root_buffer(input->value), buffer))
          return false;
      }
  }
  return true;
}

/// The kernel's operations, when all are generics in one block.
static MlirOperation *collect(MlirOperation kernel, size_t *count) {
  size_t all;
  MlirOperation *ops = pgopt_block_ops(pgopt_function_body(kernel), &all);
  *count = 0;
  for (size_t i = 0; i < all; ++i)
    if (pgopt_op_is(ops[i], "linalg.generic")) {
      ops[(*count)++] = ops[i];
    } else if (!pgopt_touches_no_element(ops[i]) &&
               !pgopt_op_is(ops[i], "func.return")) {
      *count = 0;
      break;
    }
  return ops;
}

/// Reads all operations; false when one of them is of another kind, or there is
/// nothing to gain: one reduction alone.
static bool read_rows(pgopt_rows *rows, const MlirOperation *ops, size_t count,
                      const pgopt_target *target) {
  size_t computing = 0;
  bool good = count <= PGOPT_ROWS_MAX_OPS;
  for (size_t i = 0; i < count && good; ++i)
    good = pgopt_read_generic(ops[i], &rows->generics[i]) &&
           rows->generics[i].operand_count > 0;
  if (!good || !find_space(rows, count))
    return false;
  MlirType element = destination_of(&rows->generics[0])->element;
  if (!mlirTypeIsAF32(element) && !mlirTypeIsAF64(element))
    return false;
  rows->vectors = pgopt_vectors_of(
      element, target->vector_bytes / pgopt_element_storage(element),
      target->has_fma);
  if (rows->length <= TOGETHER_VECTORS * rows->vectors.lanes)
    rows->together = (int)(target->vector_registers / TOGETHER_REGISTERS);
  if (rows->together > PGOPT_ROWS_MAX_TOGETHER)
    rows->together = PGOPT_ROWS_MAX_TOGETHER;
  if (rows->together < 1)
    rows->together = 1;
  for (; rows->count < count; ++rows->count) {
    if (!read_op(rows, &rows->generics[rows->count]))
      return false;
    computing += rows->ops[rows->count].kind == PGOPT_ROW_ELEMENTS;
  }
  return computing > 0 && find_private(rows, ops);
}

static void free_generics(pgopt_rows *rows, size_t count) {
  for (size_t i = 0; i < count && i < PGOPT_ROWS_MAX_OPS; ++i)
    pgopt_generic_free(&rows->generics[i]);
}

/// Takes another number of vectors a turn than the model; false when all passes
/// have this one anyway, or rows have fewer.
static bool set_turn(pgopt_rows *rows, int turn) {
  bool differs = !turn;
  for (int pass = 0; turn && pass < rows->passes; ++pass)
    differs |= pgopt_rows_turn(rows, pass) != turn;
  rows->turn = turn;
  return differs && turn <= PGOPT_ROWS_MAX_TURN &&
         turn * rows->vectors.lanes <= rows->length;
}

bool pgopt_is_rows(MlirOperation kernel, const pgopt_target *target, int turn) {
  size_t count;
  MlirOperation *ops = collect(kernel, &count);
  pgopt_rows *rows = pgopt_allocate(1, sizeof *rows);
  bool is_rows =
      count > 1 && read_rows(rows, ops, count, target) && set_turn(rows, turn);
  free_generics(rows, count);
  free(rows);
  free(ops);
  return is_rows;
}

bool pgopt_generate_rows(MlirOperation kernel, const pgopt_target *target,
                         int turn, size_t *count) {
  MlirOperation *ops = collect(kernel, count);
  pgopt_rows *rows = pgopt_allocate(1, sizeof *rows);
  bool done = *count > 1 && read_rows(rows, ops, *count, target) &&
              set_turn(rows, turn);
  if (done)
    pgopt_rows_emit(pgopt_emitter_before(ops[*count - 1]), rows);
  free_generics(rows, *count);
  for (size_t i = *count; done && i-- > 0;)
    mlirOperationDestroy(ops[i]);
  for (size_t i = 0; done && i < rows->value_count; ++i)
    pgopt_buffer_erase_unused(rows->values[i].memref);
  free(rows);
  free(ops);
  return done;
}
