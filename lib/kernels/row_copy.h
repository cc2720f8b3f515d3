/// \file The code that copies a row, or sets it, a few vectors a turn.
#ifndef PGOPT_KERNELS_ROW_COPY_H
#define PGOPT_KERNELS_ROW_COPY_H

#include "kernels/vectors.h"

enum {
  PGOPT_ROW_COPY_TURN = 4, ///< vectors a turn, unless a variant says otherwise
  PGOPT_ROW_COPY_MAX_TURN = 8,
};

/// A row in flat views that do not overlap.
typedef struct pgopt_row_copy {
  MlirValue from;  ///< null: the row is set
  MlirValue value; ///< to this vector
  MlirValue to;
  pgopt_position from_at, to_at; ///< of its first element
  int64_t extent;                ///< elements
  int64_t turn;                  ///< vectors
} pgopt_row_copy;

void pgopt_row_copy_emit(pgopt_emitter e, const pgopt_vectors *v,
                         const pgopt_row_copy *row);

/// Whether this number of vectors a turn makes other code for rows of so many
/// vectors than a smaller one does.
bool pgopt_row_copy_takes(int64_t turn, int64_t vectors);

#endif // PGOPT_KERNELS_ROW_COPY_H
