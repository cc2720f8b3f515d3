/// \file What a product's tile does besides multiplying.
#include "kernels/fuse.h"

#include "base/checked_math.h"
#include "codegen/contraction.h"
#include "kernels/buffers.h"

#include <stdlib.h>
#include <string.h>

enum { MAX_BODY = PGOPT_FUSED_BODY, FUNCTION_COST = 8 };

/// What an operation costs, in parts of MAX_BODY; 0 for one that vectors do not
/// compute. Most are one or two instructions; functions become polynomials.
static size_t cost_of(MlirOperation op) {
  static const char *const functions[] = {"math.exp", "math.log", "math.tanh",
                                          "math.erf", "math.powf"};
  static const char *const names[] = {
      "arith.addf",    "arith.subf",     "arith.mulf",     "arith.divf",
      "arith.negf",    "arith.maximumf", "arith.minimumf", "arith.maxnumf",
      "arith.minnumf", "arith.cmpf",     "arith.select",   "arith.constant",
      "math.absf",     "math.sqrt",      "math.rsqrt",     "math.floor",
      "math.ceil",     "linalg.yield"};
  for (size_t i = 0; i < sizeof names / sizeof *names; ++i)
    if (pgopt_op_is(op, names[i]))
      return 1;
  for (size_t i = 0; i < sizeof functions / sizeof *functions; ++i)
    if (pgopt_op_is(op, functions[i]) &&
        mlirTypeIsAF32(mlirValueGetType(pgopt_result(op))))
      return FUNCTION_COST;
  return 0;
}

static bool is_number(MlirType type) {
  return mlirTypeIsAF32(type) || mlirTypeIsAF64(type) ||
         (mlirTypeIsAInteger(type) && mlirIntegerTypeGetWidth(type) == 1);
}

static bool has_cheap_body(const pgopt_generic *generic, size_t most) {
  size_t count;
  MlirOperation *ops = pgopt_block_ops(generic->body, &count);
  size_t total = 0;
  bool cheap = true;
  for (size_t i = 0; i < count && cheap; ++i) {
    size_t cost = cost_of(ops[i]);
    total += cost;
    cheap = cost && total <= most && !mlirOperationGetNumRegions(ops[i]);
    for (intptr_t k = 0; k < mlirOperationGetNumResults(ops[i]); ++k)
      cheap &= is_number(mlirValueGetType(mlirOperationGetResult(ops[i], k)));
    for (intptr_t k = 0; k < mlirOperationGetNumOperands(ops[i]); ++k)
      cheap &= is_number(mlirValueGetType(mlirOperationGetOperand(ops[i], k)));
  }
  free(ops);
  return cheap;
}

static bool reads_destination(const pgopt_generic *generic) {
  MlirValue argument =
      mlirBlockGetArgument(generic->body, (intptr_t)generic->input_count);
  return !mlirOpOperandIsNull(mlirValueGetFirstUse(argument));
}

static size_t destination_of(const pgopt_generic *generic) {
  return generic->operand_count - 1;
}

/// True for a buffer of C's shape and strides.
static bool is_laid_out_as(const pgopt_generic_operand *a,
                           const pgopt_generic_operand *c) {
  if (!a->is_memref || a->rank != c->rank || !a->strides || !c->strides ||
      !mlirTypeEqual(a->element, c->element))
    return false;
  for (size_t d = 0; d < a->rank; ++d)
    if (a->extents[d] != c->extents[d] ||
        (a->extents[d] != 1 && a->strides[d] != c->strides[d]))
      return false;
  return true;
}

