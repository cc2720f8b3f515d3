/// \file Rows taken out of an array at computed places. Upstream computes the
/// place of every element anew, as its store might change what the places are
/// computed from; the destination is a buffer of its own here.
#include "kernels/row_gather.h"

#include "codegen/generic.h"
#include "kernels/problem.h"
#include "kernels/row_copy.h"

#include <stdlib.h>

enum { MAX_LOOPS = 16 };

/// What is read out of one op.
typedef struct gather {
  pgopt_generic generic;
  int across;                 ///< the loop along the rows
  MlirOperation row;          ///< the `memref.load` that is yielded
  int64_t strides[MAX_LOOPS]; ///< of the array it reads
  size_t op_count;            ///< of the body
  MlirOperation *ops;
  MlirValue *results; ///< of `ops`, once they are emitted for a row
  MlirValue arguments[PGOPT_PRODUCT_MAX_OPERANDS];
  MlirValue variables[MAX_LOOPS], extents[MAX_LOOPS];
} gather;

static const pgopt_generic_operand *destination(const gather *g) {
  return &g->generic.operands[g->generic.operand_count - 1];
}

static int64_t loop_stride(const pgopt_generic_operand *operand, int loop) {
  int64_t stride = 0;
  for (size_t d = 0; d < operand->rank; ++d)
    stride += operand->map.results[d].coefficients[loop] * operand->strides[d];
  return stride;
}

/// The number of the loop that the value is the index of, or -1.
static int index_loop(MlirValue value) {
  if (!mlirValueIsAOpResult(value))
    return -1;
  MlirOperation op = mlirOpResultGetOwner(value);
  return pgopt_op_is(op, "linalg.index")
             ? (int)mlirIntegerAttrGetValueInt(pgopt_op_attribute(op, "dim"))
             : -1;
}

/// True when the op may be computed once a row: it depends on no index of the
/// row's loop, and leaves memory alone.
static bool is_of_row(const gather *g, MlirOperation op) {
  for (intptr_t i = 0; i < mlirOperationGetNumOperands(op); ++i)
    if (index_loop(mlirOperationGetOperand(op, i)) == g->across ||
        (mlirValueIsAOpResult(mlirOperationGetOperand(op, i)) &&
         mlirOperationEqual(
             mlirOpResultGetOwner(mlirOperationGetOperand(op, i)), g->row)))
      return false;
  return !mlirOperationGetNumRegions(op) &&
         mlirOperationGetNumResults(op) == 1 &&
         (pgopt_op_in_dialect(op, "arith") || pgopt_op_is(op, "linalg.index") ||
          pgopt_op_is(op, "memref.load"));
}

/// Reads the yielded load: its last index alone moves along the row.
static bool read_row(gather *g) {
  MlirValue yielded =
      mlirOperationGetOperand(mlirBlockGetTerminator(g->generic.body), 0);
  int64_t start;
  if (!mlirValueIsAOpResult(yielded))
    return false;
  g->row = mlirOpResultGetOwner(yielded);
  intptr_t rank = mlirOperationGetNumOperands(g->row) - 1;
  if (!pgopt_op_is(g->row, "memref.load") || rank < 1 || rank > MAX_LOOPS ||
      index_loop(mlirOperationGetOperand(g->row, rank)) != g->across)
    return false;
  for (intptr_t i = 1; i < rank; ++i)
    if (index_loop(mlirOperationGetOperand(g->row, i)) == g->across)
      return false;
  MlirType type = mlirValueGetType(mlirOperationGetOperand(g->row, 0));
  if (mlirLogicalResultIsFailure(
          mlirMemRefTypeGetStridesAndOffset(type, g->strides, &start)) ||
      g->strides[rank - 1] != 1)
    return false;
  for (intptr_t d = 0; d < rank; ++d)
    if (g->strides[d] == mlirShapedTypeGetDynamicStrideOrOffset())
      return false;
  return !mlirValueEqual(pgopt_root_buffer(mlirOperationGetOperand(g->row, 0)),
                         pgopt_root_buffer(destination(g)->value));
}

