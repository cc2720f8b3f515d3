/// \file How a multiply-accumulate becomes loops around a register tile.
///
/// The problem is C[c . i] += A[a . i] * B[b . i] for all i of a box, with one
/// element stride a loop and operand: a matrix product in any order of indices,
/// batched or not, or a convolution, whose window loops move the image, too.
/// One of A and B may be an image with zeros around it that are not stored:
/// bounds say where it ends, elements beyond are left out. Further operands are
/// read where C is written, by what is fused with the product.
///
/// One of A and B has the loop over which C is contiguous: the columns. Vectors
/// run along them; its elements are loaded as vectors, in place or from a
/// packed copy. Elements of the other one, which has the rows, are broadcast.
#ifndef PGOPT_KERNELS_PRODUCT_PLAN_H
#define PGOPT_KERNELS_PRODUCT_PLAN_H

#include "kernels/target.h"

enum {
  PGOPT_PRODUCT_MAX_LOOPS = 16,
  PGOPT_PRODUCT_MAX_OPERANDS = 11, ///< A, B, C, and what is fused
  PGOPT_PRODUCT_MAX_STEPS = 3,
  PGOPT_PRODUCT_MAX_BOUNDS = 4,
  PGOPT_PRODUCT_MAX_DEPTHS = PGOPT_PRODUCT_MAX_LOOPS + PGOPT_PRODUCT_MAX_BOUNDS,
};

typedef struct pgopt_product_loop {
  int64_t extent; ///< >= 1; of a dynamic loop its bound, or INT64_MAX
  bool is_dynamic;
  bool is_reduction;
  int64_t strides[PGOPT_PRODUCT_MAX_OPERANDS]; ///< in elements; 0: no index
  int64_t moves[PGOPT_PRODUCT_MAX_BOUNDS]; ///< steps of the bounded dimensions
} pgopt_product_loop;

typedef struct pgopt_product_problem {
  size_t loop_count, operand_count; ///< at least A, B, C
  pgopt_product_loop loops[PGOPT_PRODUCT_MAX_LOOPS];
  int64_t element_bytes;
  bool can_prepare[2]; ///< A and B: constants, which can be packed beforehand
  /// Dimensions of an operand in which it ends: index first + sum of moves,
  /// taken where that is in [0, extent). `first` is known at run time.
  size_t bound_count;
  int bounded_operand;                      ///< 0 or 1
  int64_t bounds[PGOPT_PRODUCT_MAX_BOUNDS]; ///< their extents
} pgopt_product_problem;

/// One or several loops of the problem that follow one another without a gap.
/// Its extent at run time is `inner` times that of loop `dynamic`.
typedef struct pgopt_product_axis {
  int64_t extent; ///< bound when dynamic
  int dynamic;    ///< a loop of the problem, or -1
  int64_t inner;
  int64_t strides[PGOPT_PRODUCT_MAX_OPERANDS];
  int64_t moves[PGOPT_PRODUCT_MAX_BOUNDS]; ///< 0 in axes of several loops
} pgopt_product_axis;

/// Tiles of one size, up to `end`; -1: as many as are whole.
typedef struct pgopt_product_rows {
  int64_t rows;
  int64_t end;
} pgopt_product_rows;

/// Panels of so many vectors up to `end`; -1: as many as are whole; -2: all
/// that is left, the last vector masked by what is left at run time.
typedef struct pgopt_product_columns {
  int64_t vectors;
  int64_t end;
  int64_t tail; ///< lanes of the last vector; 0 for all
} pgopt_product_columns;

typedef enum pgopt_product_source {
  PGOPT_COLUMNS_IN_PLACE,
  PGOPT_COLUMNS_PACKED,   ///< one panel after the other: [panel][depth][lane]
  PGOPT_COLUMNS_GATHERED, ///< a matrix, [depth][column]
  PGOPT_COLUMNS_PREPARED, ///< packed before the first run
} pgopt_product_source;

/// True when the columns are panels, [panel][depth][lane].
static inline bool pgopt_is_packed(pgopt_product_source source) {
  return source == PGOPT_COLUMNS_PACKED || source == PGOPT_COLUMNS_PREPARED;
}

/// One way to compute a product: a tile of the table, what its columns are read
/// from, and which operand has the rows. Of a pair that is A, or B when
/// swapped. Of others it is the one that lacks the loop over which C is
/// contiguous; when swapped, and the columns are prepared, the one that has it.
typedef struct pgopt_product_shape {
  int64_t rows, vectors;
  pgopt_product_source source;
  bool is_swapped;
} pgopt_product_shape;

