/// \file The scalar expressions of nests as arith and math operations.
#include "import/emit_program.h"

#include <stdlib.h>
#include <string.h>

/// Operations that are one of arith's or math's: on floats, signed and unsigned
/// integers; null where there is none.
static const struct {
  const char *on_float, *on_signed, *on_unsigned;
} direct[PGOPT_SCALAR_OP_COUNT] = {
    [PGOPT_S_ADD] = {"arith.addf", "arith.addi", "arith.addi"},
    [PGOPT_S_SUB] = {"arith.subf", "arith.subi", "arith.subi"},
    [PGOPT_S_MUL] = {"arith.mulf", "arith.muli", "arith.muli"},
    [PGOPT_S_DIV] = {"arith.divf", "arith.divsi", "arith.divui"},
    [PGOPT_S_REM] = {"arith.remf", "arith.remsi", "arith.remui"},
    [PGOPT_S_MIN] = {"arith.minimumf", "arith.minsi", "arith.minui"},
    [PGOPT_S_MAX] = {"arith.maximumf", "arith.maxsi", "arith.maxui"},
    [PGOPT_S_POW] = {"math.powf", "math.ipowi", "math.ipowi"},
    [PGOPT_S_AND] = {NULL, "arith.andi", "arith.andi"},
    [PGOPT_S_OR] = {NULL, "arith.ori", "arith.ori"},
    [PGOPT_S_XOR] = {NULL, "arith.xori", "arith.xori"},
    [PGOPT_S_SHIFT_LEFT] = {NULL, "arith.shli", "arith.shli"},
    [PGOPT_S_SHIFT_RIGHT] = {NULL, "arith.shrui", "arith.shrui"},
    [PGOPT_S_NEG] = {"arith.negf", NULL, NULL},
    [PGOPT_S_ABS] = {"math.absf", "math.absi", NULL},
    [PGOPT_S_EXP] = {"math.exp", NULL, NULL},
    [PGOPT_S_LOG] = {"math.log", NULL, NULL},
    [PGOPT_S_LOG1P] = {"math.log1p", NULL, NULL},
    [PGOPT_S_SQRT] = {"math.sqrt", NULL, NULL},
    [PGOPT_S_SIN] = {"math.sin", NULL, NULL},
    [PGOPT_S_COS] = {"math.cos", NULL, NULL},
    [PGOPT_S_TAN] = {"math.tan", NULL, NULL},
    [PGOPT_S_ASIN] = {"math.asin", NULL, NULL},
    [PGOPT_S_ACOS] = {"math.acos", NULL, NULL},
    [PGOPT_S_ATAN] = {"math.atan", NULL, NULL},
    [PGOPT_S_SINH] = {"math.sinh", NULL, NULL},
    [PGOPT_S_COSH] = {"math.cosh", NULL, NULL},
    [PGOPT_S_TANH] = {"math.tanh", NULL, NULL},
    [PGOPT_S_ASINH] = {"math.asinh", NULL, NULL},
    [PGOPT_S_ACOSH] = {"math.acosh", NULL, NULL},
    [PGOPT_S_ATANH] = {"math.atanh", NULL, NULL},
    [PGOPT_S_ERF] = {"math.erf", NULL, NULL},
    [PGOPT_S_FLOOR] = {"math.floor", NULL, NULL},
    [PGOPT_S_CEIL] = {"math.ceil", NULL, NULL},
    [PGOPT_S_ROUND_EVEN] = {"math.roundeven", NULL, NULL},
};

MlirType pgopt_import_element_type(MlirContext context, pgopt_number type) {
  switch (type) {
  case PGOPT_F16:
    return mlirF16TypeGet(context);
  case PGOPT_BF16:
    return mlirBF16TypeGet(context);
  case PGOPT_F32:
    return mlirF32TypeGet(context);
  case PGOPT_F64:
    return mlirF64TypeGet(context);
  default:
    return mlirIntegerTypeGet(context, (unsigned)pgopt_number_bits(type));
  }
}

MlirValue pgopt_import_op(const pgopt_builder *b, const char *name,
                          int operands, const MlirValue *values,
                          MlirType result, int attributes,
                          const MlirNamedAttribute *named) {
  pgopt_op_spec spec = {.name = name,
                        .location = b->location,
                        .operand_count = (size_t)operands,
                        .operands = values,
                        .result_count = 1,
                        .results = &result,
                        .attribute_count = (size_t)attributes,
                        .attributes = named};
  return pgopt_result(pgopt_build(b->block, &spec));
}

