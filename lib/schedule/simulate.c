#include "schedule/simulate.h"

#include "schedule/exchange.h"
#include "schedule/list_walk.h"

#include <stdlib.h>

/// A signal that was given.
typedef struct given_signal {
  int64_t value;
  double time_ns;
} given_signal;

typedef struct list_state {
  size_t next; ///< of its events
  double now_ns;
  given_signal *signals;
  size_t signal_count;
  bool is_blocked; ///< its next event is a wait for a signal not yet given
} list_state;

typedef struct simulator {
  const pgopt_profile_graph *graph;
  const pgopt_core_lists *lists;
  const int64_t *resource;
  const pgopt_node_costs *costs;
  const pgopt_sync_costs *sync;
  pgopt_simulation *result;
  list_state *states;
  pgopt_exchange exchange;
  size_t *queue; ///< a heap of lists that go on, the earliest at its root
  size_t queued;
} simulator;

static int64_t resource_of(const simulator *s, size_t list) {
  return s->resource ? s->resource[list] : (int64_t)list;
}

/// The earlier one; of two at one time the one with the smaller number.
static bool goes_first(const simulator *s, size_t a, size_t b) {
  double x = s->states[a].now_ns, y = s->states[b].now_ns;
  return x < y || (x == y && a < b);
}

static void push(simulator *s, size_t list) {
  size_t at = s->queued++;
  while (at && goes_first(s, list, s->queue[(at - 1) / 2])) {
    s->queue[at] = s->queue[(at - 1) / 2];
    at = (at - 1) / 2;
  }
  s->queue[at] = list;
}

static size_t pop(simulator *s) {
  size_t first = s->queue[0], last = s->queue[--s->queued], at = 0;
  for (size_t child = 1; child < s->queued; child = 2 * at + 1) {
    if (child + 1 < s->queued &&
        goes_first(s, s->queue[child + 1], s->queue[child]))
      ++child;
    if (!goes_first(s, s->queue[child], last))
      break;
    s->queue[at] = s->queue[child];
    at = child;
  }
  s->queue[at] = last;
  return first;
}

/// The first signal of at least this value, or null. Values grow.
static const given_signal *find_signal(const list_state *state, int64_t value) {
  size_t low = 0, high = state->signal_count;
  while (low < high) {
    size_t middle = (low + high) / 2;
    if (state->signals[middle].value >= value)
      high = middle;
    else
      low = middle + 1;
  }
  return low < state->signal_count ? &state->signals[low] : NULL;
}

/// Ends the list's wait if the signal was given; else it is blocked.
static void wait_for(simulator *s, size_t list, const pgopt_event *event) {
  list_state *state = &s->states[list];
  pgopt_simulated_resource *resource =
      &s->result->resources[resource_of(s, list)];
  double seen_ns = 0;
  if (event->value > 0) {
    const given_signal *signal =
        find_signal(&s->states[event->core], event->value);
    state->is_blocked = !signal;
    if (!signal)
      return;
    seen_ns = signal->time_ns + s->sync->latency_ns +
              pgopt_resource_distance(s->sync->resources,
                                      resource_of(s, (size_t)event->core),
                                      resource_of(s, list));
  }
  if (seen_ns > state->now_ns) {
    resource->waiting_ns += seen_ns - state->now_ns;
    ++resource->held_up;
    state->now_ns = seen_ns;
  }
  state->now_ns += s->sync->hop_ns;
  resource->sync_ns += s->sync->hop_ns;
  ++resource->waits;
  ++state->next;
}

static void run_node(simulator *s, size_t list, size_t node) {
  list_state *state = &s->states[list];
  int64_t place = resource_of(s, list);
  double time_ns =
      pgopt_resource_time(s->sync->resources, place, s->costs->ns[node]);
  double delay_ns = pgopt_passing_delay(s->sync, &s->graph->nodes[node],
                                        time_ns, s->exchange.fetched[node],
                                        s->exchange.reclaimed[node]);
  pgopt_simulated_resource *resource = &s->result->resources[place];
  s->result->nodes[node].begin_ns = state->now_ns;
  state->now_ns += time_ns + delay_ns;
  s->result->nodes[node].end_ns = state->now_ns;
  resource->busy_ns += time_ns;
  resource->passing_ns += delay_ns;
  resource->kernels += s->graph->nodes[node].kind == PGOPT_NODE_KERNEL;
  ++state->next;
}

