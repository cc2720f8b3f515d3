/// \file Deals the kernels of each layer round robin over the parallel compute
/// resources, and makes one function a core.
/// Requires: tensors (form-kernels runs first) or kernel calls.
/// Preserves: every kernel call with its attributes, the entry's signature, the
/// place of side effects among the kernels.
#include "ir/schedule_module.h"

static const pgopt_option option_table[] = {
    {"entry", PGOPT_OPTION_TEXT, offsetof(pgopt_schedule_options, entry), "",
     "the network's function; empty: the only public one with tensors or "
     "memrefs"},
    {"resources", PGOPT_OPTION_TEXT,
     offsetof(pgopt_schedule_options, resources), "",
     "cores, threads or pes; empty: what pg.resources says, else cores"},
    {"count", PGOPT_OPTION_TEXT, offsetof(pgopt_schedule_options, count),
     "auto",
     "how many resources, 1 to 4096; auto: what pg.resources says, else the "
     "physical cores (threads: logical CPUs) that this process may use, but no "
     "more than kernels can run at once"},
    {"outline", PGOPT_OPTION_BOOL, offsetof(pgopt_schedule_options, outline),
     "true", "make one function a core; false: only pg.core and pg.slot"},
    {"check", PGOPT_OPTION_BOOL, offsetof(pgopt_schedule_options, check),
     "false",
     "prove from the written IR that every order is kept; debug builds always "
     "do"},
    PGOPT_STORE_OPTIONS(pgopt_schedule_options, store),
};

static const pgopt_statistic statistic_table[] = {
    [PGOPT_SCHEDULED_KERNELS] = {"kernels", "kernel calls dealt"},
    [PGOPT_SCHEDULED_BARRIERS] = {"barriers",
                                  "side effects between kernels, on core 0"},
    [PGOPT_SCHEDULED_CORES] = {"cores", "cores with something to do"},
    [PGOPT_SCHEDULED_WAITS] = {"waits", "waits inserted"},
    [PGOPT_SCHEDULED_SIGNALS] = {"signals", "signals inserted"},
    [PGOPT_SCHEDULED_EDGES_ACROSS] = {"edges-across",
                                      "dependencies between cores"},
    [PGOPT_SCHEDULED_BYTES_ACROSS] = {"bytes-across",
                                      "bytes read on another core than wrote "
                                      "them"},
};

static MlirLogicalResult run(pgopt_pass *pass, MlirOperation module) {
  return pgopt_schedule_module(pass, module, &pgopt_round_robin,
                               pgopt_pass_options(pass));
}

const pgopt_pass_definition pgopt_schedule_rr = {
    .argument = "schedule-rr",
    .summary = "Deal the kernels of each layer round robin over cores, threads "
               "or PEs",
    .anchor = "builtin.module",
    .options = option_table,
    .option_count = sizeof option_table / sizeof *option_table,
    .options_size = sizeof(pgopt_schedule_options),
    .statistics = statistic_table,
    .statistic_count = sizeof statistic_table / sizeof *statistic_table,
    .run = run,
};