MlirValue pgopt_import_scalar(const pgopt_builder *b, pgopt_number type,
                              pgopt_scalar_value value) {
  MlirType result = pgopt_import_element_type(b->context, type);
  MlirAttribute attribute =
      pgopt_number_is_float(type)
          ? mlirFloatAttrDoubleGet(b->context, result, value.f)
          : mlirIntegerAttrGet(result, value.i);
  MlirNamedAttribute named = pgopt_named(b->context, "value", attribute);
  return pgopt_import_op(b, "arith.constant", 0, NULL, result, 1, &named);
}

static MlirValue emit_binary(const pgopt_builder *b, const char *name,
                             MlirValue left, MlirValue right) {
  MlirValue operands[] = {left, right};
  return pgopt_import_op(b, name, 2, operands, mlirValueGetType(left), 0, NULL);
}

static MlirValue emit_select(const pgopt_builder *b, MlirValue condition,
                             MlirValue yes, MlirValue no) {
  MlirValue operands[] = {condition, yes, no};
  return pgopt_import_op(b, "arith.select", 3, operands, mlirValueGetType(yes),
                         0, NULL);
}

static MlirValue emit_compare(const pgopt_builder *b, pgopt_scalar_kind op,
                              pgopt_number type, MlirValue left,
                              MlirValue right) {
  // In the order of PGOPT_S_EQ to PGOPT_S_GE; ordered float comparisons but for
  // NE, which is true for NaN.
  static const int64_t on_float[] = {1, 13, 4, 5, 2, 3};
  static const int64_t on_signed[] = {0, 1, 2, 3, 4, 5};
  static const int64_t on_unsigned[] = {0, 1, 6, 7, 8, 9};
  bool is_float = pgopt_number_is_float(type);
  const int64_t *table = is_float                         ? on_float
                         : pgopt_number_is_unsigned(type) ? on_unsigned
                                                          : on_signed;
  MlirNamedAttribute predicate =
      pgopt_named(b->context, "predicate",
                  pgopt_i64_attribute(b->context, table[op - PGOPT_S_EQ]));
  MlirValue operands[] = {left, right};
  return pgopt_import_op(b, is_float ? "arith.cmpf" : "arith.cmpi", 2, operands,
                         mlirIntegerTypeGet(b->context, 1), 1, &predicate);
}

/// Float to integer as `pgopt_number_cast` does it: clamped, NaN is 0.
static MlirValue emit_float_to_integer(const pgopt_builder *b, MlirValue value,
                                       pgopt_number from, pgopt_number to) {
  MlirType type = pgopt_import_element_type(b->context, to);
  bool is_unsigned = pgopt_number_is_unsigned(to);
  pgopt_scalar_value least =
      pgopt_number_cast(pgopt_number_least(to), to, PGOPT_F64);
  pgopt_scalar_value greatest =
      pgopt_number_cast(pgopt_number_greatest(to), to, PGOPT_F64);
  pgopt_scalar_value zero = {0};
  MlirValue is_low = emit_compare(b, PGOPT_S_LE, from, value,
                                  pgopt_import_scalar(b, from, least));
  MlirValue is_high = emit_compare(b, PGOPT_S_GE, from, value,
                                   pgopt_import_scalar(b, from, greatest));
  MlirValue is_number = emit_compare(b, PGOPT_S_EQ, from, value, value);
  MlirValue usable = emit_binary(b, "arith.ori", is_low, is_high);
  MlirValue float_zero = pgopt_import_scalar(b, from, zero);
  // What is not in range is replaced before the conversion, which has no
  // defined result for it.
  MlirValue safe = emit_select(b, usable, float_zero,
                               emit_select(b, is_number, value, float_zero));
  MlirValue converted =
      pgopt_import_op(b, is_unsigned ? "arith.fptoui" : "arith.fptosi", 1,
                      &safe, type, 0, NULL);
  MlirValue low = emit_select(
      b, is_low, pgopt_import_scalar(b, to, pgopt_number_least(to)), converted);
  return emit_select(
      b, is_high, pgopt_import_scalar(b, to, pgopt_number_greatest(to)), low);
}

