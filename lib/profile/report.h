/// \file The report of a profile: a table for people, JSON for programs.
/// docs/profile-report.md describes both. They are functions of the report
/// alone: equal counts and Timings give equal bytes.
#ifndef PGOPT_PROFILE_REPORT_H
#define PGOPT_PROFILE_REPORT_H

#include "base/status.h"
#include "base/text.h"
#include "profile/trial.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/// An op that belongs to a layer's kernel.
typedef struct pgopt_report_member {
  const char *op;      ///< "linalg.matmul"
  int64_t lflops;      ///< -1 when not known
  const char *unknown; ///< why not, or ""
} pgopt_report_member;

typedef struct pgopt_report_layer {
  const char *layer; ///< the kernel's id; of a part with its number
  const char *op;    ///< the op that the Timing stands on
  int64_t lflops;    ///< of all members; -1 when not known
  const char *unknown;
  int64_t bytes;         ///< -1 when not known
  const char *signature; ///< the key of its Timing; "" for none
  /// Least times on this machine: of the operations, of moving the bytes; 0
  /// when not known.
  double compute_ns, memory_ns;
  bool is_timed;
  pgopt_measured time;
  const char *source; ///< "in-place" ...
  /// Its call in the trial run of this very run, or null. With a failure the
  /// layer is not timed by it.
  const pgopt_trial_kernel *measured;
  const pgopt_report_member *members;
  size_t member_count;
} pgopt_report_layer;

typedef struct pgopt_report {
  const char *network;
  const pgopt_report_layer *layers; ///< in the order in which they run
  size_t layer_count;
  /// Totals of the network as it was given; -1 when they do not fit.
  int64_t lflops, contraction;
  int64_t unknown_ops;      ///< ops that are in no total
  const char *cpu;          ///< of the machine of the Timing; "" unknown
  double peak_gflops;       ///< of one core, measured; 0 unknown
  const pgopt_trial *trial; ///< of this very run, or null
} pgopt_report;

void pgopt_report_table(const pgopt_report *report, pgopt_text *text);
void pgopt_report_json(const pgopt_report *report, pgopt_text *text);

/// Writes the text to the file, or to stderr when `path` is "". The reports of
/// `--profile` are the one thing that a library of ours prints.
pgopt_status pgopt_report_write(const pgopt_text *text, const char *path,
                                pgopt_error *error);

/// Shows a line on stderr while something takes long; nothing unless that is a
/// terminal. Null takes the line away.
void pgopt_report_progress(const char *line);

#endif // PGOPT_PROFILE_REPORT_H
