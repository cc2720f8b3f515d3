/// \file Chains of operations along rows as one generated kernel: reductions
/// along each row, numbers of a row, elements of it.
#ifndef PGOPT_KERNELS_ROWS_H
#define PGOPT_KERNELS_ROWS_H

#include "kernels/combine.h"
#include "kernels/fuse.h"
#include "kernels/target.h"

enum {
  PGOPT_ROWS_MAX_OPS = 28,
  PGOPT_ROWS_MAX_LOOPS = 8,
  PGOPT_ROWS_MAX_TURN = 8, ///< vectors
  PGOPT_ROWS_MAX_TOGETHER = 4,
};

typedef enum pgopt_row_kind {
  PGOPT_ROW_NUMBER,    ///< one number a row from numbers
  PGOPT_ROW_ELEMENTS,  ///< a row from rows and numbers
  PGOPT_ROW_REDUCTION, ///< one number a row from rows and numbers
} pgopt_row_kind;

/// Where an operand of an operation is.
typedef struct pgopt_row_operand {
  int value; ///< one that the kernel computes; -1: memory, or a scalar
  bool is_memory;
  int64_t strides[PGOPT_ROWS_MAX_LOOPS]; ///< of the loops over rows
  bool is_along; ///< contiguous along the row; else one element a row
  int64_t offset;
} pgopt_row_operand;

typedef struct pgopt_row_op {
  pgopt_row_kind kind;
  pgopt_fused_op body;
  pgopt_combine combine; ///< of a reduction
  /// Inputs, then the destination.
  pgopt_row_operand operands[PGOPT_FUSION_MAX_INPUTS + 1];
  int result; ///< the value that it sets
  int pass;   ///< over the row; numbers are computed in front of it
} pgopt_row_op;

/// What the kernel computes: a buffer.
typedef struct pgopt_row_value {
  MlirValue memref;
  bool is_number, is_private, is_read;
  int pass;       ///< of a row: that computes it; of a number: that may use it
  bool is_reread; ///< a row that a later pass uses
  int last_op;    ///< the last that sets it
  MlirValue buffer; ///< of one row, where it is private and reread
} pgopt_row_value;

typedef struct pgopt_rows {
  size_t row_loops, loops;
  int64_t length; ///< of a row, in elements
  size_t count;
  pgopt_generic generics[PGOPT_ROWS_MAX_OPS];
  pgopt_row_op ops[PGOPT_ROWS_MAX_OPS];
  size_t value_count;
  pgopt_row_value values[PGOPT_ROWS_MAX_OPS];
  int passes;
  int together; ///< rows that go through the passes side by side
  int turn;     ///< vectors a turn of a pass; 0: as the model has them
  pgopt_vectors vectors;
} pgopt_rows;

/// Generates the kernel when all that it does is along rows.
/// \param turn vectors of a row that a turn of a loop takes, at most
///   PGOPT_ROWS_MAX_TURN; 0: as the model has it, pass by pass.
/// \param[out] count of operations that it computes.
bool pgopt_generate_rows(MlirOperation kernel, const pgopt_target *target,
                         int turn, size_t *count);

/// True when the kernel can be generated so, and differs from what the model
/// has when a number of vectors is given.
bool pgopt_is_rows(MlirOperation kernel, const pgopt_target *target, int turn);

/// Vectors a turn of the pass.
int pgopt_rows_turn(const pgopt_rows *rows, int pass);

/// Emits the loops.
void pgopt_rows_emit(pgopt_emitter e, pgopt_rows *rows);

#endif // PGOPT_KERNELS_ROWS_H
