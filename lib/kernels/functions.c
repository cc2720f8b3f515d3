/// \file exp, log, tanh, erf and powers of f32 in plain arithmetic, maxima and
/// minima in few instructions.
///
/// Polynomials were fitted for the least largest relative error over their
/// interval (weighted least squares, reweighted until level); the errors noted
/// are theirs, in units of 2^-24. There are no branches and no tables: what a
/// lane does not need is computed and dropped.
#include "kernels/functions.h"

#include "kernels/vectors.h"

#include <math.h>
#include <stdlib.h>

/// The operation at hand: its place and types.
typedef struct expansion {
  pgopt_emitter e;
  MlirType floats, integers; ///< f32 and i32, f64 and i64, or vectors
  bool has_fma;
  bool has_avx512; ///< vectors of 16 f32 have its instructions
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

static MlirType element_of(MlirType type) {
  return mlirTypeIsAVector(type) ? mlirShapedTypeGetElementType(type) : type;
}

static MlirValue emit_constant(const expansion *x, MlirType type,
                               MlirAttribute value) {
  if (mlirTypeIsAVector(type))
    value = mlirDenseElementsAttrSplatGet(type, value);
  MlirNamedAttribute attribute = pgopt_named(x->e.context, "value", value);
  return pgopt_emit_op(x->e, "arith.constant", 0, NULL, type, 1, &attribute);
}

static MlirValue number(const expansion *x, double value) {
  return emit_constant(
      x, x->floats,
      mlirFloatAttrDoubleGet(x->e.context, element_of(x->floats), value));
}

static MlirValue integer(const expansion *x, int64_t value) {
  return emit_constant(x, x->integers,
                       mlirIntegerAttrGet(element_of(x->integers), value));
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

/// Predicates of `arith.cmpf`: for numbers, and for what has a NaN.
enum { ORDERED_EQUAL = 1, ORDERED_LESS = 4, UNORDERED = 14 };

static MlirValue compare(const expansion *x, int predicate_number, MlirValue a,
                         MlirValue b) {
  MlirValue operands[] = {a, b};
  MlirNamedAttribute predicate =
      pgopt_named(x->e.context, "predicate",
                  pgopt_i64_attribute(x->e.context, predicate_number));
  return pgopt_emit_op(
      x->e, "arith.cmpf", 2, operands,
      with_element(x->floats, mlirIntegerTypeGet(x->e.context, 1)), 1,
      &predicate);
}

/// a < b, false for NaN, in every lane.
static MlirValue is_less(const expansion *x, MlirValue a, MlirValue b) {
  return compare(x, ORDERED_LESS, a, b);
}

static MlirValue is_equal(const expansion *x, MlirValue a, MlirValue b) {
  return compare(x, ORDERED_EQUAL, a, b);
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

/// True for vectors that fill a register of AVX-512.
static bool fills_avx512(const expansion *x) {
  return x->has_avx512 && mlirTypeIsAVector(x->floats) &&
         mlirShapedTypeGetRank(x->floats) == 1 &&
         mlirShapedTypeGetDimSize(x->floats, 0) == 16;
}

/// An instruction of AVX-512 with all lanes on; `rounding` is null without one.
static MlirValue emit_instruction(const expansion *x, const char *name,
                                  size_t count, const MlirValue *inputs,
                                  const char *rounding) {
  MlirContext context = x->e.context;
  MlirType mask = mlirIntegerTypeGet(context, 16);
  expansion flags = {.e = x->e, .floats = mask};
  MlirValue operands[5];
  for (size_t i = 0; i < count; ++i)
    operands[i] = inputs[i];
  operands[count++] = inputs[0]; // of lanes that are off
  operands[count++] = emit_constant(&flags, mask, mlirIntegerAttrGet(mask, -1));
  if (rounding) {
    MlirAttribute value = pgopt_attribute_parse(context, rounding);
    operands[count++] =
        emit_constant(&flags, mlirAttributeGetType(value), value);
  }
  int32_t segments[] = {(int32_t)count, 0};
  MlirNamedAttribute attributes[] = {
      pgopt_named(context, "intrin",
                  mlirStringAttrGet(context, pgopt_ref(name))),
      pgopt_named(context, "op_bundle_sizes",
                  mlirDenseI32ArrayGet(context, 0, NULL)),
      pgopt_named(context, "operandSegmentSizes",
                  mlirDenseI32ArrayGet(context, 2, segments))};
  return pgopt_emit_op(x->e, "llvm.call_intrinsic", count, operands, x->floats,
                       3, attributes);
}

/// 2^n for n in [-126, 127].
static MlirValue power_of_two(const expansion *x, MlirValue n) {
  MlirValue biased = two(x, "arith.addi", n, integer(x, 127));
  MlirValue bits = two(x, "arith.shli", biased, integer(x, 23));
  return one(x, "arith.bitcast", bits, x->floats);
}

/// e^a for a in [-105, 89] or NaN.
/// e^a = 2^n e^r with |r| <= log(2) / 2. Adding 1.5 x 2^23 rounds to an integer
/// and leaves it in the low bits. The first part of log(2) has few enough bits
/// for n times it to be exact. AVX-512 has an instruction that applies 2^n;
/// else it is applied in two halves: the second one overflows, or rounds a
/// denormal number, as it should.
static MlirValue emit_exp_inside(const expansion *x, MlirValue a) {
  // (e^r - 1 - r) / r^2: 0.06.
  static const double coefficients[] = {
      0.4999999403953552, 0.16666515171527863, 0.04166845604777336,
      0.008369418792426586, 0.0013813142431899905};
  static const double round = 12582912, round_bits = 0x4B400000;
  static const double log2_high = 0.693359375;
  static const double log2_low = -2.1219444005469057e-4;
  MlirValue shifted =
      multiply_add(x, a, number(x, 1.4426950408889634), number(x, round));
  MlirValue n = two(x, "arith.subf", shifted, number(x, round));
  MlirValue r = multiply_add(x, n, number(x, -log2_high), a);
  r = multiply_add(x, n, number(x, -log2_low), r);
  MlirValue square = two(x, "arith.mulf", r, r);
  MlirValue p = multiply_add(x, polynomial(x, r, coefficients, 5), square, r);
  p = two(x, "arith.addf", p, number(x, 1));
  if (fills_avx512(x))
    return emit_instruction(x, "llvm.x86.avx512.mask.scalef.ps.512", 2,
                            (MlirValue[]){p, n}, "4 : i32");
  MlirValue power =
      two(x, "arith.subi", one(x, "arith.bitcast", shifted, x->integers),
          integer(x, (int64_t)round_bits));
  MlirValue half = two(x, "arith.shrsi", power, integer(x, 1));
  MlirValue rest = two(x, "arith.subi", power, half);
  p = two(x, "arith.mulf", p, power_of_two(x, half));
  return two(x, "arith.mulf", p, power_of_two(x, rest));
}

static MlirValue emit_exp(const expansion *x, MlirValue a) {
  return emit_exp_inside(x, at_least(x, at_most(x, a, 89), -105));
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
  MlirValue power = emit_exp_inside(x, two(x, "arith.addf", limited, limited));
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
  MlirValue rest =
      emit_exp_inside(x, one(x, "arith.negf", exponent, x->floats));
  MlirValue far =
      two(x, "math.copysign", two(x, "arith.subf", number(x, 1), rest), a);
  return choose(x, is_less(x, size, number(x, 1)), near, far);
}

/// log(2^n m) = n log(2) + log(m), sqrt(1/2) <= m < sqrt(2).
static MlirValue emit_log(const expansion *x, MlirValue a) {
  // (log(1 + f) - f + f^2 / 2) / f^3: 0.013.
  static const double coefficients[] = {
      0.33333312602399306, -0.2500000960314467,  0.20002118763045812,
      -0.1666799572444148, 0.14219550267293987,  -0.12405589862471057,
      0.11888178103183185, -0.11675653043800237, 0.06746607878038413};
  static const int64_t root_half_bits = 0x3F3504F3;
  MlirValue zero = number(x, 0), scale = number(x, 0x1p25);
  MlirValue is_tiny = is_less(x, a, number(x, 0x1p-126));
  MlirValue normal = choose(x, is_tiny, two(x, "arith.mulf", a, scale), a);
  MlirValue bits = one(x, "arith.bitcast", normal, x->integers);
  MlirValue exponent = two(
      x, "arith.shrsi", two(x, "arith.subi", bits, integer(x, root_half_bits)),
      integer(x, 23));
  MlirValue m = one(x, "arith.bitcast",
                    two(x, "arith.subi", bits,
                        two(x, "arith.shli", exponent, integer(x, 23))),
                    x->floats);
  MlirValue n = one(x, "arith.sitofp", exponent, x->floats);
  n = choose(x, is_tiny, two(x, "arith.subf", n, number(x, 25)), n);
  MlirValue f = two(x, "arith.subf", m, number(x, 1));
  MlirValue square = two(x, "arith.mulf", f, f);
  MlirValue tail = two(x, "arith.mulf", polynomial(x, f, coefficients, 9),
                       two(x, "arith.mulf", f, square));
  tail = multiply_add(x, n, number(x, -2.1219444005469057e-4), tail);
  tail = multiply_add(x, square, number(x, -0.5), tail);
  MlirValue result =
      multiply_add(x, n, number(x, 0.693359375), two(x, "arith.addf", f, tail));
  result = choose(x, is_equal(x, a, number(x, INFINITY)), a, result);
  result = choose(x, is_equal(x, a, zero), number(x, -INFINITY), result);
  result = choose(x, is_less(x, a, zero), number(x, NAN), result);
  return choose(x, compare(x, UNORDERED, a, a), a, result);
}

/// log2(a) for a number a > 0 of f64 that f32 holds.
static MlirValue emit_log2_of_double(const expansion *x, MlirValue a) {
  // log2((1 + z) / (1 - z)) / z in z^2: 2^-45.
  static const double coefficients[] = {2.885390081777828,  0.9617966941276794,
                                        0.5770779393958588, 0.41220950225829717,
                                        0.3198965426806909, 0.2830215086633724};
  static const int64_t root_half_bits = 0x3FE6A09E667F3BCD;
  static const double round = 0x1.8p52;
  static const int64_t round_bits = 0x4338000000000000;
  MlirValue bits = one(x, "arith.bitcast", a, x->integers);
  MlirValue exponent = two(
      x, "arith.shrsi", two(x, "arith.subi", bits, integer(x, root_half_bits)),
      integer(x, 52));
  MlirValue m = one(x, "arith.bitcast",
                    two(x, "arith.subi", bits,
                        two(x, "arith.shli", exponent, integer(x, 52))),
                    x->floats);
  MlirValue n = two(x, "arith.subf",
                    one(x, "arith.bitcast",
                        two(x, "arith.addi", exponent, integer(x, round_bits)),
                        x->floats),
                    number(x, round));
  MlirValue z = two(x, "arith.divf", two(x, "arith.subf", m, number(x, 1)),
                    two(x, "arith.addf", m, number(x, 1)));
  MlirValue square = two(x, "arith.mulf", z, z);
  return multiply_add(x, z, polynomial(x, square, coefficients, 6), n);
}

/// 2^a in f64 for |a| <= 200, or NaN.
static MlirValue emit_exp2_of_double(const expansion *x, MlirValue a) {
  // 2^r, |r| <= 1/2: 2^-34.
  static const double coefficients[] = {
      0.9999999999616824,     0.6931471807284568,    0.24022651198158723,
      0.05550410353415636,    0.009618027253212761,  0.0013333922586990597,
      0.00015469291334622065, 1.5201916779399323e-05};
  static const double round = 0x1.8p52;
  static const int64_t round_bits = 0x4338000000000000;
  MlirValue shifted = two(x, "arith.addf", a, number(x, round));
  MlirValue n = two(x, "arith.subf", shifted, number(x, round));
  MlirValue r = two(x, "arith.subf", a, n);
  MlirValue power =
      two(x, "arith.subi", one(x, "arith.bitcast", shifted, x->integers),
          integer(x, round_bits - 1023));
  MlirValue scale = one(x, "arith.bitcast",
                        two(x, "arith.shli", power, integer(x, 52)), x->floats);
  return two(x, "arith.mulf", polynomial(x, r, coefficients, 8), scale);
}

/// a^b = 2^(b log2(|a|)) in f64, which leaves hardly more than the error of
/// rounding to f32; then the signs and special values of IEEE 754, 9.2.1.
static MlirValue emit_power(const expansion *x, MlirValue a, MlirValue b) {
  MlirContext context = x->e.context;
  expansion wide = {x->e, with_element(x->floats, mlirF64TypeGet(context)),
                    with_element(x->integers, mlirIntegerTypeGet(context, 64)),
                    x->has_fma, false};
  MlirValue zero = number(x, 0), unit = number(x, 1);
  MlirValue infinity = number(x, INFINITY);
  MlirValue size = one(x, "math.absf", a, x->floats);
  MlirValue logarithm =
      emit_log2_of_double(&wide, one(x, "arith.extf", size, wide.floats));
  logarithm = choose(&wide, is_equal(x, size, zero), number(&wide, -INFINITY),
                     logarithm);
  logarithm = choose(&wide, is_equal(x, size, infinity),
                     number(&wide, INFINITY), logarithm);
  MlirValue exponent =
      two(&wide, "arith.mulf", one(x, "arith.extf", b, wide.floats), logarithm);
  exponent = at_least(&wide, at_most(&wide, exponent, 200), -200);
  MlirValue result =
      one(x, "arith.truncf", emit_exp2_of_double(&wide, exponent), x->floats);
  MlirValue whole = is_equal(x, one(x, "math.floor", b, x->floats), b);
  MlirValue half = two(x, "arith.mulf", b, number(x, 0.5));
  MlirValue even = is_equal(x, one(x, "math.floor", half, x->floats), half);
  MlirValue negated = one(x, "arith.negf", result, x->floats);
  MlirValue odd_power = choose(
      x, is_less(x, two(x, "math.copysign", unit, a), zero), negated, result);
  result = choose(x, whole, choose(x, even, result, odd_power), result);
  MlirValue no_number = choose(x, is_less(x, a, zero), number(x, NAN), result);
  no_number = choose(x, is_equal(x, size, infinity), result, no_number);
  result = choose(x, whole, result, no_number);
  MlirValue sum = two(x, "arith.addf", a, b);
  result = choose(x, compare(x, UNORDERED, a, b), sum, result);
  MlirValue limit = one(x, "math.absf", b, x->floats);
  MlirValue of_unit = choose(x, is_equal(x, limit, infinity), unit, result);
  result = choose(x, is_equal(x, size, unit), of_unit, result);
  result = choose(x, is_equal(x, a, unit), unit, result);
  return choose(x, is_equal(x, b, zero), unit, result);
}

static MlirValue emit_exp_op(const expansion *x, const MlirValue *operands) {
  return emit_exp(x, operands[0]);
}

static MlirValue emit_log_op(const expansion *x, const MlirValue *operands) {
  return emit_log(x, operands[0]);
}

static MlirValue emit_tanh_op(const expansion *x, const MlirValue *operands) {
  return emit_tanh(x, operands[0]);
}

static MlirValue emit_erf_op(const expansion *x, const MlirValue *operands) {
  return emit_erf(x, operands[0]);
}

static MlirValue emit_power_op(const expansion *x, const MlirValue *operands) {
  return emit_power(x, operands[0], operands[1]);
}

typedef struct function {
  const char *name;
  MlirValue (*emit)(const expansion *x, const MlirValue *operands);
} function;

static const function functions[] = {{"math.exp", emit_exp_op},
                                     {"math.log", emit_log_op},
                                     {"math.tanh", emit_tanh_op},
                                     {"math.erf", emit_erf_op},
                                     {"math.powf", emit_power_op}};

static bool is_f32(MlirType type) {
  if (mlirTypeIsAVector(type) && mlirShapedTypeGetRank(type) > 8)
    return false;
  return mlirTypeIsAF32(element_of(type));
}

/// True for a constant, or a vector of one, that is a number.
static bool is_known_number(MlirValue value) {
  if (!mlirValueIsAOpResult(value))
    return false;
  MlirOperation op = mlirOpResultGetOwner(value);
  if (!pgopt_op_is(op, "arith.constant"))
    return false;
  MlirAttribute attribute = pgopt_op_attribute(op, "value");
  if (mlirAttributeIsADenseElements(attribute) &&
      mlirDenseElementsAttrIsSplat(attribute))
    attribute = mlirDenseElementsAttrGetSplatValue(attribute);
  return mlirAttributeIsAFloat(attribute) &&
         !isnan(mlirFloatAttrGetValueDouble(attribute));
}

/// A maximum or minimum of a and the number b is `b > a ? b : a`, in which a
/// NaN in a stays: one instruction of x86. Of other operands it takes three
/// when the sign of a zero does not matter, else six.
static void simplify_maximum(MlirOperation op, bool is_minimum) {
  MlirContext context = mlirOperationGetContext(op);
  MlirType type = mlirValueGetType(pgopt_result(op));
  MlirValue a = mlirOperationGetOperand(op, 0);
  MlirValue b = mlirOperationGetOperand(op, 1);
  if (is_known_number(a)) {
    MlirValue kept = a;
    a = b;
    b = kept;
  }
  if (!is_known_number(b)) {
    mlirOperationSetAttributeByName(
        op, pgopt_ref("fastmath"),
        pgopt_attribute_parse(context, "#arith.fastmath<nsz>"));
    return;
  }
  expansion x = {.e = pgopt_emitter_before(op), .floats = type};
  MlirValue condition = is_minimum ? is_less(&x, b, a) : is_less(&x, a, b);
  mlirValueReplaceAllUsesOfWith(pgopt_result(op), choose(&x, condition, b, a));
  mlirOperationDestroy(op);
}

void pgopt_simplify_maxima(MlirOperation root) {
  static const char *const names[] = {"arith.maximumf", "arith.minimumf"};
  for (size_t n = 0; n < 2; ++n) {
    size_t count;
    MlirOperation *ops = pgopt_collect_ops(root, names[n], &count);
    for (size_t i = 0; i < count; ++i)
      simplify_maximum(ops[i], n == 1);
    free(ops);
  }
}

/// a^(-1/2) from the instruction's 14 bits and a step of Newton's, for a number
/// whose square is one as well: 1 unit in the last place.
static MlirValue emit_inverse_root(const expansion *x, MlirValue a) {
  MlirValue r =
      emit_instruction(x, "llvm.x86.avx512.rsqrt14.ps.512", 1, &a, NULL);
  MlirValue negated =
      one(x, "arith.negf", two(x, "arith.mulf", a, r), x->floats);
  MlirValue error = multiply_add(x, negated, r, number(x, 1));
  return multiply_add(x, two(x, "arith.mulf", r, number(x, 0.5)), error, r);
}

static bool is_root_of(MlirValue value, MlirValue *radicand) {
  if (!mlirValueIsAOpResult(value) ||
      !pgopt_op_is(mlirOpResultGetOwner(value), "math.sqrt"))
    return false;
  *radicand = mlirOperationGetOperand(mlirOpResultGetOwner(value), 0);
  return true;
}

/// Reads b out of `sqrt(b) sqrt(sqrt(b))`.
static bool is_three_quarters_power(MlirValue value, MlirValue *base) {
  MlirValue root;
  if (!mlirValueIsAOpResult(value) ||
      !pgopt_op_is(mlirOpResultGetOwner(value), "arith.mulf"))
    return false;
  MlirOperation product = mlirOpResultGetOwner(value);
  for (intptr_t k = 0; k < 2; ++k)
    if (is_root_of(mlirOperationGetOperand(product, k), &root) &&
        mlirValueEqual(root, mlirOperationGetOperand(product, 1 - k)) &&
        is_root_of(root, base))
      return true;
  return false;
}

/// a / b^(3/4), as local response normalization has it, is a r r r^(-1/2) with
/// r = b^(-1/2): products instead of two roots and a quotient. At most 4 units
/// in the last place. Where a lane's b is beyond [2^-60, 2^60] they are left.
static void simplify_quotient(MlirOperation op) {
  MlirValue base, quotient = pgopt_result(op);
  expansion x = {.e = pgopt_emitter_before(op),
                 .floats = mlirValueGetType(quotient),
                 .has_fma = true,
                 .has_avx512 = true};
  if (!fills_avx512(&x) || !mlirTypeIsAF32(element_of(x.floats)) ||
      !is_three_quarters_power(mlirOperationGetOperand(op, 1), &base))
    return;
  MlirValue is_inside =
      two(&x, "arith.andi", is_less(&x, number(&x, 0x1p-60), base),
          is_less(&x, base, number(&x, 0x1p60)));
  MlirNamedAttribute kind =
      pgopt_named(x.e.context, "kind",
                  pgopt_attribute_parse(x.e.context, "#vector.kind<and>"));
  MlirValue are_all =
      pgopt_emit_op(x.e, "vector.reduction", 1, &is_inside,
                    mlirIntegerTypeGet(x.e.context, 1), 1, &kind);
  pgopt_branch branch = pgopt_branch_open(x.e, are_all, 1, x.floats);
  expansion inside = x;
  inside.e = branch.then;
  MlirValue r = emit_inverse_root(&inside, base);
  MlirValue power =
      two(&inside, "arith.mulf", r,
          two(&inside, "arith.mulf", r, emit_inverse_root(&inside, r)));
  MlirValue fast =
      two(&inside, "arith.mulf", mlirOperationGetOperand(op, 0), power);
  pgopt_emitter beyond = branch.otherwise;
  MlirValue exact =
      pgopt_emit_binary(beyond, "arith.divf", mlirOperationGetOperand(op, 0),
                        mlirOperationGetOperand(op, 1));
  MlirValue result;
  pgopt_branch_close(&branch, 1, &fast, &exact, &result);
  mlirValueReplaceAllUsesOfWith(quotient, result);
  mlirOperationDestroy(op);
}

static void simplify_quotients(MlirOperation root) {
  size_t count;
  MlirOperation *ops = pgopt_collect_ops(root, "arith.divf", &count);
  for (size_t i = 0; i < count; ++i)
    simplify_quotient(ops[i]);
  free(ops);
}

int64_t pgopt_expand_functions(MlirOperation root, const pgopt_target *target) {
  int64_t expanded = 0;
  bool has_avx512 = target->vector_bytes == 64;
  if (has_avx512)
    simplify_quotients(root);
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
                     target->has_fma, has_avx512};
      MlirValue operands[2];
      for (intptr_t k = 0; k < mlirOperationGetNumOperands(ops[i]); ++k)
        operands[k] = mlirOperationGetOperand(ops[i], k);
      mlirValueReplaceAllUsesOfWith(pgopt_result(ops[i]),
                                    functions[f].emit(&x, operands));
      mlirOperationDestroy(ops[i]);
      ++expanded;
    }
    free(ops);
  }
  return expanded;
}