/// For every loop of the op the loop of the product over the same dimension of
/// C; false when the op is not elementwise over all of a buffer like C.
static bool match_loops(const pgopt_generic *op, const pgopt_generic *product,
                        int *loops) {
  const pgopt_generic_operand *c = &product->operands[destination_of(product)];
  const pgopt_generic_operand *out = &op->operands[destination_of(op)];
  if (op->operand_count != op->input_count + 1 || !is_laid_out_as(out, c) ||
      out->rank != op->loop_count || op->loop_count > PGOPT_PRODUCT_MAX_LOOPS)
    return false;
  for (size_t l = 0; l < op->loop_count; ++l)
    loops[l] = -2;
  for (size_t d = 0; d < out->rank; ++d) {
    int loop = pgopt_linear_single_loop(&out->map.results[d], op->loop_count);
    if (loop < 0 || op->is_reduction[loop] || loops[loop] != -2)
      return false;
    // -1: a dimension of extent 1 that the product does not loop over.
    loops[loop] =
        pgopt_linear_single_loop(&c->map.results[d], product->loop_count);
    if (loops[loop] < 0 && op->extents[loop] != 1)
      return false;
  }
  return true;
}

/// True when the op reads the input where it writes.
static bool is_in_place(const pgopt_generic *op, size_t input) {
  const pgopt_generic_operand *in = &op->operands[input];
  const pgopt_generic_operand *out = &op->operands[destination_of(op)];
  for (size_t d = 0; d < out->rank; ++d)
    if (out->extents[d] != 1 &&
        pgopt_linear_single_loop(&in->map.results[d], op->loop_count) !=
            pgopt_linear_single_loop(&out->map.results[d], op->loop_count))
      return false;
  return true;
}

static int find_held(const pgopt_fusion *fusion, MlirValue memref) {
  for (size_t i = 0; i < fusion->held_count; ++i)
    if (mlirValueEqual(fusion->held[i], memref))
      return (int)i;
  return -1;
}

/// True when the memref is another view of a buffer that is held.
static bool overlaps_held(const pgopt_fusion *fusion, MlirValue memref) {
  MlirValue buffer = pgopt_root_buffer(memref);
  for (size_t i = 0; i < fusion->held_count; ++i)
    if (mlirValueEqual(pgopt_root_buffer(fusion->held[i]), buffer))
      return true;
  return false;
}

/// Adds the memref as an operand of the problem; false when vectors cannot
/// load it along the columns, or there is no place for it.
static bool add_operand(const pgopt_generic_operand *operand, const int *loops,
                        size_t loop_count, size_t destination,
                        pgopt_product_problem *problem, pgopt_fusion *fusion) {
  size_t number = problem->operand_count;
  int64_t strides[PGOPT_PRODUCT_MAX_LOOPS] = {0};
  if (number == PGOPT_PRODUCT_MAX_OPERANDS || !operand->strides)
    return false;
  fusion->offsets[number] = 0;
  for (size_t d = 0; d < operand->rank; ++d) {
    const pgopt_linear *sum = &operand->map.results[d];
    int64_t part;
    if (!pgopt_checked_multiply(sum->constant, operand->strides[d], &part) ||
        !pgopt_checked_add(fusion->offsets[number], part,
                           &fusion->offsets[number]))
      return false;
    for (size_t l = 0; l < loop_count; ++l) {
      if (loops[l] < 0)
        continue;
      if (!pgopt_checked_multiply(sum->coefficients[l], operand->strides[d],
                                  &part) ||
          !pgopt_checked_add(strides[loops[l]], part, &strides[loops[l]]))
        return false;
    }
  }
  for (size_t l = 0; l < problem->loop_count; ++l)
    if (problem->loops[l].strides[destination] == 1 &&
        problem->loops[l].extent != 1 && strides[l] != 0 && strides[l] != 1)
      return false;
  for (size_t l = 0; l < problem->loop_count; ++l)
    problem->loops[l].strides[number] = strides[l];
  fusion->memrefs[number] = operand->value;
  ++problem->operand_count;
  return true;
}

