/// \file Emitting vector code.
#include "kernels/vectors.h"

#include "base/memory.h"

#include <stdlib.h>

enum { MAX_LANES = 64 };

pgopt_position pgopt_position_at(int64_t constant) {
  return (pgopt_position){.constant = constant};
}

pgopt_position pgopt_position_of(MlirValue index) {
  return (pgopt_position){.value = index};
}

bool pgopt_position_is_constant(pgopt_position a) {
  return mlirValueIsNull(a.value);
}

MlirValue pgopt_position_value(pgopt_emitter e, pgopt_position a) {
  if (pgopt_position_is_constant(a))
    return pgopt_emit_index(e, a.constant);
  if (!a.constant)
    return a.value;
  return pgopt_emit_binary(e, "arith.addi", a.value,
                           pgopt_emit_index(e, a.constant));
}

pgopt_position pgopt_position_offset(pgopt_position a, int64_t constant) {
  a.constant += constant;
  return a;
}

pgopt_position pgopt_position_add(pgopt_emitter e, pgopt_position a,
                                  pgopt_position b) {
  pgopt_position sum = {.constant = a.constant + b.constant};
  if (pgopt_position_is_constant(a))
    sum.value = b.value;
  else if (pgopt_position_is_constant(b))
    sum.value = a.value;
  else
    sum.value = pgopt_emit_binary(e, "arith.addi", a.value, b.value);
  return sum;
}

pgopt_position pgopt_position_scale(pgopt_emitter e, pgopt_position a,
                                    int64_t factor) {
  pgopt_position product = {.constant = a.constant * factor};
  if (pgopt_position_is_constant(a) || !factor)
    return product;
  product.value = a.value;
  if (factor != 1)
    product.value = pgopt_emit_binary(e, "arith.muli", a.value,
                                      pgopt_emit_index(e, factor));
  return product;
}

pgopt_position pgopt_position_multiply(pgopt_emitter e, pgopt_position a,
                                       pgopt_position b) {
  if (pgopt_position_is_constant(a))
    return pgopt_position_scale(e, b, a.constant);
  if (pgopt_position_is_constant(b))
    return pgopt_position_scale(e, a, b.constant);
  return pgopt_position_of(pgopt_emit_binary(
      e, "arith.muli", pgopt_position_value(e, a), pgopt_position_value(e, b)));
}

pgopt_position pgopt_position_subtract(pgopt_emitter e, pgopt_position a,
                                       pgopt_position b) {
  if (pgopt_position_is_constant(b))
    return pgopt_position_offset(a, -b.constant);
  MlirValue difference = pgopt_emit_binary(
      e, "arith.subi",
      pgopt_position_value(e, (pgopt_position){.value = a.value}), b.value);
  return (pgopt_position){difference, a.constant - b.constant};
}

pgopt_position pgopt_position_min(pgopt_emitter e, pgopt_position a,
                                  pgopt_position b) {
  if (pgopt_position_is_constant(a) && pgopt_position_is_constant(b))
    return a.constant < b.constant ? a : b;
  return pgopt_position_of(pgopt_emit_binary(e, "arith.minsi",
                                             pgopt_position_value(e, a),
                                             pgopt_position_value(e, b)));
}

pgopt_position pgopt_position_max(pgopt_emitter e, pgopt_position a,
                                  pgopt_position b) {
  if (pgopt_position_is_constant(a) && pgopt_position_is_constant(b))
    return a.constant > b.constant ? a : b;
  return pgopt_position_of(pgopt_emit_binary(e, "arith.maxsi",
                                             pgopt_position_value(e, a),
                                             pgopt_position_value(e, b)));
}

pgopt_position pgopt_position_divide_up(pgopt_emitter e, pgopt_position a,
                                        int64_t divisor) {
  if (divisor == 1)
    return a;
  a = pgopt_position_offset(a, divisor - 1);
  if (pgopt_position_is_constant(a))
    return pgopt_position_at(a.constant / divisor);
  return pgopt_position_of(pgopt_emit_binary(e, "arith.divui",
                                             pgopt_position_value(e, a),
                                             pgopt_emit_index(e, divisor)));
}

