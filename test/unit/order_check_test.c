/// \file Unit tests of the ordering checker: it accepts what the scheduler
/// makes, and its verdict on damaged lists is that of a closure over events.
#include "schedule/order_check.h"

#include "check.h"
#include "event_oracle.h"
#include "random_graph.h"

#include <stdlib.h>
#include <time.h>

static pgopt_schedule deal(const pgopt_profile_graph *graph,
                           int64_t resources) {
  pgopt_schedule_request request = {.resources = resources};
  pgopt_schedule schedule;
  pgopt_error error = {0};
  CHECK(pgopt_schedule_create(graph, &pgopt_round_robin, &request, &schedule,
                              &error) == PGOPT_OK);
  return schedule;
}

static pgopt_core_lists copy_lists(const pgopt_core_lists *lists) {
  pgopt_core_lists copy = pgopt_core_lists_create(lists->count);
  for (size_t core = 0; core < lists->count; ++core)
    for (size_t i = 0; i < lists->cores[core].count; ++i)
      pgopt_core_lists_append(&copy, core, lists->cores[core].events[i]);
  return copy;
}

static pgopt_core_lists without_event(const pgopt_core_lists *lists,
                                      size_t core, size_t index) {
  pgopt_core_lists copy = copy_lists(lists);
  pgopt_core_list *list = &copy.cores[core];
  memmove(list->events + index, list->events + index + 1,
          (list->count - index - 1) * sizeof *list->events);
  --list->count;
  return copy;
}

/// The verdict by closure: the lists are right when no event follows itself,
/// every wait has its signal, and of two conflicting nodes the later one
/// follows the earlier one.
static bool oracle_accepts(const pgopt_profile_graph *graph,
                           const pgopt_core_lists *lists) {
  oracle o;
  bool good = oracle_create(lists, graph->node_count, &o);
  for (size_t b = 0; b < graph->node_count; ++b)
    for (size_t a = 0; a < b; ++a)
      if (!graph->nodes[a].is_outside && !graph->nodes[b].is_outside &&
          nodes_conflict(graph, a, b) && !node_follows(&o, a, b))
        good = false;
  oracle_free(&o);
  return good;
}

static bool checker_accepts(const pgopt_profile_graph *graph,
                            const pgopt_core_lists *lists) {
  pgopt_error error = {0};
  bool good = pgopt_order_check(graph, lists, &error) == PGOPT_OK;
  CHECK(good == !*error.message);
  return good;
}

/// Every wait of a schedule is needed; a signal may be covered by a later one.
static void damage_each_event(const pgopt_profile_graph *graph,
                              const pgopt_core_lists *lists, int *rejected) {
  for (size_t core = 0; core < lists->count; ++core)
    for (size_t i = 0; i < lists->cores[core].count; ++i) {
      pgopt_event event = lists->cores[core].events[i];
      if (event.kind == PGOPT_EVENT_RUN)
        continue;
      pgopt_core_lists damaged = without_event(lists, core, i);
      bool accepted = checker_accepts(graph, &damaged);
      CHECK(accepted == oracle_accepts(graph, &damaged));
      if (event.kind == PGOPT_EVENT_WAIT)
        CHECK(!accepted);
      *rejected += !accepted;
      pgopt_core_lists_free(&damaged);
    }
}

static void damage_at_random(const pgopt_profile_graph *graph,
                             const pgopt_core_lists *lists, uint64_t *state,
                             int *rejected) {
  pgopt_core_lists damaged = copy_lists(lists);
  size_t core = (size_t)random_below(state, (int64_t)lists->count);
  pgopt_core_list *list = &damaged.cores[core];
  if (list->count > 1) {
    size_t at = (size_t)random_below(state, (int64_t)list->count - 1);
    bool signals = list->events[at].kind == PGOPT_EVENT_SIGNAL &&
                   list->events[at + 1].kind == PGOPT_EVENT_SIGNAL;
    if (list->events[at].kind == PGOPT_EVENT_WAIT && random_below(state, 2)) {
      --list->events[at].value;
    } else if (!signals) {
      pgopt_event moved = list->events[at];
      list->events[at] = list->events[at + 1];
      list->events[at + 1] = moved;
    }
    bool accepted = checker_accepts(graph, &damaged);
    // A wait for 0 is no wait; the oracle would look for a signal.
    if (list->events[at].kind != PGOPT_EVENT_WAIT || list->events[at].value)
      CHECK(accepted == oracle_accepts(graph, &damaged));
    *rejected += !accepted;
  }
  pgopt_core_lists_free(&damaged);
}

