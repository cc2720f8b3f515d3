/// \file Profiles a network of kernel calls.
#include "base/checked_math.h"
#include "ir/ir.h"
#include "ir/profile_stage.h"
#include "ir/rooflines.h"
#include "ir/symbol_index.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct profiler {
  pgopt_pass *pass;
  MlirOperation module, entry;
  const pgopt_profile_options *options;
  pgopt_profile_result *result;
  MlirOperation *calls;
  const char **signatures; ///< one a call, null when it has none
  size_t count;
} profiler;

/// A Timing that was measured for this very call, or is on file for it.
static bool find_timing(const profiler *p, size_t call, pgopt_timing *timing) {
  if (pgopt_get_timing(p->calls[call], timing) &&
      strcmp(timing->source, "derived"))
    return true;
  return p->signatures[call] &&
         pgopt_timings_find(p->options->timings, p->module, p->signatures[call],
                            timing);
}

static MlirLogicalResult measure(profiler *p) {
  if (mlirLogicalResultIsFailure(pgopt_timings_check(p->options->timings)))
    return mlirLogicalResultFailure();
  MlirOperation program = mlirOperationClone(p->module);
  MlirOperation entry =
      pgopt_module_lookup(program, pgopt_symbol_name(p->entry));
  MlirLogicalResult status = pgopt_measure_program(
      program, entry, p->entry, &p->options->request, &p->result->trial);
  mlirOperationDestroy(program);
  if (mlirLogicalResultIsFailure(status))
    return status;
  p->result->report.trial = &p->result->trial;
  pgopt_profile_entry *entries = pgopt_allocate(p->count, sizeof *entries);
  size_t count = 0;
  for (size_t i = 0; i < p->count; ++i)
    if (p->signatures[i] && !p->result->trial.kernels[i].failure)
      entries[count++] = (pgopt_profile_entry){
          p->signatures[i], p->result->trial.kernels[i].time};
  pgopt_timings_keep(p->options->timings);
  pgopt_extend_profile(p->module, entries, count);
  pgopt_write_machine(p->module, &p->result->trial);
  p->result->measured = (int64_t)count;
  free(entries);
  return status;
}

/// Sums the calls' Lflops onto entry and module. How much of them is in
/// contractions was counted on tensors, and stays as it is.
static void write_totals(profiler *p) {
  pgopt_profile_result *r = p->result;
  int64_t sum = 0;
  bool fits = true;
  for (size_t i = 0; i < p->count; ++i) {
    int64_t lflops;
    if (!pgopt_get_i64(p->calls[i], PGOPT_LFLOPS, &lflops)) {
      ++r->unknown;
      continue;
    }
    ++r->counted;
    fits = fits && pgopt_checked_add(sum, lflops, &sum);
  }
  char text[64];
  snprintf(text, sizeof text, "%" PRId64 " %s", r->unknown,
           r->unknown == 1 ? "operation" : "operations");
  const MlirOperation holders[] = {p->entry, p->module};
  for (size_t i = 0; i < 2; ++i) {
    pgopt_remove(holders[i], fits ? PGOPT_LFLOPS_UNKNOWN : PGOPT_LFLOPS);
    if (fits)
      pgopt_set_i64(holders[i], PGOPT_LFLOPS, sum);
    if (!fits || r->unknown)
      pgopt_set_text(holders[i], PGOPT_LFLOPS_UNKNOWN,
                     fits ? text : "overflow");
  }
  r->report.lflops = fits ? sum : -1;
  r->report.contraction = -1;
  pgopt_get_i64(p->module, PGOPT_LFLOPS_CONTRACTION, &r->report.contraction);
  r->report.unknown_ops = r->unknown;
}

static const char *copy_ref(pgopt_arena *arena, MlirStringRef text) {
  return pgopt_arena_text(arena, text.data, text.length);
}

/// The layer of a call, with the part where there are several.
static const char *call_layer(pgopt_arena *arena, MlirOperation call) {
  MlirStringRef layer, phase;
  int64_t part = 0, parts = 1;
  if (!pgopt_get_text(call, PGOPT_LAYER, &layer))
    return "";
  if (!pgopt_get_text(call, PGOPT_PHASE, &phase) || pgopt_ref_is(phase, "main"))
    phase = (MlirStringRef){"", 0};
  const char *name = pgopt_arena_format(arena, "%.*s%s%.*s", (int)layer.length,
                                        layer.data, phase.length ? " " : "",
                                        (int)phase.length, phase.data);
  if (!pgopt_get_i64(call, PGOPT_PARTS, &parts) || parts == 1 ||
      !pgopt_get_i64(call, PGOPT_PART, &part))
    return name;
  return pgopt_arena_format(arena, "%s %" PRId64 "/%" PRId64, name, part + 1,
                            parts);
}

