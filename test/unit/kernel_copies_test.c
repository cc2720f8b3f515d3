/// \file Unit tests of kernels that are computed on several cores: a network
/// that forks, and random graphs.
#include "schedule/order_check.h"
#include "schedule/plan.h"

#include "check.h"
#include "random_graph.h"

enum { ARGUMENT, SHARED, LEFT, RIGHT };

static void add_kernel(pgopt_profile_graph *graph, const char *name, int64_t ns,
                       size_t reads, size_t writes) {
  pgopt_graph_node node = {
      .function = name,
      .layer = name,
      .phase = "main",
      .parts = 1,
      .high = 1,
      .timing = {.median_ns = ns, .runs = 9, .source = "in-place"},
      .core = PGOPT_NO_CORE,
      .slot = PGOPT_NO_CORE};
  const pgopt_buffer_access accesses[] = {
      {reads, false, pgopt_range_whole(graph->buffers[reads].elements)},
      {writes, true, pgopt_range_whole(graph->buffers[writes].elements)}};
  pgopt_profile_graph_add_node(graph, &node, accesses, 2);
}

/// A kernel of `shared_ns` makes what two others of `branch_ns` read. Not
/// connected.
static pgopt_profile_graph *fork_graph(int64_t shared_ns, int64_t branch_ns) {
  pgopt_profile_graph *graph = pgopt_profile_graph_create("fork");
  const pgopt_graph_buffer buffers[] = {{"arg0", PGOPT_BUFFER_ARGUMENT, 10, 4},
                                        {"shared", PGOPT_BUFFER_VALUE, 1000, 4},
                                        {"left", PGOPT_BUFFER_VALUE, 10, 4},
                                        {"right", PGOPT_BUFFER_VALUE, 10, 4}};
  for (size_t i = 0; i < sizeof buffers / sizeof *buffers; ++i)
    pgopt_profile_graph_add_buffer(graph, &buffers[i]);
  add_kernel(graph, "shared", shared_ns, ARGUMENT, SHARED);
  add_kernel(graph, "left", branch_ns, SHARED, LEFT);
  add_kernel(graph, "right", branch_ns, SHARED, RIGHT);
  return graph;
}

static pgopt_schedule_plan plan_of(const pgopt_profile_graph *graph,
                                   const pgopt_schedule_request *request,
                                   bool copies) {
  pgopt_schedule_policy policy = pgopt_list_schedule;
  policy.copies = copies;
  pgopt_node_costs costs = pgopt_node_costs_create(graph);
  pgopt_schedule_plan plan;
  pgopt_error error = {0};
  CHECK(pgopt_schedule_plan_create(graph, &policy, request, &costs, &plan,
                                   &error) == PGOPT_OK);
  pgopt_node_costs_free(&costs);
  return plan;
}

/// 200 ns a signal, 10 a wait or signal, 0.5 a byte: 4,000 bytes are 2,220 ns
/// away.
static const pgopt_schedule_request two_cores = {
    2, {.latency_ns = 200, .hop_ns = 10, .byte_ns = 0.5}};

static void check_fork(int64_t shared_ns, int64_t branch_ns, size_t copies,
                       double makespan_ns) {
  pgopt_profile_graph *graph = fork_graph(shared_ns, branch_ns);
  pgopt_profile_graph_connect(graph);
  pgopt_schedule_plan plan = plan_of(graph, &two_cores, true);
  CHECK_EQ_I64((int64_t)plan.copies.count, (int64_t)copies);
  CHECK_NEAR(plan.prediction.makespan_ns, makespan_ns, 1e-6);
  CHECK_NEAR(plan.prediction.sequential_ns, (double)(shared_ns + 2 * branch_ns),
             1e-6);
  if (copies) {
    CHECK_EQ_I64((int64_t)plan.copies.items[0].node, 0);
    CHECK_EQ_I64((int64_t)plan.copies.items[0].user_count, 1);
    CHECK_EQ_I64((int64_t)plan.graph->node_count, 4);
    CHECK_EQ_TEXT(plan.graph->nodes[1].layer, "shared");
    CHECK_EQ_I64(plan.prediction.bytes_across, 0);
  }
  pgopt_schedule_plan_free(&plan);
  pgopt_profile_graph_destroy(graph);
}

