/// \file Unit tests of the prediction: makespan, critical path, load, and where
/// the costs come from.
#include "schedule/predict.h"

#include "check.h"
#include "random_graph.h"

#include <stdlib.h>

static void add_kernel(pgopt_profile_graph *graph, int64_t time_ns,
                       int64_t lflops, const pgopt_buffer_access *accesses,
                       size_t count) {
  pgopt_graph_node node = {.function = "k",
                           .has_lflops = lflops >= 0,
                           .lflops = lflops,
                           .timing = {.median_ns = time_ns,
                                      .runs = time_ns >= 0,
                                      .source = "in-place"}};
  pgopt_profile_graph_add_node(graph, &node, accesses, count);
}

/// 0 writes x; 1 and 2 read it; 3 reads what both wrote.
static pgopt_profile_graph *make_diamond(const int64_t *times,
                                         const int64_t *lflops) {
  pgopt_profile_graph *graph = pgopt_profile_graph_create("f");
  pgopt_graph_buffer buffer = {"x", PGOPT_BUFFER_VALUE, 6, 4};
  for (int i = 0; i < 4; ++i)
    pgopt_profile_graph_add_buffer(graph, &buffer);
  pgopt_buffer_range all = pgopt_range_whole(6);
  pgopt_buffer_access first[] = {{0, true, all}};
  pgopt_buffer_access left[] = {{1, true, all}, {0, false, all}};
  pgopt_buffer_access right[] = {{2, true, all}, {0, false, all}};
  pgopt_buffer_access last[] = {
      {3, true, all}, {1, false, all}, {2, false, all}};
  add_kernel(graph, times[0], lflops[0], first, 1);
  add_kernel(graph, times[1], lflops[1], left, 2);
  add_kernel(graph, times[2], lflops[2], right, 2);
  add_kernel(graph, times[3], lflops[3], last, 3);
  pgopt_profile_graph_connect(graph);
  return graph;
}

static pgopt_prediction predict_with(const pgopt_profile_graph *graph,
                                     int64_t resources, pgopt_sync_costs sync) {
  pgopt_schedule_request request = {.resources = resources};
  pgopt_schedule schedule;
  pgopt_prediction prediction;
  pgopt_error error = {0};
  pgopt_schedule_create(graph, &pgopt_round_robin, &request, &schedule, &error);
  pgopt_core_lists lists = pgopt_schedule_lists(graph, &schedule);
  pgopt_node_costs costs = pgopt_node_costs_create(graph);
  CHECK(pgopt_predict(graph, &schedule, &lists, &costs, &sync, &prediction,
                      &error) == PGOPT_OK);
  pgopt_node_costs_free(&costs);
  pgopt_core_lists_free(&lists);
  pgopt_schedule_free(&schedule);
  return prediction;
}

static pgopt_prediction predict(const pgopt_profile_graph *graph,
                                int64_t resources, double latency_ns,
                                double hop_ns) {
  return predict_with(
      graph, resources,
      (pgopt_sync_costs){.latency_ns = latency_ns, .hop_ns = hop_ns});
}

static const int64_t known_times[] = {100, 300, 50, 7};
static const int64_t no_lflops[] = {-1, -1, -1, -1};

static void test_one_core_is_the_sequential_program(void) {
  pgopt_profile_graph *graph = make_diamond(known_times, no_lflops);
  pgopt_prediction p = predict(graph, 1, 80, 9);
  CHECK_NEAR(p.sequential_ns, 100 + 300 + 50 + 7, 0);
  CHECK_NEAR(p.makespan_ns, p.sequential_ns, 0);
  CHECK_NEAR(p.critical_path_ns, 100 + 300 + 7, 0);
  CHECK_NEAR(p.load_ns[0], 457, 0);
  CHECK_EQ_I64(p.bytes_across, 0);
  CHECK_EQ_I64(p.edges_across, 0);
  pgopt_prediction_free(&p);
  pgopt_profile_graph_destroy(graph);
}

/// Core 0 runs nodes 0 and 2, core 1 nodes 1 and 3. Core 0: node 0 ends at 100,
/// its signal at 109, node 2 at 159, its signal at 168. Core 1 sees the first
/// signal at 109 + 80 = 189, its wait ends at 198, node 1 at 498; it has long
/// seen the second one: its wait ends at 507, node 3 at 514.
static void test_two_cores_wait_and_signal(void) {
  pgopt_profile_graph *graph = make_diamond(known_times, no_lflops);
  pgopt_prediction p = predict(graph, 2, 80, 9);
  CHECK_NEAR(p.makespan_ns, 514, 0);
  CHECK_NEAR(p.critical_path_ns, 407, 0);
  CHECK_NEAR(p.load_ns[0], 150, 0);
  CHECK_NEAR(p.load_ns[1], 307, 0);
  // Node 1 reads node 0's buffer and node 3 node 2's: six floats each.
  CHECK_EQ_I64(p.bytes_across, 2 * 6 * 4);
  CHECK_EQ_I64(p.edges_across, 2);
  pgopt_prediction_free(&p);
  // Without costs of synchronisation nothing but the path is left.
  p = predict(graph, 2, 0, 0);
  CHECK_NEAR(p.makespan_ns, 407, 0);
  pgopt_prediction_free(&p);
  pgopt_profile_graph_destroy(graph);
}

