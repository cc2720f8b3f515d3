/// \file The list policy against the exact optimum of small graphs, against
/// round robin, and on a graph of 10,000 kernels. Prints what it measures.
///
/// Arguments: small graphs (default 1000), the first seed (1).
#include "check.h"
#include "random_graph.h"
#include "schedule/order_check.h"
#include "schedule/plan.h"

#include <stdlib.h>
#include <time.h>

enum { MOST_KERNELS = 12, MOST_CORES = 3 };

/// The optimum by trying lists: kernels are appended in the order in which they
/// begin, each to every core; what cannot become better is left.
typedef struct oracle {
  const pgopt_profile_graph *graph;
  double ns[MOST_KERNELS], level[MOST_KERNELS], finish[MOST_KERNELS];
  int core[MOST_KERNELS];
  double idle_from[MOST_CORES];
  double wait_ns, byte_ns, best_ns, work_ns;
  int cores;
  unsigned done;
  int64_t steps; ///< that are left
} oracle;

/// \param[out] read_ns for what the kernel reads of other cores.
/// \returns when it can begin there; negative while it cannot at all.
static double begin_of(const oracle *o, size_t n, int core, double *read_ns) {
  const pgopt_graph_node *node = &o->graph->nodes[n];
  double begin = o->idle_from[core];
  *read_ns = 0;
  for (size_t k = 0; k < node->in_count; ++k) {
    const pgopt_graph_edge *edge = &o->graph->edges[node->first_in + k];
    if (!(o->done >> edge->from & 1))
      return -1;
    bool is_own = o->core[edge->from] == core;
    double ready = o->finish[edge->from] + (is_own ? 0 : o->wait_ns);
    begin = ready > begin ? ready : begin;
    *read_ns += is_own ? 0 : (double)edge->bytes * o->byte_ns;
  }
  return begin;
}

/// What the rest needs at least: all work spread evenly from now on.
static bool may_pay(const oracle *o) {
  double free_ns = o->work_ns;
  for (int c = 0; c < o->cores; ++c)
    free_ns += o->idle_from[c];
  return free_ns / o->cores < o->best_ns - 1e-6;
}

static void try_all(oracle *o, double last_begin, double makespan) {
  size_t nodes = o->graph->node_count;
  if (o->done == (1U << nodes) - 1) {
    o->best_ns = makespan < o->best_ns ? makespan : o->best_ns;
    return;
  }
  if (!may_pay(o) || --o->steps < 0)
    return;
  for (size_t n = 0; n < nodes; ++n) {
    if (o->done >> n & 1)
      continue;
    bool tried_empty = false;
    for (int c = 0; c < o->cores; ++c) {
      // Cores without a kernel are all alike.
      if (o->idle_from[c] == 0 && tried_empty)
        continue;
      tried_empty |= o->idle_from[c] == 0;
      double read_ns, begin = begin_of(o, n, c, &read_ns);
      double idle_from = o->idle_from[c];
      if (begin < last_begin || begin + o->level[n] >= o->best_ns - 1e-6)
        continue;
      double finish = begin + read_ns + o->ns[n];
      o->finish[n] = o->idle_from[c] = finish;
      o->core[n] = c;
      o->done |= 1U << n;
      o->work_ns -= o->ns[n];
      try_all(o, begin, finish > makespan ? finish : makespan);
      o->work_ns += o->ns[n];
      o->done &= ~(1U << n);
      o->idle_from[c] = idle_from;
    }
  }
}