static MlirValue emit_cast(const pgopt_builder *b, MlirValue value,
                           pgopt_number from, pgopt_number to) {
  MlirType type = pgopt_import_element_type(b->context, to);
  bool from_float = pgopt_number_is_float(from);
  bool to_float = pgopt_number_is_float(to);
  int narrower = pgopt_number_bits(to) - pgopt_number_bits(from);
  pgopt_scalar_value zero = {0};
  const char *name = NULL;
  if (to == PGOPT_BOOL)
    return from == PGOPT_BOOL
               ? value
               : emit_compare(b, PGOPT_S_NE, from, value,
                              pgopt_import_scalar(b, from, zero));
  if (from_float && !to_float)
    return emit_float_to_integer(b, value, from, to);
  if (!from_float && to_float)
    name = pgopt_number_is_unsigned(from) ? "arith.uitofp" : "arith.sitofp";
  else if (!narrower)
    return value;
  else if (from_float)
    name = narrower < 0 ? "arith.truncf" : "arith.extf";
  else if (narrower < 0)
    name = "arith.trunci";
  else
    name = pgopt_number_is_unsigned(from) ? "arith.extui" : "arith.extsi";
  return pgopt_import_op(b, name, 1, &value, type, 0, NULL);
}

/// A block argument or loaded element, in the type that is computed with.
static MlirValue to_computed(const pgopt_builder *b, MlirValue value,
                             pgopt_number computed) {
  MlirType type = pgopt_import_element_type(b->context, computed);
  if (mlirTypeEqual(mlirValueGetType(value), type))
    return value;
  return pgopt_import_op(b, "arith.extf", 1, &value, type, 0, NULL);
}

static MlirValue to_index(const pgopt_builder *b, MlirValue value) {
  return pgopt_import_op(b, "arith.index_cast", 1, &value,
                         mlirIndexTypeGet(b->context), 0, NULL);
}

/// Division that is defined for every divisor: as the interpreter's.
static MlirValue emit_divide(const pgopt_builder *b, const char *name,
                             pgopt_number type, bool is_remainder, MlirValue a,
                             MlirValue d) {
  pgopt_scalar_value zero = {0}, one = {.i = 1}, minus = {.i = -1};
  MlirValue none = pgopt_import_scalar(b, type, zero);
  MlirValue is_zero = emit_compare(b, PGOPT_S_EQ, type, d, none);
  MlirValue unit = pgopt_import_scalar(b, type, one);
  MlirValue divisor = emit_select(b, is_zero, unit, d);
  if (pgopt_number_is_unsigned(type))
    return emit_select(b, is_zero, none, emit_binary(b, name, a, divisor));
  MlirValue is_minus =
      emit_compare(b, PGOPT_S_EQ, type, d, pgopt_import_scalar(b, type, minus));
  divisor = emit_select(b, is_minus, unit, divisor);
  MlirValue quotient = emit_binary(b, name, a, divisor);
  MlirValue negated =
      is_remainder ? none : emit_binary(b, "arith.subi", none, a);
  return emit_select(b, is_zero, none,
                     emit_select(b, is_minus, negated, quotient));
}

static MlirValue emit_shift(const pgopt_builder *b, const char *name,
                            pgopt_number type, MlirValue a, MlirValue amount) {
  pgopt_scalar_value zero = {0}, bits = {.i = pgopt_number_bits(type)};
  MlirNamedAttribute predicate = pgopt_named(
      b->context, "predicate", pgopt_i64_attribute(b->context, 6)); // ult
  MlirValue operands[] = {amount, pgopt_import_scalar(b, type, bits)};
  MlirValue fits =
      pgopt_import_op(b, "arith.cmpi", 2, operands,
                      mlirIntegerTypeGet(b->context, 1), 1, &predicate);
  MlirValue none = pgopt_import_scalar(b, type, zero);
  MlirValue safe = emit_select(b, fits, amount, none);
  return emit_select(b, fits, emit_binary(b, name, a, safe), none);
}

