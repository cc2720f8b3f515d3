/// \file Unit tests of the simulation: it agrees with the prediction, times of
/// a resource add up, speeds and distances count.
#include "schedule/simulate.h"

#include "check.h"
#include "random_graph.h"

#include <stdlib.h>

typedef struct made_schedule {
  pgopt_schedule schedule;
  pgopt_core_lists lists;
  pgopt_node_costs costs;
} made_schedule;

static made_schedule make(const pgopt_profile_graph *graph,
                          const pgopt_schedule_policy *policy,
                          int64_t resources, const pgopt_sync_costs *sync) {
  made_schedule made;
  pgopt_schedule_request request = {.resources = resources, .costs = *sync};
  pgopt_error error = {0};
  CHECK(
      !pgopt_schedule_create(graph, policy, &request, &made.schedule, &error));
  made.lists = pgopt_schedule_lists(graph, &made.schedule);
  made.costs = pgopt_node_costs_create(graph);
  return made;
}

static void unmake(made_schedule *made) {
  pgopt_schedule_free(&made->schedule);
  pgopt_core_lists_free(&made->lists);
  pgopt_node_costs_free(&made->costs);
}

/// Of every resource, and against the prediction of the same lists.
/// \returns the makespan.
static double check_agreement(const pgopt_profile_graph *graph,
                              const made_schedule *made,
                              const pgopt_sync_costs *sync) {
  pgopt_prediction prediction;
  pgopt_simulation simulation;
  pgopt_error error = {0};
  CHECK(!pgopt_predict(graph, &made->schedule, &made->lists, &made->costs, sync,
                       &prediction, &error));
  CHECK(!pgopt_simulate(graph, &made->lists, made->schedule.resource,
                        &made->costs, sync, &simulation, &error));
  double rounding = 1e-9 * prediction.makespan_ns;
  CHECK_NEAR(simulation.makespan_ns, prediction.makespan_ns, rounding);
  CHECK_NEAR(simulation.sequential_ns, prediction.sequential_ns, rounding);
  for (size_t i = 0; i < made->lists.count; ++i)
    CHECK_NEAR(simulation.resources[made->schedule.resource[i]].busy_ns,
               prediction.load_ns[i], rounding);
  size_t waits = 0;
  for (size_t i = 0; i < simulation.resource_count; ++i) {
    const pgopt_simulated_resource *r = &simulation.resources[i];
    CHECK_NEAR(r->busy_ns + r->passing_ns + r->waiting_ns + r->sync_ns,
               r->end_ns, rounding);
    CHECK(r->held_up <= r->waits);
    waits += r->waits;
  }
  CHECK_EQ_I64(waits, pgopt_core_lists_count(&made->lists, PGOPT_EVENT_WAIT));
  // No node begins before what it depends on has ended.
  for (size_t i = 0; i < graph->edge_count; ++i) {
    const pgopt_graph_edge *edge = &graph->edges[i];
    if (made->schedule.core[edge->to] != PGOPT_NO_CORE)
      CHECK(simulation.nodes[edge->from].end_ns <=
            simulation.nodes[edge->to].begin_ns);
  }
  double makespan_ns = simulation.makespan_ns;
  pgopt_prediction_free(&prediction);
  pgopt_simulation_free(&simulation);
  return makespan_ns;
}

static void test_agrees_with_the_prediction(void) {
  static const int64_t counts[] = {1, 2, 3, 4, 16, 64, 256};
  static const pgopt_sync_costs syncs[] = {
      {0},
      {.latency_ns = 200, .hop_ns = 10, .byte_ns = 0.5},
      {.latency_ns = 3000,
       .hop_ns = 70,
       .byte_ns = 2,
       .reclaim_ns = 5,
       .operation_ns = 0.1,
       .wake_ns = 9000,
       .call_ns = 400,
       .poll_ns = 20000}};
  uint64_t state = 7;
  for (int round = 0; round < 60; ++round) {
    pgopt_profile_graph *graph =
        random_graph(&state, 1 + (size_t)random_below(&state, 60),
                     1 + (size_t)random_below(&state, 12), round % 3 * 9);
    for (size_t i = 0; i < sizeof counts / sizeof *counts; ++i) {
      const pgopt_sync_costs *sync = &syncs[random_below(&state, 3)];
      made_schedule made =
          make(graph, round % 2 ? &pgopt_round_robin : &pgopt_timed_round_robin,
               counts[i], sync);
      check_agreement(graph, &made, sync);
      unmake(&made);
    }
    pgopt_profile_graph_destroy(graph);
  }
}

