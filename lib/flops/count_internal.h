/// \file What the files of this folder share.
#ifndef PGOPT_FLOPS_COUNT_INTERNAL_H
#define PGOPT_FLOPS_COUNT_INTERNAL_H

#include "flops/flops.h"

/// Makes the operations of `count` unknown, for the reason given.
void pgopt_count_unknown(pgopt_count *count, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/// Sets the operations to `repetitions * each`, all of them or none performed
/// by contractions; unknown when they overflow.
void pgopt_count_product(pgopt_count *count, int64_t repetitions, int64_t each,
                         bool contraction);

/// Sets the operations to `each` for every element of the type.
void pgopt_count_elements(pgopt_count *count, const pgopt_type *type,
                          int64_t each);

/// The value's type, or null for a value from elsewhere (-1).
const pgopt_type *pgopt_count_type(const pgopt_network *network, int value);

/// Ops with loops, maps and a body.
void pgopt_count_structured(const pgopt_network *network, const pgopt_op *op,
                            pgopt_count *count);
/// TOSA ops, by the table.
void pgopt_count_tosa(const pgopt_network *network, const pgopt_op *op,
                      pgopt_count *count);
/// Bytes of reading the inputs and writing the outputs; -1 when not known.
int64_t pgopt_count_value_bytes(const pgopt_network *network, const int *inputs,
                                size_t input_count, const int *outputs,
                                size_t output_count);
/// Least bytes of any op; -1 when not known.
int64_t pgopt_count_bytes(const pgopt_network *network, const pgopt_op *op);

#endif // PGOPT_FLOPS_COUNT_INTERNAL_H
