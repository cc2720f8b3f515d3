/// \file Trial runs of a module of kernel calls, and what they leave on a
/// module: `pg.profile` and `pg.machine`.
#ifndef PGOPT_IR_MEASURE_PROGRAM_H
#define PGOPT_IR_MEASURE_PROGRAM_H

#include "bridge/bridge.h"
#include "dialect_c/attributes.h"
#include "profile/trial_pair.h"

typedef struct pgopt_measure_request {
  int64_t budget_ms;
  int64_t seed;
  const char *inputs;       ///< "0:a.npy,1:b.npy", or ""
  const char *libraries;    ///< that the program needs: "a.so,b.so", or ""
  const char *keep_program; ///< file for the program's text, or ""
  int64_t kernel_limit_ms;  ///< a kernel that takes longer is left out
  int64_t memory_bytes;     ///< for the trial run; 0: what is free
  bool is_paired;           ///< to compare kernels run by run
} pgopt_measure_request;

/// The entry's kernel calls in program order; the array is freed with `free`.
MlirOperation *pgopt_kernel_calls(MlirOperation module, MlirOperation entry,
                                  size_t *count);

/// The key of a call's Timing in `pg.profile`: the signature of its function,
/// in its variant, or of the range of it that the call computes. Null when the
/// function has none.
const char *pgopt_call_signature(MlirOperation module, MlirOperation call,
                                 pgopt_arena *arena);

/// Drops everything that the entry does not need: a caller with its prints, the
/// tools' own globals. What measures the kernels cannot always run it.
/// \param program the pass's module or one nested in it.
MlirLogicalResult pgopt_keep_entry_only(pgopt_pass *pass, MlirOperation program,
                                        MlirOperation entry);

/// Runs a module of kernel calls in a child process.
/// \param program not nested in anything; its entry is sequential.
/// \param at where errors are reported.
/// \param[out] trial one Timing a kernel call; freed with `pgopt_trial_free`.
/// \returns failure after one error.
MlirLogicalResult pgopt_measure_program(MlirOperation program,
                                        MlirOperation entry, MlirOperation at,
                                        const pgopt_measure_request *request,
                                        pgopt_trial *trial);

/// Runs two programs in turn in a child process. \param programs of one entry,
///   named as `at` is, at any stages; not nested in anything.
/// \param at where errors are reported.
/// \returns failure after one error; a program that fails is none.
MlirLogicalResult pgopt_measure_pair(const MlirOperation programs[2],
                                     MlirOperation at,
                                     const pgopt_measure_request *request,
                                     pgopt_trial_pair *pair);

/// One measurement for `pg.profile`.
typedef struct pgopt_profile_entry {
  const char *signature;
  pgopt_measured time;
} pgopt_profile_entry;

/// Adds to the module's `pg.profile` what it does not know yet. Of several
/// entries of one signature their median counts: of medians and deviations the
/// middle one (the mean of the two middle ones), of minima and runs the least.
void pgopt_extend_profile(MlirOperation module,
                          const pgopt_profile_entry *entries, size_t count);

/// The Timing that the module's `pg.profile` has for a signature.
bool pgopt_find_timing(MlirOperation module, const char *signature,
                       pgopt_timing *timing);

/// Writes `pg.machine` from what the system tells and the trial run found out;
/// widens what the module knows of this machine, and measures the rates of
/// copying and reading when it knows none.
void pgopt_write_machine(MlirOperation module, const pgopt_trial *trial);

/// The machine's name ("" when it is not known) and one core's peak in GFLOP/s
/// (0) from `pg.machine`. The name is freed with `free`.
char *pgopt_read_machine(MlirOperation module, double *peak_gflops);

#endif // PGOPT_IR_MEASURE_PROGRAM_H
