/// \file Plans in which cheap kernels are computed on several cores.
///
/// Two lists are tried: the plan's, and the one that the policy makes when
/// nobody has to wait for a cheap kernel: that one spreads kernels that the
/// first keeps together because of what they all read. In each, every kernel
/// that may be copied is, and copies without which the makespan is not larger
/// are left out again.
#include "schedule/plan_copies.h"

#include <stdlib.h>
#include <string.h>

/// Nodes that plans with one copy less may come to in all.
enum { WORK = 100000 };

typedef struct copier {
  const pgopt_profile_graph *graph;
  const pgopt_schedule_request *request;
  const pgopt_node_costs *costs;
  const pgopt_schedule_policy *policy;
  bool *is_cheap; ///< per node: it may be copied
  /// The list that copies are added to: nodes in order, and their resources.
  size_t *order, *place;
  int64_t *core;
  pgopt_kernel_copies copies; ///< that the list has
} copier;

/// Time until another core can go on, and to read so much there.
static double wait_ns(const copier *c, int64_t bytes) {
  const pgopt_sync_costs *costs = &c->request->costs;
  return costs->latency_ns + 2 * costs->hop_ns + (double)bytes * costs->byte_ns;
}

/// \returns whether there is a kernel that may be copied.
static bool find_cheap(copier *c) {
  bool found = false;
  for (size_t i = 0; i < c->graph->node_count; ++i) {
    const pgopt_graph_node *node = &c->graph->nodes[i];
    size_t buffer, readers = 0;
    double longest_ns = 0;
    if (!pgopt_node_copied_buffer(c->graph, i, &buffer))
      continue;
    for (size_t k = 0; k < node->out_count; ++k) {
      const pgopt_graph_edge *edge = pgopt_graph_out_edge(c->graph, node, k);
      double ns = wait_ns(c, edge->bytes);
      if (!pgopt_node_reads_buffer(c->graph, edge->to, buffer))
        continue;
      longest_ns = ns > longest_ns ? ns : longest_ns;
      ++readers;
    }
    c->is_cheap[i] = readers > 1 && c->costs->ns[i] < longest_ns;
    found |= c->is_cheap[i];
  }
  return found;
}

static void find_places(copier *c) {
  for (size_t i = 0; i < c->graph->node_count; ++i)
    c->place[c->order[i]] = i;
}

/// Takes the plan's list.
static void take_list(copier *c, const pgopt_schedule *schedule) {
  memcpy(c->order, schedule->order, schedule->node_count * sizeof *c->order);
  for (size_t i = 0; i < schedule->node_count; ++i)
    c->core[i] = schedule->core[i] == PGOPT_NO_CORE
                     ? 0
                     : schedule->resource[schedule->core[i]];
  find_places(c);
}

typedef struct placed_node {
  size_t key, node;
} placed_node;

static int compare_places(const void *left, const void *right) {
  const placed_node *l = left, *r = right;
  return l->key != r->key ? (l->key > r->key) - (l->key < r->key)
                          : (l->node > r->node) - (l->node < r->node);
}

/// Puts every cheap node in front of what reads it first, on its core, and what
/// it depends on in front of it.
static void place_cheap(copier *c, placed_node *placed) {
  for (size_t i = c->graph->node_count; i-- > 0;) {
    const pgopt_graph_node *node = &c->graph->nodes[i];
    placed_node first = {SIZE_MAX, i};
    for (size_t k = 0; k < node->out_count; ++k) {
      size_t to = pgopt_graph_out_edge(c->graph, node, k)->to;
      if (compare_places(&placed[to], &first) < 0)
        first = placed[to];
    }
    if (c->is_cheap[i])
      c->core[i] = c->core[first.node];
    if (c->is_cheap[i] || first.key < placed[i].key)
      placed[i].key = first.key;
  }
}

/// The policy's list when nobody waits for cheap kernels.
static void make_relaxed_list(copier *c) {
  size_t nodes = c->graph->node_count;
  placed_node *placed = pgopt_allocate(nodes, sizeof *placed);
  pgopt_profile_graph *relaxed = pgopt_graph_relaxed(c->graph, c->is_cheap);
  c->policy->assign(relaxed, c->request, c->order, c->core);
  pgopt_profile_graph_destroy(relaxed);
  for (size_t i = 0; i < nodes; ++i)
    placed[c->order[i]] = (placed_node){i, c->order[i]};
  place_cheap(c, placed);
  qsort(placed, nodes, sizeof *placed, compare_places);
  for (size_t i = 0; i < nodes; ++i)
    c->order[i] = placed[i].node;
  find_places(c);
  free(placed);
}

