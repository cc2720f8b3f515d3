/// \file The number types a tensor's elements may have, as they lie in memory:
/// little-endian, an integer of w bits in the least power of two of bytes that
/// holds it (i1 is one byte, 0 or 1).
#ifndef PGOPT_BASE_ELEMENT_H
#define PGOPT_BASE_ELEMENT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef enum pgopt_element_kind {
  PGOPT_ELEMENT_FLOAT,   ///< IEEE binary of 16, 32 or 64 bits
  PGOPT_ELEMENT_BFLOAT,  ///< bfloat16; 16 bits
  PGOPT_ELEMENT_INTEGER, ///< 1 to 64 bits, two's complement
  PGOPT_ELEMENT_INDEX,   ///< 64 bits
} pgopt_element_kind;

typedef struct pgopt_element {
  pgopt_element_kind kind;
  int bits;
} pgopt_element;

/// True for kinds and widths listed above.
bool pgopt_element_is_valid(pgopt_element element);

static inline bool pgopt_element_is_float(pgopt_element element) {
  return element.kind == PGOPT_ELEMENT_FLOAT ||
         element.kind == PGOPT_ELEMENT_BFLOAT;
}

static inline bool pgopt_element_equal(pgopt_element a, pgopt_element b) {
  return a.kind == b.kind && a.bits == b.bits;
}

/// Bytes of one element in memory: 1, 2, 4 or 8.
int64_t pgopt_element_bytes(pgopt_element element);

/// Bytes of `count` extents' elements; false when that does not fit int64_t or
/// an extent is negative.
bool pgopt_element_total_bytes(pgopt_element element, const int64_t *extents,
                               size_t count, int64_t *bytes);

/// "f32", "bf16", "i8", "index": as MLIR spells it, in `text` of 8 bytes.
void pgopt_element_name(pgopt_element element, char text[8]);

/// Element `index` of the array as a double. Integers beyond 2^53 are rounded;
/// i1 reads as 0 or 1, wider ones as signed.
double pgopt_element_read(pgopt_element element, const void *data,
                          int64_t index);
/// Element `index` of an array of integers or indices.
int64_t pgopt_element_read_integer(pgopt_element element, const void *data,
                                   int64_t index);

/// Writes a float element, rounded to nearest even.
void pgopt_element_write_float(pgopt_element element, void *data, int64_t index,
                               double value);
/// Writes the low bits of `value` into an integer or index element.
void pgopt_element_write_integer(pgopt_element element, void *data,
                                 int64_t index, int64_t value);

#endif // PGOPT_BASE_ELEMENT_H
