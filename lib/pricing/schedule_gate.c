/// \file The gate in front of schedules.
///
/// Predictions choose the candidate, a trial run decides: what a schedule costs
/// beyond its kernels' Timing (caches, a busy machine, cores far apart) is seen
/// by running it. The verdict is filed as a choice between two candidates, the
/// sequential program first.
#include "pricing/schedule_gate.h"

#include "base/hash.h"
#include "ir/ir.h"
#include "ir/join_modules.h"
#include "ir/resources.h"
#include "ir/schedule_choice.h"
#include "ir/symbol_names.h"
#include "kernels/verdict.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/// A signal between cores never takes longer than this.
#define MOST_LATENCY_NS 1e6

typedef struct gate {
  pgopt_pass *pass;
  MlirOperation module, sequential; ///< the latter may be null
  pgopt_gate_options options;
  bool keeps_both;  ///< the schedule for near cores and the sequential program
  int64_t limit_ns; ///< of the latency: they are predicted to take equally long
  pgopt_scheduling scheduling;
  pgopt_schedule_plans plans;
  const pgopt_schedule_plan *best;
  double sequential_ns; ///< predicted
  pgopt_text name;      ///< of the best plan: "list on 2 cores"
  pgopt_text reason;
} gate;

/// What is known of the best plan against the sequential program.
typedef struct verdict {
  bool is_known, is_faster;
  double ratio, p_value;
  int64_t runs;
} verdict;

static MlirOperation entry_of(const gate *g) {
  return g->scheduling.program.entry;
}

/// Adds what the kernel calls of a module compute. \returns false when one has
/// no signature.
static bool hash_calls(MlirOperation module, MlirOperation entry,
                       pgopt_hash *hash) {
  size_t count;
  bool known = true;
  pgopt_arena arena = {0};
  MlirOperation *calls = pgopt_kernel_calls(module, entry, &count);
  pgopt_hash_i64(hash, (int64_t)count);
  for (size_t i = 0; i < count && known; ++i) {
    const char *signature = pgopt_call_signature(module, calls[i], &arena);
    known = signature != NULL;
    if (known)
      pgopt_hash_text(hash, signature);
  }
  free(calls);
  pgopt_arena_free(&arena);
  return known;
}

/// The key of the verdict in the store; false when kernels have no signatures.
static bool sign(const gate *g, char *key, size_t size) {
  pgopt_hash hash = pgopt_hash_begin("schedule");
  const pgopt_schedule *schedule = &g->best->schedule;
  if (!hash_calls(g->module, entry_of(g), &hash))
    return false;
  if (!mlirOperationIsNull(g->sequential) &&
      !hash_calls(
          g->sequential,
          pgopt_module_lookup(g->sequential, pgopt_symbol_name(entry_of(g))),
          &hash))
    return false;
  for (size_t i = 0; i < schedule->node_count; ++i) {
    pgopt_hash_i64(&hash, (int64_t)schedule->order[i]);
    pgopt_hash_i64(&hash, schedule->core[i]);
  }
  for (size_t i = 0; i < g->best->copies.count; ++i) {
    const pgopt_kernel_copy *copy = &g->best->copies.items[i];
    pgopt_hash_i64(&hash, (int64_t)copy->node);
    for (size_t u = 0; u < copy->user_count; ++u)
      pgopt_hash_i64(&hash, (int64_t)copy->users[u]);
  }
  snprintf(key, size, "schedule-%016" PRIx64 "%016" PRIx64, hash.high,
           hash.low);
  return true;
}

static verdict read_verdict(const pgopt_timings *timings, const char *key) {
  const pgopt_store_choice *choice = pgopt_verdict_find(timings, key, 2);
  if (!choice)
    return (verdict){0};
  const pgopt_store_candidate *c = &choice->candidates[1];
  return (verdict){.is_known = true,
                   .is_faster = choice->chosen == 1,
                   .ratio = (double)c->ratio_ppm / 1e6,
                   .p_value = (double)c->chance_ppm / 1e6,
                   .runs = c->runs};
}