pgopt_position pgopt_position_divide(pgopt_emitter e, pgopt_position a,
                                     pgopt_position b) {
  if (pgopt_position_is_constant(b) && b.constant == 1)
    return a;
  if (pgopt_position_is_constant(a) && pgopt_position_is_constant(b))
    return pgopt_position_at(a.constant / b.constant);
  return pgopt_position_of(pgopt_emit_binary(e, "arith.divui",
                                             pgopt_position_value(e, a),
                                             pgopt_position_value(e, b)));
}

pgopt_position pgopt_position_remainder(pgopt_emitter e, pgopt_position a,
                                        pgopt_position b) {
  if (pgopt_position_is_constant(b) && b.constant == 1)
    return pgopt_position_at(0);
  if (pgopt_position_is_constant(a) && pgopt_position_is_constant(b))
    return pgopt_position_at(a.constant % b.constant);
  return pgopt_position_of(pgopt_emit_binary(e, "arith.remui",
                                             pgopt_position_value(e, a),
                                             pgopt_position_value(e, b)));
}

pgopt_position pgopt_position_floor(pgopt_emitter e, pgopt_position a,
                                    int64_t step) {
  if (step == 1)
    return a;
  if (pgopt_position_is_constant(a))
    return pgopt_position_at(a.constant / step * step);
  MlirValue count = pgopt_emit_binary(
      e, "arith.divui", pgopt_position_value(e, a), pgopt_emit_index(e, step));
  return pgopt_position_scale(e, pgopt_position_of(count), step);
}

/// \param predicate as arith.cmpi numbers them.
static MlirValue compare(pgopt_emitter e, pgopt_position a, pgopt_position b,
                         int64_t predicate) {
  MlirValue operands[] = {pgopt_position_value(e, a),
                          pgopt_position_value(e, b)};
  MlirNamedAttribute attribute = pgopt_named(
      e.context, "predicate", pgopt_i64_attribute(e.context, predicate));
  return pgopt_emit_op(e, "arith.cmpi", 2, operands,
                       mlirIntegerTypeGet(e.context, 1), 1, &attribute);
}

MlirValue pgopt_position_is_zero(pgopt_emitter e, pgopt_position a) {
  return compare(e, a, pgopt_position_at(0), 0);
}

MlirValue pgopt_position_is_below(pgopt_emitter e, pgopt_position a,
                                  pgopt_position b) {
  return compare(e, a, b, 2);
}

MlirValue pgopt_emit_select(pgopt_emitter e, MlirValue condition,
                            MlirValue then, MlirValue otherwise) {
  MlirValue operands[] = {condition, then, otherwise};
  return pgopt_emit_op(e, "arith.select", 3, operands, mlirValueGetType(then),
                       0, NULL);
}

/// A terminator that stands in until the values it yields are known.
static MlirOperation place_yield(pgopt_emitter e, MlirBlock block) {
  pgopt_op_spec spec = {.name = "scf.yield", .location = e.location};
  return pgopt_build(block, &spec);
}

/// Puts the real terminator in the place of the one that stands in.
static void yield(pgopt_emitter body, size_t count, const MlirValue *values) {
  pgopt_emit_op(body, "scf.yield", count, values, (MlirType){NULL}, 0, NULL);
  mlirOperationDestroy(body.before);
}

pgopt_loop pgopt_loop_open(pgopt_emitter e, pgopt_position low,
                           pgopt_position high, int64_t step, size_t carried,
                           MlirValue *values) {
  pgopt_loop loop = {
      .outside = e, .body = e, .variable = low, .carried = carried};
  if (pgopt_position_is_constant(low) && pgopt_position_is_constant(high) &&
      low.constant < high.constant && high.constant - low.constant <= step)
    return loop;
  size_t count = 3 + carried;
  MlirValue *operands = pgopt_allocate(count, sizeof *operands);
  MlirType *types = pgopt_allocate(count, sizeof *types);
  MlirLocation *locations = pgopt_allocate(count, sizeof *locations);
  operands[0] = pgopt_position_value(e, low);
  operands[1] = pgopt_position_value(e, high);
  operands[2] = pgopt_emit_index(e, step);
  types[0] = mlirIndexTypeGet(e.context);
  locations[0] = e.location;
  for (size_t i = 0; i < carried; ++i) {
    operands[3 + i] = values[i];
    types[1 + i] = mlirValueGetType(values[i]);
    locations[1 + i] = e.location;
  }
  pgopt_op_spec spec = {.name = "scf.for",
                        .location = e.location,
                        .operand_count = count,
                        .operands = operands,
                        .result_count = carried,
                        .results = types + 1,
                        .region_count = 1};
  loop.op = pgopt_build_before(e.before, &spec);
  MlirBlock body = mlirBlockCreate((intptr_t)(1 + carried), types, locations);
  mlirRegionAppendOwnedBlock(mlirOperationGetRegion(loop.op, 0), body);
  for (size_t i = 0; i < carried; ++i)
    values[i] = mlirBlockGetArgument(body, (intptr_t)(1 + i));
  loop.variable = pgopt_position_of(mlirBlockGetArgument(body, 0));
  loop.body.before = place_yield(e, body);
  loop.is_loop = true;
  free(locations);
  free(types);
  free(operands);
  return loop;
}

