/// \file What every schedule pass does around its policy.
#include "ir/schedule_module.h"

#include "dialect_c/attributes.h"
#include "ir/copy_calls.h"
#include "ir/entry.h"
#include "ir/ir.h"
#include "ir/outline_cores.h"
#include "ir/resources.h"
#include "ir/schedule_choice.h"
#include "schedule/order_check.h"

#include <stdlib.h>
#include <string.h>

/// Loads are listed up to this many cores.
#define LISTED_CORES 8

MlirLogicalResult pgopt_reach_calls(pgopt_pass *pass, MlirOperation module,
                                    const char *entry_name,
                                    const char *distance,
                                    const pgopt_store_options *store,
                                    MlirOperation *entry) {
  switch (pgopt_stage_of(*entry)) {
  case PGOPT_STAGE_CALLS:
    return pgopt_timings_look_up_calls(module, *entry, store);
  case PGOPT_STAGE_CORES:
    return mlirLogicalResultSuccess();
  case PGOPT_STAGE_CHOICE:
    return pgopt_settle_choice(module, !strcmp(distance, "near"), entry);
  case PGOPT_STAGE_LOWERED:
    return pgopt_emit_error(*entry, "is lowered already, its kernels cannot be "
                                    "told apart any more");
  case PGOPT_STAGE_TENSORS:
  case PGOPT_STAGE_BUFFERS:
    break;
  }
  pgopt_text pipeline = {0};
  pgopt_text_append(&pipeline,
                    "builtin.module(form-kernels{any-machine=%s distance=%s",
                    store->any_machine ? "true" : "false", distance);
  if (*entry_name)
    pgopt_text_append(&pipeline, " entry=%s", entry_name);
  if (*store->store)
    pgopt_text_append(&pipeline, " store={%s}", store->store);
  pgopt_text_append(&pipeline, "})");
  MlirLogicalResult result =
      pgopt_pass_run_pipeline(pass, pgopt_text_get(&pipeline), module);
  pgopt_text_free(&pipeline);
  if (mlirLogicalResultIsFailure(result))
    return result;
  return pgopt_find_entry(module, entry_name, entry);
}

/// A default number of resources is at most how many kernels can run at once.
static void limit_resources(const pgopt_profile_graph *graph,
                            pgopt_resources *resources) {
  size_t *levels = pgopt_allocate(graph->node_count, sizeof *levels);
  int64_t widest = (int64_t)pgopt_profile_graph_levels(graph, levels);
  if (resources->is_default && resources->count > widest)
    resources->count = widest > 1 ? widest : 1;
  free(levels);
}

static MlirLogicalResult fail(const pgopt_scheduling *s, const char *what,
                              const pgopt_error *error) {
  return pgopt_emit_error(s->program.entry, "%s: %s", what, error->message);
}

/// The node in each slot, core after core; `first` says where a core begins.
static size_t *nodes_by_slot(const pgopt_schedule *schedule, size_t *first) {
  for (size_t i = 0; i < schedule->node_count; ++i)
    if (schedule->core[i] != PGOPT_NO_CORE)
      ++first[schedule->core[i] + 1];
  for (size_t core = 0; core < schedule->cores; ++core)
    first[core + 1] += first[core];
  size_t *nodes = pgopt_allocate(schedule->node_count, sizeof *nodes);
  for (size_t i = 0; i < schedule->node_count; ++i)
    if (schedule->core[i] != PGOPT_NO_CORE)
      nodes[first[schedule->core[i]] + (size_t)schedule->slot[i]] = i;
  return nodes;
}

/// Gives the lists of the program that was read back the nodes of the one that
/// it was made from; false when they do not belong together.
static bool match_nodes(const pgopt_scheduling *s,
                        const pgopt_schedule *schedule,
                        pgopt_call_program *written) {
  if (written->graph->node_count != s->program.graph->node_count ||
      written->lists.count != schedule->cores)
    return false;
  bool matches = true;
  size_t *first = pgopt_allocate(schedule->cores + 1, sizeof *first);
  size_t *nodes = nodes_by_slot(schedule, first);
  for (size_t core = 0; core < written->lists.count && matches; ++core) {
    pgopt_core_list *list = &written->lists.cores[core];
    size_t next = first[core];
    for (size_t i = 0; i < list->count && matches; ++i) {
      pgopt_event *event = &list->events[i];
      if (event->kind != PGOPT_EVENT_RUN)
        continue;
      matches = next < first[core + 1] &&
                pgopt_graph_nodes_equal(s->program.graph, nodes[next],
                                        written->graph, event->node);
      event->node = matches ? nodes[next++] : 0;
    }
  }
  free(nodes);
  free(first);
  return matches;
}