/// All inputs are numbers of a row, in other buffers than the destination.
static bool inputs_fit(const gather *g) {
  const pgopt_generic *generic = &g->generic;
  for (size_t i = 0; i < generic->operand_count; ++i) {
    const pgopt_generic_operand *operand = &generic->operands[i];
    if (operand->is_memref && !operand->strides)
      return false;
    if (i < generic->input_count && operand->is_memref &&
        loop_stride(operand, g->across))
      return false;
  }
  return !pgopt_generic_aliases(generic) &&
         !pgopt_generic_reads(generic, generic->operand_count - 1);
}

static bool read_gather(gather *g) {
  const pgopt_generic *generic = &g->generic;
  if (generic->operand_count != generic->input_count + 1 ||
      generic->operand_count > PGOPT_PRODUCT_MAX_OPERANDS ||
      generic->loop_count > MAX_LOOPS || !destination(g)->strides ||
      (!mlirTypeIsAF32(destination(g)->element) &&
       !mlirTypeIsAF64(destination(g)->element)))
    return false;
  g->across = -1;
  for (size_t l = 0; l < generic->loop_count; ++l) {
    if (generic->is_reduction[l])
      return false;
    if (generic->extents[l] != 1 && generic->extents[l] != PGOPT_DYNAMIC &&
        loop_stride(destination(g), (int)l) == 1)
      g->across = (int)l;
  }
  if (g->across < 0 || !inputs_fit(g) || !read_row(g))
    return false;
  g->ops = pgopt_block_ops(generic->body, &g->op_count);
  for (size_t i = 0; i + 1 < g->op_count; ++i)
    if (!mlirOperationEqual(g->ops[i], g->row) && !is_of_row(g, g->ops[i]))
      return false;
  return true;
}

/// Index d of an operand in the loops' current turn.
static MlirValue emit_index(pgopt_emitter e, const gather *g,
                            const pgopt_linear *sum) {
  MlirValue index = pgopt_emit_index(e, sum->constant);
  for (size_t l = 0; l < g->generic.loop_count; ++l)
    if ((int)l != g->across)
      index = pgopt_emit_add_scaled(e, index, g->variables[l],
                                    sum->coefficients[l]);
  return index;
}

static void load_arguments(pgopt_emitter e, gather *g) {
  for (size_t i = 0; i < g->generic.input_count; ++i) {
    const pgopt_generic_operand *operand = &g->generic.operands[i];
    MlirValue operands[1 + MAX_LOOPS] = {operand->value};
    g->arguments[i] = operand->value;
    if (!operand->is_memref)
      continue;
    for (size_t d = 0; d < operand->rank; ++d)
      operands[1 + d] = emit_index(e, g, &operand->map.results[d]);
    g->arguments[i] = pgopt_emit_op(e, "memref.load", 1 + operand->rank,
                                    operands, operand->element, 0, NULL);
  }
}

/// What a value of the body is in this row.
static MlirValue find(const gather *g, MlirValue value) {
  for (size_t i = 0; i < g->generic.input_count; ++i)
    if (mlirValueEqual(value,
                       mlirBlockGetArgument(g->generic.body, (intptr_t)i)))
      return g->arguments[i];
  for (size_t i = 0; i < g->op_count; ++i)
    if (mlirOperationGetNumResults(g->ops[i]) &&
        mlirValueEqual(value, pgopt_result(g->ops[i])))
      return g->results[i];
  return value;
}

/// Computes what the body does once a row.
static void emit_body(pgopt_emitter e, gather *g) {
  load_arguments(e, g);
  for (size_t i = 0; i + 1 < g->op_count; ++i) {
    int loop = index_loop(pgopt_result(g->ops[i]));
    if (mlirOperationEqual(g->ops[i], g->row) || loop == g->across)
      continue;
    if (loop >= 0) {
      g->results[i] = g->variables[loop];
      continue;
    }
    MlirOperation copy = mlirOperationClone(g->ops[i]);
    for (intptr_t k = 0; k < mlirOperationGetNumOperands(copy); ++k)
      mlirOperationSetOperand(copy, k,
                              find(g, mlirOperationGetOperand(copy, k)));
    mlirBlockInsertOwnedOperationBefore(mlirOperationGetBlock(e.before),
                                        e.before, copy);
    g->results[i] = pgopt_result(copy);
  }
}

