/// \file The best predicted schedule of all policies, when a trial run shows
/// that it is faster than the sequential program; else the sequential program.
/// Makes one function a core. Requires: tensors (form-kernels runs first) or
/// kernel calls. Preserves: every kernel call with its attributes, the entry's
/// signature, the place of side effects among the kernels.
#include "ir/ir.h"
#include "pricing/schedule_gate.h"

typedef struct options {
  pgopt_schedule_options schedule;
  bool confirm;
  const char *budget;
  const char *run_limit;
  const char *libraries;
  int64_t seed;
} options;

static const pgopt_option option_table[] = {
    PGOPT_SCHEDULE_OPTIONS(options, schedule),
    {"confirm", PGOPT_OPTION_BOOL, offsetof(options, confirm), "true",
     "run the schedule and the sequential program in turn, and keep the "
     "schedule only when it is faster, unless the store has the verdict; "
     "false: run nothing, the prediction decides where the store does not"},
    {"budget", PGOPT_OPTION_TEXT, offsetof(options, budget), "3s",
     "time for these runs, as 10s or 500ms; 9 of each are made at least"},
    {"run-limit", PGOPT_OPTION_TEXT, offsetof(options, run_limit), "30s",
     "a run that takes longer, as 10s or 500ms, ends the comparison"},
    {"shared-libs", PGOPT_OPTION_TEXT, offsetof(options, libraries), "",
     "libraries that the runs need, separated by commas"},
    {"seed", PGOPT_OPTION_I64, offsetof(options, seed), "0",
     "seed of random inputs"},
};

static MlirLogicalResult run(pgopt_pass *pass, MlirOperation module) {
  const options *o = pgopt_pass_options(pass);
  pgopt_gate_options gate = {.schedule = o->schedule,
                             .confirms = o->confirm,
                             .request = {.seed = o->seed,
                                         .inputs = "",
                                         .libraries = o->libraries,
                                         .keep_program = ""}};
  pgopt_error error = {0};
  if (pgopt_parse_duration(o->budget, &gate.request.budget_ms, &error))
    return pgopt_emit_error(module, "budget: %s", error.message);
  if (pgopt_parse_duration(o->run_limit, &gate.request.kernel_limit_ms, &error))
    return pgopt_emit_error(module, "run-limit: %s", error.message);
  return pgopt_schedule_gate(pass, module, (MlirOperation){NULL}, &gate);
}

const pgopt_pass_definition pgopt_schedule_auto = {
    .argument = "schedule-auto",
    .summary = "Take the best schedule, unless the sequential program is as "
               "fast",
    .anchor = "builtin.module",
    .options = option_table,
    .option_count = sizeof option_table / sizeof *option_table,
    .options_size = sizeof(options),
    .statistics = pgopt_schedule_statistic_table,
    .statistic_count = PGOPT_SCHEDULE_STATISTICS,
    .run = run,
};