/// Runs the ordering checker; on what was written when that is whole.
static MlirLogicalResult check(const pgopt_scheduling *s,
                               const pgopt_schedule_plan *plan,
                               bool is_outlined) {
  pgopt_error error = {0};
  if (!is_outlined)
    return pgopt_order_check(s->program.graph, &plan->lists, &error) == PGOPT_OK
               ? mlirLogicalResultSuccess()
               : fail(s, "the schedule breaks an order", &error);
  pgopt_call_program written;
  if (mlirLogicalResultIsFailure(
          pgopt_read_calls(s->module, s->program.entry, &written)))
    return mlirLogicalResultFailure();
  MlirLogicalResult result = mlirLogicalResultSuccess();
  if (!match_nodes(s, &plan->schedule, &written))
    result = pgopt_emit_error(s->program.entry,
                              "the functions of the cores do not hold what the "
                              "schedule says");
  else if (pgopt_order_check(s->program.graph, &written.lists, &error) !=
           PGOPT_OK)
    result = fail(s, "the schedule breaks an order", &error);
  pgopt_call_program_free(&written);
  return result;
}

static void append_loads(const pgopt_prediction *p, pgopt_text *text) {
  if (p->cores <= LISTED_CORES) {
    for (size_t i = 0; i < p->cores; ++i)
      pgopt_text_append(text, "%s%.0f", i ? " " : "", p->load_ns[i]);
    return;
  }
  double least = p->load_ns[0], most = p->load_ns[0];
  for (size_t i = 1; i < p->cores; ++i) {
    least = p->load_ns[i] < least ? p->load_ns[i] : least;
    most = p->load_ns[i] > most ? p->load_ns[i] : most;
  }
  pgopt_text_append(text, "%.0f to %.0f", least, most);
}

/// Tells what is predicted, and warns of what speaks against the schedule.
static void report(const pgopt_scheduling *s, const pgopt_schedule_plan *plan) {
  const pgopt_prediction *p = &plan->prediction;
  pgopt_text text = {0};
  pgopt_text_append(&text,
                    "%s schedule of %zu kernel%s on %zu core%s: predicted "
                    "makespan %.0f ns, sequential %.0f ns, critical path %.0f "
                    "ns, load per core ",
                    plan->policy->name, s->kernels, s->kernels == 1 ? "" : "s",
                    p->cores, p->cores == 1 ? "" : "s", p->makespan_ns,
                    p->sequential_ns, p->critical_path_ns);
  append_loads(p, &text);
  pgopt_text_append(&text, " ns, %lld bytes across cores",
                    (long long)p->bytes_across);
  if (plan->copies.count)
    pgopt_text_append(&text, ", %zu of the kernels to spare waits",
                      plan->copies.count);
  pgopt_emit(s->program.entry, PGOPT_REMARK, "%s", pgopt_text_get(&text));
  pgopt_text_free(&text);
  if (p->cores > 1 && p->makespan_ns >= p->sequential_ns)
    pgopt_emit(s->program.entry, PGOPT_WARNING,
               "this schedule is not predicted to be faster than the "
               "sequential program: %.0f ns against %.0f ns, %.2f times as "
               "long",
               p->makespan_ns, p->sequential_ns,
               p->sequential_ns > 0 ? p->makespan_ns / p->sequential_ns : 1.0);
  const size_t *counts = s->costs.counts;
  size_t measured = counts[PGOPT_COST_MEASURED];
  size_t all = measured + counts[PGOPT_COST_DERIVED] +
               counts[PGOPT_COST_COUNTED] + counts[PGOPT_COST_UNIT];
  if (measured < all)
    pgopt_emit(
        s->program.entry, PGOPT_WARNING,
        "%zu of the %zu kernels have no measured Timing (%zu derived from "
        "others, %zu from Lflops alone, %zu from nothing): the "
        "prediction is an estimate, --profile measures them",
        all - measured, all, counts[PGOPT_COST_DERIVED],
        counts[PGOPT_COST_COUNTED], counts[PGOPT_COST_UNIT]);
}

