/// \file Unit tests of schedules: the round robin policy, slots, and the waits
/// and signals between cores.
#include "schedule/schedule.h"

#include "check.h"
#include "random_graph.h"

#include <stdlib.h>

/// Layers of `widths[i]` independent kernels; each kernel of a layer reads all
/// that the layer before wrote.
static pgopt_profile_graph *layered_graph(const int *widths, size_t layers) {
  pgopt_profile_graph *graph = pgopt_profile_graph_create("layers");
  for (size_t layer = 0; layer < layers; ++layer) {
    pgopt_graph_buffer buffer = {"x", PGOPT_BUFFER_VALUE, widths[layer], 4};
    size_t written = pgopt_profile_graph_add_buffer(graph, &buffer);
    for (int part = 0; part < widths[layer]; ++part) {
      pgopt_graph_node node = {.function = "k", .layer = "l", .phase = "main"};
      pgopt_buffer_access accesses[2] = {
          {written, true, {widths[layer], part, part + 1}}};
      if (layer)
        accesses[1] = (pgopt_buffer_access){
            written - 1, false, pgopt_range_whole(widths[layer - 1])};
      pgopt_profile_graph_add_node(graph, &node, accesses, layer ? 2 : 1);
    }
  }
  pgopt_profile_graph_connect(graph);
  return graph;
}

static pgopt_schedule deal(const pgopt_profile_graph *graph,
                           int64_t resources) {
  pgopt_schedule_request request = {.resources = resources};
  pgopt_schedule schedule;
  pgopt_error error = {0};
  CHECK(pgopt_schedule_create(graph, &pgopt_round_robin, &request, &schedule,
                              &error) == PGOPT_OK);
  return schedule;
}

static void test_layers_are_dealt_in_turn(void) {
  static const int widths[] = {3, 1, 4};
  pgopt_profile_graph *graph = layered_graph(widths, 3);
  pgopt_schedule schedule = deal(graph, 3);
  static const int cores[] = {0, 1, 2, 0, 1, 2, 0, 1};
  static const int slots[] = {0, 0, 0, 1, 1, 1, 2, 2};
  CHECK_EQ_I64(schedule.cores, 3);
  for (int i = 0; i < 8; ++i) {
    CHECK_EQ_I64(schedule.core[i], cores[i]);
    CHECK_EQ_I64(schedule.slot[i], slots[i]);
  }
  pgopt_schedule_free(&schedule);
  pgopt_profile_graph_destroy(graph);
}

static void test_chains_alternate(void) {
  static const int widths[] = {1, 1, 1, 1, 1};
  pgopt_profile_graph *graph = layered_graph(widths, 5);
  pgopt_schedule schedule = deal(graph, 2);
  for (int i = 0; i < 5; ++i)
    CHECK_EQ_I64(schedule.core[i], i % 2);
  pgopt_core_lists lists = pgopt_schedule_lists(graph, &schedule);
  // Every hand-over of a chain is one signal and one wait.
  CHECK_EQ_I64(pgopt_core_lists_count(&lists, PGOPT_EVENT_WAIT), 4);
  CHECK_EQ_I64(pgopt_core_lists_count(&lists, PGOPT_EVENT_SIGNAL), 4);
  pgopt_core_lists_free(&lists);
  pgopt_schedule_free(&schedule);
  pgopt_profile_graph_destroy(graph);
}

static void test_unused_resources_are_left_out(void) {
  static const int widths[] = {2, 1};
  pgopt_profile_graph *graph = layered_graph(widths, 2);
  pgopt_schedule schedule = deal(graph, 7);
  CHECK_EQ_I64(schedule.cores, 3);
  pgopt_schedule_free(&schedule);
  pgopt_profile_graph_destroy(graph);
}

static void test_bad_counts_are_refused(void) {
  static const int widths[] = {2};
  pgopt_profile_graph *graph = layered_graph(widths, 1);
  static const int64_t counts[] = {0, -3, 4097, INT64_MAX};
  for (int i = 0; i < 4; ++i) {
    pgopt_schedule_request request = {.resources = counts[i]};
    pgopt_schedule schedule;
    pgopt_error error = {0};
    CHECK(pgopt_schedule_create(graph, &pgopt_round_robin, &request, &schedule,
                                &error) == PGOPT_OUT_OF_RANGE);
    CHECK_CONTAINS(error.message, "resources, allowed are 1 to 4096");
  }
  pgopt_profile_graph_destroy(graph);
}

static void test_outside_barriers_are_not_dealt(void) {
  pgopt_profile_graph *graph = pgopt_profile_graph_create("f");
  pgopt_graph_node kernel = {.function = "k"};
  pgopt_graph_node barrier = {.function = "b", .kind = PGOPT_NODE_BARRIER};
  pgopt_profile_graph_add_node(graph, &barrier, NULL, 0);
  pgopt_profile_graph_add_node(graph, &kernel, NULL, 0);
  pgopt_profile_graph_add_node(graph, &kernel, NULL, 0);
  pgopt_profile_graph_add_node(graph, &barrier, NULL, 0);
  pgopt_profile_graph_add_node(graph, &kernel, NULL, 0);
  pgopt_profile_graph_add_node(graph, &barrier, NULL, 0);
  pgopt_profile_graph_connect(graph);
  pgopt_schedule schedule = deal(graph, 2);
  static const int cores[] = {-1, 0, 1, 0, 0, -1};
  static const int slots[] = {-1, 0, 0, 1, 2, -1};
  for (int i = 0; i < 6; ++i) {
    CHECK_EQ_I64(schedule.core[i], cores[i]);
    CHECK_EQ_I64(schedule.slot[i], slots[i]);
  }
  pgopt_core_lists lists = pgopt_schedule_lists(graph, &schedule);
  // The barrier waits for the kernel of core 1; the last kernel stands behind
  // the barrier on its own core.
  CHECK_EQ_I64(pgopt_core_lists_count(&lists, PGOPT_EVENT_WAIT), 1);
  CHECK_EQ_I64(lists.cores[0].events[1].kind, PGOPT_EVENT_WAIT);
  CHECK_EQ_I64(lists.cores[0].events[1].core, 1);
  CHECK_EQ_I64(lists.cores[0].events[1].value, 1);
  pgopt_core_lists_free(&lists);
  pgopt_schedule_free(&schedule);
  pgopt_profile_graph_destroy(graph);
}

