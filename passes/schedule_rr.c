/// \file Deals the kernels of each layer round robin over the parallel compute
/// resources, and makes one function a core.
/// Requires: tensors (form-kernels runs first) or kernel calls.
/// Preserves: every kernel call with its attributes, the entry's signature, the
/// place of side effects among the kernels.
#include "ir/ir.h"
#include "ir/schedule_module.h"

#include <string.h>

typedef struct options {
  pgopt_schedule_options schedule;
  const char *weights;
} options;

static const pgopt_option option_table[] = {
    PGOPT_SCHEDULE_OPTIONS(options, schedule),
    {"weights", PGOPT_OPTION_TEXT, offsetof(options, weights), "equal",
     "equal: the next kernel goes to the next resource; timing: to the one "
     "with the least time so far, of several to the next one"},
};

static MlirLogicalResult run(pgopt_pass *pass, MlirOperation module) {
  const options *o = pgopt_pass_options(pass);
  bool is_timed = !strcmp(o->weights, "timing");
  if (!is_timed && strcmp(o->weights, "equal") != 0)
    return pgopt_emit_error(module,
                            "weights is '%s'; it must be equal or "
                            "timing",
                            o->weights);
  return pgopt_schedule_module(
      pass, module, is_timed ? &pgopt_timed_round_robin : &pgopt_round_robin,
      &o->schedule);
}

const pgopt_pass_definition pgopt_schedule_rr = {
    .argument = "schedule-rr",
    .summary =
        "Deal the kernels of each layer round robin over cores, threads or PEs",
    .anchor = "builtin.module",
    .options = option_table,
    .option_count = sizeof option_table / sizeof *option_table,
    .options_size = sizeof(options),
    .statistics = pgopt_schedule_statistic_table,
    .statistic_count = PGOPT_SCHEDULE_STATISTICS,
    .run = run,
};
