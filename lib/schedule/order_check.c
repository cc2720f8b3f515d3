/// \file The ordering checker.
///
/// Walking the lists in an order in which their events can happen, two
/// conflicting nodes meet when the second one is visited: the first is ordered
/// before it exactly when the second's clock counts it. All pairs of
/// conflicting accesses of a buffer are looked at, without the shortcuts that
/// building the graph takes.
#include "schedule/order_check.h"

#include "schedule/core_clocks.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct visited_access {
  size_t node;
  const pgopt_buffer_access *access;
} visited_access;

typedef struct access_list {
  visited_access *items;
  size_t count, capacity;
} access_list;

typedef struct checker {
  const pgopt_profile_graph *graph;
  pgopt_core_clocks clocks;
  size_t *core, *slot;         ///< per node, once visited
  bool *is_visited;            ///< per node
  access_list *reads, *writes; ///< per buffer, of visited nodes
  size_t *visited; ///< kernels and barriers in the order of the walk
  size_t visited_count;
  size_t *barriers; ///< those of `visited` that are barriers
  size_t barrier_count;
  pgopt_error *error;
} checker;

static void describe(const checker *c, size_t node, char *text, size_t size) {
  const pgopt_graph_node *n = &c->graph->nodes[node];
  int length = snprintf(text, size, "%s '%.40s'",
                        n->kind == PGOPT_NODE_KERNEL ? "kernel" : "barrier",
                        n->function);
  if (length > 0 && (size_t)length < size && n->parts > 1)
    length +=
        snprintf(text + length, size - (size_t)length, " part %lld of %lld",
                 (long long)n->part, (long long)n->parts);
  if (length > 0 && (size_t)length < size)
    snprintf(text + length, size - (size_t)length, " (core %zu, slot %zu)",
             c->core[node], c->slot[node]);
}

/// `earlier` was visited before `later`: fine when it has the smaller index and
/// the later one's core knows that it is done.
static pgopt_status require(const checker *c, size_t earlier, size_t later,
                            const char *reason, const char *buffer) {
  const uint32_t *clock = c->clocks.known[c->core[later]];
  bool is_ordered = clock[c->core[earlier]] > c->slot[earlier];
  if (is_ordered && earlier < later)
    return PGOPT_OK;
  char first[160], second[160];
  describe(c, earlier < later ? earlier : later, first, sizeof first);
  describe(c, earlier < later ? later : earlier, second, sizeof second);
  return pgopt_fail(c->error, PGOPT_INVALID,
                    "%s does not wait for %s, though %s%s%.60s%s", second,
                    first, reason, *buffer ? " of '" : "", buffer,
                    *buffer ? "'" : "");
}

static pgopt_status meet(const checker *c, const access_list *list, size_t node,
                         const pgopt_buffer_access *access) {
  const pgopt_graph_buffer *buffer = &c->graph->buffers[access->buffer];
  for (size_t i = 0; i < list->count; ++i) {
    const visited_access *other = &list->items[i];
    if (other->node == node ||
        !pgopt_range_overlap(&other->access->range, &access->range,
                             buffer->elements))
      continue;
    const char *reason = access->writes && other->access->writes
                             ? "both write the same elements"
                             : "one writes what the other reads";
    if (require(c, other->node, node, reason, buffer->name) != PGOPT_OK)
      return PGOPT_INVALID;
  }
  return PGOPT_OK;
}

static pgopt_status check_accesses(checker *c, size_t node) {
  const pgopt_graph_node *n = &c->graph->nodes[node];
  for (size_t i = 0; i < n->access_count; ++i) {
    const pgopt_buffer_access *access =
        &c->graph->accesses[n->first_access + i];
    if (meet(c, &c->writes[access->buffer], node, access) != PGOPT_OK)
      return PGOPT_INVALID;
    if (access->writes &&
        meet(c, &c->reads[access->buffer], node, access) != PGOPT_OK)
      return PGOPT_INVALID;
  }
  for (size_t i = 0; i < n->access_count; ++i) {
    const pgopt_buffer_access *access =
        &c->graph->accesses[n->first_access + i];
    access_list *list =
        access->writes ? &c->writes[access->buffer] : &c->reads[access->buffer];
    visited_access item = {node, access};
    PGOPT_APPEND(list->items, list->count, list->capacity, item);
  }
  return PGOPT_OK;
}

