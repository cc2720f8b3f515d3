#include "base/fill.h"

#include <math.h>

/// Mixes all bits of a 64-bit word: xor-shifts and multiplications by odd
/// constants, each of which can be undone.
/// Source: the finaliser of SplitMix; Steele, Lea, Flood, OOPSLA 2014.
static uint64_t mix(uint64_t word) {
  word = (word ^ word >> 30) * 0xbf58476d1ce4e5b9u;
  word = (word ^ word >> 27) * 0x94d049bb133111ebu;
  return word ^ word >> 31;
}

static uint64_t mix_in(uint64_t state, uint64_t word) {
  return mix(state * 0x9e3779b97f4a7c15u + word + 1);
}

static int digits_of(pgopt_element element) {
  if (element.kind == PGOPT_ELEMENT_BFLOAT)
    return 8;
  return element.bits == 64 ? 53 : element.bits == 32 ? 24 : 11;
}

static void fill_array(uint64_t state, const pgopt_fill_type *type,
                       double scale, void *data) {
  int64_t count = 1;
  for (size_t i = 0; i < type->rank; ++i) {
    count *= type->extents[i];
    state = mix_in(state, (uint64_t)type->extents[i]);
  }
  state = mix_in(state, (uint64_t)type->element.kind);
  state = mix_in(state, (uint64_t)type->element.bits);
  int64_t row = type->rank ? type->extents[type->rank - 1] : 1;
  if (!pgopt_element_is_float(type->element)) {
    for (int64_t i = 0; i < count; ++i)
      pgopt_element_write_integer(type->element, data, i, i % row);
    return;
  }
  // As many random bits as the type has digits: every value is exact before it
  // is scaled, and 1 does not occur.
  int digits = digits_of(type->element);
  double step = ldexp(2.0, -digits);
  for (int64_t i = 0; i < count; ++i) {
    uint64_t bits =
        mix(state + (uint64_t)i * 0x9e3779b97f4a7c15u) >> (64 - digits);
    double unit = (double)bits * step - 1.0;
    pgopt_element_write_float(type->element, data, i, unit * scale);
  }
}

void pgopt_fill(uint64_t seed, const char *key, size_t key_length,
                const pgopt_fill_type *type, void *data) {
  uint64_t state = mix_in(seed, key_length);
  for (size_t i = 0; i < key_length; ++i)
    state = mix_in(state, (unsigned char)key[i]);
  double row = type->rank ? (double)type->extents[type->rank - 1] : 1.0;
  fill_array(state, type, row > 0 ? 1.0 / sqrt(row) : 1.0, data);
}

void pgopt_fill_input(uint64_t seed, int64_t argument,
                      const pgopt_fill_type *type, void *data) {
  fill_array(mix_in(mix_in(seed, (uint64_t)argument), UINT64_MAX), type, 1.0,
             data);
}
