/// \file Every multiply-accumulate as an Einsum in canonical form.
#include "ir/raise_einsum.h"

#include "einsum/canonical.h"
#include "einsum/contraction_path.h"
#include "ir/ir.h"
#include "ir/kept_attributes.h"
#include "ir/read_network.h"
#include "ir/tensor_ops.h"
#include "mlir-c/AffineExpr.h"
#include "mlir-c/Dialect/Linalg.h"

#include <stdlib.h>
#include <string.h>

/// What one new operation is made of. Dimension d of operand i runs over
/// `maps[i].results[d]`, in the old op's loops; `loops` lists those that it
/// has, in their new order.
typedef struct einsum {
  MlirContext context;
  MlirOperation before;
  const pgopt_op *op; ///< the old one
  size_t loop_count;
  const int *loops;
  size_t input_count;
  MlirValue operands[16]; ///< inputs, then the init
  const pgopt_map *maps[16];
} einsum;

enum { MAX_INPUTS = 15, ABSENT = -1 };

static int position(const einsum *e, size_t old) {
  for (size_t l = 0; l < e->loop_count; ++l)
    if (e->loops[l] == (int)old)
      return (int)l;
  return ABSENT;
}

static MlirAttribute map_attribute(const einsum *e, const pgopt_map *map) {
  MlirContext c = e->context;
  MlirAffineExpr *results =
      pgopt_allocate(map->result_count + 1, sizeof *results);
  for (size_t d = 0; d < map->result_count; ++d) {
    const pgopt_linear *form = &map->results[d];
    results[d] = mlirAffineConstantExprGet(c, form->constant);
    for (size_t l = 0; l < e->op->loop_count; ++l) {
      if (!form->coefficients[l])
        continue;
      MlirAffineExpr term = mlirAffineMulExprGet(
          mlirAffineDimExprGet(c, position(e, l)),
          mlirAffineConstantExprGet(c, form->coefficients[l]));
      results[d] = mlirAffineAddExprGet(results[d], term);
    }
  }
  MlirAttribute attribute = mlirAffineMapAttrGet(mlirAffineMapGet(
      c, (intptr_t)e->loop_count, 0, (intptr_t)map->result_count, results));
  free(results);
  return attribute;
}

static bool map_mentions(const pgopt_map *map, size_t loop) {
  for (size_t d = 0; d < map->result_count; ++d)
    if (map->results[d].coefficients[loop])
      return true;
  return false;
}

static MlirOperation build(const einsum *e, bool contract) {
  MlirContext c = e->context;
  MlirAttribute maps[16];
  for (size_t i = 0; i <= e->input_count; ++i)
    maps[i] = map_attribute(e, e->maps[i]);
  MlirAttribute *iterators =
      pgopt_allocate(e->loop_count + 1, sizeof *iterators);
  for (size_t l = 0; l < e->loop_count; ++l)
    iterators[l] = pgopt_iterator_attribute(
        c, !map_mentions(e->maps[e->input_count], (size_t)e->loops[l]));
  MlirType type = mlirValueGetType(e->operands[e->input_count]);
  int32_t segments[] = {(int32_t)e->input_count, 1};
  MlirNamedAttribute attributes[] = {
      pgopt_named(c, "indexing_maps",
                  mlirArrayAttrGet(c, (intptr_t)e->input_count + 1, maps)),
      pgopt_named(c, "operandSegmentSizes",
                  mlirDenseI32ArrayGet(c, 2, segments)),
      pgopt_named(c, "iterator_types",
                  mlirArrayAttrGet(c, (intptr_t)e->loop_count, iterators)),
  };
  pgopt_op_spec spec = {.name = contract ? "linalg.contract" : "linalg.generic",
                        .location = mlirOperationGetLocation(e->before),
                        .operand_count = e->input_count + 1,
                        .operands = e->operands,
                        .result_count = 1,
                        .results = &type,
                        .attribute_count = contract ? 2 : 3,
                        .attributes = attributes,
                        .region_count = 1};
  MlirOperation op = pgopt_build_before(e->before, &spec);
  if (contract)
    mlirLinalgFillBuiltinNamedOpRegion(op);
  free(iterators);
  return op;
}

