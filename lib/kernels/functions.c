/// \file exp, tanh and erf of f32 in plain arithmetic.
///
/// Polynomials were fitted for the least largest relative error over their
/// interval (weighted least squares, reweighted until level); the errors noted
/// are theirs, in units of 2^-24. There are no branches and no tables: what a
/// lane does not need is computed and dropped.
#include "kernels/functions.h"

#include "codegen/emit.h"

#include <stdlib.h>

/// The operation at hand: its place and types.
typedef struct expansion {
  pgopt_emitter e;
  MlirType floats, integers; ///< f32 and i32, or vectors of them
  bool has_fma;
} expansion;

static MlirType with_element(MlirType type, MlirType element) {
  int64_t shape[8];
  if (!mlirTypeIsAVector(type))
    return element;
  intptr_t rank = mlirShapedTypeGetRank(type);
  for (intptr_t i = 0; i < rank; ++i)
    shape[i] = mlirShapedTypeGetDimSize(type, i);
  return mlirVectorTypeGet(rank, shape, element);
}

static MlirValue emit_constant(const expansion *x, MlirType type,
                               MlirAttribute value) {
  if (mlirTypeIsAVector(type))
    value = mlirDenseElementsAttrSplatGet(type, value);
  MlirNamedAttribute attribute = pgopt_named(x->e.context, "value", value);
  return pgopt_emit_op(x->e, "arith.constant", 0, NULL, type, 1, &attribute);
}

static MlirValue number(const expansion *x, double value) {
  MlirType f32 = mlirF32TypeGet(x->e.context);
  return emit_constant(x, x->floats,
                       mlirFloatAttrDoubleGet(x->e.context, f32, value));
}

static MlirValue integer(const expansion *x, int64_t value) {
  return emit_constant(
      x, x->integers,
      mlirIntegerAttrGet(mlirIntegerTypeGet(x->e.context, 32), value));
}

static MlirValue two(const expansion *x, const char *name, MlirValue a,
                     MlirValue b) {
  return pgopt_emit_binary(x->e, name, a, b);
}

static MlirValue one(const expansion *x, const char *name, MlirValue a,
                     MlirType result) {
  return pgopt_emit_op(x->e, name, 1, &a, result, 0, NULL);
}

static MlirValue multiply_add(const expansion *x, MlirValue a, MlirValue b,
                              MlirValue c) {
  MlirValue operands[] = {a, b, c};
  if (x->has_fma)
    return pgopt_emit_op(x->e, "math.fma", 3, operands, x->floats, 0, NULL);
  return two(x, "arith.addf", two(x, "arith.mulf", a, b), c);
}

/// a < b, false for NaN, in every lane.
static MlirValue is_less(const expansion *x, MlirValue a, MlirValue b) {
  enum { ORDERED_LESS = 4 };
  MlirValue operands[] = {a, b};
  MlirNamedAttribute predicate =
      pgopt_named(x->e.context, "predicate",
                  pgopt_i64_attribute(x->e.context, ORDERED_LESS));
  return pgopt_emit_op(
      x->e, "arith.cmpf", 2, operands,
      with_element(x->floats, mlirIntegerTypeGet(x->e.context, 1)), 1,
      &predicate);
}

static MlirValue choose(const expansion *x, MlirValue condition, MlirValue yes,
                        MlirValue no) {
  MlirValue operands[] = {condition, yes, no};
  return pgopt_emit_op(x->e, "arith.select", 3, operands, x->floats, 0, NULL);
}

/// No more than `limit`; NaN stays.
static MlirValue at_most(const expansion *x, MlirValue a, double limit) {
  MlirValue bound = number(x, limit);
  return choose(x, is_less(x, bound, a), bound, a);
}

/// No less than `limit`; NaN stays.
static MlirValue at_least(const expansion *x, MlirValue a, double limit) {
  MlirValue bound = number(x, limit);
  return choose(x, is_less(x, a, bound), bound, a);
}

/// The polynomial with these coefficients, the constant one first.
static MlirValue polynomial(const expansion *x, MlirValue a,
                            const double *coefficients, int count) {
  MlirValue sum = number(x, coefficients[count - 1]);
  for (int i = count - 1; i-- > 0;)
    sum = multiply_add(x, sum, a, number(x, coefficients[i]));
  return sum;
}

/// 2^n for n in [-126, 127].
static MlirValue power_of_two(const expansion *x, MlirValue n) {
  MlirValue biased = two(x, "arith.addi", n, integer(x, 127));
  MlirValue bits = two(x, "arith.shli", biased, integer(x, 23));
  return one(x, "arith.bitcast", bits, x->floats);
}

