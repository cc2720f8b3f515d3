/// \file Writes every layer's amount of computation and its measured time into
/// the network, and reports both.
/// Requires: a network on tensors, or kernel calls. Preserves: everything but
/// pg attributes.
#include "ir/bind_shapes.h"
#include "ir/entry.h"
#include "ir/ir.h"
#include "ir/profile_stage.h"
#include "kernels/choose_variants.h"
#include "kernels/kernel_settings.h"
#include "passes/passes.h"
#include "profile/contained.h"

#include <string.h>

typedef struct options {
  const char *entry;
  const char *mode;
  const char *budget;
  const char *kernel_limit;
  const char *memory_limit;
  int64_t seed;
  const char *inputs;
  const char *libraries;
  const char *shapes;
  const char *fuse;
  const char *variants;
  bool confirm;
  const char *report;
  const char *report_output;
  const char *keep_program;
  pgopt_kernel_settings settings;
  pgopt_store_options store;
} options;

static const pgopt_option option_table[] = {
    {"entry", PGOPT_OPTION_TEXT, offsetof(options, entry), "",
     "the network's function; default: the only public one with tensors"},
    {"mode", PGOPT_OPTION_TEXT, offsetof(options, mode), "measure",
     "measure runs the kernels whose Timing is not known, static only counts "
     "and looks Timing up"},
    {"budget", PGOPT_OPTION_TEXT, offsetof(options, budget), "10s",
     "time that the trial run may take, as 10s or 500ms; it measures at least "
     "once"},
    {"kernel-limit", PGOPT_OPTION_TEXT, offsetof(options, kernel_limit), "10s",
     "a kernel that takes longer, as 10s or 500ms, is left out of the trial "
     "run"},
    {"memory-limit", PGOPT_OPTION_TEXT, offsetof(options, memory_limit), "",
     "memory for the trial run, as 512MiB; default: what is free"},
    {"seed", PGOPT_OPTION_I64, offsetof(options, seed), "0",
     "seed of random inputs and of elided constants"},
    {"inputs", PGOPT_OPTION_TEXT, offsetof(options, inputs), "",
     "inputs of the trial run as 0:file.npy, separated by commas; the others "
     "are random"},
    {"shared-libs", PGOPT_OPTION_TEXT, offsetof(options, libraries), "",
     "libraries that the trial run needs, for functions the network calls, "
     "separated by commas"},
    {"shapes", PGOPT_OPTION_TEXT, offsetof(options, shapes), "",
     "shapes of arguments with dynamic dimensions as arg0:1x3x224x224, "
     "separated by commas; they stay bound"},
    {"fuse", PGOPT_OPTION_TEXT, offsetof(options, fuse), "auto",
     "auto groups operations into kernels, none makes each its own"},
    {"variants", PGOPT_OPTION_TEXT, offsetof(options, variants), "stored",
     "how kernels are computed: stored as was chosen before, model as the "
     "model "
     "expects to be fastest, measure runs the candidates of kernels without a "
     "choice first"},
    {"confirm", PGOPT_OPTION_BOOL, offsetof(options, confirm), "true",
     "variants=measure: run the network in the variants that were chosen "
     "against the model's, and keep these unless it is faster"},
    {"report", PGOPT_OPTION_TEXT, offsetof(options, report), "table",
     "form of the report: table, json or none"},
    {"report-output", PGOPT_OPTION_TEXT, offsetof(options, report_output), "",
     "file for the report; default: the standard error stream"},
    {"keep-program", PGOPT_OPTION_TEXT, offsetof(options, keep_program), "",
     "file for the program that the trial run ran"},
    PGOPT_KERNEL_SETTINGS(options, settings),
    PGOPT_STORE_OPTIONS(options, store),
};

enum {
  COUNTED,
  UNKNOWN,
  LAYERS,
  MEASURED,
  LOOKED_UP,
  WITHOUT_TIMING,
  VARIANTS_MEASURED,
  VARIANTS_CHANGED
};

static const pgopt_statistic statistic_table[] = {
    {"counted", "operations whose amount of computation is known"},
    {"unknown", "operations whose amount of computation is not known"},
    {"layers", "layers, or kernel calls"},
    {"layers-measured", "layers measured now"},
    {"layers-looked-up", "layers whose Timing was known"},
    {"layers-without-timing", "layers without a Timing"},
    {"variants-measured", "variants of kernels that were measured now"},
    {"variants-changed",
     "kernels of these that are computed otherwise than the model would"},
};