/// As above, with 2 ns for each of the 24 bytes that nodes 1 and 3 read of core
/// 0: node 1 ends 48 later, and node 3 another 48.
static void test_bytes_across_take_time(void) {
  pgopt_profile_graph *graph = make_diamond(known_times, no_lflops);
  pgopt_prediction p = predict_with(
      graph, 2,
      (pgopt_sync_costs){.latency_ns = 80, .hop_ns = 9, .byte_ns = 2});
  CHECK_NEAR(p.makespan_ns, 514 + 2 * 48, 0);
  CHECK_NEAR(p.critical_path_ns, 407, 0);
  CHECK_NEAR(p.load_ns[1], 307, 0);
  pgopt_prediction_free(&p);
  p = predict_with(
      graph, 1,
      (pgopt_sync_costs){.latency_ns = 80, .hop_ns = 9, .byte_ns = 2});
  CHECK_NEAR(p.makespan_ns, p.sequential_ns, 0);
  pgopt_prediction_free(&p);
  pgopt_profile_graph_destroy(graph);
}

static void test_costs_say_where_they_come_from(void) {
  static const int64_t times[] = {100, -1, -1, -1},
                       nothing[] = {-1, -1, -1, -1};
  static const int64_t lflops[] = {50, 30, -1, 0};
  pgopt_profile_graph *graph = make_diamond(times, lflops);
  pgopt_node_costs costs = pgopt_node_costs_create(graph);
  // Measured: 100 ns for 50 operations, so 2 ns each.
  CHECK_NEAR(costs.ns[0], 100, 0);
  CHECK_NEAR(costs.ns[1], 60, 0);
  CHECK_NEAR(costs.ns[2], 1000, 0);
  CHECK_NEAR(costs.ns[3], 0, 0);
  CHECK_EQ_I64(costs.counts[PGOPT_COST_MEASURED], 1);
  CHECK_EQ_I64(costs.counts[PGOPT_COST_DERIVED], 2);
  CHECK_EQ_I64(costs.counts[PGOPT_COST_UNIT], 1);
  pgopt_node_costs_free(&costs);
  graph->nodes[0].timing.source = "derived";
  costs = pgopt_node_costs_create(graph);
  CHECK_EQ_I64(costs.counts[PGOPT_COST_MEASURED], 0);
  CHECK_EQ_I64(costs.counts[PGOPT_COST_DERIVED], 3);
  pgopt_node_costs_free(&costs);
  pgopt_profile_graph_destroy(graph);
  graph = make_diamond(nothing, lflops);
  costs = pgopt_node_costs_create(graph);
  CHECK_NEAR(costs.ns[1], 30, 0);
  CHECK_EQ_I64(costs.counts[PGOPT_COST_COUNTED], 3);
  CHECK_EQ_TEXT(pgopt_cost_basis_name(PGOPT_COST_COUNTED), "counted");
  pgopt_node_costs_free(&costs);
  pgopt_profile_graph_destroy(graph);
}

static void test_lists_that_hang_are_an_error(void) {
  pgopt_profile_graph *graph = make_diamond(known_times, no_lflops);
  pgopt_schedule_request request = {.resources = 2};
  pgopt_schedule schedule;
  pgopt_error error = {0};
  pgopt_schedule_create(graph, &pgopt_round_robin, &request, &schedule, &error);
  pgopt_core_lists lists = pgopt_schedule_lists(graph, &schedule);
  lists.cores[0].count = 1;
  pgopt_node_costs costs = pgopt_node_costs_create(graph);
  pgopt_sync_costs sync = {0};
  pgopt_prediction prediction;
  CHECK(pgopt_predict(graph, &schedule, &lists, &costs, &sync, &prediction,
                      &error) == PGOPT_INVALID);
  CHECK_CONTAINS(error.message, "core 1 waits for ever before its slot 0");
  pgopt_node_costs_free(&costs);
  pgopt_core_lists_free(&lists);
  pgopt_schedule_free(&schedule);
  pgopt_profile_graph_destroy(graph);
}

/// On random graphs no schedule beats its critical path, or its loads, and
/// free synchronisation never makes it slower than the sequential program.
static void test_random_predictions_keep_the_bounds(void) {
  uint64_t state = 41;
  for (int round = 0; round < 60; ++round) {
    pgopt_profile_graph *graph = random_graph(&state, 60, 20, round % 2 * 9);
    pgopt_prediction p = predict(graph, 1 + round % 5, 0, 0);
    double total = 0;
    for (size_t i = 0; i < p.cores; ++i) {
      CHECK(p.makespan_ns >= p.load_ns[i] - 1e-6);
      total += p.load_ns[i];
    }
    CHECK_NEAR(total, p.sequential_ns, 1e-6);
    CHECK(p.makespan_ns >= p.critical_path_ns - 1e-6);
    CHECK(p.makespan_ns <= p.sequential_ns + 1e-6);
    pgopt_prediction slow = predict(graph, 1 + round % 5, 500, 20);
    CHECK(slow.makespan_ns >= p.makespan_ns - 1e-6);
    pgopt_prediction_free(&slow);
    pgopt_prediction_free(&p);
    pgopt_profile_graph_destroy(graph);
  }
}

int main(void) {
  test_one_core_is_the_sequential_program();
  test_two_cores_wait_and_signal();
  test_bytes_across_take_time();
  test_costs_say_where_they_come_from();
  test_lists_that_hang_are_an_error();
  test_random_predictions_keep_the_bounds();
  return check_result();
}