typedef struct pgopt_product_plan {
  int rows_operand, columns_operand; ///< 0 (A) or 1 (B)
  bool is_paired;
  bool is_turned; ///< C is contiguous along the rows
  int64_t lanes;
  pgopt_product_source source;

  /// Around everything: loops that move the columns' operand.
  size_t shared_count;
  pgopt_product_axis shared[PGOPT_PRODUCT_MAX_LOOPS];

  /// A loop of the columns' operand: the columns of `beside_chunk` of its steps
  /// are packed together, and multiplied one after the other with each block of
  /// rows. One along which the operand is contiguous, where neither columns nor
  /// depth are, or one with which more columns meet rows that are many. Extent
  /// 1 for none.
  pgopt_product_axis beside;
  int64_t beside_chunk;
  /// A loop that goes on where the one beside ends, in the columns' operand
  /// alone: `beside_outer_chunk` of its steps, each all of that loop, are
  /// packed together. Extent 1 for none; chunk 1 where not all of it is.
  pgopt_product_axis beside_outer;
  int64_t beside_outer_chunk;

  /// The columns run in chunks of `column_chunk` units; a unit has
  /// `column_unit` elements and moves the columns' operand by
  /// `column_unit_stride`. Unit and stride are 1 step of the axis unless it is
  /// gathered. Columns in blocks of a vector lie side by side in it; the axis's
  /// strides are for steps of whole vectors.
  pgopt_product_axis columns;
  int64_t column_unit, column_chunk, column_unit_stride;
  size_t gathered_count; ///< of the columns' loops, outermost first
  pgopt_product_axis gathered[PGOPT_PRODUCT_MAX_LOOPS];

  /// Reductions outside the product: C is added to.
  size_t outer_depth_count;
  pgopt_product_axis outer_depth[PGOPT_PRODUCT_MAX_LOOPS];
  /// Reductions of the product, as they are in both operands; the first runs in
  /// chunks of `depth_chunk`.
  size_t depth_count;
  pgopt_product_axis depth[PGOPT_PRODUCT_MAX_DEPTHS];
  int64_t depth_chunk;
  /// The same as the tile's loops. Outermost, extent over `depth_chunk` steps
  /// is `inner` times the steps; strides of the columns' operand count depths
  /// when it is not in place.
  size_t tile_depth_count;
  pgopt_product_axis tile_depth[PGOPT_PRODUCT_MAX_DEPTHS];

  /// Loops of rows around the rows' axis. The last one runs in chunks of
  /// `row_chunk`, inside of which the columns' panels are; when there is none
  /// the axis itself does.
  size_t row_outer_count;
  pgopt_product_axis row_outer[PGOPT_PRODUCT_MAX_LOOPS];
  pgopt_product_axis rows;
  int64_t row_chunk;
  /// The bound that the rows' axis moves in, -1 for none.
  int row_bound;

  size_t row_step_count, column_step_count;
  pgopt_product_rows row_steps[PGOPT_PRODUCT_MAX_STEPS];
  pgopt_product_columns column_steps[PGOPT_PRODUCT_MAX_STEPS];

  double cycles;      ///< a guess, to compare plans by
  double copy_cycles; ///< of these, what copying the columns takes
} pgopt_product_plan;

/// Plans the product for the target.
/// \returns false when it is none: C is not contiguous in a loop of A, B or
///   both, or a reduction does not index both.
bool pgopt_product_plan_make(const pgopt_product_problem *problem,
                             const pgopt_target *target,
                             pgopt_product_plan *plan);

/// The target's shapes by number, the preferred ones first.
/// \returns false when there are no more.
bool pgopt_product_shape_at(const pgopt_target *target, size_t number,
                            pgopt_product_shape *shape);

/// Plans the product in one shape.
/// \returns false when it is none, as above, or not in this shape: columns that
///   are not contiguous in place, no image to gather, no constant to prepare,
///   a tile too low to be turned, or one that is not the target's.
bool pgopt_product_plan_shape(const pgopt_product_problem *problem,
                              const pgopt_target *target,
                              const pgopt_product_shape *shape,
                              pgopt_product_plan *plan);

/// The number of the tile's depth loop that moves in the bound; every bound of
/// the rows' operand has one.
size_t pgopt_product_tap_axis(const pgopt_product_plan *plan, size_t bound);

/// True when the columns' operand is contiguous along the loop beside.
bool pgopt_is_beside_contiguous(const pgopt_product_plan *plan);

/// Elements of scratch for the copied columns; 0 when none are copied while it
/// runs.
int64_t pgopt_product_scratch(const pgopt_product_plan *plan);

/// Elements from the packed columns of one step of the loop beside to the next.
int64_t pgopt_beside_stride(const pgopt_product_plan *plan);

/// The loop of the depth along which the columns' operand is contiguous;
/// `depth_count` for none.
size_t pgopt_contiguous_depth(const pgopt_product_plan *plan);

/// Where prepared columns lie: elements from one step of a loop to the next.
/// \param level of the shared loops, or of those over the outer depth.
int64_t pgopt_prepared_shared_stride(const pgopt_product_plan *plan,
                                     size_t level);
int64_t pgopt_prepared_chunk_stride(const pgopt_product_plan *plan);
int64_t pgopt_prepared_outer_stride(const pgopt_product_plan *plan,
                                    size_t level);
int64_t pgopt_prepared_depth_stride(const pgopt_product_plan *plan);
/// Elements of all prepared columns.
int64_t pgopt_prepared_elements(const pgopt_product_plan *plan);

/// The loop of the copies whose steps several calls can share out.
typedef enum pgopt_copy_level {
  PGOPT_COPY_WHOLE, ///< none
  PGOPT_COPY_SHARED,
  PGOPT_COPY_CHUNK, ///< of columns
  PGOPT_COPY_OUTER, ///< depth
  PGOPT_COPY_PART,  ///< of the depth
  PGOPT_COPY_PANEL,
} pgopt_copy_level;

/// Step s of the loop fills elements [s * stride, (s + 1) * stride) of the
/// prepared columns; of the last step some may stay unused.
typedef struct pgopt_copy_cut {
  pgopt_copy_level level;
  int64_t steps, stride;
} pgopt_copy_cut;

/// The outermost loop of the copies with several steps of equal length.
pgopt_copy_cut pgopt_prepared_cut(const pgopt_product_plan *plan);

#endif // PGOPT_KERNELS_PRODUCT_PLAN_H