/// \param known_ns of a list; the optimum is at most that.
/// \returns the optimum; 0 when there was no time to find it.
static double optimum(const pgopt_profile_graph *graph,
                      const pgopt_schedule_request *request, double known_ns) {
  oracle o = {.graph = graph,
              .wait_ns = request->costs.latency_ns,
              .byte_ns = request->costs.byte_ns,
              .best_ns = known_ns,
              .cores = (int)request->resources,
              .steps = 3000000};
  pgopt_node_costs costs = pgopt_node_costs_create(graph);
  for (size_t i = graph->node_count; i-- > 0;) {
    const pgopt_graph_node *node = &graph->nodes[i];
    o.ns[i] = costs.ns[i];
    o.work_ns += costs.ns[i];
    for (size_t k = 0; k < node->out_count; ++k) {
      double to = o.level[pgopt_graph_out_edge(graph, node, k)->to];
      o.level[i] = to > o.level[i] ? to : o.level[i];
    }
    o.level[i] += costs.ns[i];
  }
  pgopt_node_costs_free(&costs);
  try_all(&o, 0, 0);
  return o.steps < 0 ? 0 : o.best_ns;
}

/// Layers of kernels, each reads up to three of those before it.
static pgopt_profile_graph *make_graph(uint64_t *state, size_t nodes,
                                       size_t reach, int64_t barrier_odds) {
  pgopt_profile_graph *graph = pgopt_profile_graph_create("f");
  pgopt_graph_buffer buffer = {"x", PGOPT_BUFFER_VALUE, 64, 4};
  pgopt_buffer_range all = pgopt_range_whole(64);
  for (size_t i = 0; i < nodes; ++i) {
    pgopt_profile_graph_add_buffer(graph, &buffer);
    pgopt_buffer_access accesses[4] = {{i, true, all}};
    size_t count = 1;
    for (int64_t reads = random_below(state, 4); reads > 0 && i; --reads) {
      size_t back = 1 + (size_t)random_below(state, (int64_t)reach);
      if (back <= i)
        accesses[count++] = (pgopt_buffer_access){i - back, false, all};
    }
    pgopt_graph_node node = {
        .function = "k",
        .timing = {.median_ns = 100 + random_below(state, 9900),
                   .runs = 9,
                   .source = "in-place"}};
    bool barrier = barrier_odds && random_below(state, barrier_odds) == 0;
    if (barrier)
      node = (pgopt_graph_node){.kind = PGOPT_NODE_BARRIER, .function = "b"};
    pgopt_profile_graph_add_node(graph, &node, accesses, barrier ? 0 : count);
  }
  pgopt_profile_graph_connect(graph);
  return graph;
}

/// The makespan of the policy as the lists have it: a kernel waits for cores,
/// and for what another core computed, which it reads more slowly.
static double makespan_of(const pgopt_profile_graph *graph,
                          const pgopt_schedule_policy *policy,
                          const pgopt_schedule_request *request) {
  pgopt_schedule_plan plan;
  pgopt_error error = {0};
  pgopt_node_costs costs = pgopt_node_costs_create(graph);
  pgopt_schedule_policy plain = *policy;
  plain.copies = false;
  CHECK(pgopt_schedule_plan_create(graph, &plain, request, &costs, &plan,
                                   &error) == PGOPT_OK);
  CHECK(pgopt_order_check(graph, &plan.lists, &error) == PGOPT_OK);
  double makespan = plan.prediction.makespan_ns;
  pgopt_schedule_plan_free(&plan);
  pgopt_node_costs_free(&costs);
  return makespan;
}

