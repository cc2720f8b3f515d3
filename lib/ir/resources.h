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

/// Sets `pg.resources`.
void pgopt_write_resources(MlirOperation module,
                           const pgopt_resources *resources);

/// The latency is `latency_max_ns` of `pg.machine`: a schedule must be good on
/// the cores that are furthest apart. Without it, 200 ns are assumed; 10 ns a
/// hop always.
pgopt_sync_costs pgopt_read_sync_costs(MlirOperation module);

#endif // PGOPT_IR_RESOURCES_H
