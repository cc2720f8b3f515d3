/// \file What parallel compute resources are like: how fast each is, and how
/// far two of them are apart.
#ifndef PGOPT_SCHEDULE_RESOURCE_MODEL_H
#define PGOPT_SCHEDULE_RESOURCE_MODEL_H

#include "base/status.h"

#include <stddef.h>
#include <stdint.h>

/// Most resources a schedule may have.
#define PGOPT_MAX_RESOURCES 4096

/// Zero-initialised: resources that are all alike.
typedef struct pgopt_resource_model {
  int64_t count; ///< 1 .. PGOPT_MAX_RESOURCES, 0 when not known
  /// Of each resource, in percent of the one that the times are measured on;
  /// >= 1. Null: all 100. Owned.
  int64_t *speeds;
  /// Resources i and k with i / (count / nodes) = k / (count / nodes) share a
  /// NUMA node; others see a signal `node_latency_ns` later. 0: one node.
  int64_t nodes, node_latency_ns;
  /// A PE array: resource i is in row i / columns, column i % columns. A signal
  /// takes `hop_latency_ns` for every row and every column that it crosses. 0:
  /// no array.
  int64_t rows, columns, hop_latency_ns;
} pgopt_resource_model;

/// Checks ranges and that counts fit together: `count` = rows x columns, a
/// multiple of `nodes`.
pgopt_status pgopt_resource_model_check(const pgopt_resource_model *model,
                                        pgopt_error *error);

/// Reads a number of resources, or "key=value" separated by blanks: count,
/// speeds (a list with commas, one number a resource), nodes, node-latency,
/// rows, columns, hop-latency (the latencies in nanoseconds). The count follows
/// from rows and columns or from speeds when it is left out.
/// \param[out] model checked; freed with pgopt_resource_model_free; zero on
///   failure.
pgopt_status pgopt_resource_model_parse(const char *text,
                                        pgopt_resource_model *model,
                                        pgopt_error *error);
void pgopt_resource_model_free(pgopt_resource_model *model);

/// How long `ns` of measured time take on the resource. \param model null: all
/// alike.
static inline double pgopt_resource_time(const pgopt_resource_model *model,
                                         int64_t resource, double ns) {
  return model && model->speeds ? ns * 100 / (double)model->speeds[resource]
                                : ns;
}

/// How much later than on the nearest resource `to` sees a signal of `from`.
double pgopt_resource_distance(const pgopt_resource_model *model, int64_t from,
                               int64_t to);

/// The fastest one, of several the first; 0 when all are alike.
int64_t pgopt_resource_fastest(const pgopt_resource_model *model);

/// How much measured time `count` resources get done in a unit of time.
double pgopt_resource_power(const pgopt_resource_model *model, int64_t count);

#endif // PGOPT_SCHEDULE_RESOURCE_MODEL_H
