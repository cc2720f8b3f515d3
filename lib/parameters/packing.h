/// \file Parameters in another order than the parameter file has them: packed
/// once, when a program is loaded.
#ifndef PGOPT_PARAMETERS_PACKING_H
#define PGOPT_PARAMETERS_PACKING_H

#include "base/text.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/// Ranks up to the number of letters that the text form has for dimensions.
enum { PGOPT_MAX_PACKED_RANK = 26 };

/// A dimension of the packed form: index / step % extent of the index of
/// dimension `dim` as declared.
typedef struct pgopt_packed_axis {
  int dim;
  int64_t step, extent;
} pgopt_packed_axis;

/// A rearrangement of all elements of an array.
typedef struct pgopt_packing {
  size_t rank;                                   ///< as declared
  int64_t extents[PGOPT_MAX_PACKED_RANK];        ///< as declared, each >= 1
  size_t axis_count;                             ///< rank of the packed form
  pgopt_packed_axis axes[PGOPT_MAX_PACKED_RANK]; ///< outermost first
} pgopt_packing;

/// True when every element has exactly one place: the axes of a dimension are
/// its factors, whose steps follow from one another.
bool pgopt_packing_is_valid(const pgopt_packing *packing);

/// The packing that first does `first`, then `second`, whose dimensions are
/// the axes of `first`. Both are valid, and the result is.
void pgopt_packing_compose(const pgopt_packing *first,
                           const pgopt_packing *second, pgopt_packing *result);

/// Appends the packed form's dimensions as a name: "b.a" for a transpose,
/// "a/4.b.a%4" for blocks of 4 of the first dimension.
void pgopt_packing_append_name(const pgopt_packing *packing, pgopt_text *text);

/// Copies between the two forms. The buffers must not overlap; both hold all
/// elements, `element_bytes` each.
void pgopt_packing_pack(const pgopt_packing *packing, size_t element_bytes,
                        const void *declared, void *packed);
void pgopt_packing_unpack(const pgopt_packing *packing, size_t element_bytes,
                          const void *packed, void *declared);

#endif // PGOPT_PARAMETERS_PACKING_H