/// Gives a signal; lists that wait for it go on.
static void give(simulator *s, size_t list, int64_t value) {
  list_state *state = &s->states[list];
  state->now_ns += s->sync->hop_ns;
  s->result->resources[resource_of(s, list)].sync_ns += s->sync->hop_ns;
  state->signals[state->signal_count++] = (given_signal){value, state->now_ns};
  ++state->next;
  for (size_t other = 0; other < s->lists->count; ++other) {
    list_state *waiting = &s->states[other];
    if (!waiting->is_blocked)
      continue;
    const pgopt_event *event = &s->lists->cores[other].events[waiting->next];
    if (event->core != (int64_t)list || event->value > value)
      continue;
    wait_for(s, other, event);
    push(s, other);
  }
}

/// One event of the list that comes first.
static void step(simulator *s) {
  size_t list = pop(s);
  list_state *state = &s->states[list];
  const pgopt_core_list *events = &s->lists->cores[list];
  if (state->next == events->count) {
    s->result->resources[resource_of(s, list)].end_ns = state->now_ns;
    if (state->now_ns > s->result->makespan_ns)
      s->result->makespan_ns = state->now_ns;
    return;
  }
  const pgopt_event *event = &events->events[state->next];
  switch (event->kind) {
  case PGOPT_EVENT_RUN:
    run_node(s, list, event->node);
    break;
  case PGOPT_EVENT_SIGNAL:
    give(s, list, event->value);
    break;
  case PGOPT_EVENT_WAIT:
    wait_for(s, list, event);
    break;
  }
  if (!state->is_blocked)
    push(s, list);
}

/// The lists must be well-formed and come to their end.
static pgopt_status check(const pgopt_core_lists *lists, pgopt_error *error) {
  pgopt_list_walk walk;
  pgopt_walk_step unused;
  pgopt_status status = pgopt_list_walk_begin(&walk, lists, error);
  while (status == PGOPT_OK && pgopt_list_walk_next(&walk, &unused))
    continue;
  pgopt_status end =
      pgopt_list_walk_end(&walk, status == PGOPT_OK ? error : NULL);
  return status ? status : end;
}

/// Every core is a resource of its own.
static pgopt_status check_resources(const pgopt_core_lists *lists,
                                    const int64_t *resource, size_t count,
                                    pgopt_error *error) {
  if (lists->count > count)
    return pgopt_fail(error, PGOPT_INVALID,
                      "the schedule has %zu cores, there are %zu resources",
                      lists->count, count);
  pgopt_status status = PGOPT_OK;
  bool *is_used = pgopt_allocate(count, sizeof *is_used);
  for (size_t i = 0; i < lists->count && resource && !status; ++i) {
    if (resource[i] < 0 || (size_t)resource[i] >= count || is_used[resource[i]])
      status = pgopt_fail(error, PGOPT_INVALID,
                          "core %zu is resource %lld, which is another core's "
                          "or none of %zu",
                          i, (long long)resource[i], count);
    else
      is_used[resource[i]] = true;
  }
  free(is_used);
  return status;
}

pgopt_status pgopt_simulate(const pgopt_profile_graph *graph,
                            const pgopt_core_lists *lists,
                            const int64_t *resource,
                            const pgopt_node_costs *costs,
                            const pgopt_sync_costs *sync,
                            pgopt_simulation *simulation, pgopt_error *error) {
  *simulation = (pgopt_simulation){0};
  pgopt_status status = check(lists, error);
  if (status)
    return status;
  size_t count =
      sync->resources ? (size_t)sync->resources->count : lists->count;
  status = check_resources(lists, resource, count, error);
  if (status)
    return status;
  pgopt_exchange exchange;
  status = pgopt_exchange_create(graph, lists, &exchange, error);
  if (status)
    return status;
  *simulation = (pgopt_simulation){
      .resources = pgopt_allocate(count, sizeof *simulation->resources),
      .resource_count = count,
      .nodes = pgopt_allocate(graph->node_count, sizeof *simulation->nodes),
      .node_count = graph->node_count};
  for (size_t i = 0; i < graph->node_count; ++i) {
    simulation->sequential_ns += costs->ns[i];
    simulation->kernels += graph->nodes[i].kind == PGOPT_NODE_KERNEL;
  }
  simulator s = {.graph = graph,
                 .lists = lists,
                 .resource = resource,
                 .costs = costs,
                 .sync = sync,
                 .result = simulation,
                 .states = pgopt_allocate(lists->count, sizeof *s.states),
                 .exchange = exchange,
                 .queue = pgopt_allocate(lists->count, sizeof *s.queue)};
  for (size_t i = 0; i < lists->count; ++i) {
    s.states[i].signals =
        pgopt_allocate(lists->cores[i].count, sizeof(given_signal));
    s.states[i].now_ns =
        pgopt_sync_begin(sync, i == 0, simulation->sequential_ns, lists->count);
    simulation->resources[resource_of(&s, i)].waiting_ns = s.states[i].now_ns;
    push(&s, i);
  }
  while (s.queued)
    step(&s);
  for (size_t i = 0; i < lists->count; ++i)
    free(s.states[i].signals);
  free(s.states);
  pgopt_exchange_free(&s.exchange);
  free(s.queue);
  return PGOPT_OK;
}