/// Three cores in a ring: core 2 learns of core 0 through core 1 and need not
/// wait for it.
static void test_implied_waits_are_not_inserted(void) {
  pgopt_profile_graph *graph = pgopt_profile_graph_create("f");
  pgopt_graph_buffer buffer = {"x", PGOPT_BUFFER_VALUE, 5, 4};
  size_t a = pgopt_profile_graph_add_buffer(graph, &buffer);
  size_t b = pgopt_profile_graph_add_buffer(graph, &buffer);
  pgopt_buffer_range all = pgopt_range_whole(5);
  pgopt_buffer_access write_a = {a, true, all}, read_a = {a, false, all};
  pgopt_buffer_access write_b = {b, true, all}, read_b = {b, false, all};
  pgopt_graph_node node = {.function = "k"};
  pgopt_profile_graph_add_node(graph, &node, &write_a, 1);
  pgopt_buffer_access second[] = {read_a, write_b}, third[] = {read_a, read_b};
  pgopt_profile_graph_add_node(graph, &node, second, 2);
  pgopt_profile_graph_add_node(graph, &node, third, 2);
  pgopt_profile_graph_connect(graph);
  CHECK_EQ_I64(graph->edge_count, 3);
  pgopt_schedule schedule = deal(graph, 3);
  pgopt_core_lists lists = pgopt_schedule_lists(graph, &schedule);
  CHECK_EQ_I64(pgopt_core_lists_count(&lists, PGOPT_EVENT_WAIT), 2);
  CHECK_EQ_I64(lists.cores[2].count, 2);
  CHECK_EQ_I64(lists.cores[2].events[0].core, 1);
  pgopt_core_lists_free(&lists);
  pgopt_schedule_free(&schedule);
  pgopt_profile_graph_destroy(graph);
}

/// On random graphs: every core's list follows one global order, slots are
/// dense, every node runs once, signals are exactly those waited for.
static void test_random_lists_are_well_formed(void) {
  uint64_t state = 17;
  for (int round = 0; round < 60; ++round) {
    pgopt_profile_graph *graph = random_graph(&state, 50, 12, round % 2 * 8);
    pgopt_schedule schedule = deal(graph, 1 + round % 6);
    pgopt_core_lists lists = pgopt_schedule_lists(graph, &schedule);
    size_t *position = calloc(graph->node_count, sizeof *position);
    for (size_t i = 0; i < graph->node_count; ++i)
      position[schedule.order[i]] = i;
    bool *is_waited = calloc(graph->node_count * 8 + 64, 1);
    size_t runs = 0, outside = 0;
    for (size_t core = 0; core < lists.count; ++core)
      for (size_t i = 0; i < lists.cores[core].count; ++i) {
        pgopt_event event = lists.cores[core].events[i];
        if (event.kind == PGOPT_EVENT_WAIT)
          is_waited[event.core * 51 + event.value] = true;
      }
    for (size_t core = 0; core < lists.count; ++core) {
      int64_t slot = 0;
      size_t last = 0;
      for (size_t i = 0; i < lists.cores[core].count; ++i) {
        pgopt_event event = lists.cores[core].events[i];
        if (event.kind == PGOPT_EVENT_SIGNAL) {
          CHECK_EQ_I64(event.value, slot);
          CHECK(is_waited[core * 51 + (size_t)event.value]);
        }
        if (event.kind != PGOPT_EVENT_RUN)
          continue;
        CHECK_EQ_I64(schedule.core[event.node], core);
        CHECK_EQ_I64(schedule.slot[event.node], slot++);
        CHECK(slot == 1 || position[event.node] > last);
        last = position[event.node];
        ++runs;
      }
    }
    for (size_t i = 0; i < graph->node_count; ++i)
      outside += graph->nodes[i].is_outside;
    CHECK_EQ_I64(runs + outside, graph->node_count);
    free(position);
    free(is_waited);
    pgopt_core_lists_free(&lists);
    pgopt_schedule_free(&schedule);
    pgopt_profile_graph_destroy(graph);
  }
}

static void test_policies_are_found_by_name(void) {
  CHECK(pgopt_schedule_find_policy("round-robin") == &pgopt_round_robin);
  CHECK(pgopt_schedule_find_policy("fastest") == NULL);
}

int main(void) {
  test_layers_are_dealt_in_turn();
  test_chains_alternate();
  test_unused_resources_are_left_out();
  test_bad_counts_are_refused();
  test_outside_barriers_are_not_dealt();
  test_implied_waits_are_not_inserted();
  test_random_lists_are_well_formed();
  test_policies_are_found_by_name();
  return check_result();
}
