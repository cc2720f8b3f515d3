/// \file Profiles a network on tensors: TOSA, linalg, or both.
#include "base/text.h"
#include "grouping/signature.h"
#include "ir/attempt.h"
#include "ir/count_network.h"
#include "ir/fill_elided.h"
#include "ir/form_calls.h"
#include "ir/ir.h"
#include "ir/profile_layers.h"
#include "ir/profile_stage.h"
#include "ir/rooflines.h"

#include <stdlib.h>
#include <string.h>

typedef struct profiler {
  pgopt_pass *pass;
  MlirOperation module, entry;
  const pgopt_profile_options *options;
  pgopt_profile_result *result;
  pgopt_ir_network network;
  pgopt_function_counts counts;
  pgopt_layers layers;
  /// One a layer, null when the trial run had no call of it; null without one.
  const pgopt_trial_kernel **measured;
} profiler;

/// Finds the layers. Counts do not need them: without `measure` a network that
/// cannot be grouped is warned about and has none.
static MlirLogicalResult find_layers(profiler *p) {
  if (p->options->measure)
    return pgopt_find_layers(p->pass, p->module, p->entry, &p->network,
                             p->options->fuse, true, &p->layers);
  pgopt_attempt attempt;
  pgopt_attempt_begin(mlirOperationGetContext(p->module), &attempt);
  MlirLogicalResult found =
      pgopt_find_layers(p->pass, p->module, p->entry, &p->network,
                        p->options->fuse, false, &p->layers);
  pgopt_attempt_end(&attempt);
  if (mlirLogicalResultIsFailure(found)) {
    p->layers.count = 0;
    pgopt_emit(p->entry, PGOPT_WARNING,
               "only operations are counted, kernels cannot be formed: %s",
               pgopt_attempt_message(&attempt));
  }
  pgopt_attempt_free(&attempt);
  return mlirLogicalResultSuccess();
}

/// The key of a layer's Timing is that of the variant its kernel will have.
static void find_variants(profiler *p) {
  for (size_t i = 0; i < p->layers.count && !p->options->ignores_variants;
       ++i) {
    pgopt_layer *layer = &p->layers.layers[i];
    const char *variant = pgopt_timings_variant(
        p->options->timings, p->module, layer->signature, &p->layers.arena);
    if (variant)
      layer->signature =
          pgopt_variant_signature(layer->signature, variant, &p->layers.arena);
  }
}

/// Looks all layers up, so that what the store knows is not measured again.
static bool everything_is_known(const profiler *p) {
  pgopt_timing timing;
  bool known = true;
  for (size_t i = 0; i < p->layers.count; ++i)
    known = pgopt_timings_find(p->options->timings, p->module,
                               p->layers.layers[i].signature, &timing) &&
            known;
  return known;
}

static const pgopt_layer *layer_of_call(const profiler *p, MlirOperation call) {
  MlirStringRef id;
  if (!pgopt_get_text(call, PGOPT_LAYER, &id))
    return NULL;
  for (size_t i = 0; i < p->layers.count; ++i)
    if (pgopt_ref_is(id, p->layers.layers[i].id))
      return &p->layers.layers[i];
  return NULL;
}

static bool is_layer_signature(const profiler *p, const char *signature) {
  for (size_t i = 0; i < p->layers.count; ++i)
    if (!strcmp(p->layers.layers[i].signature, signature))
      return true;
  return false;
}

/// Files each call's time under the signature of its layer. Where a small
/// constant was elided the kernel's function has another one, that of its data:
/// the time is filed under it too, for the stage of kernel calls.
static void keep_times(profiler *p) {
  pgopt_arena *arena = &p->result->arena;
  const pgopt_trial *trial = &p->result->trial;
  pgopt_profile_entry *entries = NULL;
  size_t count = 0, capacity = 0, call_count;
  MlirOperation *calls =
      pgopt_kernel_calls(p->layers.clone, p->layers.entry, &call_count);
  p->measured =
      pgopt_arena_allocate(arena, p->layers.count, sizeof *p->measured);
  for (size_t i = 0; i < call_count; ++i) {
    const pgopt_layer *layer = layer_of_call(p, calls[i]);
    const char *function =
        pgopt_call_signature(p->layers.clone, calls[i], arena);
    if (layer)
      p->measured[layer - p->layers.layers] = &trial->kernels[i];
    if (trial->kernels[i].failure)
      continue;
    pgopt_profile_entry entry = {NULL, trial->kernels[i].time};
    if (layer) {
      entry.signature = layer->signature;
      PGOPT_APPEND(entries, count, capacity, entry);
    }
    if (function && !is_layer_signature(p, function)) {
      entry.signature = function;
      PGOPT_APPEND(entries, count, capacity, entry);
    }
    p->result->measured += layer != NULL;
  }
  pgopt_timings_keep(p->options->timings);
  pgopt_extend_profile(p->module, entries, count);
  pgopt_write_machine(p->module, trial);
  free(entries);
  free(calls);
}

