/// \file Number types with their signs, and single numbers of them: what the
/// scalar expressions of a tensor program compute with.
#ifndef PGOPT_TENSOR_NUMBER_H
#define PGOPT_TENSOR_NUMBER_H

#include "base/element.h"

#include <stdbool.h>
#include <stdint.h>

typedef enum pgopt_number {
  PGOPT_BOOL,
  PGOPT_I8,
  PGOPT_I16,
  PGOPT_I32,
  PGOPT_I64,
  PGOPT_U8,
  PGOPT_U16,
  PGOPT_U32,
  PGOPT_U64,
  PGOPT_F16,
  PGOPT_BF16,
  PGOPT_F32,
  PGOPT_F64,
  PGOPT_NUMBER_COUNT
} pgopt_number;

/// One number: `f` for float types, `i` for all others (sign- or zero-extended
/// from its type).
typedef struct pgopt_scalar_value {
  double f;
  int64_t i;
} pgopt_scalar_value;

bool pgopt_number_is_float(pgopt_number type);
/// True for U8 to U64; BOOL counts as unsigned.
bool pgopt_number_is_unsigned(pgopt_number type);
int pgopt_number_bits(pgopt_number type);
/// "f32", "u8", "bool".
const char *pgopt_number_name(pgopt_number type);

/// How elements lie in memory; signs are lost.
pgopt_element pgopt_number_element(pgopt_number type);

/// The type scalar expressions compute in: F32 for F16 and BF16, else itself.
pgopt_number pgopt_number_computed(pgopt_number type);

pgopt_scalar_value pgopt_number_read(pgopt_number type, const void *data,
                                     int64_t index);
void pgopt_number_write(pgopt_number type, void *data, int64_t index,
                        pgopt_scalar_value value);

/// Rounds, wraps or converts as a C cast does; floats out of an integer's range
/// saturate and NaN becomes 0, numbers other than 0 are true.
pgopt_scalar_value pgopt_number_cast(pgopt_scalar_value value,
                                     pgopt_number from, pgopt_number to);

/// The same number for types of both kinds; as an integer it saturates, and NaN
/// becomes 0.
pgopt_scalar_value pgopt_number_of(double value);

/// Least and greatest finite value of the type.
pgopt_scalar_value pgopt_number_least(pgopt_number type);
pgopt_scalar_value pgopt_number_greatest(pgopt_number type);

#endif // PGOPT_TENSOR_NUMBER_H
