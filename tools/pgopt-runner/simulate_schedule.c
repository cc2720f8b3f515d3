#include "tools/pgopt-runner/simulate_schedule.h"

#include "ir/entry.h"
#include "ir/ir.h"
#include "ir/read_calls.h"
#include "ir/resources.h"
#include "ir/schedule_choice.h"
#include "schedule/simulate.h"
#include "tools/pgopt-runner/module.h"
#include "tools/pgopt-runner/terminal.h"

#include <stdio.h>
#include <string.h>

/// What is simulated: the lists of the module, or of a schedule made here.
typedef struct subject {
  parsed_module parsed;
  pgopt_call_program program;
  pgopt_resource_model model;
  pgopt_sync_costs sync;
  pgopt_schedule schedule;
  pgopt_core_lists lists;
  const int64_t *resources; ///< per core
  const char *policy;
} subject;

/// The resources of the module or the machine, when none are given, and what
/// working together costs.
static bool find_resources(const runner_options *options, subject *s) {
  pgopt_error error = {0};
  if (mlirLogicalResultIsFailure(
          pgopt_read_sync_costs(s->parsed.op, options->distance, &s->sync)))
    return false;
  s->sync.resources = &s->model;
  if (*options->resources) {
    if (!pgopt_resource_model_parse(options->resources, &s->model, &error))
      return true;
    complain("--simulate: %s", error.message);
    return false;
  }
  pgopt_resources resources;
  if (mlirLogicalResultIsFailure(
          pgopt_resolve_resources(s->parsed.op, "", "auto", &resources)) ||
      mlirLogicalResultIsFailure(
          pgopt_read_resource_model(s->parsed.op, &s->model)))
    return false;
  s->model.count = resources.count;
  return true;
}

/// Brings the network to kernel calls, cut for the resources, and reads them.
static bool read_calls(const runner_options *options, subject *s) {
  MlirOperation entry;
  if (mlirLogicalResultIsFailure(
          pgopt_find_entry(s->parsed.op, options->entry, &entry)))
    return false;
  pgopt_stage stage = pgopt_stage_of(entry);
  if (stage == PGOPT_STAGE_LOWERED) {
    complain("'%s' is lowered already, its kernels cannot be told apart any "
             "more",
             options->file);
    return false;
  }
  if (stage == PGOPT_STAGE_CHOICE) {
    if (mlirLogicalResultIsFailure(pgopt_settle_choice(
            s->parsed.op, !strcmp(options->distance, "near"), &entry)))
      return false;
  } else if (stage != PGOPT_STAGE_CALLS && stage != PGOPT_STAGE_CORES) {
    pgopt_resources resources = {.kind = s->model.columns ? "pes" : "cores",
                                 .count = s->model.count};
    pgopt_write_resources(s->parsed.op, &resources);
    char text[32];
    snprintf(text, sizeof text, "distance=%s", options->distance);
    if (!run_pass(&s->parsed, "form-kernels", text) ||
        mlirLogicalResultIsFailure(
            pgopt_find_entry(s->parsed.op, options->entry, &entry)))
      return false;
  }
  return mlirLogicalResultIsSuccess(
      pgopt_read_calls(s->parsed.op, entry, &s->program));
}

/// The module's own schedule when neither resources nor a policy are given;
/// else one by the policy.
static bool find_schedule(const runner_options *options, subject *s) {
  if (s->program.lists.count && !*options->resources && !*options->policy) {
    s->lists = s->program.lists;
    s->program.lists = (pgopt_core_lists){0};
    s->resources = s->program.resources;
    bool are_alike = !s->model.speeds && !s->model.nodes && !s->model.rows;
    // Of resources that are all alike there may be more.
    for (size_t i = 0; i < s->lists.count && are_alike; ++i)
      if (s->resources[i] >= s->model.count &&
          s->resources[i] < PGOPT_MAX_RESOURCES)
        s->model.count = s->resources[i] + 1;
    s->policy = "the module's schedule";
    return true;
  }
  s->policy = *options->policy ? options->policy : "list";
  const pgopt_schedule_policy *policy = pgopt_schedule_find_policy(s->policy);
  if (!policy) {
    complain("--policy: there is no policy '%s', there are:", s->policy);
    for (size_t i = 0; pgopt_schedule_policies[i]; ++i)
      complain("  %s: %s", pgopt_schedule_policies[i]->name,
               pgopt_schedule_policies[i]->summary);
    return false;
  }
  pgopt_schedule_request request = {.resources = s->model.count,
                                    .costs = s->sync};
  pgopt_error error = {0};
  if (pgopt_schedule_create(s->program.graph, policy, &request, &s->schedule,
                            &error)) {
    complain("%s: %s", options->file, error.message);
    return false;
  }
  s->lists = pgopt_schedule_lists(s->program.graph, &s->schedule);
  s->resources = s->schedule.resource;
  return true;
}

/// Says on what the times rest, when that is not measurement alone.
static void warn_of_estimates(const pgopt_node_costs *costs) {
  size_t measured = costs->counts[PGOPT_COST_MEASURED], all = 0;
  for (size_t i = 0; i < PGOPT_COST_BASES; ++i)
    all += costs->counts[i];
  if (measured < all)
    complain("%zu of the %zu kernels have no measured Timing (%zu derived from "
             "others, %zu from Lflops alone, %zu from nothing)",
             all - measured, all, costs->counts[PGOPT_COST_DERIVED],
             costs->counts[PGOPT_COST_COUNTED], costs->counts[PGOPT_COST_UNIT]);
}

static bool simulate(const runner_options *options, const subject *s) {
  pgopt_node_costs costs = pgopt_node_costs_create(s->program.graph);
  pgopt_simulation simulation;
  pgopt_error error = {0};
  bool ok = !pgopt_simulate(s->program.graph, &s->lists, s->resources, &costs,
                            &s->sync, &simulation, &error);
  if (ok) {
    pgopt_text text = {0};
    warn_of_estimates(&costs);
    if (options->report_is_json)
      pgopt_simulation_print_json(&simulation, s->policy, &text);
    else
      pgopt_simulation_print(&simulation, s->policy, &text);
    fputs(pgopt_text_get(&text), stdout);
    pgopt_text_free(&text);
    pgopt_simulation_free(&simulation);
  } else {
    complain("%s: %s", options->file, error.message);
  }
  pgopt_node_costs_free(&costs);
  return ok;
}

int simulate_schedule(const runner_options *options) {
  subject s = {0};
  bool ok = open_module(options->file, &s.parsed) &&
            find_resources(options, &s) && read_calls(options, &s) &&
            find_schedule(options, &s) && simulate(options, &s);
  pgopt_core_lists_free(&s.lists);
  pgopt_schedule_free(&s.schedule);
  pgopt_call_program_free(&s.program);
  pgopt_resource_model_free(&s.model);
  close_module(&s.parsed);
  return ok ? 0 : EXIT_ERROR;
}
