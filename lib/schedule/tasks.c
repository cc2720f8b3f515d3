/// \file Chains of small kernels as one task each.
///
/// Only ends of chains join: what a task depends on its first node depends on,
/// and what depends on a task depends on its last one. So tasks in the order of
/// their first nodes respect all dependencies.
#include "schedule/tasks.h"

#include <stdlib.h>

/// The node that `n` follows in a chain: the only one it depends on, of which
/// it is the only one that depends. \returns `n` itself when there is none.
static size_t chain_before(const pgopt_profile_graph *graph, size_t n) {
  const pgopt_graph_node *node = &graph->nodes[n];
  if (node->in_count != 1 || node->kind == PGOPT_NODE_BARRIER)
    return n;
  size_t from = graph->edges[node->first_in].from;
  const pgopt_graph_node *before = &graph->nodes[from];
  return before->out_count == 1 && before->kind != PGOPT_NODE_BARRIER ? from
                                                                      : n;
}

/// Edges between tasks.
static void add_edges(const pgopt_profile_graph *from, const size_t *task_of,
                      const pgopt_tasks *tasks) {
  pgopt_profile_graph *graph = tasks->graph;
  for (size_t t = 0; t < graph->node_count; ++t) {
    pgopt_graph_node *task = &graph->nodes[t];
    const pgopt_graph_node *head =
        &from->nodes[tasks->members[tasks->first[t]]];
    task->first_in = graph->edge_count;
    // Only the last node of a task is depended on: no pair comes twice.
    for (size_t k = 0; k < head->in_count; ++k) {
      const pgopt_graph_edge *edge = &from->edges[head->first_in + k];
      pgopt_graph_edge added = {task_of[edge->from], t, edge->bytes};
      PGOPT_APPEND(graph->edges, graph->edge_count, graph->edge_capacity,
                   added);
      ++graph->nodes[added.from].out_count;
    }
  }
}

static void fill_outgoing(pgopt_profile_graph *graph) {
  graph->outgoing = pgopt_allocate(graph->edge_count, sizeof(size_t));
  size_t next = 0;
  for (size_t t = 0; t < graph->node_count; ++t) {
    graph->nodes[t].first_out = next;
    next += graph->nodes[t].out_count;
    graph->nodes[t].out_count = 0;
  }
  for (size_t i = 0; i < graph->edge_count; ++i) {
    pgopt_graph_node *from = &graph->nodes[graph->edges[i].from];
    graph->outgoing[from->first_out + from->out_count++] = i;
  }
}

/// Lists the nodes of every task.
static void fill_members(const size_t *task_of, size_t nodes,
                         pgopt_tasks *tasks) {
  size_t count = tasks->graph->node_count;
  size_t *next = pgopt_allocate(count + 1, sizeof *next);
  tasks->first = pgopt_allocate(count + 1, sizeof *tasks->first);
  tasks->members = pgopt_allocate(nodes, sizeof *tasks->members);
  for (size_t n = 0; n < nodes; ++n)
    ++tasks->first[task_of[n] + 1];
  for (size_t t = 0; t < count; ++t) {
    tasks->first[t + 1] += tasks->first[t];
    next[t] = tasks->first[t];
  }
  for (size_t n = 0; n < nodes; ++n)
    tasks->members[next[task_of[n]]++] = n;
  free(next);
}

void pgopt_tasks_create(const pgopt_profile_graph *graph, const double *ns,
                        double small_ns, pgopt_tasks *tasks) {
  size_t nodes = graph->node_count;
  size_t *task_of = pgopt_allocate(nodes, sizeof *task_of);
  *tasks = (pgopt_tasks){.graph = pgopt_profile_graph_create(graph->entry),
                         .ns = pgopt_allocate(nodes, sizeof(double))};
  pgopt_profile_graph *to = tasks->graph;
  for (size_t n = 0; n < nodes; ++n) {
    size_t before = chain_before(graph, n);
    size_t task = before == n ? to->node_count : task_of[before];
    if (before == n || (ns[n] >= small_ns && tasks->ns[task] >= small_ns)) {
      pgopt_graph_node first = graph->nodes[n];
      first.out_count = 0; // counted anew, in_count stays
      task = to->node_count;
      PGOPT_APPEND(to->nodes, to->node_count, to->node_capacity, first);
    }
    task_of[n] = task;
    tasks->ns[task] += ns[n];
  }
  fill_members(task_of, nodes, tasks);
  add_edges(graph, task_of, tasks);
  fill_outgoing(to);
  free(task_of);
}

void pgopt_tasks_free(pgopt_tasks *tasks) {
  pgopt_profile_graph_destroy(tasks->graph);
  free(tasks->ns);
  free(tasks->first);
  free(tasks->members);
  *tasks = (pgopt_tasks){0};
}
