/// \file Unit tests of the Profile graph: ranges, edges and both text forms.
#include "profile/profile_graph.h"

#include "check.h"
#include "profile/profile_graph_export.h"
#include "random_graph.h"

#include <jansson.h>
#include <stdlib.h>
#include <time.h>

static void test_ranges_count_what_they_hold(void) {
  const int64_t shape[] = {3, 5, 7};
  pgopt_buffer_range rows, columns, last;
  pgopt_range_of_dimension(shape, 3, 0, 1, 3, &rows, NULL);
  pgopt_range_of_dimension(shape, 3, 1, 2, 4, &columns, NULL);
  pgopt_range_of_dimension(shape, 3, 2, 0, 1, &last, NULL);
  CHECK_EQ_I64(pgopt_range_size(&rows, 105), 2 * 5 * 7);
  CHECK_EQ_I64(pgopt_range_size(&columns, 105), 3 * 2 * 7);
  CHECK_EQ_I64(pgopt_range_size(&last, 105), 3 * 5);
  CHECK_EQ_I64(pgopt_range_overlap(&rows, &columns, 105), 2 * 2 * 7);
  CHECK_EQ_I64(pgopt_range_overlap(&columns, &last, 105), 3 * 2);
  pgopt_buffer_range all = pgopt_range_whole(105);
  CHECK_EQ_I64(pgopt_range_overlap(&all, &last, 105), 3 * 5);
}

static void test_ranges_are_cut_to_the_extent(void) {
  const int64_t shape[] = {3, 5};
  pgopt_buffer_range range;
  CHECK(!pgopt_range_of_dimension(shape, 2, 0, 2, 9, &range, NULL));
  CHECK_EQ_I64(pgopt_range_size(&range, 15), 5);
  CHECK(!pgopt_range_of_dimension(shape, 2, 0, 7, 9, &range, NULL));
  CHECK_EQ_I64(pgopt_range_size(&range, 15), 0);
}

static void test_bad_ranges_are_refused(void) {
  const int64_t shape[] = {3, 5};
  pgopt_buffer_range range;
  pgopt_error error = {0};
  CHECK(pgopt_range_of_dimension(shape, 2, 2, 0, 1, &range, &error) ==
        PGOPT_INVALID);
  CHECK_EQ_TEXT(error.message, "dimension 2 is not one of the 2 of the array");
  CHECK(pgopt_range_of_dimension(shape, 2, 0, 2, 1, &range, &error) ==
        PGOPT_INVALID);
  CHECK_EQ_TEXT(error.message, "[2, 1) is not a range of indices");
  CHECK(pgopt_range_of_dimension(shape, 2, -1, 0, 1, &range, &error) ==
        PGOPT_INVALID);
  CHECK(pgopt_range_of_dimension(shape, 2, 0, -1, 1, &range, &error) ==
        PGOPT_INVALID);
}

static void test_empty_arrays_overlap_nothing(void) {
  const int64_t shape[] = {3, 0, 7};
  pgopt_buffer_range range, all = pgopt_range_whole(0);
  pgopt_range_of_dimension(shape, 3, 0, 0, 3, &range, NULL);
  CHECK_EQ_I64(pgopt_range_size(&range, 0), 0);
  CHECK_EQ_I64(pgopt_range_overlap(&range, &all, 0), 0);
}

/// The same 12 elements as 3 x 4 and as 2 x 6: neither period divides the
/// other, so the overlap may be too large, never too small.
static void test_overlap_of_unrelated_shapes_is_safe(void) {
  const int64_t one[] = {3, 4, 1}, other[] = {2, 6, 1};
  for (int64_t i = 0; i < 4; ++i)
    for (int64_t k = 0; k < 6; ++k) {
      pgopt_buffer_range a, b;
      pgopt_range_of_dimension(one, 3, 1, i, i + 1, &a, NULL);
      pgopt_range_of_dimension(other, 3, 1, k, k + 1, &b, NULL);
      int64_t common = 0;
      for (int64_t e = 0; e < 12; ++e)
        common += e % 4 == i && e % 6 == k;
      CHECK(pgopt_range_overlap(&a, &b, 12) >= common);
    }
}

static void test_random_overlaps_are_exact(void) {
  uint64_t state = 11;
  for (int i = 0; i < 3000; ++i) {
    pgopt_buffer_range a = random_range(&state), b = random_range(&state);
    CHECK_EQ_I64(pgopt_range_overlap(&a, &b, 210), common_elements(&a, &b));
    CHECK_EQ_I64(pgopt_range_overlap(&b, &a, 210), common_elements(&a, &b));
  }
}

