/// \file Gives every kernel the core where it can begin first, by Timing and
/// what waiting for another core costs, and makes one function a core.
/// Requires: tensors (form-kernels runs first) or kernel calls.
/// Preserves: every kernel call with its attributes, the entry's signature, the
/// place of side effects among the kernels.
#include "ir/schedule_module.h"

typedef struct options {
  pgopt_schedule_options schedule;
} options;

static const pgopt_option option_table[] = {
    PGOPT_SCHEDULE_OPTIONS(options, schedule),
};

static MlirLogicalResult run(pgopt_pass *pass, MlirOperation module) {
  const options *o = pgopt_pass_options(pass);
  return pgopt_schedule_module(pass, module, &pgopt_list_schedule,
                               &o->schedule);
}

const pgopt_pass_definition pgopt_schedule_list_pass = {
    .argument = "schedule-list",
    .summary =
        "Put kernels on cores by critical path, Timing and the cost of waiting",
    .anchor = "builtin.module",
    .options = option_table,
    .option_count = sizeof option_table / sizeof *option_table,
    .options_size = sizeof(options),
    .statistics = pgopt_schedule_statistic_table,
    .statistic_count = PGOPT_SCHEDULE_STATISTICS,
    .run = run,
};
