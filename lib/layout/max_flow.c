/// \file Minimum cuts (Dinic's algorithm).
#include "layout/max_flow.h"

#include "base/memory.h"

#include <stdlib.h>
#include <string.h>

void pgopt_flow_init(pgopt_flow *flow, size_t nodes) {
  *flow = (pgopt_flow){.node_count = nodes};
  flow->first = pgopt_allocate(nodes, sizeof *flow->first);
  for (size_t i = 0; i < nodes; ++i)
    flow->first[i] = -1;
}

static void add_arc(pgopt_flow *flow, int from, int to, int64_t capacity) {
  pgopt_flow_arc arc = {to, flow->first[from], capacity};
  PGOPT_APPEND(flow->arcs, flow->arc_count, flow->arc_capacity, arc);
  flow->first[from] = (int)flow->arc_count - 1;
}

void pgopt_flow_add(pgopt_flow *flow, int from, int to, int64_t capacity,
                    int64_t back) {
  add_arc(flow, from, to, capacity);
  add_arc(flow, to, from, back);
}

/// Distances from the source along arcs with room; false when the sink is out
/// of reach.
static bool find_levels(const pgopt_flow *flow, int source, int sink,
                        int *level, int *queue) {
  for (size_t i = 0; i < flow->node_count; ++i)
    level[i] = -1;
  size_t head = 0, tail = 0;
  level[source] = 0;
  queue[tail++] = source;
  while (head < tail) {
    int node = queue[head++];
    for (int a = flow->first[node]; a >= 0; a = flow->arcs[a].next) {
      int to = flow->arcs[a].to;
      if (flow->arcs[a].capacity > 0 && level[to] < 0) {
        level[to] = level[node] + 1;
        queue[tail++] = to;
      }
    }
  }
  return level[sink] >= 0;
}

/// Sends flow along one path of increasing levels, without recursion: paths
/// may be as long as the network. Returns false when there is none left.
static bool push_path(pgopt_flow *flow, int source, int sink, const int *level,
                      int *current, int *path) {
  size_t length = 0;
  int node = source;
  while (node != sink) {
    int a = current[node];
    while (a >= 0 && !(flow->arcs[a].capacity > 0 &&
                       level[flow->arcs[a].to] == level[node] + 1))
      a = flow->arcs[a].next;
    current[node] = a;
    if (a >= 0) {
      path[length++] = a;
      node = flow->arcs[a].to;
      continue;
    }
    if (!length)
      return false;
    node = flow->arcs[path[--length] ^ 1].to; /* a dead end: step back */
    current[node] = flow->arcs[current[node]].next;
  }
  int64_t amount = INT64_MAX;
  for (size_t i = 0; i < length; ++i)
    if (flow->arcs[path[i]].capacity < amount)
      amount = flow->arcs[path[i]].capacity;
  for (size_t i = 0; i < length; ++i) {
    flow->arcs[path[i]].capacity -= amount;
    flow->arcs[path[i] ^ 1].capacity += amount;
  }
  return true;
}

void pgopt_flow_cut(pgopt_flow *flow, int source, int sink, bool *sink_side) {
  size_t n = flow->node_count;
  int *level = pgopt_allocate(n, sizeof *level);
  int *current = pgopt_allocate(n, sizeof *current);
  int *scratch = pgopt_allocate(n, sizeof *scratch);
  while (find_levels(flow, source, sink, level, scratch)) {
    memcpy(current, flow->first, n * sizeof *current);
    while (push_path(flow, source, sink, level, current, scratch)) {
    }
  }
  for (size_t i = 0; i < n; ++i)
    sink_side[i] = level[i] < 0;
  free(scratch);
  free(current);
  free(level);
}

void pgopt_flow_free(pgopt_flow *flow) {
  free(flow->first);
  free(flow->arcs);
  *flow = (pgopt_flow){0};
}
