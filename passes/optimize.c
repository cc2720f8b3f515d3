/// \file `--pgopt-optimize`: from a network on tensors to one that runs, by all
/// stages in their order.
/// Requires: a network on tensors. Preserves: what its stages preserve.
#include "base/text.h"
#include "ir/bind_shapes.h"
#include "ir/entry.h"
#include "ir/ir.h"
#include "ir/resources.h"
#include "ir/timings.h"
#include "kernels/kernel_settings.h"
#include "passes/passes.h"
#include "pricing/schedule_gate.h"

#include <string.h>

typedef struct options {
  const char *entry;
  const char *shapes;
  const char *mode;
  const char *budget;
  const char *variants;
  const char *libraries;
  const char *strategy;
  const char *layout;
  const char *trace;
  const char *parameters;
  const char *resources;
  const char *count;
  const char *distance;
  const char *report;
  const char *report_output;
  const char *fill_elided;
  int64_t seed;
  pgopt_kernel_settings settings;
  pgopt_store_options store;
} options;

/// An option goes to all stages that have one of its name; empty, to none.
static const pgopt_option option_table[] = {
    {"entry", PGOPT_OPTION_TEXT, offsetof(options, entry), "",
     "the network's function; default: the only public one with tensors"},
    {"shapes", PGOPT_OPTION_TEXT, offsetof(options, shapes), "",
     "shapes of arguments with dynamic dimensions as arg0:1x3x224x224, "
     "separated by commas"},
    {"mode", PGOPT_OPTION_TEXT, offsetof(options, mode), "measure",
     "measure runs the kernels whose Timing is not known, static runs nothing: "
     "it counts and looks Timing up"},
    {"budget", PGOPT_OPTION_TEXT, offsetof(options, budget), "",
     "time for each stage that measures, as 10s or 500ms; default: the "
     "stage's own"},
    {"variants", PGOPT_OPTION_TEXT, offsetof(options, variants), "",
     "how kernels are computed: stored as was chosen before, model as the "
     "model expects to be fastest, measure runs the candidates; default: "
     "stored"},
    {"shared-libs", PGOPT_OPTION_TEXT, offsetof(options, libraries), "",
     "libraries that trial runs need, separated by commas"},
    {"strategy", PGOPT_OPTION_TEXT, offsetof(options, strategy), "",
     "how layout-search chooses layouts; default: its own"},
    {"layout", PGOPT_OPTION_TEXT, offsetof(options, layout), "",
     "layout of images with strategy=fixed"},
    {"trace", PGOPT_OPTION_TEXT, offsetof(options, trace), "",
     "file for the decisions of layout-search as JSON"},
    {"parameters", PGOPT_OPTION_TEXT, offsetof(options, parameters), "",
     "safetensors file that constants above 64 KiB are moved into; without it "
     "they stay in the module"},
    {"resources", PGOPT_OPTION_TEXT, offsetof(options, resources), "",
     "cores, threads or pes; empty: what pg.resources says, else cores"},
    {"count", PGOPT_OPTION_TEXT, offsetof(options, count), "auto",
     "how many resources, 1 to 4096; auto: the physical cores (threads: "
     "logical "
     "CPUs) that this process may use; 1: the sequential program"},
    {"distance", PGOPT_OPTION_TEXT, offsetof(options, distance), "far",
     "between cores: far, the longest ever seen on the machine, near, the "
     "shortest, or both: two schedules in one entry, as in schedule-auto"},
    {"report", PGOPT_OPTION_TEXT, offsetof(options, report), "table",
     "form of the report on the kernels as they are scheduled: table, json or "
     "none"},
    {"report-output", PGOPT_OPTION_TEXT, offsetof(options, report_output), "",
     "file for the report; default: the standard error stream"},
    {"fill-elided", PGOPT_OPTION_TEXT, offsetof(options, fill_elided), "seed",
     "elided constants: seed fills them, error refuses them"},
    {"seed", PGOPT_OPTION_I64, offsetof(options, seed), "0",
     "seed of random inputs and of elided constants"},
    PGOPT_KERNEL_SETTINGS(options, settings),
    PGOPT_STORE_OPTIONS(options, store),
};

