/// \file Tensor and memref types of plain numbers as plain data.
#ifndef PGOPT_IR_ELEMENT_TYPE_H
#define PGOPT_IR_ELEMENT_TYPE_H

#include "base/element.h"
#include "mlir-c/IR.h"

/// The number type; false for complex, quantised, vector and other types, and
/// for floats other than f16, bf16, f32 and f64.
bool pgopt_element_from_type(MlirType type, pgopt_element *element);

enum { PGOPT_MAX_ARRAY_RANK = 32 };

typedef struct pgopt_array_type {
  pgopt_element element;
  size_t rank;
  int64_t extents[PGOPT_MAX_ARRAY_RANK];
  int64_t elements, bytes;
} pgopt_array_type;

/// Reads a ranked shaped type with static extents, or a number type (rank 0).
/// \returns null, or why not: a phrase that follows the type in a message.
const char *pgopt_array_type_read(MlirType type, pgopt_array_type *array);

#endif // PGOPT_IR_ELEMENT_TYPE_H
