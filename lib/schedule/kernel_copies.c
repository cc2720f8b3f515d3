/// \file Kernels that are computed on several cores: graphs with copies.
#include "schedule/kernel_copies.h"

#include <stdlib.h>

void pgopt_kernel_copies_free(pgopt_kernel_copies *copies) {
  for (size_t i = 0; i < copies->count; ++i)
    free(copies->items[i].users);
  free(copies->items);
  *copies = (pgopt_kernel_copies){0};
}

static const pgopt_buffer_access *access_of(const pgopt_profile_graph *graph,
                                            size_t node, size_t k) {
  return &graph->accesses[graph->nodes[node].first_access + k];
}

bool pgopt_node_reads_buffer(const pgopt_profile_graph *graph, size_t node,
                             size_t buffer) {
  for (size_t k = 0; k < graph->nodes[node].access_count; ++k) {
    const pgopt_buffer_access *access = access_of(graph, node, k);
    if (access->buffer == buffer && !access->writes)
      return true;
  }
  return false;
}

static bool writes_buffer(const pgopt_profile_graph *graph, size_t node,
                          size_t buffer) {
  for (size_t k = 0; k < graph->nodes[node].access_count; ++k) {
    const pgopt_buffer_access *access = access_of(graph, node, k);
    if (access->buffer == buffer && access->writes)
      return true;
  }
  return false;
}

/// True when the node `to` writes what `number` reads or writes.
static bool overwrites(const pgopt_profile_graph *graph, size_t number,
                       size_t to) {
  for (size_t k = 0; k < graph->nodes[number].access_count; ++k)
    if (writes_buffer(graph, to, access_of(graph, number, k)->buffer))
      return true;
  return false;
}

bool pgopt_node_copied_buffer(const pgopt_profile_graph *graph, size_t number,
                              size_t *buffer) {
  const pgopt_graph_node *node = &graph->nodes[number];
  size_t writes = 0;
  for (size_t k = 0; k < node->access_count; ++k) {
    const pgopt_buffer_access *access = access_of(graph, number, k);
    const pgopt_graph_buffer *b = &graph->buffers[access->buffer];
    if (!access->writes)
      continue;
    if (writes++ || b->kind != PGOPT_BUFFER_VALUE ||
        pgopt_range_size(&access->range, b->elements) != b->elements)
      return false;
    *buffer = access->buffer;
  }
  if (writes != 1 || node->kind != PGOPT_NODE_KERNEL ||
      pgopt_node_reads_buffer(graph, number, *buffer))
    return false;
  // Two that write the same buffer are connected.
  for (size_t k = 0; k < node->in_count; ++k)
    if (writes_buffer(graph, graph->edges[node->first_in + k].from, *buffer))
      return false;
  for (size_t k = 0; k < node->out_count; ++k)
    if (overwrites(graph, number, pgopt_graph_out_edge(graph, node, k)->to))
      return false;
  return true;
}

size_t pgopt_kernel_copies_place(const pgopt_kernel_copies *copies,
                                 size_t item) {
  return copies->items[item].node + item + 1;
}

void pgopt_kernel_copies_move(const pgopt_kernel_copies *copies, size_t nodes,
                              size_t *moved) {
  size_t before = 0;
  for (size_t i = 0; i < nodes; ++i) {
    while (before < copies->count && copies->items[before].node < i)
      ++before;
    moved[i] = i + before;
  }
}

/// That a node reads what a copy writes.
typedef struct copy_use {
  size_t copy;
  int64_t next; ///< of the same node, or -1
} copy_use;

typedef struct rebuilder {
  const pgopt_profile_graph *graph;
  const pgopt_kernel_copies *copies;
  size_t *copied; ///< per copy the buffer that its original writes
  int64_t *uses;  ///< per node its first use of a copy, or -1
  copy_use *all_uses;
  const bool *hidden; ///< per buffer: nobody is said to read it; may be null
  pgopt_profile_graph *made;
} rebuilder;