enum { OPTION_COUNT = sizeof option_table / sizeof *option_table };

/// The way of a network, up to its schedule. Profiles measure what is not known
/// yet: kernels, those with other layouts, parts of kernels.
static const struct {
  const pgopt_pass_definition *pass;
  bool reports;
} stages[] = {
    {&pgopt_transpose_elim, false}, {&pgopt_einsum_raise, false},
    {&pgopt_profile, false},        {&pgopt_layout_search, false},
    {&pgopt_transpose_elim, false}, {&pgopt_profile, false},
    {&pgopt_form_kernels, false},   {&pgopt_profile, true},
};

enum {
  STAGES = sizeof stages / sizeof *stages,
  FORMING = STAGES - 2, ///< the stage from which kernels have parts
};

static bool has_option(const pgopt_pass_definition *pass, const char *name) {
  for (size_t i = 0; i < pass->option_count; ++i)
    if (!strcmp(pass->options[i].name, name))
      return true;
  return false;
}

static void append_value(pgopt_text *text, const pgopt_option *option,
                         const options *o) {
  const char *field = (const char *)o + option->offset;
  const char *value;
  int64_t number;
  switch (option->kind) {
  case PGOPT_OPTION_BOOL:
    pgopt_text_append(text, " %s=%s", option->name,
                      *(const bool *)field ? "true" : "false");
    break;
  case PGOPT_OPTION_I64:
    memcpy(&number, field, sizeof number);
    pgopt_text_append(text, " %s=%lld", option->name, (long long)number);
    break;
  case PGOPT_OPTION_TEXT:
    memcpy(&value, field, sizeof value);
    if (*value)
      pgopt_text_append(text, " %s={%s}", option->name, value);
    break;
  }
}

static void append_stage(pgopt_text *text, size_t stage, bool reports,
                         const options *o) {
  const pgopt_pass_definition *pass = stages[stage].pass;
  pgopt_text_append(text, "%s{", pass->argument);
  if (pass == &pgopt_profile && !reports)
    pgopt_text_append(text, "report=none");
  if (pass == &pgopt_layout_search && !strcmp(o->mode, "static"))
    pgopt_text_append(text, "prices=stored confirm=false");
  for (size_t i = 0; i < OPTION_COUNT; ++i) {
    const pgopt_option *option = &option_table[i];
    bool is_report = !strncmp(option->name, "report", strlen("report"));
    // Shapes are bound in front of all stages.
    if (has_option(pass, option->name) && strcmp(option->name, "shapes") &&
        (reports || !is_report))
      append_value(text, option, o);
  }
  pgopt_text_append(text, "}");
}

/// Runs the stages from `first` to before `end` on the module, or on one nested
/// in it.
static MlirLogicalResult run_stages(pgopt_pass *pass, MlirOperation module,
                                    size_t first, size_t end, bool reports,
                                    const options *o) {
  pgopt_text text = {0};
  for (size_t i = first; i < end; ++i) {
    pgopt_text_append(&text, i > first ? "," : "builtin.module(");
    append_stage(&text, i, reports && stages[i].reports, o);
  }
  pgopt_text_append(&text, ")");
  MlirLogicalResult result = pgopt_pass_run_pipeline(pass, text.data, module);
  pgopt_text_free(&text);
  return result;
}

/// The sequential program: of whole kernels, which are faster on one core than
/// their parts one after the other. \param[out] sequential nested in nothing.
static MlirLogicalResult form_sequential(pgopt_pass *pass, MlirOperation module,
                                         const options *o,
                                         MlirOperation *sequential) {
  pgopt_resources resources;
  *sequential = pgopt_nest_copy(module);
  MlirLogicalResult result =
      pgopt_resolve_resources(*sequential, o->resources, "1", &resources);
  if (mlirLogicalResultIsSuccess(result)) {
    pgopt_write_resources(*sequential, &resources);
    result = run_stages(pass, *sequential, FORMING, STAGES, false, o);
  }
  mlirOperationRemoveFromParent(*sequential);
  return result;
}