void pgopt_loop_close(pgopt_loop *loop, MlirValue *values) {
  if (!loop->is_loop)
    return;
  yield(loop->body, loop->carried, values);
  for (size_t i = 0; i < loop->carried; ++i)
    values[i] = mlirOperationGetResult(loop->op, (intptr_t)i);
}

pgopt_branch pgopt_branch_open(pgopt_emitter e, MlirValue condition,
                               size_t count, MlirType type) {
  MlirType *types = pgopt_allocate(count + 1, sizeof *types);
  for (size_t i = 0; i < count; ++i)
    types[i] = type;
  pgopt_op_spec spec = {.name = "scf.if",
                        .location = e.location,
                        .operand_count = 1,
                        .operands = &condition,
                        .result_count = count,
                        .results = types,
                        .region_count = 2};
  pgopt_branch branch = {.then = e, .otherwise = e};
  branch.op = pgopt_build_before(e.before, &spec);
  free(types);
  pgopt_emitter *sides[] = {&branch.then, &branch.otherwise};
  for (intptr_t i = 0; i < 2; ++i) {
    MlirBlock block = mlirBlockCreate(0, NULL, NULL);
    mlirRegionAppendOwnedBlock(mlirOperationGetRegion(branch.op, i), block);
    sides[i]->before = place_yield(e, block);
  }
  return branch;
}

void pgopt_branch_close(pgopt_branch *branch, size_t count,
                        const MlirValue *then, const MlirValue *otherwise,
                        MlirValue *results) {
  yield(branch->then, count, then);
  yield(branch->otherwise, count, otherwise);
  for (size_t i = 0; i < count; ++i)
    results[i] = mlirOperationGetResult(branch->op, (intptr_t)i);
}

pgopt_vectors pgopt_vectors_of(MlirType element, int64_t lanes, bool has_fma) {
  return (pgopt_vectors){.element = element,
                         .vector = mlirVectorTypeGet(1, &lanes, element),
                         .lanes = lanes,
                         .has_fma = has_fma};
}

MlirType pgopt_vectors_type(const pgopt_vectors *v, MlirType element) {
  return mlirVectorTypeGet(1, &v->lanes, element);
}

/// Elements of the buffer, or more than any has when that is not known.
static int64_t buffer_elements(MlirValue memref) {
  MlirType type = mlirValueGetType(pgopt_root_buffer(memref));
  int64_t bytes;
  if (!mlirTypeIsAMemRef(type) || !mlirShapedTypeHasStaticShape(type) ||
      !pgopt_memref_bytes(type, &bytes))
    return (int64_t)1 << 40;
  return bytes / pgopt_element_storage(mlirShapedTypeGetElementType(type));
}

MlirValue pgopt_emit_flat(pgopt_emitter e, MlirValue memref,
                          pgopt_position *offset) {
  MlirType type = mlirValueGetType(memref);
  MlirOperation metadata = pgopt_emit_metadata(e, memref);
  MlirValue base = pgopt_result(metadata);
  int64_t strides[16], start;
  *offset = pgopt_position_of(mlirOperationGetResult(metadata, 1));
  if (mlirShapedTypeGetRank(type) <= 16 &&
      mlirLogicalResultIsSuccess(
          mlirMemRefTypeGetStridesAndOffset(type, strides, &start)) &&
      start != mlirShapedTypeGetDynamicStrideOrOffset())
    *offset = pgopt_position_at(start);
  int64_t elements = buffer_elements(memref), zero = 0, one = 1;
  int32_t segments[] = {1, 0, 0, 0};
  MlirNamedAttribute attributes[] = {
      pgopt_named(e.context, "static_offsets",
                  mlirDenseI64ArrayGet(e.context, 1, &zero)),
      pgopt_named(e.context, "static_sizes",
                  mlirDenseI64ArrayGet(e.context, 1, &elements)),
      pgopt_named(e.context, "static_strides",
                  mlirDenseI64ArrayGet(e.context, 1, &one)),
      pgopt_named(e.context, "operandSegmentSizes",
                  mlirDenseI32ArrayGet(e.context, 4, segments))};
  MlirType flat = mlirMemRefTypeContiguousGet(
      mlirShapedTypeGetElementType(type), 1, &elements,
      mlirMemRefTypeGetMemorySpace(type));
  return pgopt_emit_op(e, "memref.reinterpret_cast", 1, &base, flat, 4,
                       attributes);
}