/// Reads where the op's inputs come from. False when one of them is a buffer
/// that is held, but not where the op writes, or cannot be loaded.
static bool read_inputs(const pgopt_generic *product, const int *loops,
                        pgopt_product_problem *problem, pgopt_fusion *fusion,
                        pgopt_fused_op *fused) {
  size_t destination = destination_of(product);
  const pgopt_generic_operand *c = &product->operands[destination];
  for (size_t i = 0; i < fused->generic.input_count; ++i) {
    const pgopt_generic_operand *input = &fused->generic.operands[i];
    pgopt_fused_input *from = &fused->inputs[i];
    *from = (pgopt_fused_input){-1, -1, input->value};
    if (!mlirTypeEqual(input->element, c->element))
      return false;
    if (!input->is_memref)
      continue;
    from->held = find_held(fusion, input->value);
    if (from->held >= 0) {
      if (!is_in_place(&fused->generic, i))
        return false;
      continue;
    }
    from->operand = (int)problem->operand_count;
    if (overlaps_held(fusion, input->value) ||
        !add_operand(input, loops, fused->generic.loop_count, destination,
                     problem, fusion))
      return false;
  }
  return true;
}

/// Reads the buffer that the op writes: one that is held already, or another
/// one of which the op reads nothing.
static bool read_result(pgopt_fusion *fusion, pgopt_fused_op *fused) {
  const pgopt_generic *op = &fused->generic;
  MlirValue out = op->operands[destination_of(op)].value;
  fused->result = find_held(fusion, out);
  if (fused->result >= 0)
    return true;
  if (reads_destination(op) || overlaps_held(fusion, out))
    return false;
  for (size_t i = 0; i < op->input_count; ++i)
    if (op->operands[i].is_memref &&
        mlirValueEqual(pgopt_root_buffer(op->operands[i].value),
                       pgopt_root_buffer(out)))
      return false;
  fused->result = (int)fusion->held_count;
  fusion->held[fusion->held_count++] = out;
  return true;
}

/// Reads the op as one that can be fused; nothing changes when it cannot be.
static bool read_fused(MlirOperation op, const pgopt_generic *product,
                       pgopt_product_problem *problem, pgopt_fusion *fusion,
                       pgopt_fused_op *fused) {
  int loops[PGOPT_PRODUCT_MAX_LOOPS];
  size_t operands = problem->operand_count;
  if (pgopt_read_generic(op, &fused->generic) &&
      match_loops(&fused->generic, product, loops) &&
      has_cheap_body(&fused->generic, MAX_BODY) &&
      fused->generic.input_count <= PGOPT_FUSION_MAX_INPUTS &&
      read_inputs(product, loops, problem, fusion, fused) &&
      read_result(fusion, fused))
    return true;
  problem->operand_count = operands;
  pgopt_generic_free(&fused->generic);
  return false;
}

static bool reads_held(const pgopt_fused_op *op) {
  for (size_t i = 0; i < op->generic.input_count; ++i)
    if (op->inputs[i].held >= 0)
      return true;
  return false;
}

/// What C starts with, when an op in front of the product writes all of it.
static void find_start(const pgopt_generic *product, size_t position,
                       MlirOperation *ops, pgopt_product_problem *problem,
                       pgopt_fusion *fusion) {
  fusion->zero_fill = pgopt_find_zero_fill(product);
  if (!mlirOperationIsNull(fusion->zero_fill)) {
    fusion->start_kind = PGOPT_START_ZERO;
    return;
  }
  while (position > 0 && pgopt_touches_no_element(ops[position - 1]))
    --position;
  if (position == 0 ||
      !read_fused(ops[position - 1], product, problem, fusion, &fusion->start))
    return;
  if (fusion->start.result == 0 && !reads_destination(&fusion->start.generic) &&
      !reads_held(&fusion->start)) {
    fusion->start_kind = PGOPT_START_COMPUTED;
    return;
  }
  pgopt_generic_free(&fusion->start.generic);
  fusion->held_count = 1;
}