static void list_uses(rebuilder *r) {
  size_t count = 0, capacity = 0;
  for (size_t i = 0; i < r->graph->node_count; ++i)
    r->uses[i] = -1;
  for (size_t d = 0; d < r->copies->count; ++d)
    for (size_t u = 0; u < r->copies->items[d].user_count; ++u) {
      size_t user = r->copies->items[d].users[u];
      copy_use use = {d, r->uses[user]};
      r->uses[user] = (int64_t)count;
      PGOPT_APPEND(r->all_uses, count, capacity, use);
    }
}

/// The buffer that a node accesses where its original accessed `buffer`.
/// Buffers of copies stand behind those of the graph.
static size_t buffer_for(const rebuilder *r, size_t node, size_t buffer) {
  for (int64_t u = r->uses[node]; u >= 0; u = r->all_uses[u].next)
    if (r->copied[r->all_uses[u].copy] == buffer)
      return r->graph->buffer_count + r->all_uses[u].copy;
  return buffer;
}

/// Adds the node, or copy `item` of it when that is not negative.
static void add_node(rebuilder *r, size_t number, int64_t item) {
  const pgopt_graph_node *node = &r->graph->nodes[number];
  pgopt_buffer_access *accesses =
      pgopt_allocate(node->access_count, sizeof *accesses);
  size_t count = 0;
  for (size_t k = 0; k < node->access_count; ++k) {
    pgopt_buffer_access access = *access_of(r->graph, number, k);
    if (r->hidden && r->hidden[access.buffer] && !access.writes)
      continue;
    if (item < 0)
      access.buffer = buffer_for(r, number, access.buffer);
    else if (access.writes)
      access.buffer = r->graph->buffer_count + (size_t)item;
    accesses[count++] = access;
  }
  pgopt_profile_graph_add_node(r->made, node, accesses, count);
  free(accesses);
}

static pgopt_profile_graph *rebuild(const pgopt_profile_graph *graph,
                                    const pgopt_kernel_copies *copies,
                                    const bool *hidden) {
  rebuilder r = {.graph = graph,
                 .copies = copies,
                 .copied = pgopt_allocate(copies->count, sizeof *r.copied),
                 .uses = pgopt_allocate(graph->node_count, sizeof *r.uses),
                 .hidden = hidden,
                 .made = pgopt_profile_graph_create(graph->entry)};
  list_uses(&r);
  for (size_t i = 0; i < graph->buffer_count; ++i)
    pgopt_profile_graph_add_buffer(r.made, &graph->buffers[i]);
  for (size_t d = 0; d < copies->count; ++d) {
    pgopt_node_copied_buffer(graph, copies->items[d].node, &r.copied[d]);
    pgopt_profile_graph_add_buffer(r.made, &graph->buffers[r.copied[d]]);
  }
  size_t next = 0;
  for (size_t i = 0; i < graph->node_count; ++i) {
    add_node(&r, i, -1);
    for (; next < copies->count && copies->items[next].node == i; ++next)
      add_node(&r, i, (int64_t)next);
  }
  pgopt_profile_graph_connect(r.made);
  free(r.all_uses);
  free(r.uses);
  free(r.copied);
  return r.made;
}

pgopt_profile_graph *
pgopt_kernel_copies_apply(const pgopt_profile_graph *graph,
                          const pgopt_kernel_copies *copies) {
  return rebuild(graph, copies, NULL);
}

pgopt_profile_graph *pgopt_graph_relaxed(const pgopt_profile_graph *graph,
                                         const bool *is_everywhere) {
  const pgopt_kernel_copies none = {0};
  bool *hidden = pgopt_allocate(graph->buffer_count, sizeof *hidden);
  for (size_t i = 0; i < graph->node_count; ++i) {
    size_t buffer;
    if (is_everywhere[i] && pgopt_node_copied_buffer(graph, i, &buffer))
      hidden[buffer] = true;
  }
  pgopt_profile_graph *relaxed = rebuild(graph, &none, hidden);
  free(hidden);
  return relaxed;
}