static void test_agrees_on_unlike_resources(void) {
  static const char *const descriptions[] = {
      "speeds=50,100,25,200", "count=8 nodes=4 node-latency=700",
      "rows=3 columns=5 hop-latency=90",
      "speeds=30,40,50,60,70,80 rows=2 columns=3 hop-latency=400"};
  uint64_t state = 11;
  for (int round = 0; round < 40; ++round) {
    pgopt_resource_model model;
    pgopt_error error = {0};
    CHECK(!pgopt_resource_model_parse(descriptions[round % 4], &model, &error));
    pgopt_sync_costs sync = {
        .latency_ns = 200, .hop_ns = 10, .byte_ns = 0.5, .resources = &model};
    pgopt_profile_graph *graph =
        random_graph(&state, 1 + (size_t)random_below(&state, 40),
                     1 + (size_t)random_below(&state, 12), round % 3 * 9);
    made_schedule sequential =
        make(graph, &pgopt_sequential, model.count, &sync);
    double sequential_ns = check_agreement(graph, &sequential, &sync);
    for (size_t i = 0; pgopt_schedule_policies[i]; ++i) {
      made_schedule made =
          make(graph, pgopt_schedule_policies[i], model.count, &sync);
      double makespan_ns = check_agreement(graph, &made, &sync);
      if (pgopt_schedule_policies[i] == &pgopt_list_schedule)
        CHECK(makespan_ns <= sequential_ns * (1 + 1e-9));
      unmake(&made);
    }
    unmake(&sequential);
    pgopt_profile_graph_destroy(graph);
    pgopt_resource_model_free(&model);
  }
}

/// Two lists: the first runs node 0 and signals, the second waits and runs
/// node 1; both take 1,000 ns. No edge, the lists say it all.
static pgopt_profile_graph *make_pair(pgopt_core_lists *lists) {
  pgopt_profile_graph *graph = pgopt_profile_graph_create("pair");
  pgopt_graph_node node = {
      .function = "k",
      .timing = {.median_ns = 1000, .runs = 1, .source = "in-place"}};
  for (int i = 0; i < 2; ++i)
    pgopt_profile_graph_add_node(graph, &node, NULL, 0);
  pgopt_profile_graph_connect(graph);
  *lists = pgopt_core_lists_create(2);
  pgopt_core_lists_append(lists, 0, (pgopt_event){PGOPT_EVENT_RUN, 0, 0, 0});
  pgopt_core_lists_append(lists, 0, (pgopt_event){PGOPT_EVENT_SIGNAL, 0, 0, 1});
  pgopt_core_lists_append(lists, 1, (pgopt_event){PGOPT_EVENT_WAIT, 1, 0, 1});
  pgopt_core_lists_append(lists, 1, (pgopt_event){PGOPT_EVENT_RUN, 1, 0, 0});
  return graph;
}

/// The makespan of the pair on these two resources; negative with the error.
static double simulate_pair(const char *resources, const int64_t *resource,
                            pgopt_error *error) {
  pgopt_core_lists lists;
  pgopt_profile_graph *graph = make_pair(&lists);
  pgopt_node_costs costs = pgopt_node_costs_create(graph);
  pgopt_resource_model model;
  pgopt_sync_costs sync = {
      .latency_ns = 200, .hop_ns = 10, .resources = &model};
  pgopt_simulation simulation;
  double makespan_ns = -1;
  if (!pgopt_resource_model_parse(resources, &model, error) &&
      !pgopt_simulate(graph, &lists, resource, &costs, &sync, &simulation,
                      error)) {
    makespan_ns = simulation.makespan_ns;
    CHECK_EQ_I64(simulation.resource_count, model.count);
    pgopt_simulation_free(&simulation);
  }
  pgopt_resource_model_free(&model);
  pgopt_node_costs_free(&costs);
  pgopt_core_lists_free(&lists);
  pgopt_profile_graph_destroy(graph);
  return makespan_ns;
}

