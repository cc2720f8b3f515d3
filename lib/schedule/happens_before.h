/// \file Which nodes are done for certain when another one begins, under a
/// schedule.
#ifndef PGOPT_SCHEDULE_HAPPENS_BEFORE_H
#define PGOPT_SCHEDULE_HAPPENS_BEFORE_H

#include "schedule/schedule.h"

typedef struct pgopt_happens_before {
  size_t cores;    ///< at least 1
  int64_t *core;   ///< per node; PGOPT_NO_CORE for a node that no core runs
  uint32_t *place; ///< per node: its position in its core's list, from 1
  uint32_t *known; ///< per node and core: nodes of the core that are done
} pgopt_happens_before;

/// \param lists cover every node at most once; none (`count` 0): the nodes run
///   one after the other in the order of the graph.
/// \param[out] order freed with pgopt_happens_before_free; empty on failure.
/// \returns PGOPT_INVALID when the lists do not come to their end or name a
///   node that is not there.
pgopt_status pgopt_happens_before_create(const pgopt_profile_graph *graph,
                                         const pgopt_core_lists *lists,
                                         pgopt_happens_before *order,
                                         pgopt_error *error);
void pgopt_happens_before_free(pgopt_happens_before *order);

/// Number of nodes of a core that are done when `node`, which a core runs,
/// begins.
static inline uint32_t pgopt_known_done(const pgopt_happens_before *order,
                                        size_t node, size_t core) {
  return order->known[node * order->cores + core];
}

/// True when `first` is done before `second` begins; both are run by a core.
static inline bool pgopt_is_before(const pgopt_happens_before *order,
                                   size_t first, size_t second) {
  return order->place[first] <=
         pgopt_known_done(order, second, (size_t)order->core[first]);
}

#endif // PGOPT_SCHEDULE_HAPPENS_BEFORE_H