static void file_verdict(const gate *g, pgopt_timings *timings, const char *key,
                         const pgopt_trial_pair *pair) {
  const pgopt_candidate_result results[] = {
      {pair->second, {.ratio = 1, .p_value = 1}}, {pair->first, pair->pairing}};
  const pgopt_store_candidate candidates[] = {
      pgopt_measured_candidate(pgopt_sequential.name, &results[0],
                               (size_t)pair->runs),
      pgopt_measured_candidate(g->name.data, &results[1], (size_t)pair->runs)};
  pgopt_verdict_file(timings, key, candidates, 2, pair->pairing.a_is_faster);
}

/// Runs the best plan and the sequential program in turn.
static MlirLogicalResult measure(gate *g, pgopt_trial_pair *pair) {
  bool has_copy = !mlirOperationIsNull(g->sequential);
  const MlirOperation programs[] = {
      mlirOperationClone(g->module),
      mlirOperationClone(has_copy ? g->sequential : g->module)};
  MlirLogicalResult result =
      pgopt_scheduling_apply_to(programs[0], &g->scheduling, g->best);
  if (mlirLogicalResultIsSuccess(result))
    result =
        pgopt_measure_pair(programs, entry_of(g), &g->options.request, pair);
  for (int i = 0; i < 2; ++i)
    mlirOperationDestroy(programs[i]);
  return result;
}

static void tell_distance(gate *g, const pgopt_trial_pair *pair) {
  pgopt_text_append(&g->reason,
                    "; a signal took %.0f to %.0f ns before the runs, %.0f to "
                    "%.0f ns after them",
                    pair->before_ns[0], pair->before_ns[1], pair->after_ns[0],
                    pair->after_ns[1]);
}

/// What a signal took at least, all through the runs.
static double least_latency(const pgopt_trial_pair *pair) {
  return pair->before_ns[0] < pair->after_ns[0] ? pair->before_ns[0]
                                                : pair->after_ns[0];
}

static MlirLogicalResult confirm(gate *g, pgopt_timings *timings,
                                 const char *key, verdict *v) {
  pgopt_trial_pair pair;
  if (mlirLogicalResultIsFailure(pgopt_timings_check(timings)) ||
      mlirLogicalResultIsFailure(measure(g, &pair)))
    return mlirLogicalResultFailure();
  if (pair.is_interrupted)
    return pgopt_emit_error(entry_of(g),
                            "interrupted; the network is not scheduled");
  if (*pair.failure || pair.runs < PGOPT_PAIRED_RUNS) {
    pgopt_text_append(&g->reason, "could not be compared: %s",
                      *pair.failure ? pair.failure : "too few runs");
    return mlirLogicalResultSuccess();
  }
  *v = (verdict){.is_known = true,
                 .is_faster = pair.pairing.a_is_faster,
                 .ratio = pair.pairing.ratio,
                 .p_value = pair.pairing.p_value,
                 .runs = pair.runs};
  pgopt_text_append(&g->reason,
                    "measured %.2f us against %.2f us, %.3f of it, p = %.2g, "
                    "%" PRId64 " pairs of runs",
                    (double)pair.first.median_ns / 1e3,
                    (double)pair.second.median_ns / 1e3, v->ratio, v->p_value,
                    v->runs);
  tell_distance(g, &pair);
  if (g->keeps_both && least_latency(&pair) > (double)g->limit_ns) {
    // Such cores are the sequential program's; it stays beside the schedule.
    pgopt_text_append(&g->reason, ", too long to judge it");
    v->is_faster = true;
    return mlirLogicalResultSuccess();
  }
  if (key)
    file_verdict(g, timings, key, &pair);
  return mlirLogicalResultSuccess();
}

/// PEs are not of this machine.
static MlirLogicalResult can_run(const gate *g, bool *can) {
  pgopt_resources resources;
  const pgopt_schedule_options *o = &g->options.schedule;
  MlirLogicalResult result =
      pgopt_resolve_resources(g->module, o->resources, o->count, &resources);
  *can =
      mlirLogicalResultIsSuccess(result) && strcmp(resources.kind, "pes") != 0;
  return result;
}

