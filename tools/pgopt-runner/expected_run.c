#include "tools/pgopt-runner/expected_run.h"

#include "base/memory.h"
#include "ir/attempt.h"
#include "ir/read_calls.h"
#include "ir/resources.h"
#include "schedule/simulate.h"

#include <stdlib.h>

static int by_place(const void *a, const void *b) {
  const expected_call *x = a, *y = b;
  if (x->core != y->core)
    return x->core < y->core ? -1 : 1;
  return (x->slot > y->slot) - (x->slot < y->slot);
}

const expected_call *find_expected_call(const expected_run *run, int64_t core,
                                        int64_t slot) {
  expected_call key = {.core = core, .slot = slot};
  return run->call_count
             ? bsearch(&key, run->calls, run->call_count, sizeof key, by_place)
             : NULL;
}

/// Places of the nodes; a sequential program gets a list.
static expected_call *find_places(pgopt_call_program *program) {
  const pgopt_profile_graph *graph = program->graph;
  expected_call *places = pgopt_allocate(graph->node_count, sizeof *places);
  bool is_sequential = !program->lists.count;
  int64_t calls = 0;
  if (is_sequential)
    program->lists = pgopt_core_lists_create(1);
  for (size_t i = 0; i < graph->node_count; ++i) {
    const pgopt_graph_node *node = &graph->nodes[i];
    bool is_kernel = node->kind == PGOPT_NODE_KERNEL;
    places[i].core = node->core == PGOPT_NO_CORE ? 0 : node->core;
    places[i].slot = node->slot == PGOPT_NO_CORE ? calls : node->slot;
    calls += is_kernel;
    pgopt_event run = {.kind = PGOPT_EVENT_RUN, .node = i};
    if (is_sequential)
      pgopt_core_lists_append(&program->lists, 0, run);
  }
  return places;
}

/// A trace is of a run right after another one: workers are awake.
static pgopt_status simulate_awake(const pgopt_call_program *program,
                                   const pgopt_node_costs *costs,
                                   pgopt_sync_costs *sync,
                                   pgopt_simulation *simulation) {
  sync->wake_ns = sync->call_ns = 0;
  return pgopt_simulate(program->graph, &program->lists, NULL, costs, sync,
                        simulation, NULL);
}

/// Fills in the times, if all of them rest on Timing.
static void predict(MlirOperation module, const pgopt_call_program *program,
                    expected_call *places, expected_run *run) {
  pgopt_node_costs costs = pgopt_node_costs_create(program->graph);
  pgopt_sync_costs sync;
  pgopt_simulation simulation;
  if (!costs.counts[PGOPT_COST_COUNTED] && !costs.counts[PGOPT_COST_UNIT] &&
      mlirLogicalResultIsSuccess(pgopt_read_sync_costs(module, "far", &sync)) &&
      !simulate_awake(program, &costs, &sync, &simulation)) {
    for (size_t i = 0; i < program->graph->node_count; ++i) {
      places[i].begin_ns = simulation.nodes[i].begin_ns;
      places[i].end_ns = simulation.nodes[i].end_ns;
    }
    run->has_times = true;
    pgopt_simulation_free(&simulation);
  }
  pgopt_node_costs_free(&costs);
}

static void collect(const pgopt_profile_graph *graph,
                    const expected_call *places, expected_run *run) {
  run->calls = pgopt_allocate(graph->node_count, sizeof *run->calls);
  for (size_t i = 0; i < graph->node_count; ++i)
    if (graph->nodes[i].kind == PGOPT_NODE_KERNEL)
      run->calls[run->call_count++] = places[i];
  if (run->call_count)
    qsort(run->calls, run->call_count, sizeof *run->calls, by_place);
  run->flows = pgopt_allocate(graph->edge_count, sizeof *run->flows);
  for (size_t i = 0; i < graph->edge_count; ++i) {
    const pgopt_graph_edge *edge = &graph->edges[i];
    const expected_call *a = &places[edge->from], *b = &places[edge->to];
    const expected_call *from = find_expected_call(run, a->core, a->slot);
    const expected_call *to = find_expected_call(run, b->core, b->slot);
    if (from && to && from->core != to->core)
      run->flows[run->flow_count++] = (expected_flow){
          (size_t)(from - run->calls), (size_t)(to - run->calls), edge->bytes};
  }
}

expected_run read_expected_run(MlirOperation module, MlirOperation entry) {
  expected_run run = {0};
  pgopt_call_program program;
  pgopt_attempt attempt;
  pgopt_attempt_begin(mlirOperationGetContext(module), &attempt);
  if (mlirLogicalResultIsSuccess(pgopt_read_calls(module, entry, &program))) {
    expected_call *places = find_places(&program);
    predict(module, &program, places, &run);
    collect(program.graph, places, &run);
    free(places);
    pgopt_call_program_free(&program);
  }
  pgopt_attempt_end(&attempt);
  pgopt_attempt_free(&attempt);
  return run;
}

void free_expected_run(expected_run *run) {
  free(run->calls);
  free(run->flows);
  *run = (expected_run){0};
}
