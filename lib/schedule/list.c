/// \file The list policy: kernels in the order of their bottom levels, each to
/// the core where it ends first, then improved by moving one kernel at a time.
///
/// The bottom level of a kernel is the longest way from its begin to the end of
/// the network, waiting and reading between cores included. Improvement starts
/// from several lists (one that counts waiting, one that does not, everything
/// on one core), and takes kernels that the makespan hangs on to other cores
/// and other places of the order, as long as the makespan falls or, at the same
/// makespan, fewer dependencies cross cores. What is left of its budget goes
/// into the same from changed copies of the best list. A third of it goes into
/// the tasks of the graph (schedule/tasks.h), whose best list is one of those
/// that the improvement of all kernels begins with.
///
/// Source: heterogeneous earliest finish time, Topcuoglu et al., IEEE TPDS
/// 13(3), 2002; iterated local search.
#include "schedule/exchange.h"
#include "schedule/predict.h"
#include "schedule/tasks.h"

#include <stdlib.h>
#include <string.h>

/// Nodes that improvement may look at in all, and lists that it may try.
enum { WORK = 30000000, MOST_TRIES = 12000 };
/// Places in the order that a kernel is moved by, at most.
enum { WINDOW = 12 };
/// A kernel that runs for less than so many waits is small.
enum { SMALL_WAITS = 4 };

/// A list: nodes in order, and their cores.
typedef struct task_list {
  size_t *order;
  int64_t *core;
  double makespan_ns;
  size_t crossings;
} task_list;

typedef struct improver {
  const pgopt_profile_graph *graph;
  const double *ns;
  double wait_ns; ///< from a kernel's end until another core can go on
  const pgopt_sync_costs *costs;
  int64_t cores;
  double *finish, *idle_from; ///< per node, per core
  /// Per node: what its begin waited for, a node or none (-1); per core: its
  /// last node.
  int64_t *waited_for, *last_on;
  size_t *place; ///< per node: in the order
  double *taken; ///< per node: bytes that another core takes, at least
  bool *uses;    ///< per core: has something to do
  double sequential_ns;
  int64_t tries; ///< that are left
  uint64_t random;
} improver;

static size_t draw(improver *m, size_t below) {
  m->random = m->random * UINT64_C(6364136223846793005) + 1442695040888963407;
  return (size_t)(m->random >> 33) % below;
}

/// From a node's end on one core until another one can go on.
static double wait_between(const improver *m, int64_t from, int64_t to) {
  if (from == to)
    return 0;
  const pgopt_resource_model *resources = m->costs->resources;
  return resources ? m->wait_ns + pgopt_resource_distance(resources, from, to)
                   : m->wait_ns;
}

/// How long the node takes on a core.
static double time_on(const improver *m, size_t n, int64_t core, double fetched,
                      double reclaimed) {
  double ns = pgopt_resource_time(m->costs->resources, core, m->ns[n]);
  return ns + pgopt_passing_delay(m->costs, &m->graph->nodes[n], ns, fetched,
                                  reclaimed);
}

/// Every core's begin.
static void begin_cores(improver *m) {
  size_t used = 0;
  bool is_first = true;
  for (int64_t c = 0; c < m->cores; ++c)
    used += m->uses[c];
  for (int64_t c = 0; c < m->cores; ++c) {
    m->idle_from[c] =
        pgopt_sync_begin(m->costs, is_first, m->sequential_ns, used);
    is_first = is_first && !m->uses[c];
    m->last_on[c] = -1;
  }
}

/// What each node writes and another core reads: as much as the one that reads
/// most of it.
static void find_taken(const improver *m, const task_list *list) {
  const pgopt_profile_graph *graph = m->graph;
  memset(m->taken, 0, graph->node_count * sizeof *m->taken);
  if (m->costs->reclaim_ns <= 0)
    return;
  for (size_t i = 0; i < graph->edge_count; ++i) {
    const pgopt_graph_edge *edge = &graph->edges[i];
    if (list->core[edge->from] != list->core[edge->to] &&
        (double)edge->bytes > m->taken[edge->from])
      m->taken[edge->from] = (double)edge->bytes;
  }
}