static void test_random_schedules_and_their_damage(void) {
  uint64_t state = 23;
  int removed = 0, shuffled = 0;
  for (int round = 0; round < 40; ++round) {
    pgopt_profile_graph *graph =
        random_graph(&state, 24, 4 + (size_t)round % 20, round % 2 * 7);
    pgopt_schedule schedule = deal(graph, 1 + round % 5);
    pgopt_core_lists lists = pgopt_schedule_lists(graph, &schedule);
    CHECK(checker_accepts(graph, &lists));
    CHECK(oracle_accepts(graph, &lists));
    damage_each_event(graph, &lists, &removed);
    for (int i = 0; i < 20 && lists.count; ++i)
      damage_at_random(graph, &lists, &state, &shuffled);
    pgopt_core_lists_free(&lists);
    pgopt_schedule_free(&schedule);
    pgopt_profile_graph_destroy(graph);
  }
  CHECK(removed > 100);
  CHECK(shuffled > 100);
}

/// Writer, reader of the first half, reader of the second half.
static pgopt_profile_graph *make_graph(void) {
  pgopt_profile_graph *graph = pgopt_profile_graph_create("f");
  pgopt_graph_buffer buffer = {"value0", PGOPT_BUFFER_VALUE, 10, 4};
  pgopt_profile_graph_add_buffer(graph, &buffer);
  pgopt_graph_node node = {.function = "make", .parts = 2, .part = 1};
  pgopt_buffer_access access = {0, true, {10, 0, 5}};
  pgopt_profile_graph_add_node(graph, &node, &access, 1);
  node = (pgopt_graph_node){.function = "use", .parts = 1};
  access = (pgopt_buffer_access){0, false, {10, 0, 5}};
  pgopt_profile_graph_add_node(graph, &node, &access, 1);
  node.function = "other";
  access.range = (pgopt_buffer_range){10, 5, 10};
  pgopt_profile_graph_add_node(graph, &node, &access, 1);
  pgopt_profile_graph_connect(graph);
  return graph;
}

// clang-format does not agree with itself about braces in macros.
// clang-format off
#define RUN(n) {PGOPT_EVENT_RUN, n, 0, 0}
#define WAIT(c, v) {PGOPT_EVENT_WAIT, 0, c, v}
#define SIGNAL(v) {PGOPT_EVENT_SIGNAL, 0, 0, v}
// clang-format on

typedef struct small_case {
  pgopt_event first[4], second[4];
  size_t first_count, second_count;
  const char *message; ///< null: fine
} small_case;

