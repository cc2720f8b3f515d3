/// \file Unit tests of tasks: what joins, and that every task of a random graph
/// is a chain whose edges are those of its ends.
#include "schedule/tasks.h"

#include "check.h"
#include "random_graph.h"

#include <stdlib.h>

/// The task of every node; checks that each is in one.
static size_t *tasks_of(const pgopt_profile_graph *graph,
                        const pgopt_tasks *tasks) {
  size_t *task_of = pgopt_allocate(graph->node_count, sizeof *task_of);
  size_t *seen = pgopt_allocate(graph->node_count, sizeof *seen);
  for (size_t t = 0; t < tasks->graph->node_count; ++t)
    for (size_t k = tasks->first[t]; k < tasks->first[t + 1]; ++k) {
      task_of[tasks->members[k]] = t;
      ++seen[tasks->members[k]];
    }
  for (size_t n = 0; n < graph->node_count; ++n)
    CHECK_EQ_I64((int64_t)seen[n], 1);
  free(seen);
  return task_of;
}

static void check_chain(const pgopt_profile_graph *graph, const double *ns,
                        double small_ns, const pgopt_tasks *tasks, size_t t) {
  double sum = ns[tasks->members[tasks->first[t]]];
  for (size_t k = tasks->first[t] + 1; k < tasks->first[t + 1]; ++k) {
    size_t n = tasks->members[k], before = tasks->members[k - 1];
    const pgopt_graph_node *node = &graph->nodes[n];
    CHECK(node->in_count == 1 && graph->edges[node->first_in].from == before &&
          graph->nodes[before].out_count == 1);
    CHECK(node->kind != PGOPT_NODE_BARRIER &&
          graph->nodes[before].kind != PGOPT_NODE_BARRIER);
    CHECK(ns[n] < small_ns || sum < small_ns);
    sum += ns[n];
  }
  CHECK_NEAR(tasks->ns[t], sum, 1e-9 * sum);
}

/// Edges of the graph between tasks are those of the tasks' graph, with their
/// bytes, in an order that respects them.
static void check_edges(const pgopt_profile_graph *graph,
                        const pgopt_tasks *tasks, const size_t *task_of) {
  const pgopt_profile_graph *to = tasks->graph;
  size_t between = 0, out = 0;
  for (size_t i = 0; i < graph->edge_count; ++i)
    between += task_of[graph->edges[i].from] != task_of[graph->edges[i].to];
  CHECK_EQ_I64((int64_t)to->edge_count, (int64_t)between);
  for (size_t t = 0; t < to->node_count; ++t) {
    const pgopt_graph_node *task = &to->nodes[t];
    const pgopt_graph_node *head =
        &graph->nodes[tasks->members[tasks->first[t]]];
    CHECK_EQ_I64((int64_t)task->in_count, (int64_t)head->in_count);
    for (size_t k = 0; k < task->in_count; ++k) {
      const pgopt_graph_edge *edge = &to->edges[task->first_in + k];
      const pgopt_graph_edge *was = &graph->edges[head->first_in + k];
      CHECK(edge->to == t && edge->from < t &&
            edge->from == task_of[was->from] && edge->bytes == was->bytes);
    }
    for (size_t k = 0; k < task->out_count; ++k)
      CHECK(pgopt_graph_out_edge(to, task, k)->from == t);
    out += task->out_count;
  }
  CHECK_EQ_I64((int64_t)out, (int64_t)between);
}

static void test_random(void) {
  uint64_t state = 5;
  size_t joined = 0;
  for (int round = 0; round < 300; ++round) {
    size_t nodes = (size_t)random_below(&state, 60);
    pgopt_profile_graph *graph =
        random_graph(&state, nodes, 1 + nodes, round % 3 ? 0 : 7);
    double *ns = pgopt_allocate(nodes, sizeof *ns);
    for (size_t n = 0; n < nodes; ++n)
      ns[n] = (double)random_below(&state, 1000);
    pgopt_tasks tasks;
    pgopt_tasks_create(graph, ns, 300, &tasks);
    size_t *task_of = tasks_of(graph, &tasks);
    for (size_t t = 0; t < tasks.graph->node_count; ++t)
      check_chain(graph, ns, 300, &tasks, t);
    check_edges(graph, &tasks, task_of);
    joined += nodes - tasks.graph->node_count;
    free(task_of);
    free(ns);
    pgopt_tasks_free(&tasks);
    pgopt_profile_graph_destroy(graph);
  }
  CHECK(joined > 100);
}

/// A chain of 5 kernels: 100 and 200 ns are small, 900 and 900 are not.
static void test_chain(void) {
  pgopt_profile_graph *graph = pgopt_profile_graph_create("f");
  pgopt_graph_buffer buffer = {"x", PGOPT_BUFFER_VALUE, 6, 4};
  pgopt_buffer_range all = pgopt_range_whole(6);
  for (size_t i = 0; i < 5; ++i) {
    pgopt_profile_graph_add_buffer(graph, &buffer);
    pgopt_buffer_access accesses[] = {{i, true, all},
                                      {i ? i - 1 : 0, false, all}};
    pgopt_graph_node node = {.function = "k"};
    pgopt_profile_graph_add_node(graph, &node, accesses, i ? 2 : 1);
  }
  pgopt_profile_graph_connect(graph);
  const double ns[] = {100, 900, 900, 200, 100};
  pgopt_tasks tasks;
  pgopt_tasks_create(graph, ns, 300, &tasks);
  CHECK_EQ_I64((int64_t)tasks.graph->node_count, 2);
  CHECK_NEAR(tasks.ns[0], 1000, 1e-9);
  CHECK_NEAR(tasks.ns[1], 1200, 1e-9);
  pgopt_tasks_free(&tasks);
  pgopt_tasks_create(graph, ns, 0, &tasks);
  CHECK_EQ_I64((int64_t)tasks.graph->node_count, 5);
  pgopt_tasks_free(&tasks);
  pgopt_profile_graph_destroy(graph);
}

int main(void) {
  test_chain();
  test_random();
  return check_result();
}
