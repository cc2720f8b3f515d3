/// \file Ranges of buffers, and the edges of the Profile graph.
#include "profile/profile_graph.h"

#include "base/checked_math.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

static int64_t least(int64_t a, int64_t b) { return a < b ? a : b; }

static int64_t clamp(int64_t value, int64_t low, int64_t high) {
  return value < low ? low : value > high ? high : value;
}

pgopt_buffer_range pgopt_range_whole(int64_t elements) {
  if (!elements)
    return (pgopt_buffer_range){1, 0, 0};
  return (pgopt_buffer_range){elements, 0, elements};
}

pgopt_status pgopt_range_of_dimension(const int64_t *shape, size_t rank,
                                      int64_t dim, int64_t begin, int64_t end,
                                      pgopt_buffer_range *range,
                                      pgopt_error *error) {
  if (dim < 0 || (uint64_t)dim >= rank)
    return pgopt_fail(error, PGOPT_INVALID,
                      "dimension %lld is not one of the %zu of the array",
                      (long long)dim, rank);
  if (begin < 0 || end < begin)
    return pgopt_fail(error, PGOPT_INVALID,
                      "[%lld, %lld) is not a range of indices",
                      (long long)begin, (long long)end);
  int64_t inner = 1, elements = 1;
  if (!pgopt_checked_product(shape, rank, &elements) || !elements) {
    *range = pgopt_range_whole(0);
    return PGOPT_OK;
  }
  for (size_t d = (size_t)dim + 1; d < rank; ++d)
    inner *= shape[d];
  int64_t extent = shape[dim];
  *range = (pgopt_buffer_range){extent * inner, least(begin, extent) * inner,
                                least(end, extent) * inner};
  return PGOPT_OK;
}

int64_t pgopt_range_size(const pgopt_buffer_range *range, int64_t elements) {
  return (range->end - range->begin) * (elements / range->period);
}

/// Elements of the range at positions below `position`.
static int64_t count_below(const pgopt_buffer_range *range, int64_t position) {
  int64_t length = range->end - range->begin;
  return position / range->period * length +
         clamp(position % range->period - range->begin, 0, length);
}

/// The elements that both hold, counted within one period of the range with the
/// longer one: every other such period holds as many.
static int64_t overlap(const pgopt_buffer_range *a, const pgopt_buffer_range *b,
                       int64_t elements, bool *is_exact) {
  const pgopt_buffer_range *fine = a->period < b->period ? a : b;
  const pgopt_buffer_range *coarse = fine == a ? b : a;
  *is_exact = coarse->period % fine->period == 0;
  if (!*is_exact)
    return least(pgopt_range_size(a, elements), pgopt_range_size(b, elements));
  return (count_below(fine, coarse->end) - count_below(fine, coarse->begin)) *
         (elements / coarse->period);
}

int64_t pgopt_range_overlap(const pgopt_buffer_range *a,
                            const pgopt_buffer_range *b, int64_t elements) {
  bool is_exact;
  return overlap(a, b, elements, &is_exact);
}

/// True when every element of `inner` is surely in `outer`.
static bool covers(const pgopt_buffer_range *outer,
                   const pgopt_buffer_range *inner, int64_t elements) {
  bool is_exact;
  int64_t common = overlap(outer, inner, elements, &is_exact);
  return is_exact && common == pgopt_range_size(inner, elements);
}

pgopt_profile_graph *pgopt_profile_graph_create(const char *entry) {
  pgopt_profile_graph *graph = pgopt_allocate(1, sizeof *graph);
  graph->entry = pgopt_arena_text(&graph->arena, entry, strlen(entry));
  return graph;
}

void pgopt_profile_graph_destroy(pgopt_profile_graph *graph) {
  if (!graph)
    return;
  pgopt_arena_free(&graph->arena);
  free(graph->buffers);
  free(graph->nodes);
  free(graph->accesses);
  free(graph->edges);
  free(graph->outgoing);
  free(graph);
}

static const char *keep_text(pgopt_profile_graph *graph, const char *text) {
  return text ? pgopt_arena_text(&graph->arena, text, strlen(text)) : "";
}

size_t pgopt_profile_graph_add_buffer(pgopt_profile_graph *graph,
                                      const pgopt_graph_buffer *buffer) {
  pgopt_graph_buffer copy = *buffer;
  copy.name = keep_text(graph, buffer->name);
  PGOPT_APPEND(graph->buffers, graph->buffer_count, graph->buffer_capacity,
               copy);
  return graph->buffer_count - 1;
}

static bool ranges_equal(const pgopt_buffer_range *a,
                         const pgopt_buffer_range *b) {
  return a->period == b->period && a->begin == b->begin && a->end == b->end;
}

static bool is_known_access(const pgopt_profile_graph *graph,
                            const pgopt_graph_node *node,
                            const pgopt_buffer_access *access) {
  for (size_t i = 0; i < node->access_count; ++i) {
    const pgopt_buffer_access *known = &graph->accesses[node->first_access + i];
    if (known->buffer == access->buffer && known->writes == access->writes &&
        ranges_equal(&known->range, &access->range))
      return true;
  }
  return false;
}