static void test_violations_in_words(void) {
  static const small_case cases[] = {
      {{RUN(0), SIGNAL(1)}, {WAIT(0, 1), RUN(1), RUN(2)}, 2, 3, NULL},
      {{RUN(0), SIGNAL(1)}, {RUN(2), WAIT(0, 1), RUN(1)}, 2, 3, NULL},
      {{RUN(0)},
       {RUN(2), RUN(1)},
       1,
       2,
       "kernel 'use' (core 1, slot 1) does not wait for kernel 'make' part 1 "
       "of 2 (core 0, slot 0), though one writes what the other reads of "
       "'value0'"},
      {{RUN(1), RUN(0)},
       {RUN(2)},
       2,
       1,
       "kernel 'use' (core 0, slot 0) does not wait for kernel 'make' part 1 "
       "of 2 (core 0, slot 1), though one writes what the other reads of "
       "'value0'"},
      {{SIGNAL(1), RUN(0)},
       {WAIT(0, 1), RUN(1), RUN(2)},
       2,
       3,
       "kernel 'use' (core 1, slot 0) does not wait for kernel 'make' part 1 "
       "of 2 (core 0, slot 0), though one writes what the other reads of "
       "'value0'"},
      {{RUN(0)},
       {WAIT(0, 1), RUN(1), RUN(2)},
       1,
       3,
       "core 1 waits for ever before its slot 0: core 0 does not get to signal "
       "1"},
      {{WAIT(1, 1), RUN(0), SIGNAL(1)},
       {WAIT(0, 1), RUN(1), SIGNAL(1), RUN(2)},
       3,
       4,
       "core 0 waits for ever before its slot 0: core 1 does not get to signal "
       "1"},
      {{RUN(0), SIGNAL(1)}, {WAIT(0, 1), RUN(1)}, 2, 2, "no core runs 'other'"},
      {{RUN(0), SIGNAL(1), RUN(2)},
       {WAIT(0, 1), RUN(1), RUN(2)},
       3,
       3,
       "'other' runs twice: on core 0 in slot 1, and on core 1 in slot 1"},
      {{RUN(0), SIGNAL(2), SIGNAL(1)},
       {RUN(1)},
       3,
       1,
       "core 0 signals 1 after 2; its values must grow from 1"},
      {{RUN(0), SIGNAL(0)},
       {RUN(1)},
       2,
       1,
       "core 0 signals 0 after 0; its values must grow from 1"},
      {{RUN(0)},
       {WAIT(2, 1), RUN(1)},
       1,
       2,
       "core 1 waits for core 2, but there are only cores 0 to 1"},
      {{RUN(0)},
       {WAIT(-1, 1), RUN(1)},
       1,
       2,
       "core 1 waits for core -1, but there are only cores 0 to 1"},
      {{RUN(7)}, {RUN(1)}, 1, 1, "slot 0 of core 0 is not a node to schedule"},
  };
  pgopt_profile_graph *graph = make_graph();
  for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
    pgopt_core_lists lists = pgopt_core_lists_create(2);
    for (size_t k = 0; k < cases[i].first_count; ++k)
      pgopt_core_lists_append(&lists, 0, cases[i].first[k]);
    for (size_t k = 0; k < cases[i].second_count; ++k)
      pgopt_core_lists_append(&lists, 1, cases[i].second[k]);
    pgopt_error error = {0};
    pgopt_status status = pgopt_order_check(graph, &lists, &error);
    CHECK(status == (cases[i].message ? PGOPT_INVALID : PGOPT_OK));
    CHECK_EQ_TEXT(error.message, cases[i].message ? cases[i].message : "");
    pgopt_core_lists_free(&lists);
  }
  pgopt_profile_graph_destroy(graph);
}

/// Two kernels that write disjoint columns of one buffer need no order; the
/// same rows do.
static void test_disjoint_ranges_need_no_wait(void) {
  const int64_t shape[] = {3, 5};
  for (int same = 0; same < 2; ++same) {
    pgopt_profile_graph *graph = pgopt_profile_graph_create("f");
    pgopt_graph_buffer buffer = {"x", PGOPT_BUFFER_VALUE, 15, 4};
    pgopt_profile_graph_add_buffer(graph, &buffer);
    pgopt_graph_node node = {.function = "k"};
    for (int64_t i = 0; i < 2; ++i) {
      pgopt_buffer_access access = {0, true, {1, 0, 0}};
      pgopt_range_of_dimension(shape, 2, same && i ? 0 : 1, i, i + 1,
                               &access.range, NULL);
      pgopt_profile_graph_add_node(graph, &node, &access, 1);
    }
    pgopt_profile_graph_connect(graph);
    pgopt_core_lists lists = pgopt_core_lists_create(2);
    pgopt_event first = RUN(0), second = RUN(1);
    pgopt_core_lists_append(&lists, 0, first);
    pgopt_core_lists_append(&lists, 1, second);
    CHECK(checker_accepts(graph, &lists) == !same);
    pgopt_core_lists_free(&lists);
    pgopt_profile_graph_destroy(graph);
  }
}

static void test_many_nodes(void) {
  uint64_t state = 29;
  pgopt_profile_graph *graph = random_graph(&state, 10000, 10000, 1000);
  static const int64_t counts[] = {2, 64, 4096};
  for (int i = 0; i < 3; ++i) {
    clock_t begin = clock();
    pgopt_schedule schedule = deal(graph, counts[i]);
    pgopt_core_lists lists = pgopt_schedule_lists(graph, &schedule);
    clock_t middle = clock();
    CHECK(checker_accepts(graph, &lists));
    printf("10000 nodes on %lld cores: %zu waits, schedule %.3f s, check %.3f "
           "s\n",
           (long long)counts[i],
           pgopt_core_lists_count(&lists, PGOPT_EVENT_WAIT),
           (double)(middle - begin) / CLOCKS_PER_SEC,
           (double)(clock() - middle) / CLOCKS_PER_SEC);
    pgopt_core_lists_free(&lists);
    pgopt_schedule_free(&schedule);
  }
  pgopt_profile_graph_destroy(graph);
}

int main(void) {
  test_random_schedules_and_their_damage();
  test_violations_in_words();
  test_disjoint_ranges_need_no_wait();
  test_many_nodes();
  return check_result();
}