/// Plays the list through. \returns the node that ends last.
static size_t play(improver *m, task_list *list) {
  const pgopt_profile_graph *graph = m->graph;
  size_t last = 0;
  find_taken(m, list);
  list->makespan_ns = 0;
  list->crossings = 0;
  memset(m->uses, 0, (size_t)m->cores * sizeof *m->uses);
  for (size_t i = 0; i < graph->node_count; ++i)
    m->uses[list->core[i]] = true;
  begin_cores(m);
  for (size_t i = 0; i < graph->node_count; ++i) {
    size_t n = list->order[i];
    const pgopt_graph_node *node = &graph->nodes[n];
    int64_t core = list->core[n];
    double begin = m->idle_from[core], fetched = 0;
    m->place[n] = i;
    m->waited_for[n] = m->last_on[core];
    for (size_t k = 0; k < node->in_count; ++k) {
      const pgopt_graph_edge *edge = &graph->edges[node->first_in + k];
      size_t from = edge->from;
      bool crosses = list->core[from] != core;
      double ready = m->finish[from] + wait_between(m, list->core[from], core);
      list->crossings += crosses;
      fetched += crosses ? (double)edge->bytes : 0;
      if (ready > begin) {
        begin = ready;
        m->waited_for[n] = (int64_t)from;
      }
    }
    m->finish[n] = m->idle_from[core] =
        begin + time_on(m, n, core, fetched, m->taken[n]);
    m->last_on[core] = (int64_t)n;
    if (m->finish[n] > list->makespan_ns) {
      list->makespan_ns = m->finish[n];
      last = n;
    }
  }
  return last;
}

static bool is_better(const task_list *a, const task_list *b) {
  double rounding = 1e-9 * b->makespan_ns;
  if (a->makespan_ns < b->makespan_ns - rounding)
    return true;
  return a->makespan_ns <= b->makespan_ns + rounding &&
         a->crossings < b->crossings;
}

static task_list new_list(size_t nodes) {
  return (task_list){pgopt_allocate(nodes, sizeof(size_t)),
                     pgopt_allocate(nodes, sizeof(int64_t)), 0, 0};
}

static void free_list(task_list *list) {
  free(list->order);
  free(list->core);
}

static void copy_list(task_list *to, const task_list *from, size_t nodes) {
  memcpy(to->order, from->order, nodes * sizeof *to->order);
  memcpy(to->core, from->core, nodes * sizeof *to->core);
  to->makespan_ns = from->makespan_ns;
  to->crossings = from->crossings;
}

/// The longest way from each node's begin to the end; with `crosses` as if no
/// dependency stayed on its core.
static void find_levels(const improver *m, bool crosses, double *level) {
  const pgopt_profile_graph *graph = m->graph;
  for (size_t i = graph->node_count; i-- > 0;) {
    const pgopt_graph_node *node = &graph->nodes[i];
    double after = 0;
    for (size_t k = 0; k < node->out_count; ++k) {
      const pgopt_graph_edge *edge = pgopt_graph_out_edge(graph, node, k);
      double to = level[edge->to];
      if (crosses)
        to += m->wait_ns + (double)edge->bytes * m->costs->byte_ns;
      after = to > after ? to : after;
    }
    level[i] = after + m->ns[i];
  }
}

typedef struct ready_node {
  double level;
  size_t node;
} ready_node;

/// Of two ready nodes the one that goes first.
static bool goes_first(ready_node a, ready_node b) {
  return a.level != b.level ? a.level > b.level : a.node < b.node;
}

/// A heap of ready nodes, the first at its root.
typedef struct ready_heap {
  ready_node *nodes;
  size_t count;
} ready_heap;

