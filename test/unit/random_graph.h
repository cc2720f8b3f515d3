/// \file Random Profile graphs for property tests: kernels cut into ranges,
/// buffers that are written once or over and over, barriers.
#ifndef PGOPT_TEST_RANDOM_GRAPH_H
#define PGOPT_TEST_RANDOM_GRAPH_H

#include "profile/profile_graph.h"

#include <stdio.h>

/// xorshift64*; the state must not be 0.
static inline uint64_t random_next(uint64_t *state) {
  *state ^= *state >> 12;
  *state ^= *state << 25;
  *state ^= *state >> 27;
  return *state * 2685821657736338717u;
}

static inline int64_t random_below(uint64_t *state, int64_t limit) {
  return (int64_t)(random_next(state) % (uint64_t)limit);
}

/// A range of a buffer of 2 x 3 x 5 x 7 elements, of any of its dimensions.
static inline pgopt_buffer_range random_range(uint64_t *state) {
  static const int64_t shape[] = {2, 3, 5, 7};
  if (random_below(state, 3) == 0)
    return pgopt_range_whole(210);
  int64_t dim = random_below(state, 4);
  int64_t begin = random_below(state, shape[dim]);
  int64_t end = begin + 1 + random_below(state, shape[dim] - begin);
  pgopt_buffer_range range;
  pgopt_range_of_dimension(shape, 4, dim, begin, end, &range, NULL);
  return range;
}

/// `nodes` nodes over `buffers` buffers; one in `barrier_odds` is a barrier
/// (none when 0). Connected.
static inline pgopt_profile_graph *random_graph(uint64_t *state, size_t nodes,
                                                size_t buffers,
                                                int64_t barrier_odds) {
  pgopt_profile_graph *graph = pgopt_profile_graph_create("random");
  for (size_t i = 0; i < buffers; ++i) {
    char name[32];
    snprintf(name, sizeof name, "b%zu", i);
    pgopt_graph_buffer buffer = {name, PGOPT_BUFFER_VALUE, 210, 4};
    pgopt_profile_graph_add_buffer(graph, &buffer);
  }
  for (size_t i = 0; i < nodes; ++i) {
    char name[32];
    snprintf(name, sizeof name, "k%zu", i);
    pgopt_graph_node node = {.function = name,
                             .layer = name,
                             .phase = "main",
                             .parts = 1,
                             .high = 1,
                             .has_lflops = true,
                             .lflops = 1 + random_below(state, 5000),
                             .core = PGOPT_NO_CORE,
                             .slot = PGOPT_NO_CORE};
    if (barrier_odds && random_below(state, barrier_odds) == 0) {
      node.kind = PGOPT_NODE_BARRIER;
      pgopt_profile_graph_add_node(graph, &node, NULL, 0);
      continue;
    }
    pgopt_buffer_access accesses[4];
    size_t count = 1 + (size_t)random_below(state, 4);
    for (size_t k = 0; k < count; ++k)
      accesses[k] = (pgopt_buffer_access){
          .buffer = (size_t)random_below(state, (int64_t)buffers),
          .writes = k == 0,
          .range = random_range(state)};
    pgopt_profile_graph_add_node(graph, &node, accesses, count);
  }
  pgopt_profile_graph_connect(graph);
  return graph;
}

/// The elements of a range of 210, one bit each.
static inline void range_elements(const pgopt_buffer_range *range,
                                  bool *elements) {
  for (int64_t i = 0; i < 210; ++i)
    elements[i] =
        i % range->period >= range->begin && i % range->period < range->end;
}

static inline int64_t common_elements(const pgopt_buffer_range *a,
                                      const pgopt_buffer_range *b) {
  bool in_a[210], in_b[210];
  range_elements(a, in_a);
  range_elements(b, in_b);
  int64_t count = 0;
  for (int i = 0; i < 210; ++i)
    count += in_a[i] && in_b[i];
  return count;
}

/// By looking at every element: must the two nodes keep their order? Counts
/// what `pgopt_range_overlap` counts where that is not exact.
static inline bool nodes_conflict(const pgopt_profile_graph *graph, size_t a,
                                  size_t b) {
  const pgopt_graph_node *left = &graph->nodes[a], *right = &graph->nodes[b];
  if (left->kind == PGOPT_NODE_BARRIER || right->kind == PGOPT_NODE_BARRIER)
    return true;
  for (size_t i = 0; i < left->access_count; ++i)
    for (size_t k = 0; k < right->access_count; ++k) {
      const pgopt_buffer_access *x = &graph->accesses[left->first_access + i];
      const pgopt_buffer_access *y = &graph->accesses[right->first_access + k];
      if (x->buffer == y->buffer && (x->writes || y->writes) &&
          common_elements(&x->range, &y->range))
        return true;
    }
  return false;
}

#endif // PGOPT_TEST_RANDOM_GRAPH_H