static void count(const pgopt_scheduling *s, const pgopt_schedule_plan *plan,
                  pgopt_pass *pass) {
  const int64_t counts[] = {
      [PGOPT_SCHEDULED_KERNELS] = (int64_t)s->kernels,
      [PGOPT_SCHEDULED_COPIES] = (int64_t)plan->copies.count,
      [PGOPT_SCHEDULED_BARRIERS] = (int64_t)s->barriers,
      [PGOPT_SCHEDULED_CORES] = (int64_t)plan->schedule.cores,
      [PGOPT_SCHEDULED_WAITS] =
          (int64_t)pgopt_core_lists_count(&plan->lists, PGOPT_EVENT_WAIT),
      [PGOPT_SCHEDULED_SIGNALS] =
          (int64_t)pgopt_core_lists_count(&plan->lists, PGOPT_EVENT_SIGNAL),
      [PGOPT_SCHEDULED_EDGES_ACROSS] = (int64_t)plan->prediction.edges_across,
      [PGOPT_SCHEDULED_BYTES_ACROSS] = plan->prediction.bytes_across,
  };
  for (size_t i = 0; i < sizeof counts / sizeof *counts; ++i)
    pgopt_pass_count(pass, i, counts[i]);
}

/// Says on the functions of the cores which of the resources they are, where
/// their numbers do not.
static void write_resources(const pgopt_scheduling *s,
                            const pgopt_schedule *schedule) {
  char *entry = pgopt_ref_duplicate(pgopt_symbol_name(s->program.entry));
  for (size_t core = 0; core < schedule->cores; ++core) {
    if (schedule->resource[core] == (int64_t)core)
      continue;
    pgopt_text name = {0};
    pgopt_text_append(&name, "%s_core%zu", entry, core);
    pgopt_set_i64(pgopt_module_lookup(s->module, pgopt_ref(name.data)),
                  PGOPT_RESOURCE, schedule->resource[core]);
    pgopt_text_free(&name);
  }
  free(entry);
}

MlirLogicalResult
pgopt_scheduling_apply(pgopt_pass *pass, pgopt_scheduling *s,
                       const pgopt_schedule_plan *plan,
                       const pgopt_schedule_options *options) {
  bool must_check = options->check;
#ifndef NDEBUG
  must_check = true;
#endif
  if (!s->kernels) {
    pgopt_emit(s->program.entry, PGOPT_REMARK,
               "has no kernel calls, there is nothing to schedule");
    return mlirLogicalResultSuccess();
  }
  if (plan->copies.count && mlirLogicalResultIsFailure(pgopt_copy_calls(
                                s->module, &plan->copies, &s->program)))
    return mlirLogicalResultFailure();
  s->kernels += plan->copies.count;
  pgopt_write_schedule(&s->program, &plan->schedule);
  if (options->outline && mlirLogicalResultIsFailure(pgopt_outline_cores(
                              s->module, &s->program, &plan->lists)))
    return mlirLogicalResultFailure();
  if (options->outline)
    write_resources(s, &plan->schedule);
  if (must_check &&
      mlirLogicalResultIsFailure(check(s, plan, options->outline)))
    return mlirLogicalResultFailure();
  report(s, plan);
  count(s, plan, pass);
  return mlirLogicalResultSuccess();
}

MlirLogicalResult pgopt_scheduling_read(MlirOperation copy,
                                        const pgopt_scheduling *s,
                                        const pgopt_schedule_plan *plan,
                                        pgopt_call_program *program) {
  MlirOperation entry =
      pgopt_module_lookup(copy, pgopt_symbol_name(s->program.entry));
  MlirLogicalResult result = pgopt_read_calls(copy, entry, program);
  return mlirLogicalResultIsSuccess(result) && plan->copies.count
             ? pgopt_copy_calls(copy, &plan->copies, program)
             : result;
}