static void push(ready_heap *heap, ready_node node) {
  size_t at = heap->count++;
  while (at && goes_first(node, heap->nodes[(at - 1) / 2])) {
    heap->nodes[at] = heap->nodes[(at - 1) / 2];
    at = (at - 1) / 2;
  }
  heap->nodes[at] = node;
}

static size_t pop(ready_heap *heap) {
  size_t first = heap->nodes[0].node, at = 0;
  ready_node last = heap->nodes[--heap->count];
  for (size_t child = 1; child < heap->count; child = 2 * at + 1) {
    if (child + 1 < heap->count &&
        goes_first(heap->nodes[child + 1], heap->nodes[child]))
      ++child;
    if (!goes_first(heap->nodes[child], last))
      break;
    heap->nodes[at] = heap->nodes[child];
    at = child;
  }
  heap->nodes[at] = last;
  return first;
}

/// When the node ends on a core. \param[out] own_bytes what it reads that this
///   core wrote.
static double end_on(const improver *m, const task_list *list, size_t n,
                     int64_t core, double *own_bytes) {
  const pgopt_graph_node *node = &m->graph->nodes[n];
  double begin = m->idle_from[core], fetched = 0;
  *own_bytes = 0;
  for (size_t k = 0; k < node->in_count; ++k) {
    const pgopt_graph_edge *edge = &m->graph->edges[node->first_in + k];
    bool is_own = list->core[edge->from] == core;
    double ready =
        m->finish[edge->from] + wait_between(m, list->core[edge->from], core);
    begin = ready > begin ? ready : begin;
    fetched += is_own ? 0 : (double)edge->bytes;
    *own_bytes += is_own ? (double)edge->bytes : 0;
  }
  return begin + time_on(m, n, core, fetched, 0);
}

/// The core where the node ends first; of several the one that wrote most of
/// what it reads: its caches hold that.
static int64_t best_core(const improver *m, const task_list *list, size_t n,
                         double *end) {
  double bytes;
  int64_t best = 0;
  *end = end_on(m, list, n, 0, &bytes);
  if (m->graph->nodes[n].kind == PGOPT_NODE_BARRIER)
    return 0;
  for (int64_t core = 1; core < m->cores; ++core) {
    double core_bytes, core_end = end_on(m, list, n, core, &core_bytes);
    if (core_end < *end || (core_end == *end && core_bytes > bytes)) {
      best = core;
      *end = core_end;
      bytes = core_bytes;
    }
  }
  return best;
}

/// Builds a list by bottom levels.
static void build(improver *m, bool crosses, task_list *list) {
  const pgopt_profile_graph *graph = m->graph;
  size_t nodes = graph->node_count, count = 0;
  double *level = pgopt_allocate(nodes, sizeof *level);
  size_t *missing = pgopt_allocate(nodes, sizeof *missing);
  ready_heap heap = {pgopt_allocate(nodes, sizeof *heap.nodes), 0};
  find_levels(m, crosses, level);
  for (int64_t c = 0; c < m->cores; ++c)
    m->uses[c] = true;
  begin_cores(m);
  for (size_t i = 0; i < nodes; ++i) {
    missing[i] = graph->nodes[i].in_count;
    if (!missing[i])
      push(&heap, (ready_node){level[i], i});
  }
  while (heap.count) {
    size_t n = pop(&heap);
    const pgopt_graph_node *node = &graph->nodes[n];
    double end;
    list->core[n] = best_core(m, list, n, &end);
    m->finish[n] = m->idle_from[list->core[n]] = end;
    list->order[count++] = n;
    for (size_t k = 0; k < node->out_count; ++k) {
      size_t to = pgopt_graph_out_edge(graph, node, k)->to;
      if (!--missing[to])
        push(&heap, (ready_node){level[to], to});
    }
  }
  free(level);
  free(missing);
  free(heap.nodes);
}

