/// \file What a run of kernel calls should be like: when each begins and ends
/// by the profile's times, and which waits for which.
#ifndef PGOPT_RUNNER_EXPECTED_RUN_H
#define PGOPT_RUNNER_EXPECTED_RUN_H

#include "mlir-c/IR.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct expected_call {
  int64_t core, slot;
  double begin_ns, end_ns; ///< from the begin of the run
} expected_call;

/// `to` reads what `from` wrote, on another core; indices of calls.
typedef struct expected_flow {
  size_t from, to;
  int64_t bytes;
} expected_flow;

typedef struct expected_run {
  expected_call *calls; ///< sorted by core and slot
  size_t call_count;
  expected_flow *flows;
  size_t flow_count;
  bool has_times; ///< the times of calls rest on Timing, all of them
} expected_run;

/// Reads a module of kernel calls, scheduled or not. A call of a sequential
/// program is on core 0, its slot the number of kernel calls in front of it.
/// \returns empty without a message when the module cannot be read so.
expected_run read_expected_run(MlirOperation module, MlirOperation entry);
void free_expected_run(expected_run *run);

/// Null when there is none in this place.
const expected_call *find_expected_call(const expected_run *run, int64_t core,
                                        int64_t slot);

#endif // PGOPT_RUNNER_EXPECTED_RUN_H