/// Whether the best plan, which is predicted to be faster, is kept.
static MlirLogicalResult judge(gate *g, bool *keeps) {
  pgopt_timings *timings;
  char key[64];
  bool can, is_signed = sign(g, key, sizeof key);
  *keeps = false;
  if (mlirLogicalResultIsFailure(can_run(g, &can)) ||
      mlirLogicalResultIsFailure(
          pgopt_timings_open(g->module, &g->options.schedule.store, &timings)))
    return mlirLogicalResultFailure();
  MlirLogicalResult status = mlirLogicalResultSuccess();
  verdict v = is_signed ? read_verdict(timings, key) : (verdict){0};
  if (v.is_known) {
    pgopt_text_append(&g->reason,
                      "measured before, %.3f of it, p = %.2g, %" PRId64
                      " pairs of runs",
                      v.ratio, v.p_value, v.runs);
  } else if (g->options.confirms && can) {
    status = confirm(g, timings, is_signed ? key : NULL, &v);
  } else {
    v.is_faster = true;
    pgopt_text_append(&g->reason, "not measured");
  }
  *keeps = v.is_faster;
  return pgopt_timings_close(timings, status);
}

/// Gives the module the content and the attributes of another one.
static void replace_content(MlirOperation module, MlirOperation by) {
  MlirBlock body = pgopt_module_body(module), source = pgopt_module_body(by);
  for (MlirOperation op = mlirBlockGetFirstOperation(body);
       !mlirOperationIsNull(op); op = mlirBlockGetFirstOperation(body))
    mlirOperationDestroy(op);
  while (mlirOperationGetNumAttributes(module))
    mlirOperationRemoveAttributeByName(
        module, mlirIdentifierStr(mlirOperationGetAttribute(module, 0).name));
  for (intptr_t i = 0; i < mlirOperationGetNumAttributes(by); ++i) {
    MlirNamedAttribute attribute = mlirOperationGetAttribute(by, i);
    mlirOperationSetAttributeByName(module, mlirIdentifierStr(attribute.name),
                                    attribute.attribute);
  }
  for (MlirOperation op = mlirBlockGetFirstOperation(source);
       !mlirOperationIsNull(op); op = mlirBlockGetFirstOperation(source)) {
    mlirOperationRemoveFromParent(op);
    mlirBlockAppendOwnedOperation(body, op);
  }
}

/// What the sequential program is predicted to take.
static MlirLogicalResult predict_sequential(gate *g) {
  g->sequential_ns = g->plans.plans[0].prediction.makespan_ns;
  if (mlirOperationIsNull(g->sequential))
    return mlirLogicalResultSuccess();
  pgopt_call_program program;
  MlirOperation entry =
      pgopt_module_lookup(g->sequential, pgopt_symbol_name(entry_of(g)));
  if (mlirLogicalResultIsFailure(
          pgopt_read_calls(g->sequential, entry, &program)))
    return mlirLogicalResultFailure();
  pgopt_node_costs costs = pgopt_node_costs_create(program.graph);
  g->sequential_ns = 0;
  for (size_t i = 0; i < program.graph->node_count; ++i)
    g->sequential_ns += costs.ns[i];
  pgopt_node_costs_free(&costs);
  pgopt_call_program_free(&program);
  return mlirLogicalResultSuccess();
}

/// Plans by every policy, and finds the best plan.
static MlirLogicalResult plan(gate *g) {
  pgopt_error error = {0};
  const pgopt_scheduling *s = &g->scheduling;
  if (pgopt_schedule_plans_create(s->program.graph, &s->request, &s->costs,
                                  &g->plans, &error) != PGOPT_OK)
    return pgopt_emit_error(entry_of(g), "no schedule: %s", error.message);
  g->best = pgopt_schedule_plans_best(&g->plans);
  size_t cores = g->best->prediction.cores;
  pgopt_text_append(&g->name, "%s on %zu core%s", g->best->policy->name, cores,
                    cores == 1 ? "" : "s");
  return predict_sequential(g);
}

