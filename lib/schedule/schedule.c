/// \file Applying a policy: checks, slots, and the table of policies.
#include "schedule/schedule.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

const pgopt_schedule_policy *const pgopt_schedule_policies[] = {
    &pgopt_sequential,
    &pgopt_round_robin,
    &pgopt_timed_round_robin,
    &pgopt_list_schedule,
    NULL,
};

const pgopt_schedule_policy *pgopt_schedule_find_policy(const char *name) {
  for (size_t i = 0; pgopt_schedule_policies[i]; ++i)
    if (!strcmp(pgopt_schedule_policies[i]->name, name))
      return pgopt_schedule_policies[i];
  return NULL;
}

/// Gives every node its slot, and the used cores the numbers from 0.
static void number(const pgopt_profile_graph *graph, int64_t resources,
                   pgopt_schedule *schedule) {
  int64_t *used = pgopt_allocate((size_t)resources, sizeof *used);
  for (size_t i = 0; i < graph->node_count; ++i) {
    if (graph->nodes[i].is_outside)
      continue;
    assert(schedule->core[i] >= 0 && schedule->core[i] < resources);
    used[schedule->core[i]] = 1;
  }
  int64_t *renamed = pgopt_allocate((size_t)resources, sizeof *renamed);
  schedule->resource =
      pgopt_allocate((size_t)resources, sizeof *schedule->resource);
  for (int64_t i = 0; i < resources; ++i)
    if (used[i]) {
      schedule->resource[schedule->cores] = i;
      renamed[i] = (int64_t)schedule->cores++;
    }
  int64_t *next_slot = pgopt_allocate(schedule->cores, sizeof *next_slot);
  for (size_t i = 0; i < graph->node_count; ++i) {
    size_t node = schedule->order[i];
    if (graph->nodes[node].is_outside) {
      schedule->core[node] = schedule->slot[node] = PGOPT_NO_CORE;
      continue;
    }
    schedule->core[node] = renamed[schedule->core[node]];
    schedule->slot[node] = next_slot[schedule->core[node]]++;
  }
  free(used);
  free(renamed);
  free(next_slot);
}

#ifndef NDEBUG
static bool is_topological(const pgopt_profile_graph *graph,
                           const size_t *order) {
  bool *seen = pgopt_allocate(graph->node_count, sizeof *seen);
  bool good = true;
  for (size_t i = 0; i < graph->node_count && good; ++i) {
    good = order[i] < graph->node_count && !seen[order[i]];
    if (!good)
      break;
    seen[order[i]] = true;
    const pgopt_graph_node *node = &graph->nodes[order[i]];
    for (size_t k = 0; k < node->in_count; ++k)
      good = good && seen[graph->edges[node->first_in + k].from];
  }
  free(seen);
  return good;
}
#endif

pgopt_status pgopt_schedule_create(const pgopt_profile_graph *graph,
                                   const pgopt_schedule_policy *policy,
                                   const pgopt_schedule_request *request,
                                   pgopt_schedule *schedule,
                                   pgopt_error *error) {
  *schedule = (pgopt_schedule){0};
  if (request->resources < 1 || request->resources > PGOPT_MAX_RESOURCES)
    return pgopt_fail(error, PGOPT_OUT_OF_RANGE,
                      "%lld resources, allowed are 1 to %d",
                      (long long)request->resources, PGOPT_MAX_RESOURCES);
  size_t *order = pgopt_allocate(graph->node_count, sizeof *order);
  int64_t *core = pgopt_allocate(graph->node_count, sizeof *core);
  policy->assign(graph, request, order, core);
  pgopt_schedule_place(graph, request->resources, order, core, schedule);
  free(core);
  free(order);
  return PGOPT_OK;
}

void pgopt_schedule_place(const pgopt_profile_graph *graph, int64_t resources,
                          const size_t *order, const int64_t *core,
                          pgopt_schedule *schedule) {
  size_t nodes = graph->node_count;
  *schedule =
      (pgopt_schedule){.node_count = nodes,
                       .order = pgopt_duplicate(order, nodes * sizeof *order),
                       .core = pgopt_duplicate(core, nodes * sizeof *core),
                       .slot = pgopt_allocate(nodes, sizeof *schedule->slot)};
  assert(is_topological(graph, schedule->order));
  number(graph, resources, schedule);
}

void pgopt_schedule_free(pgopt_schedule *schedule) {
  free(schedule->order);
  free(schedule->core);
  free(schedule->slot);
  free(schedule->resource);
  *schedule = (pgopt_schedule){0};
}

pgopt_core_lists pgopt_core_lists_create(size_t count) {
  return (pgopt_core_lists){pgopt_allocate(count, sizeof(pgopt_core_list)),
                            count};
}

void pgopt_core_lists_free(pgopt_core_lists *lists) {
  for (size_t i = 0; i < lists->count; ++i)
    free(lists->cores[i].events);
  free(lists->cores);
  *lists = (pgopt_core_lists){0};
}

void pgopt_core_lists_append(pgopt_core_lists *lists, size_t core,
                             pgopt_event event) {
  pgopt_core_list *list = &lists->cores[core];
  PGOPT_APPEND(list->events, list->count, list->capacity, event);
}

size_t pgopt_core_lists_count(const pgopt_core_lists *lists,
                              pgopt_event_kind kind) {
  size_t count = 0;
  for (size_t core = 0; core < lists->count; ++core)
    for (size_t i = 0; i < lists->cores[core].count; ++i)
      count += lists->cores[core].events[i].kind == kind;
  return count;
}