static pgopt_status check_barriers(checker *c, size_t node) {
  static const char reason[] = "operations with side effects keep their place";
  bool is_barrier = c->graph->nodes[node].kind == PGOPT_NODE_BARRIER;
  const size_t *others = is_barrier ? c->visited : c->barriers;
  size_t count = is_barrier ? c->visited_count : c->barrier_count;
  for (size_t i = 0; i < count; ++i)
    if (require(c, others[i], node, reason, "") != PGOPT_OK)
      return PGOPT_INVALID;
  if (is_barrier)
    c->barriers[c->barrier_count++] = node;
  c->visited[c->visited_count++] = node;
  return PGOPT_OK;
}

static pgopt_status visit_node(checker *c, const pgopt_walk_step *step) {
  size_t node = step->event->node;
  if (node >= c->graph->node_count || c->graph->nodes[node].is_outside)
    return pgopt_fail(c->error, PGOPT_INVALID,
                      "slot %zu of core %zu is not a node to schedule",
                      step->slot, step->core);
  if (c->is_visited[node])
    return pgopt_fail(c->error, PGOPT_INVALID,
                      "'%.60s' runs twice: on core %zu in slot %zu, and on "
                      "core %zu in slot %zu",
                      c->graph->nodes[node].function, c->core[node],
                      c->slot[node], step->core, step->slot);
  c->is_visited[node] = true;
  c->core[node] = step->core;
  c->slot[node] = step->slot;
  if (check_accesses(c, node) != PGOPT_OK)
    return PGOPT_INVALID;
  return check_barriers(c, node);
}

static pgopt_status visit(checker *c, const pgopt_walk_step *step) {
  if (step->event->kind == PGOPT_EVENT_RUN && visit_node(c, step) != PGOPT_OK)
    return PGOPT_INVALID;
  pgopt_core_clocks_step(&c->clocks, step);
  return PGOPT_OK;
}

static pgopt_status check_all_run(const checker *c) {
  for (size_t i = 0; i < c->graph->node_count; ++i)
    if (!c->graph->nodes[i].is_outside && !c->is_visited[i])
      return pgopt_fail(c->error, PGOPT_INVALID, "no core runs '%.60s'",
                        c->graph->nodes[i].function);
  return PGOPT_OK;
}

static void start(checker *c, const pgopt_core_lists *lists) {
  size_t nodes = c->graph->node_count, buffers = c->graph->buffer_count;
  c->clocks = pgopt_core_clocks_create(lists);
  c->core = pgopt_allocate(nodes, sizeof *c->core);
  c->slot = pgopt_allocate(nodes, sizeof *c->slot);
  c->is_visited = pgopt_allocate(nodes, sizeof *c->is_visited);
  c->visited = pgopt_allocate(nodes, sizeof *c->visited);
  c->barriers = pgopt_allocate(nodes, sizeof *c->barriers);
  c->reads = pgopt_allocate(buffers, sizeof *c->reads);
  c->writes = pgopt_allocate(buffers, sizeof *c->writes);
}

static void finish(checker *c) {
  pgopt_core_clocks_free(&c->clocks);
  for (size_t i = 0; i < c->graph->buffer_count; ++i) {
    free(c->reads[i].items);
    free(c->writes[i].items);
  }
  free(c->core);
  free(c->slot);
  free(c->is_visited);
  free(c->visited);
  free(c->barriers);
  free(c->reads);
  free(c->writes);
}

pgopt_status pgopt_order_check(const pgopt_profile_graph *graph,
                               const pgopt_core_lists *lists,
                               pgopt_error *error) {
  checker c = {.graph = graph, .error = error};
  start(&c, lists);
  pgopt_list_walk walk;
  pgopt_walk_step step;
  pgopt_status status = pgopt_list_walk_begin(&walk, lists, error);
  while (status == PGOPT_OK && pgopt_list_walk_next(&walk, &step))
    status = visit(&c, &step);
  if (status == PGOPT_OK)
    status = pgopt_list_walk_end(&walk, error);
  else
    pgopt_list_walk_end(&walk, NULL);
  if (status == PGOPT_OK)
    status = check_all_run(&c);
  finish(&c);
  return status;
}