/// e^a = 2^n e^r with |r| <= log(2) / 2. Adding 1.5 x 2^23 rounds to an integer
/// and leaves it in the low bits. The first part of log(2) has few enough bits
/// for n times it to be exact. 2^n is applied in two halves: the second one
/// overflows, or rounds a denormal number, as it should.
static MlirValue emit_exp(const expansion *x, MlirValue a) {
  // (e^r - 1 - r) / r^2: 0.06.
  static const double coefficients[] = {
      0.4999999403953552, 0.16666515171527863, 0.04166845604777336,
      0.008369418792426586, 0.0013813142431899905};
  static const double round = 12582912, round_bits = 0x4B400000;
  static const double log2_high = 0.693359375;
  static const double log2_low = -2.1219444005469057e-4;
  a = at_least(x, at_most(x, a, 89), -105);
  MlirValue shifted =
      multiply_add(x, a, number(x, 1.4426950408889634), number(x, round));
  MlirValue n = two(x, "arith.subf", shifted, number(x, round));
  MlirValue r = multiply_add(x, n, number(x, -log2_high), a);
  r = multiply_add(x, n, number(x, -log2_low), r);
  MlirValue square = two(x, "arith.mulf", r, r);
  MlirValue p = multiply_add(x, polynomial(x, r, coefficients, 5), square, r);
  p = two(x, "arith.addf", p, number(x, 1));
  MlirValue power =
      two(x, "arith.subi", one(x, "arith.bitcast", shifted, x->integers),
          integer(x, (int64_t)round_bits));
  MlirValue half = two(x, "arith.shrsi", power, integer(x, 1));
  MlirValue rest = two(x, "arith.subi", power, half);
  p = two(x, "arith.mulf", p, power_of_two(x, half));
  return two(x, "arith.mulf", p, power_of_two(x, rest));
}

/// tanh(a) = a + a^3 P(a^2) near 0, else 1 - 2 / (e^(2 |a|) + 1).
static MlirValue emit_tanh(const expansion *x, MlirValue a) {
  // (tanh(a) - a) / a^3 in a^2, |a| <= 0.65: 0.005.
  static const double coefficients[] = {
      -0.333333283662796,   0.1333315223455429,    -0.05393994227051735,
      0.021663395687937737, -0.008085609413683414, 0.0020595674868673086};
  MlirValue size = one(x, "math.absf", a, x->floats);
  MlirValue square = two(x, "arith.mulf", a, a);
  MlirValue cube = two(x, "arith.mulf", a, square);
  MlirValue near =
      multiply_add(x, polynomial(x, square, coefficients, 6), cube, a);
  MlirValue limited = at_most(x, size, 10);
  MlirValue power = emit_exp(x, two(x, "arith.addf", limited, limited));
  MlirValue part = two(x, "arith.divf", number(x, 2),
                       two(x, "arith.addf", power, number(x, 1)));
  MlirValue far =
      two(x, "math.copysign", two(x, "arith.subf", number(x, 1), part), a);
  return choose(x, is_less(x, size, number(x, 0.625)), near, far);
}

/// erf(a) = a + a P(a^2) for |a| < 1, else 1 - e^-Q(|a|).
static MlirValue emit_erf(const expansion *x, MlirValue a) {
  // erf(a) / a - 1 in a^2: 0.02.
  static const double inner[] = {0.12837916612625122,  -0.3761262595653534,
                                 0.1128358542919159,   -0.026853810995817184,
                                 0.005188327748328447, -0.0008010192541405559,
                                 7.853857096051797e-05};
  // -log(1 - erf(a)), 1 <= a <= 4, weighted by what it changes: 0.02.
  static const double outer[] = {0.0003205641405656934, 1.1271716356277466,
                                 0.638012170791626,     0.10321827232837677,
                                 -0.02188967540860176,  0.00296012288890779,
                                 -0.0001876057212939486};
  MlirValue size = one(x, "math.absf", a, x->floats);
  MlirValue square = two(x, "arith.mulf", a, a);
  MlirValue near = multiply_add(x, polynomial(x, square, inner, 7), a, a);
  MlirValue exponent = polynomial(x, at_most(x, size, 4), outer, 7);
  MlirValue rest = emit_exp(x, one(x, "arith.negf", exponent, x->floats));
  MlirValue far =
      two(x, "math.copysign", two(x, "arith.subf", number(x, 1), rest), a);
  return choose(x, is_less(x, size, number(x, 1)), near, far);
}

typedef struct function {
  const char *name;
  MlirValue (*emit)(const expansion *x, MlirValue a);
} function;

static const function functions[] = {
    {"math.exp", emit_exp}, {"math.tanh", emit_tanh}, {"math.erf", emit_erf}};

static bool is_f32(MlirType type) {
  if (mlirTypeIsAVector(type) && mlirShapedTypeGetRank(type) <= 8)
    type = mlirShapedTypeGetElementType(type);
  return mlirTypeIsAF32(type);
}

int64_t pgopt_expand_functions(MlirOperation root, bool has_fma) {
  int64_t expanded = 0;
  for (size_t f = 0; f < sizeof functions / sizeof *functions; ++f) {
    size_t count;
    MlirOperation *ops = pgopt_collect_ops(root, functions[f].name, &count);
    for (size_t i = 0; i < count; ++i) {
      MlirType type = mlirValueGetType(pgopt_result(ops[i]));
      if (!is_f32(type))
        continue;
      pgopt_emitter e = pgopt_emitter_before(ops[i]);
      expansion x = {e, type,
                     with_element(type, mlirIntegerTypeGet(e.context, 32)),
                     has_fma};
      mlirValueReplaceAllUsesOfWith(
          pgopt_result(ops[i]),
          functions[f].emit(&x, mlirOperationGetOperand(ops[i], 0)));
      mlirOperationDestroy(ops[i]);
      ++expanded;
    }
    free(ops);
  }
  return expanded;
}
