/// \file Statistics of passes. Debian's libMLIR is built without them: its
/// `Pass::Statistic` counts nothing. So pgopt counts itself, and prints what
/// it counted when the program ends, if `--mlir-pass-statistics` was given.
#ifndef PGOPT_BRIDGE_STATISTICS_H
#define PGOPT_BRIDGE_STATISTICS_H

#include "bridge/bridge.h"

/// Adds to a statistic of the definition, over all its instances and runs.
/// Thread-safe.
void pgopt_statistics_count(const pgopt_pass_definition *definition,
                            size_t statistic, int64_t amount);

#endif // PGOPT_BRIDGE_STATISTICS_H