/// Both forms name the same file of parameters, or none.
static bool has_equal_parameters(MlirOperation module, MlirOperation other) {
  MlirAttribute own = pgopt_get(module, PGOPT_PARAMETERS);
  MlirAttribute others = pgopt_get(other, PGOPT_PARAMETERS);
  return mlirAttributeIsNull(own) ? mlirAttributeIsNull(others)
                                  : mlirAttributeEqual(own, others);
}

/// Ends in the schedule; one resource has only one.
static MlirLogicalResult schedule(pgopt_pass *pass, MlirOperation module,
                                  MlirOperation sequential, const options *o) {
  pgopt_error error = {0};
  pgopt_gate_options gate = {
      .schedule = {.entry = o->entry,
                   .resources = o->resources,
                   .count = "auto", // pg.resources says it
                   .distance = o->distance,
                   .outline = true,
                   .store = o->store},
      .confirms = strcmp(o->mode, "static") != 0,
      .request = {.budget_ms = 3000,
                  .seed = o->seed,
                  .inputs = "",
                  .libraries = o->libraries,
                  .keep_program = "",
                  .kernel_limit_ms = 30000}};
  if (*o->budget &&
      pgopt_parse_duration(o->budget, &gate.request.budget_ms, &error))
    return pgopt_emit_error(module, "budget: %s", error.message);
  if (mlirOperationIsNull(sequential))
    return pgopt_schedule_module(pass, module, &pgopt_sequential,
                                 &gate.schedule);
  if (!has_equal_parameters(module, sequential))
    return pgopt_schedule_gate(pass, module, (MlirOperation){NULL}, &gate);
  return pgopt_schedule_gate(pass, module, sequential, &gate);
}

static MlirLogicalResult run(pgopt_pass *pass, MlirOperation module) {
  const options *o = pgopt_pass_options(pass);
  MlirOperation entry, sequential = {NULL};
  pgopt_resources resources;
  if (mlirLogicalResultIsFailure(pgopt_find_entry(module, o->entry, &entry)) ||
      mlirLogicalResultIsFailure(
          pgopt_resolve_resources(module, o->resources, o->count, &resources)))
    return mlirLogicalResultFailure();
  if (pgopt_stage_of(entry) != PGOPT_STAGE_TENSORS)
    return pgopt_emit_error(entry, "is not on tensors any more; pgopt-optimize "
                                   "starts from the network as it was before");
  // form-kernels cuts layers into as many ranges as there are resources.
  pgopt_write_resources(module, &resources);
  options stage_options = *o;
  if (!strcmp(o->distance, "both"))
    stage_options.distance = "near";
  if (mlirLogicalResultIsFailure(
          pgopt_bind_shapes(pass, module, entry, o->shapes)) ||
      mlirLogicalResultIsFailure(
          run_stages(pass, module, 0, FORMING, false, &stage_options)))
    return mlirLogicalResultFailure();
  MlirLogicalResult result = mlirLogicalResultSuccess();
  if (resources.count > 1)
    result = form_sequential(pass, module, &stage_options, &sequential);
  if (mlirLogicalResultIsSuccess(result))
    result = run_stages(pass, module, FORMING, STAGES, true, &stage_options);
  if (mlirLogicalResultIsSuccess(result))
    result = schedule(pass, module, sequential, o);
  if (!mlirOperationIsNull(sequential))
    mlirOperationDestroy(sequential);
  return result;
}

const pgopt_pass_definition pgopt_optimize = {
    .argument = "pgopt-optimize",
    .summary = "Take a network on tensors through all stages, to a program "
               "that runs",
    .anchor = "builtin.module",
    .options = option_table,
    .option_count = OPTION_COUNT,
    .options_size = sizeof(options),
    .run = run,
};