static bool has_failed(const pgopt_profile_result *result, size_t call) {
  return result->report.trial && result->trial.kernels[call].failure;
}

static MlirLogicalResult write_calls(profiler *p) {
  pgopt_profile_result *r = p->result;
  pgopt_report_layer *rows =
      pgopt_arena_allocate(&r->arena, p->count, sizeof *rows);
  pgopt_kernel_work *works = pgopt_allocate(p->count, sizeof *works);
  pgopt_symbol_index symbols = pgopt_symbol_index_create(p->module);
  MlirLogicalResult status = mlirLogicalResultSuccess();
  for (size_t i = 0; i < p->count; ++i) {
    MlirOperation call = p->calls[i];
    pgopt_timing timing;
    MlirStringRef unknown;
    bool has_reason = pgopt_get_text(call, PGOPT_LFLOPS_UNKNOWN, &unknown);
    if (has_failed(r, i))
      pgopt_remove(call, PGOPT_TIMING);
    else if (find_timing(p, i, &timing))
      pgopt_set_timing(call, &timing);
    rows[i] = (pgopt_report_layer){
        .layer = call_layer(&r->arena, call),
        .op = pgopt_arena_format(&r->arena, "@%.*s",
                                 (int)pgopt_callee(call).length,
                                 pgopt_callee(call).data),
        .lflops = -1,
        .unknown = has_reason ? copy_ref(&r->arena, unknown) : "",
        .bytes = -1,
        .signature = p->signatures[i] ? p->signatures[i] : "",
        .is_timed = pgopt_get_timing(call, &timing),
        .source = "",
        .measured = r->report.trial ? &r->trial.kernels[i] : NULL};
    pgopt_report_failure(call, rows[i].layer, rows[i].is_timed,
                         rows[i].measured);
    pgopt_get_i64(call, PGOPT_LFLOPS, &rows[i].lflops);
    pgopt_get_i64(call, PGOPT_BYTES, &rows[i].bytes);
    if (mlirLogicalResultIsSuccess(status))
      status = pgopt_call_work(
          call, p->entry, pgopt_symbol_index_resolve(&symbols, call, "callee"),
          &works[i]);
    r->without_timing += !rows[i].is_timed;
    if (!rows[i].is_timed)
      continue;
    rows[i].time = (pgopt_measured){timing.median_ns, timing.min_ns,
                                    timing.mad_ns, timing.runs};
    rows[i].source =
        pgopt_arena_text(&r->arena, timing.source, strlen(timing.source));
  }
  pgopt_fill_rooflines(p->module, works, rows, p->count);
  pgopt_symbol_index_free(&symbols);
  free(works);
  r->layers = (int64_t)p->count;
  r->looked_up = r->layers - r->without_timing - r->measured;
  r->report.layers = rows;
  r->report.layer_count = p->count;
  return status;
}

MlirLogicalResult pgopt_profile_calls(pgopt_pass *pass, MlirOperation module,
                                      MlirOperation entry,
                                      const pgopt_profile_options *options,
                                      pgopt_profile_result *result) {
  profiler p = {.pass = pass,
                .module = module,
                .entry = entry,
                .options = options,
                .result = result};
  *result = (pgopt_profile_result){0};
  p.calls = pgopt_kernel_calls(module, entry, &p.count);
  p.signatures = pgopt_allocate(p.count, sizeof *p.signatures);
  bool known = true;
  for (size_t i = 0; i < p.count; ++i) {
    pgopt_timing timing;
    p.signatures[i] = pgopt_call_signature(module, p.calls[i], &result->arena);
    known = find_timing(&p, i, &timing) && known;
  }
  MlirLogicalResult status = mlirLogicalResultSuccess();
  if (options->measure && !known)
    status = measure(&p);
  if (mlirLogicalResultIsSuccess(status)) {
    write_totals(&p);
    status = write_calls(&p);
    result->report.network = copy_ref(&result->arena, pgopt_symbol_name(entry));
    char *cpu = pgopt_read_machine(module, &result->report.peak_gflops);
    result->report.cpu = pgopt_arena_text(&result->arena, cpu, strlen(cpu));
    free(cpu);
  }
  free(p.signatures);
  free(p.calls);
  return status;
}
