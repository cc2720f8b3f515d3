/// \file Made-up data: values for constants whose data a file does not carry,
/// and random inputs. Equal arguments give equal data on every machine.
#ifndef PGOPT_BASE_FILL_H
#define PGOPT_BASE_FILL_H

#include "base/element.h"

/// What is to be filled; `extents` outermost first, each >= 0.
typedef struct pgopt_fill_type {
  pgopt_element element;
  size_t rank;
  const int64_t *extents;
} pgopt_fill_type;

/// Fills an array of the type as a constant of a network: floats uniform in
/// +-1/sqrt(last extent), so that sums over that dimension stay near 1;
/// integers 0, 1, 2 ... along the last dimension (i1: parity). A pure function
/// of seed, key and type.
/// \param data of `pgopt_element_total_bytes` bytes, aligned for the element.
void pgopt_fill(uint64_t seed, const char *key, size_t key_length,
                const pgopt_fill_type *type, void *data);

/// Fills an array as a network's input: floats uniform in [-1, 1), integers as
/// above. A pure function of seed, argument number and type.
void pgopt_fill_input(uint64_t seed, int64_t argument,
                      const pgopt_fill_type *type, void *data);

#endif // PGOPT_BASE_FILL_H