/// The best plan's makespan with signals that take so long.
static MlirLogicalResult predict_at(const gate *g, double latency_ns,
                                    double *makespan_ns) {
  pgopt_error error = {0};
  pgopt_prediction prediction;
  const pgopt_profile_graph *graph =
      g->best->graph ? g->best->graph : g->scheduling.program.graph;
  pgopt_node_costs costs = pgopt_node_costs_create(graph);
  pgopt_sync_costs sync = g->scheduling.request.costs;
  sync.latency_ns = latency_ns;
  pgopt_status status =
      pgopt_predict(graph, &g->best->schedule, &g->best->lists, &costs, &sync,
                    &prediction, &error);
  pgopt_node_costs_free(&costs);
  if (status != PGOPT_OK)
    return pgopt_emit_error(entry_of(g), "no prediction: %s", error.message);
  *makespan_ns = prediction.makespan_ns;
  pgopt_prediction_free(&prediction);
  return mlirLogicalResultSuccess();
}

/// Finds the latency up to which the best plan is predicted to be faster, when
/// what a launch adds counts: a signal to begin, and one at the end. Its
/// makespan only grows with it: halving finds the place.
static MlirLogicalResult find_limit(gate *g) {
  double low = g->scheduling.request.costs.latency_ns, high = MOST_LATENCY_NS;
  while (high - low > 1) {
    double middle = (low + high) / 2, makespan_ns = 0;
    if (mlirLogicalResultIsFailure(predict_at(g, middle, &makespan_ns)))
      return mlirLogicalResultFailure();
    if (makespan_ns + 2 * middle < g->sequential_ns)
      low = middle;
    else
      high = middle;
  }
  g->limit_ns = (int64_t)low;
  return mlirLogicalResultSuccess();
}

static void tell_decision(const gate *g, bool keeps) {
  char kept[96] = "kept";
  if (g->keeps_both)
    snprintf(kept, sizeof kept,
             "kept beside the sequential program, for signals of at most "
             "%" PRId64 " ns",
             g->limit_ns);
  pgopt_emit(entry_of(g), PGOPT_REMARK,
             "%s%s, predicted %.2f us against %.2f us sequential, %s: %s",
             keeps ? "" : "sequential, not ", g->name.data,
             g->best->prediction.makespan_ns / 1e3, g->sequential_ns / 1e3,
             g->reason.data, keeps ? kept : "not faster");
}

static MlirLogicalResult decide(gate *g, bool *keeps) {
  double best_ns = g->best->prediction.makespan_ns;
  *keeps = false;
  if (!g->scheduling.kernels)
    return mlirLogicalResultSuccess();
  if (g->best->prediction.cores < 2 || best_ns >= g->sequential_ns) {
    int64_t resources = g->scheduling.request.resources;
    pgopt_emit(entry_of(g), PGOPT_REMARK,
               "sequential, predicted %.2f us: no schedule on %" PRId64
               " core%s is predicted to be faster",
               g->sequential_ns / 1e3, resources, resources == 1 ? "" : "s");
    return mlirLogicalResultSuccess();
  }
  if ((g->keeps_both && mlirLogicalResultIsFailure(find_limit(g))) ||
      mlirLogicalResultIsFailure(judge(g, keeps)))
    return mlirLogicalResultFailure();
  tell_decision(g, *keeps);
  return mlirLogicalResultSuccess();
}

/// The sequential program instead of the schedule.
static MlirLogicalResult apply_sequential(gate *g) {
  pgopt_schedule_options options = g->options.schedule;
  if (mlirOperationIsNull(g->sequential))
    return pgopt_scheduling_apply(g->pass, &g->scheduling, &g->plans.plans[0],
                                  &options);
  // Its pg.resources count.
  options.count = "auto";
  pgopt_scheduling_close(&g->scheduling);
  replace_content(g->module, g->sequential);
  return pgopt_schedule_module(g->pass, g->module, &pgopt_sequential, &options);
}

