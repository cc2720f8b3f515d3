/// \file Schedules simulated.
#ifndef PGOPT_RUNNER_SIMULATE_SCHEDULE_H
#define PGOPT_RUNNER_SIMULATE_SCHEDULE_H

#include "tools/pgopt-runner/options.h"

/// --simulate: carries out the schedule of a module, or the one that --policy
/// makes for the resources that were given, with the profile's times.
/// \returns an exit code.
int simulate_schedule(const runner_options *options);

#endif // PGOPT_RUNNER_SIMULATE_SCHEDULE_H