/// True when the buffer exists for the product, what C starts with and the
/// first `count` operations only.
static bool is_private(const pgopt_fusion *fusion, size_t count,
                       MlirValue memref) {
  MlirOperation ops[PGOPT_FUSION_MAX_OPS + 2] = {fusion->product};
  size_t number = 1;
  if (fusion->start_kind == PGOPT_START_ZERO)
    ops[number++] = fusion->zero_fill;
  if (fusion->start_kind == PGOPT_START_COMPUTED)
    ops[number++] = fusion->start.generic.op;
  for (size_t i = 0; i < count; ++i)
    ops[number++] = fusion->ops[i].generic.op;
  return pgopt_buffer_is_private(memref, ops, number);
}

/// Buffers that C and the first `count` operations write.
static size_t count_held(const pgopt_fusion *fusion, size_t count) {
  size_t held = 1;
  for (size_t i = 0; i < count; ++i)
    if ((size_t)fusion->ops[i].result >= held)
      held = (size_t)fusion->ops[i].result + 1;
  return held;
}

/// True when the first `count` operations leave one buffer; which one is set.
static bool leaves_one(pgopt_fusion *fusion, size_t count) {
  size_t held = count_held(fusion, count), left = 0;
  for (size_t i = 0; i < held; ++i)
    if (!is_private(fusion, count, fusion->held[i])) {
      fusion->stored = (int)i;
      ++left;
    }
  return left == 1 &&
         (fusion->stored == 0 || fusion->start_kind != PGOPT_START_STORED);
}

void pgopt_fusion_find(const pgopt_generic *product,
                       pgopt_product_problem *problem, pgopt_fusion *fusion) {
  *fusion = (pgopt_fusion){
      .product = product->op,
      .held_count = 1,
      .held = {product->operands[destination_of(product)].value}};
  size_t operands[PGOPT_FUSION_MAX_OPS];
  size_t count, position = 0;
  MlirOperation *ops =
      pgopt_block_ops(mlirOperationGetBlock(product->op), &count);
  while (!mlirOperationEqual(ops[position], product->op))
    ++position;
  find_start(product, position, ops, problem, fusion);
  for (size_t i = position + 1;
       i < count && fusion->count < PGOPT_FUSION_MAX_OPS; ++i) {
    if (pgopt_touches_no_element(ops[i]))
      continue;
    operands[fusion->count] = problem->operand_count;
    if (!read_fused(ops[i], product, problem, fusion,
                    &fusion->ops[fusion->count]))
      break;
    ++fusion->count;
  }
  free(ops);
  while (fusion->count && !leaves_one(fusion, fusion->count)) {
    problem->operand_count = operands[--fusion->count];
    pgopt_generic_free(&fusion->ops[fusion->count].generic);
  }
  if (!fusion->count)
    fusion->stored = 0;
  fusion->held_count = count_held(fusion, fusion->count);
  fusion->last =
      fusion->count ? fusion->ops[fusion->count - 1].generic.op : product->op;
}

MlirValue pgopt_fusion_destination(const pgopt_fusion *fusion) {
  return fusion->held[fusion->stored];
}

void pgopt_fusion_free(pgopt_fusion *fusion) {
  if (fusion->start_kind == PGOPT_START_COMPUTED)
    pgopt_generic_free(&fusion->start.generic);
  for (size_t i = 0; i < fusion->count; ++i)
    pgopt_generic_free(&fusion->ops[i].generic);
}

/// Has the extents taken from `to` that were taken from `memref`.
static void move_extents(MlirValue memref, MlirValue to) {
  MlirOpOperand use = mlirValueGetFirstUse(memref);
  while (!mlirOpOperandIsNull(use)) {
    MlirOperation user = mlirOpOperandGetOwner(use);
    use = mlirOpOperandGetNextUse(use);
    if (pgopt_op_is(user, "memref.dim") &&
        (mlirValueIsABlockArgument(to) ||
         mlirOperationIsBeforeInBlock(mlirOpResultGetOwner(to), user)))
      mlirOperationSetOperand(user, 0, to);
  }
}