/// Two halves of a layer, then a kernel that reads rows of both, one that reads
/// rows of the first half only, and one that has nothing to do with them.
static pgopt_profile_graph *make_small_graph(void) {
  pgopt_profile_graph *graph = pgopt_profile_graph_create("forward");
  const int64_t shape[] = {10, 7};
  pgopt_graph_buffer in = {"arg0", PGOPT_BUFFER_ARGUMENT, 70, 4};
  pgopt_graph_buffer middle = {"value0", PGOPT_BUFFER_VALUE, 70, 4};
  pgopt_graph_buffer out = {"value1", PGOPT_BUFFER_VALUE, 70, 4};
  pgopt_graph_buffer last = {"value2", PGOPT_BUFFER_VALUE, 70, 4};
  pgopt_profile_graph_add_buffer(graph, &in);
  pgopt_profile_graph_add_buffer(graph, &middle);
  pgopt_profile_graph_add_buffer(graph, &out);
  pgopt_profile_graph_add_buffer(graph, &last);
  pgopt_graph_node node = {.function = "first",
                           .layer = "first",
                           .phase = "main",
                           .parts = 2,
                           .core = PGOPT_NO_CORE,
                           .slot = PGOPT_NO_CORE};
  pgopt_buffer_access accesses[2] = {{0, false, {1, 0, 0}},
                                     {1, true, {1, 0, 0}}};
  for (int64_t part = 0; part < 2; ++part) {
    node.part = part;
    node.low = 5 * part;
    node.high = 5 * part + 5;
    for (int i = 0; i < 2; ++i)
      pgopt_range_of_dimension(shape, 2, 0, node.low, node.high,
                               &accesses[i].range, NULL);
    pgopt_profile_graph_add_node(graph, &node, accesses, 2);
  }
  node = (pgopt_graph_node){.function = "second \"quoted\"",
                            .layer = "se\\cond",
                            .phase = "pack",
                            .parts = 1,
                            .high = 1,
                            .has_lflops = true,
                            .lflops = 70,
                            .has_bytes = true,
                            .bytes = 560,
                            .timing = {900, 800, 10, 3, "in-place"},
                            .core = PGOPT_NO_CORE,
                            .slot = PGOPT_NO_CORE};
  accesses[0] = (pgopt_buffer_access){1, false, {70, 21, 49}};
  accesses[1] = (pgopt_buffer_access){2, true, pgopt_range_whole(70)};
  pgopt_profile_graph_add_node(graph, &node, accesses, 2);
  node.function = node.layer = "third\xff";
  accesses[0].range = (pgopt_buffer_range){70, 0, 35};
  accesses[1].buffer = 3;
  pgopt_profile_graph_add_node(graph, &node, accesses, 2);
  node.function = node.layer = "fourth";
  accesses[0].buffer = 0;
  pgopt_profile_graph_add_node(graph, &node, accesses, 1);
  pgopt_profile_graph_connect(graph);
  return graph;
}

static void test_edges_come_from_ranges(void) {
  pgopt_profile_graph *graph = make_small_graph();
  CHECK_EQ_I64(graph->edge_count, 3);
  if (graph->edge_count == 3) {
    // Elements 21..34 of the first half, 35..48 of the second, four bytes each.
    CHECK_EQ_I64(graph->edges[0].from, 0);
    CHECK_EQ_I64(graph->edges[0].to, 2);
    CHECK_EQ_I64(graph->edges[0].bytes, 14 * 4);
    CHECK_EQ_I64(graph->edges[1].from, 1);
    CHECK_EQ_I64(graph->edges[1].to, 2);
    CHECK_EQ_I64(graph->edges[1].bytes, 14 * 4);
    CHECK_EQ_I64(graph->edges[2].from, 0);
    CHECK_EQ_I64(graph->edges[2].to, 3);
    CHECK_EQ_I64(graph->edges[2].bytes, 35 * 4);
  }
  CHECK_EQ_I64(graph->nodes[0].out_count, 2);
  CHECK_EQ_I64(pgopt_graph_out_edge(graph, &graph->nodes[0], 1)->to, 3);
  size_t levels[5];
  CHECK_EQ_I64(pgopt_profile_graph_levels(graph, levels), 3);
  CHECK_EQ_I64(levels[2], 1);
  CHECK_EQ_I64(levels[4], 0);
  pgopt_profile_graph_destroy(graph);
}