static void test_speeds_and_distances_count(void) {
  pgopt_error error = {0};
  // Alike: 1000, signal 10, latency 200, wait 10, 1000.
  CHECK_NEAR(simulate_pair("2", NULL, &error), 2220, 1e-9);
  // At twice the speed and at half of it.
  CHECK_NEAR(simulate_pair("speeds=200,50", NULL, &error),
             500 + 10 + 200 + 10 + 2000, 1e-9);
  // Neighbours share a node, resources 0 and 7 do not.
  static const int64_t ends[] = {0, 7}, near[] = {2, 3}, corners[] = {3, 8};
  CHECK_NEAR(simulate_pair("count=8 nodes=4 node-latency=300", near, &error),
             2220, 1e-9);
  CHECK_NEAR(simulate_pair("count=8 nodes=4 node-latency=300", ends, &error),
             2520, 1e-9);
  // 3 x 5: from row 0, column 3 to row 1, column 3.
  CHECK_NEAR(simulate_pair("rows=3 columns=5 hop-latency=40", corners, &error),
             2260, 1e-9);
  // To row 1, column 2: three hops.
  CHECK_NEAR(simulate_pair("rows=3 columns=5 hop-latency=40", ends, &error),
             2220 + 3 * 40, 1e-9);
}

/// The makespan of a node that writes 840 bytes and one on another list that
/// reads them; both take 1,000 ns and have 600 operations.
static double simulate_passing(const char *resources, double operation_ns,
                               double reclaim_ns, double passing_ns[2]) {
  pgopt_profile_graph *graph = pgopt_profile_graph_create("passing");
  const pgopt_graph_buffer buffer = {"b", PGOPT_BUFFER_VALUE, 210, 4};
  const pgopt_graph_node node = {
      .function = "k",
      .has_lflops = true,
      .lflops = 600,
      .timing = {.median_ns = 1000, .runs = 1, .source = "in-place"}};
  pgopt_profile_graph_add_buffer(graph, &buffer);
  for (int i = 0; i < 2; ++i)
    pgopt_profile_graph_add_node(
        graph, &node, &(pgopt_buffer_access){0, i == 0, pgopt_range_whole(210)},
        1);
  pgopt_profile_graph_connect(graph);
  pgopt_resource_model model;
  pgopt_error error = {0};
  CHECK(!pgopt_resource_model_parse(resources, &model, &error));
  const pgopt_sync_costs sync = {.latency_ns = 200,
                                 .hop_ns = 10,
                                 .byte_ns = 2,
                                 .reclaim_ns = reclaim_ns,
                                 .operation_ns = operation_ns,
                                 .resources = &model};
  made_schedule made = make(graph, &pgopt_round_robin, 2, &sync);
  double makespan_ns = check_agreement(graph, &made, &sync);
  pgopt_simulation simulation;
  CHECK(!pgopt_simulate(graph, &made.lists, NULL, &made.costs, &sync,
                        &simulation, &error));
  for (int i = 0; i < 2; ++i)
    passing_ns[i] = simulation.resources[i].passing_ns;
  pgopt_simulation_free(&simulation);
  unmake(&made);
  pgopt_resource_model_free(&model);
  pgopt_profile_graph_destroy(graph);
  return makespan_ns;
}

/// The writer takes 840 bytes back, the reader fetches them at 2 ns.
static void test_bytes_pass_while_kernels_run(void) {
  double passing_ns[2];
  // Nothing is known of what they compute.
  CHECK_NEAR(simulate_passing("2", 0, 1, passing_ns),
             1000 + 840 + 10 + 200 + 10 + 1000 + 1680, 1e-9);
  CHECK_NEAR(passing_ns[0], 840, 1e-9);
  CHECK_NEAR(passing_ns[1], 1680, 1e-9);
  // 600 of the writer's 1000 ns compute; all of the reader's hide.
  CHECK_NEAR(simulate_passing("2", 1, 1, passing_ns),
             1000 + 240 + 10 + 200 + 10 + 1000 + 680, 1e-9);
  CHECK_NEAR(passing_ns[0], 240, 1e-9);
  CHECK_NEAR(passing_ns[1], 680, 1e-9);
  // It does not compute for longer than it runs.
  CHECK_NEAR(simulate_passing("2", 9, 2, passing_ns),
             1000 + 680 + 10 + 200 + 10 + 1000 + 680, 1e-9);
  // At a quarter of the speed the reader takes 4000 ns.
  CHECK_NEAR(simulate_passing("speeds=50,25", 1, 1, passing_ns),
             2000 + 240 + 10 + 200 + 10 + 4000, 1e-9);
  CHECK_NEAR(passing_ns[1], 0, 0);
}

