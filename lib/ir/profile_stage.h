/// \file Profiling a network at each stage that has kernels: on tensors, where
/// layers are groups of ops, and as kernel calls.
#ifndef PGOPT_IR_PROFILE_STAGE_H
#define PGOPT_IR_PROFILE_STAGE_H

#include "bridge/bridge.h"
#include "ir/measure_program.h"
#include "ir/timings.h"
#include "profile/report.h"

typedef struct pgopt_profile_options {
  bool measure; ///< what `pg.profile` does not know
  bool fuse;
  pgopt_measure_request request;
  pgopt_timings *timings; ///< the store, or null
  bool ignores_variants;  ///< as of pgopt_form_options
  MlirLogicalResult (*check_variants)(pgopt_pass *pass, MlirOperation module,
                                      MlirOperation entry);
} pgopt_profile_options;

typedef struct pgopt_profile_result {
  pgopt_arena arena; ///< owns what the report borrows
  pgopt_report report;
  pgopt_trial trial;
  int64_t counted, unknown; ///< ops whose count is known, and not
  int64_t layers, measured, looked_up, without_timing;
} pgopt_profile_result;

/// Counts the ops of the entry, finds its layers, measures those whose Timing
/// is wanted and not known, and writes pg.lflops, pg.bytes, pg.kernel and
/// pg.timing on the ops, totals on entry and module, pg.profile and pg.machine
/// on the module. Without `measure` a network that cannot be grouped gets its
/// counts and a warning. \param[out] result freed with
/// `pgopt_profile_result_free`, also after a
///   failure.
/// \returns failure after one error.
MlirLogicalResult pgopt_profile_tensors(pgopt_pass *pass, MlirOperation module,
                                        MlirOperation entry,
                                        const pgopt_profile_options *options,
                                        pgopt_profile_result *result);

/// Counts the ops of a network that others have bufferized. Its layers are
/// those that it had on tensors and whose Timing its ops still carry.
MlirLogicalResult pgopt_profile_buffers(MlirOperation module,
                                        MlirOperation entry,
                                        pgopt_profile_result *result);

/// The same at the stage of kernel calls: sums what the calls carry, and writes
/// pg.timing on those whose Timing is not measured yet.
MlirLogicalResult pgopt_profile_calls(pgopt_pass *pass, MlirOperation module,
                                      MlirOperation entry,
                                      const pgopt_profile_options *options,
                                      pgopt_profile_result *result);

/// Says of a layer that could not be measured, at the op that would carry its
/// Timing: a warning, and the reason as `pg.timing_unknown`. Takes the
/// attribute away from one that has a Timing. \param kernel its call in the
/// trial run; null when there was none.
void pgopt_report_failure(MlirOperation op, const char *layer, bool is_timed,
                          const pgopt_trial_kernel *kernel);

void pgopt_profile_result_free(pgopt_profile_result *result);

#endif // PGOPT_IR_PROFILE_STAGE_H