static void test_equal_accesses_count_once(void) {
  pgopt_profile_graph *graph = pgopt_profile_graph_create("f");
  pgopt_graph_buffer buffer = {"x", PGOPT_BUFFER_VALUE, 5, 8};
  pgopt_profile_graph_add_buffer(graph, &buffer);
  pgopt_graph_node node = {.function = "k"};
  pgopt_buffer_access accesses[] = {{0, true, pgopt_range_whole(5)},
                                    {0, false, pgopt_range_whole(5)},
                                    {0, false, pgopt_range_whole(5)}};
  pgopt_profile_graph_add_node(graph, &node, accesses, 1);
  // An update in place: what is read is bytes, what is overwritten is order.
  pgopt_profile_graph_add_node(graph, &node, accesses, 3);
  pgopt_profile_graph_connect(graph);
  CHECK_EQ_I64(graph->nodes[1].access_count, 2);
  CHECK_EQ_I64(graph->edge_count, 1);
  CHECK_EQ_I64(graph->edges[0].bytes, 5 * 8);
  pgopt_profile_graph_destroy(graph);
}

static void test_bytes_saturate(void) {
  pgopt_profile_graph *graph = pgopt_profile_graph_create("f");
  pgopt_graph_buffer buffer = {"x", PGOPT_BUFFER_VALUE, INT64_MAX / 2, 8};
  pgopt_profile_graph_add_buffer(graph, &buffer);
  pgopt_graph_node node = {.function = "k"};
  pgopt_buffer_access access = {0, true, pgopt_range_whole(INT64_MAX / 2)};
  pgopt_profile_graph_add_node(graph, &node, &access, 1);
  access.writes = false;
  pgopt_profile_graph_add_node(graph, &node, &access, 1);
  pgopt_profile_graph_connect(graph);
  CHECK_EQ_I64(graph->edges[0].bytes, INT64_MAX);
  pgopt_profile_graph_destroy(graph);
}

static void test_barriers_keep_their_place(void) {
  pgopt_profile_graph *graph = pgopt_profile_graph_create("f");
  static const pgopt_node_kind kinds[] = {
      PGOPT_NODE_BARRIER, PGOPT_NODE_KERNEL,  PGOPT_NODE_KERNEL,
      PGOPT_NODE_BARRIER, PGOPT_NODE_BARRIER, PGOPT_NODE_KERNEL,
      PGOPT_NODE_BARRIER};
  pgopt_graph_node node = {.function = "x"};
  for (int i = 0; i < 7; ++i) {
    node.kind = kinds[i];
    pgopt_profile_graph_add_node(graph, &node, NULL, 0);
  }
  pgopt_profile_graph_connect(graph);
  static const size_t expected[][2] = {{0, 1}, {0, 2}, {1, 3}, {2, 3},
                                       {3, 4}, {4, 5}, {5, 6}};
  CHECK_EQ_I64(graph->edge_count, 7);
  for (size_t i = 0; i < 7 && i < graph->edge_count; ++i) {
    CHECK_EQ_I64(graph->edges[i].from, expected[i][0]);
    CHECK_EQ_I64(graph->edges[i].to, expected[i][1]);
    CHECK_EQ_I64(graph->edges[i].bytes, 0);
  }
  for (size_t i = 0; i < 7; ++i)
    CHECK(graph->nodes[i].is_outside == (i == 0 || i == 6));
  pgopt_profile_graph_destroy(graph);
}

/// reaches[a * n + b]: a path leads from a to b.
static bool *close_over_paths(const pgopt_profile_graph *graph) {
  size_t n = graph->node_count;
  bool *reaches = calloc(n * n, 1);
  for (size_t to = 0; to < n; ++to)
    for (size_t k = 0; k < graph->nodes[to].in_count; ++k) {
      size_t from = graph->edges[graph->nodes[to].first_in + k].from;
      for (size_t a = 0; a < n; ++a)
        reaches[a * n + to] |= a == from || reaches[a * n + from];
    }
  return reaches;
}

/// Nodes are connected by a path when they conflict, and an edge that carries
/// data stands for elements that are really shared.
static void test_random_graphs_order_exactly_conflicts(void) {
  uint64_t state = 5;
  for (int round = 0; round < 60; ++round) {
    pgopt_profile_graph *graph =
        random_graph(&state, 40, 2 + (size_t)round % 9, round % 3 ? 0 : 9);
    size_t n = graph->node_count;
    bool *reaches = close_over_paths(graph);
    for (size_t b = 0; b < n; ++b)
      for (size_t a = 0; a < b; ++a)
        if (nodes_conflict(graph, a, b))
          CHECK(reaches[a * n + b]);
    for (size_t i = 0; i < graph->edge_count; ++i) {
      const pgopt_graph_edge *edge = &graph->edges[i];
      CHECK(edge->from < edge->to);
      CHECK(nodes_conflict(graph, edge->from, edge->to));
    }
    free(reaches);
    pgopt_profile_graph_destroy(graph);
  }
}

