/// \file The loops around a product's register tiles.
#ifndef PGOPT_KERNELS_NEST_H
#define PGOPT_KERNELS_NEST_H

#include "kernels/fuse.h"
#include "kernels/prepare.h"

/// Offsets of the operands' current elements in their flat views.
typedef struct pgopt_places {
  pgopt_position at[PGOPT_PRODUCT_MAX_OPERANDS];
} pgopt_places;

/// A product under construction; the first five are set by the caller.
typedef struct pgopt_nest {
  const pgopt_generic *generic;
  const pgopt_product_problem *problem;
  const pgopt_product_plan *plan;
  const pgopt_fusion *fusion;
  pgopt_vectors vectors;

  MlirValue extents[PGOPT_PRODUCT_MAX_LOOPS]; ///< of dynamic loops
  MlirValue views[PGOPT_PRODUCT_MAX_OPERANDS];
  MlirValue scratch, box; ///< the copied columns; what the gather reads
  bool is_preparing;      ///< copy the columns and nothing else
  /// Whether this is the first and the last part of the depth; null: it is.
  MlirValue is_first, is_last;
  pgopt_position columns; ///< of the chunk
  pgopt_position rows;    ///< of the block
  pgopt_position depth;   ///< steps of the first depth loop in this part
  pgopt_position part;    ///< where it begins in the copied columns
} pgopt_nest;

/// Emits the loops.
/// \param preparation of the columns, if the plan has them prepared.
void pgopt_nest_emit(pgopt_emitter e, pgopt_nest *nest,
                     pgopt_preparation *preparation);

/// Emits the loops that copy all columns, from `at` in their view, into the
/// scratch; `is_preparing` is set.
void pgopt_nest_emit_copies(pgopt_emitter e, pgopt_nest *nest,
                            pgopt_position at);

/// Has the nest's columns prepared. \returns the buffer that holds them.
MlirValue pgopt_prepare_columns(pgopt_preparation *preparation,
                                const pgopt_nest *nest);

/// The places after `steps` along the axis.
pgopt_places pgopt_places_move(pgopt_emitter e, const pgopt_nest *nest,
                               const pgopt_product_axis *axis,
                               pgopt_position steps, pgopt_places from);

/// Copies the chunk's columns into scratch, as the plan has it.
/// \param at offset of the chunk's first element.
void pgopt_copy_columns(pgopt_emitter e, const pgopt_nest *nest,
                        pgopt_position at);

/// Where the tile's columns lie: for every loop of the tile's depth a stride.
typedef struct pgopt_panel {
  MlirValue view;
  pgopt_position at; ///< of the tile's first column
  pgopt_position strides[PGOPT_PRODUCT_MAX_LOOPS];
  size_t vectors;
  MlirValue mask; ///< of the last vector; null for all lanes
} pgopt_panel;

/// Emits a tile of so many rows: its depth loops, and what follows them.
void pgopt_tile_emit(pgopt_emitter e, const pgopt_nest *nest, pgopt_places at,
                     const pgopt_panel *panel, int64_t rows);

/// The loop over the panels of a step: from `start`, which becomes its end.
typedef struct pgopt_panel_loop {
  pgopt_loop loop;
  MlirValue mask;
} pgopt_panel_loop;
pgopt_panel_loop pgopt_panel_loop_open(pgopt_emitter e, const pgopt_nest *nest,
                                       const pgopt_product_columns *step,
                                       pgopt_position *start);

#endif // PGOPT_KERNELS_NEST_H