/// Moves the node at `from` to `to`, as far as what it depends on, or what
/// depends on it, lets it. `place` is as of the list.
static void move(const improver *m, task_list *list, size_t from, size_t to) {
  size_t n = list->order[from];
  const pgopt_graph_node *node = &m->graph->nodes[n];
  for (size_t k = 0; k < node->in_count && to < from; ++k) {
    size_t before = m->place[m->graph->edges[node->first_in + k].from];
    to = before >= to ? before + 1 : to;
  }
  for (size_t k = 0; k < node->out_count && to > from; ++k) {
    size_t after = m->place[pgopt_graph_out_edge(m->graph, node, k)->to];
    to = after <= to ? after - 1 : to;
  }
  if (to < from)
    memmove(list->order + to + 1, list->order + to,
            (from - to) * sizeof *list->order);
  else
    memmove(list->order + from, list->order + from + 1,
            (to - from) * sizeof *list->order);
  list->order[to] = n;
}

/// Tries the node on every core and at places near its own.
/// \returns whether that made the list better.
static bool try_moves(improver *m, task_list *list, task_list *trial,
                      size_t node) {
  size_t nodes = m->graph->node_count, here = m->place[node];
  if (m->graph->nodes[node].kind == PGOPT_NODE_BARRIER)
    return false;
  size_t first = here > WINDOW ? here - WINDOW : 0;
  size_t last = here + WINDOW < nodes ? here + WINDOW : nodes - 1;
  for (int64_t core = 0; core < m->cores; ++core)
    for (size_t to = first; to <= last && m->tries > 0; ++to) {
      if (core == list->core[node] && to == here)
        continue;
      --m->tries;
      copy_list(trial, list, nodes);
      trial->core[node] = core;
      move(m, trial, here, to);
      play(m, trial);
      if (is_better(trial, list)) {
        copy_list(list, trial, nodes);
        return true;
      }
      // Places are those of the trial now.
      for (size_t i = first; i <= last; ++i)
        m->place[list->order[i]] = i;
    }
  return false;
}

/// Improves the list as long as one of the nodes that the makespan hangs on can
/// be moved, and tries are left.
static void improve(improver *m, task_list *list, task_list *trial) {
  bool improved = true;
  size_t nodes = m->graph->node_count;
  size_t *chain = pgopt_allocate(nodes, sizeof *chain);
  while (improved && m->tries > 0) {
    improved = false;
    size_t count = 0;
    for (int64_t n = (int64_t)play(m, list); n >= 0; n = m->waited_for[n])
      chain[count++] = (size_t)n;
    for (size_t i = 0; i < count && !improved && m->tries > 0; ++i)
      improved = try_moves(m, list, trial, chain[i]);
  }
  free(chain);
}

/// Moves a few nodes anywhere.
static void shake(improver *m, task_list *list) {
  size_t nodes = m->graph->node_count;
  for (int moves = 0; moves < 3; ++moves) {
    size_t from = draw(m, nodes), to = draw(m, nodes);
    size_t node = list->order[from];
    if (m->graph->nodes[node].kind == PGOPT_NODE_BARRIER)
      continue;
    list->core[node] = (int64_t)draw(m, (size_t)m->cores);
    move(m, list, from, to);
    for (size_t i = 0; i < nodes; ++i)
      m->place[list->order[i]] = i;
  }
}

/// The best of the lists that improvement begins with.
static void begin(improver *m, task_list *best, task_list *list,
                  task_list *trial) {
  size_t nodes = m->graph->node_count;
  int64_t fastest = pgopt_resource_fastest(m->costs->resources);
  for (size_t i = 0; i < nodes; ++i) {
    best->order[i] = i;
    best->core[i] = fastest;
  }
  play(m, best);
  for (int i = 0; i < 2; ++i) {
    build(m, !i, list);
    play(m, list);
    improve(m, list, trial);
    if (is_better(list, best))
      copy_list(best, list, nodes);
  }
}

