/// \file Kernels that are computed on several cores instead of communicated.
#ifndef PGOPT_SCHEDULE_KERNEL_COPIES_H
#define PGOPT_SCHEDULE_KERNEL_COPIES_H

#include "profile/profile_graph.h"

/// A copy of a kernel: it reads what the original reads, and writes a buffer of
/// its own.
typedef struct pgopt_kernel_copy {
  size_t node;   ///< what it is a copy of
  size_t *users; ///< nodes that read the copy's buffer instead; owned
  size_t user_count;
} pgopt_kernel_copy;

/// Numbers of nodes are those of the graph without copies.
typedef struct pgopt_kernel_copies {
  pgopt_kernel_copy *items; ///< in ascending order of `node`
  size_t count, capacity;
} pgopt_kernel_copies;

void pgopt_kernel_copies_free(pgopt_kernel_copies *copies);

/// The buffer that a kernel can write a copy of: it writes no other, all of it
/// and without reading it, and nobody else writes it or, later, what the kernel
/// reads. Graphs know nothing of what the entry returns: that is what the
/// original writes.
/// \returns false when the node is none that can be copied.
bool pgopt_node_copied_buffer(const pgopt_profile_graph *graph, size_t node,
                              size_t *buffer);

/// True when the node reads the buffer.
bool pgopt_node_reads_buffer(const pgopt_profile_graph *graph, size_t node,
                             size_t buffer);

/// Index in the graph with copies of copy `item`: behind the original, in the
/// order of the items.
size_t pgopt_kernel_copies_place(const pgopt_kernel_copies *copies,
                                 size_t item);

/// \param[out] moved per node its index in the graph with copies.
void pgopt_kernel_copies_move(const pgopt_kernel_copies *copies, size_t nodes,
                              size_t *moved);

/// The graph with the copies, connected; freed with
/// pgopt_profile_graph_destroy.
pgopt_profile_graph *
pgopt_kernel_copies_apply(const pgopt_profile_graph *graph,
                          const pgopt_kernel_copies *copies);

/// The graph as if what the nodes `is_everywhere` compute were on every core:
/// nobody depends on them.
pgopt_profile_graph *pgopt_graph_relaxed(const pgopt_profile_graph *graph,
                                         const bool *is_everywhere);

#endif // PGOPT_SCHEDULE_KERNEL_COPIES_H