/// The loops from `level` on around rows. \param base of the row in both views.
static void emit_loops(pgopt_emitter e, gather *g, const pgopt_vectors *v,
                       size_t level, pgopt_row_copy r) {
  if (level < g->generic.loop_count) {
    if ((int)level == g->across) {
      emit_loops(e, g, v, level + 1, r);
      return;
    }
    int64_t extent = g->generic.extents[level];
    pgopt_loop loop = pgopt_loop_open(e, pgopt_position_at(0),
                                      extent == PGOPT_DYNAMIC
                                          ? pgopt_position_of(g->extents[level])
                                          : pgopt_position_at(extent),
                                      1, 0, NULL);
    g->variables[level] = pgopt_position_value(loop.body, loop.variable);
    r.to_at = pgopt_position_add(
        loop.body, r.to_at,
        pgopt_position_scale(loop.body, loop.variable,
                             loop_stride(destination(g), (int)level)));
    emit_loops(loop.body, g, v, level + 1, r);
    pgopt_loop_close(&loop, NULL);
    return;
  }
  emit_body(e, g);
  for (intptr_t d = 0; d + 2 < mlirOperationGetNumOperands(g->row); ++d)
    r.from_at = pgopt_position_add(
        e, r.from_at,
        pgopt_position_scale(
            e,
            pgopt_position_of(find(g, mlirOperationGetOperand(g->row, 1 + d))),
            g->strides[d]));
  pgopt_row_copy_emit(e, v, &r);
}

bool pgopt_is_row_gather(MlirOperation op, const pgopt_target *target,
                         int64_t turn) {
  gather g = {0};
  bool is_gather = pgopt_read_generic(op, &g.generic) && read_gather(&g);
  if (is_gather && turn) {
    int64_t lanes =
        target->vector_bytes / pgopt_element_storage(destination(&g)->element);
    is_gather = pgopt_row_copy_takes(turn, g.generic.extents[g.across] / lanes);
  }
  free(g.ops);
  pgopt_generic_free(&g.generic);
  return is_gather;
}

bool pgopt_generate_row_gather(MlirOperation op, const pgopt_target *target,
                               int64_t turn) {
  gather g = {0};
  bool is_gather = pgopt_read_generic(op, &g.generic) && read_gather(&g);
  if (is_gather) {
    const pgopt_generic_operand *to = destination(&g);
    pgopt_emitter e = pgopt_emitter_before(op);
    pgopt_vectors v = pgopt_vectors_of(
        to->element, target->vector_bytes / pgopt_element_storage(to->element),
        target->has_fma);
    pgopt_row_copy r = {.extent = g.generic.extents[g.across],
                        .turn = turn ? turn : PGOPT_ROW_COPY_TURN};
    for (size_t l = 0; l < g.generic.loop_count; ++l)
      if (g.generic.extents[l] == PGOPT_DYNAMIC)
        g.extents[l] = pgopt_emit_loop_extent(e, &g.generic, l);
    g.results = pgopt_allocate(g.op_count, sizeof *g.results);
    r.from = pgopt_emit_flat(e, mlirOperationGetOperand(g.row, 0), &r.from_at);
    r.to = pgopt_emit_flat(e, to->value, &r.to_at);
    for (size_t d = 0; d < to->rank; ++d)
      r.to_at = pgopt_position_offset(r.to_at, to->map.results[d].constant *
                                                   to->strides[d]);
    emit_loops(e, &g, &v, 0, r);
    free(g.results);
    mlirOperationDestroy(op);
  }
  free(g.ops);
  pgopt_generic_free(&g.generic);
  return is_gather;
}