static MlirLogicalResult measure(profiler *p) {
  const pgopt_form_options form = {
      .fuse = p->options->fuse,
      .split = 1,
      .timings = p->options->timings,
      .ignores_variants = p->options->ignores_variants,
      .check_variants = p->options->check_variants};
  pgopt_formed formed;
  if (mlirLogicalResultIsFailure(pgopt_timings_check(p->options->timings)) ||
      mlirLogicalResultIsFailure(
          pgopt_keep_entry_only(p->pass, p->layers.clone, p->layers.entry)) ||
      mlirLogicalResultIsFailure(pgopt_fill_elided(
          p->layers.clone, p->options->request.seed, false, NULL)) ||
      mlirLogicalResultIsFailure(pgopt_form_calls(
          p->pass, p->layers.clone, p->layers.entry, &form, &formed)))
    return mlirLogicalResultFailure();
  p->layers.entry =
      pgopt_module_lookup(p->layers.clone, pgopt_symbol_name(p->entry));
  mlirOperationRemoveFromParent(p->layers.clone);
  if (mlirLogicalResultIsFailure(
          pgopt_measure_program(p->layers.clone, p->layers.entry, p->entry,
                                &p->options->request, &p->result->trial)))
    return mlirLogicalResultFailure();
  p->result->report.trial = &p->result->trial;
  keep_times(p);
  return mlirLogicalResultSuccess();
}

static void write_counts(profiler *p) {
  const pgopt_total *total = &p->counts.total;
  for (size_t i = 0; i < p->network.network.op_count; ++i)
    if (pgopt_op_is_counted(&p->network.network.ops[i]))
      pgopt_write_count(p->network.ops[i], &p->counts.ops[i]);
  pgopt_write_total(p->entry, total);
  pgopt_write_total(p->module, total);
  p->result->unknown = total->unknown;
  p->result->counted = total->counted - total->unknown;
  p->result->report.lflops = total->overflow ? -1 : total->operations;
  p->result->report.contraction = total->contraction;
  p->result->report.unknown_ops = total->unknown;
}

static const pgopt_trial_kernel *measured_kernel(const profiler *p,
                                                 const pgopt_layer *layer) {
  return p->measured ? p->measured[layer - p->layers.layers] : NULL;
}

/// The Timing that a layer has: from pg.profile, or, while the module has no
/// pg.profile, the one that its core op carries; else from the store.
static bool find_timing(const profiler *p, const pgopt_layer *layer,
                        pgopt_timing *timing) {
  const pgopt_trial_kernel *measured = measured_kernel(p, layer);
  if (measured && measured->failure)
    return false;
  bool has_profile = !mlirAttributeIsNull(pgopt_get(p->module, PGOPT_PROFILE));
  return (!has_profile && layer->core >= 0 &&
          pgopt_get_timing(p->network.ops[layer->core], timing)) ||
         pgopt_timings_find(p->options->timings, p->module, layer->signature,
                            timing);
}