MlirLogicalResult pgopt_scheduling_apply_to(MlirOperation copy,
                                            const pgopt_scheduling *s,
                                            const pgopt_schedule_plan *plan) {
  pgopt_call_program program;
  if (mlirLogicalResultIsFailure(
          pgopt_scheduling_read(copy, s, plan, &program)))
    return mlirLogicalResultFailure();
  pgopt_write_schedule(&program, &plan->schedule);
  MlirLogicalResult result = pgopt_outline_cores(copy, &program, &plan->lists);
  pgopt_call_program_free(&program);
  return result;
}

/// Sums up what there is to schedule.
static void read_costs(pgopt_scheduling *s) {
  const pgopt_profile_graph *graph = s->program.graph;
  s->costs = pgopt_node_costs_create(graph);
  for (size_t i = 0; i < graph->node_count; ++i) {
    if (graph->nodes[i].is_outside)
      continue;
    if (graph->nodes[i].kind == PGOPT_NODE_KERNEL)
      ++s->kernels;
    else
      ++s->barriers;
  }
}

MlirLogicalResult pgopt_scheduling_open(pgopt_pass *pass, MlirOperation module,
                                        const pgopt_schedule_options *options,
                                        pgopt_scheduling *s) {
  MlirOperation entry;
  pgopt_resources resources;
  *s = (pgopt_scheduling){.module = module};
  if (mlirLogicalResultIsFailure(
          pgopt_find_entry(module, options->entry, &entry)) ||
      mlirLogicalResultIsFailure(pgopt_resolve_resources(
          module, options->resources, options->count, &resources)))
    return mlirLogicalResultFailure();
  pgopt_stage stage = pgopt_stage_of(entry);
  if (stage == PGOPT_STAGE_CORES || stage == PGOPT_STAGE_CHOICE)
    return pgopt_emit_error(entry, "has one function a core already; schedule "
                                   "the module as it was before");
  // form-kernels cuts layers into as many ranges as there are resources.
  pgopt_write_resources(module, &resources);
  if (mlirLogicalResultIsFailure(pgopt_reach_calls(pass, module, options->entry,
                                                   options->distance,
                                                   &options->store, &entry)) ||
      mlirLogicalResultIsFailure(
          pgopt_read_calls(module, entry, &s->program)) ||
      mlirLogicalResultIsFailure(
          pgopt_read_sync_costs(module, options->distance, &s->request.costs)))
    return mlirLogicalResultFailure();
  limit_resources(s->program.graph, &resources);
  pgopt_write_resources(module, &resources);
  s->request.resources = resources.count;
  if (mlirLogicalResultIsFailure(pgopt_read_resource_model(module, &s->model)))
    return mlirLogicalResultFailure();
  if (s->model.count)
    s->request.costs.resources = &s->model;
  read_costs(s);
  return mlirLogicalResultSuccess();
}

void pgopt_scheduling_close(pgopt_scheduling *s) {
  pgopt_resource_model_free(&s->model);
  pgopt_call_program_free(&s->program);
  pgopt_node_costs_free(&s->costs);
}

MlirLogicalResult pgopt_schedule_module(pgopt_pass *pass, MlirOperation module,
                                        const pgopt_schedule_policy *policy,
                                        const pgopt_schedule_options *options) {
  pgopt_scheduling s;
  pgopt_schedule_plan plan = {0};
  pgopt_error error = {0};
  MlirLogicalResult result = pgopt_scheduling_open(pass, module, options, &s);
  if (mlirLogicalResultIsSuccess(result) &&
      pgopt_schedule_plan_create(s.program.graph, policy, &s.request, &s.costs,
                                 &plan, &error) != PGOPT_OK)
    result = fail(&s, "no schedule", &error);
  if (mlirLogicalResultIsSuccess(result))
    result = pgopt_scheduling_apply(pass, &s, &plan, options);
  pgopt_schedule_plan_free(&plan);
  pgopt_scheduling_close(&s);
  return result;
}