/// The old op's body in a generic whose inputs may stand in another order.
static void move_body(MlirOperation from, MlirOperation to, const int *inputs,
                      size_t count) {
  MlirOperation clone = mlirOperationClone(from);
  MlirRegion region = mlirOperationGetRegion(to, 0);
  mlirRegionTakeBody(region, mlirOperationGetRegion(clone, 0));
  mlirOperationDestroy(clone);
  MlirBlock body = mlirRegionGetFirstBlock(region);
  /* New arguments in the new order behind the old ones, which then go. */
  intptr_t old = mlirBlockGetNumArguments(body);
  for (size_t i = 0; i <= count; ++i) {
    MlirValue argument =
        mlirBlockGetArgument(body, i < count ? inputs[i] : (intptr_t)count);
    MlirValue copy = mlirBlockAddArgument(body, mlirValueGetType(argument),
                                          mlirOperationGetLocation(to));
    mlirValueReplaceAllUsesOfWith(argument, copy);
  }
  for (intptr_t i = old; i-- > 0;)
    mlirBlockEraseArgument(body, (unsigned)i);
}

static bool body_is(const pgopt_op *op, const char *product, const char *sum) {
  return op->body_count == 2 && !strcmp(op->body[0].name, product) &&
         !strcmp(op->body[1].name, sum);
}

/// A product and a sum of one type, without casts.
static bool is_plain(const pgopt_network *n, const pgopt_op *op) {
  const pgopt_type *result = &n->values[op->results[0]].type;
  for (size_t i = 0; i < op->operand_count; ++i) {
    const pgopt_type *type = &n->values[op->operands[i]].type;
    if (!type->is_shaped || type->element != result->element ||
        type->element_bits != result->element_bits)
      return false;
  }
  return result->element_bits > 1 && (body_is(op, "arith.mulf", "arith.addf") ||
                                      body_is(op, "arith.muli", "arith.addi"));
}

/// Every dimension one loop, none twice in an operand.
static bool maps_are_projections(const pgopt_op *op) {
  for (size_t i = 0; i < op->operand_count; ++i)
    for (size_t d = 0; d < op->maps[i].result_count; ++d) {
      int loop =
          pgopt_linear_single_loop(&op->maps[i].results[d], op->loop_count);
      for (size_t k = 0; k < d; ++k)
        if (loop < 0 || op->maps[i].results[k].coefficients[loop])
          return false;
      if (loop < 0)
        return false;
    }
  return true;
}

typedef struct raising {
  const pgopt_ir_network *ir;
  pgopt_raised *raised;
  int64_t max_elements;
} raising;

static void replace(MlirOperation old, MlirOperation new) {
  pgopt_keep_attributes(old, new, PGOPT_SAME_COMPUTATION);
  mlirValueReplaceAllUsesOfWith(pgopt_result(old), pgopt_result(new));
  mlirOperationDestroy(old);
}

static void raise_one(raising *r, size_t number) {
  const pgopt_op *op = &r->ir->network.ops[number];
  MlirOperation old = r->ir->ops[number];
  pgopt_canonical form;
  pgopt_canonical_make(op, &form);
  bool contract = form.is_product && is_plain(&r->ir->network, op) &&
                  maps_are_projections(op);
  if (!strcmp(op->name, contract ? "linalg.contract" : "linalg.generic") &&
      pgopt_is_canonical(op, &form)) {
    ++r->raised->canonical;
    pgopt_canonical_free(&form);
    return;
  }
  einsum e = {.context = mlirOperationGetContext(old),
              .before = old,
              .op = op,
              .loop_count = op->loop_count,
              .loops = form.loops,
              .input_count = op->input_count};
  for (size_t i = 0; i < op->input_count; ++i) {
    e.operands[i] = mlirOperationGetOperand(old, form.inputs[i]);
    e.maps[i] = &op->maps[form.inputs[i]];
  }
  e.operands[op->input_count] =
      mlirOperationGetOperand(old, (intptr_t)op->input_count);
  e.maps[op->input_count] = &op->maps[op->input_count];
  MlirOperation new = build(&e, contract);
  if (!contract)
    move_body(old, new, form.inputs, op->input_count);
  ++*(contract ? &r->raised->contracts : &r->raised->generics);
  replace(old, new);
  pgopt_canonical_free(&form);
}

static MlirAttribute zero_of(MlirType type) {
  return mlirTypeIsAFloat(type)
             ? mlirFloatAttrDoubleGet(mlirTypeGetContext(type), type, 0)
             : mlirIntegerAttrGet(type, 0);
}

