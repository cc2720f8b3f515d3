/// \file The report that compares the plans of all policies: a table for
/// people, JSON for programs. Both are functions of the report alone;
/// docs/scheduling.md describes them.
#ifndef PGOPT_SCHEDULE_PLAN_REPORT_H
#define PGOPT_SCHEDULE_PLAN_REPORT_H

#include "base/text.h"
#include "schedule/memory_plan.h"
#include "schedule/plan.h"

typedef struct pgopt_plan_report {
  const char *network;
  const char *resources; ///< their kind: "cores" ...
  const char *distance;  ///< "far" or "near"
  const pgopt_schedule_request *request;
  const pgopt_node_costs *costs;
  const pgopt_schedule_plans *plans;
  const int64_t *arena_bytes; ///< per plan: all values in one block of memory
  int64_t values_bytes;       ///< each value in memory of its own
} pgopt_plan_report;

void pgopt_plan_report_table(const pgopt_plan_report *report, pgopt_text *text);
void pgopt_plan_report_json(const pgopt_plan_report *report, pgopt_text *text);

#endif // PGOPT_SCHEDULE_PLAN_REPORT_H
