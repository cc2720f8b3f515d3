/// \file The parallel compute resources of a module: `pg.resources` and the
/// options that set it; what synchronisation costs on `pg.machine`.
#ifndef PGOPT_IR_RESOURCES_H
#define PGOPT_IR_RESOURCES_H

#include "mlir-c/IR.h"
#include "mlir-c/Support.h"
#include "schedule/schedule.h"

typedef struct pgopt_resources {
  const char *kind; ///< "cores", "threads" or "pes"; static
  int64_t count;    ///< 1 .. PGOPT_MAX_RESOURCES
  /// The machine decided, not the user: a network that cannot use them all gets
  /// fewer.
  bool is_default;
} pgopt_resources;

/// What the options say; where they say nothing, `pg.resources`; without that,
/// the physical cores (or, for threads, the logical CPUs) this process may use.
/// \param kind "" when not given.
/// \param count a number in decimal; "auto" when not given.
/// \returns failure after one error at the module: a kind or count that is not
///   allowed, or PEs without a count.
MlirLogicalResult pgopt_resolve_resources(MlirOperation module,
                                          const char *kind, const char *count,
                                          pgopt_resources *resources);

/// Sets `pg.resources`. What it says the resources are like stays while
/// their number does.
void pgopt_write_resources(MlirOperation module,
                           const pgopt_resources *resources);

/// What `pg.resources` says the resources are like.
/// \param[out] model zero when they are all alike; freed with
///   pgopt_resource_model_free.
/// \returns failure after one error at the module.
MlirLogicalResult pgopt_read_resource_model(MlirOperation module,
                                            pgopt_resource_model *model);

/// What `pg.machine` says about the distance between cores. The latency is the
/// largest one ever seen, `latency_max_ns`, for "far", the smallest one,
/// `latency_min_ns`, for "near"; where it is not known, 200 ns are assumed. 10
/// ns a hop always. The rest is what its `sharing` says; where that is not
/// known a byte across costs CROSS_CORE_BYTE_NS, and nothing else costs
/// anything (docs/scheduling.md).
/// \param distance "far" or "near".
/// \returns failure after one error at the module for any other distance.
MlirLogicalResult pgopt_read_sync_costs(MlirOperation module,
                                        const char *distance,
                                        pgopt_sync_costs *costs);

#endif // PGOPT_IR_RESOURCES_H
