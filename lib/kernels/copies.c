/// \file Copies of contiguous rows: reading them, the border that a fill around
/// them is left, and the loops.
#include "kernels/copies.h"

#include "codegen/generic.h"
#include "kernels/problem.h"
#include "kernels/row_copy.h"

/// A loop around rows. Around its turns lie elements that are set.
typedef struct level {
  int loop; ///< of the op
  int64_t extent;
  int64_t from, to;      ///< strides
  int64_t before, after; ///< elements of the destination
} level;

typedef struct copies {
  pgopt_generic generic;
  pgopt_product_problem loops;
  int64_t offsets[2];
  size_t count;
  level levels[PGOPT_PRODUCT_MAX_LOOPS];
  level row;          ///< its extent in elements
  MlirOperation fill; ///< null: nothing is set
  MlirValue value;    ///< to this scalar
  pgopt_row_copy code;
} copies;

static bool yields(const pgopt_generic *generic, intptr_t argument) {
  MlirOperation first = mlirBlockGetFirstOperation(generic->body);
  return pgopt_op_is(first, "linalg.yield") &&
         mlirValueEqual(mlirOperationGetOperand(first, 0),
                        mlirBlockGetArgument(generic->body, argument));
}

static bool is_identity(const pgopt_generic_operand *operand, size_t loops) {
  for (size_t d = 0; d < operand->rank; ++d)
    if (pgopt_linear_single_loop(&operand->map.results[d], loops) != (int)d)
      return false;
  return operand->rank == loops;
}

static level level_of(const copies *c, size_t loop) {
  const pgopt_product_loop *l = &c->loops.loops[loop];
  return (level){.loop = (int)loop,
                 .extent = l->is_dynamic ? PGOPT_DYNAMIC : l->extent,
                 .from = l->strides[0],
                 .to = l->strides[1]};
}

/// Rows along the loop whose elements follow one another in both.
static bool find_levels(copies *c) {
  pgopt_problem_merge_loops(&c->loops);
  int row = -1;
  for (size_t l = 0; l < c->loops.loop_count; ++l) {
    const level one = level_of(c, l);
    if (one.from == 1 && one.to == 1 && one.extent > 1)
      row = (int)l;
  }
  for (size_t l = 0; l < c->loops.loop_count; ++l)
    if ((int)l == row)
      c->row = level_of(c, l);
    else if (c->loops.loops[l].extent != 1)
      c->levels[c->count++] = level_of(c, l);
  return row >= 0;
}

/// A fill of the whole buffer that ends at the copy: nothing else in front of
/// the copy touches the buffer.
static bool find_fill(copies *c, MlirOperation box) {
  MlirValue buffer = mlirOperationGetOperand(box, 0);
  MlirOpOperand use = mlirValueGetFirstUse(buffer);
  for (; !mlirOpOperandIsNull(use); use = mlirOpOperandGetNextUse(use)) {
    MlirOperation user = mlirOpOperandGetOwner(use);
    pgopt_generic fill;
    if (mlirOperationEqual(user, box))
      continue;
    if (!mlirBlockEqual(mlirOperationGetBlock(user),
                        mlirOperationGetBlock(c->generic.op)))
      return false;
    if (!mlirOperationIsBeforeInBlock(user, c->generic.op))
      continue;
    bool fills = mlirOperationIsNull(c->fill) &&
                 pgopt_read_generic(user, &fill) && fill.operand_count == 2 &&
                 !fill.operands[0].is_memref && yields(&fill, 0) &&
                 mlirValueEqual(fill.operands[1].value, buffer) &&
                 is_identity(&fill.operands[1], fill.loop_count);
    if (fills) {
      c->fill = user;
      c->value = fill.operands[0].value;
    }
    pgopt_generic_free(&fill);
    if (!fills)
      return false;
  }
  return !mlirOperationIsNull(c->fill);
}

/// Reads a copy into a box of a buffer that is filled before: rows are what
/// lies inside of the innermost border.
static bool find_border(copies *c) {
  const pgopt_generic_operand *from = &c->generic.operands[0];
  const pgopt_generic_operand *to = &c->generic.operands[1];
  if (!mlirValueIsAOpResult(to->value) ||
      !is_identity(from, c->generic.loop_count) ||
      !is_identity(to, c->generic.loop_count))
    return false;
  MlirOperation box = mlirOpResultGetOwner(to->value);
  if (!pgopt_op_is(box, "memref.subview") ||
      mlirOperationGetNumOperands(box) != 1)
    return false;
  MlirType buffer = mlirValueGetType(mlirOperationGetOperand(box, 0));
  if (!mlirShapedTypeHasStaticShape(buffer) ||
      !mlirAffineMapIsIdentity(mlirMemRefTypeGetAffineMap(buffer)) ||
      (size_t)mlirShapedTypeGetRank(buffer) != to->rank ||
      !mlirValueEqual(pgopt_root_buffer(to->value),
                      mlirOperationGetOperand(box, 0)) ||
      !find_fill(c, box))
    return false;
  MlirAttribute offsets = pgopt_op_attribute(box, "static_offsets");
  int64_t inner = 1;
  bool is_row = true;
  for (size_t d = to->rank; d-- > 0;) {
    int64_t all = mlirShapedTypeGetDimSize(buffer, (intptr_t)d);
    int64_t low = mlirDenseI64ArrayGetElement(offsets, (intptr_t)d);
    level one = level_of(c, d);
    if (one.to != inner || (is_row && one.extent != 1 && one.from != inner))
      return false;
    one.before = low * inner;
    one.after = (all - low - one.extent) * inner;
    if (is_row)
      c->row = one;
    if (is_row && (one.before || one.after || !d)) {
      c->row.extent = one.extent * inner;
      is_row = false;
      c->count = d;
    } else if (!is_row) {
      c->levels[d] = one;
    }
    inner *= all;
  }
  return true;
}

