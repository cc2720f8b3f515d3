/// \file Compares what all policies would come to: predicted makespans and
/// their bound, loads, synchronisation, bytes across cores and memory.
/// Requires: tensors (form-kernels runs on a copy) or kernel calls. Preserves:
/// everything.
#include "ir/entry.h"
#include "ir/ir.h"
#include "ir/read_storage.h"
#include "ir/resources.h"
#include "ir/schedule_module.h"
#include "profile/report.h"
#include "schedule/plan_report.h"

#include <stdlib.h>
#include <string.h>

typedef struct options {
  pgopt_schedule_options schedule;
  const char *report;
  const char *report_output;
} options;

static const pgopt_option option_table[] = {
    PGOPT_SCHEDULING_OPTIONS(options, schedule),
    {"report", PGOPT_OPTION_TEXT, offsetof(options, report), "table",
     "form of the report: table or json"},
    {"report-output", PGOPT_OPTION_TEXT, offsetof(options, report_output), "",
     "file for the report; default: the standard error stream"},
};

enum { KERNELS, POLICIES };

static const pgopt_statistic statistic_table[] = {
    {"kernels", "kernel calls that schedules were made for"},
    {"policies", "policies that were compared"},
};

/// The bytes of the arena under a plan of a program. \param module of it.
static MlirLogicalResult plan_memory(MlirOperation module,
                                     const pgopt_call_program *program,
                                     const pgopt_schedule_plan *plan,
                                     int64_t *arena_bytes,
                                     int64_t *values_bytes) {
  pgopt_program_storage storage;
  pgopt_memory_plan memory;
  pgopt_error error = {0};
  pgopt_read_storage(module, program, &storage);
  pgopt_memory_request request = {program->graph,          &plan->lists,
                                  storage.is_kept,         storage.overwrites,
                                  storage.overwrite_count, false};
  MlirLogicalResult result = mlirLogicalResultSuccess();
  if (pgopt_memory_plan_create(&request, &memory, &error) != PGOPT_OK) {
    result =
        pgopt_emit_error(program->entry, "no memory plan: %s", error.message);
  } else {
    *arena_bytes = memory.arena_bytes;
    *values_bytes = memory.values_bytes;
    pgopt_memory_plan_free(&memory);
  }
  pgopt_program_storage_free(&storage);
  return result;
}

/// The same of a plan with copies of kernels, which a copy of the module gets.
static MlirLogicalResult plan_copied_memory(const pgopt_scheduling *s,
                                            const pgopt_schedule_plan *plan,
                                            int64_t *arena_bytes) {
  pgopt_call_program program;
  int64_t values_bytes;
  MlirOperation copy = mlirOperationClone(s->module);
  MlirLogicalResult result = pgopt_scheduling_read(copy, s, plan, &program);
  if (mlirLogicalResultIsSuccess(result)) {
    result = plan_memory(copy, &program, plan, arena_bytes, &values_bytes);
    pgopt_call_program_free(&program);
  }
  mlirOperationDestroy(copy);
  return result;
}

/// The bytes of the arena under each plan; those of all values without copies.
static MlirLogicalResult plan_memories(const pgopt_scheduling *s,
                                       const pgopt_schedule_plans *plans,
                                       int64_t *arena_bytes,
                                       int64_t *values_bytes) {
  MlirLogicalResult result = mlirLogicalResultSuccess();
  *values_bytes = 0;
  for (size_t i = 0; i < plans->count && mlirLogicalResultIsSuccess(result);
       ++i) {
    const pgopt_schedule_plan *plan = &plans->plans[i];
    result = plan->copies.count ? plan_copied_memory(s, plan, &arena_bytes[i])
                                : plan_memory(s->module, &s->program, plan,
                                              &arena_bytes[i], values_bytes);
  }
  return result;
}

static MlirLogicalResult report_plans(const pgopt_scheduling *s,
                                      const pgopt_schedule_plans *plans,
                                      const options *o) {
  pgopt_resources resources;
  pgopt_plan_report report = {.distance = o->schedule.distance,
                              .request = &s->request,
                              .costs = &s->costs,
                              .plans = plans};
  int64_t *arena_bytes = pgopt_allocate(plans->count, sizeof *arena_bytes);
  MlirLogicalResult result =
      plan_memories(s, plans, arena_bytes, &report.values_bytes);
  if (mlirLogicalResultIsSuccess(result))
    result = pgopt_resolve_resources(s->module, o->schedule.resources,
                                     o->schedule.count, &resources);
  if (mlirLogicalResultIsSuccess(result)) {
    pgopt_text text = {0};
    pgopt_error error = {0};
    report.network = s->program.graph->entry;
    report.resources = resources.kind;
    report.arena_bytes = arena_bytes;
    if (!strcmp(o->report, "json"))
      pgopt_plan_report_json(&report, &text);
    else
      pgopt_plan_report_table(&report, &text);
    if (pgopt_report_write(&text, o->report_output, &error) != PGOPT_OK)
      result = pgopt_emit_error(s->module, "report-output: %s", error.message);
    pgopt_text_free(&text);
  }
  free(arena_bytes);
  return result;
}

static MlirLogicalResult compare(pgopt_pass *pass, MlirOperation copy,
                                 const options *o) {
  pgopt_scheduling s;
  pgopt_schedule_plans plans = {0};
  pgopt_error error = {0};
  MlirLogicalResult result =
      pgopt_scheduling_open(pass, copy, &o->schedule, &s);
  if (mlirLogicalResultIsSuccess(result) &&
      pgopt_schedule_plans_create(s.program.graph, &s.request, &s.costs, &plans,
                                  &error) != PGOPT_OK)
    result =
        pgopt_emit_error(s.program.entry, "no schedule: %s", error.message);
  if (mlirLogicalResultIsSuccess(result))
    result = report_plans(&s, &plans, o);
  pgopt_pass_count(pass, KERNELS, (int64_t)s.kernels);
  pgopt_pass_count(pass, POLICIES, (int64_t)plans.count);
  pgopt_schedule_plans_free(&plans);
  pgopt_scheduling_close(&s);
  return result;
}

static MlirLogicalResult run(pgopt_pass *pass, MlirOperation module) {
  const options *o = pgopt_pass_options(pass);
  if (strcmp(o->report, "table") != 0 && strcmp(o->report, "json") != 0)
    return pgopt_emit_error(module, "report is '%s'; it must be table or json",
                            o->report);
  MlirOperation copy = pgopt_nest_copy(module);
  MlirLogicalResult result = compare(pass, copy, o);
  mlirOperationDestroy(copy);
  return result;
}

const pgopt_pass_definition pgopt_schedule_report = {
    .argument = "schedule-report",
    .summary = "Compare the schedules of all policies, before one is taken",
    .anchor = "builtin.module",
    .options = option_table,
    .option_count = sizeof option_table / sizeof *option_table,
    .options_size = sizeof(options),
    .statistics = statistic_table,
    .statistic_count = sizeof statistic_table / sizeof *statistic_table,
    .run = run,
};