static void test_json_is_what_the_document_says(void) {
  pgopt_profile_graph *graph = make_small_graph();
  pgopt_text text = {0}, again = {0};
  pgopt_profile_graph_to_json(graph, &text);
  pgopt_profile_graph_to_json(graph, &again);
  CHECK_EQ_TEXT(text.data, again.data);
  json_error_t error;
  json_t *root = json_loads(text.data, 0, &error);
  if (!CHECK(root != NULL))
    fprintf(stderr, "%s at line %d\n%s\n", error.text, error.line, text.data);
  CHECK_EQ_I64(json_integer_value(json_object_get(root, "format")), 1);
  json_t *node = json_array_get(json_object_get(root, "nodes"), 2);
  CHECK_EQ_TEXT(json_string_value(json_object_get(node, "function")),
                "second \"quoted\"");
  CHECK_EQ_TEXT(json_string_value(json_object_get(node, "layer")), "se\\cond");
  CHECK_EQ_I64(json_integer_value(json_object_get(node, "lflops")), 70);
  CHECK_EQ_I64(json_integer_value(json_object_get(
                   json_object_get(node, "timing"), "median_ns")),
               900);
  CHECK(json_is_null(json_object_get(node, "core")));
  json_t *odd = json_array_get(json_object_get(root, "nodes"), 3);
  CHECK_EQ_TEXT(json_string_value(json_object_get(odd, "layer")),
                "third\xef\xbf\xbd");
  CHECK_EQ_I64(json_array_size(json_object_get(root, "edges")), 3);
  json_t *totals = json_object_get(root, "totals");
  CHECK_EQ_I64(
      json_integer_value(json_object_get(totals, "kernels_without_timing")), 2);
  json_decref(root);
  pgopt_text_free(&text);
  pgopt_text_free(&again);
  pgopt_profile_graph_destroy(graph);
}

static void test_dot_shows_cores_times_and_bytes(void) {
  pgopt_profile_graph *graph = make_small_graph();
  for (int i = 0; i < 5; ++i) {
    graph->nodes[i].core = i % 2;
    graph->nodes[i].slot = i / 2;
  }
  pgopt_text text = {0};
  pgopt_profile_graph_to_dot(graph, &text);
  CHECK_CONTAINS(text.data, "subgraph cluster_core1 {");
  CHECK_CONTAINS(text.data, "n0 -> n3 [label=\"140 B\"];");
  CHECK_CONTAINS(text.data,
                 "n2 [label=\"se\\\\cond pack\\n@second \\\"quoted\\\"\\n70 "
                 "Lflops\\n900 ns\\nslot 1\", fillcolor=\"0.000 0.999 1.0\", "
                 "color=\"0.000 1.0 0.7\", penwidth=2];");
  CHECK_CONTAINS(text.data, "n1 [label=\"first part 1 of 2\\n@first\\nLflops "
                            "unknown\\nslot 0\", color=\"0.618 1.0 0.7\", "
                            "penwidth=2];");
  pgopt_text_free(&text);
  pgopt_profile_graph_destroy(graph);
}

/// Work must grow with nodes and edges, not with pairs of nodes: with pairs
/// this would be two hundred million comparisons a buffer list.
static void test_many_nodes(void) {
  clock_t begin = clock();
  uint64_t state = 3;
  pgopt_profile_graph *graph = random_graph(&state, 20000, 20000, 0);
  CHECK_EQ_I64(graph->node_count, 20000);
  CHECK(graph->edge_count > 10000);
  printf("20000 nodes, %zu edges: %.3f s\n", graph->edge_count,
         (double)(clock() - begin) / CLOCKS_PER_SEC);
  pgopt_profile_graph_destroy(graph);
}

int main(void) {
  test_ranges_count_what_they_hold();
  test_ranges_are_cut_to_the_extent();
  test_bad_ranges_are_refused();
  test_empty_arrays_overlap_nothing();
  test_overlap_of_unrelated_shapes_is_safe();
  test_random_overlaps_are_exact();
  test_edges_come_from_ranges();
  test_equal_accesses_count_once();
  test_bytes_saturate();
  test_barriers_keep_their_place();
  test_random_graphs_order_exactly_conflicts();
  test_json_is_what_the_document_says();
  test_dot_shows_cores_times_and_bytes();
  test_many_nodes();
  return check_result();
}
