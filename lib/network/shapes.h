/// \file Shapes for arguments, as text: "arg0:1x3x224x224,arg2:7".
#ifndef PGOPT_NETWORK_SHAPES_H
#define PGOPT_NETWORK_SHAPES_H

#include "base/memory.h"
#include "base/status.h"

#include <stddef.h>
#include <stdint.h>

typedef struct pgopt_argument_shape {
  size_t argument;
  const int64_t *extents; ///< each >= 1
  size_t rank;            ///< >= 1
} pgopt_argument_shape;

typedef struct pgopt_shapes {
  const pgopt_argument_shape *shapes; ///< in the arena, as in the text
  size_t count;
} pgopt_shapes;

/// \param[out] shapes empty for an empty text and on failure.
/// \returns PGOPT_INVALID for what is not a list of shapes, an extent below 1
///   or above 2^31 - 1, more than 16 dimensions, an argument named twice.
pgopt_status pgopt_shapes_parse(const char *text, pgopt_arena *arena,
                                pgopt_shapes *shapes, pgopt_error *error);

#endif // PGOPT_NETWORK_SHAPES_H
