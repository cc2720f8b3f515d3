/// \file What every schedule pass counts.
#include "ir/schedule_module.h"

const pgopt_statistic
    pgopt_schedule_statistic_table[PGOPT_SCHEDULE_STATISTICS] = {
        [PGOPT_SCHEDULED_KERNELS] = {"kernels", "kernel calls dealt"},
        [PGOPT_SCHEDULED_COPIES] =
            {"kernels-copied",
             "kernel calls made on another core as well, to spare waits"},
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
