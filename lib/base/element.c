#include "base/element.h"

#include "base/checked_math.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

bool pgopt_element_is_valid(pgopt_element element) {
  switch (element.kind) {
  case PGOPT_ELEMENT_FLOAT:
    return element.bits == 16 || element.bits == 32 || element.bits == 64;
  case PGOPT_ELEMENT_BFLOAT:
    return element.bits == 16;
  case PGOPT_ELEMENT_INTEGER:
    return element.bits >= 1 && element.bits <= 64;
  case PGOPT_ELEMENT_INDEX:
    return element.bits == 64;
  }
  return false;
}

int64_t pgopt_element_bytes(pgopt_element element) {
  return element.bits <= 8    ? 1
         : element.bits <= 16 ? 2
         : element.bits <= 32 ? 4
                              : 8;
}

bool pgopt_element_total_bytes(pgopt_element element, const int64_t *extents,
                               size_t count, int64_t *bytes) {
  int64_t elements;
  for (size_t i = 0; i < count; ++i)
    if (extents[i] < 0)
      return false;
  return pgopt_checked_product(extents, count, &elements) &&
         pgopt_checked_multiply(elements, pgopt_element_bytes(element), bytes);
}

void pgopt_element_name(pgopt_element element, char text[8]) {
  static const char *const prefixes[] = {"f", "bf", "i", "index"};
  if (element.kind == PGOPT_ELEMENT_INDEX)
    snprintf(text, 8, "index");
  else
    snprintf(text, 8, "%s%d", prefixes[element.kind], element.bits & 127);
}

static double read_half(uint16_t bits) {
  int exponent = bits >> 10 & 31;
  int fraction = bits & 1023;
  double magnitude;
  if (exponent == 31)
    magnitude = fraction ? (double)NAN : (double)INFINITY;
  else if (exponent == 0)
    magnitude = ldexp(fraction, -24);
  else
    magnitude = ldexp(1024 + fraction, exponent - 25);
  return bits >> 15 ? -magnitude : magnitude;
}

/// Rounds to a format of `fraction_bits` explicit fraction bits whose smallest
/// normal exponent is `least` and whose largest finite exponent is -least + 1.
/// Going from double directly, there is one rounding only.
static uint16_t round_to_16_bits(double value, int fraction_bits, int least) {
  uint16_t sign = signbit(value) ? 0x8000 : 0;
  int infinity = ((1 << (15 - fraction_bits)) - 1) << fraction_bits;
  if (isnan(value))
    return (uint16_t)(sign | infinity | 1 << (fraction_bits - 1));
  double magnitude = fabs(value);
  if (isinf(magnitude))
    return (uint16_t)(sign | infinity);
  if (magnitude == 0)
    return sign;
  int exponent;
  frexp(magnitude, &exponent); // magnitude = [0.5, 1) * 2^exponent
  if (exponent - 1 < least)
    exponent = least + 1;
  // In units of the last place; a carry moves into the exponent by itself.
  double units = nearbyint(ldexp(magnitude, fraction_bits + 1 - exponent));
  int bits = (exponent - 1 - least) * (1 << fraction_bits) + (int)units;
  return (uint16_t)(sign | (bits < infinity ? bits : infinity));
}

int64_t pgopt_element_read_integer(pgopt_element element, const void *data,
                                   int64_t index) {
  int64_t bytes = pgopt_element_bytes(element);
  uint64_t bits = 0;
  memcpy(&bits, (const char *)data + index * bytes, (size_t)bytes);
  if (element.bits == 1)
    return bits & 1;
  int unused = 64 - element.bits;
  return (int64_t)(bits << unused) >> unused;
}

double pgopt_element_read(pgopt_element element, const void *data,
                          int64_t index) {
  if (!pgopt_element_is_float(element))
    return (double)pgopt_element_read_integer(element, data, index);
  if (element.bits == 64)
    return ((const double *)data)[index];
  if (element.bits == 32)
    return ((const float *)data)[index];
  uint16_t bits = ((const uint16_t *)data)[index];
  if (element.kind == PGOPT_ELEMENT_FLOAT)
    return read_half(bits);
  uint32_t wide = (uint32_t)bits << 16;
  float value;
  memcpy(&value, &wide, sizeof value);
  return value;
}

void pgopt_element_write_float(pgopt_element element, void *data, int64_t index,
                               double value) {
  if (element.bits == 64)
    ((double *)data)[index] = value;
  else if (element.bits == 32)
    ((float *)data)[index] = (float)value;
  else if (element.kind == PGOPT_ELEMENT_FLOAT)
    ((uint16_t *)data)[index] = round_to_16_bits(value, 10, -14);
  else
    ((uint16_t *)data)[index] = round_to_16_bits(value, 7, -126);
}

void pgopt_element_write_integer(pgopt_element element, void *data,
                                 int64_t index, int64_t value) {
  int64_t bytes = pgopt_element_bytes(element);
  uint64_t bits = (uint64_t)value;
  if (element.bits < 64)
    bits &= ((uint64_t)1 << element.bits) - 1;
  memcpy((char *)data + index * bytes, &bits, (size_t)bytes);
}
