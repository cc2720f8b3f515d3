/// \file A network on tensors as the search for layouts sees it: its kernels,
/// the views between them, and the layouts that each can have.
#ifndef PGOPT_PRICING_LAYOUT_NETWORK_H
#define PGOPT_PRICING_LAYOUT_NETWORK_H

#include "grouping/grouping.h"
#include "ir/read_network.h"
#include "layout/layout_sets.h"

typedef struct pgopt_layout_network {
  MlirOperation entry;
  pgopt_arena arena;
  pgopt_ir_network ir;
  pgopt_grouping grouping;
  bool *unmovable;
  pgopt_axes axes;
  pgopt_layout_kernel *kernels; ///< in an order that respects dependencies
  const int *groups;            ///< one a kernel: its group, -1 for a view
  size_t kernel_count;
  pgopt_layout_sets sets;
} pgopt_layout_network;

/// Finds the kernels of a normalised entry and their layouts. Operations that
/// several kernels compute anew are repeated in the entry, one a kernel, and
/// every kernel's operations get its number as `pg.kernel`, so that
/// they are one kernel in other layouts too.
/// \param packs_parameters whether parameters may be taken in another order.
/// \param block channels of images that may be stored as a block; 0: none.
/// \param[out] network valid while the entry is not changed; freed with
///   `pgopt_layout_network_close`, also after a failure.
/// \returns failure after one error, when there are no kernels to be formed.
MlirLogicalResult pgopt_layout_network_open(MlirOperation entry,
                                            bool packs_parameters,
                                            int64_t block,
                                            pgopt_layout_network *network);
void pgopt_layout_network_close(pgopt_layout_network *network);

/// Gives every operation that needs a kernel and has no `pg.kernel` one of its
/// own: layout changes that were added.
void pgopt_label_changes(MlirOperation entry);

/// The candidate of every kernel turned into an assignment.
/// \param choice one a kernel.
/// \param arena holds the reads.
/// \param[out] assignment freed with `pgopt_assignment_free`.
void pgopt_choice_assign(const pgopt_layout_network *network, const int *choice,
                         pgopt_arena *arena, pgopt_assignment *assignment);

/// An order of a value's axes as a map from declared to stored indices.
MlirAttribute pgopt_order_map(const pgopt_layout_network *network, int value,
                              const int *order);

/// Rewrites a copy of the network's entry to the choice.
/// \param function a clone of the entry, unchanged.
MlirLogicalResult pgopt_choice_apply(const pgopt_layout_network *network,
                                     const int *choice, MlirOperation function);

#endif // PGOPT_PRICING_LAYOUT_NETWORK_H
