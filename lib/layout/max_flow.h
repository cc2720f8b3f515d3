/// \file Minimum cuts (Dinic's algorithm).
#ifndef PGOPT_LAYOUT_MAX_FLOW_H
#define PGOPT_LAYOUT_MAX_FLOW_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct pgopt_flow_arc {
  int to;
  int next; ///< next arc of the same node, -1 at the end
  int64_t capacity;
} pgopt_flow_arc;

/// Arcs stand in pairs: arc i runs against arc i ^ 1.
typedef struct pgopt_flow {
  int *first; ///< of each node
  size_t node_count;
  pgopt_flow_arc *arcs;
  size_t arc_count, arc_capacity;
} pgopt_flow;

void pgopt_flow_init(pgopt_flow *flow, size_t nodes);
/// Arcs of both directions; capacities >= 0.
void pgopt_flow_add(pgopt_flow *flow, int from, int to, int64_t capacity,
                    int64_t back);
/// Cuts source from sink at the least capacity.
/// \param[out] sink_side one flag a node: not reached from the source.
void pgopt_flow_cut(pgopt_flow *flow, int source, int sink, bool *sink_side);
void pgopt_flow_free(pgopt_flow *flow);

#endif // PGOPT_LAYOUT_MAX_FLOW_H