static void test_fork(void) {
  // Instead of 100 + 10 + 200 + 10 + 2,000 + 9,000.
  check_fork(100, 9000, 1, 9100);
  // Without the copy it would stay on one core: 4,100.
  check_fork(100, 2000, 1, 2100);
  // It takes longer than to wait and to read.
  check_fork(3000, 9000, 0, 3000 + 10 + 200 + 10 + 2000 + 9000);
}

/// What is written several times, or read by who writes it, is not copied, nor
/// is an argument, nor what reads one of these.
static void test_buffers(void) {
  pgopt_profile_graph *graph = fork_graph(100, 9000);
  size_t buffer;
  add_kernel(graph, "again", 100, LEFT, SHARED);
  add_kernel(graph, "argument", 100, LEFT, ARGUMENT);
  add_kernel(graph, "in place", 100, RIGHT, RIGHT);
  pgopt_profile_graph_connect(graph);
  for (size_t i = 0; i < 6; ++i)
    CHECK(!pgopt_node_copied_buffer(graph, i, &buffer));
  pgopt_profile_graph_destroy(graph);
}

/// Kernels that each write a buffer of their own and read up to three earlier
/// ones, or the argument; some barriers.
static pgopt_profile_graph *written_once(uint64_t *state, size_t nodes,
                                         int64_t barrier_odds) {
  pgopt_profile_graph *graph = pgopt_profile_graph_create("random");
  for (size_t i = 0; i <= nodes; ++i) {
    const pgopt_graph_buffer buffer = {
        "b", i ? PGOPT_BUFFER_VALUE : PGOPT_BUFFER_ARGUMENT,
        1 + random_below(state, 2000), 4};
    pgopt_profile_graph_add_buffer(graph, &buffer);
  }
  for (size_t i = 0; i < nodes; ++i) {
    pgopt_buffer_access accesses[4];
    size_t count = 2 + (size_t)random_below(state, 3);
    pgopt_graph_node node = {
        .function = "k",
        .timing = {.median_ns = 50 + random_below(state, i % 3 ? 9000 : 900),
                   .runs = 9,
                   .source = "in-place"}};
    for (size_t k = 0; k < count; ++k) {
      size_t buffer = k ? (size_t)random_below(state, (int64_t)i + 1) : i + 1;
      accesses[k] = (pgopt_buffer_access){
          buffer, !k, pgopt_range_whole(graph->buffers[buffer].elements)};
    }
    bool is_barrier = barrier_odds && !random_below(state, barrier_odds);
    if (is_barrier)
      node = (pgopt_graph_node){.kind = PGOPT_NODE_BARRIER, .function = "b"};
    pgopt_profile_graph_add_node(graph, &node, accesses,
                                 is_barrier ? 0 : count);
  }
  pgopt_profile_graph_connect(graph);
  return graph;
}

/// Plans with copies keep every order and are not slower.
static void test_random(void) {
  uint64_t state = 5;
  size_t copies = 0;
  for (int round = 0; round < 200; ++round) {
    pgopt_profile_graph *graph = written_once(&state, 12, round % 2 * 9);
    pgopt_schedule_request request = {
        2 + round % 3,
        {.latency_ns = (double)random_below(&state, 9000),
         .hop_ns = 10,
         .byte_ns = 0.5}};
    pgopt_schedule_plan plain = plan_of(graph, &request, false);
    pgopt_schedule_plan plan = plan_of(graph, &request, true);
    pgopt_error error = {0};
    CHECK(!plain.copies.count && !plain.graph);
    CHECK(!plan.copies.count == !plan.graph);
    CHECK(pgopt_order_check(plan.graph ? plan.graph : graph, &plan.lists,
                            &error) == PGOPT_OK);
    CHECK(plan.copies.count
              ? plan.prediction.makespan_ns < plain.prediction.makespan_ns
              : plan.prediction.makespan_ns == plain.prediction.makespan_ns);
    copies += plan.copies.count;
    pgopt_schedule_plan_free(&plan);
    pgopt_schedule_plan_free(&plain);
    pgopt_profile_graph_destroy(graph);
  }
  CHECK(copies > 10);
}

int main(void) {
  test_fork();
  test_buffers();
  test_random();
  return check_result();
}
