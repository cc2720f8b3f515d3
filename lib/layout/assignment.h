/// \file Which order every value of a network is stored in, and what that
/// costs in layout changes.
#ifndef PGOPT_LAYOUT_ASSIGNMENT_H
#define PGOPT_LAYOUT_ASSIGNMENT_H

#include "layout/image_layouts.h"

/// What an assignment costs. Data and what depends on constants and parameters
/// alone are told apart.
typedef struct pgopt_layout_cost {
  int64_t changes, bytes_moved;
  int64_t parameter_changes, parameter_bytes;
  int64_t packed_bytes;
  int64_t detours; ///< parameters that a kernel reads in an order it dislikes
  int64_t packed_parameters; ///< arguments to pack when a program is loaded
} pgopt_layout_cost;

typedef struct pgopt_assignment {
  const pgopt_axes *axes;
  pgopt_image_layout images;
  int **orders; ///< one a value: its axes as stored, outermost first
  /// Null, or one an op: null, or one a slot: the order in which the op reads
  /// the slot's value; null: as it is stored. Borrowed.
  const int *const **reads;
  bool *is_parameter; ///< depends on constants and parameters alone
  bool *is_free;      ///< a constant or a fill: made in any order at each use
  bool *is_wanted;    ///< some op wants it as it is declared
  int64_t *bytes;
} pgopt_assignment;

/// Two slots of an op that should be stored alike.
typedef struct pgopt_layout_tie {
  size_t left, right;
  bool packs; ///< else a mismatch is a layout change of the left value
} pgopt_layout_tie;

/// Every value as it is declared; freed with `pgopt_assignment_free`.
/// \param images how convolutions would have their operands and results.
void pgopt_assignment_init(const pgopt_axes *axes, pgopt_image_layout images,
                           pgopt_assignment *assignment);
void pgopt_assignment_free(pgopt_assignment *assignment);

bool pgopt_value_is_declared(const pgopt_assignment *assignment, int value);

/// The order in which an op reads the value of its slot.
const int *pgopt_read_order(const pgopt_assignment *assignment, size_t number,
                            size_t slot);

/// True when an op reads the value of its slot as it is declared.
bool pgopt_read_is_declared(const pgopt_assignment *assignment, size_t number,
                            size_t slot);

/// The order that a convolution would have slot `slot` stored in.
/// \param[out] order the value's axes.
void pgopt_window_order(const pgopt_assignment *a, size_t number, size_t slot,
                        int *order);

/// True for an input of a convolution that is not its image.
bool pgopt_is_filter(const pgopt_op *op, size_t slot);

/// True for the image and the result of a convolution that would have them in
/// another order than they are stored in.
bool pgopt_window_disagrees(const pgopt_assignment *assignment, size_t op,
                            size_t slot);

/// The ties of an op, at most one an operand or capture; returns how many.
size_t pgopt_op_ties(const pgopt_assignment *assignment, size_t number,
                     pgopt_layout_tie *ties);

/// True when two slots' values stand in the same order, were they stored as
/// `left_order` and `right_order`.
bool pgopt_tie_holds(const pgopt_assignment *assignment, size_t op,
                     const pgopt_layout_tie *tie, const int *left_order,
                     const int *right_order);

/// Adds an op's cost, and what it costs that a value is wanted as declared.
void pgopt_add_op_cost(const pgopt_assignment *assignment, size_t number,
                       pgopt_layout_cost *cost);
void pgopt_add_value_cost(const pgopt_assignment *assignment, int value,
                          pgopt_layout_cost *cost);
void pgopt_assignment_cost(const pgopt_assignment *assignment,
                           pgopt_layout_cost *cost);

/// One number to minimise: bytes moved, packed bytes twice (a gather is slower
/// than a transpose), and what starting one more kernel is worth. A parameter
/// is packed for whatever it saves, but not for nothing: one that is read as it
/// is stays in its mapped file.
int64_t pgopt_layout_energy(const pgopt_layout_cost *cost);

/// The order of slot `to`'s value that follows from `from`'s being stored as
/// `order`: the axes they share in that order, others where they stand now; the
/// axes of a group together, as declared.
/// \param[out] result as long as the value has axes.
void pgopt_carry_order(const pgopt_assignment *assignment, size_t number,
                       size_t from, const int *order, size_t to, int *result);

/// Lowers the cost as far as moving regions of values to another order does it;
/// never raises the number of layout changes or the bytes moved, but for
/// images in a given layout.
/// \param work values looked at per value of the network; 0 for the default.
/// \returns whether anything moved.
bool pgopt_assignment_improve(pgopt_assignment *assignment, int64_t work);

#endif // PGOPT_LAYOUT_ASSIGNMENT_H