static bool read_copies(copies *c, const pgopt_target *target) {
  const pgopt_generic *generic = &c->generic;
  if (!pgopt_problem_read(generic, &c->loops, c->offsets) ||
      generic->input_count != 1 || !generic->operands[0].is_memref ||
      !yields(generic, 0) || pgopt_generic_aliases(generic))
    return false;
  for (size_t l = 0; l < c->loops.loop_count; ++l)
    if (c->loops.loops[l].is_reduction)
      return false;
  if (!find_border(c)) {
    c->fill = (MlirOperation){NULL};
    c->count = 0;
    c->row = (level){0};
    if (!find_levels(c))
      return false;
  }
  return c->row.extent * c->loops.element_bytes >= target->vector_bytes / 2;
}

static void emit_set(pgopt_emitter e, const copies *c, const pgopt_vectors *v,
                     pgopt_position at, int64_t count) {
  pgopt_row_copy set = c->code;
  set.from = (MlirValue){NULL};
  set.to_at = at;
  set.extent = count;
  if (count)
    pgopt_row_copy_emit(e, v, &set);
}

/// The levels from `number` on, then the row.
/// \param row begins where what is set in front of it does.
static void emit_level(pgopt_emitter e, const copies *c, const pgopt_vectors *v,
                       size_t number, pgopt_row_copy row) {
  const level *l = number < c->count ? &c->levels[number] : &c->row;
  emit_set(e, c, v, row.to_at, l->before);
  row.to_at = pgopt_position_offset(row.to_at, l->before);
  if (number == c->count) {
    pgopt_row_copy_emit(e, v, &row);
    emit_set(e, c, v, pgopt_position_offset(row.to_at, row.extent), l->after);
    return;
  }
  pgopt_position extent = l->extent == PGOPT_DYNAMIC
                              ? pgopt_position_of(pgopt_emit_loop_extent(
                                    e, &c->generic, (size_t)l->loop))
                              : pgopt_position_at(l->extent);
  pgopt_loop loop =
      pgopt_loop_open(e, pgopt_position_at(0), extent, 1, 0, NULL);
  pgopt_row_copy inner = row;
  inner.from_at = pgopt_position_add(
      loop.body, row.from_at,
      pgopt_position_scale(loop.body, loop.variable, l->from));
  inner.to_at =
      pgopt_position_add(loop.body, row.to_at,
                         pgopt_position_scale(loop.body, loop.variable, l->to));
  emit_level(loop.body, c, v, number + 1, inner);
  pgopt_loop_close(&loop, NULL);
  if (l->after)
    emit_set(e, c, v, pgopt_position_offset(row.to_at, l->extent * l->to),
             l->after);
}

static void emit_copies(copies *c, const pgopt_target *target, int64_t turn) {
  pgopt_emitter e = pgopt_emitter_before(c->generic.op);
  const pgopt_generic_operand *to = &c->generic.operands[1];
  pgopt_vectors v = pgopt_vectors_of(
      to->element, target->vector_bytes / c->loops.element_bytes,
      target->has_fma);
  pgopt_row_copy *row = &c->code;
  row->extent = c->row.extent;
  row->turn = turn ? turn : PGOPT_ROW_COPY_TURN;
  row->from = pgopt_emit_flat(e, c->generic.operands[0].value, &row->from_at);
  row->to = pgopt_emit_flat(e, to->value, &row->to_at);
  row->from_at = pgopt_position_offset(row->from_at, c->offsets[0]);
  row->to_at = pgopt_position_offset(row->to_at, c->offsets[1]);
  if (!mlirOperationIsNull(c->fill)) {
    row->value = pgopt_vector_splat(e, &v, c->value);
    row->to_at = pgopt_position_at(0);
  }
  emit_level(e, c, &v, 0, *row);
}

bool pgopt_is_copy(MlirOperation op, const pgopt_target *target, int64_t turn) {
  copies c = {0};
  bool is_copy =
      pgopt_read_generic(op, &c.generic) && read_copies(&c, target) &&
      (!turn ||
       pgopt_row_copy_takes(turn, c.row.extent * c.loops.element_bytes /
                                      target->vector_bytes));
  pgopt_generic_free(&c.generic);
  return is_copy;
}

bool pgopt_generate_copy(MlirOperation op, const pgopt_target *target,
                         int64_t turn) {
  copies c = {0};
  bool is_copy = pgopt_read_generic(op, &c.generic) && read_copies(&c, target);
  if (is_copy)
    emit_copies(&c, target, turn);
  pgopt_generic_free(&c.generic);
  if (is_copy) {
    if (!mlirOperationIsNull(c.fill))
      mlirOperationDestroy(c.fill);
    mlirOperationDestroy(op);
  }
  return is_copy;
}
