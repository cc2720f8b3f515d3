/// \file Unit tests of what passes between cores under a schedule.
#include "schedule/exchange.h"

#include "check.h"
#include "random_graph.h"

enum { ELEMENTS = 160, BYTES = 4 * ELEMENTS };

/// A node that writes all of buffer `written`, or nothing (-1), and reads
/// elements [begin, end) of `read`, or nothing (-1).
static void add_node(pgopt_profile_graph *graph, int written, int read,
                     int64_t begin, int64_t end) {
  const pgopt_graph_node node = {.function = "k", .parts = 1, .high = 1};
  pgopt_buffer_access accesses[2];
  size_t count = 0;
  if (written >= 0)
    accesses[count++] = (pgopt_buffer_access){(size_t)written, true,
                                              pgopt_range_whole(ELEMENTS)};
  if (read >= 0)
    accesses[count++] =
        (pgopt_buffer_access){(size_t)read, false, {ELEMENTS, begin, end}};
  pgopt_profile_graph_add_node(graph, &node, accesses, count);
}

static pgopt_profile_graph *make_graph(int buffers) {
  pgopt_profile_graph *graph = pgopt_profile_graph_create("network");
  for (int i = 0; i < buffers; ++i) {
    char name[] = {(char)('a' + i), 0};
    const pgopt_graph_buffer buffer = {name, PGOPT_BUFFER_VALUE, ELEMENTS, 4};
    pgopt_profile_graph_add_buffer(graph, &buffer);
  }
  return graph;
}

/// Carries the graph out on lists, a list a node; destroys it.
static void check_bytes(pgopt_profile_graph *graph, const int *list_of,
                        const double *fetched, const double *reclaimed) {
  pgopt_profile_graph_connect(graph);
  pgopt_core_lists lists = pgopt_core_lists_create(3);
  for (size_t i = 0; i < graph->node_count; ++i)
    pgopt_core_lists_append(&lists, (size_t)list_of[i],
                            (pgopt_event){PGOPT_EVENT_RUN, i, 0, 0});
  pgopt_exchange exchange;
  pgopt_error error = {0};
  CHECK(!pgopt_exchange_create(graph, &lists, &exchange, &error));
  for (size_t i = 0; i < graph->node_count; ++i) {
    CHECK_NEAR(exchange.fetched[i], fetched[i], 1e-9);
    CHECK_NEAR(exchange.reclaimed[i], reclaimed[i], 1e-9);
  }
  pgopt_exchange_free(&exchange);
  pgopt_core_lists_free(&lists);
  pgopt_profile_graph_destroy(graph);
}

/// Node 0 writes; node 1 reads all of it, 2 the first 64 elements, 3 the first
/// 32 elements, 4 the elements from 32 on. Lists run in the order of their
/// numbers when they have run as many nodes.
static void check_readers(const int *list_of, const double *fetched,
                          double reclaimed) {
  static const int64_t begins[] = {0, 0, 0, 32},
                       ends[] = {ELEMENTS, 64, 32, ELEMENTS};
  pgopt_profile_graph *graph = make_graph(1);
  add_node(graph, 0, -1, 0, 0);
  for (int i = 0; i < 4; ++i)
    add_node(graph, -1, 0, begins[i], ends[i]);
  check_bytes(graph, list_of, fetched, (const double[5]){reclaimed});
}

static void test_readers(void) {
  // On one core nothing passes.
  check_readers((const int[]){1, 1, 1, 1, 1}, (const double[5]){0}, 0);
  // Node 1 fetches all; the others find it there.
  check_readers((const int[]){0, 1, 1, 1, 1}, (const double[5]){0, BYTES},
                BYTES);
  // Nodes 3 and 4 fetch a part each.
  check_readers((const int[]){0, 0, 0, 1, 1},
                (const double[5]){0, 0, 0, 128, BYTES - 128}, BYTES);
  // Node 3 reads a part of what node 2 has fetched, node 4 the rest of that
  // and all else.
  check_readers((const int[]){0, 0, 1, 1, 1},
                (const double[5]){0, 0, 256, 0, BYTES - 256}, BYTES);
  // Only what is read elsewhere is taken back; two cores read it.
  check_readers((const int[]){0, 0, 1, 2, 0},
                (const double[5]){0, 0, 256, 128, 0}, 256);
}

/// Node 0 writes buffer a, 1 reads it and writes b, 2 reads b and writes c,
/// which is kept: a and b may not share memory, a and c may.
static void test_memory_is_written_over(void) {
  pgopt_profile_graph *graph = make_graph(3);
  add_node(graph, 0, -1, 0, 0);
  add_node(graph, 1, 0, 0, ELEMENTS);
  add_node(graph, 2, 1, 0, ELEMENTS);
  // All on list 0 but node 1: it fetches a, and takes b back that node 2 has
  // read; node 0 takes a back.
  check_bytes(graph, (const int[]){0, 1, 0}, (const double[]){0, BYTES, BYTES},
              (const double[]){BYTES, BYTES, 0});
  // Two nodes in turn write what nobody reads in between.
  graph = make_graph(1);
  add_node(graph, 0, -1, 0, 0);
  add_node(graph, 0, -1, 0, 0);
  check_bytes(graph, (const int[]){0, 1}, (const double[]){0, 0},
              (const double[]){0, 0});
  // What a core has fetched it may write over.
  graph = make_graph(1);
  add_node(graph, 0, -1, 0, 0);
  add_node(graph, -1, 0, 0, ELEMENTS);
  add_node(graph, 0, -1, 0, 0);
  check_bytes(graph, (const int[]){0, 1, 1}, (const double[]){0, BYTES, 0},
              (const double[]){0, 0, 0});
}

/// A range in strips: every second group of 16 elements.
static void test_strips(void) {
  pgopt_profile_graph *graph = make_graph(1);
  const pgopt_graph_node node = {.function = "k", .parts = 1, .high = 1};
  add_node(graph, 0, -1, 0, 0);
  pgopt_profile_graph_add_node(
      graph, &node, &(pgopt_buffer_access){0, false, {32, 0, 16}}, 1);
  // From the first to the last strip there are 144 elements, half of them its.
  check_bytes(graph, (const int[]){0, 1}, (const double[]){0, 144 * 4 / 2},
              (const double[]){144 * 4, 0});
}

int main(void) {
  test_readers();
  test_memory_is_written_over();
  test_strips();
  return check_result();
}