size_t pgopt_profile_graph_add_node(pgopt_profile_graph *graph,
                                    const pgopt_graph_node *node,
                                    const pgopt_buffer_access *accesses,
                                    size_t access_count) {
  pgopt_graph_node copy = *node;
  copy.function = keep_text(graph, node->function);
  copy.layer = keep_text(graph, node->layer);
  copy.phase = keep_text(graph, node->phase);
  copy.timing.source = keep_text(graph, node->timing.source);
  copy.first_access = graph->access_count;
  copy.access_count = 0;
  copy.first_in = copy.in_count = copy.first_out = copy.out_count = 0;
  copy.is_outside = false;
  for (size_t i = 0; i < access_count; ++i) {
    assert(accesses[i].buffer < graph->buffer_count);
    if (is_known_access(graph, &copy, &accesses[i]))
      continue;
    PGOPT_APPEND(graph->accesses, graph->access_count, graph->access_capacity,
                 accesses[i]);
    ++copy.access_count;
  }
  PGOPT_APPEND(graph->nodes, graph->node_count, graph->node_capacity, copy);
  return graph->node_count - 1;
}

/// Accesses of a buffer that a later node may still conflict with.
typedef struct frontier_entry {
  size_t node;
  pgopt_buffer_range range;
} frontier_entry;

typedef struct frontier {
  frontier_entry *entries;
  size_t count, capacity;
} frontier;

typedef struct builder {
  pgopt_profile_graph *graph;
  frontier *writes, *reads; ///< one a buffer
  size_t *edge_of; ///< per earlier node: 1 + its edge to the current node
} builder;

static void add_edge(builder *b, size_t from, size_t to, int64_t bytes) {
  pgopt_profile_graph *graph = b->graph;
  size_t known = b->edge_of[from];
  if (known && graph->edges[known - 1].to == to) {
    pgopt_graph_edge *edge = &graph->edges[known - 1];
    if (!pgopt_checked_add(edge->bytes, bytes, &edge->bytes))
      edge->bytes = INT64_MAX;
    return;
  }
  pgopt_graph_edge edge = {from, to, bytes};
  PGOPT_APPEND(graph->edges, graph->edge_count, graph->edge_capacity, edge);
  b->edge_of[from] = graph->edge_count;
}

/// Connects `node` to the entries that it conflicts with. `drop_covered`: the
/// access is a write, and entries that it overwrites wholly are reached through
/// it from now on.
static void meet_frontier(builder *b, frontier *f, size_t node,
                          const pgopt_buffer_access *access, bool carries_data,
                          bool drop_covered) {
  const pgopt_graph_buffer *buffer = &b->graph->buffers[access->buffer];
  size_t kept = 0;
  for (size_t i = 0; i < f->count; ++i) {
    const frontier_entry *entry = &f->entries[i];
    int64_t common =
        pgopt_range_overlap(&entry->range, &access->range, buffer->elements);
    if (common && entry->node != node) {
      int64_t bytes = 0;
      if (carries_data &&
          !pgopt_checked_multiply(common, buffer->element_bytes, &bytes))
        bytes = INT64_MAX;
      add_edge(b, entry->node, node, bytes);
    }
    if (!drop_covered ||
        !covers(&access->range, &entry->range, buffer->elements))
      f->entries[kept++] = *entry;
  }
  f->count = kept;
}

static void enter_frontier(frontier *f, size_t node,
                           const pgopt_buffer_access *access) {
  frontier_entry entry = {node, access->range};
  PGOPT_APPEND(f->entries, f->count, f->capacity, entry);
}

/// All reads before all writes: a kernel that updates a buffer in place reads
/// what others wrote, not its own result.
static void connect_accesses(builder *b, size_t node) {
  const pgopt_graph_node *n = &b->graph->nodes[node];
  const pgopt_buffer_access *accesses = b->graph->accesses + n->first_access;
  for (size_t i = 0; i < n->access_count; ++i) {
    const pgopt_buffer_access *access = &accesses[i];
    if (access->writes)
      continue;
    meet_frontier(b, &b->writes[access->buffer], node, access, true, false);
    enter_frontier(&b->reads[access->buffer], node, access);
  }
  for (size_t i = 0; i < n->access_count; ++i) {
    const pgopt_buffer_access *access = &accesses[i];
    if (!access->writes)
      continue;
    meet_frontier(b, &b->reads[access->buffer], node, access, false, true);
    meet_frontier(b, &b->writes[access->buffer], node, access, false, true);
    enter_frontier(&b->writes[access->buffer], node, access);
  }
}

static int compare_from(const void *a, const void *b) {
  const pgopt_graph_edge *left = a, *right = b;
  return (left->from > right->from) - (left->from < right->from);
}

/// Closes the current node's group of incoming edges.
static void finish_node(pgopt_profile_graph *graph, size_t node, size_t first) {
  pgopt_graph_node *n = &graph->nodes[node];
  n->first_in = first;
  n->in_count = graph->edge_count - first;
  if (n->in_count > 1)
    qsort(graph->edges + first, n->in_count, sizeof *graph->edges,
          compare_from);
}