/// A tensor of zeros: the init of a step.
static MlirValue build_zeros(MlirOperation before, MlirType type) {
  MlirContext c = mlirOperationGetContext(before);
  MlirLocation location = mlirOperationGetLocation(before);
  MlirType element = mlirShapedTypeGetElementType(type);
  MlirNamedAttribute value = pgopt_named(c, "value", zero_of(element));
  pgopt_op_spec constant = {.name = "arith.constant",
                            .location = location,
                            .result_count = 1,
                            .results = &element,
                            .attribute_count = 1,
                            .attributes = &value};
  pgopt_op_spec empty = {.name = "tensor.empty",
                         .location = location,
                         .result_count = 1,
                         .results = &type};
  MlirValue operands[] = {pgopt_result(pgopt_build_before(before, &constant)),
                          pgopt_result(pgopt_build_before(before, &empty))};
  MlirNamedAttribute segments = pgopt_named(
      c, "operandSegmentSizes", mlirDenseI32ArrayGet(c, 2, (int32_t[]){1, 1}));
  pgopt_op_spec fill = {.name = "linalg.fill",
                        .location = location,
                        .operand_count = 2,
                        .operands = operands,
                        .result_count = 1,
                        .results = &type,
                        .attribute_count = 1,
                        .attributes = &segments,
                        .region_count = 1};
  MlirOperation op = pgopt_build_before(before, &fill);
  mlirLinalgFillBuiltinNamedOpRegion(op);
  return pgopt_result(op);
}

/// The map of an intermediate result: its loops in ascending order.
static pgopt_map mask_map(pgopt_arena *arena, uint64_t mask, size_t loops) {
  size_t count = (size_t)__builtin_popcountll(mask), next = 0;
  pgopt_linear *results = pgopt_arena_allocate(arena, count, sizeof *results);
  for (size_t l = 0; l < loops; ++l) {
    if (!(mask >> l & 1))
      continue;
    int64_t *coefficients =
        pgopt_arena_allocate(arena, loops, sizeof *coefficients);
    coefficients[l] = 1;
    results[next++] =
        (pgopt_linear){.is_linear = true, .coefficients = coefficients};
  }
  return (pgopt_map){results, count};
}

/// Body of a step: a product and a sum.
static void build_body(MlirOperation generic, MlirType element) {
  MlirLocation location = mlirOperationGetLocation(generic);
  MlirType types[] = {element, element, element};
  MlirLocation locations[] = {location, location, location};
  MlirBlock body = mlirBlockCreate(3, types, locations);
  mlirRegionAppendOwnedBlock(mlirOperationGetRegion(generic, 0), body);
  bool is_float = mlirTypeIsAFloat(element);
  MlirValue factors[] = {mlirBlockGetArgument(body, 0),
                         mlirBlockGetArgument(body, 1)};
  pgopt_op_spec spec = {.name = is_float ? "arith.mulf" : "arith.muli",
                        .location = location,
                        .operand_count = 2,
                        .operands = factors,
                        .result_count = 1,
                        .results = &element};
  MlirValue terms[] = {mlirBlockGetArgument(body, 2),
                       pgopt_result(pgopt_build(body, &spec))};
  spec.name = is_float ? "arith.addf" : "arith.addi";
  spec.operands = terms;
  MlirValue sum = pgopt_result(pgopt_build(body, &spec));
  pgopt_op_spec yield = {.name = "linalg.yield",
                         .location = location,
                         .operand_count = 1,
                         .operands = &sum};
  pgopt_build(body, &yield);
}

typedef struct term {
  MlirValue value;
  const pgopt_map *map;
  uint64_t mask;
} term;

static uint64_t map_mask(const pgopt_map *map, size_t loops) {
  uint64_t mask = 0;
  for (size_t l = 0; l < loops; ++l)
    if (map_mentions(map, l))
      mask |= UINT64_C(1) << l;
  return mask;
}

/// One step: two terms become one. Canonical order comes with the next sweep.
static term build_step(const pgopt_op *op, MlirOperation old, const term *left,
                       const term *right, const pgopt_map *map, uint64_t mask,
                       MlirValue init) {
  int loops[PGOPT_PATH_MAX_LOOPS];
  size_t count = 0;
  for (size_t l = 0; l < op->loop_count; ++l)
    if ((left->mask | right->mask | mask) >> l & 1)
      loops[count++] = (int)l;
  einsum e = {.context = mlirOperationGetContext(old),
              .before = old,
              .op = op,
              .loop_count = count,
              .loops = loops,
              .input_count = 2,
              .operands = {left->value, right->value, init},
              .maps = {left->map, right->map, map}};
  MlirOperation step = build(&e, false);
  pgopt_keep_attributes(old, step, PGOPT_PART_OF_IT);
  build_body(step, mlirShapedTypeGetElementType(mlirValueGetType(init)));
  return (term){pgopt_result(step), map, mask};
}