void pgopt_simulation_free(pgopt_simulation *simulation) {
  free(simulation->resources);
  free(simulation->nodes);
  *simulation = (pgopt_simulation){0};
}

/// 1 when both are 0.
static double ratio(double a, double b) { return b > 0 ? a / b : 1; }

double pgopt_simulation_utilisation(const pgopt_simulation *simulation) {
  double busy_ns = 0;
  for (size_t i = 0; i < simulation->resource_count; ++i)
    busy_ns += simulation->resources[i].busy_ns;
  return ratio(busy_ns,
               simulation->makespan_ns * (double)simulation->resource_count);
}

static size_t count_used(const pgopt_simulation *simulation) {
  size_t used = 0;
  for (size_t i = 0; i < simulation->resource_count; ++i)
    used += simulation->resources[i].end_ns > 0;
  return used;
}

void pgopt_simulation_print(const pgopt_simulation *simulation,
                            const char *policy, pgopt_text *text) {
  pgopt_text_append(
      text,
      "%s: %zu kernels on %zu of %zu resources, makespan %.3f us, sequential "
      "%.3f us, speed-up %.2f, utilisation %.1f%%\n"
      "resource  kernels  busy us  passing us  waiting us  sync us  waits  "
      "held "
      "up  busy\n",
      policy, simulation->kernels, count_used(simulation),
      simulation->resource_count, simulation->makespan_ns / 1e3,
      simulation->sequential_ns / 1e3,
      ratio(simulation->sequential_ns, simulation->makespan_ns),
      100 * pgopt_simulation_utilisation(simulation));
  for (size_t i = 0; i < simulation->resource_count; ++i) {
    const pgopt_simulated_resource *r = &simulation->resources[i];
    pgopt_text_append(
        text, "%8zu  %7zu  %7.3f  %10.3f  %10.3f  %7.3f  %5zu  %7zu  %.1f%%\n",
        i, r->kernels, r->busy_ns / 1e3, r->passing_ns / 1e3,
        r->waiting_ns / 1e3, r->sync_ns / 1e3, r->waits, r->held_up,
        r->end_ns > 0 ? 100 * ratio(r->busy_ns, simulation->makespan_ns) : 0);
  }
}

void pgopt_simulation_print_json(const pgopt_simulation *simulation,
                                 const char *policy, pgopt_text *text) {
  // Whole numbers do not depend on the locale.
  pgopt_text_append(text, "{\"policy\": ");
  pgopt_text_append_json(text, policy);
  pgopt_text_append(text,
                    ", \"kernels\": %zu, \"resources\": %zu, \"used\": %zu, "
                    "\"makespan_ns\": %.0f, \"sequential_ns\": %.0f, "
                    "\"utilisation_permille\": %.0f, \"of_resource\": [\n",
                    simulation->kernels, simulation->resource_count,
                    count_used(simulation), simulation->makespan_ns,
                    simulation->sequential_ns,
                    1000 * pgopt_simulation_utilisation(simulation));
  for (size_t i = 0; i < simulation->resource_count; ++i) {
    const pgopt_simulated_resource *r = &simulation->resources[i];
    pgopt_text_append(text,
                      "  {\"kernels\": %zu, \"busy_ns\": %.0f, "
                      "\"passing_ns\": %.0f, \"waiting_ns\": %.0f, "
                      "\"sync_ns\": %.0f, \"end_ns\": %.0f, \"waits\": "
                      "%zu, \"held_up\": %zu}%s\n",
                      r->kernels, r->busy_ns, r->passing_ns, r->waiting_ns,
                      r->sync_ns, r->end_ns, r->waits, r->held_up,
                      i + 1 < simulation->resource_count ? "," : "");
  }
  pgopt_text_append(text, "]}\n");
}
