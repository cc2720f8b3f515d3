/// \file The two forms of the report on all policies.
#include "schedule/plan_report.h"

#include <inttypes.h>

/// Loads are listed up to this many cores in the table.
enum { LISTED_CORES = 8 };

static double microseconds(double ns) { return ns / 1e3; }

static double share(double part, double whole) {
  return whole > 0 ? part / whole : 1;
}

static size_t estimates(const pgopt_plan_report *report) {
  const size_t *counts = report->costs->counts;
  return counts[PGOPT_COST_DERIVED] + counts[PGOPT_COST_COUNTED] +
         counts[PGOPT_COST_UNIT];
}

static size_t kernels(const pgopt_plan_report *report) {
  return report->costs->counts[PGOPT_COST_MEASURED] + estimates(report);
}

static void table_loads(const pgopt_prediction *p, pgopt_text *text) {
  size_t listed = p->cores < LISTED_CORES ? p->cores : LISTED_CORES;
  for (size_t i = 0; i < listed; ++i)
    pgopt_text_append(text, " %.2f", microseconds(p->load_ns[i]));
  if (listed < p->cores)
    pgopt_text_append(text, " and %zu more", p->cores - listed);
  pgopt_text_append(text, "\n");
}

void pgopt_plan_report_table(const pgopt_plan_report *report,
                             pgopt_text *text) {
  const pgopt_prediction *first = &report->plans->plans[0].prediction;
  const pgopt_sync_costs *sync = &report->request->costs;
  double bound_ns = pgopt_schedule_bound_ns(first, report->request);
  pgopt_text_append(
      text,
      "schedules of @%s: %zu kernels on %" PRId64 " %s, distance %s: a signal "
      "%.0f ns, a wait or signal its core %.0f ns, 1000 bytes across %.0f ns\n",
      report->network, kernels(report), report->request->resources,
      report->resources, report->distance, sync->latency_ns, sync->hop_ns,
      1000 * sync->byte_ns);
  pgopt_text_append(text,
                    "%-18s %5s %12s %8s %6s %7s %12s %12s  load per core, us\n",
                    "policy", "cores", "makespan, us", "of bound", "waits",
                    "signals", "bytes across", "memory");
  for (size_t i = 0; i < report->plans->count; ++i) {
    const pgopt_schedule_plan *plan = &report->plans->plans[i];
    const pgopt_prediction *p = &plan->prediction;
    pgopt_text_append(
        text, "%-18s %5zu %12.2f %8.3f %6zu %7zu %12" PRId64 " %12" PRId64 " ",
        plan->policy->name, p->cores, microseconds(p->makespan_ns),
        share(p->makespan_ns, bound_ns),
        pgopt_core_lists_count(&plan->lists, PGOPT_EVENT_WAIT),
        pgopt_core_lists_count(&plan->lists, PGOPT_EVENT_SIGNAL),
        p->bytes_across, report->arena_bytes[i]);
    table_loads(p, text);
  }
  pgopt_text_append(
      text,
      "bound: %.2f us, the larger of the critical path, %.2f us, "
      "and all work, %.2f us, by %" PRId64 "\n",
      microseconds(bound_ns), microseconds(first->critical_path_ns),
      microseconds(first->sequential_ns), report->request->resources);
  pgopt_text_append(text,
                    "memory: bytes of the values between kernels in one "
                    "arena, %" PRId64 " with memory of their own\n",
                    report->values_bytes);
  if (estimates(report))
    pgopt_text_append(text, "kernels without measured Timing: %zu of %zu\n",
                      estimates(report), kernels(report));
  pgopt_text_append(text, "best: %s\n",
                    pgopt_schedule_plans_best(report->plans)->policy->name);
}

static void json_plan(const pgopt_plan_report *report, size_t index,
                      double bound_ns, pgopt_text *text) {
  const pgopt_schedule_plan *plan = &report->plans->plans[index];
  const pgopt_prediction *p = &plan->prediction;
  pgopt_text_append(text, "    {\"policy\": ");
  pgopt_text_append_json(text, plan->policy->name);
  pgopt_text_append(
      text,
      ", \"cores\": %zu, \"makespan_ns\": %.3f, \"of_bound\": %.6f, "
      "\"waits\": %zu, \"signals\": %zu, \"edges_across\": %zu, "
      "\"bytes_across\": %" PRId64 ", \"arena_bytes\": %" PRId64
      ", \"load_ns\": [",
      p->cores, p->makespan_ns, share(p->makespan_ns, bound_ns),
      pgopt_core_lists_count(&plan->lists, PGOPT_EVENT_WAIT),
      pgopt_core_lists_count(&plan->lists, PGOPT_EVENT_SIGNAL), p->edges_across,
      p->bytes_across, report->arena_bytes[index]);
  for (size_t i = 0; i < p->cores; ++i)
    pgopt_text_append(text, "%s%.3f", i ? ", " : "", p->load_ns[i]);
  pgopt_text_append(text, "]}");
}

void pgopt_plan_report_json(const pgopt_plan_report *report, pgopt_text *text) {
  const pgopt_prediction *first = &report->plans->plans[0].prediction;
  const pgopt_sync_costs *sync = &report->request->costs;
  double bound_ns = pgopt_schedule_bound_ns(first, report->request);
  pgopt_text_append(text, "{\n  \"format\": 1,\n  \"network\": ");
  pgopt_text_append_json(text, report->network);
  pgopt_text_append(text, ",\n  \"resources\": {\"kind\": ");
  pgopt_text_append_json(text, report->resources);
  pgopt_text_append(text, ", \"count\": %" PRId64 "},\n  \"distance\": ",
                    report->request->resources);
  pgopt_text_append_json(text, report->distance);
  pgopt_text_append(
      text,
      ",\n  \"latency_ns\": %.3f,\n  \"hop_ns\": %.3f,\n  \"byte_ns\": %.6f,\n"
      "  \"kernels\": %zu,\n  \"estimated\": %zu,\n"
      "  \"sequential_ns\": %.3f,\n  \"critical_path_ns\": %.3f,\n"
      "  \"bound_ns\": %.3f,\n  \"values_bytes\": %" PRId64
      ",\n  \"schedules\": [\n",
      sync->latency_ns, sync->hop_ns, sync->byte_ns, kernels(report),
      estimates(report), first->sequential_ns, first->critical_path_ns,
      bound_ns, report->values_bytes);
  for (size_t i = 0; i < report->plans->count; ++i) {
    json_plan(report, i, bound_ns, text);
    pgopt_text_append(text, i + 1 < report->plans->count ? ",\n" : "\n");
  }
  pgopt_text_append(text, "  ],\n  \"best\": ");
  pgopt_text_append_json(
      text, pgopt_schedule_plans_best(report->plans)->policy->name);
  pgopt_text_append(text, "\n}\n");
}