static MlirValue emit_one(const pgopt_emitter *e, const pgopt_builder *b,
                          const pgopt_nest *nest, const pgopt_scalar *s,
                          const MlirValue *scalars, const MlirValue *arguments,
                          MlirValue result) {
  MlirValue operands[PGOPT_MAX_TENSOR_RANK + 1] = {{NULL}};
  int arity = pgopt_scalar_arity(s->op);
  pgopt_number type = arity ? nest->body[s->a].type : s->type;
  if (arity > 0)
    operands[0] = scalars[s->a];
  if (arity > 1)
    operands[1] = scalars[s->b];
  if (arity > 2)
    operands[2] = scalars[s->c];
  MlirType yielded = pgopt_import_element_type(e->context, s->type);
  switch (s->op) {
  case PGOPT_S_CONSTANT:
    return pgopt_import_scalar(b, s->type, s->value);
  case PGOPT_S_OPERAND:
    return to_computed(b, arguments[s->a], s->type);
  case PGOPT_S_RESULT:
    return to_computed(b, result, s->type);
  case PGOPT_S_INDEX: {
    MlirNamedAttribute dim =
        pgopt_named(e->context, "dim", pgopt_i64_attribute(e->context, s->a));
    MlirValue index = pgopt_import_op(b, "linalg.index", 0, NULL,
                                      mlirIndexTypeGet(e->context), 1, &dim);
    return pgopt_import_op(b, "arith.index_cast", 1, &index, yielded, 0, NULL);
  }
  case PGOPT_S_LOAD: {
    operands[0] = e->values[s->a];
    for (int i = 0; i < s->index_count; ++i)
      operands[i + 1] = to_index(b, scalars[nest->indices[s->indices + i]]);
    MlirType element =
        mlirShapedTypeGetElementType(mlirValueGetType(operands[0]));
    return to_computed(b,
                       pgopt_import_op(b, "tensor.extract", s->index_count + 1,
                                       operands, element, 0, NULL),
                       s->type);
  }
  case PGOPT_S_CAST:
    return emit_cast(b, operands[0], type, s->type);
  case PGOPT_S_SELECT:
    return emit_select(b, operands[0], operands[1], operands[2]);
  default:
    break;
  }
  if (s->op >= PGOPT_S_EQ && s->op <= PGOPT_S_GE)
    return emit_compare(b, s->op, type, operands[0], operands[1]);
  const char *name = pgopt_number_is_float(type) ? direct[s->op].on_float
                     : pgopt_number_is_unsigned(type)
                         ? direct[s->op].on_unsigned
                         : direct[s->op].on_signed;
  if (!pgopt_number_is_float(type)) {
    if (s->op == PGOPT_S_DIV || s->op == PGOPT_S_REM)
      return emit_divide(b, name, type, s->op == PGOPT_S_REM, operands[0],
                         operands[1]);
    if (s->op == PGOPT_S_SHIFT_LEFT || s->op == PGOPT_S_SHIFT_RIGHT)
      return emit_shift(b, name, type, operands[0], operands[1]);
    if (s->op == PGOPT_S_NEG)
      return emit_binary(b, "arith.subi",
                         pgopt_import_scalar(b, type, (pgopt_scalar_value){0}),
                         operands[0]);
    if (!name) // floor, abs of unsigned numbers ...
      return operands[0];
  }
  return pgopt_import_op(b, name, arity, operands, yielded, 0, NULL);
}

void pgopt_import_body(const pgopt_emitter *e, const pgopt_builder *b,
                       const pgopt_nest *nest, const MlirValue *arguments,
                       MlirValue result) {
  MlirValue *scalars =
      pgopt_allocate((size_t)nest->body_count, sizeof *scalars);
  for (int i = 0; i < nest->body_count; ++i)
    scalars[i] =
        emit_one(e, b, nest, &nest->body[i], scalars, arguments, result);
  MlirValue yield = scalars[nest->yield];
  MlirType stored = pgopt_import_element_type(e->context, nest->type);
  if (!mlirTypeEqual(mlirValueGetType(yield), stored)) {
    // An element that is only moved keeps its bits.
    const pgopt_scalar *last = &nest->body[nest->yield];
    if (last->op == PGOPT_S_OPERAND &&
        mlirTypeEqual(mlirValueGetType(arguments[last->a]), stored))
      yield = arguments[last->a];
    else
      yield = pgopt_import_op(b, "arith.truncf", 1, &yield, stored, 0, NULL);
  }
  pgopt_op_spec spec = {.name = "linalg.yield",
                        .location = b->location,
                        .operand_count = 1,
                        .operands = &yield};
  pgopt_build(b->block, &spec);
  free(scalars);
}
