/// \file Where the cores of a schedule have to wait for one another.
///
/// Each core's knowledge is a vector: how many nodes of every core are surely
/// done. Running a node adds one to its core's own entry; waiting for a node
/// adds all that was known when that node was done. The nodes are visited in
/// the global order; a node waits for those of its predecessors that its core
/// does not know to be done, the latest first: it may know of the earlier ones,
/// never the other way round. So no wait is implied by the rest.
#include "schedule/schedule.h"

#include <stdlib.h>
#include <string.h>

typedef struct inserter {
  const pgopt_profile_graph *graph;
  const pgopt_schedule *schedule;
  size_t *position;   ///< per node: where it stands in the order
  uint32_t **known;   ///< per core: its knowledge
  uint32_t **at_end;  ///< per node that others may wait for: knowledge then
  uint32_t *pending;  ///< per node: edges to other cores not yet visited
  bool *is_waited;    ///< per node
  pgopt_event *waits; ///< of all nodes, in the global order
  size_t wait_count, wait_capacity;
  size_t *last_wait; ///< per node: end of its waits in `waits`
  size_t *needed;    ///< scratch: positions of one node's predecessors
} inserter;

static bool crosses(const inserter *s, const pgopt_graph_edge *edge) {
  int64_t from = s->schedule->core[edge->from];
  int64_t to = s->schedule->core[edge->to];
  return from != PGOPT_NO_CORE && to != PGOPT_NO_CORE && from != to;
}

static void learn(uint32_t *known, const uint32_t *other, size_t cores) {
  for (size_t i = 0; i < cores; ++i)
    known[i] = other[i] > known[i] ? other[i] : known[i];
}

static int compare_descending(const void *a, const void *b) {
  size_t left = *(const size_t *)a, right = *(const size_t *)b;
  return (left < right) - (left > right);
}

/// Positions of the predecessors on other cores, latest first.
static size_t collect_needed(inserter *s, const pgopt_graph_node *node) {
  size_t count = 0;
  for (size_t k = 0; k < node->in_count; ++k) {
    const pgopt_graph_edge *edge = &s->graph->edges[node->first_in + k];
    if (crosses(s, edge))
      s->needed[count++] = s->position[edge->from];
  }
  if (count > 1)
    qsort(s->needed, count, sizeof *s->needed, compare_descending);
  return count;
}

static void visit(inserter *s, size_t node) {
  const pgopt_schedule *schedule = s->schedule;
  size_t core = (size_t)schedule->core[node];
  uint32_t *known = s->known[core];
  size_t needed = collect_needed(s, &s->graph->nodes[node]);
  for (size_t i = 0; i < needed; ++i) {
    size_t from = schedule->order[s->needed[i]];
    int64_t from_core = schedule->core[from];
    int64_t value = schedule->slot[from] + 1;
    if (known[from_core] < value) {
      pgopt_event wait = {PGOPT_EVENT_WAIT, node, from_core, value};
      PGOPT_APPEND(s->waits, s->wait_count, s->wait_capacity, wait);
      s->is_waited[from] = true;
      learn(known, s->at_end[from], schedule->cores);
    }
    if (!--s->pending[from]) {
      free(s->at_end[from]);
      s->at_end[from] = NULL;
    }
  }
  s->last_wait[node] = s->wait_count;
  known[core] = (uint32_t)schedule->slot[node] + 1;
  if (s->pending[node]) {
    s->at_end[node] = pgopt_allocate(schedule->cores, sizeof(uint32_t));
    memcpy(s->at_end[node], known, schedule->cores * sizeof(uint32_t));
  }
}

static pgopt_core_lists write_lists(const inserter *s) {
  pgopt_core_lists lists = pgopt_core_lists_create(s->schedule->cores);
  size_t wait = 0;
  for (size_t i = 0; i < s->schedule->node_count; ++i) {
    size_t node = s->schedule->order[i];
    if (s->schedule->core[node] == PGOPT_NO_CORE)
      continue;
    size_t core = (size_t)s->schedule->core[node];
    for (; wait < s->last_wait[node]; ++wait)
      pgopt_core_lists_append(&lists, core, s->waits[wait]);
    pgopt_event run = {.kind = PGOPT_EVENT_RUN, .node = node};
    pgopt_core_lists_append(&lists, core, run);
    pgopt_event signal = {PGOPT_EVENT_SIGNAL, node, 0,
                          s->schedule->slot[node] + 1};
    if (s->is_waited[node])
      pgopt_core_lists_append(&lists, core, signal);
  }
  return lists;
}

pgopt_core_lists pgopt_schedule_lists(const pgopt_profile_graph *graph,
                                      const pgopt_schedule *schedule) {
  size_t nodes = graph->node_count;
  inserter s = {
      .graph = graph,
      .schedule = schedule,
      .position = pgopt_allocate(nodes, sizeof(size_t)),
      .known = pgopt_allocate(schedule->cores, sizeof(uint32_t *)),
      .at_end = pgopt_allocate(nodes, sizeof(uint32_t *)),
      .pending = pgopt_allocate(nodes, sizeof(uint32_t)),
      .is_waited = pgopt_allocate(nodes, sizeof(bool)),
      .last_wait = pgopt_allocate(nodes, sizeof(size_t)),
      .needed = pgopt_allocate(nodes, sizeof(size_t)),
  };
  for (size_t i = 0; i < nodes; ++i)
    s.position[schedule->order[i]] = i;
  for (size_t i = 0; i < schedule->cores; ++i)
    s.known[i] = pgopt_allocate(schedule->cores, sizeof(uint32_t));
  for (size_t i = 0; i < graph->edge_count; ++i)
    s.pending[graph->edges[i].from] += crosses(&s, &graph->edges[i]);
  for (size_t i = 0; i < nodes; ++i)
    if (schedule->core[schedule->order[i]] != PGOPT_NO_CORE)
      visit(&s, schedule->order[i]);
  pgopt_core_lists lists = write_lists(&s);
  for (size_t i = 0; i < schedule->cores; ++i)
    free(s.known[i]);
  free(s.position);
  free(s.known);
  free(s.at_end);
  free(s.pending);
  free(s.is_waited);
  free(s.waits);
  free(s.last_wait);
  free(s.needed);
  return lists;
}
