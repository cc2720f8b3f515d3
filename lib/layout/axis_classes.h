/// \file Classes of dimensions that have to be cut into the same factors.
#ifndef PGOPT_LAYOUT_AXIS_CLASSES_H
#define PGOPT_LAYOUT_AXIS_CLASSES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { PGOPT_MAX_CUTS = 16 };

/// Members are numbered from 0. A cut is the product of the factors inside it:
/// a divisor of the extent, other than 1 and the extent itself.
typedef struct pgopt_axis_class {
  int parent; ///< itself for the representative
  int64_t extent;
  bool is_whole; ///< must not be cut
  size_t cut_count;
  int64_t cuts[PGOPT_MAX_CUTS]; ///< ascending; each divides the next
} pgopt_axis_class;

typedef struct pgopt_axis_classes {
  pgopt_axis_class *members;
  size_t count;
} pgopt_axis_classes;

int pgopt_axis_find(pgopt_axis_classes *classes, int member);
/// Joins two classes without cuts; false when their extents differ.
bool pgopt_axis_join(pgopt_axis_classes *classes, int a, int b);
void pgopt_axis_keep_whole(pgopt_axis_classes *classes, int member);
/// True when the class has the cut or can get it.
bool pgopt_axis_can_cut(pgopt_axis_classes *classes, int member, int64_t cut);
/// Adds the cut, which must be possible; true when it is new.
bool pgopt_axis_cut(pgopt_axis_classes *classes, int member, int64_t cut);

/// The same for a cut that operations which need the dimension whole can live
/// with; nothing happens where it does not fit the extent or other cuts.
bool pgopt_axis_cut_block(pgopt_axis_classes *classes, int member, int64_t cut);

/// Cuts two lists of dimensions that hold the same elements in the same
/// row-major order into the same factors.
/// \param changed set when a class got a new cut; else left alone.
/// \returns false when that is impossible.
bool pgopt_axis_refine(pgopt_axis_classes *classes, const int *left,
                       size_t left_count, const int *right, size_t right_count,
                       bool *changed);

#endif // PGOPT_LAYOUT_AXIS_CLASSES_H
