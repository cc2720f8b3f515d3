/// \file Property tests of every policy on random graphs, and unit tests of
/// round robin by Timing and of the sequential one.
#include "schedule/order_check.h"
#include "schedule/plan_report.h"

#include "check.h"
#include "random_graph.h"

#include <stdlib.h>

static pgopt_schedule schedule_by(const pgopt_profile_graph *graph,
                                  const pgopt_schedule_policy *policy,
                                  int64_t resources) {
  pgopt_schedule_request request = {.resources = resources,
                                    .costs = {.latency_ns = 150}};
  pgopt_schedule schedule;
  pgopt_error error = {0};
  CHECK(pgopt_schedule_create(graph, policy, &request, &schedule, &error) ==
        PGOPT_OK);
  return schedule;
}

/// Kernels of these times that do not depend on one another.
static pgopt_profile_graph *make_free_graph(const int64_t *times,
                                            size_t count) {
  pgopt_profile_graph *graph = pgopt_profile_graph_create("f");
  for (size_t i = 0; i < count; ++i) {
    pgopt_graph_node node = {
        .function = "k",
        .timing = {.median_ns = times[i], .runs = 9, .source = "in-place"}};
    pgopt_profile_graph_add_node(graph, &node, NULL, 0);
  }
  pgopt_profile_graph_connect(graph);
  return graph;
}

static void check_cores(const int64_t *times, const int64_t *cores,
                        size_t count, int64_t resources) {
  pgopt_profile_graph *graph = make_free_graph(times, count);
  pgopt_schedule schedule =
      schedule_by(graph, &pgopt_timed_round_robin, resources);
  for (size_t i = 0; i < count; ++i) {
    CHECK_EQ_I64(schedule.order[i], i);
    CHECK_EQ_I64(schedule.core[i], cores[i]);
  }
  pgopt_schedule_free(&schedule);
  pgopt_profile_graph_destroy(graph);
}

static void test_timing_passes_over_loaded_resources(void) {
  static const int64_t times[] = {50, 20, 20, 20, 40, 1};
  // Dealt so far: 50 0, 50 20, 50 40, 50 60, 90 60.
  static const int64_t cores[] = {0, 1, 1, 1, 0, 1};
  check_cores(times, cores, 6, 2);
  // Of resources with equally much it is the next one's turn: 3 0 0, 3 3 0,
  // 3 3 5, and back to the first.
  static const int64_t turns[] = {3, 3, 5, 1, 1};
  static const int64_t turn_cores[] = {0, 1, 2, 0, 1};
  check_cores(turns, turn_cores, 5, 3);
}

/// Kernels without a time, or all of one time, are dealt as round robin does.
static void test_equal_times_are_round_robin(void) {
  for (int64_t time = 0; time < 9; time += 7) {
    int64_t times[11], cores[11];
    for (int64_t i = 0; i < 11; ++i) {
      times[i] = time;
      cores[i] = i % 4;
    }
    check_cores(times, cores, 11, 4);
  }
}

/// No resource gets more than its share and one kernel.
static void test_loads_are_even(void) {
  uint64_t state = 5;
  for (int round = 0; round < 40; ++round) {
    int64_t times[64], resources = 1 + random_below(&state, 9), longest = 0;
    double sum = 0;
    for (int i = 0; i < 64; ++i) {
      times[i] = 1 + random_below(&state, 1000);
      longest = times[i] > longest ? times[i] : longest;
      sum += (double)times[i];
    }
    pgopt_profile_graph *graph = make_free_graph(times, 64);
    pgopt_schedule schedule =
        schedule_by(graph, &pgopt_timed_round_robin, resources);
    double load[9] = {0};
    for (int i = 0; i < 64; ++i)
      load[schedule.core[i]] += (double)times[i];
    for (int64_t core = 0; core < resources; ++core)
      CHECK(load[core] <= sum / (double)resources + (double)longest);
    pgopt_schedule_free(&schedule);
    pgopt_profile_graph_destroy(graph);
  }
}

static void test_sequential_keeps_one_core(void) {
  uint64_t state = 23;
  pgopt_profile_graph *graph = random_graph(&state, 40, 9, 6);
  pgopt_schedule schedule = schedule_by(graph, &pgopt_sequential, 7);
  CHECK_EQ_I64(schedule.cores, 1);
  pgopt_core_lists lists = pgopt_schedule_lists(graph, &schedule);
  CHECK_EQ_I64(pgopt_core_lists_count(&lists, PGOPT_EVENT_WAIT), 0);
  pgopt_core_lists_free(&lists);
  pgopt_schedule_free(&schedule);
  pgopt_profile_graph_destroy(graph);
}