/// True when what the node reads is on the core without it: nobody computed it,
/// or this core did.
static bool has_operands_on(const copier *c, size_t number, int64_t core) {
  const pgopt_graph_node *node = &c->graph->nodes[number];
  for (size_t k = 0; k < node->in_count; ++k) {
    const pgopt_graph_edge *edge = &c->graph->edges[node->first_in + k];
    if (edge->bytes && c->core[edge->from] != core)
      return false;
  }
  return true;
}

/// Adds a copy of the node for what reads it on the core.
static void add_copy(copier *c, size_t number, int64_t core) {
  const pgopt_graph_node *node = &c->graph->nodes[number];
  pgopt_kernel_copy copy = {.node = number};
  size_t buffer, capacity = 0;
  int64_t bytes = 0;
  pgopt_node_copied_buffer(c->graph, number, &buffer);
  for (size_t k = 0; k < node->out_count; ++k) {
    const pgopt_graph_edge *edge = pgopt_graph_out_edge(c->graph, node, k);
    if (c->core[edge->to] != core ||
        !pgopt_node_reads_buffer(c->graph, edge->to, buffer))
      continue;
    PGOPT_APPEND(copy.users, copy.user_count, capacity, edge->to);
    bytes = edge->bytes > bytes ? edge->bytes : bytes;
  }
  if (copy.user_count && c->costs->ns[number] < wait_ns(c, bytes) &&
      has_operands_on(c, number, core))
    PGOPT_APPEND(c->copies.items, c->copies.count, c->copies.capacity, copy);
  else
    free(copy.users);
}

static void add_copies(copier *c) {
  pgopt_kernel_copies_free(&c->copies);
  for (size_t i = 0; i < c->graph->node_count; ++i)
    for (int64_t core = 0; core < c->request->resources && c->is_cheap[i];
         ++core)
      if (core != c->core[i])
        add_copy(c, i, core);
}

/// The place of the first barrier from each place on; else the list's end.
static size_t *find_barriers(const copier *c) {
  size_t nodes = c->graph->node_count, next = nodes;
  size_t *barriers = pgopt_allocate(nodes, sizeof *barriers);
  for (size_t i = nodes; i-- > 0;) {
    if (c->graph->nodes[c->order[i]].kind == PGOPT_NODE_BARRIER)
      next = i;
    barriers[i] = next;
  }
  return barriers;
}

/// Per place of the list the first of the copies that stand in front of it, and
/// per copy the next one there; -1 for none. A copy stands in front of the
/// first that reads it, and of the barriers that its original does.
static void hang_copies(const copier *c, const pgopt_kernel_copies *copies,
                        int64_t *first, int64_t *next) {
  size_t *barriers = find_barriers(c);
  for (size_t i = 0; i < c->graph->node_count; ++i)
    first[i] = -1;
  for (size_t d = copies->count; d-- > 0;) {
    const pgopt_kernel_copy *copy = &copies->items[d];
    size_t place = barriers[c->place[copy->node]];
    for (size_t u = 0; u < copy->user_count; ++u)
      if (c->place[copy->users[u]] < place)
        place = c->place[copy->users[u]];
    next[d] = first[place];
    first[place] = (int64_t)d;
  }
  free(barriers);
}

/// The list with the copies, each in front of the first that reads it.
static pgopt_status plan_list(const copier *c,
                              const pgopt_kernel_copies *copies,
                              pgopt_schedule_plan *plan, pgopt_error *error) {
  *plan = (pgopt_schedule_plan){
      .policy = c->policy,
      .graph = pgopt_kernel_copies_apply(c->graph, copies)};
  size_t nodes = c->graph->node_count, all = plan->graph->node_count, count = 0;
  size_t *order = pgopt_allocate(all, sizeof *order);
  size_t *moved = pgopt_allocate(nodes, sizeof *moved);
  int64_t *core = pgopt_allocate(all, sizeof *core);
  int64_t *first = pgopt_allocate(nodes, sizeof *first);
  int64_t *next = pgopt_allocate(copies->count, sizeof *next);
  pgopt_node_costs costs = *c->costs;
  costs.ns = pgopt_allocate(all, sizeof *costs.ns);
  hang_copies(c, copies, first, next);
  pgopt_kernel_copies_move(copies, nodes, moved);
  for (size_t i = 0; i < nodes; ++i) {
    for (int64_t d = first[i]; d >= 0; d = next[d]) {
      const pgopt_kernel_copy *copy = &copies->items[d];
      size_t place = pgopt_kernel_copies_place(copies, (size_t)d);
      core[place] = c->core[copy->users[0]];
      costs.ns[place] = c->costs->ns[copy->node];
      order[count++] = place;
    }
    size_t node = c->order[i];
    core[moved[node]] = c->core[node];
    costs.ns[moved[node]] = c->costs->ns[node];
    order[count++] = moved[node];
  }
  pgopt_schedule_place(plan->graph, c->request->resources, order, core,
                       &plan->schedule);
  pgopt_status status =
      pgopt_schedule_plan_finish(plan->graph, c->request, &costs, plan, error);
  free(costs.ns);
  free(next);
  free(first);
  free(core);
  free(moved);
  free(order);
  return status;
}

