/// \file Layouts of a network's values chosen and applied, until nothing moves.
#ifndef PGOPT_IR_CHANGE_LAYOUTS_H
#define PGOPT_IR_CHANGE_LAYOUTS_H

#include "ir/apply_layouts.h"

typedef struct pgopt_layout_wishes {
  pgopt_image_layout images; ///< how convolutions would have their images
  int64_t work;              ///< values looked at per value; 0: the default
  bool packs_parameters;     ///< whether parameters may be packed
} pgopt_layout_wishes;

/// Lowers the cost of layouts (`layout/assignment.h`) and rewrites the function
/// to them. Copies that values share once they are made open new ways, so that
/// is repeated until nothing changes.
/// \param[out] applied what all sweeps together did.
MlirLogicalResult pgopt_change_layouts(MlirOperation function,
                                       const pgopt_layout_wishes *wishes,
                                       pgopt_applied *applied);

/// Checks the packings of the function's parameters, which an earlier run or a
/// file may claim; fails after one error.
MlirLogicalResult pgopt_check_parameters(MlirOperation function);

#endif // PGOPT_IR_CHANGE_LAYOUTS_H