/// True when the option is `first`; one error when it is neither word.
static MlirLogicalResult read_word(MlirOperation module, const char *name,
                                   const char *value, const char *first,
                                   const char *second, bool *is_first) {
  *is_first = !strcmp(value, first);
  if (*is_first || !strcmp(value, second))
    return mlirLogicalResultSuccess();
  return pgopt_emit_error(module, "%s is '%s'; it must be %s or %s", name,
                          value, first, second);
}

static MlirLogicalResult read_options(MlirOperation module, const options *o,
                                      pgopt_profile_options *read) {
  pgopt_error error = {0};
  *read = (pgopt_profile_options){.request = {.seed = o->seed,
                                              .inputs = o->inputs,
                                              .libraries = o->libraries,
                                              .keep_program = o->keep_program}};
  if (mlirLogicalResultIsFailure(read_word(module, "mode", o->mode, "measure",
                                           "static", &read->measure)) ||
      mlirLogicalResultIsFailure(
          read_word(module, "fuse", o->fuse, "auto", "none", &read->fuse)))
    return mlirLogicalResultFailure();
  if (strcmp(o->variants, "stored") && strcmp(o->variants, "model") &&
      strcmp(o->variants, "measure"))
    return pgopt_emit_error(
        module, "variants is '%s'; it must be stored, model or measure",
        o->variants);
  read->ignores_variants = !strcmp(o->variants, "model");
  read->check_variants = pgopt_check_variants;
  if (strcmp(o->report, "table") && strcmp(o->report, "json") &&
      strcmp(o->report, "none"))
    return pgopt_emit_error(
        module, "report is '%s'; it must be table, json or none", o->report);
  if (pgopt_parse_duration(o->budget, &read->request.budget_ms, &error))
    return pgopt_emit_error(module, "budget: %s", error.message);
  if (pgopt_parse_duration(o->kernel_limit, &read->request.kernel_limit_ms,
                           &error))
    return pgopt_emit_error(module, "kernel-limit: %s", error.message);
  if (*o->memory_limit &&
      pgopt_parse_bytes(o->memory_limit, &read->request.memory_bytes, &error))
    return pgopt_emit_error(module, "memory-limit: %s", error.message);
  return mlirLogicalResultSuccess();
}

static MlirLogicalResult write_report(MlirOperation module, const options *o,
                                      const pgopt_report *report) {
  pgopt_text text = {0};
  pgopt_error error = {0};
  if (!strcmp(o->report, "none"))
    return mlirLogicalResultSuccess();
  if (!strcmp(o->report, "json"))
    pgopt_report_json(report, &text);
  else
    pgopt_report_table(report, &text);
  pgopt_status status = pgopt_report_write(&text, o->report_output, &error);
  pgopt_text_free(&text);
  return status ? pgopt_emit_error(module, "report-output: %s", error.message)
                : mlirLogicalResultSuccess();
}

/// Tells whether the network is faster in the variants that were chosen.
static void remark_variants(MlirOperation entry, const pgopt_chosen *chosen) {
  if (chosen->is_confirmed)
    pgopt_emit(entry, PGOPT_REMARK,
               "variants: the network takes %.3f times as long in those that "
               "were measured to be faster as in the model's, p = %.2g: %s",
               chosen->ratio, chosen->p_value,
               chosen->is_kept ? "they are taken" : "the model's are kept");
}

/// Measures variants before anything else.
static MlirLogicalResult choose_variants(pgopt_pass *pass, MlirOperation module,
                                         MlirOperation entry, const options *o,
                                         const pgopt_profile_options *read,
                                         pgopt_chosen *chosen) {
  pgopt_choose_options choose = {.fuse = read->fuse,
                                 .request = read->request,
                                 .timings = read->timings,
                                 .confirms = o->confirm};
  pgopt_stage stage = pgopt_stage_of(entry);
  *chosen = (pgopt_chosen){0};
  if (strcmp(o->variants, "measure") || !read->measure ||
      (stage != PGOPT_STAGE_TENSORS && stage != PGOPT_STAGE_CALLS))
    return mlirLogicalResultSuccess();
  if (mlirLogicalResultIsFailure(pgopt_kernel_target(module, &choose.target)))
    return mlirLogicalResultFailure();
  choose.request.keep_program = "";
  MlirLogicalResult status =
      pgopt_choose_variants(pass, module, entry, &choose, chosen);
  remark_variants(entry, chosen);
  pgopt_pass_count(pass, VARIANTS_MEASURED, chosen->candidates);
  pgopt_pass_count(pass, VARIANTS_CHANGED, chosen->changed);
  return status;
}