static void rename_entry(MlirOperation function, const char *name) {
  MlirContext context = mlirOperationGetContext(function);
  mlirOperationSetAttributeByName(function, pgopt_ref("sym_name"),
                                  pgopt_text_attribute(context, name));
  mlirOperationSetAttributeByName(function, pgopt_ref("sym_visibility"),
                                  pgopt_text_attribute(context, "private"));
}

/// Makes the sequential program a function of the module beside its entry.
static MlirOperation add_sequential(gate *g, const char *entry,
                                    const char *name) {
  MlirOperation function;
  if (mlirOperationIsNull(g->sequential)) {
    function = pgopt_add_copy(g->module, entry_of(g), name);
  } else {
    function = pgopt_module_lookup(g->sequential, pgopt_ref(entry));
    pgopt_join_modules(g->module, g->sequential, function, name);
  }
  rename_entry(function, name);
  return function;
}

/// Both programs, and an entry that chooses.
static MlirLogicalResult apply_both(gate *g) {
  pgopt_arena arena = {0};
  pgopt_symbol_names names = pgopt_symbol_names_create(g->module);
  char *entry = pgopt_ref_duplicate(pgopt_symbol_name(entry_of(g)));
  char *near = pgopt_symbol_names_make(
      &names, pgopt_arena_format(&arena, "%s_near", entry));
  char *alone = pgopt_symbol_names_make(
      &names, pgopt_arena_format(&arena, "%s_sequential", entry));
  rename_entry(entry_of(g), near);
  MlirOperation sequential = add_sequential(g, entry, alone);
  pgopt_schedule_options options = g->options.schedule;
  options.entry = alone;
  options.count = "auto"; // as pg.resources has it
  MlirLogicalResult result = pgopt_scheduling_apply(
      g->pass, &g->scheduling, g->best, &g->options.schedule);
  if (mlirLogicalResultIsSuccess(result))
    result =
        pgopt_schedule_module(g->pass, g->module, &pgopt_sequential, &options);
  if (mlirLogicalResultIsSuccess(result))
    result = pgopt_build_choice(g->module, entry_of(g), sequential, entry,
                                g->limit_ns);
  free(alone);
  free(near);
  free(entry);
  pgopt_symbol_names_free(&names);
  pgopt_arena_free(&arena);
  return result;
}

static MlirLogicalResult run(gate *g) {
  bool keeps;
  if (g->keeps_both && !g->options.schedule.outline)
    return pgopt_emit_error(g->module, "distance=both keeps two schedules in "
                                       "functions of their own; outline=false "
                                       "makes none");
  if (mlirLogicalResultIsFailure(pgopt_scheduling_open(
          g->pass, g->module, &g->options.schedule, &g->scheduling)) ||
      mlirLogicalResultIsFailure(plan(g)) ||
      mlirLogicalResultIsFailure(decide(g, &keeps)))
    return mlirLogicalResultFailure();
  if (!keeps)
    return apply_sequential(g);
  return g->keeps_both ? apply_both(g)
                       : pgopt_scheduling_apply(g->pass, &g->scheduling,
                                                g->best, &g->options.schedule);
}

MlirLogicalResult pgopt_schedule_gate(pgopt_pass *pass, MlirOperation module,
                                      MlirOperation sequential,
                                      const pgopt_gate_options *options) {
  gate g = {.pass = pass,
            .module = module,
            .sequential = sequential,
            .options = *options,
            .keeps_both = !strcmp(options->schedule.distance, "both")};
  if (g.keeps_both)
    g.options.schedule.distance = "near";
  MlirLogicalResult status = run(&g);
  pgopt_schedule_plans_free(&g.plans);
  pgopt_scheduling_close(&g.scheduling);
  pgopt_text_free(&g.name);
  pgopt_text_free(&g.reason);
  return status;
}