MlirValue pgopt_vector_load(pgopt_emitter e, const pgopt_vectors *v,
                            MlirValue flat, pgopt_position at, MlirValue mask) {
  MlirValue operands[] = {flat, pgopt_position_value(e, at)};
  if (mlirValueIsNull(mask))
    return pgopt_emit_op(e, "vector.load", 2, operands, v->vector, 0, NULL);
  return pgopt_vector_load_or(e, v, flat, at, mask,
                              pgopt_vector_constant(e, v, 0));
}

MlirValue pgopt_vector_load_or(pgopt_emitter e, const pgopt_vectors *v,
                               MlirValue flat, pgopt_position at,
                               MlirValue mask, MlirValue otherwise) {
  MlirValue operands[] = {flat, pgopt_position_value(e, at), mask, otherwise};
  return pgopt_emit_op(e, "vector.maskedload", 4, operands, v->vector, 0, NULL);
}

void pgopt_vector_store(pgopt_emitter e, const pgopt_vectors *v, MlirValue flat,
                        pgopt_position at, MlirValue mask, MlirValue value) {
  (void)v;
  MlirValue index = pgopt_position_value(e, at);
  MlirType none = {NULL};
  if (mlirValueIsNull(mask)) {
    MlirValue operands[] = {value, flat, index};
    pgopt_emit_op(e, "vector.store", 3, operands, none, 0, NULL);
  } else {
    MlirValue operands[] = {flat, index, mask, value};
    pgopt_emit_op(e, "vector.maskedstore", 4, operands, none, 0, NULL);
  }
}

void pgopt_vector_prefetch(pgopt_emitter e, MlirValue flat, pgopt_position at,
                           bool is_written) {
  MlirValue operands[] = {flat, pgopt_position_value(e, at)};
  MlirNamedAttribute attributes[] = {
      pgopt_named(e.context, "isWrite", mlirBoolAttrGet(e.context, is_written)),
      pgopt_named(e.context, "isDataCache", mlirBoolAttrGet(e.context, 1)),
      pgopt_named(e.context, "localityHint",
                  mlirIntegerAttrGet(mlirIntegerTypeGet(e.context, 32), 3))};
  pgopt_emit_op(e, "memref.prefetch", 2, operands, (MlirType){NULL}, 3,
                attributes);
}

MlirValue pgopt_vector_splat(pgopt_emitter e, const pgopt_vectors *v,
                             MlirValue scalar) {
  return pgopt_emit_op(e, "vector.broadcast", 1, &scalar,
                       pgopt_vectors_type(v, mlirValueGetType(scalar)), 0,
                       NULL);
}

MlirValue pgopt_vector_load_splat(pgopt_emitter e, const pgopt_vectors *v,
                                  MlirValue flat, pgopt_position at) {
  MlirValue operands[] = {flat, pgopt_position_value(e, at)};
  return pgopt_vector_splat(
      e, v, pgopt_emit_op(e, "memref.load", 2, operands, v->element, 0, NULL));
}

MlirValue pgopt_vector_constant(pgopt_emitter e, const pgopt_vectors *v,
                                double value) {
  MlirNamedAttribute attribute = pgopt_named(
      e.context, "value",
      mlirDenseElementsAttrSplatGet(
          v->vector, mlirFloatAttrDoubleGet(e.context, v->element, value)));
  return pgopt_emit_op(e, "arith.constant", 0, NULL, v->vector, 1, &attribute);
}