/// The pair of 1,000 ns each, when workers sleep after 1,500 ns.
static void test_workers_are_woken(void) {
  pgopt_core_lists lists;
  pgopt_profile_graph *graph = make_pair(&lists);
  pgopt_node_costs costs = pgopt_node_costs_create(graph);
  pgopt_sync_costs sync = {.latency_ns = 200,
                           .hop_ns = 10,
                           .wake_ns = 5000,
                           .call_ns = 300,
                           .poll_ns = 1500};
  pgopt_simulation simulation;
  pgopt_error error = {0};
  CHECK(
      !pgopt_simulate(graph, &lists, NULL, &costs, &sync, &simulation, &error));
  CHECK_NEAR(simulation.nodes[0].begin_ns, 300, 0);
  CHECK_NEAR(simulation.makespan_ns, 5000 + 10 + 1000, 0);
  CHECK_NEAR(simulation.resources[0].waiting_ns, 300, 0);
  CHECK_NEAR(simulation.resources[1].waiting_ns, 5000, 0);
  pgopt_simulation_free(&simulation);
  // They are still awake when the sequential program has run meanwhile.
  sync.poll_ns = 2000;
  CHECK(
      !pgopt_simulate(graph, &lists, NULL, &costs, &sync, &simulation, &error));
  CHECK_NEAR(simulation.makespan_ns, 2220, 0);
  pgopt_simulation_free(&simulation);
  pgopt_node_costs_free(&costs);
  pgopt_core_lists_free(&lists);
  pgopt_profile_graph_destroy(graph);
}

static void check_refusal(const char *resources, const char *message) {
  pgopt_error error = {0};
  pgopt_resource_model model;
  CHECK(pgopt_resource_model_parse(resources, &model, &error) != PGOPT_OK);
  CHECK_CONTAINS(error.message, message);
  CHECK(!model.speeds && !model.count);
}

static void test_descriptions_are_checked(void) {
  check_refusal("0", "count is 0, allowed are 1 to 4096");
  check_refusal("4097", "count is 4097");
  check_refusal("12x", "'12x' is not a number");
  check_refusal("", "count is 0");
  check_refusal("cores=3", "'cores=3' is neither a number nor count=");
  check_refusal("count=", "count=: not a number");
  check_refusal("count=7 nodes=2", "7 resources cannot be dealt to 2 nodes");
  check_refusal("count=7 nodes=9", "nodes is 9, allowed are 0 to 7");
  check_refusal("count=7 rows=2 columns=3", "2 rows of 3 are not 7 resources");
  check_refusal("rows=3", "count is 0, allowed");
  check_refusal("count=3 speeds=100,50", "2 speeds for 3 resources");
  check_refusal("speeds=100,0", "speeds is 0, allowed are 1 to 100000");
  check_refusal("speeds=100,", "not a number");
  check_refusal("count=2 hop-latency=-1", "hop-latency is -1");
  check_refusal("count=99999999999999999999", "not a number");
  check_refusal("rows=99999999999 columns=99999999999", "count is 0");
}

static void test_lists_that_never_end_are_refused(void) {
  pgopt_error error = {0};
  pgopt_core_lists lists;
  pgopt_profile_graph *graph = make_pair(&lists);
  pgopt_node_costs costs = pgopt_node_costs_create(graph);
  pgopt_sync_costs sync = {.latency_ns = 200, .hop_ns = 10};
  pgopt_simulation simulation;
  lists.cores[1].events[0].value = 2;
  CHECK(pgopt_simulate(graph, &lists, NULL, &costs, &sync, &simulation,
                       &error) == PGOPT_INVALID);
  CHECK(!simulation.resources);
  pgopt_node_costs_free(&costs);
  pgopt_core_lists_free(&lists);
  pgopt_profile_graph_destroy(graph);
  // Two lists, one resource.
  CHECK(simulate_pair("1", NULL, &error) < 0);
  CHECK_CONTAINS(error.message, "has 2 cores, there are 1 resources");
}

int main(void) {
  test_agrees_with_the_prediction();
  test_agrees_on_unlike_resources();
  test_speeds_and_distances_count();
  test_bytes_pass_while_kernels_run();
  test_workers_are_woken();
  test_descriptions_are_checked();
  test_lists_that_never_end_are_refused();
  return check_result();
}