/// Edges are sorted by `to`; a stable distribution by `from` keeps that order.
static void fill_outgoing(pgopt_profile_graph *graph) {
  free(graph->outgoing);
  graph->outgoing = pgopt_allocate(graph->edge_count, sizeof(size_t));
  for (size_t i = 0; i < graph->edge_count; ++i)
    ++graph->nodes[graph->edges[i].from].out_count;
  size_t next = 0;
  for (size_t i = 0; i < graph->node_count; ++i) {
    graph->nodes[i].first_out = next;
    next += graph->nodes[i].out_count;
    graph->nodes[i].out_count = 0;
  }
  for (size_t i = 0; i < graph->edge_count; ++i) {
    pgopt_graph_node *from = &graph->nodes[graph->edges[i].from];
    graph->outgoing[from->first_out + from->out_count++] = i;
  }
}

static void mark_outside(pgopt_profile_graph *graph) {
  size_t first = graph->node_count, last = 0;
  for (size_t i = 0; i < graph->node_count; ++i)
    if (graph->nodes[i].kind == PGOPT_NODE_KERNEL) {
      first = i < first ? i : first;
      last = i;
    }
  for (size_t i = 0; i < graph->node_count; ++i)
    graph->nodes[i].is_outside = i < first || i > last;
}

void pgopt_profile_graph_connect(pgopt_profile_graph *graph) {
  builder b = {
      .graph = graph,
      .writes = pgopt_allocate(graph->buffer_count, sizeof(frontier)),
      .reads = pgopt_allocate(graph->buffer_count, sizeof(frontier)),
      .edge_of = pgopt_allocate(graph->node_count, sizeof(size_t)),
  };
  graph->edge_count = 0;
  // Nodes since the last barrier that no later node waits for yet.
  bool *has_successor = pgopt_allocate(graph->node_count, sizeof(bool));
  bool has_barrier = false;
  size_t barrier = 0, segment = 0;
  for (size_t node = 0; node < graph->node_count; ++node) {
    pgopt_graph_node *n = &graph->nodes[node];
    n->out_count = 0;
    size_t first = graph->edge_count;
    if (n->kind == PGOPT_NODE_BARRIER) {
      for (size_t i = segment; i < node; ++i)
        if (!has_successor[i])
          add_edge(&b, i, node, 0);
      if (has_barrier && segment == node)
        add_edge(&b, barrier, node, 0);
      has_barrier = true;
      barrier = node;
      segment = node + 1;
    } else {
      connect_accesses(&b, node);
      bool follows = false;
      for (size_t i = first; i < graph->edge_count; ++i)
        follows |= graph->edges[i].from >= segment;
      if (has_barrier && !follows)
        add_edge(&b, barrier, node, 0);
    }
    for (size_t i = first; i < graph->edge_count; ++i)
      has_successor[graph->edges[i].from] = true;
    finish_node(graph, node, first);
  }
  fill_outgoing(graph);
  mark_outside(graph);
  for (size_t i = 0; i < graph->buffer_count; ++i) {
    free(b.writes[i].entries);
    free(b.reads[i].entries);
  }
  free(b.writes);
  free(b.reads);
  free(b.edge_of);
  free(has_successor);
}

size_t pgopt_profile_graph_levels(const pgopt_profile_graph *graph,
                                  size_t *levels) {
  size_t *width = pgopt_allocate(graph->node_count + 1, sizeof *width);
  size_t widest = 0;
  for (size_t i = 0; i < graph->node_count; ++i) {
    const pgopt_graph_node *node = &graph->nodes[i];
    levels[i] = 0;
    for (size_t k = 0; k < node->in_count; ++k) {
      size_t from = graph->edges[node->first_in + k].from;
      size_t after =
          levels[from] + (graph->nodes[from].kind == PGOPT_NODE_KERNEL ? 1 : 0);
      levels[i] = after > levels[i] ? after : levels[i];
    }
    if (node->kind == PGOPT_NODE_KERNEL && ++width[levels[i]] > widest)
      widest = width[levels[i]];
  }
  free(width);
  return widest;
}

bool pgopt_graph_nodes_equal(const pgopt_profile_graph *a, size_t node_a,
                             const pgopt_profile_graph *b, size_t node_b) {
  const pgopt_graph_node *left = &a->nodes[node_a], *right = &b->nodes[node_b];
  if (left->kind != right->kind || left->low != right->low ||
      left->high != right->high || left->access_count != right->access_count ||
      strcmp(left->function, right->function))
    return false;
  for (size_t i = 0; i < left->access_count; ++i) {
    const pgopt_buffer_access *x = &a->accesses[left->first_access + i];
    const pgopt_buffer_access *y = &b->accesses[right->first_access + i];
    if (x->writes != y->writes || !ranges_equal(&x->range, &y->range) ||
        strcmp(a->buffers[x->buffer].name, b->buffers[y->buffer].name))
      return false;
  }
  return true;
}