static pgopt_report_layer report_layer(profiler *p, const pgopt_layer *layer,
                                       const pgopt_timing *timing) {
  pgopt_arena *arena = &p->result->arena;
  bool known = !*layer->count.unknown;
  pgopt_report_layer row = {
      .layer = pgopt_arena_text(arena, layer->id, strlen(layer->id)),
      .op = pgopt_arena_text(arena, layer->name, strlen(layer->name)),
      .lflops = known ? layer->count.operations : -1,
      .unknown = pgopt_arena_text(arena, layer->count.unknown,
                                  strlen(layer->count.unknown)),
      .bytes = layer->count.bytes,
      .signature =
          pgopt_arena_text(arena, layer->signature, strlen(layer->signature)),
      .is_timed = timing != NULL,
      .source = "",
      .measured = measured_kernel(p, layer)};
  if (timing) {
    row.time = (pgopt_measured){timing->median_ns, timing->min_ns,
                                timing->mad_ns, timing->runs};
    row.source =
        pgopt_arena_text(arena, timing->source, strlen(timing->source));
  }
  pgopt_report_member *members =
      pgopt_arena_allocate(arena, layer->member_count, sizeof *members);
  for (size_t i = 0; i < layer->member_count; ++i) {
    int op = layer->members[i];
    if (op == layer->core)
      continue;
    const char *name = p->network.network.ops[op].name;
    const pgopt_count *count = &p->counts.ops[op];
    members[row.member_count++] = (pgopt_report_member){
        .op = pgopt_arena_text(arena, name, strlen(name)),
        .lflops = *count->unknown ? -1 : count->operations,
        .unknown =
            pgopt_arena_text(arena, count->unknown, strlen(count->unknown))};
  }
  row.members = members;
  return row;
}

/// Writes pg.kernel on members and pg.timing on cores, and fills the report.
static void write_layers(profiler *p) {
  pgopt_profile_result *r = p->result;
  pgopt_report_layer *rows =
      pgopt_arena_allocate(&r->arena, p->layers.count, sizeof *rows);
  pgopt_timing *timings = pgopt_allocate(p->layers.count, sizeof *timings);
  bool *timed = pgopt_allocate(p->layers.count, sizeof *timed);
  pgopt_kernel_work *works = pgopt_allocate(p->layers.count, sizeof *works);
  for (size_t g = 0; g < p->layers.count; ++g)
    timed[g] = find_timing(p, &p->layers.layers[g], &timings[g]);
  if (p->layers.count)
    for (size_t i = 0; i < p->network.network.op_count; ++i) {
      pgopt_remove(p->network.ops[i], PGOPT_KERNEL);
      pgopt_remove(p->network.ops[i], PGOPT_TIMING);
    }
  for (size_t g = 0; g < p->layers.count; ++g) {
    const pgopt_layer *layer = &p->layers.layers[g];
    for (size_t i = 0; i < layer->member_count; ++i)
      pgopt_set_text(p->network.ops[layer->members[i]], PGOPT_KERNEL,
                     layer->id);
    if (timed[g] && layer->core >= 0)
      pgopt_set_timing(p->network.ops[layer->core], &timings[g]);
    pgopt_report_failure(layer->core >= 0 ? p->network.ops[layer->core]
                                          : p->entry,
                         layer->id, timed[g], measured_kernel(p, layer));
    rows[g] = report_layer(p, layer, timed[g] ? &timings[g] : NULL);
    works[g] = layer->work;
    r->without_timing += !timed[g];
  }
  pgopt_fill_rooflines(p->module, works, rows, p->layers.count);
  free(works);
  r->layers = (int64_t)p->layers.count;
  r->looked_up = r->layers - r->without_timing - r->measured;
  r->report.layers = rows;
  r->report.layer_count = p->layers.count;
  free(timed);
  free(timings);
}

static void fill_report(profiler *p) {
  pgopt_report *report = &p->result->report;
  MlirStringRef name = pgopt_symbol_name(p->entry);
  report->network = pgopt_arena_text(&p->result->arena, name.data, name.length);
  char *cpu = pgopt_read_machine(p->module, &report->peak_gflops);
  report->cpu = pgopt_arena_text(&p->result->arena, cpu, strlen(cpu));
  free(cpu);
}

MlirLogicalResult pgopt_profile_tensors(pgopt_pass *pass, MlirOperation module,
                                        MlirOperation entry,
                                        const pgopt_profile_options *options,
                                        pgopt_profile_result *result) {
  profiler p = {.pass = pass,
                .module = module,
                .entry = entry,
                .options = options,
                .result = result};
  *result = (pgopt_profile_result){0};
  if (mlirLogicalResultIsFailure(pgopt_read_network(entry, &p.network)))
    return mlirLogicalResultFailure();
  pgopt_count_function(module, &p.network, &p.counts);
  MlirLogicalResult status = find_layers(&p);
  find_variants(&p);
  if (mlirLogicalResultIsSuccess(status) && options->measure &&
      !everything_is_known(&p))
    status = measure(&p);
  if (mlirLogicalResultIsSuccess(status)) {
    write_counts(&p);
    write_layers(&p);
    fill_report(&p);
  }
  pgopt_layers_free(&p.layers);
  pgopt_function_counts_free(&p.counts);
  pgopt_ir_network_free(&p.network);
  return status;
}

