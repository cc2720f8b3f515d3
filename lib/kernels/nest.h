/// \file The loops around a product's register tiles.
#ifndef PGOPT_KERNELS_NEST_H
#define PGOPT_KERNELS_NEST_H

#include "kernels/fuse.h"
#include "kernels/padding.h"
#include "kernels/phase.h"
#include "kernels/prepare.h"

/// Offsets of the operands' current elements in their flat views, and the
/// current indices in the bounded dimensions. An offset may lie outside of an
/// operand as long as an index lies outside of its bound.
typedef struct pgopt_places {
  pgopt_position at[PGOPT_PRODUCT_MAX_OPERANDS];
  pgopt_position bounds[PGOPT_PRODUCT_MAX_BOUNDS];
} pgopt_places;

/// A product under construction; the first seven are set by the caller.
typedef struct pgopt_nest {
  const pgopt_generic *generic;
  const pgopt_product_problem *problem;
  const pgopt_product_plan *plan;
  const pgopt_fusion *fusion;
  pgopt_vectors vectors;
  const pgopt_padding *padding; ///< of the bounded operand; null without one
  /// Where prepared columns of a value lie; null: they are a constant's.
  const pgopt_phase *phase;

  MlirValue extents[PGOPT_PRODUCT_MAX_LOOPS]; ///< of dynamic loops
  MlirValue views[PGOPT_PRODUCT_MAX_OPERANDS];
  MlirValue scratch, box; ///< the copied columns; what the gather reads
  bool is_preparing;      ///< copy the columns and nothing else
  pgopt_copy_level cut;   ///< of these the steps [low, high) of a loop
  pgopt_position low, high;
  /// Whether this is the first and the last part of the depth; null: it is.
  MlirValue is_first, is_last;
  pgopt_position columns; ///< of the chunk
  /// Steps of the loop beside, and of the one around it, that are packed
  /// together.
  pgopt_position beside, beside_outer;
  pgopt_position rows;  ///< of the block
  pgopt_position depth; ///< steps of the first depth loop in this part
  pgopt_position part;  ///< where it begins in the copied columns
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
MlirValue pgopt_prepare_columns(pgopt_emitter e, pgopt_preparation *preparation,
                                const pgopt_nest *nest);

/// Emits the first phase of a product whose columns are prepared while it runs:
/// the copies of the phase's range into its buffer.
void pgopt_nest_emit_first_phase(pgopt_emitter e, const pgopt_nest *nest);

/// The loop over `extent` in steps, or the part of it that is cut out.
pgopt_loop pgopt_copy_loop_open(pgopt_emitter e, const pgopt_nest *nest,
                                pgopt_copy_level level, pgopt_position extent,
                                int64_t step);

/// The places after `steps` along the axis.
pgopt_places pgopt_places_move(pgopt_emitter e, const pgopt_nest *nest,
                               const pgopt_product_axis *axis,
                               pgopt_position steps, pgopt_places from);

/// Copies the chunk's columns into scratch, as the plan has it.
/// \param at of the chunk's first element.
void pgopt_copy_columns(pgopt_emitter e, const pgopt_nest *nest,
                        const pgopt_places *at);

/// Where the tile's columns lie: for every loop of the tile's depth a stride.
typedef struct pgopt_panel {
  MlirValue view;
  pgopt_position at; ///< of the tile's first column
  pgopt_position strides[PGOPT_PRODUCT_MAX_DEPTHS];
  size_t vectors;
  MlirValue mask; ///< of the last vector; null for all lanes
  int64_t tail;   ///< lanes that it has; 0 when all, or not known
} pgopt_panel;

/// Taps [low, high) of the loop that moves in the rows' bound, which rows
/// [first, end) of a tile have.
typedef struct pgopt_taps {
  pgopt_position low, high;
  int64_t first, end;
} pgopt_taps;

enum { PGOPT_MAX_TAPS = 2 * 64 };

/// The taps of one row that begins at `index` of the bound.
pgopt_taps pgopt_clamp_taps(pgopt_emitter e, const pgopt_nest *nest,
                            size_t bound, pgopt_position index);

/// Emits a tile of so many rows: its depth loops, and what follows them.
/// \param taps what its rows have of the taps along their axis; count 0: every
///   row has all.
void pgopt_tile_emit(pgopt_emitter e, const pgopt_nest *nest, pgopt_places at,
                     const pgopt_panel *panel, int64_t rows,
                     const pgopt_taps *taps, size_t taps_count);

/// Emits the tiles along a rows' axis that moves in a bound: those in the
/// middle of the image apart from those at its ends.
void pgopt_bounded_rows_emit(pgopt_emitter e, const pgopt_nest *nest,
                             pgopt_places at, const pgopt_panel *panel);

/// The end of a step's tiles: of so many elements each, from `start`.
pgopt_position pgopt_step_end(pgopt_emitter e, pgopt_position start,
                              pgopt_position all, int64_t size, int64_t end);

/// The loop over the panels of a step: from `start`, which becomes its end.
typedef struct pgopt_panel_loop {
  pgopt_loop loop;
  MlirValue mask;
} pgopt_panel_loop;
pgopt_panel_loop pgopt_panel_loop_open(pgopt_emitter e, const pgopt_nest *nest,
                                       const pgopt_product_columns *step,
                                       pgopt_position *start);

#endif // PGOPT_KERNELS_NEST_H
