/// \file Which core of a launch the calling thread is.
#ifndef PGOPT_RUNTIME_LAUNCH_CORES_H
#define PGOPT_RUNTIME_LAUNCH_CORES_H

#include <stdint.h>

/// \param[out] stack address on the thread's stack beyond the frames of the
///   core's function; null outside of a launch.
/// \returns the core, or -1 outside of a launch. Safe in a signal handler.
int64_t pgopt_launch_core(const void **stack);

#endif // PGOPT_RUNTIME_LAUNCH_CORES_H