/// The best list of a graph that `tries` lists find.
/// \param start a list to begin with as well; null for none.
static void search(const pgopt_profile_graph *graph, const double *ns,
                   const pgopt_schedule_request *request, int64_t tries,
                   const task_list *start, task_list *best) {
  size_t nodes = graph->node_count, cores = (size_t)request->resources;
  improver m = {.graph = graph,
                .ns = ns,
                .wait_ns =
                    request->costs.latency_ns + 2 * request->costs.hop_ns,
                .costs = &request->costs,
                .cores = request->resources,
                .finish = pgopt_allocate(nodes, sizeof(double)),
                .idle_from = pgopt_allocate(cores, sizeof(double)),
                .waited_for = pgopt_allocate(nodes, sizeof(int64_t)),
                .last_on = pgopt_allocate(cores, sizeof(int64_t)),
                .place = pgopt_allocate(nodes, sizeof(size_t)),
                .taken = pgopt_allocate(nodes, sizeof(double)),
                .uses = pgopt_allocate(cores, sizeof(bool)),
                .tries = tries,
                .random = 1};
  for (size_t i = 0; i < nodes; ++i)
    m.sequential_ns += ns[i];
  task_list list = new_list(nodes), trial = new_list(nodes);
  begin(&m, best, &list, &trial);
  if (start) {
    copy_list(&list, start, nodes);
    play(&m, &list);
    improve(&m, &list, &trial);
    if (is_better(&list, best))
      copy_list(best, &list, nodes);
  }
  while (m.tries > 0) {
    int64_t before = m.tries;
    copy_list(&list, best, nodes);
    play(&m, &list);
    shake(&m, &list);
    improve(&m, &list, &trial);
    if (is_better(&list, best))
      copy_list(best, &list, nodes);
    // Nothing can be moved at all: one core, or barriers alone.
    m.tries -= m.tries == before;
  }
  free_list(&list);
  free_list(&trial);
  free(m.finish);
  free(m.idle_from);
  free(m.waited_for);
  free(m.last_on);
  free(m.place);
  free(m.taken);
  free(m.uses);
}

/// The list of all kernels that a list of their tasks is.
static void expand(const pgopt_tasks *tasks, const task_list *list,
                   task_list *expanded) {
  size_t count = 0;
  for (size_t i = 0; i < tasks->graph->node_count; ++i) {
    size_t task = list->order[i];
    for (size_t k = tasks->first[task]; k < tasks->first[task + 1]; ++k) {
      expanded->order[count++] = tasks->members[k];
      expanded->core[tasks->members[k]] = list->core[task];
    }
  }
}

static void assign(const pgopt_profile_graph *graph,
                   const pgopt_schedule_request *request, size_t *order,
                   int64_t *core) {
  size_t nodes = graph->node_count;
  if (!nodes)
    return;
  pgopt_node_costs costs = pgopt_node_costs_create(graph);
  int64_t tries = WORK / (int64_t)(nodes + 1);
  tries = tries < MOST_TRIES ? tries : MOST_TRIES;
  if (request->resources == 1)
    tries = 0;
  pgopt_tasks tasks;
  double wait_ns = request->costs.latency_ns + 2 * request->costs.hop_ns;
  pgopt_tasks_create(graph, costs.ns, SMALL_WAITS * wait_ns, &tasks);
  task_list best = new_list(nodes), start = new_list(nodes);
  bool has_tasks = tasks.graph->node_count < nodes;
  if (has_tasks) {
    task_list coarse = new_list(tasks.graph->node_count);
    search(tasks.graph, tasks.ns, request, tries / 3, NULL, &coarse);
    expand(&tasks, &coarse, &start);
    free_list(&coarse);
    tries -= tries / 3;
  }
  search(graph, costs.ns, request, tries, has_tasks ? &start : NULL, &best);
  memcpy(order, best.order, nodes * sizeof *order);
  memcpy(core, best.core, nodes * sizeof *core);
  free_list(&start);
  free_list(&best);
  pgopt_tasks_free(&tasks);
  pgopt_node_costs_free(&costs);
}

const pgopt_schedule_policy pgopt_list_schedule = {
    .name = "list",
    .summary = "critical path first, each kernel where it ends first, then "
               "improved by moves",
    .assign = assign,
    .copies = true,
};