/// The operations of `layer`, in the report's form: those that carry its name.
static void list_carriers(profiler *p, MlirStringRef layer, size_t core,
                          pgopt_report_layer *row) {
  const pgopt_network *network = &p->network.network;
  pgopt_report_member *members = pgopt_arena_allocate(
      &p->result->arena, network->op_count, sizeof *members);
  for (size_t i = 0; i < network->op_count; ++i) {
    MlirStringRef name;
    if (i == core || !pgopt_get_text(p->network.ops[i], PGOPT_KERNEL, &name) ||
        !mlirStringRefEqual(name, layer))
      continue;
    const pgopt_count *count = &p->counts.ops[i];
    members[row->member_count++] = (pgopt_report_member){
        .op = pgopt_arena_text(&p->result->arena, network->ops[i].name,
                               strlen(network->ops[i].name)),
        .lflops = *count->unknown ? -1 : count->operations,
        .unknown = pgopt_arena_text(&p->result->arena, count->unknown,
                                    strlen(count->unknown))};
    if (row->lflops >= 0 && members[row->member_count - 1].lflops >= 0)
      row->lflops += members[row->member_count - 1].lflops;
  }
  row->members = members;
}

/// The layers of a network on memrefs are those that were found on tensors: an
/// operation that still carries its Timing, and those with the same kernel.
static void report_carried(profiler *p) {
  pgopt_profile_result *r = p->result;
  const pgopt_network *network = &p->network.network;
  pgopt_report_layer *rows =
      pgopt_arena_allocate(&r->arena, network->op_count, sizeof *rows);
  size_t count = 0;
  for (size_t i = 0; i < network->op_count; ++i) {
    pgopt_timing timing;
    MlirStringRef layer;
    if (!pgopt_get_timing(p->network.ops[i], &timing) ||
        !pgopt_get_text(p->network.ops[i], PGOPT_KERNEL, &layer))
      continue;
    const pgopt_count *op_count = &p->counts.ops[i];
    pgopt_report_layer *row = &rows[count++];
    *row = (pgopt_report_layer){
        .layer = pgopt_arena_text(&r->arena, layer.data, layer.length),
        .op = pgopt_arena_text(&r->arena, network->ops[i].name,
                               strlen(network->ops[i].name)),
        .lflops = *op_count->unknown ? -1 : op_count->operations,
        .unknown = pgopt_arena_text(&r->arena, op_count->unknown,
                                    strlen(op_count->unknown)),
        .bytes = -1,
        .signature = "",
        .is_timed = true,
        .time = {timing.median_ns, timing.min_ns, timing.mad_ns, timing.runs},
        .source =
            pgopt_arena_text(&r->arena, timing.source, strlen(timing.source))};
    list_carriers(p, layer, i, row);
  }
  r->layers = r->looked_up = (int64_t)count;
  r->report.layers = rows;
  r->report.layer_count = count;
}

MlirLogicalResult pgopt_profile_buffers(MlirOperation module,
                                        MlirOperation entry,
                                        pgopt_profile_result *result) {
  profiler p = {.module = module, .entry = entry, .result = result};
  *result = (pgopt_profile_result){0};
  if (mlirLogicalResultIsFailure(pgopt_read_network(entry, &p.network)))
    return mlirLogicalResultFailure();
  pgopt_count_function(module, &p.network, &p.counts);
  write_counts(&p);
  report_carried(&p);
  fill_report(&p);
  pgopt_function_counts_free(&p.counts);
  pgopt_ir_network_free(&p.network);
  return mlirLogicalResultSuccess();
}

void pgopt_report_failure(MlirOperation op, const char *layer, bool is_timed,
                          const pgopt_trial_kernel *kernel) {
  if (is_timed)
    pgopt_remove(op, PGOPT_TIMING_UNKNOWN);
  if (is_timed || !kernel || !kernel->failure)
    return;
  pgopt_set_text(op, PGOPT_TIMING_UNKNOWN, kernel->failure);
  pgopt_emit(op, PGOPT_WARNING, "layer '%s' has no time: %s", layer,
             kernel->failure);
}

void pgopt_profile_result_free(pgopt_profile_result *result) {
  pgopt_trial_free(&result->trial);
  pgopt_arena_free(&result->arena);
  *result = (pgopt_profile_result){0};
}