size_t pgopt_fusion_erase(pgopt_fusion *fusion, MlirOperation *erased) {
  if (fusion->start_kind == PGOPT_START_ZERO)
    mlirOperationDestroy(fusion->zero_fill);
  if (fusion->start_kind == PGOPT_START_COMPUTED)
    mlirOperationDestroy(fusion->start.generic.op);
  for (size_t i = 0; i < fusion->count; ++i) {
    erased[i] = fusion->ops[i].generic.op;
    mlirOperationDestroy(erased[i]);
  }
  mlirOperationDestroy(fusion->product);
  for (size_t i = 0; i < fusion->held_count; ++i)
    if ((int)i != fusion->stored) {
      move_extents(fusion->held[i], pgopt_fusion_destination(fusion));
      pgopt_buffer_erase_unused(fusion->held[i]);
    }
  return fusion->count;
}

/// The scalar operation on vectors.
static MlirValue emit_scalar_op(pgopt_emitter e, const pgopt_vectors *v,
                                MlirOperation op, const MlirValue *operands) {
  MlirType result = mlirValueGetType(pgopt_result(op));
  size_t count = (size_t)mlirOperationGetNumAttributes(op);
  MlirNamedAttribute attributes[8];
  if (count > sizeof attributes / sizeof *attributes)
    count = sizeof attributes / sizeof *attributes;
  for (size_t i = 0; i < count; ++i)
    attributes[i] = mlirOperationGetAttribute(op, (intptr_t)i);
  char *name = pgopt_ref_duplicate(pgopt_op_name(op));
  bool is_constant = pgopt_op_is(op, "arith.constant");
  MlirValue value = pgopt_emit_op(
      e, name, (size_t)mlirOperationGetNumOperands(op), operands,
      is_constant ? result : pgopt_vectors_type(v, result), count, attributes);
  free(name);
  return is_constant ? pgopt_vector_splat(e, v, value) : value;
}

/// A body being emitted.
typedef struct emission {
  const pgopt_vectors *vectors;
  const pgopt_fused_op *op;
  MlirValue destination;
  const MlirValue *operands;
  const MlirValue *held; ///< null: no input is
  size_t count;
  MlirOperation *ops;
  MlirValue *results;
} emission;

/// The vector for a scalar of the body; null for a destination that is not
/// given, and for what is computed from it.
static MlirValue find_vector(pgopt_emitter e, const emission *m,
                             MlirValue scalar) {
  const pgopt_generic *generic = &m->op->generic;
  for (size_t a = 0; a < generic->input_count; ++a)
    if (mlirValueEqual(scalar,
                       mlirBlockGetArgument(generic->body, (intptr_t)a))) {
      const pgopt_fused_input *from = &m->op->inputs[a];
      return from->held >= 0 ? m->held[from->held]
             : from->operand >= 0
                 ? m->operands[from->operand]
                 : pgopt_vector_splat(e, m->vectors, from->scalar);
    }
  if (mlirValueEqual(
          scalar,
          mlirBlockGetArgument(generic->body, (intptr_t)generic->input_count)))
    return m->destination;
  for (size_t i = 0; i < m->count; ++i)
    if (mlirOperationGetNumResults(m->ops[i]) &&
        mlirValueEqual(scalar, pgopt_result(m->ops[i])))
      return m->results[i];
  return pgopt_vector_splat(e, m->vectors, scalar);
}