static MlirLogicalResult profile_stage(pgopt_pass *pass, MlirOperation module,
                                       MlirOperation entry,
                                       const pgopt_profile_options *read,
                                       pgopt_profile_result *result) {
  switch (pgopt_stage_of(entry)) {
  case PGOPT_STAGE_TENSORS:
    return pgopt_profile_tensors(pass, module, entry, read, result);
  case PGOPT_STAGE_CALLS:
    return pgopt_profile_calls(pass, module, entry, read, result);
  case PGOPT_STAGE_BUFFERS:
    if (!read->measure)
      return pgopt_profile_buffers(module, entry, result);
    *result = (pgopt_profile_result){0};
    return pgopt_emit_error(entry, "the network is on memrefs: its kernels "
                                   "cannot be formed and measured; mode=static "
                                   "counts its operations");
  case PGOPT_STAGE_CORES:
  case PGOPT_STAGE_CHOICE:
  case PGOPT_STAGE_LOWERED:
    break;
  }
  *result = (pgopt_profile_result){0};
  return pgopt_emit_error(entry, "the network is scheduled or lowered already; "
                                 "it can be profiled before that");
}

static MlirLogicalResult run(pgopt_pass *pass, MlirOperation module) {
  const options *o = pgopt_pass_options(pass);
  pgopt_profile_options read;
  pgopt_profile_result result;
  MlirOperation entry;
  if (mlirLogicalResultIsFailure(read_options(module, o, &read)) ||
      mlirLogicalResultIsFailure(
          pgopt_kernel_settings_keep(module, &o->settings)) ||
      mlirLogicalResultIsFailure(pgopt_find_entry(module, o->entry, &entry)) ||
      mlirLogicalResultIsFailure(
          pgopt_bind_shapes(pass, module, entry, o->shapes)) ||
      mlirLogicalResultIsFailure(
          pgopt_timings_open(module, &o->store, &read.timings)))
    return mlirLogicalResultFailure();
  bool has_store = read.timings != NULL;
  pgopt_chosen chosen;
  MlirLogicalResult status =
      choose_variants(pass, module, entry, o, &read, &chosen);
  if (mlirLogicalResultIsFailure(status) || chosen.is_interrupted) {
    status = pgopt_timings_close(read.timings, status);
    return mlirLogicalResultIsFailure(status)
               ? status
               : pgopt_emit_error(entry,
                                  "interrupted after %lld measured runs of the "
                                  "variants%s",
                                  (long long)chosen.runs,
                                  has_store ? "; the store has what they show"
                                            : "");
  }
  status = pgopt_timings_close(
      read.timings, profile_stage(pass, module, entry, &read, &result));
  if (mlirLogicalResultIsSuccess(status)) {
    pgopt_pass_count(pass, COUNTED, result.counted);
    pgopt_pass_count(pass, UNKNOWN, result.unknown);
    pgopt_pass_count(pass, LAYERS, result.layers);
    pgopt_pass_count(pass, MEASURED, result.measured);
    pgopt_pass_count(pass, LOOKED_UP, result.looked_up);
    pgopt_pass_count(pass, WITHOUT_TIMING, result.without_timing);
    status = write_report(module, o, &result.report);
    if (mlirLogicalResultIsSuccess(status) && result.trial.is_interrupted)
      status = pgopt_emit_error(entry,
                                "interrupted after %lld measured runs, whose "
                                "Timing is in the report%s",
                                (long long)result.trial.instrumented.time.runs,
                                has_store ? " and the store" : "");
  }
  pgopt_profile_result_free(&result);
  return status;
}

const pgopt_pass_definition pgopt_profile = {
    .argument = "profile",
    .summary = "Write every layer's operations and its measured time into the "
               "network, and report them",
    .anchor = "builtin.module",
    .options = option_table,
    .option_count = sizeof option_table / sizeof *option_table,
    .options_size = sizeof(options),
    .statistics = statistic_table,
    .statistic_count = sizeof statistic_table / sizeof *statistic_table,
    .run = run,
};
