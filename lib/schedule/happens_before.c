/// \file Which nodes are done for certain when another one begins.
#include "schedule/happens_before.h"

#include "schedule/core_clocks.h"

#include <stdlib.h>
#include <string.h>

static pgopt_core_lists one_after_the_other(const pgopt_profile_graph *graph) {
  pgopt_core_lists lists = pgopt_core_lists_create(1);
  for (size_t i = 0; i < graph->node_count; ++i) {
    pgopt_event run = {.kind = PGOPT_EVENT_RUN, .node = i};
    pgopt_core_lists_append(&lists, 0, run);
  }
  return lists;
}

static pgopt_status visit(const pgopt_walk_step *step, size_t node_count,
                          const pgopt_core_clocks *clocks,
                          pgopt_happens_before *order, pgopt_error *error) {
  if (step->event->kind != PGOPT_EVENT_RUN)
    return PGOPT_OK;
  size_t node = step->event->node;
  if (node >= node_count || order->core[node] != PGOPT_NO_CORE)
    return pgopt_fail(error, PGOPT_INVALID,
                      "slot %zu of core %zu is not a node that has yet to run",
                      step->slot, step->core);
  order->core[node] = (int64_t)step->core;
  order->place[node] = (uint32_t)step->slot + 1;
  memcpy(order->known + node * order->cores, clocks->known[step->core],
         order->cores * sizeof *order->known);
  return PGOPT_OK;
}

static pgopt_status go_through(const pgopt_profile_graph *graph,
                               const pgopt_core_lists *lists,
                               pgopt_happens_before *order,
                               pgopt_error *error) {
  size_t nodes = graph->node_count;
  order->cores = lists->count;
  order->core = pgopt_allocate(nodes, sizeof *order->core);
  order->place = pgopt_allocate(nodes, sizeof *order->place);
  order->known = pgopt_allocate(nodes * lists->count, sizeof *order->known);
  for (size_t i = 0; i < nodes; ++i)
    order->core[i] = PGOPT_NO_CORE;
  pgopt_core_clocks clocks = pgopt_core_clocks_create(lists);
  pgopt_list_walk walk;
  pgopt_walk_step step;
  pgopt_status status = pgopt_list_walk_begin(&walk, lists, error);
  while (status == PGOPT_OK && pgopt_list_walk_next(&walk, &step)) {
    status = visit(&step, nodes, &clocks, order, error);
    pgopt_core_clocks_step(&clocks, &step);
  }
  pgopt_status end =
      pgopt_list_walk_end(&walk, status == PGOPT_OK ? error : NULL);
  pgopt_core_clocks_free(&clocks);
  return status == PGOPT_OK ? end : status;
}

pgopt_status pgopt_happens_before_create(const pgopt_profile_graph *graph,
                                         const pgopt_core_lists *lists,
                                         pgopt_happens_before *order,
                                         pgopt_error *error) {
  *order = (pgopt_happens_before){0};
  pgopt_status status;
  if (lists->count) {
    status = go_through(graph, lists, order, error);
  } else {
    pgopt_core_lists sequence = one_after_the_other(graph);
    status = go_through(graph, &sequence, order, error);
    pgopt_core_lists_free(&sequence);
  }
  if (status != PGOPT_OK)
    pgopt_happens_before_free(order);
  return status;
}

void pgopt_happens_before_free(pgopt_happens_before *order) {
  free(order->core);
  free(order->place);
  free(order->known);
  *order = (pgopt_happens_before){0};
}
