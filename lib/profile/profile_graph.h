/// \file The Profile graph: kernel calls, and the buffers through which they
/// depend on one another.
///
/// A node is one kernel call: one phase, or one range, of the computation of
/// one layer, with its amount of computation, its time and its function. An
/// edge says that the later node must wait for the earlier one because one of
/// them writes what the other reads or writes. Edges come from the accesses;
/// the order of the nodes only decides which of two conflicting nodes is first.
///
/// Build: create, add buffers, add nodes in an order in which they may run,
/// connect; read-only afterwards, and then safe to share between threads.
#ifndef PGOPT_PROFILE_PROFILE_GRAPH_H
#define PGOPT_PROFILE_PROFILE_GRAPH_H

#include "base/memory.h"
#include "base/status.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/// Which elements of a buffer are meant: those whose row-major position modulo
/// `period` lies in [begin, end). `period` divides the buffer's elements. A
/// dimension's interval of any shape of a contiguous buffer has this form, and
/// so have the whole buffer and one contiguous piece (`period` = elements).
typedef struct pgopt_buffer_range {
  int64_t period, begin, end;
} pgopt_buffer_range;

pgopt_buffer_range pgopt_range_whole(int64_t elements);

/// Indices [begin, end), cut to the extent, of dimension `dim` of a contiguous
/// array.
/// \param shape `rank` extents, each >= 0, whose product fits int64_t.
/// \returns PGOPT_INVALID when `dim` is not below `rank`, or when begin < 0 or
///   end < begin.
pgopt_status pgopt_range_of_dimension(const int64_t *shape, size_t rank,
                                      int64_t dim, int64_t begin, int64_t end,
                                      pgopt_buffer_range *range,
                                      pgopt_error *error);

/// Number of elements of a range of a buffer of `elements`.
int64_t pgopt_range_size(const pgopt_buffer_range *range, int64_t elements);

/// Number of elements in both. Exact when one period divides the other, which
/// holds for ranges of one shape and dimension, and when one of the ranges is
/// contiguous; else as if the smaller one lay in the other.
int64_t pgopt_range_overlap(const pgopt_buffer_range *a,
                            const pgopt_buffer_range *b, int64_t elements);

typedef enum pgopt_buffer_kind {
  PGOPT_BUFFER_ARGUMENT,  ///< passed to the network's function
  PGOPT_BUFFER_CONSTANT,  ///< a constant with its data in the module
  PGOPT_BUFFER_PARAMETER, ///< a constant in the parameter file
  PGOPT_BUFFER_VALUE,     ///< allocated for a value between kernels
} pgopt_buffer_kind;

/// Storage that no other buffer shares. Views of it with other shapes are the
/// same buffer.
typedef struct pgopt_graph_buffer {
  const char *name;
  pgopt_buffer_kind kind;
  int64_t elements, element_bytes;
} pgopt_graph_buffer;

typedef struct pgopt_buffer_access {
  size_t buffer;
  bool writes;
  pgopt_buffer_range range;
} pgopt_buffer_access;

typedef enum pgopt_node_kind {
  PGOPT_NODE_KERNEL,
  /// An operation with side effects and no buffers (a print, a clock): runs
  /// after every earlier node and before every later one.
  PGOPT_NODE_BARRIER,
} pgopt_node_kind;

/// Measured time; `runs` 0 when there is none.
typedef struct pgopt_node_timing {
  int64_t median_ns, min_ns, mad_ns, runs;
  const char *source; ///< "in-place", "isolated", "store" or "derived"
} pgopt_node_timing;

#define PGOPT_NO_CORE (-1)

typedef struct pgopt_graph_node {
  pgopt_node_kind kind;
  const char *function; ///< of a barrier: what it does
  const char *layer, *phase;
  int64_t part, parts;
  int64_t low, high; ///< the call's range of the outermost parallel loop
  bool has_lflops, has_bytes;
  int64_t lflops, bytes;
  pgopt_node_timing timing;
  int64_t core, slot; ///< PGOPT_NO_CORE before a schedule is made

  /// Set by the graph: its accesses, equal ones once.
  size_t first_access, access_count;
  /// Set by pgopt_profile_graph_connect: its edges in `edges`, and its outgoing
  /// ones through `outgoing`.
  size_t first_in, in_count, first_out, out_count;
  /// Set by it too: a barrier before the first kernel or after the last one.
  /// It stays outside of what runs in parallel.
  bool is_outside;
} pgopt_graph_node;

/// `bytes` is what the later node reads of what the earlier one wrote, 0 when
/// the edge only keeps an order.
typedef struct pgopt_graph_edge {
  size_t from, to; ///< from < to
  int64_t bytes;
} pgopt_graph_edge;

typedef struct pgopt_profile_graph {
  pgopt_arena arena; ///< owns the texts
  char *entry;       ///< name of the network's function

  pgopt_graph_buffer *buffers;
  size_t buffer_count, buffer_capacity;
  pgopt_graph_node *nodes;
  size_t node_count, node_capacity;
  pgopt_buffer_access *accesses;
  size_t access_count, access_capacity;
  pgopt_graph_edge *edges; ///< sorted by (to, from), each pair once
  size_t edge_count, edge_capacity;
  size_t *outgoing; ///< indices of edges, sorted by (from, to)
} pgopt_profile_graph;

pgopt_profile_graph *pgopt_profile_graph_create(const char *entry);
/// Null is allowed.
void pgopt_profile_graph_destroy(pgopt_profile_graph *graph);

/// Copies its texts. \returns the buffer's index.
size_t pgopt_profile_graph_add_buffer(pgopt_profile_graph *graph,
                                      const pgopt_graph_buffer *buffer);

/// Copies texts and accesses; the members set by the graph are ignored.
/// \param accesses ranges within their buffers; a barrier has none.
/// \returns the node's index.
size_t pgopt_profile_graph_add_node(pgopt_profile_graph *graph,
                                    const pgopt_graph_node *node,
                                    const pgopt_buffer_access *accesses,
                                    size_t access_count);

/// Derives the edges. Two nodes that conflict are connected by an edge, or by a
/// path through nodes that overwrite what the two conflict about.
void pgopt_profile_graph_connect(pgopt_profile_graph *graph);

static inline const pgopt_graph_edge *
pgopt_graph_out_edge(const pgopt_profile_graph *graph,
                     const pgopt_graph_node *node, size_t index) {
  return &graph->edges[graph->outgoing[node->first_out + index]];
}

/// How late each node must start if every kernel takes one step: the number of
/// kernels on the longest path that leads to it.
/// \param[out] levels one a node.
/// \returns the largest number of kernels of one level, which is how many can
///   run at once then; 0 without kernels.
size_t pgopt_profile_graph_levels(const pgopt_profile_graph *graph,
                                  size_t *levels);

/// True when both graphs have a node of equal function, range and accesses at
/// these indices, buffers compared by name.
bool pgopt_graph_nodes_equal(const pgopt_profile_graph *a, size_t node_a,
                             const pgopt_profile_graph *b, size_t node_b);

#endif // PGOPT_PROFILE_PROFILE_GRAPH_H