MlirValue pgopt_vector_fma(pgopt_emitter e, const pgopt_vectors *v, MlirValue a,
                           MlirValue b, MlirValue c) {
  MlirValue operands[] = {a, b, c};
  if (v->has_fma)
    return pgopt_emit_op(e, "vector.fma", 3, operands, v->vector, 0, NULL);
  return pgopt_emit_binary(e, "arith.addf",
                           pgopt_emit_binary(e, "arith.mulf", a, b), c);
}

MlirValue pgopt_vector_mask(pgopt_emitter e, const pgopt_vectors *v,
                            pgopt_position count) {
  MlirType type = pgopt_vectors_type(v, mlirIntegerTypeGet(e.context, 1));
  if (!pgopt_position_is_constant(count)) {
    MlirValue value = pgopt_position_value(e, count);
    return pgopt_emit_op(e, "vector.create_mask", 1, &value, type, 0, NULL);
  }
  int64_t lanes = count.constant < v->lanes ? count.constant : v->lanes;
  MlirNamedAttribute attribute = pgopt_named(
      e.context, "mask_dim_sizes", mlirDenseI64ArrayGet(e.context, 1, &lanes));
  return pgopt_emit_op(e, "vector.constant_mask", 0, NULL, type, 1, &attribute);
}

MlirValue pgopt_vector_exchange(pgopt_emitter e, const pgopt_vectors *v,
                                MlirValue first, MlirValue second,
                                int64_t distance, bool high) {
  int64_t lanes[MAX_LANES];
  for (int64_t j = 0; j < v->lanes; ++j) {
    bool from_second = (j & distance) != 0;
    int64_t lane = from_second ? j - distance : j;
    lanes[j] = lane + (high ? distance : 0) + (from_second ? v->lanes : 0);
  }
  MlirNamedAttribute attribute =
      pgopt_named(e.context, "mask",
                  mlirDenseI64ArrayGet(e.context, (intptr_t)v->lanes, lanes));
  MlirValue operands[] = {first, second};
  return pgopt_emit_op(e, "vector.shuffle", 2, operands, v->vector, 1,
                       &attribute);
}

MlirValue pgopt_vector_shift(pgopt_emitter e, const pgopt_vectors *v,
                             MlirValue value, int64_t lanes, double constant) {
  int64_t from[MAX_LANES];
  for (int64_t j = 0; j < v->lanes; ++j)
    from[j] = j < lanes ? v->lanes : j - lanes;
  MlirNamedAttribute attribute =
      pgopt_named(e.context, "mask",
                  mlirDenseI64ArrayGet(e.context, (intptr_t)v->lanes, from));
  MlirValue operands[] = {value, pgopt_vector_constant(e, v, constant)};
  return pgopt_emit_op(e, "vector.shuffle", 2, operands, v->vector, 1,
                       &attribute);
}

MlirValue pgopt_vector_flip(pgopt_emitter e, const pgopt_vectors *v,
                            MlirValue value, int64_t distance) {
  int64_t lanes[MAX_LANES];
  for (int64_t j = 0; j < v->lanes; ++j)
    lanes[j] = j ^ distance;
  MlirNamedAttribute attribute =
      pgopt_named(e.context, "mask",
                  mlirDenseI64ArrayGet(e.context, (intptr_t)v->lanes, lanes));
  MlirValue operands[] = {value, value};
  return pgopt_emit_op(e, "vector.shuffle", 2, operands, v->vector, 1,
                       &attribute);
}

MlirValue pgopt_vector_first(pgopt_emitter e, const pgopt_vectors *v,
                             MlirValue value) {
  int64_t lane = 0, one = 1;
  MlirNamedAttribute attribute =
      pgopt_named(e.context, "mask", mlirDenseI64ArrayGet(e.context, 1, &lane));
  MlirValue operands[] = {value, value};
  return pgopt_emit_op(e, "vector.shuffle", 2, operands,
                       mlirVectorTypeGet(1, &one, v->element), 1, &attribute);
}

void pgopt_vector_transpose(pgopt_emitter e, const pgopt_vectors *v,
                            MlirValue *rows) {
  for (int64_t distance = v->lanes / 2; distance; distance /= 2)
    for (int64_t r = 0; r < v->lanes; ++r) {
      if (r & distance)
        continue;
      MlirValue first = rows[r], second = rows[r + distance];
      rows[r] = pgopt_vector_exchange(e, v, first, second, distance, false);
      rows[r + distance] =
          pgopt_vector_exchange(e, v, first, second, distance, true);
    }
}
