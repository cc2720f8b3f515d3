/// \file Two JSON reports of `--profile` compared: which kernels became faster.
#ifndef PGOPT_PROFILE_REPORT_DIFF_H
#define PGOPT_PROFILE_REPORT_DIFF_H

#include "base/memory.h"
#include "base/status.h"
#include "base/text.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/// One layer of a report, as far as a comparison needs it.
typedef struct pgopt_reported_layer {
  const char *layer;
  const char *signature; ///< "" for none
  int64_t median_ns;     ///< -1 when it has no time
  const int64_t *samples_ns;
  size_t sample_count; ///< 0 when it was not measured in that run
} pgopt_reported_layer;

typedef struct pgopt_reported {
  pgopt_arena arena;
  const char *network, *cpu;
  pgopt_reported_layer *layers;
  size_t layer_count;
} pgopt_reported;

/// Reads a report in JSON form; the bytes may be anything.
/// \param[out] reported freed with `pgopt_reported_free`; empty on failure.
/// \returns PGOPT_INVALID when it is not what docs/profile-report.md says.
pgopt_status pgopt_reported_read(const char *json, size_t size,
                                 pgopt_reported *reported, pgopt_error *error);

void pgopt_reported_free(pgopt_reported *reported);

/// Appends one line a kernel and a summary. Kernels are the same when signature
/// and layer are; what is left, when the signature alone is; a kernel without a
/// signature goes by its layer. One became faster or slower when it did in the
/// sense of `pgopt_pair_times`, sample i of one report against sample i of the
/// other.
void pgopt_reported_diff(const pgopt_reported *before,
                         const pgopt_reported *after, pgopt_text *text);

#endif // PGOPT_PROFILE_REPORT_DIFF_H