/// Computes one scalar of the body.
static MlirValue emit_value(pgopt_emitter e, emission m, MlirValue scalar) {
  const pgopt_vectors *v = m.vectors;
  m.ops = pgopt_block_ops(m.op->generic.body, &m.count);
  m.results = pgopt_allocate(m.count, sizeof *m.results);
  for (size_t i = 0; i + 1 < m.count; ++i) {
    MlirValue inputs[4];
    bool complete = true;
    for (intptr_t k = 0; k < mlirOperationGetNumOperands(m.ops[i]) && k < 4;
         ++k) {
      inputs[k] = find_vector(e, &m, mlirOperationGetOperand(m.ops[i], k));
      complete &= !mlirValueIsNull(inputs[k]);
    }
    if (complete)
      m.results[i] = emit_scalar_op(e, v, m.ops[i], inputs);
  }
  MlirValue result = find_vector(e, &m, scalar);
  free(m.results);
  free(m.ops);
  return result;
}

MlirValue pgopt_fused_emit_value(pgopt_emitter e, const pgopt_vectors *v,
                                 const pgopt_fused_op *op,
                                 MlirValue destination,
                                 const MlirValue *operands, MlirValue scalar) {
  emission m = {
      .vectors = v, .op = op, .destination = destination, .operands = operands};
  return emit_value(e, m, scalar);
}

MlirValue pgopt_fused_load(pgopt_emitter e, const pgopt_vectors *v,
                           const pgopt_fused_place *place, size_t operand) {
  MlirValue view = place->views[operand];
  pgopt_position at = place->at[operand];
  return place->is_splat[operand]
             ? pgopt_vector_load_splat(e, v, view, at)
             : pgopt_vector_load(e, v, view, at, place->mask);
}

/// Computes a fused operation on one vector.
/// \param held null for the start, which reads none.
static MlirValue emit_fused(pgopt_emitter e, const pgopt_vectors *v,
                            const pgopt_fused_op *op, const MlirValue *held,
                            const pgopt_fused_place *place) {
  MlirValue operands[PGOPT_PRODUCT_MAX_OPERANDS] = {{NULL}};
  for (size_t i = 0; i < op->generic.input_count; ++i) {
    int operand = op->inputs[i].operand;
    if (operand >= 0)
      operands[operand] = pgopt_fused_load(e, v, place, (size_t)operand);
  }
  MlirOperation yield = mlirBlockGetTerminator(op->generic.body);
  emission m = {.vectors = v, .op = op, .operands = operands, .held = held};
  if (held)
    m.destination = held[op->result];
  return emit_value(e, m, mlirOperationGetOperand(yield, 0));
}

MlirValue pgopt_fusion_emit_start(pgopt_emitter e, const pgopt_vectors *v,
                                  const pgopt_fusion *fusion,
                                  const pgopt_fused_place *place,
                                  size_t destination) {
  switch (fusion->start_kind) {
  case PGOPT_START_ZERO:
    return pgopt_vector_constant(e, v, 0);
  case PGOPT_START_COMPUTED:
    return emit_fused(e, v, &fusion->start, NULL, place);
  default:
    return pgopt_fused_load(e, v, place, destination);
  }
}

MlirValue pgopt_fusion_emit(pgopt_emitter e, const pgopt_vectors *v,
                            const pgopt_fusion *fusion, MlirValue product,
                            const pgopt_fused_place *place) {
  MlirValue held[PGOPT_FUSION_MAX_OPS + 1] = {product};
  for (size_t k = 0; k < fusion->count; ++k)
    held[fusion->ops[k].result] =
        emit_fused(e, v, &fusion->ops[k], held, place);
  return held[fusion->stored];
}

bool pgopt_fused_read_body(const pgopt_generic *generic, size_t most,
                           pgopt_fused_op *op) {
  if (generic->input_count > PGOPT_FUSION_MAX_INPUTS ||
      !has_cheap_body(generic, most))
    return false;
  op->generic = *generic;
  for (size_t i = 0; i < generic->input_count; ++i) {
    const pgopt_generic_operand *input = &generic->operands[i];
    op->inputs[i] =
        (pgopt_fused_input){input->is_memref ? (int)i : -1, -1, input->value};
  }
  return true;
}
