/// \file Trial runs: a child process runs a program of kernel calls, plain and
/// instrumented, and reports what it measured as one JSON object.
#ifndef PGOPT_PROFILE_TRIAL_H
#define PGOPT_PROFILE_TRIAL_H

#include "base/memory.h"
#include "base/status.h"
#include "base/text.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/// With fewer pairs no difference is sure: all of 9 signs equal are p = 0.004.
enum { PGOPT_PAIRED_RUNS = 9 };

/// What several runs of one thing took. `mad_ns` is the median absolute
/// deviation from the median.
typedef struct pgopt_measured {
  int64_t median_ns, min_ns, mad_ns, runs;
} pgopt_measured;

/// One kernel call, without the timer's own cost.
typedef struct pgopt_trial_kernel {
  pgopt_measured time;    ///< unset with a failure
  int64_t dropped;        ///< samples that something disturbed
  int64_t cold_ns;        ///< with cold data; -1 not known
  const int64_t *samples; ///< some of them, in order
  size_t sample_count;
  /// Of a paired trial: one sample a run, the same runs for all kernels; 0 and
  /// below where something disturbed it.
  const int64_t *paired;
  size_t paired_count;
  const char *failure; ///< why it has no time, or null
} pgopt_trial_kernel;

/// Whole runs.
typedef struct pgopt_trial_runs {
  pgopt_measured time;
  int64_t dropped;
  const char *failure; ///< why there are none, or null
} pgopt_trial_runs;

typedef struct pgopt_trial {
  pgopt_arena arena;
  const pgopt_trial_kernel *kernels; ///< one a call, in program order
  size_t kernel_count;
  bool is_interrupted;           ///< it was ended before its time
  pgopt_trial_runs end_to_end;   ///< of the plain program
  pgopt_trial_runs instrumented; ///< of the program with timers
  pgopt_trial_runs cold;         ///< of that, with cold data
  double overhead;       ///< instrumented / plain, median of pairs; 0 not known
  int64_t entry_ns;      ///< of an instrumented run, outside of its kernels
  int64_t waits_ns;      ///< of a plain run: time without a CPU
  int64_t page_faults;   ///< of a plain run
  int64_t page_fault_ns; ///< cost of one
  double timer_ns;       ///< cost of reading one timer
  double peak_gflops;    ///< one core's f32 multiply-adds, measured
  double latency_min_ns, latency_max_ns; ///< of a signal between two cores
  const char *cpu, *blas;
  int64_t cores;
} pgopt_trial;

typedef struct pgopt_trial_request {
  const char *runner;  ///< path of pgopt-runner
  const char *program; ///< file with the module to run
  const char *entry;
  const char *other; ///< file with the one to run in turn with it, or null
  int64_t budget_ms;
  int64_t seed;
  /// Inputs as "number:file.npy", separated by commas; "" for random ones.
  const char *inputs;
  const char *libraries;   ///< paths separated by commas; null or "" for none
  int64_t kernel_limit_ms; ///< a kernel that takes longer is left out
  int64_t memory_bytes;    ///< for the trial run; 0: what is free
  bool is_paired; ///< only timed runs, PGOPT_PAIRED_RUNS at least, to compare
                  ///< kernels run by run
  int64_t timeout_ms; ///< the child is killed after this long
} pgopt_trial_request;

/// Runs the trial. A SIGINT that would end this process ends the trial run
/// instead, which then answers with what it has measured.
/// \param[out] trial freed with `pgopt_trial_free`; empty on failure.
/// \returns PGOPT_IO when the child cannot be started, fails (its last message
///   is in the error), is killed by a signal or runs out of time, PGOPT_INVALID
///   when its answer is not what docs/profile-report.md says.
pgopt_status pgopt_trial_run(const pgopt_trial_request *request,
                             pgopt_trial *trial, pgopt_error *error);

/// Runs the child, as pgopt_trial_run does. \param[out] answer appended to,
/// what
///   it printed. \param[out] is_interrupted unset on failure.
pgopt_status pgopt_trial_answer(const pgopt_trial_request *request,
                                pgopt_text *answer, bool *is_interrupted,
                                pgopt_error *error);

/// Reads a child's answer; it may be anything.
pgopt_status pgopt_trial_read(const char *json, size_t size, pgopt_trial *trial,
                              pgopt_error *error);

void pgopt_trial_free(pgopt_trial *trial);

/// Finds pgopt-runner: beside the library that this function is in
/// (`../bin/` or the same folder), else $PGOPT_RUNNER.
/// \param[out] path freed with `free`; null on failure.
pgopt_status pgopt_trial_find_runner(char **path, pgopt_error *error);

/// Reads "10s", "500ms", "1.5s" or "2m" as milliseconds, 1 at least and a day
/// at most.
pgopt_status pgopt_parse_duration(const char *text, int64_t *ms,
                                  pgopt_error *error);

#endif // PGOPT_PROFILE_TRIAL_H
