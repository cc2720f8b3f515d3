/// \file What every schedule pass can be told and what it counts.
#include "ir/schedule_module.h"

const pgopt_option pgopt_schedule_option_table[PGOPT_SCHEDULE_OPTIONS] = {
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

const pgopt_statistic
    pgopt_schedule_statistic_table[PGOPT_SCHEDULE_STATISTICS] = {
        [PGOPT_SCHEDULED_KERNELS] = {"kernels", "kernel calls dealt"},
        [PGOPT_SCHEDULED_BARRIERS] =
            {"barriers", "side effects between kernels, on core 0"},
        [PGOPT_SCHEDULED_CORES] = {"cores", "cores with something to do"},
        [PGOPT_SCHEDULED_WAITS] = {"waits", "waits inserted"},
        [PGOPT_SCHEDULED_SIGNALS] = {"signals", "signals inserted"},
        [PGOPT_SCHEDULED_EDGES_ACROSS] = {"edges-across",
                                          "dependencies between cores"},
        [PGOPT_SCHEDULED_BYTES_ACROSS] =
            {"bytes-across", "bytes read on another core than wrote "
                             "them"},
};