/// The copies without number `item`; users are shared.
static pgopt_kernel_copies without(const pgopt_kernel_copies *copies,
                                   size_t item) {
  pgopt_kernel_copies less = {pgopt_allocate(copies->count, sizeof *less.items),
                              0, copies->count};
  for (size_t d = 0; d < copies->count; ++d)
    if (d != item)
      less.items[less.count++] = copies->items[d];
  return less;
}

/// Leaves out copies of the list that do not make it faster.
static pgopt_status thin_out(copier *c, pgopt_schedule_plan *best,
                             pgopt_error *error) {
  size_t tries = WORK / (c->graph->node_count + 1);
  for (size_t d = c->copies.count; d-- > 0 && tries; --tries) {
    pgopt_schedule_plan plan;
    pgopt_kernel_copies less = without(&c->copies, d);
    pgopt_status status = plan_list(c, &less, &plan, error);
    if (status != PGOPT_OK ||
        plan.prediction.makespan_ns > best->prediction.makespan_ns) {
      free(less.items);
      pgopt_schedule_plan_free(&plan);
      if (status != PGOPT_OK)
        return status;
      continue;
    }
    pgopt_schedule_plan_free(best);
    *best = plan;
    free(c->copies.items[d].users);
    free(c->copies.items);
    c->copies = less;
  }
  return PGOPT_OK;
}

/// Replaces the plan by the list with copies when that is faster.
static pgopt_status try_list(copier *c, pgopt_schedule_plan *plan,
                             pgopt_error *error) {
  add_copies(c);
  if (!c->copies.count)
    return PGOPT_OK;
  pgopt_schedule_plan best;
  pgopt_status status = plan_list(c, &c->copies, &best, error);
  if (status == PGOPT_OK &&
      best.prediction.makespan_ns < plan->prediction.makespan_ns)
    status = thin_out(c, &best, error);
  if (status == PGOPT_OK && c->copies.count &&
      best.prediction.makespan_ns < plan->prediction.makespan_ns * (1 - 1e-9)) {
    best.prediction.sequential_ns = plan->prediction.sequential_ns;
    best.copies = c->copies;
    c->copies = (pgopt_kernel_copies){0};
    pgopt_schedule_plan_free(plan);
    *plan = best;
  } else {
    pgopt_schedule_plan_free(&best);
  }
  return status;
}

pgopt_status pgopt_plan_copies(const pgopt_profile_graph *graph,
                               const pgopt_schedule_request *request,
                               const pgopt_node_costs *costs,
                               pgopt_schedule_plan *plan, pgopt_error *error) {
  size_t nodes = graph->node_count;
  copier c = {.graph = graph,
              .request = request,
              .costs = costs,
              .policy = plan->policy,
              .is_cheap = pgopt_allocate(nodes, sizeof *c.is_cheap),
              .order = pgopt_allocate(nodes, sizeof *c.order),
              .place = pgopt_allocate(nodes, sizeof *c.place),
              .core = pgopt_allocate(nodes, sizeof *c.core)};
  pgopt_status status = PGOPT_OK;
  if (request->resources > 1 && find_cheap(&c)) {
    take_list(&c, &plan->schedule);
    status = try_list(&c, plan, error);
    if (status == PGOPT_OK) {
      make_relaxed_list(&c);
      status = try_list(&c, plan, error);
    }
  }
  pgopt_kernel_copies_free(&c.copies);
  free(c.core);
  free(c.place);
  free(c.order);
  free(c.is_cheap);
  return status;
}
