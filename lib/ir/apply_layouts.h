/// \file Rewrites a network so that every value is stored as an assignment
/// says.
#ifndef PGOPT_IR_APPLY_LAYOUTS_H
#define PGOPT_IR_APPLY_LAYOUTS_H

#include "ir/read_network.h"
#include "layout/assignment.h"

typedef struct pgopt_applied {
  int64_t transposes_made, constants_folded, ops_rebuilt, ops_removed,
      parameters_packed;
} pgopt_applied;

/// Operations whose values are all stored as declared stay as they are;
/// transposes, reshapes and copies whose two sides are stored alike disappear;
/// the others are rebuilt (structured ops as linalg.generic); parameters stored
/// otherwise than the function takes them become packed ones
/// (`ir/packed_parameters.h`). What is dead afterwards is erased.
void pgopt_apply_layouts(MlirOperation function, const pgopt_ir_network *ir,
                         const pgopt_assignment *assignment,
                         pgopt_applied *applied);

/// Erases operations without effects whose results nobody uses; the network is
/// stale afterwards. Returns how many.
int64_t pgopt_remove_dead(const pgopt_ir_network *ir);

/// Values that cannot be taken apart for reasons that plain data does not show:
/// encodings, constants whose elements cannot be read; freed with `free`.
bool *pgopt_unmovable_values(const pgopt_ir_network *ir);

#endif // PGOPT_IR_APPLY_LAYOUTS_H