/// Every node once and behind what it depends on, every core in the global
/// order, every dependency kept by the waits, the same again when repeated.
static void check_policy(const pgopt_profile_graph *graph,
                         const pgopt_schedule_policy *policy,
                         int64_t resources) {
  pgopt_schedule s = schedule_by(graph, policy, resources);
  pgopt_schedule again = schedule_by(graph, policy, resources);
  size_t count = graph->node_count, runs = 0, outside = 0;
  size_t *place = calloc(count + 1, sizeof *place);
  for (size_t i = 0; i < count; ++i) {
    CHECK(place[s.order[i]] == 0);
    place[s.order[i]] = i + 1;
  }
  for (size_t i = 0; i < graph->edge_count; ++i)
    CHECK(place[graph->edges[i].from] < place[graph->edges[i].to]);
  for (size_t i = 0; i < count; ++i) {
    CHECK(s.order[i] == again.order[i] && s.core[i] == again.core[i]);
    outside += graph->nodes[i].is_outside;
  }
  pgopt_core_lists lists = pgopt_schedule_lists(graph, &s);
  CHECK(lists.count <= (size_t)resources);
  for (size_t core = 0; core < lists.count; ++core) {
    size_t last = 0;
    for (size_t i = 0; i < lists.cores[core].count; ++i) {
      const pgopt_event *event = &lists.cores[core].events[i];
      if (event->kind != PGOPT_EVENT_RUN)
        continue;
      CHECK(place[event->node] > last);
      last = place[event->node];
      ++runs;
    }
  }
  CHECK_EQ_I64(runs + outside, count);
  pgopt_error error = {0};
  CHECK(pgopt_order_check(graph, &lists, &error) == PGOPT_OK);
  free(place);
  pgopt_core_lists_free(&lists);
  pgopt_schedule_free(&again);
  pgopt_schedule_free(&s);
}

static void test_every_policy_keeps_every_order(void) {
  uint64_t state = 11;
  for (int round = 0; round < 40; ++round) {
    pgopt_profile_graph *graph = random_graph(
        &state, (size_t)random_below(&state, 50), 10, round % 3 * 5);
    int64_t resources = 1 + random_below(&state, 7);
    for (size_t i = 0; pgopt_schedule_policies[i]; ++i)
      check_policy(graph, pgopt_schedule_policies[i], resources);
    pgopt_profile_graph_destroy(graph);
  }
}

/// The best of all plans is never longer than the sequential one, and none is
/// shorter than the bound; reports of equal plans are equal.
static void test_the_best_plan_is_never_slower(void) {
  uint64_t state = 31;
  for (int round = 0; round < 30; ++round) {
    pgopt_profile_graph *graph = random_graph(&state, 40, 12, round % 2 * 9);
    pgopt_schedule_request request = {
        1 + round % 5,
        {.latency_ns = (double)random_below(&state, 9000), .byte_ns = 0.5}};
    pgopt_node_costs costs = pgopt_node_costs_create(graph);
    pgopt_schedule_plans plans[2];
    pgopt_text texts[4] = {{0}};
    pgopt_error error = {0};
    const int64_t arena_bytes[] = {7, 11, 13, 17};
    for (int i = 0; i < 2; ++i) {
      CHECK(pgopt_schedule_plans_create(graph, &request, &costs, &plans[i],
                                        &error) == PGOPT_OK);
      CHECK_EQ_I64(plans[i].count, 4);
      const pgopt_plan_report report = {
          "f", "cores", "far", &request, &costs, &plans[i], arena_bytes, 99};
      pgopt_plan_report_table(&report, &texts[i]);
      pgopt_plan_report_json(&report, &texts[2 + i]);
    }
    CHECK_EQ_TEXT(texts[0].data, texts[1].data);
    CHECK_EQ_TEXT(texts[2].data, texts[3].data);
    const pgopt_prediction *sequential = &plans[0].plans[0].prediction;
    CHECK(plans[0].plans[0].policy == &pgopt_sequential);
    CHECK_NEAR(sequential->makespan_ns, sequential->sequential_ns, 1e-6);
    double best_ns =
        pgopt_schedule_plans_best(&plans[0])->prediction.makespan_ns;
    CHECK(best_ns <= sequential->makespan_ns);
    for (size_t i = 0; i < plans[0].count; ++i) {
      double ns = plans[0].plans[i].prediction.makespan_ns;
      CHECK(best_ns <= ns);
      CHECK(ns >= pgopt_schedule_bound_ns(sequential, &request) - 1e-6);
    }
    for (int i = 0; i < 4; ++i)
      pgopt_text_free(&texts[i]);
    for (int i = 0; i < 2; ++i)
      pgopt_schedule_plans_free(&plans[i]);
    pgopt_node_costs_free(&costs);
    pgopt_profile_graph_destroy(graph);
  }
}

int main(void) {
  test_timing_passes_over_loaded_resources();
  test_equal_times_are_round_robin();
  test_loads_are_even();
  test_sequential_keeps_one_core();
  test_every_policy_keeps_every_order();
  test_the_best_plan_is_never_slower();
  return check_result();
}
