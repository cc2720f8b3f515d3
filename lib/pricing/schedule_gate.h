/// \file The gate: the best predicted of all schedules is taken when a trial
/// run shows that it is faster than the sequential program.
#ifndef PGOPT_PRICING_SCHEDULE_GATE_H
#define PGOPT_PRICING_SCHEDULE_GATE_H

#include "ir/measure_program.h"
#include "ir/schedule_module.h"

typedef struct pgopt_gate_options {
  pgopt_schedule_options schedule;
  bool confirms; ///< by a trial run, unless the store has its verdict
  pgopt_measure_request request;
} pgopt_gate_options;

/// Plans by every policy and applies the plan with the least predicted
/// makespan, unless it is the sequential program's or is not faster than that
/// when both are run in turn; then the sequential program. A remark at the
/// entry tells the reason. The verdict goes to the store, under what the
/// kernels are, and where and in which order they run.
///
/// With the distance "both" a schedule that is kept, made for near cores, gets
/// the sequential program beside it, and the entry chooses when it is called:
/// the schedule where a signal between cores takes no longer than the time at
/// which both are predicted to take equally long, its launch included.
///
/// \param sequential a module, nested in nothing, whose entry of the same name
/// is
///   the sequential program, of kernel calls: it is run against the schedule,
///   and where it is kept, its content moves to `module`, beside the other's
///   or in its place. Null: `module` as it
///   is without a schedule. Stays the caller's.
/// \returns failure after one error; so when the trial run is interrupted.
MlirLogicalResult pgopt_schedule_gate(pgopt_pass *pass, MlirOperation module,
                                      MlirOperation sequential,
                                      const pgopt_gate_options *options);

#endif // PGOPT_PRICING_SCHEDULE_GATE_H