/// Products of several operands that can be taken in steps: a plain product
/// without windows; sums may be taken early.
static bool can_split(const pgopt_network *n, const pgopt_op *op) {
  const pgopt_type *result = &n->values[op->results[0]].type;
  bool is_float = result->element == PGOPT_FLOAT;
  if (op->input_count > MAX_INPUTS || op->loop_count > PGOPT_PATH_MAX_LOOPS)
    return false;
  for (size_t l = 0; l < op->loop_count; ++l)
    if (op->loop_extents[l] < 1)
      return false;
  for (size_t i = 0; i < op->operand_count; ++i) {
    const pgopt_type *type = &n->values[op->operands[i]].type;
    if (!type->is_shaped || type->element != result->element ||
        type->element_bits != result->element_bits ||
        strncmp(type->text, "tensor", 6))
      return false;
    for (size_t d = 0; d < op->maps[i].result_count; ++d)
      if (pgopt_linear_single_loop(&op->maps[i].results[d], op->loop_count) < 0)
        return false;
  }
  for (size_t i = 0; i < op->body_count; ++i)
    if (strcmp(op->body[i].name, is_float ? "arith.mulf" : "arith.muli") &&
        strcmp(op->body[i].name, is_float ? "arith.addf" : "arith.addi"))
      return false;
  return result->element_bits > 1 && result->element != PGOPT_OTHER_ELEMENT;
}

static void split(raising *r, size_t number) {
  const pgopt_op *op = &r->ir->network.ops[number];
  MlirOperation old = r->ir->ops[number];
  size_t loops = op->loop_count, inputs = op->input_count;
  pgopt_arena arena = {0};
  term terms[2 * MAX_INPUTS];
  uint64_t masks[MAX_INPUTS] = {0};
  pgopt_path_step steps[MAX_INPUTS];
  for (size_t i = 0; i < inputs; ++i) {
    masks[i] = map_mask(&op->maps[i], loops);
    terms[i] = (term){mlirOperationGetOperand(old, (intptr_t)i), &op->maps[i],
                      masks[i]};
  }
  pgopt_contraction_path(inputs, masks, map_mask(&op->maps[inputs], loops),
                         loops, op->loop_extents, r->max_elements, steps);
  MlirType element = mlirShapedTypeGetElementType(
      mlirValueGetType(mlirOperationGetResult(old, 0)));
  for (size_t s = 0; s + 1 < inputs; ++s) {
    const term *left = &terms[steps[s].left], *right = &terms[steps[s].right];
    bool last = s + 2 == inputs;
    pgopt_map *map = pgopt_arena_allocate(&arena, 1, sizeof *map);
    int64_t extents[PGOPT_PATH_MAX_LOOPS];
    size_t rank = 0;
    for (size_t l = 0; l < loops; ++l)
      if (steps[s].loops >> l & 1)
        extents[rank++] = op->loop_extents[l];
    *map = last ? op->maps[inputs] : mask_map(&arena, steps[s].loops, loops);
    MlirValue init =
        last
            ? mlirOperationGetOperand(old, (intptr_t)inputs)
            : build_zeros(old, mlirRankedTensorTypeGet((intptr_t)rank, extents,
                                                       element,
                                                       mlirAttributeGetNull()));
    terms[inputs + s] =
        build_step(op, old, left, right, map, steps[s].loops, init);
  }
  mlirValueReplaceAllUsesOfWith(pgopt_result(old), terms[2 * inputs - 2].value);
  mlirOperationDestroy(old);
  ++r->raised->splits;
  pgopt_arena_free(&arena);
}

static MlirLogicalResult sweep(MlirOperation function, int64_t max_elements,
                               bool splits, pgopt_raised *raised) {
  pgopt_ir_network ir;
  if (mlirLogicalResultIsFailure(pgopt_read_network(function, &ir)))
    return mlirLogicalResultFailure();
  raising r = {&ir, raised, max_elements};
  for (size_t i = 0; i < ir.network.op_count; ++i) {
    const pgopt_op *op = &ir.network.ops[i];
    if (op->kind != PGOPT_OP_STRUCTURED || !pgopt_op_is_contraction(op) ||
        op->input_count > MAX_INPUTS)
      continue;
    bool several = op->input_count > 2 && can_split(&ir.network, op);
    if (splits && several)
      split(&r, i);
    else if (!splits)
      raise_one(&r, i);
  }
  pgopt_ir_network_free(&ir);
  return mlirLogicalResultSuccess();
}

MlirLogicalResult pgopt_raise_einsum(MlirOperation function,
                                     int64_t max_elements,
                                     pgopt_raised *raised) {
  *raised = (pgopt_raised){0};
  if (mlirLogicalResultIsFailure(sweep(function, max_elements, true, raised)))
    return mlirLogicalResultFailure();
  return sweep(function, max_elements, false, raised);
}