static int compare_doubles(const void *a, const void *b) {
  double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

static void compare_with_optimum(int graphs, uint64_t seed) {
  uint64_t state = seed;
  double *gaps = calloc((size_t)graphs, sizeof *gaps);
  double sum = 0, round_robin = 0, timed = 0;
  int count = 0;
  for (int i = 0; i < graphs; ++i) {
    size_t nodes = 4 + (size_t)random_below(&state, MOST_KERNELS - 3);
    int cores = 2 + (int)random_below(&state, MOST_CORES - 1);
    double wait = (double)random_below(&state, 4000);
    pgopt_profile_graph *graph =
        make_graph(&state, nodes, 1 + (size_t)random_below(&state, 6), 0);
    // An edge has 256 bytes: none, up to 1, up to 2 and up to 3 us of reading.
    const pgopt_schedule_request request = {
        cores, {.latency_ns = wait, .byte_ns = i % 4 * 4.0}};
    double found = makespan_of(graph, &pgopt_list_schedule, &request);
    double best = optimum(graph, &request, found);
    if (best > 0) {
      gaps[count] = found / best - 1;
      sum += gaps[count++];
      round_robin +=
          makespan_of(graph, &pgopt_round_robin, &request) / best - 1;
      timed +=
          makespan_of(graph, &pgopt_timed_round_robin, &request) / best - 1;
    }
    pgopt_profile_graph_destroy(graph);
  }
  CHECK(count > graphs * 9 / 10);
  qsort(gaps, (size_t)count, sizeof *gaps, compare_doubles);
  double high = gaps[count * 95 / 100];
  printf(
      "%d graphs, the optimum of %d found: list %.3f%% above it on average, "
      "%.2f%% at the 95th percentile, %.2f%% at most; round robin %.1f%%, by "
      "Timing %.1f%%\n",
      graphs, count, 100 * sum / count, 100 * high, 100 * gaps[count - 1],
      100 * round_robin / count, 100 * timed / count);
  CHECK(sum / count <= 0.03);
  CHECK(high <= 0.10);
  free(gaps);
}

/// Every order is kept, and one core's worth of time is never exceeded.
static void check_properties(uint64_t seed) {
  uint64_t state = seed;
  for (int i = 0; i < 60; ++i) {
    pgopt_profile_graph *graph =
        i % 2 ? random_graph(&state, 40, 12, 7) : make_graph(&state, 60, 9, 9);
    int cores = 1 + (int)random_below(&state, 8);
    double wait = (double)random_below(&state, 20000);
    pgopt_schedule_request request = {
        1, {.latency_ns = wait, .byte_ns = i % 5 * 1.5}};
    double one = makespan_of(graph, &pgopt_list_schedule, &request);
    request.resources = cores;
    double many = makespan_of(graph, &pgopt_list_schedule, &request);
    CHECK(many <= one * (1 + 1e-9));
    CHECK(makespan_of(graph, &pgopt_list_schedule, &request) == many);
    pgopt_profile_graph_destroy(graph);
  }
  pgopt_profile_graph *empty = pgopt_profile_graph_create("f");
  pgopt_profile_graph_connect(empty);
  pgopt_schedule_request request = {4, {.latency_ns = 10}};
  CHECK(makespan_of(empty, &pgopt_list_schedule, &request) == 0);
  pgopt_profile_graph_destroy(empty);
}

static void schedule_many(void) {
  uint64_t state = 3;
  pgopt_profile_graph *graph = make_graph(&state, 10000, 12, 0);
  pgopt_schedule_request request = {.resources = 4,
                                    .costs = {.latency_ns = 500}};
  pgopt_schedule schedule;
  pgopt_error error = {0};
  clock_t start = clock();
  CHECK(pgopt_schedule_create(graph, &pgopt_list_schedule, &request, &schedule,
                              &error) == PGOPT_OK);
  double seconds = (double)(clock() - start) / CLOCKS_PER_SEC;
  pgopt_schedule_free(&schedule);
  printf("10000 kernels on 4 cores: %.2f s; ", seconds);
  double found = makespan_of(graph, &pgopt_list_schedule, &request);
  double dealt = makespan_of(graph, &pgopt_round_robin, &request);
  printf("%.3f of round robin's makespan\n", found / dealt);
  CHECK(found < dealt);
  pgopt_profile_graph_destroy(graph);
}

int main(int argc, char **argv) {
  int graphs = argc > 1 ? atoi(argv[1]) : 1000;
  uint64_t seed = argc > 2 ? strtoull(argv[2], NULL, 10) : 1;
  compare_with_optimum(graphs, seed);
  check_properties(seed);
  schedule_many();
  return check_result();
}
