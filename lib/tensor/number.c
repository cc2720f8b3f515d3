/// \file Number types and single numbers.
#include "tensor/number.h"

#include <float.h>
#include <math.h>

static const struct {
  const char *name;
  pgopt_element element;
  bool is_unsigned;
} numbers[PGOPT_NUMBER_COUNT] = {
    [PGOPT_BOOL] = {"bool", {PGOPT_ELEMENT_INTEGER, 1}, true},
    [PGOPT_I8] = {"i8", {PGOPT_ELEMENT_INTEGER, 8}, false},
    [PGOPT_I16] = {"i16", {PGOPT_ELEMENT_INTEGER, 16}, false},
    [PGOPT_I32] = {"i32", {PGOPT_ELEMENT_INTEGER, 32}, false},
    [PGOPT_I64] = {"i64", {PGOPT_ELEMENT_INTEGER, 64}, false},
    [PGOPT_U8] = {"u8", {PGOPT_ELEMENT_INTEGER, 8}, true},
    [PGOPT_U16] = {"u16", {PGOPT_ELEMENT_INTEGER, 16}, true},
    [PGOPT_U32] = {"u32", {PGOPT_ELEMENT_INTEGER, 32}, true},
    [PGOPT_U64] = {"u64", {PGOPT_ELEMENT_INTEGER, 64}, true},
    [PGOPT_F16] = {"f16", {PGOPT_ELEMENT_FLOAT, 16}, false},
    [PGOPT_BF16] = {"bf16", {PGOPT_ELEMENT_BFLOAT, 16}, false},
    [PGOPT_F32] = {"f32", {PGOPT_ELEMENT_FLOAT, 32}, false},
    [PGOPT_F64] = {"f64", {PGOPT_ELEMENT_FLOAT, 64}, false},
};

bool pgopt_number_is_float(pgopt_number type) { return type >= PGOPT_F16; }

bool pgopt_number_is_unsigned(pgopt_number type) {
  return numbers[type].is_unsigned;
}

int pgopt_number_bits(pgopt_number type) { return numbers[type].element.bits; }

const char *pgopt_number_name(pgopt_number type) { return numbers[type].name; }

pgopt_element pgopt_number_element(pgopt_number type) {
  return numbers[type].element;
}

pgopt_number pgopt_number_computed(pgopt_number type) {
  return type == PGOPT_F16 || type == PGOPT_BF16 ? PGOPT_F32 : type;
}

/// The value as an integer of that type holds it.
static int64_t wrap(pgopt_number type, int64_t value) {
  int shift = 64 - pgopt_number_bits(type);
  uint64_t top = (uint64_t)value << shift;
  return pgopt_number_is_unsigned(type) ? (int64_t)(top >> shift)
                                        : (int64_t)top >> shift;
}

pgopt_scalar_value pgopt_number_read(pgopt_number type, const void *data,
                                     int64_t index) {
  pgopt_element element = pgopt_number_element(type);
  if (pgopt_number_is_float(type))
    return (pgopt_scalar_value){.f = pgopt_element_read(element, data, index)};
  return (pgopt_scalar_value){
      .i = wrap(type, pgopt_element_read_integer(element, data, index))};
}

void pgopt_number_write(pgopt_number type, void *data, int64_t index,
                        pgopt_scalar_value value) {
  pgopt_element element = pgopt_number_element(type);
  if (pgopt_number_is_float(type))
    pgopt_element_write_float(element, data, index, value.f);
  else
    pgopt_element_write_integer(element, data, index, value.i);
}

static int64_t to_integer(double value, pgopt_number to) {
  if (isnan(value))
    return 0;
  int bits = pgopt_number_bits(to);
  bool is_unsigned = pgopt_number_is_unsigned(to);
  double least = is_unsigned ? 0 : -ldexp(1, bits - 1);
  double limit = ldexp(1, is_unsigned ? bits : bits - 1);
  if (value <= least)
    return (int64_t)least;
  if (value >= limit)
    return pgopt_number_greatest(to).i;
  return is_unsigned ? (int64_t)(uint64_t)value : (int64_t)value;
}

pgopt_scalar_value pgopt_number_cast(pgopt_scalar_value value,
                                     pgopt_number from, pgopt_number to) {
  bool from_float = pgopt_number_is_float(from);
  if (to == PGOPT_BOOL)
    return (pgopt_scalar_value){.i = from_float ? value.f != 0 : value.i != 0};
  if (!pgopt_number_is_float(to))
    return (pgopt_scalar_value){.i = from_float ? to_integer(value.f, to)
                                                : wrap(to, value.i)};
  double wide = value.f;
  if (!from_float)
    wide = from == PGOPT_U64 ? (double)(uint64_t)value.i : (double)value.i;
  if (to == PGOPT_F64)
    return (pgopt_scalar_value){.f = wide};
  if (to == PGOPT_F32)
    return (pgopt_scalar_value){.f = (float)wide};
  uint16_t half;
  pgopt_element_write_float(pgopt_number_element(to), &half, 0, wide);
  return (pgopt_scalar_value){
      .f = pgopt_element_read(pgopt_number_element(to), &half, 0)};
}

pgopt_scalar_value pgopt_number_of(double value) {
  return (pgopt_scalar_value){.f = value, .i = to_integer(value, PGOPT_I64)};
}

pgopt_scalar_value pgopt_number_greatest(pgopt_number type) {
  switch (type) {
  case PGOPT_F16:
    return (pgopt_scalar_value){.f = 65504};
  case PGOPT_BF16:
    return (pgopt_scalar_value){.f = ldexp(255, 120)};
  case PGOPT_F32:
    return (pgopt_scalar_value){.f = FLT_MAX};
  case PGOPT_F64:
    return (pgopt_scalar_value){.f = DBL_MAX};
  default:
    break;
  }
  int bits = pgopt_number_bits(type) - !pgopt_number_is_unsigned(type);
  return (pgopt_scalar_value){.i = (int64_t)(UINT64_MAX >> (64 - bits))};
}

pgopt_scalar_value pgopt_number_least(pgopt_number type) {
  if (pgopt_number_is_float(type))
    return (pgopt_scalar_value){.f = -pgopt_number_greatest(type).f};
  if (pgopt_number_is_unsigned(type))
    return (pgopt_scalar_value){.i = 0};
  return (pgopt_scalar_value){.i = -pgopt_number_greatest(type).i - 1};
}
